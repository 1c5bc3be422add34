"""Choose old turns to fold into the rolling summary."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from theact_tui.story.turn import Turn

MOST_VERBATIM, VERBATIM_SHARE = 4_500, 0.6
"""Tokens of turns kept word for word, and their share of what the narrator's prompt may hold."""
VERBATIM_UNCACHED = 1_500
"""The same where the server reads every prompt anew."""
FOLD_BATCH = 6


@dataclass(frozen=True, slots=True)
class Folding:
    threshold: int = VERBATIM_UNCACHED
    """Tokens of turns word for word."""
    batch: int = FOLD_BATCH
    """Turns beyond those that stay before folding."""


FOLDING = Folding()


def verbatim_tokens(prompt_room: int, *, is_cached: bool) -> int:
    """Return how many tokens of turns stay word for word. `is_cached`: the server keeps the prompts that it has read."""
    return min(MOST_VERBATIM, int(VERBATIM_SHARE * prompt_room)) if is_cached else VERBATIM_UNCACHED


KEPT_TURNS = 4
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
