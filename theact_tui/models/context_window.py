"""Context window of a model: the profile's limit, or the server's if smaller."""

from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from theact_tui.models.discovery import Seen
from theact_tui.models.failures import Failure
from theact_tui.models.model import Usage
from theact_tui.models.server_capabilities import ServerState
from theact_tui.prompting.sections import Message

_UNASKED_OLLAMA = 4096
_LEAST_THOUGHT = 1000
_SUSPECT = 1500
"""Tokens; an empty answer to a longer prompt may mean it was too long."""


@dataclass(frozen=True, slots=True)
class ContextWindow:
    """Window of a model in tokens; endpoints share it through `knowledge`."""

    knowledge: ServerState
    limit: int
    reasoning: int = 0

    @property
    def is_ollama(self) -> bool:
        return urlsplit(self.knowledge.base_url).port == 11434

    @property
    def whole(self) -> int:
        seen = self.knowledge.abilities.window or (_UNASKED_OLLAMA if self.is_ollama else 0)
        return min(self.limit, seen) if seen else self.limit

    @property
    def thinking(self) -> int:
        return min(max(self.reasoning, self.knowledge.abilities.thought), self.whole // 2)

    def learn_window(self, seen: Seen) -> None:
        if seen.reached:
            now = self.knowledge.abilities
            now = now if now.kind in ("", seen.kind) else now.without_refusals()  # another server
            now = replace(now, window=seen.window, kind=seen.kind, cuts=seen.cuts, slots=seen.slots)
            self.knowledge.keep(now)

    def learn_usage(self, messages: list[Message], usage: Usage) -> int:
        """Learn from reported prompt tokens. Return the window if the server cut the prompt, else 0."""
        if usage.prompt is None:
            return 0
        knowledge, reported = self.knowledge, self.knowledge.abilities.window
        is_reliable = bool(reported) and not knowledge.abilities.cuts
        window = knowledge.tokens.learn(messages, usage.prompt, may_cut=not is_reliable)
        if not window:
            knowledge.largest_prompt = max(knowledge.largest_prompt, usage.prompt)
            return 0
        window = min(window, reported) if reported else window
        knowledge.keep(replace(knowledge.abilities, window=window, cuts=True))
        return window

    def learn_overflow(self, failure: Failure, messages: list[Message], wanted: int) -> None:
        """Learn from a prompt that overflowed with a reply of `wanted` tokens."""
        knowledge, overflow = self.knowledge, failure.overflow
        prompt = knowledge.tokens.count_messages(messages)
        if overflow and overflow.window:
            knowledge.keep(replace(knowledge.abilities, window=overflow.window))
        if overflow and overflow.prompt:
            knowledge.tokens.learn(messages, overflow.prompt)
        elif overflow and overflow.window and prompt + wanted <= overflow.window:
            knowledge.tokens.learn(messages, overflow.window - wanted + 1)
        elif not (overflow and overflow.window):
            guess = max(1024, (prompt + wanted) // 2)
            knowledge.abilities = replace(knowledge.abilities, window=guess)

    def suspects(self, prompt: int) -> bool:
        """True if a prompt of this size may have got an empty answer for its length."""
        return prompt > max(_SUSPECT, self.knowledge.largest_prompt * 1.05)

    def think_longer(self, now: int, room: int) -> bool:
        """Reserve more than `now` tokens for reasoning, at most `room`; False if impossible."""
        wanted = min(max(_LEAST_THOUGHT, 2 * now), room)
        if wanted <= now:
            return False
        self.knowledge.keep(replace(self.knowledge.abilities, thought=wanted))
        return True
