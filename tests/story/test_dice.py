"""Dice: what counts as a risk of the line, and what a throw says."""

from __future__ import annotations

import pytest

from theact_tui.story.dice import is_in_line, named_risk, resolution_of


@pytest.mark.parametrize(
    ("words", "line", "known"),
    [
        ("leap over", "I leap over the gap.", True),
        ("LEAP over the gap", "I leap over the gap.", True),
        ("spring hinüber", "Ich spring hinüber!", True),
        ("飛び越える", "溝を飛び越える。", True),
        ("leap", "I walk on. (I could leap.)", False),
        ("jump", "I leap over the gap.", False),
        ("", "I leap over the gap.", False),
    ],
)
def test_a_risk_stands_in_the_line_as_it_can_be_seen(words: str, line: str, known: bool) -> None:
    assert is_in_line(words, line) is known


def test_a_risky_word_of_a_pack_stands_in_the_line_as_it_is() -> None:
    assert named_risk("I nod. I hold on to the rope!", ("wade", "hold on")) == "I hold on to the rope"
    assert named_risk("Do we wade? I nod.", ("wade",)) == "", "a question is no deed"
    assert named_risk("I ask what wading is.", ("wade", "hold on")) == ""


def test_a_throw_and_its_verdict() -> None:
    told = [resolution_of(roll, 12) for roll in (1, 11, 12, 20)]
    assert told == [
        "1 against 12: it fails badly",
        "11 against 12: it fails",
        "12 against 12: it works",
        "20 against 12: it works, better than hoped",
    ]
