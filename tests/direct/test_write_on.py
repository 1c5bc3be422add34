"""A reply is cut where it went wrong and gone on from, as a take; a draft, as another draft."""

import asyncio
from pathlib import Path

import pytest

from tests.direct.conftest import PATIENCE, Table
from tests.support.cli import Run
from tests.support.fake_server import Request, ScriptedServer, chunk, say, status, stream
from tests.support.waiting import until
from theact_tui.engine.events import ActorToken, ChapterToken
from theact_tui.errors import TurnError, UsageError

KEPT = "I lean on the rope"


@pytest.fixture
def goes_on(server: ScriptedServer) -> ScriptedServer:
    """A server that goes on from the assistant's text, and whose actors say what must not be sent again."""
    server.script("actor", say("I pull the XYLOPHONE down."))
    server.script("probe", say("17."))
    return server


def last(request: Request) -> tuple[str, str]:
    message = request.body["messages"][-1]
    return message["role"], message["content"]


async def test_a_reply_that_grew_is_a_take(table: Table, goes_on: ScriptedServer) -> None:
    session = await table.played(2)
    goes_on.script("actor", say(" and it holds."))
    reply = await session.write_on_reply(f"{KEPT} ")
    assert reply.text == f"{KEPT} and it holds." and (reply.agent_slot, reply.prompt_index) == (2, 2)
    assert last(table.calls("actor")[-1]) == ("assistant", KEPT)
    assert "XYLOPHONE" not in table.calls("actor")[-1].prompt.partition("Scene 2")[2]
    assert session.takes == (2, 2)
    shown = "".join(event.text for event in table.heard if isinstance(event, ActorToken))
    assert shown.endswith(f"{KEPT} and it holds.")
    await session.select_take(1)
    assert session.game.events[-1].text == "I pull the XYLOPHONE down."


async def test_a_stop_keeps_what_came_and_a_failure_the_earlier_reply(
    table: Table, goes_on: ScriptedServer
) -> None:
    session = await table.played(1)
    goes_on.script("actor", stream(chunk(" and wait. Then it "), then="hang"))
    written = asyncio.create_task(session.write_on_reply(KEPT))
    await asyncio.to_thread(goes_on.wait_for_calls, len(goes_on.calls) + 2)
    await until(
        lambda: any(isinstance(event, ActorToken) and "wait." in event.text for event in table.heard), 0.01
    )
    await session.stop()
    reply = await asyncio.wait_for(written, PATIENCE)
    assert reply.text == f"{KEPT} and wait." and session.takes == (2, 2)
    before = session.game
    goes_on.script("actor", status(401, {"error": {"message": "bad key"}}))
    with pytest.raises(TurnError):
        await session.write_on_reply(KEPT)
    assert session.game == before and session.takes == (2, 2)


async def test_a_draft_that_grew_is_another_draft(table: Table, goes_on: ScriptedServer) -> None:
    session = await table.ended(2)
    goes_on.script("chapter", say("The bell came down. It rained on the ZITHER."))
    await session.build()
    goes_on.script("chapter", say(" and nobody saw it."))
    draft = await session.write_on_draft("The bell came down")
    assert draft.chapter_text == "The bell came down and nobody saw it."
    assert len(session.game.drafts) == 2 and "ZITHER" in session.game.drafts[0].chapter_text
    sent = table.calls("chapter")[-1]
    assert last(sent) == ("assistant", "The bell came down") and "ZITHER" not in sent.prompt
    shown = [event.text for event in table.heard if isinstance(event, ChapterToken)]
    assert "".join(shown).endswith(draft.chapter_text)


async def test_a_long_draft_goes_on_in_its_part_and_a_full_one_says_so(
    table: Table, goes_on: ScriptedServer
) -> None:
    session = await table.locked()
    told = [
        f"The {n}th bell rings over the {n}th roof of the drowned city, and it rains." for n in range(120)
    ]
    for at in range(0, 120, 20):
        goes_on.script("actor", say(" ".join(told[at : at + 20]) * 2))
        await session.prompt(session.game.focus, f"Scene {at}.")
    await session.end()
    await session.build()
    parts = len(table.calls("chapter"))
    assert parts > 2
    goes_on.script("chapter", say(" and the rest is silence."))
    half = " ".join(told)[: len(" ".join(told)) // 2]
    draft = await session.write_on_draft(half)
    asked = table.calls("chapter")[parts:]
    assert 0 < len(asked) < parts and draft.chapter_text.startswith(half)
    assert half.rstrip().endswith(last(asked[0])[1]) and len(last(asked[0])[1]) < len(half)
    assert draft.chapter_text.count("silence") == len(asked)
    with pytest.raises(UsageError, match="Cut more"):
        await session.write_on_draft(" ".join(told) * 8)
    assert session.session.state == "ENDED" and len(session.game.drafts) == 2


async def test_what_cannot_be_gone_on_from_is_refused(table: Table, goes_on: ScriptedServer) -> None:
    session = await table.locked()
    with pytest.raises(UsageError, match="no reply"):
        await session.write_on_reply("A rope")
    await table.play(session, 1)
    with pytest.raises(UsageError, match="Nothing is left"):
        await session.write_on_reply(" ")
    with pytest.raises(UsageError, match="no draft"):
        await session.write_on_draft()
    await session.end()
    with pytest.raises(UsageError, match="ended"):
        await session.write_on_reply("A rope")


def test_the_command_goes_on_from_the_reply_and_once_it_ended_from_the_draft(
    run: Run, goes_on: ScriptedServer, tmp_path: Path
) -> None:
    run("new", "Tower", "--example")
    run("lock", "Tower")
    run("prompt", "Tower", "1", "It begins.")
    file = tmp_path / "kept.txt"
    file.write_text(f"{KEPT}\n")
    goes_on.script("actor", say(" and it holds."))
    written = run("write-on", "Tower", "--text", str(file), "--json")
    assert written.json["reply"]["text"] == f"{KEPT} and it holds." and written.json["takes"] == 2
    run("end", "Tower")
    run("build", "Tower")
    goes_on.script("chapter", say(" and so on."))
    assert run("write-on", "Tower", "--text", str(file)).out == f"{KEPT} and so on.\n"
    refused = run("write-on", "Tower", offline=True)
    assert refused.code == 2 and "offline storyteller" in refused.err
