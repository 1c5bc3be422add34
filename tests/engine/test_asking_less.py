"""How often a server is asked: facts for two turns in one call, moments every six turns, turns folded by the window."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.engine.conftest import reopened
from tests.support.fake_model import Scripted, Stage, beat_form, narration, prose, small_pack, stage
from tests.support.unsaved_games import Unsaved


@pytest.fixture(autouse=True)
def facts_of_two_turns(monkeypatch: pytest.MonkeyPatch, facts_after_each_turn: None) -> None:
    monkeypatch.setattr("theact_tui.engine.after_turn.post_turn.TURNS_OF_A_CALL", 2)


def asked(made: Stage) -> list[str]:
    """The memory calls since the last look."""
    keys = [key for key in made.model.called() if key.startswith("memory:")]
    made.model.asked.clear()
    return sorted(keys)


async def test_facts_of_two_turns_are_asked_for_in_one_call(play: Stage) -> None:
    await play.turn("I lift the KETTLE.")
    assert asked(play) == [] and len(play.game.state.pending) == 2
    play = await reopened(play)
    await play.turn("I set down the COMPASS.")
    (prompt,) = play.model.prompts("memory:ann")
    assert "KETTLE" in prompt and "COMPASS" in prompt
    assert asked(play) == ["memory:ann", "memory:bob"] and play.game.state.pending == ()
    await play.turn("I wait.")
    assert asked(play) == []


async def test_entries_are_asked_for_after_each_turn(tmp_path: Path) -> None:
    made = await stage(tmp_path, Scripted({"memory": "I saw a wet stair."}), small_pack(memory="cells"))
    await made.turn("I lift the kettle.")
    assert asked(made) == ["memory:ann", "memory:bob"]


async def test_facts_are_asked_for_at_once_on_a_beat_a_secret_and_at_a_chapters_end(play: Stage) -> None:
    await play.turn("I find the stair.", progress=beat_form(1))
    assert asked(play) == ["memory:ann", "memory:bob"], "a beat"
    told = {
        "character:ann": '"I burned the log of the tower," says Ann.',
        "narrator": narration("Wind.", "ann"),
    }
    await play.turn(
        "I ask.", progress=json.dumps({"s1": "I burned the log of the tower", "end": False}), **told
    )
    assert asked(play) == ["memory:ann", "memory:bob"], "a secret"
    await play.turn("I wait.", progress='{"end": false}')
    assert asked(play) == []
    await play.said("/chapter end")
    await play.turn("I go on.")
    assert asked(play)[:2] == ["memory:ann", "memory:ann"] and play.game.state.pending == (), "the end"


async def test_moments_are_looked_for_every_six_turns(tmp_path: Path) -> None:
    made = await stage(tmp_path, Scripted({"narrator": narration("Wind.", "")}), small_pack())
    await made.turn(*(f"Step {number}." for number in range(1, 13)))
    first, second = made.model.prompts("keeper")
    assert "Step 1." in first and "Step 6." in first and "Step 7." not in first
    assert "Step 6." not in second.split("RECORDS")[0] and "Step 12." in second


@pytest.mark.parametrize(
    ("server", "pack", "through"),
    [
        ({"keeps_prompts": True}, {}, (0,)),
        ({"keeps_prompts": False}, {}, (6,)),
        ({"keeps_prompts": True, "window": 4096}, {}, (5, 6)),  # as many as the prompt leaves room for
        ({"keeps_prompts": True}, {"summary_threshold": 1_000}, (6,)),
        ({"keeps_prompts": True, "cached": 0}, {}, (6,)),
    ],
    ids=[
        "the window", "a server that keeps nothing", "a small window", "the pack", "was seen to keep nothing",
    ],
)  # fmt: skip
async def test_turns_stay_word_for_word_as_far_as_window_and_server_allow(
    server: dict[str, Any], pack: dict[str, int], through: tuple[int, ...]
) -> None:
    play = Unsaved(Scripted({"narrator": narration(prose(1_000), "")}, **server), small_pack(**pack))
    await play.turn(*(f"Step {number}." for number in range(1, 11)))
    assert play.game.state.last_summarized_turn in through
