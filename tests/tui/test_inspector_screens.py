"""Approved pictures of the inspector, in `snapshots/`: sizes, an ansi theme, each view, and the empty state."""

from pathlib import Path

import pytest
from textual.pilot import Pilot

from tests.support.fake_model import Scripted, sent
from tests.support.inspector_pilot import SAID, TOLD, begin, open_told, pin_prompts, play, scripted
from tests.support.pictures import SMALL, USUAL, Before, Picture, sizes
from tests.support.pilot import make_app, until
from theact_tui.models.model import Request
from theact_tui.story.edits import pin_line
from theact_tui.tui.app import TheActApp


def looked(told: Path, *keys: str) -> Before:
    """Open the told story and the inspector, and press keys."""

    async def before(pilot: Pilot[None]) -> None:
        app = pilot.app
        assert isinstance(app, TheActApp)
        session = await open_told(app, told, scripted())
        pin_prompts(session)
        reader = await begin(pilot, session)
        await reader.into()
        await reader.look(*keys)

    return before


@sizes(USUAL)
def test_memory(picture: Picture, told: Path) -> None:
    picture(looked(told))


@pytest.mark.parametrize("theme", ["terminal"])
def test_themes(picture: Picture, tmp_path: Path, told: Path, theme: str) -> None:
    picture(looked(told), make_app(tmp_path, theme=theme))


VIEWS = {
    "prompt": ("x",),
    "calls": ("c", "down", "down"),
    "direction": ("d", "down"),
    "source": ("up", "enter"),
    "narrator": ("tab", "tab", "left", "left", "left"),
}


@pytest.mark.parametrize("view", list(VIEWS))
def test_views(picture: Picture, told: Path, view: str) -> None:
    picture(looked(told, *VIEWS[view]))


@sizes(SMALL)
def test_since(picture: Picture, told: Path) -> None:
    picture(looked(told, "s"))


def swayed(ask: Request) -> str:
    """Maya speaks of the night as long as she remembers that Joaquin may know the island, or reads of the bare stone."""
    prompt = sent(ask)
    knows = "may know" in prompt or "scraped bare" in prompt
    return SAID[6, "maya"] if knows else '"I count nine lines, not eight."'


def asked(told: Path, *keys: str) -> Before:
    """A question to the story answered by a model that tells each page otherwise, and the last key pressed."""

    async def before(pilot: Pilot[None]) -> None:
        app = pilot.app
        assert isinstance(app, TheActApp)
        session = await open_told(app, told, scripted())
        if "i" in keys:  # a line of a turn in view is in a prompt only if it is pinned
            lines = [turn.player_text for turn in await session.turns(5, 6)]
            await session.undo(2)
            await session.edit(pin_line, "maya", 1, pinned=True)
            await session.commit_waiting_changes()
            await play(session, tuple(lines))
        reader = await begin(pilot, session)
        await reader.into()
        learned = '{"summary": "", "new": [], "changed": {}}'
        model = Scripted(answers={"narrator": TOLD[4], "character": swayed, "memory": learned})
        await session.use_models(lambda pack, seed: model)
        for key in keys:
            await pilot.press(key)
            await pilot.pause()
            await until(pilot, lambda: not app.screen.query("#progress"), "the answer")
            await reader.settle()
        await until(pilot, lambda: getattr(app.screen, "settled", True), "the comparison")

    return before


@sizes(SMALL)
def test_what_if(picture: Picture, told: Path) -> None:
    picture(asked(told, "left", "left", "up", "i", "y"))


@sizes(USUAL)
def test_what_if_compared(picture: Picture, told: Path) -> None:
    picture(asked(told, "left", "left", "up", "i", "y", "c"))


@sizes(USUAL)
def test_why(picture: Picture, told: Path) -> None:
    picture(asked(told, "y"))


@pytest.mark.parametrize("view", ["knows"])
def test_one_thing_at_a_time(picture: Picture, told: Path, view: str) -> None:
    picture(looked(told, view[0]), at=SMALL)
