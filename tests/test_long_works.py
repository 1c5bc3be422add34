"""Whoever leaves, or is told to end, waits for no long work: each is stopped and leaves nothing half done."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from tests.support.fake_model import Scripted, stage
from tests.support.waiting import PATIENCE_SECONDS, until
from theact_tui import long_works
from theact_tui.engine.session import StorySession
from theact_tui.exports.write_file import export_save
from theact_tui.importing.proposal import propose
from theact_tui.lab.replay import recorded_call
from theact_tui.lab.retell import retell_turns, what_if
from theact_tui.lab.why import ask_until_stopped
from theact_tui.long_works import LongWorkStopped, run_long, stop_long_works
from theact_tui.saves.library import Library

Work = Callable[[StorySession, Scripted], Coroutine[Any, Any, object]]
MODEL_WORKS: dict[str, Work] = {
    "retell": lambda session, model: retell_turns(
        session.save, lambda pack, seed: model, {"again": None}, 1, 1, str, session.run
    ),
    "what-if": lambda session, model: what_if(
        session.save, lambda pack, seed: model, 1, 1, "A bell.", "ann", give=True, say=str, run=session.run
    ),
    "why": lambda session, model: ask_until_stopped(
        recorded_call(session.save, 1, "narrator"), "", model, str, "leaving"
    ),
}


@pytest.mark.parametrize("work", MODEL_WORKS.values(), ids=MODEL_WORKS)
async def test_a_work_that_waits_for_a_silent_server_is_stopped(
    work: Work, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(long_works, "STOPPING_SECONDS", 2 * PATIENCE_SECONDS)
    play = await stage(tmp_path, Scripted())
    await play.turn("I go down.")
    await play.turn("I wait.")
    head, branches = play.session.save.head, await play.session.branches()
    silent = Scripted(gates={"narrator": asyncio.Event()})
    task = asyncio.create_task(run_long(work(play.session, silent)))
    await until(lambda: bool(silent.asked))
    async with asyncio.timeout(PATIENCE_SECONDS):
        await stop_long_works()
        await play.session.close()
    assert task.done()
    assert play.session.save.head == head and len(branches) == 1


@pytest.mark.parametrize("what", ["export", "import"])
async def test_a_work_in_a_thread_ends_at_its_next_step_and_writes_nothing(what: str, tmp_path: Path) -> None:
    play = await stage(tmp_path, Scripted())
    await play.turn("I go down.")
    begun, go_on, ended = threading.Event(), threading.Event(), threading.Event()
    file, card = tmp_path / "book.md", tmp_path / "ida.json"
    card.write_text('{"name": "Ida", "description": "A diver."}')
    library = Library(tmp_path)

    def work() -> None:
        begun.set()
        go_on.wait(30)
        try:
            if what == "export":
                export_save(play.session.save, "md", file)
            else:
                propose([card], library, tmp_path / "packs")
        except LongWorkStopped:
            ended.set()

    run = play.session.run(work) if what == "export" else asyncio.to_thread(work)
    task = asyncio.create_task(run_long(run))
    await asyncio.to_thread(begun.wait, 30)
    await stop_long_works()
    go_on.set()
    await play.session.close()
    await asyncio.wait([task])
    assert await asyncio.to_thread(ended.wait, 30) and not file.exists()
