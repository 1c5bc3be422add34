"""When a call is made again, and how: less asked of the server, more room to think, or just later (S8.3)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

from theact_tui.errors import CallError
from theact_tui.models.failures import LONGEST_WAIT, RETRIES, Failure, Overflow, suspected_overflow
from theact_tui.models.profiles import has_path
from theact_tui.models.server_state import Capabilities, ServerState
from theact_tui.prompting.sections import Message


@dataclass(frozen=True, slots=True)
class Again:
    """Make the call again after so many seconds. `counts` is False for a mere change of how we ask."""

    wait: float = 0.0
    counts: bool = True

    @property
    def when(self) -> str:
        """A sentence about a wait that is long enough to be noticed."""
        return f" Trying again in {round(self.wait)} seconds." if self.wait >= 2 else ""


class Retrying:
    """The attempts at one call. `manner` is how to ask next."""

    def __init__(self, knowledge: ServerState, messages: list[Message], limit: int) -> None:
        """`limit` is the profile's context limit, in tokens."""
        self.manner: Capabilities = knowledge.abilities
        self.loose = knowledge.loose
        """True when no shape is asked for any more, because the server failed while it was."""
        self._knowledge = knowledge
        self._messages = messages
        self._limit = limit
        self._tries: Counter[str] = Counter()

    def after(self, failure: Failure, body: dict[str, Any]) -> Again:
        """What to do after a failed attempt with `body`.

        Raises Overflow when a smaller prompt would help, and CallError when nothing would.
        """
        if failure.kind == "address" and not has_path(self._knowledge.base_url) and not self.manner.path:
            self.manner = replace(self.manner, path="/v1")
            return Again(counts=False)
        if (less := self.manner.without(failure, body)) is not None:
            self.manner = less
            return Again(counts=False)
        self._tries[failure.kind] += 1
        match failure.kind:
            case "overflow":
                raise self._overflow(failure, body)
            case "thought" if self._tries["thought"] == 1:
                room = self._knowledge.window(self._limit) - self._prompt
                if self._knowledge.think_longer(allowance(body), room):
                    self.manner = replace(self.manner, thought=self._knowledge.abilities.thought)
                    return Again()
            case "server" | "malformed":
                self.loose = True
        tries = self._tries[failure.kind]
        later = failure.wait is not None and failure.wait > LONGEST_WAIT
        if later or tries > RETRIES.get(failure.kind, 0):
            if failure.kind == "empty" and self._knowledge.suspects(self._prompt):
                raise self._overflow(suspected_overflow(failure, self._prompt), body)
            total = self._tries.total()
            raise CallError(
                failure.kind, failure.sentence + (f" (Tried {total} times.)" if total > 1 else "")
            )
        return Again(failure.wait if failure.wait is not None else min(8.0, 0.5 * 2.0 ** (tries - 1)))

    @property
    def _prompt(self) -> int:
        return self._knowledge.tokens.count_messages(self._messages)

    def _overflow(self, failure: Failure, body: dict[str, Any]) -> Overflow:
        self._knowledge.overflowed(failure, self._messages, allowance(body))
        return Overflow(failure.sentence, self._knowledge.window(self._limit))


def allowance(body: dict[str, Any]) -> int:
    """The reply tokens that a request allows."""
    return int(body.get("max_tokens") or body.get("max_completion_tokens") or 0)
