"""What a save keeps of a turn before it is part of the story: the line that was sent, then the spoken turn (S3.5)."""

from __future__ import annotations

from theact_tui.story.base import Value
from theact_tui.story.turn import Turn


class Unsent(Value):
    """A line that was sent and is not told yet. It is void once another turn follows, and after a change of branch."""

    branch: str
    after: int
    """The turn it was sent after."""
    text: str
    again: bool = False
    """It was to tell that turn again, in other words."""


class Spoken(Value):
    """Enough to finish a turn after a crash."""

    parent: str
    """Commit id this turn follows; a journal whose parent is not the branch's head is void."""
    branch: str
    turn: Turn
    present: tuple[str, ...]
    held: dict[str, bool] = {}
    rolls: int = 0
