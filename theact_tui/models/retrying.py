"""Retries of failed calls: how often, how long to wait, what to change."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from theact_tui.errors import CallError
from theact_tui.models.addresses import has_path
from theact_tui.models.context_window import ContextWindow
from theact_tui.models.failures import Failure, Overflow
from theact_tui.models.server_capabilities import Capabilities
from theact_tui.prompting.sections import Message

RETRIES = {"busy": 2, "loading": 12, "server": 2, "cut": 2, "timeout": 1, "malformed": 1}
RETRIES |= {"empty": 1, "unspoken": 1, "filtered": 1}
"""Retries by kind of failure; other kinds have none."""
_SAME_AGAIN_AFTER = 0.5
"""Seconds. A refusal without a reason may be over: LM Studio sends one while it reloads a model."""
_LONGEST_WAIT = 60.0
"""Seconds; a server that asks for more is given up."""


class Retrying:
    def __init__(self, context: ContextWindow, messages: list[Message]) -> None:
        self._knowledge, self._context = context.knowledge, context
        self._messages = messages
        self._tries: Counter[str] = Counter()
        self.first = self.manner = self._knowledge.manner()
        self._suspects: list[Capabilities] | None = None
        """Manners left to try after a refusal that named no parameter."""
        self.loose = self._knowledge.loose
        """True once no schema is sent, because the server failed with one."""

    def after(self, failure: Failure, body: dict[str, Any]) -> float | None:
        """Return seconds until the next attempt; None if only the manner changes.

        Raises Overflow if a smaller prompt would help, CallError if nothing would.
        """
        if failure.kind == "address" and not has_path(self._knowledge.base_url) and not self.manner.path:
            self.manner = replace(self.manner, path="/v1")
            return None
        if (less := self.manner.without(failure, body)) is not None:
            self.manner, self._suspects = less, None
            return None
        if failure.kind == "request" and failure.status in (400, 422):
            if self._suspects is None and (suspects := self.manner.suspects(body, self._knowledge.now())):
                self._suspects = suspects
                return _SAME_AGAIN_AFTER
            if self._suspects:
                self.manner = self._suspects.pop(0)
                return None
        self._tries[failure.kind] += 1
        match failure.kind:
            case "overflow":
                raise self._overflow(failure, body)
            case "thought" if self._tries["thought"] == 1:
                room = self._context.whole - self._prompt
                if self._context.think_longer(allowance(body), room):
                    self.manner = replace(self.manner, thought=self._knowledge.abilities.thought)
                    return 0.0
            case "server" | "malformed":
                self.loose = True
        tries, wait = self._tries[failure.kind], failure.wait
        later = wait is not None and wait > _LONGEST_WAIT
        if later or tries > RETRIES.get(failure.kind, 0):
            if failure.kind == "empty" and self._context.suspects(self._prompt):
                text = f"{failure.sentence} Its window may be too small for the prompt's {self._prompt:,} tokens: "
                text += "lower its context window in the settings."
                raise self._overflow(replace(failure, sentence=text), body)
            pause = f" It asks to wait {round(wait or 0)} seconds: try again after that."
            total = self._tries.total()
            tried = f" (Tried {total} times.)" if total > 1 else ""
            text = failure.sentence + (pause if later and failure.kind == "busy" else "")
            raise CallError(failure.kind, text + tried)
        return wait if wait is not None else min(8.0, 0.5 * 2.0 ** (tries - 1))

    @property
    def _prompt(self) -> int:
        return self._knowledge.tokens.count_messages(self._messages)

    def _overflow(self, failure: Failure, body: dict[str, Any]) -> Overflow:
        self._context.learn_overflow(failure, self._messages, allowance(body))
        return Overflow(failure.sentence, self._context.whole)


def allowance(body: Mapping[str, Any]) -> int:
    return int(body.get("max_tokens") or body.get("max_completion_tokens") or 0)
