"""The style sheets of all screens are known before one is opened, and a page is painted when it has something to show."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from rich.console import RenderableType
from textual.app import App
from textual.css.stylesheet import Stylesheet
from textual.screen import Screen

from tests.tui.driving import Player, at_home, make_app, new_session, until
from tests.tui.painting import in_steps
from theact_tui.tui.app import TheActApp
from theact_tui.tui.screens.branches import BranchesScreen
from theact_tui.tui.screens.inspector import InspectorScreen
from theact_tui.tui.stepwise import Stepwise
from theact_tui.tui.styling import SCREENS, read_styles
from theact_tui.tui.widgets import page


def knows_all(app: TheActApp) -> bool:
    return all(app.stylesheet.has_source(str(path)) for path in SCREENS.glob("*.tcss"))


async def test_screens_are_opened_without_parsing_all_styles_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = make_app(tmp_path)
    session = await new_session(app)
    async with app.run_test(size=(120, 40)) as pilot:
        await at_home(pilot)
        await until(pilot, lambda: knows_all(app), "the styles")
        monkeypatch.setattr(Stylesheet, "reparse", lambda self: pytest.fail("parsed again"))
        player = Player(pilot)
        await player.open(session)
        await player.press("f2")
        await until(pilot, lambda: isinstance(app.screen, InspectorScreen), "the inspector")
        assert app.screen.query_one("#desk").styles.border_left[0] == "solid"
        await session.close()


async def test_a_theme_chosen_meanwhile_stays(tmp_path: Path) -> None:
    app = make_app(tmp_path)
    async with app.run_test() as pilot:
        await at_home(pilot)
        reading = asyncio.ensure_future(read_styles(app))
        await asyncio.sleep(0)
        app.theme = "paper"
        await reading
        quiet = app.stylesheet.parse_style("$quiet").foreground
        assert quiet and quiet.hex.casefold() == app.theme_variables["quiet"].casefold()
        assert knows_all(app)


async def test_the_first_frame_of_a_page_shows_what_it_is_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = make_app(tmp_path)
    session = await new_session(app)
    frames: list[bool] = []
    display = App._display

    def shown(self: TheActApp, screen: Screen[object], renderable: RenderableType | None) -> None:
        if renderable is not None and isinstance(screen, BranchesScreen):
            frames.append(screen.settled)
        display(self, screen, renderable)

    look = BranchesScreen._look

    async def slowly(self: BranchesScreen) -> object:
        await asyncio.sleep(0.1)  # in which a page that did not wait for it would be painted
        return await look(self)

    monkeypatch.setattr(Stepwise, "_compositor_refresh", in_steps)
    monkeypatch.setattr(App, "_display", shown)
    monkeypatch.setattr(BranchesScreen, "_look", slowly)
    monkeypatch.setattr(page, "SOON", 10)
    async with app.run_test(size=(120, 40)) as pilot:
        await at_home(pilot)
        player = Player(pilot)
        await player.open(session)
        await player.press("f3")
        await until(pilot, lambda: bool(frames), "the tree")
        assert frames[0]
        await session.close()
