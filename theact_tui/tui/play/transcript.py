"""Transcript: a scrolling page of turns, drawn row by row."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from rich.segment import Segment
from textual import events
from textual.binding import Binding
from textual.content import Content
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip
from textual.style import Style
from textual.visual import Visual

from theact_tui.tui.play.transcript_search import TranscriptSearch, highlighted
from theact_tui.tui.play.transcript_window import (
    MARGIN_CELLS,
    MAX_LOADED_TURNS,
    LayoutRow,
    Place,
    TranscriptWindow,
    TurnLayout,
)
from theact_tui.tui.visuals import faint

MEASURE_CELLS = 76
"""Widest line of prose."""
NUMBER_CELLS = 6
"""Right of the prose for a turn's number."""
LEFT = MARGIN_CELLS + 1
"""Cells left of the prose: an edge, then marks."""
COLUMN_CELLS = 80
"""Centred column of prose, status and input."""
WINDOW_TURNS = 12
"""Loaded at a time."""


def styled(strip: Strip, start: int, end: int, style: Style) -> Strip:
    """Style a row's characters from `start` to `end`; -1 is the row's end."""
    length = len(strip.text)
    start, end = min(start, length), length if end == -1 else min(end, length)
    if start >= end:
        return strip
    first, last = strip.index_to_cell_position(start), strip.index_to_cell_position(end)
    chosen = strip.crop(first, last).apply_style(style.rich_style)
    return Strip.join([strip.crop(0, first), chosen, strip.crop(last)])


Wanted = Literal["older", "newer", "newest"]
InSight = tuple[Region, list[tuple[LayoutRow, int]]]


