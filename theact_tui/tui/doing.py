"""What runs now, as a sentence for the status line. Fed with the calls that begin and end. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

SENTENCES = {
    "narrator": "The narrator is telling",
    "progress": "The beats are being checked",
    "keeper": "The keeper is weighing it",
    "summary": "Old pages are being folded into the summary",
    "recap": "The chapter is being summed up",
    "epilogue": "The epilogue is being written",
    "merge": "Old memories are being merged",
}


@dataclass
class Doing:
    """The calls that run, oldest first, and how much of the after-turn work is done."""

    name: Callable[[str], str]
    """Finds a character's name."""
    running: dict[str, str] = field(default_factory=dict)
    """Agent keys such as `memory:maya` by call id."""
    memories: tuple[str, ...] = ()
    """The memory calls of this turn, in order."""
    started: list[str] = field(default_factory=list)
    retried: dict[str, int] = field(default_factory=dict)
    prompt_tokens: int = 0
    completion_tokens: int = 0
    narrator_tokens: int = 0
    """Tokens of the last narrator's prompt."""

    def turn(self) -> None:
        """A turn begins."""
        self.prompt_tokens = self.completion_tokens = 0
        self.memories = ()
        self.started.clear()
        self.running.clear()
        self.retried.clear()

    def plan(self, agents: Sequence[str]) -> None:
        """The after-turn calls to come."""
        self.memories = tuple(agent for agent in agents if agent.startswith("memory:"))

    def begin(self, call: str, agent: str, prompt_tokens: int) -> None:
        """A call starts."""
        self.running[call] = agent
        if agent in self.memories and agent not in self.started:
            self.started.append(agent)
        if agent == "narrator":
            self.narrator_tokens = prompt_tokens

    def again(self, call: str, attempt: int) -> None:
        """A call is tried again."""
        self.retried[call] = attempt

    def finish(self, call: str, agent: str, prompt_tokens: int, completion_tokens: int) -> None:
        """A call ends."""
        self.running.pop(call, None)
        self.prompt_tokens += prompt_tokens
        self.completion_tokens += completion_tokens
        if agent == "narrator":
            self.narrator_tokens = prompt_tokens

    @property
    def sentence(self) -> str:
        """What runs, the longest running call first; empty when nothing does."""
        if not self.running:
            return ""
        call, agent = next(iter(self.running.items()))
        again = f", try {self.retried[call]}" if call in self.retried else ""
        return self._sentence(agent) + again

    def _sentence(self, agent: str) -> str:
        kind, _, character = agent.partition(":")
        match kind:
            case "character":
                return f"{self.name(character)} is answering"
            case "memory" | "cell":
                total = len(self.memories)
                count = (
                    f" ({self.started.index(agent) + 1} of {total})"
                    if agent in self.started and total > 1
                    else ""
                )
                return f"{self.name(character)} is remembering{count}"
            case _:
                return SENTENCES.get(kind, "Working")
