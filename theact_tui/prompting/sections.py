"""Prompts as lists of named sections, with what was shortened and why."""

from dataclasses import dataclass
from itertools import groupby, takewhile
from operator import itemgetter
from typing import Literal, TypedDict

Priority = Literal["fixed", "memory", "pages", "summary", "turn", "lore", "spare"]
"""Order of cutting: `spare` first, then `turn` from the oldest, `summary`, `pages`, `lore`, `memory`; `fixed` never."""

SO_FAR = "text so far"
"""Name of the assistant's section that a reply goes on from."""


@dataclass(frozen=True, slots=True)
class Section:
    name: str
    text: str
    source: str = ""
    """File of the pack or save, or the turn."""
    priority: Priority = "fixed"
    part: Literal["system", "user", "assistant"] = "user"
    tokens: int = 0
    kept: Literal["whole", "trimmed", "dropped"] = "whole"
    why: str = ""
    late: bool = False
    """Depends on the player's line; earlier sections can be sent ahead."""


class Message(TypedDict):
    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """Prompt as sent; sizes in tokens."""

    sections: tuple[Section, ...]
    tokens: int
    limit: int

    @property
    def whole(self) -> bool:
        """True if only lore and spare sections were shortened."""
        own = ("lore", "spare")
        return all(section.kept == "whole" or section.priority in own for section in self.sections)

    @property
    def early(self) -> tuple[Section, ...]:
        """Sections before the first that depends on the player's line."""
        kept = [section for section in self.sections if section.kept != "dropped"]
        first = next((place for place, section in enumerate(kept) if section.late), len(kept))
        return tuple(kept[:first])

    @property
    def without_task(self) -> tuple[Section, ...]:
        """Sections before the task, and before a text so far that follows it."""
        kept = tuple(section for section in self.sections if section.kept != "dropped")
        return tuple(takewhile(lambda section: section.name not in ("task", SO_FAR), kept))

    @property
    def so_far(self) -> str:
        """Beginning of the text that the reply goes on from; "" if it begins one."""
        return next((section.text for section in self.sections if section.name == SO_FAR), "")

    def messages(self, correction: str = "") -> list[Message]:
        """Return the system message, then one for each run of sections of a part. `correction` ends the last."""
        kept = [section for section in self.sections if section.kept != "dropped"]
        system = "\n\n".join(section.text for section in kept if section.part == "system")
        parts = [(section.part, section.text) for section in kept if section.part != "system"]
        parts += [("user", correction)] * bool(correction)
        runs = [
            Message(role=part, content="\n\n".join(text for _, text in run))
            for part, run in groupby(parts or [("user", "")], key=itemgetter(0))
        ]
        return [*([Message(role="system", content=system)] if system else []), *runs]
