"""What the steps of a turn and the work after it share: models, bus, counts, notices."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from theact_tui.agents.base import Agent
from theact_tui.engine.agent_runner import AgentReply, AgentRunner, CallTally, PreparedCall
from theact_tui.engine.bus import Bus
from theact_tui.engine.cancellation import Stoppable, Stopped
from theact_tui.errors import CallError, TheActError
from theact_tui.models.base import View
from theact_tui.models.environment import unexpected
from theact_tui.story.turn import Turn

V = TypeVar("V", bound=View)
_log = logging.getLogger(__name__)


async def _no_turns(first: int, last: int) -> tuple[Turn, ...]:
    return ()


def fault(what: str, error: Exception) -> str:
    """A sentence about a fault of ours; the log has the trace."""
    _log.error("%s failed", what, exc_info=error)
    return f"{what} failed by a fault of this program: {unexpected(error)}."


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

    work: Stoppable = field(default_factory=Stoppable)
    """What `call` and `ask` belong to: once it is stopped they fail."""

    async def ask(self, agent: Agent[V], view: V, key: str = "") -> Any:
        """The typed reply of an agent, counted. Raises `CallError`."""
        return (await self.call(self.agents.prepare(agent, view, key))).reply

    async def call(self, prepared: PreparedCall[V]) -> AgentReply:
        """The reply to a prepared call, counted. Raises `CallError`, also when the work is stopped."""
        try:
            return await self.work.run(self.agents.call(prepared, self.tally))
        except Stopped:
            raise CallError("stopped", "Stopped.") from None
        except TheActError:
            raise
        except Exception as error:
            raise CallError("fault", fault("A call", error)) from error

    def warn(self, text: str, *, in_turn: bool = True) -> None:
        """Say what is missing, now and with `in_turn` in the turn as well; nothing where the player stopped it."""
        if not self.work.is_stopped:
            self.notices.extend([text] if in_turn else [])
            self.bus.warn(text)
