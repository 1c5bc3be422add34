"""What the steps of a turn and the work after it share: models, bus, counts, notices."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from theact_tui.agents.base import Agent
from theact_tui.engine.agent_runner import AgentRunner, CallTally
from theact_tui.engine.bus import Bus
from theact_tui.models.base import View
from theact_tui.story.turn import Turn

V = TypeVar("V", bound=View)


async def _no_turns(first: int, last: int) -> tuple[Turn, ...]:
    return ()


@dataclass(frozen=True, slots=True)
class TurnContext:
    """What every piece of the work in and after a turn is given."""

    agents: AgentRunner
    bus: Bus
    tally: CallTally = field(default_factory=CallTally)
    take: int = 1
    read_turns: Callable[[int, int], Awaitable[tuple[Turn, ...]]] = _no_turns
    """Reads turns first to last, inclusive, from the save."""
    deferred: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the next input waits: what has not begun is left pending."""
    notices: list[str] = field(default_factory=list)
    """What the turn itself will say of this work."""

    async def ask(self, agent: Agent[V], view: V, key: str = "") -> Any:
        """The typed reply of an agent, counted. Raises `CallError`."""
        return (await self.agents.call(self.agents.prepare(agent, view, key), self.tally)).reply

    def warn(self, text: str) -> None:
        """Say what is missing, now and in the turn."""
        self.notices.append(text)
        self.bus.warn(text)
