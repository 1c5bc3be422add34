"""When old turns are folded into the rolling summary, and which."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from theact_tui.story.turn import Turn

SUMMARY_THRESHOLD = 1_500
FOLD_BATCH = 6


@dataclass(frozen=True, slots=True)
class Folding:
    """When turns are folded."""

    threshold: int = SUMMARY_THRESHOLD
    """Tokens of verbatim turns above which it is due."""
    batch: int = FOLD_BATCH
    """Turns older than the kept ones that must have gathered before it is due."""


FOLDING = Folding()
KEPT_TURNS = 4
KEPT_AT_CHAPTER_END = 2
"""Turns that stay word for word when a chapter ends; its recap stands for the others."""
LONG_SUMMARY = 350
"""Tokens of a rolling summary above which it is made shorter."""

Size = Callable[[Turn], int]
"""Tokens of a turn."""


def turns_to_keep(verbatim: Sequence[Turn], size: Size, window: int) -> int:
    """How many of the newest turns stay verbatim: the last 4, or as many as fit half the window, at least 1."""
    room, kept = window // 2, 0
    for turn in reversed(verbatim[-KEPT_TURNS:]):
        room -= size(turn)
        if room < 0 and kept:
            break
        kept += 1
    return kept


def turns_to_fold(
    verbatim: Sequence[Turn],
    size: Size,
    window: int,
    *,
    pages: int,
    held: int | None = None,
    folding: Folding = FOLDING,
) -> tuple[tuple[Turn, ...], ...]:
    """The turns to fold now, oldest first, in parts of `pages` tokens that each fit one call.

    `held`: the narrator's prompt is too long and holds only so many tokens of turns; then half of these are kept, so
    that several turns can follow before the next fold. Empty when folding is not due.
    """
    kept = turns_to_keep(verbatim, size, window if held is None else min(window, held))
    old = verbatim[: len(verbatim) - kept]
    long = sum(size(turn) for turn in verbatim) > folding.threshold
    if not old or not (held is not None or (long and len(old) >= folding.batch)):
        return ()
    parts: list[list[Turn]] = []
    left = 0
    for turn in old:
        if not parts or size(turn) > left:
            parts.append([])
            left = pages
        parts[-1].append(turn)
        left -= size(turn)
    return tuple(map(tuple, parts))
