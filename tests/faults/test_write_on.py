"""A server that knows a page by heart restores it from any cut, whichever way it goes on from a text, or begins anew."""

from collections.abc import Callable
from random import Random

import pytest

from tests.faults.conftest import Save
from tests.support.fake_server import Exchange, Request, ScriptedServer, Step, say, status
from tests.support.faulty_server import Stand
from tests.support.faulty_sessions import playing

PAGE = (
    "You stop where the water begins. The lamp burns low and blue, and the walls sweat.\n\n"
    "Something knocks below, three times, and waits. “It was dry here yesterday,” Bob says, and looks at his wrist. "
    "Nobody bends down for the rope."
)
FLAGS = {"continue_final_message", "add_generation_prompt"}
REFUSAL = status(400, {"error": {"message": "Cannot continue a message of the assistant."}})
Server = Callable[[Request, str, str], Step]
"""Answers with a text so far and what follows it."""


def words_again(text: str, words: int) -> str:
    return " ".join(text.split()[-words:])


SERVERS: dict[str, Server] = {
    "goes on": lambda request, begun, rest: say(rest),
    "repeats the text": lambda request, begun, rest: say(begun + rest),
    "refuses the fields": lambda request, begun, rest: REFUSAL if FLAGS & {*request.body} else say(rest),
    "refuses an assistant at the end": lambda request, begun, rest: (
        REFUSAL if request.body["messages"][-1]["role"] == "assistant" else say(rest)
    ),
    "begins anew": lambda request, begun, rest: say(
        f"{begun}{rest}" if request.agent != "probe" else "Well."
    ),
    "begins with its last words": lambda request, begun, rest: say(
        f"{words_again(begun, 3)}{rest}" if request.agent != "probe" else "594817"
    ),
    "begins with the next word": lambda request, begun, rest: say(
        rest.lstrip() if request.agent != "probe" else "Your number is 594817."
    ),
}


def by_heart(server: Server) -> Step:
    async def step(exchange: Exchange) -> None:
        begun = [m["content"] for m in exchange.request.body["messages"] if m["role"] == "assistant"][-1]
        rest = PAGE.removeprefix(begun) if exchange.request.agent != "probe" else "17."
        await server(exchange.request, begun, rest)(exchange)

    return step


@pytest.mark.parametrize("name", SERVERS)
async def test_a_page_is_restored_from_any_cut(
    name: str, save: Save, server: ScriptedServer, stand: Stand
) -> None:
    stand.answers["narrator"] = PAGE
    async with playing(await save("narrator"), server, stand) as played:
        await played.turn("I go down.")
        for agent in ("probe", "narrator"):
            server.script(agent, by_heart(SERVERS[name]))
        chance = Random(name)
        for take in range(2, 4):
            cut = PAGE[: chance.randint(20, PAGE.index("bends"))]
            await played.session.write_on(cut)
            await played.session.settle()
            page = played.session.game.turns[1].narration
            assert page.split() == PAGE.split() and page.startswith(cut.rpartition(" ")[0])
            assert played.session.takes == (take, take)
        asked = [request for request in server.calls if request.agent == "narrator"][1:]
        for request in asked:
            texts = [message["content"] for message in request.body["messages"]]
            assert "bends down" not in " ".join(texts)
        assert len(asked) == 2, "no call was made again"
        assert played.session.agents.model().name == "tiny"
