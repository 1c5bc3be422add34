"""Pages in portions that one call of a record keeper takes in whole, so that nothing told is passed over."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from theact_tui.story.views import Witnessed

Fits = Callable[[tuple[Witnessed, ...]], bool]
"""True if a prompt holds these pages whole."""


def pages_of(turns: Sequence[Witnessed], fits: Fits) -> list[Witnessed]:
    """The turns; one that is too long for a call of its own is taken apart, entry by entry."""
    return [page for turn in turns for page in _parts(turn, fits)]


def _parts(turn: Witnessed, fits: Fits) -> list[Witnessed]:
    if len(turn.entries) < 2 or fits((turn,)):
        return [turn]
    return [replace(turn, entries=(entry,)) for entry in turn.entries]


def portion(pages: Sequence[Witnessed], fits: Fits) -> tuple[Witnessed, ...]:
    """The first pages that one call can take in whole; at least one."""
    taken = 1
    while taken < len(pages) and fits(tuple(pages[: taken + 1])):
        taken += 1
    return tuple(pages[:taken])
