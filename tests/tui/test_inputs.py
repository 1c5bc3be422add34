"""Letters typed before a question is there are for its box."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from textual.widgets import Input

from tests.support.pilot import at_once, make_app, running, until
from theact_tui.tui.home.import_dialog import ImportDialog
from theact_tui.tui.home.screen import HomeScreen


async def test_letters_typed_while_a_question_is_opening_go_into_its_box(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_last = HomeScreen.import_files

    async def slowly(screen: HomeScreen) -> str:
        for _ in range(50):
            await asyncio.sleep(0)
        return await at_last(screen)

    monkeypatch.setattr(HomeScreen, "import_files", slowly)
    async with running(make_app(tmp_path), (80, 24)) as pilot:
        await at_once(pilot, "i", *"~/x")
        await until(pilot, lambda: isinstance(pilot.app.screen, ImportDialog), "the question")
        await until(pilot, lambda: pilot.app.screen.query_one(Input).value == "~/x", "the letters")
