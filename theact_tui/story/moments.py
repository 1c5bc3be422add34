"""Moments: which are kept, and which the narrator is told (S5.4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from theact_tui.story.turn import Moment, MomentType

MAX_MOMENTS = 15
TOLD_MOMENTS = 5
MAX_PINNED_MOMENTS = TOLD_MOMENTS - 1
"""One of those told to the narrator may always be a new one."""
MOMENT_TYPES: tuple[MomentType, ...] = get_args(MomentType)


def moment_of(turn: int, kind: str | None, summary: str | None, significance: float | None) -> Moment | None:
    """The moment a keeper's reply describes, or None: unknown type, no summary, significance outside 0 to 1."""
    known = next((name for name in MOMENT_TYPES if name == kind), None)
    weight = 0.5 if significance is None else significance
    if known is None or not (summary or "").strip() or not 0 <= weight <= 1:
        return None
    return Moment(turn=turn, type=known, summary=(summary or "").strip(), significance=weight)


def add_moment(moments: Sequence[Moment], new: Moment) -> tuple[Moment, ...]:
    """At most `MAX_MOMENTS`: the least significant that is not pinned goes, at a tie the oldest."""
    kept = [*moments, new]
    while len(kept) > MAX_MOMENTS:
        loose = [moment for moment in kept if not moment.pinned]
        if not loose:
            break
        kept.remove(min(loose, key=lambda moment: (moment.significance, moment.turn)))
    return tuple(kept)


def top_moments(moments: Sequence[Moment], count: int = TOLD_MOMENTS) -> tuple[Moment, ...]:
    """The `count` most significant, in turn order; pinned ones first of all, and all of them."""
    count = max(count, sum(moment.pinned for moment in moments))
    best = sorted(moments, key=lambda moment: (not moment.pinned, -moment.significance, -moment.turn))[:count]
    return tuple(sorted(best, key=lambda moment: moment.turn))


def can_pin_moment(moments: Sequence[Moment]) -> bool:
    """True while another moment may be pinned."""
    return sum(moment.pinned for moment in moments) < MAX_PINNED_MOMENTS
