"""Moments: which stay, which are told, and where others go."""

from collections.abc import Sequence
from typing import Literal, get_args

from theact_tui.story.forgetting_and_recall import ArchivedLine, archive
from theact_tui.story.value import Value

MomentType = Literal[
    "combat_victory", "combat_defeat", "critical_success", "critical_failure", "discovery", "achievement",
    "turning_point",
]  # fmt: skip
MOMENT_TYPES: tuple[MomentType, ...] = get_args(MomentType)


class Moment(Value):
    turn: int
    type: MomentType
    summary: str
    significance: float = 0.5
    pinned: bool = False


MAX_MOMENTS = 15
TOLD_MOMENTS = 5
MAX_PINNED_MOMENTS = TOLD_MOMENTS - 1
"""Leaves one told moment free for a new one."""


def moment_of(turn: int, kind: str | None, summary: str | None, significance: float | None) -> Moment | None:
    """Make a moment from a reply; None for an unknown type, no summary, or significance outside 0 to 1."""
    type_name = next((name for name in MOMENT_TYPES if name == kind), None)
    weight = 0.5 if significance is None else significance
    text = (summary or "").strip()
    if not type_name or not text or not 0 <= weight <= 1:
        return None
    return Moment(turn=turn, type=type_name, summary=text, significance=weight)


def add_moment(moments: Sequence[Moment], new: Moment) -> tuple[Moment, ...]:
    remaining = [*moments, new]
    while len(remaining) > MAX_MOMENTS and (loose := [moment for moment in remaining if not moment.pinned]):
        remaining.remove(min(loose, key=lambda moment: (moment.significance, moment.turn)))
    return tuple(remaining)


def top_moments(moments: Sequence[Moment]) -> tuple[Moment, ...]:
    """Return pinned moments and the most significant others, in turn order."""
    count = max(TOLD_MOMENTS, sum(moment.pinned for moment in moments))
    best = sorted(moments, key=lambda moment: (not moment.pinned, -moment.significance, -moment.turn))[:count]
    return tuple(sorted(best, key=lambda moment: moment.turn))


def archive_moments(chronicle: str, before: Sequence[Moment], after: Sequence[Moment]) -> str:
    removed = [moment for moment in before if moment not in after]
    return archive(
        chronicle, [ArchivedLine(moment.turn, moment.summary, important=True) for moment in removed]
    )
