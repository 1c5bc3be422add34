"""What reading a reply gives."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

_UNREPAIRED = frozenset({"fence", "json", "yaml", "prose"})


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read. `fields` are recovered as JSON knows them, also where `ok` is false and something was."""

    agent: str
    ok: bool
    fields: dict[str, Any]
    steps: tuple[str, ...]
    """The steps of the ladder that did something, in order."""
    missing: str = ""
    """What a correction has to ask for; empty when `ok`."""
    unknown: tuple[str, ...] = ()
    """Names that belong to nobody who is active."""
    missed: tuple[tuple[str, str], ...] = ()
    """Updates, old and new, of facts that do not exist."""
    beyond: dict[str, float] = field(default_factory=dict)
    """Numbers as written that `fields` has clamped to their range."""
    thoughts: str = ""

    @property
    def repaired(self) -> bool:
        """True if the reply was not well formed."""
        return not set(self.steps) <= _UNREPAIRED
