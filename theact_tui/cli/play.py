"""`play`: playing without a screen, a line of input being a turn (S12)."""

from __future__ import annotations

import asyncio
import secrets
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import click

from theact_tui.cli.opening import models_for, pack_named
from theact_tui.cli.options import home_option, model_options
from theact_tui.cli.printing import EventPrinter, ProsePrinter
from theact_tui.cli.saying import say
from theact_tui.engine.bus import Bus
from theact_tui.engine.commands import as_text, is_command, run_command
from theact_tui.engine.opening import create_session, open_session
from theact_tui.engine.session import Session
from theact_tui.errors import TheActError, TurnError, UsageError
from theact_tui.models.profiles import ModelOptions
from theact_tui.paths import Home
from theact_tui.saves.library import Library
from theact_tui.text import clean


@click.command()
@click.argument("pack")
@click.option("--save", "save_name", default="", metavar="NAME", help="Create this save or go on with it.")
@click.option("--player", default="", metavar="NAME", help="The name of your character, for a new save.")
@click.option("--inputs", metavar="FILE", help="Read the lines from a file, or from standard input with '-'.")
@click.option("--seed", type=int, help="Seed of the dice and the offline storyteller, for a new save.")
@click.option("--events", is_flag=True, help="Print events as JSON lines instead of prose.")
@home_option
@model_options
def play(
    pack: str,
    save_name: str,
    player: str,
    inputs: str | None,
    seed: int | None,
    events: bool,
    home: Home,
    options: ModelOptions,
) -> None:
    """Play PACK without a screen. Each line is a turn; a line that begins with / is a command (/help)."""
    lines = _lines(inputs)
    interactive = inputs is None and sys.stdin.isatty()
    code = asyncio.run(
        _play(home, options, pack, save_name or pack, player, seed, lines, interactive, events)
    )
    click.get_current_context().exit(code)


def _lines(inputs: str | None) -> Iterator[str]:
    """The lines to play, read as they are needed."""
    if inputs is None or inputs == "-":
        return (line.rstrip("\r\n") for line in sys.stdin)
    try:
        return iter(Path(inputs).read_text(encoding="utf-8", errors="replace").splitlines())
    except OSError as error:
        raise UsageError(f"The inputs cannot be read: {inputs} ({error.strerror}).") from error


async def _play(
    home: Home,
    options: ModelOptions,
    pack_name: str,
    save_name: str,
    player: str,
    seed: int | None,
    lines: Iterable[str],
    interactive: bool,
    events: bool,
) -> int:
    pack = pack_named(home, pack_name)
    library = Library(home.data)
    pace = sys.stdout.isatty()
    bus = Bus()
    printer = EventPrinter() if events else ProsePrinter(live=pace)
    bus.listen(printer)
    if library.has(save_name):
        session = await open_session(library.path(save_name), models_for(home, options, pace=pace), bus)
        if session.game.info.pack != pack.id:
            await session.close()
            raise UsageError(
                f"The save '{save_name}' is a game of '{session.game.info.pack}', not of '{pack.id}'. "
                "Choose another name with --save."
            )
    else:
        chosen = secrets.randbelow(2**31) if seed is None else seed
        session = await create_session(
            library, pack, save_name, player, chosen, models_for(home, options, pace=pace), bus
        )
    try:
        await session.noticed()
        await session.settle()
        if interactive:
            say(_welcome(session), err=events)
        return await _turns(session, lines, interactive, events)
    finally:
        await session.close()


def _welcome(session: Session) -> str:
    where = f"turn {session.game.state.turn}" if session.game.state.turn else "a new story"
    return f"{session.game.info.title} · {where} · told by {session.model_name}. /help lists the commands.\n"


async def _turns(session: Session, lines: Iterable[str], interactive: bool, events: bool) -> int:
    """Play line after line; the exit code of the whole."""
    source = iter(lines)
    while True:
        if interactive:
            say("> ", nl=False)
        line = await asyncio.to_thread(next, source, None)
        if line is None:
            return 0
        try:
            if await _line(session, clean(line).strip(), echo=not interactive, events=events):
                return 0
        except TheActError as error:
            if events or not isinstance(error, TurnError):  # the printer told of a turn that failed
                say(error.message, err=True)
            if not interactive:
                return error.exit_code if isinstance(error, (TurnError, UsageError)) else 4


async def _line(session: Session, line: str, *, echo: bool, events: bool) -> bool:
    """Play one line; True when it said to leave."""
    if is_command(line):
        done = await run_command(session, line)
        await session.settle()
        if done.text:
            say(done.text, err=events)
        return done.quit
    if echo and line and not events:
        say(f"> {as_text(line)}\n")
    await session.play(as_text(line))
    await session.settle()
    sys.stdout.flush()
    return False
