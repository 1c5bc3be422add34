"""S5.2: which beats count as hit, and when the narrator is nudged to the next."""

from __future__ import annotations

from theact_tui.story.beats import mark_beats, nudge_due, shown_beats
from theact_tui.story.game import State
from theact_tui.story.pack import Chapter

ONE = Chapter(
    id="one", title="One", summary="s", beats=("a", "b", "c", "d"), completion="done", characters=("ann",)
)


def test_only_beats_of_the_chapter_count_and_each_once() -> None:
    state, new = mark_beats(State(chapter="one"), ONE, ["b", "x", "a", "b"], 3)
    assert new == ("a", "b") and state.beats_hit == ("a", "b") and state.last_beat_turn == 3
    assert mark_beats(state, ONE, ["a"], 4) == (state, ())


def test_a_beat_counts_when_its_quote_stands_in_the_text_and_at_most_two_do() -> None:
    text = "The water climbs the stair, one step, then two. “I built it,” she says."
    beats = ("a", "b", "c")
    assert shown_beats(beats[:2], ["the water climbs … then two", "he drowned at noon"], text) == ("a",)
    assert shown_beats(beats, ["I built it", "the stair one step", "she says"], text) == ("a", "b")
    assert shown_beats(beats, [], text) == ("a", "b")
    assert shown_beats(beats, ["I built it"], text) == ("a",)
    assert shown_beats(beats[:2], ["I built it"], text, hit=["a"]) == ("b",), "an old beat needs no quote"


def test_a_nudge_is_due_once_after_eight_turns_without_a_beat() -> None:
    state = State(chapter="one", last_beat_turn=2)
    assert not nudge_due(state, 10) and nudge_due(state, 11)
    assert not nudge_due(state.model_copy(update={"nudged": True}), 12)
