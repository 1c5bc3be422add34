"""Playing a chapter through the session (D3, D5, D9)."""

import asyncio

import pytest

from tests.direct.conftest import Table, delta, refused
from tests.support.fake_server import ScriptedServer, say, silence, status
from theact_tui.errors import TurnError, UsageError
from theact_tui.story.direct.state import set_voice, set_world
from theact_tui.story.direct.transcript import DASHES


async def test_d2_the_lock_stores_block_1_and_locks_setup(table: Table) -> None:
    session = await table.create()
    block = await session.lock()
    assert session.session.state == "ACTIVE" and session.session.tab1_locked
    assert (session.session.prompt_index, session.session.last_summarized_prompt_index) == (0, 0)
    assert (block.type, block.from_prompt_index, block.to_prompt_index) == ("world_chapter_lock", 0, 0)
    assert [agent["name"] for agent in block.json_payload["agents"]] == ["Kara", "Bo", "Wenna"]
    with pytest.raises(UsageError, match="locked"):
        session.edit(set_world, "Another world.")


async def test_d3_one_submit_prompts_one_agent_and_the_focus_goes_round_from_any_slot(table: Table) -> None:
    session = await table.locked()
    assert session.game.focus == 1
    reply = await session.prompt(2, "The bell rings.")
    assert reply is not None and reply.text == "I try. (actor:2)"
    assert [r.agent for r in table.calls("actor")] == ["actor:2"]
    assert [(e.role, e.agent_slot, e.prompt_index, e.sequence) for e in session.game.events] == [
        ("user", None, 1, 1),
        ("agent", 2, 1, 2),
    ]
    assert session.transcript.text == "1) The bell rings.\n\nBo: I try. (actor:2)"
    assert "actor_token" in table.types()
    assert session.game.focus == 3
    await session.prompt(3, "You instead.")
    assert session.game.focus == 1


async def test_d3_every_seventh_prompt_triggers_the_delta_after_its_reply(table: Table) -> None:
    session = await table.played(6)
    assert table.calls("delta") == []
    await table.play(session, 1)
    assert len(table.calls("delta")) == 1
    types = table.types()
    assert types.index("block_stored", types.index("prompt_saved")) > len(types) - 1 - types[::-1].index(
        "prompt_saved"
    )
    assert session.session.last_summarized_prompt_index == 7
    block = session.game.blocks[-1]
    assert (block.from_prompt_index, block.to_prompt_index) == (1, 7)
    assert block.json_payload["range"] == {"from_marker": 1, "to_marker": 7, "prompt_count_in_chunk": 7}
    assert session.transcript.text.endswith(f"Wenna: I try. (actor:1)\n\n{DASHES}".replace("Wenna", "Kara"))


async def test_d6_nothing_that_a_reply_says_is_taken_for_a_prompt_or_a_boundary(
    table: Table, server: ScriptedServer
) -> None:
    server.script("actor", say(f"I read it aloud.\n\n{DASHES}\n\n9) Nine.\n\nBo: I run."))
    session = await table.played(2)
    assert (session.session.prompt_index, session.session.last_summarized_prompt_index) == (2, 0)
    assert [(event.prompt_index, event.role, event.agent_slot) for event in session.game.events] == [
        (1, "user", None),
        (1, "agent", 1),
        (2, "user", None),
        (2, "agent", 2),
    ]
    assert session.transcript.text.count(DASHES) == 2, "those that were read aloud, and no boundary"


async def test_d3_ending_sums_up_what_follows_the_last_boundary(table: Table) -> None:
    session = await table.ended(9)
    assert session.session.state == "ENDED"
    assert [(b.from_prompt_index, b.to_prompt_index) for b in session.game.blocks[1:]] == [(1, 7), (8, 9)]


async def test_d3_ending_with_nothing_left_makes_no_call(table: Table) -> None:
    session = await table.played(7)
    made = len(table.server.calls)
    await session.end()
    assert session.session.state == "ENDED" and len(table.server.calls) == made


async def test_d3_ending_behind_whispers_alone_makes_no_call(table: Table, server: ScriptedServer) -> None:
    session = await table.played(7)
    server.script("actor", say("“I will not tell.”"))
    await session.prompt(1, f"→ {session.session.agent_names[1]}: the key is yours.")
    made = len(table.server.calls)
    await session.end()
    assert session.session.state == "ENDED" and len(table.server.calls) == made


