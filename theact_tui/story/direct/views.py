"""Views of the agents of direct mode. A prompt is made from its view alone."""

from dataclasses import dataclass
from typing import Any

from theact_tui.story.direct.log import Exchange
from theact_tui.story.direct.records import SessionRecord

Payload = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class StructuredMemory:
    """Notes in a prompt: the lock, older notes folded into one, then the rest, oldest first."""

    lock: Payload
    folded: Payload | None = None
    deltas: tuple[Payload, ...] = ()

    @property
    def in_order(self) -> tuple[Payload, ...]:
        return ((self.folded,) if self.folded else ()) + self.deltas


@dataclass(frozen=True, slots=True, kw_only=True)
class LockView:
    cast: SessionRecord
    world: str
    chapter: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ActorView:
    cast: SessionRecord
    slot: int
    identity: str
    memory: StructuredMemory
    recent: tuple[Exchange, ...]
    said: tuple[str, ...] = ()
    """Replies, oldest first, for the offline storyteller; never in a prompt."""
    prompt: str
    index: int
    take: int = 1

    @property
    def name(self) -> str:
        return self.cast.name_of(self.slot)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeltaView:
    """View of agent 8: prompts after the boundary, or a fitting piece."""

    cast: SessionRecord
    memory: StructuredMemory
    first: int
    last: int
    exchanges: tuple[Exchange, ...]
    found: tuple[Payload, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldView:
    """View of agent 8: older notes to fold into one, for prompts only."""

    cast: SessionRecord
    deltas: tuple[Payload, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChapterView:
    """View of agent 9: one part of the chapter."""

    cast: SessionRecord
    voice: str
    memory: StructuredMemory
    corrections: tuple[str, ...]
    """Canon locks of later notes; they win."""
    exchanges: tuple[Exchange, ...]
    so_far: str = ""
    """End of the earlier prose; empty for the first part."""
    part: int = 1
    parts: int = 1
    words: int = 1_000
