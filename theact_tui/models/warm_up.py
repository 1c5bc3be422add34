"""Send the start of the next prompt ahead while the player reads."""

import asyncio
import time
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass
from uuid import uuid4

from theact_tui.errors import CallError
from theact_tui.models.ledger import Call
from theact_tui.models.model import Model, Usage
from theact_tui.models.profiles import Profile
from theact_tui.prompting.sections import Prompt

AGENT = "warm-up"
"""Name of these calls in the ledger and in `X-Agent`."""
_MOST_MISSES = 2
"""Useless warm-ups in a row before they stop."""


def may_warm(profile: Profile, *, local: bool, useless: bool) -> bool:
    """True if the server gets warm-ups: no limit per minute, and by default local and not `useless`."""
    if profile.per_minute or profile.warm_up == "off":
        return False
    return profile.warm_up == "on" or (local and not useless)


@dataclass(frozen=True, slots=True)
class _Sent:
    model: Model
    prompt: Prompt
    task: asyncio.Task[bool]

    def begins(self, model: Model, prompt: Prompt) -> bool:
        (*above, mine), (*others, whole) = self.prompt.messages(), prompt.messages()
        same = (model.provider, model.name, others) == (self.model.provider, self.model.name, above)
        return same and f"{whole['content']}\n\n".startswith(f"{mine['content']}\n\n")


class WarmUp:
    """Sends at most one prompt, for one token, and drops reply and errors. `keep` stores the call; `inform` and
    `warn` tell the user.
    """

    def __init__(
        self, keep: Callable[[Call], None], inform: Callable[[str], None], warn: Callable[[str], None]
    ) -> None:
        self._keep, self._inform, self._warn = keep, inform, warn
        self._sent: _Sent | None = None
        self._misses = 0

    def begin(self, model: Model, prompt: Prompt, turn: int) -> None:
        if model.warms and not (self._sent and self._sent.begins(model, prompt)):
            self.cancel()
            self._sent = _Sent(
                model, prompt, asyncio.create_task(self._send(model, prompt, turn), name=AGENT)
            )

    def cancel(self) -> None:
        if self._sent:
            self._sent.task.cancel()
            self._sent = None

    async def before(self, model: Model, prompt: Prompt) -> int:
        """Wait until the server read a prompt sent ahead; return its tokens. For another prompt cancel it and return 0."""
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
        """Learn from a call whether the server kept the `tokens` sent ahead."""
        if not tokens or usage.cached is None:
            return
        self._misses = 0 if usage.cached >= tokens // 2 else self._misses + 1
        if self._misses == _MOST_MISSES:
            model.stop_warming()
            self._warn(f"{model.provider} does not keep prompts, so none are sent ahead any more.")

    async def close(self) -> None:
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
                        self._inform(piece.notice)
            call.outcome = "ok"
        except CallError as error:
            call.outcome, call.error = "failed", f"{error.kind}: {error.message}"
        finally:
            call.seconds = time.monotonic() - began
            self._keep(call)
        return call.outcome == "ok"