async def test_d9_a_failed_actor_call_leaves_no_trace_and_can_be_retried(
    table: Table, server: ScriptedServer
) -> None:
    session = await table.played(1)
    server.script("actor", status(401, {"error": {"message": "bad key"}}))
    before = session.game
    with pytest.raises(TurnError):
        await session.prompt(2, "The bell rings.")
    assert session.game == before and session.game.focus == 2 and session.answering == 0
    failed = next(event for event in table.heard if event.type == "prompt_failed")
    assert failed.to_json().count("The bell rings.") == 1
    server.script("actor", say("I am here."))
    assert (await session.prompt(2, "The bell rings.")) is not None
    assert session.session.prompt_index == 2


async def test_d9_a_failed_delta_keeps_the_reply_and_is_tried_again_with_the_next_prompt(
    table: Table, server: ScriptedServer
) -> None:
    session = await table.played(6)
    banners: list[tuple[str, str]] = []
    session.bus.listen(lambda event: banners.append((event.type, session.banner)))
    server.script("delta", say("Nothing to say."))
    await table.play(session, 1)
    assert session.session.state == "ACTIVE" and session.session.prompt_index == 7
    assert session.session.last_summarized_prompt_index == 0 and len(session.game.blocks) == 1
    assert DASHES not in session.transcript.text and "7) Scene 7." in session.transcript.text
    (failed,) = [banner for event, banner in banners if event == "delta_failed"]
    assert failed == session.banner and "1 to 7" in failed and len(failed) > len("1 to 7")
    before = session.transcript.text
    server.script("delta", say(delta()))
    await table.play(session, 1)
    noted = "\n\n".join((before, DASHES, "8) Scene 8."))
    assert session.transcript.text.startswith(noted), "a summary changes no word of the transcript"
    assert [banner for event, banner in banners if event == "block_stored"] == [""]
    assert session.banner == "" and session.session.last_summarized_prompt_index == 7
    assert session.game.blocks[-1].to_prompt_index == 7


async def test_d9_a_backlog_is_summarised_in_chunks_of_seven(table: Table, server: ScriptedServer) -> None:
    session = await table.locked()
    server.script("delta", say("Nothing to say."))
    await table.play(session, 16)
    assert session.session.last_summarized_prompt_index == 0
    server.script("delta", say(delta()))
    await table.play(session, 1)
    assert [(b.from_prompt_index, b.to_prompt_index) for b in session.game.blocks[1:]] == [(1, 7), (8, 14)]
    assert session.session.last_summarized_prompt_index == 14


async def test_d9_ending_with_a_failing_delta_does_not_end(table: Table, server: ScriptedServer) -> None:
    session = await table.played(3)
    server.script("delta", say("Nothing to say."))
    with pytest.raises(TurnError, match="The chapter did not end"):
        await session.end()
    assert session.session.state == "ACTIVE" and "1 to 3" in session.banner
    server.script("delta", say(delta()))
    await session.end()
    assert str(session.session.state) == "ENDED" and session.banner == ""


async def test_d4_every_build_is_a_new_draft_and_the_voice_may_change_between(
    table: Table, server: ScriptedServer
) -> None:
    """One that fails keeps the drafts that there are."""
    session = await table.ended(2)
    first = await session.build()
    session.edit(set_voice, "First person, as Bo.")
    second = await session.build()
    assert session.game.drafts == (first, second)
    assert (first.narrative_agent_definition_text, second.narrative_agent_definition_text) == (
        "",
        "First person, as Bo.",
    )
    assert second.source_snapshot.max_prompt_index_used == 2
    assert second.source_snapshot.memory_block_ids_used == tuple(b.block_id for b in session.game.blocks)
    assert "First person, as Bo." in table.calls("chapter")[-1].prompt
    server.script("chapter", status(401, {"error": {"message": "bad key"}}))
    with pytest.raises(TurnError):
        await session.build()
    assert session.session.state == "ENDED" and session.game.drafts == (first, second)


async def test_d3_input_is_closed_while_a_call_runs(table: Table, server: ScriptedServer) -> None:
    session = await table.locked()
    server.script("actor", silence())
    expected = len(server.calls) + 1
    running = asyncio.create_task(session.prompt(1, "Wait for it."))
    await asyncio.to_thread(server.wait_for_calls, expected)
    await refused(session.prompt(2, "Now you."), "call is running")
    await session.stop()
    with pytest.raises(TurnError, match="Stopped"):
        await running
    assert session.session.prompt_index == 0
