"""What each of the four agents of direct mode is given, as values. A prompt is made from one of these alone."""

from dataclasses import dataclass
from typing import Any

from theact_tui.story.direct.log import Exchange
from theact_tui.story.direct.models import SessionRecord

Payload = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class StructuredMemory:
    """Structured memory as a prompt gets it: the lock, older deltas folded into one, the rest, oldest first."""

    lock: Payload
    folded: Payload | None = None
    deltas: tuple[Payload, ...] = ()

    @property
    def told(self) -> tuple[Payload, ...]:
        """What happened so far, oldest first."""
        return ((self.folded,) if self.folded else ()) + self.deltas


@dataclass(frozen=True, slots=True, kw_only=True)
class LockView:
    """Agent 0: the texts of Setup and the roster; never the identities."""

    cast: SessionRecord
    world: str
    chapter: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ActorView:
    """Agents 1 to 7: their own identity only."""

    cast: SessionRecord
    slot: int
    identity: str
    memory: StructuredMemory
    recent: tuple[Exchange, ...]
    """The last completed prompts with their replies, oldest first."""
    said: tuple[str, ...] = ()
    """All replies that are at hand, oldest first, for a script; no prompt holds them."""
    prompt: str
    index: int
    """The new prompt's number."""
    take: int = 1
    """Which take of its reply this is."""

    @property
    def name(self) -> str:
        return self.cast.name_of(self.slot)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeltaView:
    """Agent 8: what follows the boundary, or a piece of it that fits."""

    cast: SessionRecord
    memory: StructuredMemory
    first: int
    last: int
    exchanges: tuple[Exchange, ...]
    found: tuple[Payload, ...] = ()
    """What was found in the earlier pieces of the same chunk."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldView:
    """Agent 8 again: older deltas that are to become one, for prompts only."""

    cast: SessionRecord
    deltas: tuple[Payload, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChapterView:
    """Agent 9: one part of the chapter. A short chapter is one part with the whole log."""

    cast: SessionRecord
    voice: str
    memory: StructuredMemory
    """Of what comes before this part's range, and of the range itself."""
    corrections: tuple[str, ...]
    """What later blocks say about canon; it wins over this range's own."""
    exchanges: tuple[Exchange, ...]
    so_far: str = ""
    """The tail of the prose written so far; empty for the first part."""
    part: int = 1
    parts: int = 1
    words: int = 1_000
    """About how long this part should be."""
