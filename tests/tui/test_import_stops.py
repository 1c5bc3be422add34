"""An import that takes long says how far it is, and esc stops it."""

import asyncio
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from textual.content import Content
from textual.pilot import Pilot
from textual.widgets import Input, Static

from tests.support.pilot import footer, make_app, problem, running, until
from tests.support.said import plain
from theact_tui.importing.proposal import Proposal
from theact_tui.importing.report import ImportReport, OnStep
from theact_tui.tui.home.import_dialog import ImportDialog
from theact_tui.tui.home.import_pages import part_rows
from theact_tui.tui.open_stories import AppServices
from theact_tui.tui.widgets.lists import CursorList


@pytest.fixture
async def pilot(tmp_path: Path) -> AsyncIterator[Pilot[None]]:
    async with running(make_app(tmp_path), (80, 24)) as pilot:
        yield pilot


async def importing(pilot: Pilot[None], root: Path, propose: object, *files: Path) -> ImportDialog:
    """The question for files, with another way to look into them."""
    services = cast(AppServices, SimpleNamespace(propose=propose))
    dialog = ImportDialog(services, root, files=[*files])
    await pilot.app.push_screen(dialog)
    return dialog


async def test_esc_stops_an_import_at_its_next_step(pilot: Pilot[None], tmp_path: Path) -> None:
    go_on = threading.Event()

    def make(on_step: OnStep) -> ImportReport:
        on_step("100 of 50,000 turns")
        go_on.wait(30)
        on_step("200 of 50,000 turns")
        return ImportReport("chat", save="maya")

    async def propose(paths: list[Path], **_: str) -> Proposal:
        return Proposal(ImportReport("chat", taken=("Much",)), make)

    await importing(pilot, tmp_path, propose, tmp_path)
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

    dialog = await importing(pilot, tmp_path, propose)
    dialog.query_one(Input).value = str(tmp_path)
    await pilot.press("enter")
    await until(pilot, lambda: footer(pilot) == "one moment …   esc stop")
    await pilot.press("escape")
    await until(pilot, lambda: "enter preview" in footer(pilot))


async def test_a_folder_is_counts_a_row_for_each_part_and_details_under_the_cursor(
    pilot: Pilot[None], tmp_path: Path
) -> None:
    ida = ImportReport("card", pack="ida", title="Ida", taken=("Ida, a card",), left_out=("a script",))
    odo = ImportReport("chat", save="odo", here=("save",), title="Odo", left_out=("here already",))
    said = {"taken": ["1 persona", "Ida: Ida, a card"], "left_out": ["Ida: a script", "Odo: here already"]}
    files = (("card", 1), ("chat", 2), ("lorebook", 0))
    new, old = (ImportReport("folder", parts=parts, files=files) for parts in ((ida, odo), (odo,)))
    reports = [new.adding(**said), old.adding(left_out=["Odo: here already"])]

    async def propose(paths: list[Path], **_: str) -> Proposal:
        report = reports.pop(0)
        return Proposal(report, lambda _: report)

    def shown() -> str:
        return plain(dialog.query_one("#found Static", Static).visual)

    dialog = await importing(pilot, tmp_path, propose, tmp_path)
    await until(pilot, lambda: "enter import" in footer(pilot))
    rows = dialog.query_one("#parts", CursorList)
    assert rows.option_count == 3 and rows.highlighted == 0
    await until(pilot, lambda: "1 persona" in shown())
    assert "a script" not in shown()
    await pilot.press("down")
    await until(pilot, lambda: "a script" in shown() and "1 persona" not in shown())
    assert part_rows(new, done=False)[0] == Content.styled("1 card, 2 chats, 1 here already", ".strong")
    await pilot.press("escape")
    await importing(pilot, tmp_path, propose, tmp_path)
    await until(pilot, lambda: "move" in footer(pilot))
    assert "enter" not in footer(pilot), "there is nothing new"
