"""S4 and S5 over many turns: what is told again, what is folded, what a failing agent leaves behind."""

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.fake_model import Scripted, narration, prose, small_pack, view_of
from tests.support.unsaved_games import Unsaved
from theact_tui.engine.events import SummaryRolled
from theact_tui.errors import CallError
from theact_tui.models.model import Request
from theact_tui.story.memory import lines_of
from theact_tui.story.views import MemoryView, MergeView, MomentsView, SummaryView

DOWN = CallError("timeout", "Nothing came back in time.")
LONG = prose(590)


def sent(ask: Request) -> str:
    return " ".join(message["content"] for message in ask.prompt.messages())


async def test_every_past_turn_is_either_verbatim_or_folded() -> None:
    play = Unsaved(Scripted())
    folded: list[int] = []
    count = 0

    def summary(ask: Request) -> str:
        folded.extend(turn.number for turn in view_of(ask, SummaryView).turns)
        return f"They went down {len(folded)} steps."

    def narrator(ask: Request) -> str:
        turns = [s for s in ask.prompt.sections if s.name.startswith("turn ")]
        verbatim = [int(section.name.removeprefix("turn ")) for section in turns]
        assert sorted([*folded, *dict.fromkeys(verbatim)]) == list(range(1, count))
        assert all(section.kept == "whole" for section in ask.prompt.sections)
        return narration(LONG, "ann")

    play.model.answers |= {"summary": summary, "narrator": narrator}
    for count in range(1, 91):
        await play.turn(f"Step {count}.")
    assert len(play.of(SummaryRolled)) <= 90 / 3
    sizes = [ask.prompt.tokens for ask in play.model.asked if ask.key == "narrator"]
    assert max(sizes[60:]) <= 1.1 * max(sizes[:30])
    assert len(play.game.turns) < 20


async def test_what_was_known_at_turn_5_is_told_after_60_turns_of_summaries_that_forget_it() -> None:
    play = Unsaved(Scripted())
    play.model.answers["narrator"] = narration(LONG, "ann")

    def memory(ask: Request) -> str:
        fact = (
            "Bob hid the ledger in the cistern."
            if play.game.state.turn == 5
            else f"Step {play.game.state.turn} was wet."
        )
        return json.dumps({"new": [{"fact": fact, "kind": "none"}], "changed": {}})

    play.model.answers |= {"memory": memory, "merge": "Ann made the bed."}
    for number in range(1, 61):
        await play.turn("What of the ledger, Ann?" if number == 60 else f"Step {number}.")
    ann = play.game.memories["ann"]
    assert ann.summary == "Ann made the bed." and 5 < ann.summary_turn < 60
    assert len(play.game.state.views["ann"]) < 20
    assert all("ledger" not in line.text for line in lines_of(ann)), "it gave way to newer lines long ago"
    assert "Bob hid the ledger in the cistern." in play.model.prompts("character:ann")[-1]
    assert "Bob hid the ledger in the cistern." in play.model.prompts("narrator")[-1]


async def test_a_view_is_cut_only_behind_a_summary_and_of_one_person_a_turn() -> None:
    play = Unsaved(Scripted())
    play.model.answers["narrator"] = narration(LONG, "ann")
    told: list[tuple[int, str]] = []

    def past(ask: Request) -> str | CallError:
        view = view_of(ask, MergeView)
        told.append((play.game.state.turn, view.id))
        return DOWN if len(told) < 4 else "The stair is wet."

    play.model.answers["merge"] = past
    for number in range(1, 21):
        await play.turn(f"Step {number}.")
        views = play.game.state.views
        if len(told) < 4:
            assert all(view == tuple(range(1, number + 1)) for view in views.values())
        for name, view in views.items():
            assert view[0] == play.game.memories[name].summary_turn + 1
    turns = [turn for turn, _ in told]
    assert len(told) > 5 and len(set(turns)) == len(turns), told
    assert {name for _, name in told} >= {"ann", "bob"}


@pytest.mark.parametrize("left", [3, 4, 5, 6])
async def test_who_left_keeps_its_pages_where_the_narrator_is_told_less(left: int) -> None:
    play = Unsaved(Scripted(window=2048))
    for number in range(1, 9):
        told, here = (
            ("Bob walks off.\n\n" if number == left else "") + LONG,
            "ann, bob"[: 8 if number < left else 3],
        )
        play.model.answers["narrator"] = narration(told, "ann", present=here)
        await play.turn(f"Step {number}.")
    assert play.game.state.last_summarized_turn > 1
    assert len(play.game.state.views["bob"]) > 1


async def test_a_failing_summary_leaves_cursor_and_summary_and_is_tried_again() -> None:
    play = Unsaved(Scripted())
    play.model.answers |= {"narrator": narration(LONG, "ann"), "summary": DOWN}
    for number in range(1, 13):
        await play.turn(f"Step {number}.")
    state = play.game.state
    assert (state.last_summarized_turn, state.rolling_summary, state.chronicle) == (0, "", "")
    del play.model.answers["summary"]
    await play.turn("On.")
    assert play.game.state.last_summarized_turn == 9


async def test_a_moment_of_turn_5_is_in_the_prompt_of_turn_60() -> None:
    def keeper(ask: Request) -> str:
        found = 5 in [turn.number for turn in view_of(ask, MomentsView).turns]
        one = {
            "quote": "step 5.", "moment_type": "discovery",
            "moment_summary": "the lowest stair is carved with names", "moment_significance": 0.9,
        }  # fmt: skip
        return json.dumps({"moments": [one] if found else []})

    play = Unsaved(Scripted(answers={"keeper": keeper, "narrator": narration(LONG, "ann")}))
    for number in range(1, 61):
        await play.turn(f"Step {number}.")
    prompts = play.model.prompts("narrator")
    assert ", discovery) the lowest stair is carved with names" in prompts[59]
    assert "THE STORY SO FAR" not in prompts[3]
    assert "THE STORY SO FAR" not in prompts[6], "turn 5 still stands there word for word"


