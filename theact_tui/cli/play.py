"""`play`: one line of input per turn, without the app (S12)."""

import asyncio
import re
import secrets
import shutil
import sys
import textwrap
from collections.abc import Awaitable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import click
from rich.cells import cell_len

from theact_tui.cli.context import (
    find_pack_folder,
    home_option,
    is_terminal,
    model_options,
    piped_line,
    program,
    say,
    say_json,
)
from theact_tui.engine import events
from theact_tui.engine.bus import Bus
from theact_tui.engine.choose_models import models_chooser
from theact_tui.engine.commands import misses_slash, run_command
from theact_tui.engine.open_sessions import create_session, open_session
from theact_tui.engine.session import StorySession
from theact_tui.engine.state_in_words import missing_text
from theact_tui.errors import TheActError, TurnError, UsageError
from theact_tui.models.environment import ModelOptions
from theact_tui.packs.library import pack_folder
from theact_tui.packs.loader import load_pack
from theact_tui.paths import Home
from theact_tui.saves.library import Library
from theact_tui.story.typed import as_text, is_command
from theact_tui.text import clean, unstressed, unwrapped_paragraphs

_MEASURE_CELLS = 78


@click.command()
@click.argument("pack")
@click.option("--save", "save_name", default="", metavar="NAME", help="Create this save, or continue it.")
@click.option("--player", default="", metavar="NAME", help="Your character's name (new saves only).")
@click.option(
    "--inputs", metavar="FILE", help="Read input lines from a file, or from standard input with '-'."
)
@click.option("--seed", type=int, help="Random seed for dice and offline storyteller (new saves only).")
@click.option("--plain", is_flag=True, help="For screen readers: speakers by name, no pacing, no drawing.")
@click.option("--events", "as_events", is_flag=True, help="Print events as JSON lines instead of prose.")
@home_option
@model_options
def play(
    pack: str,
    save_name: str,
    player: str,
    inputs: str | None,
    seed: int | None,
    plain: bool,
    as_events: bool,
    home: Home,
    options: ModelOptions,
) -> None:
    """Play PACK without the app. A line is a turn, or a command after / (see /help). Piped input ends at a failure."""
    lines = _lines(inputs)
    interactive = inputs is None and is_terminal(sys.stdin)
    waits = inputs is None or inputs == "-"
    output = Output(interactive=interactive, waits=waits, events=as_events, plain=plain)
    opening = _opened(home, options, pack, save_name or pack, player, seed, output)
    click.get_current_context().exit(asyncio.run(_play(opening, lines, output)))


@dataclass(frozen=True, slots=True)
class Output:
    interactive: bool
    waits: bool
    """Lines come one by one, from a person or another program."""
    events: bool
    plain: bool

    def failed(self, error: TheActError) -> None:
        """Print an error, unless it was printed as a failed turn."""
        if self.events or not isinstance(error, TurnError):
            say(error.message, err=True)


def _lines(inputs: str | None) -> Iterator[str]:
    if inputs is None or inputs == "-":
        return (line.rstrip("\r\n") for line in iter(piped_line, ""))
    try:
        lines = Path(inputs).read_bytes()
    except OSError as error:
        raise UsageError(f"Cannot read {inputs}: {error.strerror}.") from error
    if b"\0" in lines:
        raise UsageError(f"Cannot read {inputs}: it is not a text file.")
    try:
        return iter(lines.decode("utf-8-sig").splitlines())
    except UnicodeDecodeError as error:
        raise UsageError(
            f"Cannot read {inputs}: it is not UTF-8 text. Save it as UTF-8 in your editor."
        ) from error


async def _opened(
    home: Home,
    options: ModelOptions,
    pack_name: str,
    save_name: str,
    player: str,
    seed: int | None,
    output: Output,
) -> StorySession:
    library = Library(home.data)
    has_save = library.has(save_name)
    # a save brings its own pack, which may be in no library, such as that of an imported chat
    has_pack = find_pack_folder(home, pack_name) is not None
    pack = load_pack(pack_folder(home.packs, pack_name)) if has_pack or not has_save else None
    bus = Bus()
    pace = is_terminal(sys.stdout) and not output.plain
    bus.listen(print_event if output.events else PlainPrinter() if output.plain else ProsePrinter(live=pace))
    models = models_chooser(home, options, pace=pace)
    if pack and not has_save:
        seed = secrets.randbelow(2**31) if seed is None else seed
        return await create_session(library, pack, save_name, player, seed, models, bus)
    session = await open_session(library.path(save_name), models, bus, packs=home.packs)
    wanted, own = pack.id if pack else pack_name, session.game.info.pack
    if own != wanted:
        await session.close()
        raise UsageError(
            f"The save '{save_name}' uses the pack '{own}', not '{wanted}'. Choose another name with --save."
        )
    return session


