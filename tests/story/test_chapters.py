"""S5.3: chapters and the end."""

from __future__ import annotations

from theact_tui.story.beats import mark_beats
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
