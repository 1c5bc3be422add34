"""What changed in a memory: before and after as in the save's files, out come lines to show. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, Literal

ALIKE = 0.6
"""Likeness from which a line that went and a line that came count as one that changed."""

Kind = Literal["added", "changed", "removed"]
MARKS: dict[Kind, str] = {"added": "+", "changed": "~", "removed": "-"}
INKS: dict[Kind, str] = {"added": ".good", "changed": ".warn", "removed": ".faint"}


@dataclass(frozen=True, slots=True)
class Change:
    """One line that came, changed or went; `was` is what a changed one said before."""

    kind: Kind
    text: str
    was: str = ""


def memory_changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[Change, ...]:
    """The lines that differ, in the order of the new memory, those that went last. Summaries are not compared."""
    old, new = _lines(before), _lines(after)
    gone = [line for line in old if line not in new]
    found: list[Change] = []
    for line in new:
        if line in old:
            continue
        was = _nearest(line, gone)
        if was:
            gone.remove(was)
        found.append(Change("changed", line, was) if was else Change("added", line))
    return (*found, *(Change("removed", line) for line in gone))


def _lines(memory: Mapping[str, Any]) -> list[str]:
    rows: Sequence[Mapping[str, Any]] = memory.get("key_facts") or memory.get("cells") or ()
    return [text for row in rows if (text := str(row.get("text", "")).strip())]


def _nearest(line: str, candidates: Sequence[str]) -> str:
    ratios = {candidate: SequenceMatcher(None, line, candidate).ratio() for candidate in candidates}
    best = max(ratios, key=lambda candidate: ratios[candidate], default="")
    return best if best and ratios[best] >= ALIKE else ""
