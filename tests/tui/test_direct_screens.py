"""Approved pictures of the direct screen: each tab and state, and in the terminal's own colours."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot

from tests.support.direct_pilot import (
    PLAYED,
    REPLY,
    Master,
    all_actors,
    app_for,
    new_chapter,
    open_begun,
    prompt_at,
    scripted,
)
from tests.support.fake_model import Scripted
from tests.support.pictures import SMALL, USUAL, Before, Picture, Size, sizes
from tests.support.pilot import until
from theact_tui.engine.direct.example import example
from theact_tui.errors import CallError
from theact_tui.story.direct.state import fill_setup

Step = Callable[[Master, Scripted], Awaitable[None]]


async def draft(master: Master, model: Scripted) -> None:
    master.session.edit(fill_setup, example().setup)
    master.screen.refill()
    await master.pilot.pause()


async def asked(master: Master, model: Scripted) -> None:
    await draft(master, model)
    await master.press("f9")


async def active(master: Master, model: Scripted) -> None:
    all_actors(model, REPLY)
    for number in (PLAYED + 1, PLAYED + 2):
        await master.give(prompt_at(number))


async def waiting(master: Master, model: Scripted) -> None:
    model.answers["delta"] = CallError(
        "down", "The model's server does not answer. Start it, then try again."
    )
    await active(master, model)


async def locked(master: Master, model: Scripted) -> None:
    await active(master, model)
    await master.press("f9")


async def built(master: Master, model: Scripted) -> None:
    await active(master, model)
    await master.end()
    model.answers["chapter"] = f"The bell spoke eight times.\n\n{REPLY}"
    for n in range(2):
        await master.draft(n + 1)


async def kept(master: Master, model: Scripted) -> None:
    await active(master, model)
    model.gates["actor:3"] = asyncio.Event()
    await master.type("Wenna, what do your keys open?", "enter")
    await until(master.pilot, lambda: bool(master.screen.status.doing), "the call")
    await master.type("Ilse, the rope.")
    page = master.screen.transcript
    await until(master.pilot, lambda: page.scroll_offset.y == page.max_scroll_y, "the end of the page")
    await master.pilot.pause()


async def nothing(master: Master, model: Scripted) -> None:
    pass


def named(part: Step | Size) -> str:
    """What a picture is called after."""
    return f"{part[0]}x{part[1]}" if isinstance(part, tuple) else str(getattr(part, "__name__", ""))


def look(step: Step, begun: Path) -> Before:
    """Open a new chapter, or one that was begun, and take steps."""

    async def before(pilot: Pilot[None]) -> None:
        master, model = Master(pilot), scripted()
        opening = new_chapter(master.app, model) if step in NEW else open_begun(master.app, begun, model)
        await master.open(await opening)
        await step(master, model)
        await pilot.pause()

    return before


NEW = (nothing, draft, asked)
PICTURES = [
    *((step, SMALL) for step in (draft, asked, waiting, locked)),
    *((step, USUAL) for step in (nothing, draft, active, kept, built)),
]


@pytest.mark.parametrize(("step", "size"), PICTURES, ids=named)
def test_direct(picture: Picture, tmp_path: Path, begun: Path, step: Step) -> None:
    picture(look(step, begun), app_for(tmp_path))


@sizes(SMALL)
@pytest.mark.parametrize("step", (active, built), ids=named)
def test_direct_in_the_terminal_s_colours(picture: Picture, tmp_path: Path, begun: Path, step: Step) -> None:
    picture(look(step, begun), app_for(tmp_path, "terminal"))
