"""What a moment is, which moments are kept, which of them are told, and what becomes of those that give way."""

from collections.abc import Sequence
from typing import Literal, get_args

from theact_tui.story.base import Value
from theact_tui.story.forgetting_and_recall import ArchivedLine, archive

MomentType = Literal[
    "combat_victory", "combat_defeat", "critical_success", "critical_failure", "discovery", "achievement",
    "turning_point",
]  # fmt: skip
MOMENT_TYPES: tuple[MomentType, ...] = get_args(MomentType)


class Moment(Value):
    """A significant event of the game."""

    turn: int
    type: MomentType
    summary: str
    significance: float = 0.5
    pinned: bool = False


MAX_MOMENTS = 15
TOLD_MOMENTS = 5
MAX_PINNED_MOMENTS = TOLD_MOMENTS - 1
"""One of those told to the narrator may always be a new one."""


def moment_of(turn: int, kind: str | None, summary: str | None, significance: float | None) -> Moment | None:
    """The moment a keeper's reply describes, or None: unknown type, no summary, significance outside 0 to 1."""
    known = next((name for name in MOMENT_TYPES if name == kind), None)
    weight = 0.5 if significance is None else significance
    text = (summary or "").strip()
    if not known or not text or not 0 <= weight <= 1:
        return None
    return Moment(turn=turn, type=known, summary=text, significance=weight)


def add_moment(moments: Sequence[Moment], new: Moment) -> tuple[Moment, ...]:
    """At most `MAX_MOMENTS`: the least significant that is not pinned goes, at a tie the oldest."""
    kept = [*moments, new]
    while len(kept) > MAX_MOMENTS and (loose := [moment for moment in kept if not moment.pinned]):
        kept.remove(min(loose, key=lambda moment: (moment.significance, moment.turn)))
    return tuple(kept)


def top_moments(moments: Sequence[Moment]) -> tuple[Moment, ...]:
    """The most significant, in turn order; pinned ones first of all, and all of them."""
    count = max(TOLD_MOMENTS, sum(moment.pinned for moment in moments))
    best = sorted(moments, key=lambda moment: (not moment.pinned, -moment.significance, -moment.turn))[:count]
    return tuple(sorted(best, key=lambda moment: moment.turn))


def archive_moments(chronicle: str, before: Sequence[Moment], after: Sequence[Moment]) -> str:
    """The chronicle with the moments that are not kept any more."""
    gone = [moment for moment in before if moment not in after]
    return archive(chronicle, [ArchivedLine(moment.turn, moment.summary, important=True) for moment in gone])
