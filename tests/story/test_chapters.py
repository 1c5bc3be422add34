"""S5.3: chapters and the end."""

from __future__ import annotations

from pathlib import Path

from theact_tui.packs.loader import load_pack
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


def ends(state: State, *, said: bool = True, turn: int = 5, pack: Pack = PACK) -> bool:
    return judge_chapter(state, pack, said_complete=said, turn=turn)[0]


def test_a_chapter_ends_when_said_complete_with_its_last_beat() -> None:
    most = State(chapter="one", beats_hit=("a", "b", "c"))
    last = State(chapter="one", beats_hit=("d",))
    assert not ends(most) and ends(last) and not ends(last, said=False)


def test_a_chapter_does_not_end_while_its_completion_tells_of_an_open_beat() -> None:
    pack = load_pack(Path(__file__).parents[2] / "content" / "salt-road")
    *_, away, early = pack.first_chapter.beats
    state = State(chapter=pack.first_chapter.id, beats_hit=pack.first_chapter.beats[:-1])
    assert not ends(state, pack=pack), "the sea is still coming back in its last beat"
    reordered = pack.first_chapter.model_copy(update={"beats": (*pack.first_chapter.beats[:-2], early, away)})
    pack = pack.model_copy(update={"chapters": {**pack.chapters, reordered.id: reordered}})
    state = State(chapter=reordered.id, beats_hit=(*reordered.beats[:-2], away))
    over, why = judge_chapter(state, pack, said_complete=True, turn=5)
    assert not over and early in why
    assert ends(State(chapter=reordered.id, beats_hit=(early, reordered.beats[1], away)), pack=pack)


def test_a_chapter_that_stands_still_ends_when_it_was_called_complete_twice() -> None:
    state = State(chapter="one", beats_hit=("a",), last_beat_turn=3)
    once, twice = (state.model_copy(update={"completion_said": n}) for n in (1, 2))
    assert not ends(once, turn=11) and not ends(twice, turn=10) and ends(twice, said=False, turn=11)


def test_with_all_beats_hit_it_ends_after_two_more_turns_at_most() -> None:
    state, _ = mark_beats(State(chapter="one"), ONE, ["a", "b", "c", "d"], 6)
    assert [ends(state, said=False, turn=turn) for turn in (6, 7, 8)] == [False, False, True]


def test_advancing_resets_what_belongs_to_a_chapter() -> None:
    state = State(
        chapter="one", completion_said=2, beats_hit=("a", "b"), present=("bob",), held={"ann": False}
    )
    following = advance(state, PACK, 9)
    assert (following.chapter, following.beats_hit, following.present) == ("two", (), ("ann",))
    assert following.transition and following.held == {} and following.chapter_since == 9
    assert following.completion_said == 0
    assert following.chapter_history[0].last_turn == 9


def test_the_last_chapter_completes_the_game() -> None:
    done = advance(State(chapter="two", beats_hit=("a", "b")), PACK, 20)
    assert done.game_complete and done.chapter == "two" and not done.transition
