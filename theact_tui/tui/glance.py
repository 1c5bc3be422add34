"""How one state of a story differs from the one being played, in a few lines: two games in, a value out. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from theact_tui.saves.compare import MemoryDifference, memory_difference
from theact_tui.story.game import Game
from theact_tui.story.memory import empty_memory


@dataclass(frozen=True, slots=True)
class Learned:
    """What a character remembers there and not now (`more`), now and not there (`less`), or otherwise (`changed`)."""

    id: str
    more: tuple[str, ...]
    less: tuple[str, ...]
    changed: tuple[str, ...]
    """As it reads there."""

    @property
    def sentence(self) -> str:
        """Such as `learned 2, lost 1`."""
        parts = [
            f"learned {len(self.more)}" if self.more else "",
            f"lost {len(self.less)}" if self.less else "",
            f"{len(self.changed)} otherwise" if self.changed else "",
        ]
        return ", ".join(part for part in parts if part) or "sees it differently"


@dataclass(frozen=True, slots=True)
class Glance:
    """What there is there and not now, and the other way round."""

    turns: int
    """Turns there are more; below 0: less."""
    chapter: bool
    """It is in another chapter."""
    beats: tuple[tuple[str, ...], tuple[str, ...]]
    """More and less, of the same chapter."""
    present: tuple[tuple[str, ...], tuple[str, ...]]
    moments: tuple[tuple[str, ...], tuple[str, ...]]
    memories: tuple[Learned, ...]

    @property
    def is_empty(self) -> bool:
        """No difference in meaning."""
        both = (*self.beats, *self.present, *self.moments)
        return not (self.chapter or any(both) or self.memories)


def glance(now: Game, there: Game) -> Glance:
    """What makes `there` another story than `now`."""
    same = now.state.chapter == there.state.chapter
    nothing: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    return Glance(
        turns=there.state.turn - now.state.turn,
        chapter=not same,
        beats=_both(there.state.beats_hit, now.state.beats_hit) if same else nothing,
        present=_both(there.state.present, now.state.present),
        moments=_both([m.summary for m in there.moments], [m.summary for m in now.moments]),
        memories=tuple(_learned(id, now, there) for id in now.pack.characters if _differ(id, now, there)),
    )


def _both(there: Sequence[str], now: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return tuple(item for item in there if item not in now), tuple(item for item in now if item not in there)


def _differ(id: str, now: Game, there: Game) -> bool:
    return now.memories.get(id) != there.memories.get(id)


def _learned(id: str, now: Game, there: Game) -> Learned:
    none = empty_memory(now.pack.game.memory)
    new, old = there.memories.get(id, none), now.memories.get(id, none)
    more, less = memory_difference(new, old), memory_difference(old, new)
    return Learned(id, _texts(more), _texts(less), tuple(line.here for line in more.changed))


def _texts(difference: MemoryDifference) -> tuple[str, ...]:
    return tuple(line.text for line in difference.learned)
