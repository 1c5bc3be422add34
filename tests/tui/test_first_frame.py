"""A screen is painted when it has something to show."""

import asyncio
from pathlib import Path

import pytest
from textual.drivers.headless_driver import HeadlessDriver

from tests.support.pilot import Player, at_home, make_app, new_session, until
from theact_tui.tui.branches.screen import BranchesScreen
from theact_tui.tui.widgets import base_screen


class Recorder(HeadlessDriver):
    """A terminal that notes with every frame whether the tree was there when it was painted."""

    frames: list[bool] = []

    @property
    def is_headless(self) -> bool:
        return False

    def write(self, data: str) -> None:
        screen = self._app.screen
        if isinstance(screen, BranchesScreen):
            self.frames.append(screen.settled)


async def test_the_first_frame_of_a_screen_shows_what_it_is_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = make_app(tmp_path)
    app.driver_class = Recorder
    session = await new_session(app)
    look = BranchesScreen._read

    async def slowly(self: BranchesScreen) -> object:
        await asyncio.sleep(0.1)  # in which a screen that did not wait for it would be painted
        return await look(self)

    monkeypatch.setattr(Recorder, "frames", [])
    monkeypatch.setattr(BranchesScreen, "_read", slowly)
    monkeypatch.setattr(base_screen, "FIRST_FRAME_SECONDS", 10)
    async with app.run_test(headless=False, size=(120, 40)) as pilot:
        await at_home(pilot)
        player = Player(pilot)
        await player.open(session)
        await player.press("f3")
        await until(pilot, lambda: bool(Recorder.frames), "the tree")
        assert Recorder.frames[0]
        await session.close()
