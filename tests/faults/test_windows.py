"""S6: no prompt and its reply allowance exceed the window, whatever is typed and answered, for any agent."""

import json
import math
import re
from itertools import count

import pytest

from tests.support.fake_model import Scripted, narration, small_pack, stage
from tests.support.fake_server import Exchange, Request, ScriptedServer, chunk, event, stream
from tests.support.faulty_server import ENDING, Stand, part_of
from tests.support.faulty_sessions import Scene, is_sound, playing
from tests.support.writing import Writer
from theact_tui.errors import TurnError
from theact_tui.models.profiles import Profile
from theact_tui.story.turn import Turn

TURNS = 8
AGENTS = {"narrator", "stage", "character", "memory", "progress", "keeper", "summary", "recap", "epilogue"}


class Verbose(Stand):
    """Answers at full length, ends a chapter now and then, and counts tokens by `size` characters each."""

    def __init__(self, size: float) -> None:
        super().__init__()
        self.size = size
        self._writer = Writer(3)
        self.answers["narrator"] = narration("", "ann", present="ann, bob", place="x" * 60)
        self._checks = count(1)

    def tokens(self, request: Request) -> int:
        """What this server's tokenizer makes of a prompt, with 5 tokens around each message."""
        return sum(math.ceil(len(m["content"]) / self.size) + 5 for m in request.body["messages"])

    def answer(self, request: Request) -> str:
        """As long as the agent may answer."""
        match part_of(request).partition(":")[0]:
            case "narrator":
                return self._writer.prose(300) + " Water stands on the stair."
            case "stage":
                return self.form(request)
            case "character":
                return self._writer.prose(240)
            case "memory" if "already remembers:" in request.prompt:
                new = [{"fact": self._writer.prose(60), "kind": "gift"} for _ in range(4)]
                return json.dumps({"new": new, "changed": {}})
            case "finished":
                return '{"finished": true}'
            case "progress":
                done = next(self._checks) % 3 == 0
                return ENDING if done else '{"end": false}'
            case "keeper":
                return '{"risk": "", "difficulty": 12, "moments": []}'
            case _:
                return self._writer.prose(190)

    async def __call__(self, exchange: Exchange) -> None:
        text, prompt = self.answer(exchange.request), self.tokens(exchange.request)
        usage = {"prompt_tokens": prompt, "completion_tokens": math.ceil(len(text) / self.size)}
        await stream(chunk(text), chunk(None, "stop"), event({"choices": [], "usage": usage}))(exchange)


@pytest.mark.parametrize(
    ("window", "game", "size"),
    [(2048, {"keeper": "risky"}, 4.0), (4096, {"memory": "cells", "memory_cells": 2}, 3.2)],
)
async def test_no_request_is_larger_than_the_window(
    window: int, game: dict[str, object], size: float, tmp_path_factory: pytest.TempPathFactory
) -> None:
    home = tmp_path_factory.mktemp("home")
    made = await stage(home, Scripted(), Scene("", game={**game, "moments": "on"}, is_short=True).pack)
    await made.session.close()
    verbose, writer = Verbose(size), Writer(4)
    with ScriptedServer(verbose) as server:
        profile = Profile(base_url=server.url, model="tiny", context_limit=window, max_parallel=2)
        async with playing(made.session.folder, server, verbose, profile=profile) as play:
            for _ in range(TURNS):
                turn = await play.turn(writer.prose(400)[:2000])
                assert isinstance(turn, Turn) and turn.notices == ()
        check_requests(server, verbose, window)
    assert is_sound(made.session.folder)


def check_requests(server: ScriptedServer, verbose: Verbose, window: int) -> None:
    """Every agent was asked, no request is too large, and none was refused for it."""
    assert {call.agent.partition(":")[0] for call in server.calls} == AGENTS
    for call in server.calls:
        used = verbose.tokens(call) + call.body["max_tokens"]
        assert used <= window, (call.agent, verbose.tokens(call), call.body["max_tokens"])
        assert call.body["max_tokens"] >= (40 if part_of(call) == "finished" else 120)
    narrators = [call.prompt for call in server.calls if call.agent == "narrator"]
    assert all("A tower in the sea." in prompt for prompt in narrators)
    later = [prompt for prompt in narrators if "Write the first page," not in prompt]
    assert (
        all("in which the people here talk" in prompt for prompt in later)
        and len(later) == len(narrators) - 1
    )


async def test_a_text_that_cannot_fit_is_refused_and_stays(tmp_path_factory: pytest.TempPathFactory) -> None:
    made = await stage(tmp_path_factory.mktemp("home"), Scripted(), small_pack())
    await made.session.close()
    verbose = Verbose(4.0)
    with ScriptedServer(verbose) as server:
        profile = Profile(base_url=server.url, model="tiny", context_limit=2048)
        async with playing(made.session.folder, server, verbose, profile=profile) as play:
            refused = await play.turn("灯" * 2000)
            assert isinstance(refused, TurnError)
            needed, room = (
                int(number.replace(",", "")) for number in re.findall(r"\d[\d,]*", refused.message)
            )
            assert room < 2048 < needed
            assert server.calls == [] and play.session.game.state.turn == 0
            assert isinstance(await play.turn("灯" * 300), Turn)