class Transcript(ScrollView, can_focus=True):
    DEFAULT_CSS = """
    Transcript {
        background: $background; overflow-x: hidden; overflow-y: scroll;
        scrollbar-size-vertical: 1; scrollbar-gutter: stable;
    }
    """
    BINDINGS = [
        Binding("home", "oldest", "First turn in sight", show=False),
        Binding("end", "newest", "Back to the newest", show=False),
    ]
    following: reactive[bool] = reactive(True)

    @dataclass
    class TurnsWanted(Message):
        which: Wanted

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.window = TranscriptWindow()
        self._width = 0
        self._hidden = (0, 0, 0)
        """Width, row and height when hidden, to restore the position."""
        self._asked = False
        self._holding = False
        self._limit: Place | None = None
        """Place that following must not scroll over the upper edge."""
        self._spot: tuple[int, Place] | None = None
        """Row that the last change of width led to, and the place to keep there."""
        self.search = TranscriptSearch()
        self._inks: tuple[object, ...] = ()
        self._drawn: InSight = (Region(), [])

    # --- what it holds ------------------------------------------------------------------------------------------

    def show(self, turns: Sequence[TurnLayout], newest: int) -> None:
        """Replace the window; the last turn is in sight from its first row."""
        for turn in turns:
            if before := self.window.find(turn.number):
                turn.rows_by_block = dict(before.rows_by_block)
        self.window.turns = list(turns)
        self.window.newest = newest
        self._asked = False
        if turns:
            self._read_from(turns[-1])
        else:
            self._lay_out(0)

    def prepend(self, turns: Sequence[TurnLayout]) -> None:
        """Add older turns; the view stays."""
        self._asked = False
        if turns:
            below = self.window.height - self.scroll_offset.y
            self.window.turns[:0] = turns
            self._lay_out(0)
            self._hold(self.window.height - below)
            if not any(turn.live for turn in self.window.turns):
                del self.window.turns[MAX_LOADED_TURNS:]
            self._lay_out(0)

    def append(self, turns: Sequence[TurnLayout]) -> None:
        """Add newer turns, if the window does not reach the newest."""
        self._asked = False
        held = self.scroll_offset.y
        self.window.turns.extend(turns)
        held -= self.window.cut_front()
        self._lay_out(0)
        self._hold(held)

    def add(self, turn: TurnLayout) -> None:
        """Add the running turn or an aside and go to it, dropping earlier asides."""
        self.window.turns = [*(shown for shown in self.window.turns if not shown.aside), turn]
        if not turn.aside:
            self.window.newest = max(self.window.newest, turn.number)
        self.window.cut_front()
        self._read_from(turn)

    def drop(self, turn: TurnLayout) -> None:
        if turn in self.window.turns:
            self.window.turns.remove(turn)
            self.window.newest = self.window.last
            self._lay_out(0)

    def changed(self, turn: TurnLayout) -> None:
        if turn in self.window.turns:
            self._lay_out(self.window.turns.index(turn))

    def boundary(self, last_summarized: int) -> None:
        """Mark where the model's verbatim context begins."""
        if self.window.boundary != last_summarized:
            self.window.boundary = last_summarized
            self._lay_out(0)

    # --- layout -------------------------------------------------------------------------------------------------

    @property
    def measure(self) -> int:
        return max(10, min(MEASURE_CELLS, self.size.width - LEFT - 2))

    @property
    def left(self) -> int:
        return max(0, self.size.width - COLUMN_CELLS) // 2 + LEFT

    def _wrap(self, content: Content, width: int) -> list[Strip]:
        if self.search.term and width > NUMBER_CELLS:  # what stands in the margins is no text
            content = highlighted(content, self.search.term)
        return Visual.to_strips(self, content, width, None, self.visual_style, apply_selection=False)

    def _lay_out(self, start: int) -> None:
        """Lay out from turn `start`; the newest row stays in sight if it was."""
        if not self._width:
            return
        self.window.lay_out(start, self.measure, self._wrap)
        self.virtual_size = Size(self._width, self.window.height)
        if self.following:
            self._keep_up()
        before, self._drawn = self._drawn, self._in_sight()
        (place, rows), (place_before, rows_before) = self._drawn, before
        if place != place_before or self.search.term:
            self.refresh()
            return
        for y, old, new in zip(range(place.y, place.bottom), rows_before, rows, strict=True):
            if old != new:  # a word more: one row is sent to the terminal, not the page
                self.refresh_line(y)

    def _in_sight(self) -> InSight:
        place = Region.from_offset(self.scroll_offset, self.size)
        places = map(self.window.row, range(place.y, place.bottom))
        return place, [(row, turn.number if turn and row is turn.first_row else 0) for row, turn, _ in places]

    def _read_from(self, turn: TurnLayout) -> None:
        """Follow the story from here, with the first row of `turn` kept in sight."""
        self._limit = (turn, 1)
        self.following = True
        self._lay_out(0)

    def _keep_up(self) -> None:
        """Scroll down as the story grows, but never past the row being read."""
        end, limit = self.max_scroll_y, self.window.y_of(*self._limit) if self._limit else None
        top = min(end, self.scroll_offset.y)
        target = end if limit is None else max(min(end, limit), top)
        self._hold(target)
        self.following = self.window.at_the_end and target >= end

    def _hold(self, y: int) -> None:
        """Scroll at once, without taking it for the reader's move."""
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
        if spot and self._hidden != (width, self.scroll_offset.y, self.window.height):
            self.go_to(spot[0].number, spot[0].row_at(spot[1]))
            self._spot = (self.scroll_offset.y, spot)

    def on_hide(self) -> None:
        self._hidden = (self._width, self.scroll_offset.y, self.window.height)
        self._width = 0

    def _spot_at_the_top(self) -> Place | None:
        """Return turn and letter, stable through changes of width until the reader moves."""
        offset = self.scroll_offset.y
        if self._spot and self._spot[0] == offset:
            return self._spot[1]
        top = self.window.place(offset)
        return (top[0], top[0].spot(top[1])) if top else None

    def notify_style_update(self) -> None:
        super().notify_style_update()
        inks = (self.app.theme, self.visual_style)
        if inks != self._inks:
            self._inks = inks
            self._set_anew()

    def _set_anew(self) -> None:
        """Wrap everything again after a change of width, inks or highlights."""
        for turn in self.window.turns:
            turn.rows_by_block.clear()
        self._lay_out(0)
        self.refresh()

    # --- moving -------------------------------------------------------------------------------------------------

    @property
    def place(self) -> tuple[int, int] | None:
        """Turn at the top of the view, and row within it."""
        position = self.window.place(self.scroll_offset.y)
        return (position[0].number, position[1]) if position else None

    def go_to(self, number: int, row: int = 0) -> None:
        top = self.window.y_of(self.window.find(number), row)
        if top is not None:
            self._hold(top)
            self._look_where()

    def follow(self) -> None:
        """Go to the newest row and follow; load it if needed."""
        if not self.window.at_the_end:
            self.post_message(self.TurnsWanted("newest"))
            return
        self._limit = None
        self.following = True
        self._hold(self.max_scroll_y)

    def page(self, pages: int) -> None:
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
            self._want("older")
        elif not self.window.at_the_end and new_value > self.max_scroll_y - near:
            self._want("newer")

    def _look_where(self) -> None:
        """Follow for one more page if the reader is at the newest row."""
        at_the_end = self.window.at_the_end and self.scroll_offset.y >= self.max_scroll_y
        if at_the_end and not self.following:
            self._limit = self.window.place(self.scroll_offset.y + self.size.height - 2)
        self.following = at_the_end

    def _want(self, which: Wanted) -> None:
        self._asked = True
        self.post_message(self.TurnsWanted(which))

    def action_oldest(self) -> None:
        self.scroll_home(animate=False, immediate=True)

    def action_newest(self) -> None:
        self.follow()

    # --- finding -----------------------------------------------------------------------------------------------

    def show_term(self, term: str) -> None:
        """Mark `term` in the window; "" ends the search."""
        if term != self.search.term:
            self.search = TranscriptSearch(term)
            self._set_anew()

    def seek(self, term: str, step: int) -> bool:
        """Go to the next match in the window; see `TranscriptSearch.step`."""
        self.show_term(term)
        if not self.search.step(self.window.turns, step) or not self.search.found:
            return False
        number = self.search.found[0]
        turn = self.window.find(number)
        spans = self.search.spans(turn) if turn else []
        self.go_to(number, max(0, spans[0][0] - self.size.height // 3) if spans else 0)
        self.refresh()
        return True

    # --- drawing ------------------------------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        width, at, base = self.size.width, self.scroll_offset.y + y, self.visual_style.rich_style
        row, turn, inside = self.window.row(at)
        blanks = (self.left - MARGIN_CELLS, min(row.blank, MARGIN_CELLS), row.blank - MARGIN_CELLS)
        line = Strip([*(Segment(" " * cells, base) for cells in blanks if cells > 0), *row.segments])
        end = self.left + self.measure
        if turn and not turn.aside and turn.numbered and row is turn.first_row and width > end + NUMBER_CELLS:
            number = self._wrap(faint(f"{turn.number:>4}"), 4)[0]
            line = Strip.join([line.extend_cell_length(end, base), number])
        for n, start, stop in self.search.spans(turn) if turn else ():
            if n == inside:
                before = self.left - MARGIN_CELLS + row.blank + row.marks
                mark_style = self.screen.get_visual_style("here", partial=True)
                line = styled(line, before + start, before + stop, mark_style)
        if self.text_selection and (span := self.text_selection.get_span(at)) is not None:
            line = styled(line, *span, self.screen.get_visual_style("screen--selection"))
        return line.extend_cell_length(width, base).crop(0, width).apply_offsets(0, at)

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        words = joint = ""
        for y in range(self.virtual_size.height):
            if (span := selection.get_span(y)) is None:
                continue
            row = self.window.row(y)[0]
            indent, text = self.left - MARGIN_CELLS + row.blank + row.marks, row.text
            end = len(text) if span[1] == -1 else max(0, span[1] - indent)
            words += joint + text[max(0, span[0] - indent) : end].rstrip()
            joint = " " if row.runs_on else "\n"
        return words, "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        self.refresh()
