"""Turns on the page: blocks, and their rows at a width."""

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import accumulate

from rich.segment import Segment
from textual.content import Content
from textual.strip import Strip

from theact_tui.tui.blocks import Block
from theact_tui.tui.visuals import faint

Render = Callable[[Content, int], list[Strip]]
"""Wraps and styles content to a width in cells."""

TURN_SPACE = 2
MARGIN_CELLS = 2
"""Left of the prose, for marks."""
MIN_COLUMN_CELLS = 20
"""A narrower last column of a table is not wrapped within itself."""


@dataclass(frozen=True, slots=True)
class LayoutRow:
    """One row of the page. Holds segments, not a strip with its seven caches."""

    segments: tuple[Segment, ...] = ()
    blank: int = MARGIN_CELLS
    """Free cells after the margin."""
    marks: int = 0
    """Of those, cells of a mark or bar."""
    runs_on: bool = False
    """The paragraph continues in the next row."""

    @property
    def text(self) -> str:
        return "".join(segment.text for segment in self.segments)[self.marks :]


_BLANK = LayoutRow()


def rows_of(block: Block, width: int, render: Render) -> list[LayoutRow]:
    bar = render(Content.styled(block.edge, block.bar), len(block.edge))[0] if block.bar else ()
    width -= len(block.edge) if block.bar else 0
    strips = render(_hung(block.text, block.hang, width), width)
    rows = []
    for n, strip in enumerate(strips):
        blank = MARGIN_CELLS + (max(0, (width - strip.cell_length) // 2) if block.centred else 0)
        runs_on = n < len(strips) - 1
        rows.append(LayoutRow((*bar, *strip), blank, marks=len(block.edge) if bar else 0, runs_on=runs_on))
    if block.mark:
        mark = render(Content.styled(block.mark[:1].ljust(MARGIN_CELLS), block.mark_ink), MARGIN_CELLS)[0]
        rows[0] = replace(rows[0], segments=(*mark, *rows[0].segments), blank=0, marks=MARGIN_CELLS)
    return rows


@dataclass(eq=False)
class TurnLayout:
    number: int
    blocks: list[Block] = field(default_factory=list)
    live: bool = False
    aside: bool = False
    """Gone with the next turn."""
    numbered: bool = True
    head: Block | None = None
    """Line above the turn: where verbatim context begins."""
    rows: list[LayoutRow] = field(default_factory=list)
    first_row: LayoutRow | None = None
    rows_by_block: dict[int, tuple[Block, list[LayoutRow]]] = field(default_factory=dict)
    """Rows by block; dropped when width or inks change."""
    renders: int = 0
    """Blocks wrapped so far, to measure the work per token."""

    def lay_out(self, width: int, render: Render) -> int:
        """Lay out changed blocks for `width` and return the number of rows."""
        rows = [_BLANK] * (TURN_SPACE if self.number > 1 and not self.aside else 0)
        if self.head and rows:
            rows[0] = rows_of(self.head, width, render)[0]
        self.first_row = None
        for place, block in enumerate(self.blocks):
            cached = self.rows_by_block.get(place)
            if cached is None or cached[0] != block:
                cached = self.rows_by_block[place] = (block, rows_of(block, width, render))
                self.renders += 1
            rows.extend([_BLANK] * (0 if place == 0 and rows else block.space))
            rows.extend(cached[1])
            if self.first_row is None and not block.centred:
                self.first_row = cached[1][0]
        self.rows = rows
        return len(rows)

    def spot(self, row: int) -> int:
        """Letters above a row: a place that is the same at any width."""
        return sum(map(_letters, self.rows[:row]))

    def row_at(self, spot: int) -> int:
        ends = accumulate(map(_letters, self.rows))
        return next((row for row, end in enumerate(ends) if end > spot), 0) if spot else 0


def _hung(text: Content, hang: int, width: int) -> Content:
    """Indent later rows of `text`, if that leaves room for words."""
    first, rest = text[:hang], text[hang:]
    indent = first.cell_length
    if not indent or width - indent < MIN_COLUMN_CELLS:
        return text
    return first + Content("\n" + " " * indent).join(rest.wrap(width - indent))


def _letters(row: LayoutRow) -> int:
    return len("".join(row.text.split()))


MAX_LOADED_TURNS = 60
"""Beyond it the far end is dropped."""
EARLIER = Block(faint("▴ earlier turns"), centred=True)
BOUNDARY = Block(faint("▴ summarised for the model   ·   in full below ▾"), centred=True)
Place = tuple[TurnLayout, int]
"""Turn, and row or letter within it."""


@dataclass(eq=False)
class TranscriptWindow:
    """A run of turns, oldest first, perhaps with an aside at its end."""

    turns: list[TurnLayout] = field(default_factory=list)
    newest: int = 0
    height: int = 0
    _tops: list[int] = field(default_factory=list)
    boundary: int = 0
    """Last turn the model knows only from a summary."""
    _earlier: LayoutRow = _BLANK

    @property
    def first(self) -> int:
        """Number of the first turn; 0 without turns."""
        return next((turn.number for turn in self.turns if not turn.aside), 0)

    @property
    def last(self) -> int:
        return next((turn.number for turn in reversed(self.turns) if not turn.aside), 0)

    @property
    def at_the_end(self) -> bool:
        return self.last >= self.newest

    def find(self, number: int) -> TurnLayout | None:
        return next((turn for turn in self.turns if turn.number == number and not turn.aside), None)

    # --- holding ------------------------------------------------------------------------------------------------

    def cut_front(self) -> int:
        """Drop the oldest turns over the limit; returns their rows."""
        surplus = max(0, len(self.turns) - MAX_LOADED_TURNS)
        dropped = sum(len(turn.rows) for turn in self.turns[:surplus])
        del self.turns[:surplus]
        return dropped

    # --- rows ---------------------------------------------------------------------------------------------------

    def lay_out(self, start: int, width: int, render: Render) -> None:
        """Lay out from turn `start`, one blank row after the last."""
        self._earlier = rows_of(EARLIER, width, render)[0]
        head = 2 if self.first > 1 else 1
        del self._tops[start:]
        top = self._tops[-1] + len(self.turns[start - 1].rows) if start else head
        for turn in self.turns[start:]:
            is_boundary = 0 < self.boundary == turn.number - 1 and not turn.aside
            turn.head = BOUNDARY if is_boundary else None
            self._tops.append(top)
            top += turn.lay_out(width, render)
        self.height = top + 1 if self.turns else 0

    def row(self, y: int) -> tuple[LayoutRow, TurnLayout | None, int]:
        """Return the row at `y`, its turn, and its index there."""
        if not self._tops or y < self._tops[0]:
            return (self._earlier if y == 0 and self.first > 1 else _BLANK), None, 0
        at = bisect_right(self._tops, y) - 1
        if at >= len(self.turns):  # others took their place while the page was hidden, and it is drawn first
            return _BLANK, None, 0
        turn, inside = self.turns[at], y - self._tops[at]
        return (turn.rows[inside] if inside < len(turn.rows) else _BLANK), turn, inside

    def place(self, y: int) -> Place | None:
        """Return the turn at or below `y`, and the row within it."""
        _, turn, inside = self.row(max([y, *self._tops[:1]]))
        return (turn, inside) if turn else None

    def y_of(self, turn: TurnLayout | None, row: int) -> int | None:
        """Return the y of a turn's row; None if the turn is not loaded."""
        place = self.turns.index(turn) if turn in self.turns else len(self._tops)
        if turn is None or place >= len(self._tops):
            return None
        return self._tops[place] + min(row, len(turn.rows))
