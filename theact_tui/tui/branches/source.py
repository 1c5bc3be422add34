"""What the screens of branches ask for values and visuals: a story that is played, or a chapter that is directed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from textual.visual import Visual

from theact_tui.engine.base_session import BaseSession
from theact_tui.tui.branches.layout import BranchLayout, Cursor
from theact_tui.tui.branches.preview import Spot


@dataclass(frozen=True, slots=True)
class PreviewContext:
    """Which turn a preview is of, and what it is told against."""

    spot: Spot
    branch: str
    """Title of the branch one is on."""
    alone: bool
    """There is no other branch or take."""


@dataclass(frozen=True, slots=True)
class ComparedPoint:
    """One of the two: what people call it, and what the save does."""

    name: str
    place: str


class NumberedPair(Protocol):
    """A turn on both sides."""

    @property
    def number(self) -> int: ...


class ComparedSide(Protocol):
    """One of the two."""

    @property
    def turn(self) -> int: ...


class FoundComparison(Protocol):
    """A comparison: both sides, and the turns after the point where they part."""

    @property
    def fork_turn(self) -> int: ...
    @property
    def a(self) -> ComparedSide: ...
    @property
    def b(self) -> ComparedSide: ...
    @property
    def turns(self) -> Sequence[NumberedPair]: ...


class BranchSource(Protocol):
    """Something open whose branches can be shown, gone to and compared."""

    word: str
    """What a turn is called."""

    @property
    def session(self) -> BaseSession[Any]: ...

    @property
    def title(self) -> str:
        """What the story or chapter is called."""

    async def state_at(self, layout: BranchLayout, place: Cursor) -> Any:
        """The story or chapter as it is at a place."""

    def preview(self, there: Any, context: PreviewContext) -> tuple[Visual, Visual]:
        """What the turn of `there` holds, and how it differs from where one stands."""

    async def difference(self, a: ComparedPoint, b: ComparedPoint) -> FoundComparison:
        """What parts two points, with the first turns side by side."""

    async def following(self, found: Any, first: int, last: int) -> Sequence[NumberedPair]:
        """More of the turns."""

    def meaning(self, found: Any, names: tuple[str, str]) -> Visual:
        """What parts the two in meaning."""

    def side_by_side(self, pair: Any, names: tuple[str, str]) -> Visual:
        """One turn on both sides."""
