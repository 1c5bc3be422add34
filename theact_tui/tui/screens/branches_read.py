"""What the tree of branches reads of a save, and where a place is found again when it was read anew."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ParamSpec, Protocol, TypeVar

from theact_tui.tui.storylines import Forest, Place

if TYPE_CHECKING:
    from theact_tui.engine.bus import Bus
    from theact_tui.saves.store import Save


P = ParamSpec("P")
T = TypeVar("T")


class Moving(Protocol):
    """What is open, a story or a chapter: it can be moved to any place of its tree."""

    bus: Bus

    @property
    def save(self) -> Save: ...

    @property
    def branch(self) -> str: ...

    @property
    def read_only(self) -> bool: ...

    async def run(self, read: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T: ...

    async def settle(self) -> None: ...

    async def undo(self, turns: int = 1, /) -> None: ...

    async def redo(self, turns: int = 1, /) -> None: ...

    async def take(self, number: int, /) -> None: ...

    async def switch(self, name: str, /) -> None: ...

    async def branch_at(self, name: str, turn: int | None = None, of: str | None = None, /) -> str: ...

    async def rename_branch(self, name: str, title: str, /) -> str: ...


@dataclass(frozen=True, slots=True)
class Tree:
    """What is read of a save."""

    forest: Forest
    titles: dict[str, str]
    deleted: tuple[str, ...]

    @property
    def counts(self) -> list[str]:
        """How many branches and other takes there are, in words."""
        lines = self.forest.lines
        named = sum(bool(line.branch) for line in lines)
        takes = sum(not line.branch and bool(line.nodes[-1].take) for line in lines)
        found = [f"{named} branch{'' if named == 1 else 'es'}"]
        return found + ([f"{takes} other take{'' if takes == 1 else 's'}"] if takes else [])


def read_tree(save: Save) -> Tree:
    """The tree of a save with the titles of its branches. Call in the storage thread."""
    titles = {branch.name: branch.title for branch in save.branches()}
    return Tree(Forest(save.tree(), save.branch), titles, tuple(save.deleted_branches()))


def same_place(old: Forest, new: Forest, place: Place) -> Place | None:
    """The place in a newly read tree that a place in the old one is now."""
    line = old.lines[place.row]
    if line.branch and place.turn == line.last and place != old.here:
        return new.branch(line.branch) or new.find(line.nodes[-1].commit, place.turn)
    if place == old.here:
        return new.here
    return new.find(old.node(place).commit, place.turn)
