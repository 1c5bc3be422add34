"""What the work after one turn has at hand: whom to ask, whom to tell, what was spent, and whether to hurry."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from theact_tui.engine.bus import Bus
from theact_tui.engine.desk import Desk, Tally
from theact_tui.engine.events import Notice
from theact_tui.story.turn import Turn

ReadTurns = Callable[[int, int], Awaitable[tuple[Turn, ...]]]
"""Reads turns first to last, inclusive, from the save."""


@dataclass(frozen=True, slots=True)
class Means:
    """Shared by every piece of that work."""

    desk: Desk
    bus: Bus
    read_turns: ReadTurns
    tally: Tally
    take: int = 1
    hurry: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the next input waits: what has not begun is left pending."""
    notices: list[str] = field(default_factory=list)
    """What the turn itself will say of this work."""

    def warn(self, text: str) -> None:
        """Say what is missing, now and in the turn."""
        self.notices.append(text)
        self.bus.publish(Notice(text=text, level="warning"))
