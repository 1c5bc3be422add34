"""What the labelled chapters of `tests/support/beats` come to."""

from random import Random

from tests.support.beats.chapters import Figures, Reader, load_stories, play_chapter, scripted

MOST = 10
"""Percent of true claims that may be lost, and of false ones that may pass."""


async def figures(kind: str, wrong: float, seed: int = 0) -> Figures:
    total = Figures()
    for story in load_stories():
        total += await play_chapter(story, scripted(story, Reader(kind, wrong, Random(seed))))
    return total


async def test_true_claims_count_and_false_ones_do_not_in_three_languages() -> None:
    careful, weak = await figures("careful", 0), await figures("weak", 0)
    assert careful.true_claims == 18 and weak.true_claims == 18 and weak.false_claims > 40
    for read in (careful, weak):
        assert read.shares()["lost_%"] <= MOST and read.shares()["passed_%"] <= MOST
        assert all(8 <= turns <= 14 for turns in read.chapter_turns) and read.least_beats >= 0.5


async def test_no_chapter_ends_with_under_half_of_its_beats_where_half_of_the_answers_are_wrong() -> None:
    for seed in range(3):
        assert (await figures("weak", 0.5, seed)).least_beats >= 0.5
