"""When and which turns are folded into the rolling summary (S5.1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from theact_tui.story.turn import Turn

SUMMARY_THRESHOLD = 1_500
"""Tokens of verbatim turns above which folding is due."""
FOLD_BATCH = 6
"""Turns older than the kept ones that must have gathered before folding is due."""
KEPT_TURNS = 4

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
    verbatim: Sequence[Turn], size: Size, window: int, *, pages: int, held: int | None = None
) -> tuple[tuple[Turn, ...], ...]:
    """The turns to fold now, oldest first, in parts of `pages` tokens that each fit one call.

    `held`: the narrator's prompt is too long and holds only so many tokens of turns; then half of these are kept, so
    that several turns can follow before the next fold. Empty when folding is not due.
    """
    kept = turns_to_keep(verbatim, size, window if held is None else min(window, held))
    old = verbatim[: len(verbatim) - kept]
    long = sum(size(turn) for turn in verbatim) > SUMMARY_THRESHOLD
    if not old or not (held is not None or (long and len(old) >= FOLD_BATCH)):
        return ()
    return _parts(old, size, pages)


def _parts(turns: Sequence[Turn], size: Size, room: int) -> tuple[tuple[Turn, ...], ...]:
    parts: list[list[Turn]] = [[]]
    left = room
    for turn in turns:
        if parts[-1] and size(turn) > left:
            parts.append([])
            left = room
        parts[-1].append(turn)
        left -= size(turn)
    return tuple(tuple(part) for part in parts if part)
