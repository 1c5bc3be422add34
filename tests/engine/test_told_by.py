"""Another model can tell one take; the turn's commit says who told it and with which settings."""

from pathlib import Path
from typing import Any

import pytest

from tests.engine.conftest import settled
from tests.support.fake_model import DEFAULTS, Ticking, small_pack
from tests.support.fake_server import ScriptedServer, say
from theact_tui.engine.bus import Bus
from theact_tui.engine.choose_models import models_chooser
from theact_tui.engine.commands import run_command
from theact_tui.engine.open_sessions import create_session
from theact_tui.errors import UsageError
from theact_tui.models.environment import ModelOptions
from theact_tui.paths import Home
from theact_tui.saves.library import Library


def scripted() -> ScriptedServer:
    server = ScriptedServer()
    for agent, answer in DEFAULTS.items():
        server.script(agent, say(answer))
    server.script("stage", say('{"answer": ["ann"], "only": {}}'))
    return server


CONFIG = """\
profile = "usual"
[profiles.usual]
base_url = "{usual}"
model = "small"
server = "llama.cpp"
sampling = {{min_p = 0.05, repeat_penalty = 1.1, stop = ["###", "\\nAlex:"]}}
[profiles.other]
base_url = "{other}"
model = "large"
server = "openai"
sampling = {{top_p = 0.95, top_k = 40, seed = 7}}
extra_body = {{reasoning_effort = "low"}}
[agents."character:ann"]
model = "ann"
sampling = {{top_k = 5, stop = ["END"]}}
reply_tokens = 90
[agents.memory]
model = "tiny"
"""
USUAL = {"stream": True, "stream_options": {"include_usage": True}}
QUIET = {"chat_template_kwargs": {"enable_thinking": False}}
LLAMA = {**USUAL, **QUIET, "temperature": 1.0, "min_p": 0.05, "repeat_penalty": 1.1}
DRY = {
    "dry_multiplier": 0.8, "dry_base": 1.75, "dry_allowed_length": 2,
    "dry_sequence_breakers": ["\n", ":", '"', "*", "Ann", "Lee", "Bob", "Alex"],
}  # fmt: skip
OPENAI = {**USUAL, "temperature": 1.0, "top_p": 0.95, "seed": 7, "reasoning_effort": "low"}


async def test_a_take_by_another_profile_says_so_and_each_request_says_what_was_set_and_nothing_else(
    tmp_path: Path,
) -> None:
    with scripted() as usual, scripted() as other:
        (tmp_path / "config.toml").write_text(CONFIG.format(usual=usual.url, other=other.url))
        choose = models_chooser(Home.find(tmp_path).create(), ModelOptions(), pace=False)
        session = await create_session(
            Library(tmp_path), small_pack(), "Test", "Alex", 1, choose, Bus(Ticking())
        )
        await run_command(session, "/ask ann bob")
        await session.settle()
        assert session.game.turns[1].told_by == "small" and other.calls == []
        await run_command(session, "/retry --profile other")
        told = session.game.turns[1]
        assert session.takes == (2, 2) and told.told_by == "large (other)"
        sent, again = requests(usual), requests(other)
        assert told.calls["narrator"].sent == {
            "model": "large", "max_tokens": 475, "temperature": 1.0, "top_p": 0.95, "seed": 7,
            "reasoning_effort": "low", "stop": '["\\nAnn Lee:", "\\nAnn:", "\\nBob:"]',
        }  # fmt: skip
        assert (await session.turns(1, 1))[0] == told
        heard = len(other.calls)
        await settled(session, session.play("I wait."))
        assert len(other.calls) == heard and session.game.turns[2].told_by == "small"
        with pytest.raises(UsageError, match="No connected model is called 'none'"):
            await run_command(session, "/retry --profile none")
        await session.close()
    stop = ["###", "\nAlex:"]
    names = ["\nAnn Lee:", "\nAnn:", "\nBob:"]
    usual_told = {"model": "small", **LLAMA, **DRY, "stop": [*stop, *names]}
    assert sent["narrator"] == {**usual_told, "max_tokens": 475, "dry_penalty_last_n": 1900}
    others = {"max_tokens": 300, "dry_penalty_last_n": 1200, "stop": [*stop, *names[:2]]}
    assert sent["character:bob"] == {**usual_told, **others}
    own = {"model": "ann", "max_tokens": 90, "top_k": 5, "stop": ["END", "\nAlex:", "\nBob:"]}
    assert sent["character:ann"] == {**usual_told, **others, **own}
    assert sent["memory:ann"] == {"model": "tiny", "max_tokens": 250, "temperature": 0.2, **USUAL, **QUIET}
    assert again["narrator"] == {"model": "large", "max_tokens": 475, **OPENAI, "stop": names}
    assert again["character:bob"] == {
        "model": "large",
        "max_tokens": 300,
        **OPENAI,
        "stop": ["\nAlex:", *names[:2]],
    }


def requests(server: ScriptedServer) -> dict[str, dict[str, Any]]:
    """What was sent for each agent, but for the prompt and the shape of the reply."""
    left_out = ("messages", "response_format")
    return {
        call.agent: {name: value for name, value in call.body.items() if name not in left_out}
        for call in server.calls
    }
