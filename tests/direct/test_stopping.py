"""Stopping calls, a disk that refuses, and what a screen sees meanwhile (D3, D5, D9)."""

import asyncio
import json
from typing import Any

import pytest

from tests.direct.conftest import LOCK, Table, delta, refused
from tests.support.fake_server import Exchange, ScriptedServer, chunk, say, silence
from tests.support.waiting import until
from theact_tui.engine.events import ActorToken, Event, Notice, StateChanged
from theact_tui.errors import SaveError, TurnError, UsageError
from theact_tui.story.direct.state import set_voice, set_world


async def running(table: Table, work: Any, calls: int = 1) -> asyncio.Task[Any]:
    """`work` as a task whose last call has reached the server."""
    expected = len(table.server.calls) + calls
    task = asyncio.create_task(work)
    await asyncio.to_thread(table.server.wait_for_calls, expected)
    return task


async def test_d5_a_lock_a_summary_and_a_build_that_are_stopped_can_be_made_later(
    table: Table, server: ScriptedServer
) -> None:
    server.script("lock", silence(), say(json.dumps(LOCK)))
    session = await table.create()
    task = await running(table, session.lock())
    assert session.session.state == "LOCKING" and session.busy
    with pytest.raises(UsageError, match="locked"):
        session.edit(set_world, "Too late.")
    await session.stop()
    with pytest.raises(TurnError, match="Stopped"):
        await task
    assert str(session.session.state) == "DRAFT"
    session.edit(set_world, "In time.")
    await session.lock()
    await table.play(session, 6)
    server.script("delta", silence())
    task = await running(table, session.prompt(1, "Scene 7."), calls=2)
    assert str(session.session.state) == "SUMMARIZING" and session.session.prompt_index == 7
    await refused(session.prompt(2, "Too early."), "call is running")
    await session.stop()
    assert (await task) is not None and session.banner
    server.script("delta", say(delta()))
    await table.play(session, 1)
    assert session.session.last_summarized_prompt_index == 7
    await session.end()
    server.script("chapter", silence())
    task = await running(table, session.build())
    assert str(session.session.state) == "NARRATING"
    with pytest.raises(UsageError):
        session.edit(set_voice, "Too late.")
    await session.stop()
    with pytest.raises(TurnError):
        await task
    assert str(session.session.state) == "ENDED" and session.game.drafts == ()


async def test_d2_a_reset_while_a_call_runs_gives_the_call_up(table: Table, server: ScriptedServer) -> None:
    session = await table.locked()
    server.script("actor", silence())
    task = await running(table, session.prompt(1, "Go."))
    await session.reset()
    with pytest.raises(TurnError):
        await task
    assert session.session.state == "DRAFT" and session.game.events == ()


async def test_d3_a_reply_is_seen_while_it_is_streamed_and_only_stored_when_it_is_whole(
    table: Table, server: ScriptedServer
) -> None:
    session = await table.locked()
    go_on = asyncio.Event()
    loop = asyncio.get_running_loop()

    async def slowly(exchange: Exchange) -> None:
        await exchange.head(200, "text/event-stream")
        await exchange.send(chunk("I look down. Then "))
        await until(go_on.is_set, 0.01)
        await exchange.send(chunk("I breathe.") + chunk(None, "stop") + b"data: [DONE]\n\n")

    server.script("actor", slowly)
    seen = asyncio.Event()
    heard: list[ActorToken] = []

    def hear(event: Event) -> None:
        if isinstance(event, ActorToken):
            heard.append(event)
            seen.set()

    session.bus.listen(hear)
    task = asyncio.create_task(session.prompt(2, "The bell rings."))
    await asyncio.wait_for(seen.wait(), 30)
    assert session.answering == heard[0].slot == 2 and heard[0].text.startswith("I look down.")
    assert session.transcript.text == "" and session.session.prompt_index == 0
    loop.call_soon_threadsafe(go_on.set)
    await task
    assert session.answering == 0 and session.transcript.text.endswith("Bo: I look down. Then I breathe.")


async def test_s9_a_disk_that_refuses_costs_nothing_but_the_step(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = await table.played(1)
    before = session.game

    def refuse(*arguments: object, **named: object) -> str:
        raise SaveError("The disk is full.")

    with monkeypatch.context() as patched:
        patched.setattr(session.save, "commit", refuse)
        with pytest.raises(SaveError):
            await session.prompt(2, "The bell rings.")
    assert session.game == before and session.answering == 0
    assert any(event.type == "prompt_failed" for event in table.heard)
    await session.prompt(2, "The bell rings.")
    assert session.session.prompt_index == 2


async def test_s9_words_that_cannot_be_kept_are_told_once_and_the_chapter_closes(table: Table) -> None:
    session = await table.locked()
    in_the_way = session.folder / ".git/theact/typed.json"
    in_the_way.mkdir()
    for text in ("Wait", "Wait."):
        session.keep_typed(text, 1)
        await session._typed.written()
    await session.close()
    assert (
        len([each for each in table.heard if isinstance(each, Notice) and "draft cannot" in each.text]) == 1
    )
    in_the_way.rmdir()
    await table.reopen()


async def test_s7_the_states_are_told_in_order(table: Table) -> None:
    session = await table.ended(7)
    await session.build()
    told = [(event.before, event.after) for event in table.heard if isinstance(event, StateChanged)]
    assert told == [
        ("DRAFT", "LOCKING"),
        ("LOCKING", "ACTIVE"),
        ("ACTIVE", "SUMMARIZING"),
        ("SUMMARIZING", "ACTIVE"),
        ("ACTIVE", "ENDED"),
        ("ENDED", "NARRATING"),
        ("NARRATING", "ENDED"),
    ]
    numbers = [event.seq for event in table.heard]
    assert numbers == sorted(numbers) and all(json.loads(event.to_json()) for event in table.heard)


async def test_s7_every_event_of_a_prompt_carries_its_number(table: Table) -> None:
    await table.played(3)
    of_third = [event.type for event in table.heard if event.turn == 3]
    assert of_third[:2] == ["prompt_started", "call_started"] and of_third[-1] == "prompt_saved"
