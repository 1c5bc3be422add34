"""The leader: a strip at the foot of the screen with one letter for everything one can do here."""

from __future__ import annotations

from collections.abc import Sequence
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

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static()

    def on_mount(self) -> None:
        self._draw()

    def on_resize(self) -> None:
        self._draw()

    def _draw(self) -> None:
        columns = max(1, (self.size.width - 4) // CELL)
        acts = list(self._acts.values())
        rows = [acts[n : n + columns] for n in range(0, len(acts), columns)]
        lines = [
            Content("").join(
                Content.assemble((act.letter, ".accent"), (f" {act.label}".ljust(CELL - 1), ""))
                for act in row
            )
            for row in rows
        ]
        self.query_one(Static).update(Content("\n").join(lines))

    def on_key(self, event: events.Key) -> None:
        if event.key == "escape":
            return
        event.stop()
        act = self._acts.get(event.character or "")
        self.dismiss(act.action if act else None)
