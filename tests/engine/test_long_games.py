"""S4 and S5 over many turns: what is told again, what is folded, what a failing agent leaves behind."""

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.fake_model import Scripted, learnt, narration, prose, sent, small_pack, view_of
from tests.support.unsaved_games import Unsaved
from theact_tui.engine.events import SummaryRolled
from theact_tui.errors import CallError
from theact_tui.models.model import Request
from theact_tui.story.memory import lines_of
from theact_tui.story.views import MemoryView, MergeView, MomentsView, SummaryView

DOWN = CallError("timeout", "Nothing came back in time.")
LONG = prose(590)


async def test_in_sixty_turns_nothing_is_lost_though_summaries_fail_and_forget() -> None:
    """Every past turn is verbatim or folded; a fact and a moment of turn 5 are told when they are spoken of."""
    play, folded, tries, count = Unsaved(Scripted()), list[int](), 0, 0

    def summary(ask: Request) -> str | CallError:
        nonlocal tries
        tries += 1
        if tries < 3:
            return DOWN
        folded.extend(turn.number for turn in view_of(ask, SummaryView).turns)
        return f"They went down {len(folded)} steps."

    def narrator(ask: Request) -> str:
        turns = [s for s in ask.prompt.sections if s.name.startswith("turn ")]
        verbatim = [int(section.name.removeprefix("turn ")) for section in turns]
        assert sorted([*folded, *dict.fromkeys(verbatim)]) == list(range(1, count))
        assert all(section.kept == "whole" for section in ask.prompt.sections)
        return narration(LONG, "ann")

    def memory(ask: Request) -> str:
        fact = "Bob hid the ledger in the cistern." if count == 5 else f"Step {count} was wet."
        return learnt(fact)

    def keeper(ask: Request) -> str:
        one = {"quote": "step 5.", "moment_type": "discovery", "moment_significance": 0.9}
        found = 5 in [turn.number for turn in view_of(ask, MomentsView).turns]
        return json.dumps(
            {"moments": [{**one, "moment_summary": "the stair has carved names"}] if found else []}
        )

    play.model.answers |= {"summary": summary, "narrator": narrator, "memory": memory, "keeper": keeper}
    play.model.answers["merge"] = "Ann made the bed."
    for count in range(1, 62):
        await play.turn("What of the ledger, Ann?" if count == 60 else f"Step {count}.")
        state = play.game.state
        assert folded or (state.last_summarized_turn, state.rolling_summary, state.chronicle) == (0, "", "")
    assert len(play.of(SummaryRolled)) <= 61 / 3
    sizes = [ask.prompt.tokens for ask in play.model.asked if ask.key == "narrator"]
    assert max(sizes[40:]) <= 1.1 * max(sizes[:30])
    assert len(play.game.turns) < 20 and len(play.game.state.views["ann"]) < 20
    ann, fact = play.game.memories["ann"], "Bob hid the ledger in the cistern."
    assert ann.summary == "Ann made the bed." and 5 < ann.summary_turn < 60
    assert all("ledger" not in line.text for line in lines_of(ann)), "it gave way to newer lines long ago"
    assert [fact in prompt for prompt in play.model.prompts("character:ann")[-3:]] == [False, True, False]
    prompts = play.model.prompts("narrator")
    assert [fact in prompt for prompt in prompts[-2:]] == [True, False]
    assert ", discovery) the stair has carved names" in prompts[59]
    assert "THE STORY SO FAR" not in prompts[6], "turn 5 still stands there word for word"


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


@pytest.mark.parametrize("left", [3, 6])
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


# --- what failing agents leave behind -------------------------------------------------------------------------------


def remembering(ask: Request) -> str:
    """A memory agent that writes down which steps it saw."""
    owner = ask.key.partition(":")[2]
    if isinstance(ask.view, MergeView):
        return f"I saw {' '.join(re.findall(r'step[0-9]+', sent(ask)))}."
    steps = re.findall(r"> Alex: (step\d+)", sent(ask))
    if view_of(ask, MemoryView).memory.policy == "cells":
        return f"I, {owner}, saw {' '.join(steps)}."
    return learnt(*(f"{owner} saw {step}" for step in steps))


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
    await play.turn(*(f"step{number}" for number in range(1, 13)))
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


async def test_the_narrator_is_reminded_of_what_its_summary_left_out() -> None:
    play = Unsaved(Scripted())
    much = " ".join(f"At step {n} Ann counted {n * 7} drops and named lamp {n * 3}." for n in range(40))
    summaries = iter(["Bob hid the copper kettle in Vrel.", much, "They went on.", *["And on."] * 20])
    play.model.answers |= {"narrator": narration(LONG, "ann"), "summary": lambda ask: next(summaries)}
    await play.turn(*(f"Step {number}." for number in range(1, 19)))
    assert "Vrel" not in play.game.state.rolling_summary
    await play.turn("I look for the copper kettle.")
    assert "Bob hid the copper kettle in Vrel." in play.model.prompts("narrator")[-1]
    assert "Vrel" not in play.model.prompts("character:ann")[-1]
