"""Approved pictures of the inspector, in `snapshots/`: sizes, an ansi theme, each view, and the empty state."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.pilot import Pilot

from tests.support.inspector_pilot import begin, island, open_told, pin_prompts, scripted
from tests.support.pictures import SMALL, USUAL, Before, Picture, sizes
from tests.support.pilot import make_app, new_session
from theact_tui.errors import CallError
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


async def not_begun(pilot: Pilot[None]) -> None:
    """A story whose model does not answer, in the inspector on one of its people."""
    model = scripted()
    model.answers["narrator"] = CallError(
        "refused", "Nobody listens at 127.0.0.1:8080. Start the server first."
    )
    app = pilot.app
    assert isinstance(app, TheActApp)
    reader = await begin(pilot, await new_session(app, model, island()))
    await reader.into()
    await reader.look("tab")


@sizes(SMALL, USUAL)
def test_memory(picture: Picture, told: Path) -> None:
    picture(looked(told))


@pytest.mark.parametrize("theme", ["terminal"])
def test_themes(picture: Picture, tmp_path: Path, told: Path, theme: str) -> None:
    app = make_app(tmp_path, theme=theme)
    picture(looked(told), app)


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


@sizes(SMALL, USUAL)
def test_since(picture: Picture, told: Path) -> None:
    picture(looked(told, "s"))


@pytest.mark.parametrize("view", ["knows", "direction"])
def test_one_thing_at_a_time(picture: Picture, told: Path, view: str) -> None:
    before = looked(told, *{"knows": "k", "direction": ("d", "down")}[view])
    picture(before, at=SMALL)


@sizes(SMALL)
def test_before_the_first_turn(picture: Picture) -> None:
    picture(not_begun)
