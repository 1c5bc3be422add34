"""A server that takes schemas for a while, then refuses them and puts its forms in a fence: nothing is asked twice."""

from dataclasses import dataclass

from tests.faults.conftest import Save
from tests.support.fake_server import Exchange, ScriptedServer, say, status
from tests.support.faulty_server import QUIET, Stand
from tests.support.faulty_sessions import playing
from theact_tui.engine.events import CallRetried
from theact_tui.story.turn import Turn


@dataclass
class TiredOfSchemas:
    """Refuses `response_format` from its second form on."""

    stand: Stand
    taken: int = 1
    refused: int = 0
    fenced: int = 0

    async def __call__(self, exchange: Exchange) -> None:
        answer = self.stand.answer(exchange.request)
        if "response_format" in exchange.request.body:
            if not self.taken:
                self.refused += 1
                await status(400, {"error": {"message": "response_format is not supported"}})(exchange)
                return
            self.taken -= 1
        elif answer.startswith("{"):
            self.fenced += 1
            answer = f"Sure, here it is:\n\n```json\n{answer[:-1]},}}\n```\nLet me know!"
        await say(answer)(exchange)


async def test_a_story_goes_on_when_a_server_refuses_schemas_late(save: Save) -> None:
    stand = Stand(dict(QUIET))
    tired = TiredOfSchemas(stand)
    with ScriptedServer(tired) as server:
        async with playing(await save("facts"), server, stand) as play:
            turns = [await play.turn("I hold the lamp."), await play.turn("I go on.")]
            retried = play.of(CallRetried)
    assert all(isinstance(turn, Turn) and turn.notices == () for turn in turns)
    assert play.session.game.state.pending == () and retried == []
    assert tired.refused >= 1 and tired.fenced >= 4
