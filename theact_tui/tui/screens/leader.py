"""The leader: a strip at the foot of the screen with one letter for everything one can do here."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice, zip_longest
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from theact_tui.tui.acts import Act
from theact_tui.tui.widgets.page import Sheet

CELL = 24


class LeaderSheet(Sheet[str | None]):
    """Waits for one letter; the answer is the act's action, or None for any other key."""

    DEFAULT_CSS = """
    LeaderSheet {
        align: left bottom;
        background: transparent;
        & > Vertical { height: auto; background: $surface; border-top: solid $line; padding: 0 2; }
        & Static { height: auto; width: auto; }
    }
    """
    BINDINGS = [Binding("escape", "dismiss(None)", "close")]
    HELP: ClassVar[str] = "Press one of the letters, or escape."

    def __init__(self, acts: Sequence[Act]) -> None:
        super().__init__()
        self._acts = {act.letter: act for act in acts if act.letter}

    @property
    def _columns(self) -> dict[str, list[Act]]:
        """The acts of each group."""
        groups: dict[str, list[Act]] = {}
        for act in self._acts.values():
            groups.setdefault(act.group, []).append(act)
        return groups

    @property
    def _width(self) -> int:
        """Cells of a column."""
        return max(12, min(CELL, (self.size.width - 4) // len(self._columns)))

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static()

    def on_mount(self) -> None:
        self._draw()

    def on_resize(self) -> None:
        self._draw()

    def _draw(self) -> None:
        width = self._width
        columns = [
            [Content.styled(group.upper().ljust(width), ".quiet"), *(self._cell(act, width) for act in acts)]
            for group, acts in self._columns.items()
        ]
        rows = zip_longest(*columns, fillvalue=Content(" " * width))
        self.query_one(Static).update(Content("\n").join(Content("").join(row) for row in rows))

    def on_click(self, event: events.Click) -> None:
        place = event.get_content_offset(self.query_one(Static))
        key = self._letter_at(place.x, place.y) if place is not None else ""
        self.app.simulate_key(key or "escape")

    def _letter_at(self, x: int, y: int) -> str:
        """The letter of the act at a cell; nothing where there is none."""
        column = next(islice(self._columns.values(), x // self._width, None), [])
        return column[y - 1].letter if 0 < y <= len(column) else ""

    def _cell(self, act: Act, width: int) -> Content:
        return Content.assemble((act.letter, ".accent"), f" {act.label}"[: width - 2].ljust(width - 1))

    def on_key(self, event: events.Key) -> None:
        if event.key == "escape":
            return
        event.stop()
        act = self._acts.get(event.character or "")
        self.dismiss(act.action if act else None)
