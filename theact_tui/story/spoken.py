"""A turn whose prose is complete but whose after-turn work is not: what the journal holds (S3.5)."""

from __future__ import annotations

from theact_tui.story.base import Value
from theact_tui.story.turn import Turn


class Spoken(Value):
    """Enough to finish a turn after a crash."""

    parent: str
    """Commit id this turn follows; a journal whose parent is not the branch's head is void."""
    branch: str
    turn: Turn
    present: tuple[str, ...]
    held: dict[str, bool] = {}
    rolls: int = 0
