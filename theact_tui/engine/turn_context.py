"""Context shared by a turn's steps and the work after it."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from theact_tui.agents.agent import Agent
from theact_tui.engine.agent_runner import AgentReply, AgentRunner, CallTally, PreparedCall
from theact_tui.engine.bus import Bus
from theact_tui.engine.cancellation import Stoppable, Stopped
from theact_tui.errors import CallError, TheActError
from theact_tui.models.environment import unexpected
from theact_tui.models.model import View
from theact_tui.story.memory import Memory
from theact_tui.story.turn import Turn

V = TypeVar("V", bound=View)
_log = logging.getLogger(__name__)


async def _no_turns(first: int, last: int) -> tuple[Turn, ...]:
    return ()


def fault(action: str, error: Exception) -> str:
    """Log an internal error and return a sentence."""
    _log.error("%s failed", action, exc_info=error)
    return f"{action} failed by a fault of this program: {unexpected(error)}."


@dataclass(frozen=True, slots=True)
class TurnContext:
    agents: AgentRunner
    bus: Bus
    tally: CallTally = field(default_factory=CallTally)
    take: int = 1
    base: str = ""
    """Commit that a further take is told from; "" for the save's newest."""
    replaced: Mapping[str, Memory] = field(default_factory=dict)
    """Memories after the take that is told again."""
    read_turns: Callable[[int, int], Awaitable[tuple[Turn, ...]]] = _no_turns
    """Reads saved turns of a range, inclusive."""
    deferred: asyncio.Event = field(default_factory=asyncio.Event)
    """Set while the next input waits: work not begun stays pending."""
    notices: list[str] = field(default_factory=list)

    work: Stoppable = field(default_factory=Stoppable)
    """Owner of calls; once stopped they fail."""

    async def ask(self, agent: Agent[V], view: V, key: str = "") -> Any:
        return (await self.call(self.agents.prepare(agent, view, key))).reply

    async def call(self, prepared: PreparedCall[V]) -> AgentReply:
        """Return the reply to a prepared call, counted. Raises `CallError`, also if the work is stopped."""
        try:
            return await self.work.run(self.agents.call(prepared, self.tally))
        except Stopped:
            raise CallError("stopped", "Stopped.") from None
        except TheActError:
            raise
        except Exception as error:
            raise CallError("fault", fault("A call", error)) from error

    def warn(self, text: str, *, in_turn: bool = True) -> None:
        """Report a failure, with `in_turn` in the turn too; silent if the player stopped."""
        if not self.work.is_stopped:
            self.notices.extend([text] if in_turn else [])
            self.bus.warn(text)
