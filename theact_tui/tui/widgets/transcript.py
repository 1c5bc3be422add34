"""The transcript: a window of turns, set as one column, drawn row by row.

It is a line-drawing widget without children: what a token costs is the wrapping of the last paragraph and the drawing
of the rows in sight, whatever the number of words behind it (S14). The window grows and is cut as the reader moves.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from textual import events
from textual.binding import Binding
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip
from textual.visual import Visual

from theact_tui.tui.widgets.drawing import (
    MARGIN,
    drawn,
    highlighted,
    places,
    selected_text,
    with_note,
    with_selection,
)
from theact_tui.tui.widgets.leaf import BLANK, Leaf, Row

MEASURE = 76
"""Widest line of prose, in cells."""
NUMBER_ROOM = 6
"""Free cells right of the prose that a turn's number needs."""
LEFT = MARGIN + 1
"""Cells left of the prose: an edge, then the marks."""
COLUMN = 80
"""Cells of the column that prose, status and input share; it is centred."""
WINDOW = 12
"""Turns shown when a save is opened, and read more at a time."""
LONGEST = 60
"""Turns kept loaded; beyond it the far end is let go."""
EARLIER = "▴ earlier turns"
BOUNDARY = "▴ remembered in summary   ·   word for word from here ▾"


class Transcript(ScrollView, can_focus=True):
    """A window of turns. `first` and `last` are the numbers of the turns it holds."""

    DEFAULT_CSS = """
    Transcript {
        background: $background; color: $foreground;
        overflow-x: hidden; overflow-y: scroll;
        scrollbar-size-vertical: 1; scrollbar-gutter: stable;
    }
    """
    BINDINGS = [
        Binding("home", "oldest", "First turn in sight", show=False),
        Binding("end", "newest", "Back to the newest", show=False),
    ]
    following: reactive[bool] = reactive(True)
    """The newest row is in sight, and stays so while the story grows."""

    @dataclass
    class Wanted(Message):
        """The reader came near an end of the window: turns before `first` (or after `last`) are wanted."""

        first: int
        last: int
        older: bool

    @dataclass
    class Moved(Message):
        """The reader scrolled up from the newest row, or came back to it."""

        following: bool

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.leaves: list[Leaf] = []
        self.newest = 0
        """The newest turn of the story, in the window or not."""
        self._tops: list[int] = []
        self._width = 0
        self._asked = False
        self._term = ""
        self._found: tuple[int, int] | None = None
        self._boundary = 0

    # --- what it holds ------------------------------------------------------------------------------------------

    @property
    def first(self) -> int:
        """Number of the first turn in the window; 0 when it is empty."""
        return next((leaf.number for leaf in self.leaves if not leaf.aside), 0)

    @property
    def last(self) -> int:
        """Number of the last turn in the window; 0 when it is empty."""
        return next((leaf.number for leaf in reversed(self.leaves) if not leaf.aside), 0)

    @property
    def text(self) -> str:
        """Everything in the window, plain, turns apart by a blank line."""
        return "\n\n".join(leaf.text for leaf in self.leaves)

    def leaf(self, number: int) -> Leaf | None:
        """The leaf of a turn, if it is in the window."""
        return next((leaf for leaf in self.leaves if leaf.number == number and not leaf.aside), None)

    def show(self, leaves: Sequence[Leaf], newest: int) -> None:
        """Replace the window; it ends at the newest row when it holds the newest turn."""
        self.leaves = list(leaves)
        self.newest = newest
        self._asked = False
        self._mark_boundary()
        self._lay_out(0)
        self.follow()

    def prepend(self, leaves: Sequence[Leaf]) -> None:
        """Put older turns in front; what the reader sees stays where it is."""
        self._asked = False
        if not leaves:
            return
        before = self.virtual_size.height
        held = self.scroll_offset.y
        self.leaves[:0] = leaves
        self._mark_boundary()
        self._lay_out(0)
        self._hold(held + self.virtual_size.height - before)
        while len(self.leaves) > LONGEST:
            self.leaves.pop()
        self._lay_out(0)

    def append(self, leaves: Sequence[Leaf]) -> None:
        """Put newer turns behind, when the window does not reach the newest yet."""
        self._asked = False
        self.leaves.extend(leaves)
        self._mark_boundary()
        self._cut()
        self._lay_out(0)

    def add(self, leaf: Leaf) -> None:
        """Add the turn that is being told, or a card; asides before it go."""
        following = self.following
        self.leaves = [*(known for known in self.leaves if not known.aside), leaf]
        if not leaf.aside:
            self.newest = max(self.newest, leaf.number)
        if following:
            self._cut()
        self._lay_out(0)

    def drop(self, leaf: Leaf) -> None:
        """Take a turn off the page."""
        if leaf in self.leaves:
            self.leaves.remove(leaf)
            self.newest = self.last
            self._lay_out(0)

    def changed(self, leaf: Leaf) -> None:
        """Draw a leaf anew after its blocks changed."""
        if leaf in self.leaves:
            self._lay_out(self.leaves.index(leaf))

    def boundary(self, last_summarized: int) -> None:
        """Mark below which turn the verbatim context begins (S5.1)."""
        if last_summarized != self._boundary:
            self._boundary = last_summarized
            self._mark_boundary()
            self._lay_out(0)

    def _mark_boundary(self) -> None:
        for leaf in self.leaves:
            here = 0 < self._boundary == leaf.number - 1
            leaf.head = Content.styled(BOUNDARY, ".faint") if here else None

    def _cut(self) -> None:
        """Let go of the far end, out of sight. The caller lays out anew."""
        surplus = len(self.leaves) - LONGEST
        if surplus > 0:
            gone = sum(len(leaf.rows) for leaf in self.leaves[:surplus])
            del self.leaves[:surplus]
            self._hold(self.scroll_offset.y - gone)

    # --- layout -------------------------------------------------------------------------------------------------

    @property
    def measure(self) -> int:
        """Width of a line of prose now, in cells."""
        return max(10, min(MEASURE, self.size.width - LEFT - 2))

    @property
    def left(self) -> int:
        """Cells left of the prose."""
        return max(0, self.size.width - COLUMN) // 2 + LEFT

    def _wrap(self, content: Content, width: int) -> list[Strip]:
        if self._term:
            content = highlighted(content, self._term)
        return Visual.to_strips(self, content, width, None, self.visual_style, apply_selection=False)

    def _lay_out(self, start: int) -> None:
        """Make rows from leaf `start` on; the newest row stays in sight if it was."""
        if not self._width:
            return
        following = self.following
        del self._tops[start:]
        top = self._tops[-1] + len(self.leaves[start - 1].rows) if start else self._head
        for leaf in self.leaves[start:]:
            self._tops.append(top)
            top += leaf.lay_out(self.measure, self._wrap)
        self.virtual_size = Size(self._width, top + 1 if self.leaves else 0)
        if following:
            self.scroll_end(animate=False, immediate=True, x_axis=False)
        self.refresh()

    @property
    def _head(self) -> int:
        """Rows above the first turn: a notice that there are earlier ones."""
        return 2 if self.first > 1 else 1

    def _hold(self, y: int) -> None:
        self.scroll_to(y=max(0, y), animate=False, immediate=True, force=True)

    def on_resize(self, event: events.Resize) -> None:
        width = self.scrollable_content_region.width
        if width == self._width:
            return
        place = self.place
        self._width = width
        for leaf in self.leaves:
            leaf.forget()
        self._lay_out(0)
        if not self.following and place:
            self.go_to(*place)

    def notify_style_update(self) -> None:
        super().notify_style_update()
        for leaf in self.leaves:
            leaf.forget()
        self._lay_out(0)

    # --- moving -------------------------------------------------------------------------------------------------

    @property
    def place(self) -> tuple[int, int] | None:
        """Turn and row within it at the top of the view."""
        if not self._tops:
            return None
        y = max(self.scroll_offset.y, self._tops[0])
        at = bisect_right(self._tops, y) - 1
        return self.leaves[at].number, y - self._tops[at]

    def go_to(self, number: int, row: int = 0) -> None:
        """Bring a row of a turn to the top of the view."""
        for leaf, top in zip(self.leaves, self._tops, strict=True):
            if leaf.number == number:
                self._hold(top + min(row, len(leaf.rows)))
        self._look_where()

    def follow(self) -> None:
        """Go to the newest row and stay there."""
        self.following = True
        self.scroll_end(animate=False, immediate=True, x_axis=False)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self._look_where()
        if self._asked or not self._width:
            return
        near = self.size.height
        if self.first > 1 and new_value < near and new_value < old_value:
            self._want(older=True)
        elif self.last < self.newest and new_value > self.max_scroll_y - near:
            self._want(older=False)

    def _look_where(self) -> None:
        self.following = self.last >= self.newest and self.scroll_offset.y >= self.max_scroll_y

    def _want(self, *, older: bool) -> None:
        self._asked = True
        self.post_message(self.Wanted(self.first, self.last, older))

    def watch_following(self, following: bool) -> None:
        self.post_message(self.Moved(following))

    def action_oldest(self) -> None:
        self.scroll_home(animate=False, immediate=True)

    def action_newest(self) -> None:
        self.follow()

    # --- finding -----------------------------------------------------------------------------------------------

    def seek(self, term: str, step: int) -> tuple[int, int]:
        """Go to the next row with `term`, older (-1) or newer (1) than the last one found. Returns its place and the
        number of places in the window; place 0 means there is no further one in that direction."""
        if term != self._term:
            self._term, self._found = term, None
            self.notify_style_update()
        hits = [(leaf.number, row) for leaf in self.leaves for row in (places(leaf, term) if term else ())]
        if not hits:
            return 0, 0
        later = (self.last + 1, 0)
        known = self._found or later
        if step < 0:
            at = max((n for n, hit in enumerate(hits) if hit < known), default=-1)
        else:
            at = min((n for n, hit in enumerate(hits) if hit > known), default=-1)
        if at < 0:
            return 0, len(hits)
        self._found = hits[at]
        self.go_to(hits[at][0], max(0, hits[at][1] - self.size.height // 3))
        return at + 1, len(hits)

    def end_search(self) -> None:
        """Take the highlights away."""
        self._term, self._found = "", None
        self.notify_style_update()

    # --- drawing ------------------------------------------------------------------------------------------------

    def row(self, y: int) -> tuple[Row, Leaf | None]:
        """The row at `y` of the page, and its turn."""
        if not self._tops or y < self._tops[0]:
            return BLANK, None
        at = bisect_right(self._tops, y) - 1
        leaf = self.leaves[at]
        inside = y - self._tops[at]
        return (leaf.rows[inside] if inside < len(leaf.rows) else BLANK), leaf

    def render_line(self, y: int) -> Strip:
        width, at = self.size.width, self.scroll_offset.y + y
        base, left, measure = self.visual_style, self.left, self.measure
        row, leaf = self.row(at)
        line = drawn(row, left, measure, base, self._get_style)
        if leaf and not leaf.aside and row is leaf.first_row and width > left + measure + NUMBER_ROOM:
            line = with_note(line, f"{leaf.number:>4}", left + measure, base, self._get_style(".faint"))
        if self.text_selection and (span := self.text_selection.get_span(at)) is not None:
            line = with_selection(line, span, self.screen.get_visual_style("screen--selection"))
        return line.extend_cell_length(width, base.rich_style).crop(0, width).apply_offsets(0, at)

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        rows = ((y, self.row(y)[0]) for y in range(self.virtual_size.height))
        return selected_text(rows, selection, self.left, self.measure), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        self.refresh()
