"""The calls of a direct session as they are kept and capped (D10, S8.5)."""

import hashlib
import json
from dataclasses import dataclass

import pytest

from tests.direct.conftest import OneModel, Table
from tests.support.fake_server import ScriptedServer, chunk, say, status, stream
from theact_tui.engine.direct.session import DirectSession
from theact_tui.engine.events import Notice
from theact_tui.errors import TurnError
from theact_tui.models.ledger import Ledger
from theact_tui.models.model import Model, Models


async def test_d10_every_call_has_a_token_cap_and_is_an_artifact_failed_ones_too(
    table: Table, server: ScriptedServer
) -> None:
    session = await table.ended(7)
    server.script("chapter", status(401, {"error": {"message": "bad key"}}))
    with pytest.raises(TurnError):
        await session.build()
    ledger = Ledger(session.save.private)
    made = [call for turn in range(8) for call in ledger.turn(turn)]
    actors = ["actor:1", "actor:2", "actor:3", "actor:1", "actor:2", "actor:3", "actor:1"]
    assert [call.key for call in made] == ["lock", *actors, "delta", "chapter"]
    assert {call.save for call in made} == {"tower"} and len({call.id for call in made}) == len(made)
    assert made[-1].outcome == "failed" and made[1].outcome == "ok"
    assert (made[1].usage.prompt or made[1].tokens) > 0 and made[1].model == "tiny"
    sent = table.calls("actor")[0].body["messages"]
    caps = {call.agent.partition(":")[0]: call.body["max_tokens"] for call in table.server.calls}
    assert caps == {"lock": 900, "actor": 600, "delta": 900, "chapter": 1500}
    assert made[1].input_hash == hashlib.sha256(json.dumps(sent).encode()).hexdigest()


async def test_d10_a_slot_and_the_chapter_may_have_a_model_of_their_own(table: Table) -> None:
    @dataclass
    class Several(Models):
        usual: OneModel
        second: OneModel

        def for_agent(self, agent: str) -> Model:
            return (self.second if agent in ("actor:2", "chapter") else self.usual).endpoint

        async def probe(self) -> tuple[str, ...]:
            return ()

        async def close(self) -> None:
            await self.usual.close()
            await self.second.close()

    with ScriptedServer() as other:
        second = Table(other, table.home / "other")
        models = Several(table.models(), second.models())
        save = table.library.create_chapter("Twin", "id")
        session = await DirectSession.start(save, models, table.bus(), ids=table.id)
        table.open.append(session)
        from theact_tui.story.direct.state import set_count

        session.edit(set_count, 3)
        await session.lock()
        await table.play(session, 3)
        await session.end()
        other.script("chapter", say("It rained."))
        await session.build()
        assert [call.agent for call in other.calls] == ["actor:2", "chapter"]
        assert [call.agent for call in table.calls("actor")] == ["actor:1", "actor:3"]


async def test_d9_a_reply_cut_off_in_the_middle_leaves_no_partial_text(
    table: Table, server: ScriptedServer
) -> None:
    session = await table.locked()
    server.script("actor", stream(chunk("I begin to "), then="reset"))
    with pytest.raises(TurnError):
        await session.prompt(1, "Go.")
    assert session.game.events == () and session.transcript.text == "" and session.answering == 0
    await session.close()
    assert (await table.reopen()).game.events == ()


@pytest.mark.parametrize(
    "more", ['Kara: "Not yet."', "> Narrator (to Kara): The rope tears.", "Narrator (to Bo): It rains."]
)
async def test_d7_a_reply_ends_where_it_goes_on_as_somebody_else(
    table: Table, server: ScriptedServer, more: str
) -> None:
    session = await table.locked()
    server.script("actor", say(f"Bo: I pull the rope.\n\n{more}\n\nBo: I let go."))
    reply = await session.prompt(2, "Well?")
    assert reply and reply.text == "I pull the rope."


async def test_d9_a_reply_that_reached_its_token_limit_ends_with_its_last_whole_sentence(
    table: Table, server: ScriptedServer
) -> None:
    session = await table.locked()
    server.script("actor", say("I pull the rope. It gives, and then it", finish="length"))
    reply = await session.prompt(2, "Well?")
    assert reply and reply.text == "I pull the rope."
    assert "Bo's reply reached its token limit" in [e for e in table.heard if isinstance(e, Notice)][-1].text


async def test_d10_prompts_wait_where_a_profile_allows_only_so_many_requests_a_minute(table: Table) -> None:
    table.per_minute = 2
    session = await table.locked()
    await session.prompt(1, "Scene 1.")
    assert not table.pauses
    await session.prompt(2, "Scene 2.")
    assert len(table.pauses) == 1 and 50 < table.pauses[0] < 61
