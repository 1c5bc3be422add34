"""Giving a prompt again (D10): both replies are kept as takes, and one is current."""

import pytest

from tests.direct.conftest import Table, delta
from tests.direct.test_history import fsck
from tests.support.fake_server import ScriptedServer, say, status
from theact_tui.errors import TurnError, UsageError


async def test_d10_a_prompt_given_again_keeps_both_replies_as_takes(
    table: Table, server: ScriptedServer
) -> None:
    session = await table.played(2)
    assert session.takes == (1, 1)
    server.script("actor", say("I try otherwise."))
    reply = await session.retry()
    assert reply is not None and (reply.agent_slot, reply.prompt_index) == (2, 2)
    assert session.session.prompt_index == 2 and session.takes == (2, 2) and session.game.focus == 3
    assert session.transcript.text.endswith("2) Scene 2.\n\nBo: I try otherwise.")
    await session.select_take(1)
    assert session.transcript.text.endswith("Bo: I try. (actor:2)") and session.takes == (1, 2)
    await session.close()
    again = await table.reopen()
    assert again.takes == (1, 2)
    await again.select_take(2)
    assert again.game.events[-1].text == "I try otherwise."
    with pytest.raises(UsageError, match="2 takes"):
        await again.select_take(3)
    fsck(again.save.folder)


async def test_d9_a_prompt_that_fails_when_given_again_leaves_what_was_there(
    table: Table, server: ScriptedServer
) -> None:
    session = await table.played(7)
    before = session.game
    server.script("actor", status(401, {"error": {"message": "bad key"}}))
    with pytest.raises(TurnError):
        await session.retry()
    assert session.game == before and session.takes == (1, 1) and session.banner == ""
    await session.close()
    assert (await table.reopen()).game == before


async def test_d5_what_cannot_be_given_again_is_refused_and_changes_nothing(table: Table) -> None:
    session = await table.locked()
    with pytest.raises(UsageError, match="no prompt"):
        await session.retry()
    await table.play(session, 1)
    assert await session.retry(" ") is None
    with pytest.raises(UsageError, match="5,000"):
        await session.retry("x" * 5_001)
    await session.end()
    before = session.game
    with pytest.raises(UsageError, match="ended"):
        await session.retry()
    assert session.game == before and len(table.calls("actor")) == 1


async def test_d10_a_prompt_retried_in_other_words_with_somebody_else_stays_as_a_take(
    table: Table, server: ScriptedServer
) -> None:
    """A seventh prompt: each take has a summary of its own."""
    session = await table.played(7)
    server.script("delta", say(delta("The bell fell.")))
    await session.retry("Scene 7, otherwise.", 3)
    assert session.takes == (2, 2) and session.game.last_prompt == (3, "Scene 7, otherwise.")
    assert session.session.last_summarized_prompt_index == 7 and len(session.game.blocks) == 2
    assert "fell" in str(session.game.blocks[-1].json_payload)
    await session.select_take(1)
    assert "moved" in str(session.game.blocks[-1].json_payload)
    assert session.game.last_prompt == (1, "Scene 7.")
