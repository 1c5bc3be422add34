"""Table of lines, beats and moments by person, with the turn each was learnt."""

from collections.abc import Sequence

from rich.cells import cell_len
from textual.content import Content
from textual.css.styles import RulesMap

from theact_tui.story.knowledge import KnownItem
from theact_tui.story.names import short_name
from theact_tui.text import flat
from theact_tui.tui.blocks import Cast
from theact_tui.tui.visuals import FittedVisual, faint, quiet, strong
from theact_tui.tui.widgets.lists import BLANK, Row

YOU = "You"
NOBODY = "—"
WITNESSED = "·"
"""Before a turn: present, but remembers no line about it."""
WIDEST, NARROWEST = 9, 5
"""Cells of a person's column, with the gap."""
MAX_ROWS = 2
"""A longer text is cut."""
_TITLES = {"moment": "MOMENTS", "beat": "BEATS", "line": "REMEMBERED LINES", "lore": "LORE REVEALED"}
_EMPTY = "Each remembered line will be listed here, with who knows it and since which turn."


class TableRow(FittedVisual):
    """Text, and cells of given widths at the right end of its first row."""

    def __init__(self, text: Content, cells: Sequence[Content], widths: Sequence[int]) -> None:
        self.text = text
        cut = [cell.truncate(wide - 1, ellipsis=True) for cell, wide in zip(cells, widths, strict=True)]
        self._cells = [cell.pad_left(wide - cell.cell_length) for cell, wide in zip(cut, widths, strict=True)]
        self._room = sum(widths)

    def fitted(self, width: int) -> Content:
        room = max(8, width - self._room)
        lines = self.text.wrap(room)
        if len(lines) > MAX_ROWS:
            rest = Content(" ").join(line.rstrip() for line in lines[MAX_ROWS - 1 :])
            lines = [*lines[: MAX_ROWS - 1], rest.truncate(room, ellipsis=True)]
        first = lines[0].truncate(room) if lines else Content("")
        head = Content.assemble(first, " " * (room - first.cell_length), *self._cells)
        return Content("\n").join([head, *lines[1:]])

    def get_height(self, rules: RulesMap, width: int) -> int:
        return 1 if self.text.cell_length <= max(8, width - self._room) else MAX_ROWS


def column_widths(names: Sequence[str]) -> list[int]:
    """Return cells per column: by name, within bounds."""
    widest = WIDEST if len(names) <= 4 else NARROWEST + 1
    return [max(NARROWEST, min(widest, cell_len(name) + 1)) for name in names]


def knows_rows(table: Sequence[KnownItem], people: Sequence[str], cast: Cast, fresh: int) -> list[Row]:
    if not table:
        return [Row(quiet(_EMPTY))]
    rows: list[Row] = []
    names = [*(short_name(cast.name(id)) for id in people), YOU]
    inks = [*(f".voice-{cast.voice(id)}" for id in people), ".strong"]
    head = [Content.styled(name, ink) for name, ink in zip(names, inks, strict=True)]
    widths = column_widths(names)
    kind = ""
    for item in table:
        if item.kind != kind:
            kind = item.kind
            title = strong(_TITLES[kind])
            rows += [Row(TableRow(title, head, widths))] if not rows else [BLANK, Row(title)]
        cells = [_cell(item, id, fresh) for id in people]
        cells.append(_turn(item.turn, fresh, witnessed=True))
        text = Content.styled(flat(item.text), ".strong" if item.turn == fresh else "")
        key = f"{kind} {item.turn} {item.text}"
        rows.append(Row(TableRow(text, cells, widths), key, kind, item.turn, item.text))
    return rows


def _cell(item: KnownItem, person: str, fresh: int) -> Content:
    since = item.learned(person)
    if since is None:
        return faint(NOBODY)
    return _turn(since, fresh, witnessed=person not in item.remembers)


def _turn(turn: int, fresh: int, *, witnessed: bool) -> Content:
    ink = ".good" if turn == fresh else ".quiet" if witnessed else ".strong"
    return Content.styled(f"{WITNESSED if witnessed else ''}{turn}", ink)


KNOWLEDGE_LEGEND = f"7 since turn 7  {WITNESSED}7 was there  {NOBODY} no"
