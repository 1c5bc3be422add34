"""S5.2 and S5.3: beats, chapters and the end."""

from __future__ import annotations

from theact_tui.story.beats import mark_beats, nudge_due, shown_beats
from theact_tui.story.chapters import advance, judge_chapter
from theact_tui.story.game import State
from theact_tui.story.pack import Chapter, Character, GameInfo, Pack, World


def chapter(id: str, next: str | None = None) -> Chapter:
    return Chapter(
        id=id, title=id.title(), summary="s", beats=("a", "b", "c", "d"), completion="done",
        characters=("ann", "bob"), next=next, present=("ann",),
    )  # fmt: skip


PACK = Pack(
    game=GameInfo(id="p", title="P", description="d", characters=("ann", "bob"), chapters=("one", "two")),
    world=World(setting="s", tone="t", rules="r"),
    characters={name: Character(name=name.title(), role="r", personality="p") for name in ("ann", "bob")},
    chapters={"one": chapter("one", "two"), "two": chapter("two")},
)
ONE = PACK.chapters["one"]


def test_only_beats_of_the_chapter_count_and_each_once() -> None:
    state, new = mark_beats(State(chapter="one"), ONE, ["b", "x", "a", "b"], 3)
    assert new == ("a", "b") and state.beats_hit == ("a", "b") and state.last_beat_turn == 3
    assert mark_beats(state, ONE, ["a"], 4) == (state, ())


def test_a_chapter_ends_when_said_complete_with_its_last_beat_or_all_but_one() -> None:
    half = State(chapter="one", beats_hit=("a", "b"))
    most = State(chapter="one", beats_hit=("a", "b", "c"))
    last = State(chapter="one", beats_hit=("d",))
    assert [judge_chapter(state, ONE, said_complete=True, turn=5)[0] for state in (half, most, last)] == [
        False,
        True,
        True,
    ]
    assert not judge_chapter(most, ONE, said_complete=False, turn=5)[0]


def test_a_beat_counts_when_its_quote_stands_in_the_text_and_at_most_two_do() -> None:
    text = "The water climbs the stair, one step, then two. “I built it,” she says."
    beats = ("a", "b", "c")
    assert shown_beats(beats[:2], ["the water climbs … then two", "he drowned at noon"], text) == ("a",)
    assert shown_beats(beats, ["I built it", "the stair one step", "she says"], text) == ("a", "b")
    assert shown_beats(beats, [], text) == ("a", "b")
    assert shown_beats(beats, ["I built it"], text) == ("a",)


def test_with_all_beats_hit_it_ends_after_two_more_turns_at_most() -> None:
    state, _ = mark_beats(State(chapter="one"), ONE, ["a", "b", "c", "d"], 6)
    assert [judge_chapter(state, ONE, said_complete=False, turn=turn)[0] for turn in (6, 7, 8)] == [
        False,
        False,
        True,
    ]


def test_advancing_resets_what_belongs_to_a_chapter() -> None:
    state = State(chapter="one", chapter_since=0, beats_hit=("a", "b"), present=("bob",), held={"ann": False})
    following = advance(state, PACK, 9)
    assert (following.chapter, following.beats_hit, following.present) == ("two", (), ("ann",))
    assert following.transition and following.held == {} and following.chapter_since == 9
    assert following.chapter_history[0].last_turn == 9


def test_the_last_chapter_completes_the_game() -> None:
    done = advance(State(chapter="two", beats_hit=("a", "b")), PACK, 20)
    assert done.game_complete and done.chapter == "two" and not done.transition


def test_a_nudge_is_due_once_after_eight_turns_without_a_beat() -> None:
    state = State(chapter="one", last_beat_turn=2)
    assert not nudge_due(state, 10) and nudge_due(state, 11)
    assert not nudge_due(state.model_copy(update={"nudged": True}), 12)
