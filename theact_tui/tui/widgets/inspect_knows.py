"""Who knows what: a table of lines, beats and moments against the people, each cell the turn it was learned in."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content
from textual.css.styles import RulesMap
from textual.strip import Strip
from textual.style import Style
from textual.visual import RenderOptions, Visual

from theact_tui.story.knowing import Known
from theact_tui.tui.typeset import Cast
from theact_tui.tui.widgets.inspect_list import BLANK, Row
from theact_tui.tui.widgets.panelparts import flat, hint

YOU = "You"
NOBODY = "—"
WITNESSED = "·"
"""In front of a turn: was there, but holds no line about it."""
WIDEST, NARROWEST = 9, 5
"""Cells of a person's column."""
TITLES = {"moment": "MOMENTS", "beat": "BEATS", "line": "REMEMBERED LINES"}
EMPTY = (
    "What happens and what is remembered gathers here: each line with who knows it, and since which turn. "
    "It begins with the first turn."
)


class TableRow(Visual):
    """Text that is cut, and cells of equal width at the right end."""

    def __init__(self, text: Content, cells: Sequence[Content]) -> None:
        self.text = text
        self.cells = tuple(cells)

    @property
    def plain(self) -> str:
        """Text and cells, for tests."""
        return "  ".join([self.text.plain, *(cell.plain for cell in self.cells)])

    def fitted(self, width: int) -> Content:
        """The row at `width` cells."""
        column = column_width(width, len(self.cells))
        room = max(0, width - column * len(self.cells))
        text = self.text.truncate(room, ellipsis=True)
        cells = [cell.truncate(column - 1, ellipsis=True) for cell in self.cells]
        padded = [Content.assemble(" " * (column - cell.cell_length), cell) for cell in cells]
        return Content.assemble(text, " " * (room - text.cell_length), *padded)

    def render_strips(
        self, width: int, height: int | None, style: Style, options: RenderOptions
    ) -> list[Strip]:
        return self.fitted(width).render_strips(width, 1, style, options) if width > 0 else []

    def get_optimal_width(self, rules: RulesMap, container_width: int) -> int:
        return container_width

    def get_height(self, rules: RulesMap, width: int) -> int:
        return 1


def column_width(width: int, people: int) -> int:
    """Cells of each person's column, so that the text keeps about half of the row."""
    return max(NARROWEST, min(WIDEST, width // 2 // max(1, people)))


def knows_rows(table: Sequence[Known], people: Sequence[str], cast: Cast, fresh: int) -> list[Row]:
    """The table; what was learned in turn `fresh` stands out."""
    if not table:
        return [Row(hint(EMPTY))]
    rows: list[Row] = []
    names = [Content.styled(short_name(cast.name(id)), f".voice-{cast.voice(id)}") for id in people]
    head = [*names, Content.styled(YOU, ".strong")]
    kind = ""
    for known in table:
        if known.kind != kind:
            kind = known.kind
            title = Content.styled(TITLES[kind], ".strong")
            rows += [Row(TableRow(title, head))] if not rows else [BLANK, Row(title)]
        rows.append(_row(known, people, fresh))
    return rows


def short_name(name: str) -> str:
    """The part of a name people call somebody by: no title in front, no family name behind."""
    words = name.split() or [name]
    titled = len(words) > 1 and words[0].rstrip(".").casefold() in _TITLES
    return words[1] if titled else words[0]


_TITLES = frozenset(
    "father mother brother sister captain doctor dr mr mrs ms miss sir lady lord old young the professor".split()
)


def _row(known: Known, people: Sequence[str], fresh: int) -> Row:
    cells = [_cell(known, id, fresh) for id in people]
    cells.append(_turn(known.turn, fresh, witnessed=True))
    text = Content.styled(flat(known.text), ".strong" if known.turn == fresh else "")
    return Row(
        TableRow(text, cells), f"{known.kind} {known.turn} {known.text}", known.kind, known.turn, known.text
    )


def _cell(known: Known, person: str, fresh: int) -> Content:
    since = known.learned(person)
    if since is None:
        return Content.styled(NOBODY, ".faint")
    return _turn(since, fresh, witnessed=person not in known.remembers)


def _turn(turn: int, fresh: int, *, witnessed: bool) -> Content:
    ink = ".good" if turn == fresh else ".quiet" if witnessed else ".strong"
    return Content.styled(f"{WITNESSED if witnessed else ''}{turn}", ink)


LEGEND = f"9 remembers   {WITNESSED}9 was there   {NOBODY} cannot know"
