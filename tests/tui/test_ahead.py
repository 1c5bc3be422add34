"""Letters typed before a question is there are for its box."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from textual.widgets import Input

from tests.tui.driving import at_home, at_once, make_app, until
from theact_tui.tui.screens.home_deeds import Deeds
from theact_tui.tui.screens.sheets import Ask


async def test_letters_typed_while_a_question_is_opening_go_into_its_box(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_last = Deeds.bring_in

    async def slowly(deeds: Deeds) -> str:
        for _ in range(50):
            await asyncio.sleep(0)
        return await at_last(deeds)

    monkeypatch.setattr(Deeds, "bring_in", slowly)
    async with make_app(tmp_path).run_test(size=(80, 24)) as pilot:
        await at_home(pilot)
        await at_once(pilot, "i", *"~/x")
        await until(pilot, lambda: isinstance(pilot.app.screen, Ask), "the question")
        await until(pilot, lambda: pilot.app.screen.query_one(Input).value == "~/x", "the letters")
