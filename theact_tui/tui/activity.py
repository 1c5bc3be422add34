"""What runs now, as a sentence for the status line. Follows events. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from theact_tui.engine import events as e
from theact_tui.engine.commands import COMMANDS, is_command

SENTENCES = {
    "narrator": "The narrator is writing",
    "progress": "Checking the beats",
    "keeper": "The keeper is deciding",
    "summary": "Summarising older turns",
    "ideas": "Looking for ideas",
    "recap": "Writing the chapter recap",
    "epilogue": "Writing the epilogue",
    "merge": "Condensing old memories",
    "draft": "Suggesting a line for you",
    "casting": "Describing a new character",
}


@dataclass
class Activity:
    """The calls that run, oldest first, and how much of the after-turn work is done."""

    name: Callable[[str], str]
    """Finds a character's name."""
    running: dict[str, str] = field(default_factory=dict)
    """Agent keys such as `memory:maya` by call id."""
    memories: tuple[str, ...] = ()
    """The memory calls of this turn, in order."""
    older_left: int = 0
    """How many older turns are left whose memories are being made."""
    started: list[str] = field(default_factory=list)
    retried: dict[str, int] = field(default_factory=dict)
    prompt_tokens: int = 0
    completion_tokens: int = 0
    narrator_tokens: int = 0
    """Tokens of the last narrator's prompt."""

    def apply(self, event: e.Event) -> None:
        match event:
            case e.TurnStarted():
                self.prompt_tokens = self.completion_tokens = 0
                self.memories = ()
                self.started.clear()
                self.running.clear()
                self.retried.clear()
            case e.AfterStarted(agents=agents):
                self.memories = tuple(agent for agent in agents if agent.startswith("memory:"))
            case e.CallStarted(call=call, agent=agent):
                self.running[call] = agent
                if agent in self.memories and agent not in self.started:
                    self.started.append(agent)
            case e.CallRetried(call=call, attempt=attempt):
                self.retried[call] = attempt
            case e.CallFinished(call=call):
                self.running.pop(call, None)
                self.prompt_tokens += event.prompt_tokens
                self.completion_tokens += event.completion_tokens
            case e.CatchingUp(last=last, left=left):
                self.older_left = left if last else 0
            case _:
                pass
        if isinstance(event, e.CallStarted | e.CallFinished) and event.agent == "narrator":
            self.narrator_tokens = event.prompt_tokens

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
        if self.older_left and kind == "memory":
            return f"Writing memories of older turns: {self.older_left} left"
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
                return f"{self.name(character)} is updating memories{count}"
            case _:
                return SENTENCES.get(kind, "Working")


HELP_HINT = "F1 or /help for keys. Enter says this in the story."


def command_hint(text: str) -> str:
    """What a command that is being written takes and does, or those it may become; where the keys are explained for `help`
    and `?`; nothing for other text."""
    if text.strip().lower() in ("help", "?"):
        return HELP_HINT
    name, spaced, _ = text.partition(" ")
    if not is_command(text) or "\n" in text:
        return ""
    likely = [known for known in COMMANDS.values() if f"/{known.name}".startswith(name.lower())]
    meant = [known for known in likely if f"/{known.name}" == name.lower()] or ([] if spaced else likely)
    if len(meant) == 1:
        return f"{meant[0].usage}   {meant[0].help}"
    return "↑ ↓ choose   tab complete" if meant else "Unknown command. /help lists the commands."
