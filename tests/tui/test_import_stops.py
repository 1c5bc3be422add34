"""An import that takes long says how far it is, and esc stops it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from tests.support.pilot import make_app, problem, running, until
from tests.tui.test_home import footer
from theact_tui.importing.proposal import Proposal
from theact_tui.importing.report import ImportReport, OnStep
from theact_tui.tui.app import TheActApp
from theact_tui.tui.home.import_dialog import ImportDialog
from theact_tui.tui.services import AppServices


@pytest.fixture
async def pilot(tmp_path: Path) -> AsyncIterator[Pilot[None]]:
    async with running(make_app(tmp_path), (80, 24)) as pilot:
        yield pilot


def _services(propose: object) -> AppServices:
    return cast(AppServices, SimpleNamespace(propose=propose))


async def test_esc_stops_an_import_at_its_next_step(pilot: Pilot[None], tmp_path: Path) -> None:
    go_on = threading.Event()

    def make(on_step: OnStep) -> ImportReport:
        on_step("100 of 50,000 turns")
        go_on.wait(30)
        on_step("200 of 50,000 turns")
        return ImportReport("chat", save="maya")

    async def propose(paths: list[Path], **_: str) -> Proposal:
        return Proposal(ImportReport("chat", taken=("Much",)), make)

    app = cast(TheActApp, pilot.app)
    app.push_screen(ImportDialog(_services(propose), tmp_path, given=[tmp_path]))
    await until(pilot, lambda: isinstance(app.screen, ImportDialog))
    await until(pilot, lambda: "enter import" in footer(pilot))
    await pilot.press("enter")
    await until(pilot, lambda: footer(pilot) == "100 of 50,000 turns   esc stop")
    await pilot.press("escape")
    go_on.set()
    await until(pilot, lambda: "Nothing was imported" in problem(pilot))


async def test_esc_stops_the_look_into_a_file(pilot: Pilot[None], tmp_path: Path) -> None:
    async def propose(paths: list[Path], **_: str) -> Proposal:
        await asyncio.Event().wait()
        raise AssertionError

    app = cast(TheActApp, pilot.app)
    app.push_screen(ImportDialog(_services(propose), tmp_path))
    await until(pilot, lambda: isinstance(app.screen, ImportDialog))
    app.screen.query_one(Input).value = str(tmp_path)
    await pilot.press("enter")
    await until(pilot, lambda: footer(pilot) == "one moment …   esc stop")
    await pilot.press("escape")
    await until(pilot, lambda: "enter preview" in footer(pilot))
