"""The transcript: a window of turns, set as one column, drawn row by row.

It is a line-drawing widget without children: what a token costs is the wrapping of the last paragraph and the drawing
of the rows in sight, whatever the number of words behind it (S14). The window grows and is cut as the reader moves.
"""

from __future__ import annotations

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

from theact_tui.tui.inks import Inky
from theact_tui.tui.widgets.drawing import (
    MARGIN,
    drawn,
    selected_text,
    with_note,
    with_selection,
)
from theact_tui.tui.widgets.finding import Finder, highlighted
from theact_tui.tui.widgets.leaf import Leaf
from theact_tui.tui.widgets.window import Window

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


class Transcript(Inky, ScrollView, can_focus=True):
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
    """The newest row is in sight."""

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

    class Returned(Message):
        """The reader wants the newest turn, which is not in the window."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.window = Window()
        self._width = 0
        self._asked = False
        self._holding = False
        self._limit: tuple[Leaf, int] | None = None
        """The place that following may not push over the upper edge; None: there is none."""
        self._spot: tuple[int, tuple[Leaf, int]] | None = None
        """The row to which the last change of the width led, and what is to be kept there."""
        self._finder = Finder()
        self._inks: tuple[object, ...] = ()

    # --- what it holds ------------------------------------------------------------------------------------------

    @property
    def text(self) -> str:
        """Everything in the window, plain, turns apart by a blank line."""
        return "\n\n".join(leaf.text for leaf in self.window.leaves)

    def show(self, leaves: Sequence[Leaf], newest: int) -> None:
        """Replace the window; its last turn is in sight, from its first row on."""
        for leaf in leaves:
            if before := self.window.leaf(leaf.number):
                leaf.like(before)
        self.window.leaves = list(leaves)
        self.window.newest = newest
        self._asked = False
        if leaves:
            self._read_from(leaves[-1])

    def prepend(self, leaves: Sequence[Leaf]) -> None:
        """Put older turns in front; what the reader sees stays where it is."""
        self._asked = False
        if leaves:
            below = self.window.height - self.scroll_offset.y
            self.window.leaves[:0] = leaves
            self._lay_out(0)
            self._hold(self.window.height - below)
            self.window.cut_end()
            self._lay_out(0)

    def append(self, leaves: Sequence[Leaf]) -> None:
        """Put newer turns behind, when the window does not reach the newest yet."""
        self._asked = False
        held = self.scroll_offset.y
        self.window.leaves.extend(leaves)
        held -= self.window.cut_front()
        self._lay_out(0)
        self._hold(held)

    def add(self, leaf: Leaf) -> None:
        """Add the turn that is being told, or an aside, and go to it."""
        self.window.add(leaf)
        self.window.cut_front()
        self._read_from(leaf)

    def drop(self, leaf: Leaf) -> None:
        """Take a turn off the page."""
        if leaf in self.window.leaves:
            self.window.remove(leaf)
            self._lay_out(0)

    def changed(self, leaf: Leaf) -> None:
        """Draw a leaf anew after its blocks changed."""
        if leaf in self.window.leaves:
            self._lay_out(self.window.leaves.index(leaf))

    def boundary(self, last_summarized: int) -> None:
        """Mark below which turn the verbatim context begins (S5.1)."""
        if self.window.mark_boundary(last_summarized):
            self._lay_out(0)

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
        if self._finder.term:
            content = highlighted(content, self._finder.term)
        return Visual.to_strips(self, content, width, None, self.visual_style, apply_selection=False)

    def _lay_out(self, start: int) -> None:
        """Make rows from leaf `start` on; the newest row stays in sight if it was."""
        if not self._width:
            return
        self.window.lay_out(start, self.measure, self._wrap)
        self.virtual_size = Size(self._width, self.window.height)
        if self.following:
            self._keep_up()
        self.refresh()

    def _read_from(self, leaf: Leaf) -> None:
        """Follow what is told from here on; the first row of `leaf` stays in sight."""
        self._limit = (leaf, 1)
        self.following = True
        self._lay_out(0)

    def _keep_up(self) -> None:
        """Go down as the story grows, but never push the row from which one reads over the upper edge."""
        end, limit = self.max_scroll_y, self.window.y_of(self._limit)
        here = min(end, self.scroll_offset.y)
        target = end if limit is None else max(min(end, limit), here)
        self._hold(target)
        self.following = self.window.at_the_end and target >= end

    def _hold(self, y: int) -> None:
        """Scroll there at once, without taking it for a move of the reader's."""
        self._holding = True
        self.scroll_to(y=max(0, y), animate=False, immediate=True, force=True)
        self._holding = False

    def on_resize(self, event: events.Resize) -> None:
        width = self.scrollable_content_region.width
        if width == self._width:
            if self.following:
                self._hold(self.max_scroll_y)
            return
        spot = None if self.following else self._spot_at_the_top()
        self._width = width
        self._set_anew()
        if spot:
            self.go_to(spot[0].number, spot[0].row_at(spot[1]))
            self._spot = (self.scroll_offset.y, spot)

    def _spot_at_the_top(self) -> tuple[Leaf, int] | None:
        """Turn and letter; the same through many changes of the width until the reader moves."""
        here = self.scroll_offset.y
        if self._spot and self._spot[0] == here:
            return self._spot[1]
        top = self.window.place(here)
        return (top[0], top[0].spot(top[1])) if top else None

    def notify_style_update(self) -> None:
        super().notify_style_update()
        inks = (self.app.theme, self.visual_style)
        if inks != self._inks:
            self._inks = inks
            self._set_anew()

    def _set_anew(self) -> None:
        """Wrap everything again: the width, inks or highlights have changed."""
        self.window.forget()
        self._lay_out(0)

    # --- moving -------------------------------------------------------------------------------------------------

    @property
    def place(self) -> tuple[int, int] | None:
        """Turn and row within it at the top of the view."""
        found = self.window.place(self.scroll_offset.y)
        return (found[0].number, found[1]) if found else None

    def go_to(self, number: int, row: int = 0) -> None:
        """Bring a row of a turn to the top of the view."""
        top = self.window.top(number, row)
        if top is not None:
            self._hold(top)
            self._look_where()

    def follow(self) -> None:
        """Go to the newest row and stay there; when it is not in the window it is asked for."""
        if not self.window.at_the_end:
            self.post_message(self.Returned())
            return
        self._limit = None
        self.following = True
        self._hold(self.max_scroll_y)

    def page(self, pages: int) -> None:
        """Go down or up by pages, one row of each staying in sight."""
        self.scroll_relative(y=pages * max(1, self.size.height - 1), animate=False, immediate=True)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        if self._holding:
            return
        self._look_where()
        if self._asked or not self._width:
            return
        near = self.size.height
        if self.window.first > 1 and new_value < near and new_value < old_value:
            self._want(older=True)
        elif not self.window.at_the_end and new_value > self.max_scroll_y - near:
            self._want(older=False)

    def _look_where(self) -> None:
        """After a move of the reader's: at the newest row the story is followed for one page more."""
        at_the_end = self.window.at_the_end and self.scroll_offset.y >= self.max_scroll_y
        if at_the_end and not self.following:
            self._limit = self.window.place(self.scroll_offset.y + self.size.height - 2)
        self.following = at_the_end

    def _want(self, *, older: bool) -> None:
        self._asked = True
        self.post_message(self.Wanted(self.window.first, self.window.last, older))

    def watch_following(self, following: bool) -> None:
        self.post_message(self.Moved(following))

    def action_oldest(self) -> None:
        self.scroll_home(animate=False, immediate=True)

    def action_newest(self) -> None:
        self.follow()

    # --- finding -----------------------------------------------------------------------------------------------

    def seek(self, term: str, step: int) -> tuple[int, int]:
        """Go to the next place of `term` in the window, as `Finder.step` finds it."""
        if self._finder.begin(term):
            self._set_anew()
        place = self._finder.step(self.window.leaves, step)
        if place[0] and self._finder.found:
            number, row = self._finder.found
            self.go_to(number, max(0, row - self.size.height // 3))
        return place

    @property
    def found(self) -> tuple[int, int] | None:
        """Turn and row of the place last found."""
        return self._finder.found

    def end_search(self) -> None:
        """Take the highlights away."""
        self._finder.begin("")
        self._set_anew()

    # --- drawing ------------------------------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        width, at = self.size.width, self.scroll_offset.y + y
        base, left, measure = self.visual_style, self.left, self.measure
        row, leaf = self.window.row(at)
        line = drawn(row, left, measure, base, self._get_style)
        if leaf and not leaf.aside and row is leaf.first_row and width > left + measure + NUMBER_ROOM:
            line = with_note(line, f"{leaf.number:>4}", left + measure, base, self._get_style(".faint"))
        if self.text_selection and (span := self.text_selection.get_span(at)) is not None:
            line = with_selection(line, span, self.screen.get_visual_style("screen--selection"))
        return line.extend_cell_length(width, base.rich_style).crop(0, width).apply_offsets(0, at)

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        rows = ((y, self.window.row(y)[0]) for y in range(self.virtual_size.height))
        return selected_text(rows, selection, self.left, self.measure), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        self.refresh()
