"""Recaps of many chapters: the last two whole, those before in a sentence, and nothing lost."""

from __future__ import annotations

from theact_tui.story.chapters import BRIEF, EARLIER, told_recaps, untold
from theact_tui.story.game import PastChapter, Recap

LAST = "Who went down stayed unknown."


def recaps(count: int) -> tuple[Recap, ...]:
    return tuple(
        Recap(chapter=f"c{n}", title=f"Chapter {n}", text=f"They lit lamp {n}. It rained. {LAST}")
        for n in range(1, count + 1)
    )


def test_two_recaps_are_told_as_they_are() -> None:
    assert told_recaps(recaps(2)) == recaps(2)
    assert untold(recaps(2), ()) == []


def test_earlier_ones_are_told_in_their_first_sentence() -> None:
    told = told_recaps(recaps(4))
    assert [recap.text for recap in told[:2]] == ["They lit lamp 1.", "They lit lamp 2."]
    assert told[2:] == recaps(4)[2:]


def test_a_hundred_chapters_take_no_more_room_than_ten() -> None:
    long = [recap.model_copy(update={"text": "and on " * 300}) for recap in recaps(100)]
    told = told_recaps(long)
    assert len(told) == EARLIER + 2 and all(len(recap.text) <= BRIEF for recap in told[:EARLIER])


def test_what_is_not_told_can_come_to_mind_as_of_its_chapters_end() -> None:
    history = [PastChapter(chapter=f"c{n}", first_turn=n * 10, last_turn=n * 10 + 9) for n in range(1, 13)]
    lines = untold(recaps(12), history)
    assert [(line.turn, line.text) for line in lines[:3]] == [
        (19, "Chapter 1: They lit lamp 1."),
        (19, "Chapter 1: It rained."),
        (19, f"Chapter 1: {LAST}"),
    ]
    assert not any("lamp 3." in line.text or "Chapter 12" in line.text for line in lines)
    assert sum("It rained" in line.text for line in lines) == 10