async def _play(opening: Awaitable[StorySession], lines: Iterator[str], output: Output) -> int:
    session = await opening
    try:
        if (sent := session.typed.sent) and not output.events:
            say(f"Your last input was not sent and was dropped: {sent}", err=True)
        await session.edits_scanned()
        await session.settle()
        if output.interactive:
            welcome = _welcome(session)
            say(for_listening(welcome) if output.plain else welcome, err=output.events)
        is_new = session.game.state.turn == 0 and not session.typed.sent
        if is_new and (output.interactive or session.game.chapter.openings):
            try:
                await session.open_story()
                await session.settle()
            except TheActError as error:  # the story can be begun with a line
                output.failed(error)
        if output.waits:
            session.read_ahead()
        return await _turns(session, lines, output)
    finally:
        await session.close()


def _welcome(session: StorySession) -> str:
    where = f"turn {session.game.state.turn}" if session.game.state.turn else "a new story"
    greeting = (
        f"{session.game.info.title} · {where} · told by {session.model_name}. /help lists the commands.\n"
    )
    if left := session.game.state.unremembered:
        greeting += f"{missing_text(left)} /remember writes them.\n"
    return f"{greeting}\n--- {session.game.chapter.title} ---\n"


async def _turns(session: StorySession, lines: Iterator[str], output: Output) -> int:
    while True:
        if output.interactive:
            say("Your line: " if output.plain else "> ", nl=False)
        line = await asyncio.to_thread(next, lines, None)
        try:
            if line is None or await _is_last(session, clean(line).strip(), output):
                return 0
        except TheActError as error:
            output.failed(error)
            if not output.interactive:
                return error.exit_code if isinstance(error, (TurnError, UsageError)) else 4


async def _is_last(session: StorySession, line: str, output: Output) -> bool:
    if is_command(line):
        done = await run_command(session, line)
        await session.settle()
        if done.text:
            is_heard = output.plain and not output.events
            say(f"Program: {for_listening(done.text)}\n" if is_heard else done.text, err=output.events)
        return done.quit
    if line and not output.interactive and not output.events:
        say(f"{'You: ' if output.plain else '> '}{as_text(line)}\n")
    await session.play(as_text(line))
    await session.settle()
    sys.stdout.flush()
    return False


def edits_notice(files: Sequence[str], broken: Sequence[str]) -> str:
    names = ", ".join(files[:3]) + (f" and {len(files) - 3} more" if len(files) > 3 else "")
    if broken:
        return "\n".join((f"Files edited outside: {names}.", *broken, "See /edits; undo with /restore."))
    return f"Files edited outside: {names}. See /edits; apply with /adopt, undo with /restore."


def dice_text(event: events.DiceRolled) -> str:
    """Word a roll, unless the keeper's words have the numbers."""
    if re.search(rf"(?<!\d){event.roll}(?!\d)", event.resolution):
        return event.resolution
    return f"{event.roll} against {event.difficulty}: {event.resolution}"


def print_event(event: events.Event) -> None:
    say_json(event.to_json())


_DRAWN = (
    (r"(?m)^\* included.*\n?|^[ \t]*(?:-{3} |[·•*][ \t]+)?|(?: -{3})?[ \t]*$", ""),  # legends, margins, rules
    (r"✓", "Done:"),
    (r" [·•] |(?<=\S)[ \t]{2,}", ", "),
    (r"(?<=\w)\|(?=[\w-])", " or "),
    (r"[\[\]*`~#◂▸]|(?<!\w)_+|_+(?!\w)", ""),
)
"""Replacements of drawn signs for screen readers."""


def for_listening(text: str) -> str:
    """Write `text` in words and pauses only."""
    for drawn, instead in _DRAWN:
        text = re.sub(drawn, instead, text)
    return text


class PlainPrinter:
    """Prints whole paragraphs after the name of their speaker, to be read aloud."""

    def __init__(self) -> None:
        self._others = ProsePrinter(live=False)

    def __call__(self, event: events.Event) -> None:
        match event:
            case events.CharacterStarted():
                pass
            case events.PageTold():
                self._print_reply("Narrator", event.text)
            case events.CharacterFinished():
                self._print_reply(event.name, event.text or "says nothing")
            case events.DiceRolled():
                say(f"Dice: {dice_text(event)}\n")
            case events.BeatsMarked():
                for beat in event.beats:
                    self._print_reply("Beat reached", beat)
            case events.MomentRecorded():
                say(f"Moment: {event.summary}.\n")
            case events.ChapterAdvanced():
                say(f"New chapter: {event.title}.\n" + (f"Recap: {event.recap}\n" if event.recap else ""))
            case events.GameCompleted():
                say("The end.\n")
            case events.EpilogueTold():
                self._print_reply("Epilogue", event.text)
            case _:
                self._others(event)

    def _print_reply(self, speaker: str, text: str) -> None:
        for paragraph in unwrapped_paragraphs(text):
            say(f"{speaker}: {for_listening(paragraph)}\n")


