"""The transcript: a scrolling page of turns, drawn row by row with margins, marks, turn numbers and what is found."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from rich.segment import Segment
from textual import events
from textual.binding import Binding
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip
from textual.style import Style
from textual.visual import Visual

from theact_tui.tui.play.search import TranscriptSearch, highlighted
from theact_tui.tui.play.transcript_window import LayoutRow, TranscriptWindow, TurnLayout

Ink = Callable[[str], Style]
"""Finds the style of an ink such as `.quiet`."""

MARGIN = 2
"""Cells left of the prose, for marks."""
BAR = "▌"


def drawn(row: LayoutRow, left: int, measure: int, base: Style, ink: Ink) -> Strip:
    """A row with its margin: `left` cells, the mark at their end, the text."""
    mark = row.mark[:1].ljust(MARGIN) if row.mark else " " * MARGIN
    parts = [Segment(" " * max(0, left - MARGIN), base.rich_style)]
    mark_style = (base + ink(row.mark_ink)).rich_style if row.mark else base.rich_style
    parts.append(Segment(mark, mark_style))
    if row.bar:
        parts.append(Segment(f"{BAR} ", (base + ink(row.bar)).rich_style))
    if row.centred:
        parts.append(Segment(" " * max(0, (measure - row.width) // 2), base.rich_style))
    return Strip([*parts, *row.segments])


def indent_of(row: LayoutRow, left: int, measure: int) -> int:
    """Cells before the words of a row."""
    return left + (2 if row.bar else 0) + (max(0, (measure - row.width) // 2) if row.centred else 0)


def with_note(strip: Strip, text: str, at: int, base: Style, style: Style) -> Strip:
    """A row with a small note that begins at cell `at`."""
    padded = strip.extend_cell_length(at, base.rich_style)
    return Strip.join([padded, Strip([Segment(text, (base + style).rich_style)])])


def with_selection(strip: Strip, span: tuple[int, int], style: Style) -> Strip:
    """A row whose characters in `span` are selected; an end of -1 is the row's end."""
    length = len(strip.text)
    start = min(span[0], length)
    end = length if span[1] == -1 else min(span[1], length)
    if start >= end:
        return strip
    cells = [strip.index_to_cell_position(start), strip.index_to_cell_position(end), strip.cell_length]
    before, chosen, after = (strip.crop(a, b) for a, b in zip([0, *cells], cells, strict=False))
    return Strip.join([before, chosen.apply_style(style.rich_style), after])


