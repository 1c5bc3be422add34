"""The turns on the page and where their rows are. Knows no widget: it is told the width and how to wrap.

It holds some of the story's turns, without gaps: read more at either end, let go of the far one.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field

from textual.content import Content

from theact_tui.tui.widgets.leaf import BLANK, Leaf, Render, Row

LONGEST = 60
"""Turns kept; beyond it the far end is let go."""
EARLIER = "▴ earlier turns"
BOUNDARY = "▴ remembered in summary   ·   word for word from here ▾"


@dataclass(eq=False)
class Window:
    """A run of turns, oldest first, perhaps with an aside of the program at its end."""

    leaves: list[Leaf] = field(default_factory=list)
    newest: int = 0
    """The newest turn of the story, in the window or not."""
    height: int = 0
    """Rows in all."""
    _tops: list[int] = field(default_factory=list)
    _earlier: Row = BLANK
    _boundary: int = 0

    @property
    def first(self) -> int:
        """Number of the first turn; 0 when there is none."""
        return next((leaf.number for leaf in self.leaves if not leaf.aside), 0)

    @property
    def last(self) -> int:
        """Number of the last turn; 0 when there is none."""
        return next((leaf.number for leaf in reversed(self.leaves) if not leaf.aside), 0)

    @property
    def at_the_end(self) -> bool:
        """The story's newest turn is in it."""
        return self.last >= self.newest

    def leaf(self, number: int) -> Leaf | None:
        """The leaf of a turn, if it is here."""
        return next((leaf for leaf in self.leaves if leaf.number == number and not leaf.aside), None)

    # --- holding ------------------------------------------------------------------------------------------------

    def add(self, leaf: Leaf) -> None:
        """Put a turn or an aside at the end; asides before it go."""
        self.leaves = [*(known for known in self.leaves if not known.aside), leaf]
        if not leaf.aside:
            self.newest = max(self.newest, leaf.number)

    def remove(self, leaf: Leaf) -> None:
        """Take the last turn out: the story ends before it now."""
        self.leaves.remove(leaf)
        self.newest = self.last

    def cut_front(self) -> int:
        """Let go of the oldest turns over the limit; returns how many rows they had."""
        surplus = max(0, len(self.leaves) - LONGEST)
        gone = sum(len(leaf.rows) for leaf in self.leaves[:surplus])
        del self.leaves[:surplus]
        return gone

    def cut_end(self) -> None:
        """Let go of the newest turns over the limit, but not of one that is being told."""
        if not any(leaf.live for leaf in self.leaves):
            del self.leaves[LONGEST:]

    def mark_boundary(self, last_summarized: int) -> bool:
        """Mark below which turn the verbatim context begins (S5.1); True if it moved."""
        moved = last_summarized != self._boundary
        self._boundary = last_summarized
        return moved

    # --- rows ---------------------------------------------------------------------------------------------------

    def lay_out(self, start: int, width: int, render: Render) -> None:
        """Make the rows from leaf `start` on, one blank row after the last."""
        self._earlier = Row.of(render(Content.styled(EARLIER, ".faint"), width)[0], centred=True)
        head = 2 if self.first > 1 else 1
        del self._tops[start:]
        top = self._tops[-1] + len(self.leaves[start - 1].rows) if start else head
        for leaf in self.leaves[start:]:
            here = 0 < self._boundary == leaf.number - 1 and not leaf.aside
            leaf.head = Content.styled(BOUNDARY, ".faint") if here else None
            self._tops.append(top)
            top += leaf.lay_out(width, render)
        self.height = top + 1 if self.leaves else 0

    def forget(self) -> None:
        """Drop all rows: the width or the inks have changed."""
        for leaf in self.leaves:
            leaf.forget()

    def row(self, y: int) -> tuple[Row, Leaf | None]:
        """The row at `y`, and its turn."""
        if not self._tops or y < self._tops[0]:
            return (self._earlier if y == 0 and self.first > 1 else BLANK), None
        at = bisect_right(self._tops, y) - 1
        leaf = self.leaves[at]
        inside = y - self._tops[at]
        return (leaf.rows[inside] if inside < len(leaf.rows) else BLANK), leaf

    def place(self, y: int) -> tuple[Leaf, int] | None:
        """The turn at `y`, and the row within it."""
        if not self._tops:
            return None
        y = max(y, self._tops[0])
        at = bisect_right(self._tops, y) - 1
        return self.leaves[at], y - self._tops[at]

    def y_of(self, place: tuple[Leaf, int] | None) -> int | None:
        """Where a place is; None when its turn is not here."""
        if place is None or place[0] not in self.leaves:
            return None
        return self._tops[self.leaves.index(place[0])] + place[1]

    def top(self, number: int, row: int = 0) -> int | None:
        """Where a row of a turn is; None when the turn is not here."""
        for leaf, top in zip(self.leaves, self._tops, strict=True):
            if leaf.number == number and not leaf.aside:
                return top + min(row, len(leaf.rows))
        return None