_STRESS = re.compile(r"(?<![\w*])\*{1,3}(?=[^\s*])|(?<=[^\s*])\*{1,3}(?![\w*])")
"""Marks of `*stressed*` words in an unfinished text."""


class ProsePrinter:
    """Prints prose: token by token when `live`, else by paragraph."""

    def __init__(self, *, live: bool) -> None:
        self._live = live
        self._width = min(shutil.get_terminal_size().columns, _MEASURE_CELLS) if live else 0
        self._column = 0
        self._shown = ""
        self._word = ""
        """End of the stream, perhaps an incomplete word."""
        self._noticed = ""
        """Last notice, which a turn that fails for the same reason does not repeat."""

    def __call__(self, event: events.Event) -> None:
        match event:
            case events.NarrationToken() | events.CharacterToken() if self._live:
                self._stream(event.text, replace=event.replace)
            case events.PageTold():
                self._finish(event.text)
            case events.CharacterStarted():
                say(f"{event.name.upper()}")
            case events.CharacterFinished():
                self._finish(event.text or "(says nothing)")
            case events.DiceRolled():
                say(f"[{dice_text(event)}]\n")
            case events.BeatsMarked() if self._live:
                for beat in event.beats:
                    say(self.wrapped(f"✓ {beat}\n"))
            case events.MomentRecorded():
                say(self.wrapped(f"[moment: {event.summary}]\n"))
            case events.ChapterAdvanced():
                say(f"--- {event.title} ---\n")
                if event.recap:
                    say(self.wrapped(f"[recap: {event.recap}]\n"))
            case events.GameCompleted():
                say("--- The End ---\n")
            case events.EpilogueTold():
                say(f"{unstressed(event.text)}\n")
            case _:
                self._say(event)

    def _say(self, event: events.Event) -> None:
        match event:
            case events.SaveOpened(recovered=text) if text:
                say(text, err=True)
            case events.TurnStarted(text=text) if misses_slash(text):
                say("Sent to the story. /help lists the commands, /quit leaves.", err=True)
            case events.Notice() if event.level != "info":
                say(event.text, err=True)
                self._noticed = event.text
            case events.CatchingUp(last=last, left=left) if last:
                say(f"Writing memories of older turns: {left} left.", err=True)
            case events.EditsFound(files=files, broken=broken):
                say(edits_notice(files, broken), err=True)
            case events.PackChanged():
                say(
                    "The pack of this story was changed. See /edits pack; apply it with /adopt pack.",
                    err=True,
                )
            case events.TurnFailed():
                self._shown = ""
                if event.reason != self._noticed:
                    say(event.reason, err=True)
                if event.kind == "unreadable":
                    say(
                        f"{program()} calls {event.save} --turn {event.turn} shows the whole answer.",
                        err=True,
                    )
                self._noticed = ""

    def _stream(self, text: str, *, replace: bool) -> None:
        if replace and self._shown:
            say("\n...\n")
            self._shown, self._column, self._word = "", 0, ""
        self._shown += text
        *whole, self._word = re.split(r"(?<=\s)", self._word + text)
        self._put("".join(whole))

    def _put(self, text: str) -> None:
        for word in re.findall(r"[^\S\n]*\S*\n?", _STRESS.sub("", text)):
            if self._column and self._column + cell_len(word.rstrip()) > self._width:
                say()
                self._column, word = 0, word.lstrip(" ")
            say(word, nl=False)
            self._column = 0 if word.endswith("\n") else self._column + cell_len(word)

    def wrapped(self, text: str) -> str:
        if not self._live:
            return text
        return "\n".join(textwrap.fill(line, self._width) for line in text.split("\n"))

    def _finish(self, text: str) -> None:
        self._put(self._word)
        self._word, self._column = "", 0
        text = self.wrapped(text) if self._shown.strip() != text.strip() else text
        if self._shown.strip() == text.strip():
            say("\n")
        else:
            say(f"\n\n{unstressed(text)}\n" if self._shown else f"{unstressed(text)}\n")
        self._shown = ""