def selected_text(
    rows: Iterable[tuple[int, LayoutRow]], selection: Selection, left: int, measure: int
) -> str:
    """The words under a selection; wrapped rows of a paragraph become one line again. `rows` come with their y."""
    made = ""
    joint = ""
    for y, row in rows:
        span = selection.get_span(y)
        if span is None:
            continue
        indent, text = indent_of(row, left, measure), row.text
        start = max(0, span[0] - indent)
        end = len(text) if span[1] == -1 else max(0, span[1] - indent)
        made += joint + text[start:end].rstrip()
        joint = " " if row.runs_on else "\n"
    return made


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
    """The newest row is in sight."""

    @dataclass
    class TurnsWanted(Message):
        """The reader came near an end of the window: turns before `first` (or after `last`) are wanted."""

        first: int
        last: int
        older: bool

    @dataclass
    class FollowingChanged(Message):
        """The reader scrolled up from the newest row, or came back to it."""

        following: bool

    class NewestWanted(Message):
        """The reader wants the newest turn, which is not in the window."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.window = TranscriptWindow()
        self._width = 0
        self._asked = False
        self._holding = False
        self._limit: tuple[TurnLayout, int] | None = None
        """The place that following may not push over the upper edge; None: there is none."""
        self._spot: tuple[int, tuple[TurnLayout, int]] | None = None
        """The row to which the last change of the width led, and what is to be kept there."""
        self._search = TranscriptSearch()
        self._inks: tuple[object, ...] = ()

    # --- what it holds ------------------------------------------------------------------------------------------

    @property
    def text(self) -> str:
        """Everything in the window, plain, turns apart by a blank line."""
        return "\n\n".join(turn.text for turn in self.window.turns)

    def show(self, turns: Sequence[TurnLayout], newest: int) -> None:
        """Replace the window; its last turn is in sight, from its first row on."""
        for turn in turns:
            if before := self.window.find(turn.number):
                turn.like(before)
        self.window.turns = list(turns)
        self.window.newest = newest
        self._asked = False
        if turns:
            self._read_from(turns[-1])

    def prepend(self, turns: Sequence[TurnLayout]) -> None:
        """Put older turns in front; what the reader sees stays where it is."""
        self._asked = False
        if turns:
            below = self.window.height - self.scroll_offset.y
            self.window.turns[:0] = turns
            self._lay_out(0)
            self._hold(self.window.height - below)
            self.window.cut_end()
            self._lay_out(0)

    def append(self, turns: Sequence[TurnLayout]) -> None:
        """Put newer turns behind, when the window does not reach the newest yet."""
        self._asked = False
        held = self.scroll_offset.y
        self.window.turns.extend(turns)
        held -= self.window.cut_front()
        self._lay_out(0)
        self._hold(held)

    def add(self, turn: TurnLayout) -> None:
        """Add the turn that is being told, or an aside, and go to it."""
        self.window.add(turn)
        self.window.cut_front()
        self._read_from(turn)

    def drop(self, turn: TurnLayout) -> None:
        """Take a turn off the page."""
        if turn in self.window.turns:
            self.window.remove(turn)
            self._lay_out(0)

    def changed(self, turn: TurnLayout) -> None:
        """Draw a turn again after its blocks changed."""
        if turn in self.window.turns:
            self._lay_out(self.window.turns.index(turn))

    def boundary(self, last_summarized: int) -> None:
        """Mark below which turn the verbatim context begins."""
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
        if self._search.term:
            content = highlighted(content, self._search.term)
        return Visual.to_strips(self, content, width, None, self.visual_style, apply_selection=False)

    def _lay_out(self, start: int) -> None:
        """Make rows from turn `start` on; the newest row stays in sight if it was."""
        if not self._width:
            return
        self.window.lay_out(start, self.measure, self._wrap)
        self.virtual_size = Size(self._width, self.window.height)
        if self.following:
            self._keep_up()
        self.refresh()

    def _read_from(self, turn: TurnLayout) -> None:
        """Follow what is told from here on; the first row of `turn` stays in sight."""
        self._limit = (turn, 1)
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

    def _spot_at_the_top(self) -> tuple[TurnLayout, int] | None:
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
            self.post_message(self.NewestWanted())
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
        self.post_message(self.TurnsWanted(self.window.first, self.window.last, older))

    def watch_following(self, following: bool) -> None:
        self.post_message(self.FollowingChanged(following))

    def action_oldest(self) -> None:
        self.scroll_home(animate=False, immediate=True)

    def action_newest(self) -> None:
        self.follow()

    # --- finding -----------------------------------------------------------------------------------------------

    def show_term(self, term: str) -> None:
        """Mark where `term` stands in the window; an empty one ends the search."""
        if self._search.begin(term):
            self._set_anew()

    def seek(self, term: str, step: int) -> bool:
        """Go to the next place of `term` in the window, as `TranscriptSearch.step` finds it."""
        self.show_term(term)
        if not self._search.step(self.window.turns, step) or not self._search.found:
            return False
        number = self._search.found[0]
        turn = self.window.find(number)
        spans = self._search.spans(turn) if turn else []
        self.go_to(number, max(0, spans[0][0] - self.size.height // 3) if spans else 0)
        self.refresh()
        return True

    @property
    def found(self) -> tuple[int, int] | None:
        """The occurrence last found: its turn, and which one of that turn it is, from 0."""
        return self._search.found

    # --- drawing ------------------------------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        width, at = self.size.width, self.scroll_offset.y + y
        base, left, measure = self.visual_style, self.left, self.measure
        row, turn = self.window.row(at)
        line = drawn(row, left, measure, base, self._get_style)
        if turn and not turn.aside and row is turn.first_row and width > left + measure + NUMBER_ROOM:
            line = with_note(line, f"{turn.number:>4}", left + measure, base, self._get_style(".faint"))
        if turn and (spans := self._search.spans(turn)):
            inside = self.window.place(at)
            indent = indent_of(row, left, measure)
            for n, start, end in spans:
                if inside and n == inside[1]:
                    line = with_selection(line, (indent + start, indent + end), self._get_style(".here"))
        if self.text_selection and (span := self.text_selection.get_span(at)) is not None:
            line = with_selection(line, span, self.screen.get_visual_style("screen--selection"))
        return line.extend_cell_length(width, base.rich_style).crop(0, width).apply_offsets(0, at)

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        rows = ((y, self.window.row(y)[0]) for y in range(self.virtual_size.height))
        return selected_text(rows, selection, self.left, self.measure), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        self.refresh()
