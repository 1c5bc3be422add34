"""The bench of record keepers counts each slip, and none in a good answer."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from tests.benchmarks.keepers import Case, Row, cases, slips
from theact_tui.agents.prompts import TEMPLATES

MOMENT = {
    "quote": "I opened the cocks",
    "moment_type": "discovery",
    "moment_summary": "Agnes sank the ferry.",
}
FACT = {"fact": "Agnes admitted to Nell that she sank the ferry.", "kind": "secret"}
TWO = "Nell asked about the ferry. Agnes owned up."


@cache
def by_id() -> dict[str, Case]:
    return {case.id: case for case in cases()}


@pytest.mark.parametrize(
    ("case", "reply", "is_first", "named"),
    [
        ("memory 6", {"new": [FACT], "changed": []}, True, []),
        ("memory 6", {"new": [], "changed": []}, True, ["wrong"]),
        ("memory 1", {"new": [FACT], "changed": []}, True, ["wrong"]),
        ("memory 1", {"new": [], "changed": []}, False, ["unread"]),
        ("cell 10", {"text": TWO}, True, []),
        ("cell 10", {"text": f"{TWO} {TWO}"}, True, ["length"]),
        ("cell 10", {"text": "The ledger was burned by old Maude."}, True, ["names"]),
        ("cell 10", {"text": "A promise or a secret was told."}, True, ["ours"]),
        (
            "cell 10",
            {"text": "The pages curl, brown first and then orange, and eleven years of tolls go up."},
            True,
            ["copied"],
        ),
        ("moment 10", {"moments": [MOMENT]}, True, ["source"]),
        ("risk salt-road True", {"risk": "jump into the river", "difficulty": 12}, True, []),
        ("risk salt-road True", {"risk": "a jump", "difficulty": 12}, True, ["source", "wrong"]),
    ],
)
def test_each_slip_is_counted(case: str, reply: dict[str, Any], is_first: bool, named: list[str]) -> None:
    asked = by_id()[case]
    assert slips(asked, Row("w", case, "m", 1, reply, is_first, 0), TEMPLATES[asked.kind]) == named
