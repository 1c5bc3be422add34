"""One turn on the page: its blocks, and the rows they make at a given width. Rows are made once per block and width."""

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import accumulate

from rich.segment import Segment
from textual.content import Content
from textual.strip import Strip

from theact_tui.tui.blocks import Block

Render = Callable[[Content, int], list[Strip]]
"""Wraps and styles content to a width (cells)."""

TURN_SPACE = 2
"""Blank rows above a turn."""
MARGIN = 2
"""Cells left of the prose, for marks."""
NARROWEST = 20
"""Cells that the last column of a table needs to be wrapped within itself."""


@dataclass(frozen=True, slots=True)
class LayoutRow:
    """One row of the page. It keeps segments, not a strip: those come with seven caches, and there are many rows."""

    segments: tuple[Segment, ...] = ()
    blank: int = MARGIN
    """Cells left free before them, counted from the margin on."""
    marks: int = 0
    """How many cells of them are no words: a mark in the margin, or a bar."""
    runs_on: bool = False
    """The paragraph continues in the next row."""

    @property
    def text(self) -> str:
        """Its words, plain."""
        return "".join(segment.text for segment in self.segments)[self.marks :]


BLANK = LayoutRow()


def rows_of(block: Block, width: int, render: Render) -> list[LayoutRow]:
    """The rows that a block makes."""
    bar = render(Content.styled(block.edge, block.bar), len(block.edge))[0] if block.bar else ()
    width -= len(block.edge) if block.bar else 0
    strips = render(_hung(block.text, block.hang, width), width)
    rows = []
    for n, strip in enumerate(strips):
        blank = MARGIN + (max(0, (width - strip.cell_length) // 2) if block.centred else 0)
        runs_on = n < len(strips) - 1
        rows.append(LayoutRow((*bar, *strip), blank, marks=len(block.edge) if bar else 0, runs_on=runs_on))
    if block.mark:
        mark = render(Content.styled(block.mark[:1].ljust(MARGIN), block.mark_ink), MARGIN)[0]
        rows[0] = replace(rows[0], segments=(*mark, *rows[0].segments), blank=0, marks=MARGIN)
    return rows


@dataclass(eq=False)
class TurnLayout:
    """A turn's blocks and their rows."""

    number: int
    blocks: list[Block] = field(default_factory=list)
    live: bool = False
    aside: bool = False
    """Not a turn: a card or an answer of the program, gone with the next turn."""
    numbered: bool = True
    """Its number stands beside its first row."""
    head: Block | None = None
    """A line in the space above this turn: where verbatim context begins."""
    rows: list[LayoutRow] = field(default_factory=list)
    first_row: LayoutRow | None = None
    """The first row of prose, beside which the turn's number stands."""
    made: dict[int, tuple[Block, list[LayoutRow]]] = field(default_factory=dict)
    """By place: the rows that a block made; to be dropped when the width or the inks change."""
    renders: int = 0
    """How many blocks were wrapped so far; what the work per token is measured by."""

    def lay_out(self, width: int, render: Render) -> int:
        """Make the rows for `width`; only blocks that changed are wrapped again. Returns their number."""
        rows = [BLANK] * (TURN_SPACE if self.number > 1 and not self.aside else 0)
        if self.head and rows:
            rows[0] = rows_of(self.head, width, render)[0]
        self.first_row = None
        for place, block in enumerate(self.blocks):
            known = self.made.get(place)
            if known is None or known[0] != block:
                known = self.made[place] = (block, rows_of(block, width, render))
                self.renders += 1
            rows.extend([BLANK] * (0 if place == 0 and rows else block.space))
            rows.extend(known[1])
            if self.first_row is None and not block.centred:
                self.first_row = known[1][0]
        self.rows = rows
        return len(rows)

    def spot(self, row: int) -> int:
        """How many letters stand above a row: a place that stays the same at any width."""
        return sum(map(_letters, self.rows[:row]))

    def row_at(self, spot: int) -> int:
        """The row in which a spot is."""
        ends = accumulate(map(_letters, self.rows))
        return next((row for row, end in enumerate(ends) if end > spot), 0) if spot else 0


def _hung(text: Content, hang: int, width: int) -> Content:
    """`text` with its second and later rows indented, if that leaves enough room for words."""
    first, rest = text[:hang], text[hang:]
    indent = first.cell_length
    if not indent or width - indent < NARROWEST:
        return text
    return first + Content("\n" + " " * indent).join(rest.wrap(width - indent))


def _letters(row: LayoutRow) -> int:
    return len("".join(row.text.split()))


LONGEST = 60
"""Turns kept; beyond it the far end is let go."""
EARLIER = Block(Content.styled("▴ earlier turns", ".faint"), centred=True)
BOUNDARY = Block(Content.styled("▴ summarised for the model   ·   in full below ▾", ".faint"), centred=True)
Place = tuple[TurnLayout, int]
"""A turn, and a row or a letter of it."""


@dataclass(eq=False)
class TranscriptWindow:
    """A run of turns, oldest first, perhaps with an aside of the program at its end."""

    turns: list[TurnLayout] = field(default_factory=list)
    newest: int = 0
    """The newest turn of the story, in the window or not."""
    height: int = 0
    """Rows in all."""
    _tops: list[int] = field(default_factory=list)
    boundary: int = 0
    """The last turn that the model knows from a summary only."""
    _earlier: LayoutRow = BLANK

    @property
    def first(self) -> int:
        """Number of the first turn; 0 when there is none."""
        return next((turn.number for turn in self.turns if not turn.aside), 0)

    @property
    def last(self) -> int:
        """Number of the last turn; 0 when there is none."""
        return next((turn.number for turn in reversed(self.turns) if not turn.aside), 0)

    @property
    def at_the_end(self) -> bool:
        """The story's newest turn is in it."""
        return self.last >= self.newest

    def find(self, number: int) -> TurnLayout | None:
        """The layout of a turn, if it is here."""
        return next((turn for turn in self.turns if turn.number == number and not turn.aside), None)

    # --- holding ------------------------------------------------------------------------------------------------

    def cut_front(self) -> int:
        """Let go of the oldest turns over the limit; returns how many rows they had."""
        surplus = max(0, len(self.turns) - LONGEST)
        gone = sum(len(turn.rows) for turn in self.turns[:surplus])
        del self.turns[:surplus]
        return gone

    # --- rows ---------------------------------------------------------------------------------------------------

    def lay_out(self, start: int, width: int, render: Render) -> None:
        """Make the rows from turn `start` on, one blank row after the last."""
        self._earlier = rows_of(EARLIER, width, render)[0]
        head = 2 if self.first > 1 else 1
        del self._tops[start:]
        top = self._tops[-1] + len(self.turns[start - 1].rows) if start else head
        for turn in self.turns[start:]:
            here = 0 < self.boundary == turn.number - 1 and not turn.aside
            turn.head = BOUNDARY if here else None
            self._tops.append(top)
            top += turn.lay_out(width, render)
        self.height = top + 1 if self.turns else 0

    def row(self, y: int) -> tuple[LayoutRow, TurnLayout | None, int]:
        """The row at `y`, its turn, and which one of that turn it is."""
        if not self._tops or y < self._tops[0]:
            return (self._earlier if y == 0 and self.first > 1 else BLANK), None, 0
        at = bisect_right(self._tops, y) - 1
        turn, inside = self.turns[at], y - self._tops[at]
        return (turn.rows[inside] if inside < len(turn.rows) else BLANK), turn, inside

    def place(self, y: int) -> Place | None:
        """The turn at `y`, or the first one below, and the row within it."""
        _, turn, inside = self.row(max([y, *self._tops[:1]]))
        return (turn, inside) if turn else None

    def y_of(self, turn: TurnLayout | None, row: int) -> int | None:
        """Where a row of a turn is; None when the turn is not here."""
        if turn not in self.turns:
            return None
        return self._tops[self.turns.index(turn)] + min(row, len(turn.rows))
