"""Reading a prompt ahead: what is known of the next one is sent to its server while the player reads and writes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass
from uuid import uuid4

from theact_tui.engine.bus import Bus
from theact_tui.engine.events import Notice
from theact_tui.errors import CallError
from theact_tui.models.base import Model, Usage
from theact_tui.models.ledger import Call
from theact_tui.prompting.sections import Prompt

AGENT = "warm-up"
"""The name of these calls in the ledger and in `X-Agent`."""
MOST_MISSES = 2
"""Warm-ups in a row that did not help; then the server gets none any more."""


@dataclass(frozen=True, slots=True)
class _Sent:
    """What was sent ahead, and whether it was read."""

    model: Model
    prompt: Prompt
    task: asyncio.Task[bool]

    def begins(self, model: Model, prompt: Prompt) -> bool:
        """True if a prompt for `model` begins with it."""
        (*above, mine), (*others, whole) = self.prompt.messages(), prompt.messages()
        same = (model.provider, model.name, others) == (self.model.provider, self.model.name, above)
        return same and f"{whole['content']}\n\n".startswith(f"{mine['content']}\n\n")


class WarmUp:
    """At most one prompt, sent ahead for one token, whose answer is dropped. What goes wrong with it is told to nobody.

    `keep` writes the call into the ledger.
    """

    def __init__(self, bus: Bus, keep: Callable[[Call], None]) -> None:
        self._bus, self._keep = bus, keep
        self._sent: _Sent | None = None
        self._misses = 0

    def begin(self, model: Model, prompt: Prompt) -> None:
        """Send a prompt ahead, in place of the one before; nothing where the model's server should not get any."""
        if model.warms and not (self._sent and self._sent.begins(model, prompt)):
            self.cancel()
            self._sent = _Sent(model, prompt, asyncio.create_task(self._send(model, prompt), name=AGENT))

    def cancel(self) -> None:
        """Forget what was sent ahead; a call that still runs ends."""
        if self._sent:
            self._sent.task.cancel()
            self._sent = None

    async def before(self, model: Model, prompt: Prompt) -> int:
        """To be awaited before a call: the tokens of its prompt that were sent ahead, 0 for none.

        Where the server still reads them the call waits, as it would there; where the prompt is another, the server is
        stopped.
        """
        sent = self._sent
        if sent is None or sent.model.provider != model.provider:
            return 0
        if not sent.begins(model, prompt):
            self.cancel()
            return 0
        await asyncio.wait([sent.task])
        self._sent = None
        return sent.prompt.tokens if not sent.task.cancelled() and sent.task.result() else 0

    def judge(self, model: Model, tokens: int, usage: Usage) -> None:
        """Learn from a call of which so many tokens were sent ahead whether its server had kept them."""
        if not tokens or usage.cached is None:
            return
        self._misses = 0 if usage.cached >= tokens // 2 else self._misses + 1
        if self._misses == MOST_MISSES:
            model.stop_warming()
            self._bus.warn(f"{model.provider} does not keep prompts, so none are sent ahead any more.")

    async def close(self) -> None:
        """Forget what was sent ahead, and wait until its call has ended."""
        if sent := self._sent:
            self.cancel()
            await asyncio.wait([sent.task])

    async def _send(self, model: Model, prompt: Prompt) -> bool:
        call = Call(
            id=uuid4().hex[:12], turn=self._bus.turn, agent=AGENT, provider=model.provider, model=model.name
        )
        call.asks(prompt)
        call.attempts, call.outcome, began = 1, "cancelled", time.monotonic()
        try:
            async with aclosing(model.warm_up(prompt)) as pieces:
                async for piece in pieces:
                    call.note(piece)
                    if piece.notice:
                        self._bus.publish(Notice(text=piece.notice))
            call.outcome = "ok"
        except CallError as error:
            call.outcome, call.error = "failed", f"{error.kind}: {error.message}"
        finally:
            call.seconds = time.monotonic() - began
            self._keep(call)
        return call.outcome == "ok"
