"""What differs between two memories of one character: lines that came, changed or went (S9, S10). Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from rapidfuzz import fuzz

from theact_tui.story.memory import Cell, Fact, Memory, lines_of

ALIKE = 60
"""Percent of likeness from which a line that went and a line that came count as one that changed."""

Kind = Literal["added", "changed", "removed"]
Line = Fact | Cell


@dataclass(frozen=True, slots=True)
class Change:
    """One line that came, changed or went; `was` is what a changed one said before."""

    kind: Kind
    text: str
    was: str = ""
    turn: int = field(default=0, compare=False)
    """Where the line came from."""


def memory_changes(before: Memory | None, after: Memory) -> tuple[Change, ...]:
    """How a memory became another. Summaries are not compared."""
    return line_changes(lines_of(before) if before else (), lines_of(after))


def line_changes(
    before: Iterable[Line], after: Iterable[Line], *, same_turn: bool = False
) -> tuple[Change, ...]:
    """The lines that differ, in the order of `after`, those that went last. Lines without a text do not count.

    With `same_turn` a line counts as changed only if it comes from the same turn; a cell always does.
    """
    old, new = _told(before), _told(after)
    gone = [line for line in old if line.text not in {kept.text for kept in new}]
    known = {line.text for line in old}
    found: list[Change] = []
    for line in new:
        if line.text in known:
            continue
        was = _nearest(line, gone, same_turn)
        if was:
            gone.remove(was)
            found.append(Change("changed", line.text, was.text, line.turn))
        else:
            found.append(Change("added", line.text, turn=line.turn))
    return (*found, *(Change("removed", line.text, turn=line.turn) for line in gone))


def _told(lines: Iterable[Line]) -> list[Line]:
    return [line for line in lines if line.text.strip()]


def _nearest(line: Line, candidates: Sequence[Line], same_turn: bool) -> Line | None:
    """The candidate that `line` has taken the place of, or None."""
    if isinstance(line, Cell):
        return next((other for other in candidates if other.turn == line.turn), None)
    rivals = [other for other in candidates if other.turn == line.turn or not same_turn]
    best = max(rivals, key=lambda other: fuzz.ratio(line.text, other.text), default=None)
    return best if best and fuzz.ratio(line.text, best.text) >= ALIKE else None
