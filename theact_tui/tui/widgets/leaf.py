"""One turn on the page: its blocks, and the rows they make at a given width. Rows are made once per block and width."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

from rich.segment import Segment
from textual.content import Content
from textual.strip import Strip

from theact_tui.tui.typeset import Block

Render = Callable[[Content, int], list[Strip]]
"""Wraps and styles content to a width (cells)."""

TURN_SPACE = 2
"""Blank rows above a turn."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the page. It keeps segments, not a strip: those come with seven caches, and there are many rows."""

    segments: tuple[Segment, ...] = ()
    width: int = 0
    """In cells."""
    mark: str = ""
    mark_ink: str = ""
    centred: bool = False
    bar: str = ""
    runs_on: bool = False
    """The paragraph goes on in the next row."""

    @classmethod
    def of(cls, strip: Strip, **traits: Any) -> Row:
        """A row that looks like `strip`."""
        return cls(tuple(strip), strip.cell_length, **traits)

    @property
    def text(self) -> str:
        """Its letters, plain."""
        return "".join(segment.text for segment in self.segments)


BLANK = Row()


@dataclass(eq=False)
class Leaf:
    """A turn's blocks and their rows."""

    number: int
    blocks: list[Block] = field(default_factory=list)
    live: bool = False
    aside: bool = False
    """Not a turn: a card or an answer of the program, gone with the next turn."""
    head: Content | None = None
    """A line in the space above this turn: where verbatim context begins."""
    rows: list[Row] = field(default_factory=list)
    first_row: Row | None = None
    """The first row of prose, beside which the turn's number stands."""
    _made: dict[int, tuple[Block, list[Row]]] = field(default_factory=dict)
    renders: int = 0
    """How many blocks were wrapped so far; what the work per token is measured by."""

    @property
    def text(self) -> str:
        """What a reader reads, plain."""
        return "\n".join(block.text.plain for block in self.blocks)

    def holds(self, term: str) -> bool:
        """Whether `term` stands in one of its paragraphs, in any case."""
        sought = re.compile(re.escape(term), re.IGNORECASE)
        return any(sought.search(" ".join(block.text.plain.split())) for block in self.blocks)

    def lay_out(self, width: int, render: Render) -> int:
        """Make the rows for `width`; only blocks that changed are wrapped again. Returns their number."""
        rows = [BLANK] * (TURN_SPACE if self.number > 1 and not self.aside else 0)
        if self.head and rows:
            rows[0] = Row.of(render(self.head, width)[0], centred=True)
        self.first_row = None
        for place, block in enumerate(self.blocks):
            known = self._made.get(place)
            if known is None or known[0] != block:
                known = self._made[place] = (block, self._set(block, width, render))
                self.renders += 1
            rows.extend([BLANK] * (0 if place == 0 and rows else block.space))
            rows.extend(known[1])
            if self.first_row is None and not block.centred:
                self.first_row = known[1][0]
        self.rows = rows
        return len(rows)

    def like(self, other: Leaf) -> None:
        """Take over the rows of the blocks that are the same in an earlier setting of this turn."""
        self._made = dict(other._made)

    def forget(self) -> None:
        """Drop the rows: the width or the inks have changed."""
        self._made.clear()

    def spot(self, row: int) -> int:
        """How many letters stand above a row: a place that stays the same at any width."""
        return sum(map(_letters, self.rows[:row]))

    def row_at(self, spot: int) -> int:
        """The row in which a spot is."""
        ends = accumulate(map(_letters, self.rows))
        return next((row for row, end in enumerate(ends) if end > spot), 0) if spot else 0

    def _set(self, block: Block, width: int, render: Render) -> list[Row]:
        strips = render(block.text, width - 2 if block.bar else width)
        last = len(strips) - 1
        return [
            Row.of(
                strip,
                mark="" if n else block.mark,
                mark_ink=block.mark_ink,
                centred=block.centred,
                bar=block.bar,
                runs_on=n < last,
            )
            for n, strip in enumerate(strips)
        ]


def _letters(row: Row) -> int:
    return len("".join(row.text.split()))
