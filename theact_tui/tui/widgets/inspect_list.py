"""A list one can walk through: rows with a key, which keep the cursor when the list is drawn anew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual.binding import Binding
from textual.content import Content
from textual.visual import Visual
from textual.widgets import OptionList
from textual.widgets.option_list import Option


@dataclass(frozen=True, slots=True)
class Row:
    """A row: how it looks, and what it stands for. A row without a key is passed over by the cursor."""

    visual: Visual
    key: str = ""
    """Stays the same from turn to turn; unique in its list."""
    kind: str = ""
    """What it stands for: `line`, `summary`, `gone`, `moment`, `call`."""
    turn: int = 0
    """The turn it came from; 0 when it came from none."""
    text: str = ""


BLANK = Row(Content(""))


class RowList(OptionList, inherit_bindings=False):
    """Rows below one another. Enter belongs to the screen."""

    DEFAULT_CSS = """
    RowList {
        height: 1fr; border: none; padding: 0; background: $background;
        scrollbar-size-vertical: 1; overflow-x: hidden;
        &:focus { border: none; background-tint: transparent; }
        & > .option-list--option { padding: 0; }
        & > .option-list--option-disabled { color: $foreground; }
        & > .option-list--option-hover { background: $background; }
        & > .option-list--option-highlighted {
            color: $foreground; background: $background; text-style: none;
        }
        &:focus > .option-list--option-highlighted { background: $block-cursor-background; }
        &:ansi:focus > .option-list--option-highlighted { text-style: reverse; }
    }
    """
    BINDINGS = [
        Binding("up", "cursor_up", "up", show=False),
        Binding("down", "cursor_down", "down", show=False),
        Binding("pageup", "page_up", "page up", show=False),
        Binding("pagedown", "page_down", "page down", show=False),
    ]

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, markup=False)
        self.rows: tuple[Row, ...] = ()

    @property
    def row(self) -> Row | None:
        """The row under the cursor."""
        at = self.highlighted
        return self.rows[at] if at is not None and at < len(self.rows) and self.rows[at].key else None

    @property
    def text(self) -> str:
        """All rows, plain."""
        return "\n".join(str(getattr(row.visual, "plain", "")) for row in self.rows)

    def show(self, rows: Sequence[Row]) -> None:
        """Show other rows; the cursor stays on its row, or near its place."""
        old, at = self.row, self.highlighted
        self.rows = tuple(rows)
        with self.prevent(OptionList.OptionHighlighted):
            self.set_options(Option(row.visual, disabled=not row.key) for row in rows)
            self.highlighted = self._place(old, at)

    def go_to(self, key: str) -> None:
        """Put the cursor on the row with this key, if it is there."""
        for place, row in enumerate(self.rows):
            if row.key == key:
                self.highlighted = place

    def _place(self, old: Row | None, at: int | None) -> int | None:
        places = [place for place, row in enumerate(self.rows) if row.key]
        same = [place for place in places if old and self.rows[place].key == old.key]
        if same or not places:
            return same[0] if same else None
        return min(places, key=lambda place: abs(place - (at or 0)))
