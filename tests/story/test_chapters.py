"""S5.3: chapters and the end."""

import pytest

from theact_tui.story.chapters import (
    MAX_BRIEF_LENGTH,
    MAX_BRIEF_RECAPS,
    advance,
    judge_chapter,
    recaps_in_prompt,
    sentences_left_out,
)
from theact_tui.story.game import PastChapter, Recap, State, new_game
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
    return judge_chapter(state, pack, is_called_complete=said, turn=turn)[0]


@pytest.mark.parametrize(
    ("hit", "may"), [("abc", False), ("d", False), ("ad", False), ("acd", True), ("abcd", True)]
)
def test_a_chapter_ends_with_its_last_beat_and_half_of_the_others(hit: str, may: bool) -> None:
    state = State(chapter="one", beats_hit=tuple(hit), last_beat_turn=5)
    assert ends(state) is ends(state, said=False) is may


def test_a_chapter_that_may_end_passes_over_its_open_beats() -> None:
    game = new_game(PACK, title="T", player="P", seed=1, created="")
    assert game.with_state(beats_hit=("a", "d")).unmet_beats == ("b", "c")
    assert game.with_state(beats_hit=("a", "c", "d")).unmet_beats == ()


@pytest.mark.parametrize(
    ("hit", "said", "since", "over"),
    [("ab", 2, 8, True), ("ab", 1, 8, False), ("ab", 2, 7, False), ("a", 2, 8, False)],
)
def test_a_chapter_that_stands_still_ends_with_half_of_its_beats_when_it_was_called_complete_twice(
    hit: str, said: int, since: int, over: bool
) -> None:
    state = State(chapter="one", beats_hit=tuple(hit), last_beat_turn=3, completion_said=said)
    assert ends(state, said=False, turn=3 + since) is over


def test_advancing_resets_what_belongs_to_a_chapter() -> None:
    state = State(
        chapter="one", completion_said=2, beats_hit=("a", "b"), present=("bob",), held={"ann": False},
        begun=("c",), passed=("d",),
    )  # fmt: skip
    following = advance(state, PACK, 9)
    assert (following.chapter, following.beats_hit, following.present) == ("two", (), ("ann",))
    assert following.begun == following.passed == ()
    assert following.transition and following.held == {} and following.chapter_since == 9
    assert following.completion_said == 0
    assert following.chapter_history[0].last_turn == 9 and following.chapter_history[0].passed == ("d",)


def test_the_last_chapter_completes_the_game() -> None:
    done = advance(State(chapter="two", beats_hit=("a", "b")), PACK, 20)
    assert done.game_complete and done.chapter == "two" and not done.transition


LAST = "Who went down stayed unknown."


def recaps(count: int) -> tuple[Recap, ...]:
    return tuple(
        Recap(chapter=f"c{n}", title=f"Chapter {n}", text=f"They lit lamp {n}. It rained. {LAST}")
        for n in range(1, count + 1)
    )


def test_two_recaps_are_told_as_they_are_and_earlier_ones_in_their_first_sentence() -> None:
    assert recaps_in_prompt(recaps(2)) == recaps(2) and sentences_left_out(recaps(2), ()) == []
    told = recaps_in_prompt(recaps(4))
    assert [recap.text for recap in told[:2]] == ["They lit lamp 1.", "They lit lamp 2."]
    assert told[2:] == recaps(4)[2:]


def test_a_hundred_chapters_take_no_more_room_than_ten() -> None:
    long = [recap.model_copy(update={"text": "and on " * 300}) for recap in recaps(100)]
    told = recaps_in_prompt(long)
    assert len(told) == MAX_BRIEF_RECAPS + 2 and all(
        len(recap.text) <= MAX_BRIEF_LENGTH for recap in told[:MAX_BRIEF_RECAPS]
    )


def test_what_is_not_told_can_come_to_mind_as_of_its_chapters_end() -> None:
    history = [PastChapter(chapter=f"c{n}", first_turn=n * 10, last_turn=n * 10 + 9) for n in range(1, 13)]
    lines = sentences_left_out(recaps(12), history)
    assert [(line.turn, line.text) for line in lines[:3]] == [
        (19, "Chapter 1: They lit lamp 1."),
        (19, "Chapter 1: It rained."),
        (19, f"Chapter 1: {LAST}"),
    ]
    assert not any("lamp 3." in line.text or "Chapter 12" in line.text for line in lines)
    assert sum("It rained" in line.text for line in lines) == 10
