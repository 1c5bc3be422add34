"""Approved pictures of the inspector, in `snapshots/`: sizes, an ansi theme, each view, and the empty state."""

from pathlib import Path

import pytest
from textual.pilot import Pilot

from tests.support.fake_model import Scripted
from tests.support.inspector_pilot import SAID, begin, open_told, pin_prompts, scripted
from tests.support.pictures import SMALL, USUAL, Before, Picture, sizes
from tests.support.pilot import make_app, until
from theact_tui.models.model import Request
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


@sizes(USUAL)
def test_why(picture: Picture, told: Path) -> None:
    async def asked(pilot: Pilot[None]) -> None:
        app = pilot.app
        assert isinstance(app, TheActApp)
        session = await open_told(app, told, scripted())
        reader = await begin(pilot, session)
        await reader.into()
        model = Scripted(answers={"character": swayed})
        await session.use_models(lambda pack, seed: model)
        await pilot.press("y")
        await until(pilot, lambda: bool(app.screen.query(".answers")), "the answer")

    picture(asked)


def swayed(ask: Request) -> str:
    """Maya speaks of the night as long as she reads of the bare stone."""
    prompt = "\n".join(message["content"] for message in ask.prompt.messages())
    return SAID[6, "maya"] if "scraped bare" in prompt else '"I count nine lines, not eight."'


@pytest.mark.parametrize("view", ["knows"])
def test_one_thing_at_a_time(picture: Picture, told: Path, view: str) -> None:
    picture(looked(told, view[0]), at=SMALL)
