"""A prompt is a list of named sections. What was kept, trimmed or left out, and why, is part of it."""

from dataclasses import dataclass
from typing import Literal, TypedDict

Priority = Literal["fixed", "memory", "pages", "summary", "turn", "lore", "spare"]
"""`fixed` is never touched; `spare` is told where there is room; then `turn` sections go, oldest first; then
`summary`, `pages` and `lore`, at last `memory` is cut."""


@dataclass(frozen=True, slots=True)
class Section:
    """One named part of a prompt. `tokens` are those of the text as it is here."""

    name: str
    text: str
    source: str = ""
    """Where it came from: a file of the pack or save, or a turn."""
    priority: Priority = "fixed"
    part: Literal["system", "user", "assistant"] = "user"
    tokens: int = 0
    kept: Literal["whole", "trimmed", "dropped"] = "whole"
    why: str = ""
    """Why it was trimmed or dropped."""
    late: bool = False
    """It depends on the player's line: what stands before it can be evaluated while the player writes."""


class Message(TypedDict):
    """A chat message as sent."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt as sent: its sections in order, their sum and the limit they were fitted to, in tokens."""

    sections: tuple[Section, ...]
    tokens: int
    limit: int

    @property
    def whole(self) -> bool:
        """True if nothing of any section was left out, but for lore, which has its own share, and what is spare."""
        own = ("lore", "spare")
        return all(section.kept == "whole" or section.priority in own for section in self.sections)

    @property
    def early(self) -> tuple[Section, ...]:
        """What is sent before the first section that depends on the player's line."""
        kept = [section for section in self.sections if section.kept != "dropped"]
        first = next((place for place, section in enumerate(kept) if section.late), len(kept))
        return tuple(kept[:first])

    @property
    def without_task(self) -> tuple[Section, ...]:
        """What is sent before the last section, which says what to do."""
        return tuple(section for section in self.sections if section.kept != "dropped")[:-1]

    def messages(self, correction: str = "") -> list[Message]:
        """One system message and one user message. `correction` is appended to the latter."""
        kept = [section for section in self.sections if section.kept != "dropped"]
        system = "\n\n".join(section.text for section in kept if section.part == "system")
        user = [
            *(section.text for section in kept if section.part == "user"),
            *([correction] if correction else []),
        ]
        system_messages: list[Message] = [{"role": "system", "content": system}] if system else []
        return [*system_messages, {"role": "user", "content": "\n\n".join(user)}]
