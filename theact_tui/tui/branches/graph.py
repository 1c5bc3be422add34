from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from textual import events
from textual.content import Content
from textual.geometry import Size
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.visual import Visual

from theact_tui.text import one_line
from theact_tui.tui.branches.layout import GAP, NO_BRANCHES, BranchLayout, Cursor, Step, StoryLine
from theact_tui.tui.visuals import quiet

TURN, TAKE, UNDONE, HERE, MARK = "●", "○", "◌", "◉", "◆"
_LABEL = 28
EDGE = 1

InkedText = tuple[str, str]


@dataclass(frozen=True, slots=True)
class LineSpan:
    """Columns of a line from its fork; `way` is the last one on the path to here."""

    start: int
    end: int
    way: int
    is_bare: bool
    """Branch without own turns: a short stroke leads to its name."""


class StoryTree(ScrollView, can_focus=True, inherit_bindings=False):
    DEFAULT_CSS = """
    StoryTree {
        height: auto; background: $background; overflow-x: hidden; scrollbar-size-vertical: 1;
    }
    """
    place: reactive[Cursor] = reactive(Cursor(0, 0), init=False)
    marked: reactive[Cursor | None] = reactive[Cursor | None](None)

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.branch_layout = NO_BRANCHES
        self.cell = 5
        self.left = 0
        self._columns: list[int] = []
        self._at: dict[int, int] = {}
        self._goal = 0
        self._width = 0

    def show(self, layout: BranchLayout, place: Cursor) -> None:
        self.branch_layout = layout
        self.marked = None
        self._goal = place.turn
        self.set_reactive(StoryTree.place, place)
        self.virtual_size = Size(1, len(layout.lines) + 1)  # only rows are scrolled by Textual
        self._lay_out()

    def go(self, step: Step) -> None:
        self.place = self.branch_layout.moved(self.place, step, self._goal)
        if step not in ("up", "down"):
            self._goal = self.place.turn

    def go_to(self, place: Cursor) -> None:
        self._goal = place.turn
        self.place = place

    def watch_place(self) -> None:
        self._lay_out()

    # --- layout -----------------------------------------------------------------------------------------------------

    def _lay_out(self) -> None:
        self._arrange()
        if self._width:
            row, height, top = self.place.row, self.size.height - 1, self.scroll_offset.y
            self.scroll_to(y=min(max(top, row - height + 1), row), animate=False, immediate=True, force=True)
            self.refresh()

    def _arrange(self) -> None:
        layout, self._width = self.branch_layout, self.size.width
        line = layout.lines[self.place.row]
        self.cell = 5 if layout.newest < 10_000 else 7
        room = (self._width - EDGE - self._label(line).cell_length) // self.cell
        self._columns = layout.columns(self.place, room)
        self._at = {turn: n for n, turn in enumerate(self._columns) if turn != GAP}
        left = self._x(self.place.turn)
        right = self._end(line) if self.place.turn == line.last else left + 2 * self.cell
        if max(map(self._end, layout.lines)) <= self._width:
            self.left = 0
        elif right > self.left + self._width:
            self.left = right - self._width
        if left - self.cell < self.left:
            self.left = max(0, left - 2 * self.cell)

    def _x(self, turn: int) -> int:
        return EDGE + self._at[turn] * self.cell

    def _end(self, line: StoryLine) -> int:
        return self._x(line.last) + self.cell + self._label(line).cell_length + 1

    def on_resize(self, event: events.Resize) -> None:
        self._lay_out()

    # --- drawing ----------------------------------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        width, base, lines = self.size.width, self.visual_style, self.branch_layout.lines
        if width != self._width:
            self._arrange()
        row = self.scroll_offset.y + y - 1
        if y and row >= len(lines):
            return Strip.blank(width, base.rich_style)
        first = max(0, (self.left - EDGE) // self.cell)
        seen = range(first, min(len(self._columns), first + width // self.cell + 2))
        content = self._row(lines[row], seen) if y else self._ruler(seen)
        skipped = self.left - (first * self.cell + (EDGE if first else 0))
        strip = Visual.to_strips(self, content, max(width, content.cell_length), 1, base)[0]
        strip = strip.crop_extend(skipped, skipped + width, base.rich_style)
        if y == 0:
            return strip
        line = lines[row]
        is_left = self._x(line.last) + self.cell <= self.left
        is_right = self._x(max(line.fork, 0)) > self.left + width
        if not (is_left or is_right):
            return strip
        mark = (" ◂ ", ".quiet") if is_left else (" ▸ ", ".quiet")
        name = self._label(line)
        beyond = Content.assemble(mark, name) if is_left else Content.assemble(name, mark)
        hint, at = Visual.to_strips(self, beyond, beyond.cell_length, 1, base)[0], width - beyond.cell_length
        if at > 0 and is_right:
            return Strip.join([strip.crop(0, at), hint])
        return hint.adjust_cell_length(width)

    def _ruler(self, seen: range) -> Content:
        parts = [Content(self._edge(seen))]
        for turn in (self._columns[n] for n in seen):
            number = "" if turn == GAP else str(turn)
            ink = ".accent" if turn == self.place.turn else ".faint"
            parts.append(Content.styled(number.center(self.cell), ink))
        return Content("").join(parts)

    def _edge(self, seen: range) -> str:
        return " " * EDGE if not seen or seen.start == 0 else ""

    def _row(self, line: StoryLine, seen: range) -> Content:
        bars, edge, half = self.branch_layout.bars(line.row), self._edge(seen), self.cell // 2
        way = self._at.get(self.branch_layout.way.get(line.row, -1), -1)
        is_bare = line.first > line.last
        span = LineSpan(self._at[max(line.fork, 0)], self._at[line.last], way + is_bare, is_bare)
        parts: list[InkedText] = [(edge, "")]
        for n in (n for n in seen if n <= span.end):
            before, after = self._stroke(span, n - 1, half), self._stroke(span, n, half)
            parts += [before, self._glyph(line, bars, span, n), after]
        drawn = Content.assemble(*_joined(parts))
        if line.row == self.place.row and (n := self._at[self.place.turn]) in seen and not is_bare:
            at = len(edge) + (n - seen.start) * self.cell + half
            drawn = drawn.stylize(self._ground, at - 1, at + 2)
        return Content.assemble(drawn, " " * is_bare, self._label(line)) if span.end in seen else drawn

    @property
    def _ground(self) -> str:
        reverse = self.app.native_ansi_color
        return "bold reverse $foreground" if reverse else "bold on $glow"

    def _stroke(self, span: LineSpan, n: int, half: int) -> InkedText:
        if not span.start <= n < max(span.end, span.start + span.is_bare):
            return " " * half, ""
        is_gap = GAP in self._columns[n : n + 2] and not span.is_bare
        return ("┄" if is_gap else "─") * half, ".accent" if n < span.way else ".quiet"

    def _glyph(self, line: StoryLine, bars: dict[int, str], span: LineSpan, n: int) -> InkedText:
        turn = self._columns[n]
        way_ink = ".accent" if n <= span.way else ".quiet"
        if turn == GAP:
            return ("┄", way_ink) if n > span.start else (" ", "")
        if not line.first <= turn <= line.last:
            return bars.get(turn, " "), way_ink if n == span.start else ".quiet"
        place, node = Cursor(line.row, turn), line.node(turn)
        if place == self.marked:
            return MARK, ".warn"
        if place == self.branch_layout.current_place:
            return HERE, ".accent"
        if node.is_undone:
            return UNDONE, ".quiet"
        if node.take and node.turn == turn and not line.branch:
            return TAKE, ".quiet"
        return TURN, way_ink if n <= span.way else ""

    def _label(self, line: StoryLine) -> Content:
        node = line.nodes[-1]
        is_here = Cursor(line.row, line.last) == self.branch_layout.current_place
        parts: list[Content] = []
        if line.branch:
            name = one_line(self.branch_layout.title(line.branch), _LABEL)
            parts.append(Content.styled(name, ".accent" if is_here else ".strong"))
        if node.take and line.first <= line.last:
            parts.append(quiet(f"take {node.take} of {node.takes}"))
        if node.is_undone:
            parts.append(quiet("undone"))
        label = Content(" · ").join(parts)
        if line.first > line.last and Cursor(line.row, line.last) == self.place:
            label = label.stylize(self._ground)
        return label

    # --- the mouse --------------------------------------------------------------------------------------------------

    async def on_click(self, event: events.Click) -> None:
        at = event.get_content_offset(self)
        place = self._hit(at.x + self.left, at.y + self.scroll_offset.y) if at and at.y else None
        if place and place == self.place:
            await self.run_action("screen.act('go')")
        elif place:
            self.go_to(place)

    def _hit(self, x: int, y: int) -> Cursor | None:
        if not 1 <= y <= len(self.branch_layout.lines):
            return None
        line, wanted = self.branch_layout.lines[y - 1], (x - EDGE) // self.cell
        own = [line.last, *(turn for turn in self._columns if line.first <= turn <= line.last)]
        return Cursor(line.row, min(own, key=lambda turn: abs(self._at[turn] - wanted)))


def _joined(parts: list[InkedText]) -> Iterator[InkedText]:
    for ink, same in groupby(parts, key=lambda part: part[1]):
        yield "".join(text for text, _ in same), ink
