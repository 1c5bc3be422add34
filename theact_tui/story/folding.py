"""Choose old turns to fold into the rolling summary."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from theact_tui.story.turn import Turn

SUMMARY_THRESHOLD = 1_500
FOLD_BATCH = 6


@dataclass(frozen=True, slots=True)
class Folding:
    threshold: int = SUMMARY_THRESHOLD
    batch: int = FOLD_BATCH
    """Turns beyond those that stay before folding."""


FOLDING = Folding()
KEPT_TURNS = 4
KEPT_AT_CHAPTER_END = 2
"""Verbatim turns at a chapter's end; its recap replaces the others."""
LONG_SUMMARY = 350

Size = Callable[[Turn], int]


def turns_to_keep(verbatim: Sequence[Turn], size: Size, window: int) -> int:
    """Count the newest turns that stay verbatim: 4, or as many as fit half the window, at least 1."""
    room, count = window // 2, 0
    for turn in reversed(verbatim[-KEPT_TURNS:]):
        room -= size(turn)
        if room < 0 and count:
            break
        count += 1
    return count


def turns_to_fold(
    verbatim: Sequence[Turn],
    size: Size,
    window: int,
    *,
    part_tokens: int,
    verbatim_tokens: int | None = None,
    folding: Folding = FOLDING,
) -> tuple[tuple[Turn, ...], ...]:
    """Return the turns to fold, oldest first, in parts of `part_tokens`; () if not due.

    `verbatim_tokens`: tokens of turns in a narrator's prompt that is too long. Then half of these stay.
    """
    count = turns_to_keep(verbatim, size, window if verbatim_tokens is None else min(window, verbatim_tokens))
    old = verbatim[: len(verbatim) - count]
    long = sum(size(turn) for turn in verbatim) > folding.threshold
    if not old or not (verbatim_tokens is not None or (long and len(old) >= folding.batch)):
        return ()
    parts: list[list[Turn]] = []
    left = 0
    for turn in old:
        if not parts or size(turn) > left:
            parts.append([])
            left = part_tokens
        parts[-1].append(turn)
        left -= size(turn)
    return tuple(map(tuple, parts))
