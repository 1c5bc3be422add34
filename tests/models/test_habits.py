"""What a trial found in a model decides what it is shown and how it is held."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.fake_model import Scripted, Stage, small_pack, stage
from theact_tui.models.habits import may_read_truth, needs_grammar, tells_secrets
from theact_tui.models.model import Usage
from theact_tui.models.server_capabilities import Capabilities, ServerState

TRUTH = "The tower is a lighthouse that drowned."


@pytest.mark.parametrize(
    ("name", "habits", "reads", "reads_last", "tells"),
    [
        ("big-70b", None, False, True, False),
        ("big-70b", frozenset[str](), True, True, False),
        ("big-70b", frozenset({"truth"}), False, False, True),
        ("big-70b", frozenset({"whispers"}), True, True, False),
        ("small-1.5b", None, False, False, True),
        ("small-1.5b", frozenset[str](), True, True, False),
        ("nameless", None, False, True, False),
    ],
)
def test_who_reads_the_hidden_truth(
    name: str, habits: frozenset[str] | None, reads: bool, reads_last: bool, tells: bool
) -> None:
    model = Scripted(name=name, habits=habits)
    assert may_read_truth(model, is_last_chapter=False) is reads
    assert may_read_truth(model, is_last_chapter=True) is reads_last
    assert tells_secrets(model) is tells


def test_who_is_held_by_a_grammar() -> None:
    assert needs_grammar("small-1.5b", None) and needs_grammar("small-1.5b", frozenset())
    assert needs_grammar("big-70b", {"person"}) and not needs_grammar("big-70b", {"whispers", "truth"})
    assert not needs_grammar("big-70b", None)


def test_habits_outlive_the_program_and_what_is_learned_later(tmp_path: Path) -> None:
    state = ServerState("http://127.0.0.1:1/v1", "m", tmp_path)
    assert state.abilities.habits is None
    state.keep(replace(state.abilities, habits="truth whispers"))
    state.learn_accepted(Capabilities(), Capabilities(usage=False))
    again = ServerState("http://127.0.0.1:1/v1", "m", tmp_path)
    assert (again.abilities.habits, again.abilities.usage) == ("truth whispers", False)


def test_a_call_that_began_before_a_lesson_does_not_undo_it() -> None:
    state = ServerState("http://127.0.0.1:1/v1", "m")
    first = state.abilities
    state.learn_accepted(first, replace(first, form="json_object"))
    state.learn_accepted(first, first)
    assert state.abilities.form == "json_object"


@pytest.mark.parametrize("habits", [None, frozenset[str](), frozenset({"truth"})])
async def test_the_narrator_reads_the_truth_by_its_trial(
    tmp_path: Path, habits: frozenset[str] | None
) -> None:
    pack = small_pack()
    pack = pack.model_copy(update={"world": pack.world.model_copy(update={"truth": TRUTH})})
    play: Stage = await stage(tmp_path, Scripted(habits=habits), pack)
    await play.turn("I go down.")
    (prompt,) = play.model.prompts("narrator")
    assert (TRUTH in prompt) is (habits == frozenset())
    assert ("ANNSECRET" in prompt) is (habits != frozenset({"truth"}))
    await play.session.close()


def test_speed_is_measured_by_calls_long_enough_and_kept(tmp_path: Path) -> None:
    state = ServerState("http://127.0.0.1:1/v1", "m", tmp_path)
    state.learn_speed(Usage(prompt=90, completion=10), 1.0, 2.0)
    assert (state.abilities.read_speed, state.abilities.write_speed) == (0, 0)
    state.learn_speed(Usage(prompt=900, cached=100, completion=50), 10.0, 15.0)
    assert (state.abilities.read_speed, state.abilities.write_speed) == (80, 10)
    state.learn_speed(Usage(prompt=880, completion=50), 10.0, 15.0)
    assert state.abilities.read_speed == 80, "a tenth more is not written anew"
    state.learn_speed(Usage(), 0.0, 0.0)
    again = ServerState("http://127.0.0.1:1/v1", "m", tmp_path)
    assert (again.abilities.read_speed, again.abilities.write_speed) == (80, 10)
