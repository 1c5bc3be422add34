"""How many tokens of context a model has: what its profile sets, or what its server was seen to have if that is less.

A server says it when asked (`discovery`) or when it refuses a prompt (`failures`), or shows it by the tokens it counts.
"""

from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from theact_tui.models.base import Usage
from theact_tui.models.discovery import Seen
from theact_tui.models.failures import Failure
from theact_tui.models.server_capabilities import ServerState
from theact_tui.prompting.sections import Message

UNASKED_OLLAMA = 4096
_LEAST_THOUGHT = 1000
_SUSPECT = 1500
"""Tokens; a longer prompt that is answered by nothing may have been too long."""


@dataclass(frozen=True, slots=True)
class ContextWindow:
    """The window of a model, in tokens. What it learns is kept in `knowledge`, for all endpoints of that model."""

    knowledge: ServerState
    limit: int
    """What the profile sets."""
    reasoning: int = 0
    """What the profile sets aside in every reply for reasoning."""

    @property
    def is_ollama(self) -> bool:
        """True when it looks like an Ollama, which cuts long prompts silently."""
        return urlsplit(self.knowledge.base_url).port == 11434

    @property
    def whole(self) -> int:
        """For prompt and reply: the profile's limit, or what the server was seen to have if that is less."""
        seen = self.knowledge.abilities.window or (UNASKED_OLLAMA if self.is_ollama else 0)
        return min(self.limit, seen) if seen else self.limit

    @property
    def thinking(self) -> int:
        """Set aside in every reply for reasoning, at most half of the whole."""
        return min(max(self.reasoning, self.knowledge.abilities.thought), self.whole // 2)

    def saw(self, seen: Seen) -> None:
        """What a look at the server showed replaces what was guessed about its window."""
        if seen.reached:
            now = self.knowledge.abilities
            now = replace(now, window=seen.window, kind=seen.kind, cuts=seen.cuts, slots=seen.slots)
            self.knowledge.keep(now)

    def counted(self, messages: list[Message], usage: Usage) -> int:
        """Learn from the prompt tokens reported. Returns the window if the server cut the prompt to it, else 0.

        One that says how large its window is, and is none of those that cut, is not suspected.
        """
        if usage.prompt is None:
            return 0
        knowledge, known = self.knowledge, self.knowledge.abilities.window
        tells = bool(known) and not knowledge.abilities.cuts
        window = knowledge.tokens.learn(messages, usage.prompt, may_cut=not tells)
        if not window:
            knowledge.largest_prompt = max(knowledge.largest_prompt, usage.prompt)
            return 0
        window = min(window, known) if known else window
        knowledge.keep(replace(knowledge.abilities, window=window, cuts=True))
        return window

    def overflowed(self, failure: Failure, messages: list[Message], wanted: int) -> None:
        """Learn from a prompt that, with a reply of `wanted` tokens, was larger than the window."""
        knowledge, said = self.knowledge, failure.overflow
        prompt = knowledge.tokens.count_messages(messages)
        if said and said.window:
            knowledge.keep(replace(knowledge.abilities, window=said.window))
        if said and said.prompt:
            knowledge.tokens.learn(messages, said.prompt)
        elif said and said.window and prompt + wanted <= said.window:
            knowledge.tokens.learn(messages, said.window - wanted + 1)
        elif not (said and said.window):
            guess = max(1024, (prompt + wanted) // 2)
            knowledge.abilities = replace(knowledge.abilities, window=guess)

    def suspects(self, prompt: int) -> bool:
        """True when a prompt of so many tokens may have been answered by nothing because it was too long."""
        return prompt > max(_SUSPECT, self.knowledge.largest_prompt * 1.05)

    def think_longer(self, now: int, room: int) -> bool:
        """Set more aside for reasoning than `now`, of `room` tokens at most. False when there is no more."""
        wanted = min(max(_LEAST_THOUGHT, 2 * now), room)
        if wanted <= now:
            return False
        self.knowledge.keep(replace(self.knowledge.abilities, thought=wanted))
        return True
