"""All that is known of one model on one server: what it takes, its window, how it counts. Kept in the cache folder."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

from theact_tui.models.abilities import Abilities
from theact_tui.models.failures import Failure
from theact_tui.models.port import Usage
from theact_tui.models.probe import Seen
from theact_tui.paths import Remembered
from theact_tui.prompting.sections import Message
from theact_tui.prompting.tokens import Tokens

UNASKED_OLLAMA = 4096
_LEAST_THOUGHT = 1000
_ENOUGH = 2
"""Replies in a row that came only without a shape; after so many none is asked for until the program ends."""
_SUSPECT = 1500
"""Tokens; a longer prompt that is answered by nothing may have been too long."""


class Knowledge:
    """Shared by all endpoints of the same server and model."""

    def __init__(self, base_url: str, model: str, cache: Path | None = None) -> None:
        """`cache` is the folder where it is remembered; None forgets it with the program."""
        self.base_url = base_url
        self._learned = Remembered(cache / "endpoints.json") if cache else None
        self._counted = Remembered(cache / "tokens.json") if cache else None
        self._largest = 0
        self._broken_shapes = 0
        self.rename(model)

    def rename(self, model: str) -> None:
        """Learn that the server's model is `model`."""
        self.model = model
        self._key = f"{self.base_url} {model}"
        self.abilities = Abilities.remembered(self._learned.get(self._key) if self._learned else {})
        self.tokens = Tokens(self._key, self._counted)

    @property
    def is_ollama(self) -> bool:
        """True when it looks like an Ollama, which cuts long prompts silently."""
        return urlsplit(self.base_url).port == 11434

    def window(self, limit: int) -> int:
        """Tokens for prompt and reply: `limit`, or what the server was seen to have if that is less."""
        seen = self.abilities.window or (UNASKED_OLLAMA if self.is_ollama else 0)
        return min(limit, seen) if seen else limit

    @property
    def loose(self) -> bool:
        """True when asking for a shape has only made this server fail of late."""
        return self._broken_shapes >= _ENOUGH

    def shape_asked(self, *, kept: bool) -> None:
        """Learn how a reply was got that should have a shape: as asked, or only after the server failed, without."""
        self._broken_shapes = 0 if kept else self._broken_shapes + 1

    def keep(self, abilities: Abilities) -> None:
        """Remember what the server took."""
        self.abilities = abilities
        if self._learned:
            self._learned.put(self._key, abilities.kept())

    def took(self, trial: Abilities) -> None:
        """A call in this manner went well. What it taught about the window meanwhile stays."""
        now = self.abilities
        self.keep(replace(trial, window=now.window, cuts=now.cuts, thought=now.thought))

    def saw(self, seen: Seen) -> None:
        """What a look at the server showed replaces what was guessed about its window."""
        if seen.reached:
            self.keep(replace(self.abilities, window=seen.window, cuts=seen.cuts))

    def counted(self, messages: list[Message], usage: Usage) -> int:
        """Learn from the prompt tokens reported. Returns the window if the server cut the prompt to it, else 0.

        One that says how large its window is, and is none of those that cut, is not suspected.
        """
        if usage.prompt is None:
            return 0
        tells = bool(self.abilities.window) and not self.abilities.cuts
        lesson = self.tokens.learn(messages, usage.prompt, may_cut=not tells)
        if not lesson.cut:
            self._largest = max(self._largest, usage.prompt)
            return 0
        known = self.abilities.window
        window = min(lesson.window, known) if known else lesson.window
        self.keep(replace(self.abilities, window=window, cuts=True))
        return window

    def overflowed(self, failure: Failure, messages: list[Message], wanted: int) -> None:
        """Learn from a prompt that, with a reply of `wanted` tokens, was larger than the window."""
        prompt = self.tokens.count_messages(messages)
        said = failure.overflow
        if said and said.window:
            self.keep(replace(self.abilities, window=said.window))
        if said and said.prompt:
            self.tokens.learn(messages, said.prompt)
        elif said and said.window and prompt + wanted <= said.window:
            self.tokens.learn(messages, said.window - wanted + 1)
        elif not (said and said.window):
            self.abilities = replace(self.abilities, window=max(1024, (prompt + wanted) // 2))

    def suspects(self, prompt: int) -> bool:
        """True when a prompt of so many tokens may have been answered by nothing because it was too long."""
        return prompt > max(_SUSPECT, self._largest * 1.05)

    def think_longer(self, now: int, room: int) -> bool:
        """Set more aside for reasoning than `now`, of `room` tokens at most. False when there is no more."""
        wanted = min(max(_LEAST_THOUGHT, 2 * now), room)
        if wanted <= now:
            return False
        self.keep(replace(self.abilities, thought=wanted))
        return True
