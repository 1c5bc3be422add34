"""Reading a prompt ahead: what is known of the next one is sent to its server while the player reads and writes.

`may_warm` says which servers get one.
"""

import asyncio
import time
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass
from uuid import uuid4

from theact_tui.errors import CallError
from theact_tui.models.base import Model, Usage
from theact_tui.models.ledger import Call
from theact_tui.models.profiles import Profile
from theact_tui.prompting.sections import Prompt

AGENT = "warm-up"
"""The name of these calls in the ledger and in `X-Agent`."""
MOST_MISSES = 2
"""Warm-ups in a row that did not help; then the server gets none any more."""


def may_warm(profile: Profile, *, local: bool, useless: bool) -> bool:
    """Whether a server gets prompts ahead: none whose calls are counted by the minute; by default only a local one, and
    none that was seen to keep no prompts."""
    if profile.per_minute or profile.warm_up == "off":
        return False
    return profile.warm_up == "on" or (local and not useless)


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

    `keep` writes the call into the ledger; `tell` and `warn` let the user know.
    """

    def __init__(
        self, keep: Callable[[Call], None], tell: Callable[[str], None], warn: Callable[[str], None]
    ) -> None:
        self._keep, self._tell, self._warn = keep, tell, warn
        self._sent: _Sent | None = None
        self._misses = 0

    def begin(self, model: Model, prompt: Prompt, turn: int) -> None:
        """Send a prompt ahead after a turn, in place of the one before, where the model's server should get any."""
        if model.warms and not (self._sent and self._sent.begins(model, prompt)):
            self.cancel()
            self._sent = _Sent(
                model, prompt, asyncio.create_task(self._send(model, prompt, turn), name=AGENT)
            )

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
            self._warn(f"{model.provider} does not keep prompts, so none are sent ahead any more.")

    async def close(self) -> None:
        """Forget what was sent ahead, and wait until its call has ended."""
        if sent := self._sent:
            self.cancel()
            await asyncio.wait([sent.task])

    async def _send(self, model: Model, prompt: Prompt, turn: int) -> bool:
        call = Call(id=uuid4().hex[:12], turn=turn, agent=AGENT, provider=model.provider, model=model.name)
        call.asks(prompt)
        call.attempts, call.outcome, began = 1, "cancelled", time.monotonic()
        try:
            async with aclosing(model.warm_up(prompt)) as pieces:
                async for piece in pieces:
                    call.note(piece)
                    if piece.notice:
                        self._tell(piece.notice)
            call.outcome = "ok"
        except CallError as error:
            call.outcome, call.error = "failed", f"{error.kind}: {error.message}"
        finally:
            call.seconds = time.monotonic() - began
            self._keep(call)
        return call.outcome == "ok"
