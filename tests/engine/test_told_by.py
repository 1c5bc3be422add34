"""Another model can tell one take; the turn's commit says who told it and with which settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.fake_model import DEFAULTS, Ticking, small_pack
from tests.support.fake_server import ScriptedServer, say
from theact_tui.engine.bus import Bus
from theact_tui.engine.commands import run_command
from theact_tui.engine.factory import create_session
from theact_tui.engine.model_routing import models_chooser
from theact_tui.errors import UsageError
from theact_tui.models.environment import ModelOptions
from theact_tui.paths import Home
from theact_tui.saves.library import Library


def scripted() -> ScriptedServer:
    server = ScriptedServer()
    for agent, answer in DEFAULTS.items():
        server.script(agent, say(answer))
    return server


async def test_a_take_by_another_profile_says_so_and_the_next_turn_is_told_as_before(tmp_path: Path) -> None:
    with scripted() as usual, scripted() as other:
        (tmp_path / "config.toml").write_text(
            f'profile = "usual"\n[profiles.usual]\nbase_url = "{usual.url}"\nmodel = "small"\n'
            f'[profiles.other]\nbase_url = "{other.url}"\nmodel = "large"\nsampling = {{min_p = 0.05, stop = ["#"]}}\n'
            '[agents."character:ann"]\nmodel = "ann"\nsampling = {top_k = 5}\n'
        )
        choose = models_chooser(Home.find(tmp_path).create(), ModelOptions(), pace=False)
        session = await create_session(
            Library(tmp_path), small_pack(), "Test", "Alex", 1, choose, Bus(Ticking())
        )
        await session.play("I go down.")
        await session.settle()
        assert session.game.turns[1].told_by == "small" and other.calls == []
        await run_command(session, "/retry --profile other")
        told = session.game.turns[1]
        assert session.takes == (2, 2) and told.told_by == "large (other)"
        assert told.calls["narrator"].sent == {
            "model": "large", "max_tokens": 600, "temperature": 1.0, "min_p": 0.05, "stop": '["#"]',
        }  # fmt: skip
        assert (await session.turns(1, 1))[0] == told
        heard = len(other.calls)
        await session.play("I wait.")
        await session.settle()
        assert len(other.calls) == heard and session.game.turns[2].told_by == "small"
        by_ann = [call.body for call in usual.calls if call.agent == "character:ann"]
        assert {(body["model"], body["top_k"]) for body in by_ann} == {("ann", 5)}
        with pytest.raises(UsageError, match="no profile 'none'"):
            await run_command(session, "/retry --profile none")
        await session.close()