# --- what failing agents leave behind -------------------------------------------------------------------------------


def remembering(ask: Request) -> str:
    """A memory agent that writes down which steps it saw."""
    owner = ask.key.partition(":")[2]
    if isinstance(ask.view, MergeView):
        return f"I saw {' '.join(re.findall(r'step[0-9]+', sent(ask)))}."
    steps = re.findall(r"> Alex: (step\d+)", sent(ask))
    if view_of(ask, MemoryView).memory.policy == "cells":
        return f"I, {owner}, saw {' '.join(steps)}."
    return json.dumps({"new": [{"fact": f"{owner} saw {step}", "kind": "none"} for step in steps]})


def known_steps(play: Unsaved, name: str) -> set[str]:
    memory = play.game.memories[name]
    return set(re.findall(r"step\d+", " ".join([memory.summary, *(line.text for line in lines_of(memory))])))


AGENTS = ("memory:ann", "memory:bob", "progress", "keeper", "merge", "summary")
failures = st.dictionaries(st.integers(1, 8), st.sets(st.sampled_from(AGENTS), min_size=1), max_size=5)


@pytest.mark.parametrize("policy", ["facts", "cells"])
@settings(max_examples=6, deadline=None)
@given(failures)
async def test_no_failure_touches_another_memory_and_all_is_caught_up(
    policy: str, failing: dict[int, set[str]]
) -> None:
    harmed, sound = (Unsaved(Scripted(), small_pack(memory=policy, memory_cells=2)) for _ in range(2))
    for play in (harmed, sound):
        play.model.answers["memory"] = remembering
        play.model.answers["merge"] = remembering
    for number in range(1, 10):
        broken = failing.get(number, set())
        harmed.model.answers |= dict.fromkeys(broken, DOWN)
        before = harmed.game.memories
        for play in (harmed, sound):
            await play.turn(f"step{number}")
        for name in ("ann", "bob"):
            if f"memory:{name}" in broken:
                assert harmed.game.memories[name] == before[name]
            elif "merge" not in broken or policy == "facts":
                assert known_steps(harmed, name) == known_steps(sound, name)
        for agent in broken:
            harmed.model.answers.pop(agent, None)
        harmed.model.answers |= {"memory": remembering, "merge": remembering}
    assert harmed.game.state.pending == ()
    for name in ("ann", "bob"):
        assert known_steps(harmed, name) == {f"step{number}" for number in range(1, 10)}


@pytest.mark.parametrize("policy", ["facts", "cells"])
async def test_pages_that_had_to_wait_are_all_read_even_in_a_small_window(policy: str) -> None:
    play = Unsaved(Scripted(window=2048), small_pack(memory=policy, memory_cells=3))
    play.model.answers |= {"narrator": narration(LONG, "ann"), "memory": DOWN}
    for number in range(1, 13):
        await play.turn(f"step{number}")
    assert len(play.game.state.pending) == 24
    play.model.answers["memory"] = remembering
    seen = len(play.model.asked)
    await play.turn("step13")
    assert play.game.state.pending == ()
    asked = [ask for ask in play.model.asked[seen:] if ask.key == "memory:ann"]
    pages = " ".join(sent(ask) for ask in asked if not isinstance(ask.view, MergeView))
    assert set(re.findall(r"> Alex: step(\d+)", pages)) == {str(number) for number in range(1, 14)}
    for ask in asked:
        assert isinstance(ask.view, MergeView) or all(s.kept == "whole" for s in ask.prompt.sections)


async def test_a_turn_too_long_for_one_call_is_read_in_parts() -> None:
    play = Unsaved(Scripted(window=2048))
    play.model.answers |= {
        "narrator": narration(prose(2950), "ann, bob"),
        "character": prose(1180, "The END."),
    }
    await play.turn("step1")
    asked = [ask for ask in play.model.asked if ask.key == "memory:bob"]
    assert len(asked) > 1 and sum(sent(ask).count("The END.") for ask in asked) == 2


async def test_what_was_crowded_out_comes_back_when_it_is_spoken_of() -> None:
    play = Unsaved(Scripted(answers={"narrator": narration(LONG, "ann")}))
    for number in range(1, 41):
        fact = "The copper kettle came from Vrel." if number == 1 else f"Day {number} was grey."
        play.model.answers["memory"] = json.dumps({"new": [{"fact": fact, "kind": "none"}]})
        await play.turn("I wait.")
    assert all("Vrel" not in line.text for line in lines_of(play.game.memories["ann"]))
    await play.turn("Where did the copper kettle come from?")
    await play.turn("I wait.")
    held = ["Vrel" in prompt for prompt in play.model.prompts("character:ann")[-3:]]
    assert held == [False, True, False]


async def test_the_narrator_is_reminded_of_what_its_summary_left_out() -> None:
    play = Unsaved(Scripted())
    much = " ".join(f"At step {n} Ann counted {n * 7} drops and named lamp {n * 3}." for n in range(40))
    summaries = iter(["Bob hid the copper kettle in Vrel.", much, "They went on.", *["And on."] * 20])
    play.model.answers |= {"narrator": narration(LONG, "ann"), "summary": lambda ask: next(summaries)}
    for number in range(1, 19):
        await play.turn(f"Step {number}.")
    assert "Vrel" not in play.game.state.rolling_summary
    await play.turn("I look for the copper kettle.")
    assert "Bob hid the copper kettle in Vrel." in play.model.prompts("narrator")[-1]
    assert "Vrel" not in play.model.prompts("character:ann")[-1]
