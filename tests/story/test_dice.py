"""Dice: what counts as a risk of the line, and what a throw says."""

import pytest

from tests.story.risky_lines import HARMLESS, RISKY
from theact_tui.agents.narrator import verdict_for
from theact_tui.story.dice import is_in_line, may_risk, named_risk, resolution_of
from theact_tui.story.turn import Ruling


@pytest.mark.parametrize(
    ("words", "line", "known"),
    [
        ("leap over", "I leap over the gap.", True), ("LEAP over the gap", "I leap over the gap.", True),
        ("spring hinüber", "Ich spring hinüber!", True), ("飛び越える", "溝を飛び越える。", True),
        ("leap", "I walk on. (I could leap.)", False), ("jump", "I leap over the gap.", False),
        ("", "I leap over the gap.", False),
    ],
)  # fmt: skip
def test_a_risk_stands_in_the_line_as_it_can_be_seen(words: str, line: str, known: bool) -> None:
    assert is_in_line(words, line) is known


def test_a_risky_word_of_a_pack_stands_in_the_line_as_it_is() -> None:
    assert named_risk("I nod. I hold on to the rope!", ("wade", "hold on")) == "I hold on to the rope"
    assert named_risk("Do we wade? I nod.", ("wade",)) == "", "a question is no deed"
    assert named_risk("I ask what wading is.", ("wade", "hold on")) == ""


@pytest.mark.parametrize("language", RISKY)
def test_no_risk_of_a_labelled_line_is_lost_and_calls_for_nothing_are_halved(language: str) -> None:
    assert [line for line in RISKY[language] if not may_risk(line, ())] == []
    for_nothing = [line for line in HARMLESS[language] if may_risk(line, ())]
    assert 2 * len(for_nothing) <= len(HARMLESS[language])


def test_a_risky_word_of_the_pack_always_asks_the_keeper() -> None:
    assert not may_risk("Haul!", ()) and may_risk("Haul!", ("haul",))
    assert not may_risk("“I will haul it up.”", ()) and may_risk("“I will haul it up.”", ("haul",))


def test_a_throw_that_misses_refuses_nothing() -> None:
    told = [resolution_of(roll, 12) for roll in (1, 7, 8, 11, 12, 20)]
    assert told == [
        "1 against 12: not that, and at a price",
        "7 against 12: not that, but something else",
        "8 against 12: it works, at a price",
        "11 against 12: it works, at a price",
        "12 against 12: it works",
        "20 against 12: it works, better than hoped",
    ]


@pytest.mark.parametrize(
    ("roll", "verdict"),
    [
        (20, "it works, better than hoped"),
        (12, "it works"),
        (8, "it works, and costs time, a thing or a favour, no wound"),
        (7, "not that, but something else worth having comes of it"),
        (1, "not that, something else comes of it, and it costs time, a thing or a favour"),
    ],
)
def test_the_narrator_is_told_what_a_throw_costs_or_gives_instead(roll: int, verdict: str) -> None:
    ruling = Ruling(resolution=resolution_of(roll, 12), roll=roll, difficulty=12, risk="leap over the gap")
    assert verdict_for(ruling, "Alex") == f"Alex tries “leap over the gap”: {verdict}."
