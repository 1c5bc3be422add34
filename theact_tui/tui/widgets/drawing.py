"""Drawing rows of the transcript: margins, marks, turn numbers, what is found and what is selected. Pure functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from rich.segment import Segment
from textual.selection import Selection
from textual.strip import Strip
from textual.style import Style

from theact_tui.tui.widgets.leaf import Row

Ink = Callable[[str], Style]
"""Finds the style of an ink such as `.quiet`."""

MARGIN = 2
"""Cells left of the prose, for marks."""
BAR = "▌"


def drawn(row: Row, left: int, measure: int, base: Style, ink: Ink) -> Strip:
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


def selected_text(rows: Iterable[tuple[int, Row]], selection: Selection, left: int, measure: int) -> str:
    """The words under a selection; wrapped rows of a paragraph become one line again. `rows` come with their y."""
    made = ""
    joint = ""
    for y, row in rows:
        span = selection.get_span(y)
        if span is None:
            continue
        indent = left + (2 if row.bar else 0)
        indent += max(0, (measure - row.width) // 2) if row.centred else 0
        text = row.text
        start = max(0, span[0] - indent)
        end = len(text) if span[1] == -1 else max(0, span[1] - indent)
        made += joint + text[start:end].rstrip()
        joint = " " if row.runs_on else "\n"
    return made
