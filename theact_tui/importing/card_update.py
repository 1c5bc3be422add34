"""A newer version of a card that a pack has: what its author changed is taken, what was changed in the pack stays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from theact_tui.story.lore import LoreEntry
from theact_tui.story.pack import Character
from theact_tui.text import counted, one_line

T = TypeVar("T")
FIELDS = ("name", "personality", "examples")
"""What a card says of a character."""
_SHOWN = 60
"""Characters of a text in a line about its change."""


@dataclass(slots=True)
class Update:
    """Merges three versions: the pack's, the card as it came in before, and the card as it is now."""

    changed: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    def character(self, mine: Character, before: Character, now: Character) -> Character:
        """The character of the pack with what changed in its card."""
        merged = {
            name: self._one(name, getattr(mine, name), getattr(before, name), getattr(now, name))
            for name in FIELDS
        }
        return mine.model_copy(update=merged)

    def lore(
        self, mine: Sequence[LoreEntry], before: Sequence[LoreEntry], now: Sequence[LoreEntry]
    ) -> tuple[LoreEntry, ...]:
        """The pack's entries with what changed in those of the card; own ones stay."""
        ours, old, new = (_by_id(entries) for entries in (mine, before, now))
        merged = {
            id: self._one(f"lore '{id}'", ours.get(id), old.get(id), new.get(id))
            for id in dict.fromkeys((*ours, *new))
        }
        return tuple(entry for entry in merged.values() if entry is not None)

    def _one(self, what: str, mine: T, before: T, now: T) -> T:
        if now in (before, mine):
            return mine
        difference = f"{what}: {_shown(before)} → {_shown(now)}"
        if mine == before:
            self.changed.append(difference)
            return now
        self.left_out.append(f"{difference}: the pack's own text was kept.")
        return mine


def _by_id(entries: Sequence[LoreEntry]) -> Mapping[str, LoreEntry]:
    return {entry.id: entry for entry in entries}


def _shown(value: object) -> str:
    match value:
        case None:
            return "nothing"
        case LoreEntry():
            return _shown(value.text)
        case tuple():
            return f"{counted(len(value), 'line')}"
    return f"“{one_line(str(value), _SHOWN)}”"
