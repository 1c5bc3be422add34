"""What the commands of `direct` share: a save opened for one step, and what is printed after it."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import click

from theact_tui.cli.direct_live import ReplyPrinter
from theact_tui.cli.options import print_json
from theact_tui.cli.saying import say
from theact_tui.engine.bus import Bus
from theact_tui.engine.direct import DirectSession
from theact_tui.engine.direct_opening import NoModels, open_direct
from theact_tui.engine.events import Event, Notice
from theact_tui.errors import UsageError
from theact_tui.models.port import Models
from theact_tui.models.profiles import ModelOptions
from theact_tui.paths import Home
from theact_tui.saves.library import Library

Step = Callable[[DirectSession], Awaitable[Any]]


def run(home: Home, name: str, step: Step, options: ModelOptions | None = None) -> DirectSession:
    """Open a save, take one step, close it. Without `options` no model is chosen; a step that fails changes nothing."""

    async def work() -> DirectSession:
        models = _models(home, options) if options else NoModels()
        session = await open_direct(Library(home.data).path(name), models, new_bus())
        try:
            await step(session)
        except BaseException:
            await session.close(keep=False)
            raise
        await session.close()
        return session

    return asyncio.run(work())


def printer_for(as_json: bool) -> ReplyPrinter:
    """Prints a reply as it comes on a terminal, whole elsewhere, and nothing before JSON."""
    return ReplyPrinter(live=sys.stdout.isatty() and not as_json)


def _models(home: Home, options: ModelOptions) -> Models:
    from theact_tui.models.choose import models_chooser

    return models_chooser(home, options, pace=False)(None, 0)


def new_bus() -> Bus:
    """A bus whose warnings are printed."""
    bus = Bus()

    def warn(event: Event) -> None:
        if isinstance(event, Notice) and event.level != "info":
            say(event.text, err=True)

    bus.listen(warn)
    return bus


def text_of(file: str) -> str:
    """The text of a file, or of standard input for `-`, without the line end at its end."""
    try:
        with click.open_file(file, encoding="utf-8", errors="replace") as source:
            text = str(source.read())
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}.") from error
    return text.removesuffix("\n")


def tell(session: DirectSession, as_json: bool, line: str, **more: Any) -> None:
    """Print where the session stands now, and `line` for people or `more` for programs."""
    if as_json:
        document = {
            "save": session.name,
            "branch": session.save.branch,
            "takes": session.takes[1],
            "banner": session.banner,
        }
        print_json({**document, "session": session.session.model_dump(mode="json"), **more})
    else:
        say(f"{session.name} · {session.session.state} · prompt {session.session.prompt_index}. {line}")
