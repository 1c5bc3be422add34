"""One line of choices, such as tabs or panels; a click chooses. The screen or pane around it decides what that does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.visual import Visual
from textual.widget import Widget

from theact_tui.tui.visuals import SplitLine


class ChoiceLine(Widget):
    """Draws its `entries`, in this order, with `joint` between them, and `note` at the right end."""

    DEFAULT_CSS = "ChoiceLine { height: 1; }"
    note: reactive[str] = reactive("")

    @dataclass
    class Picked(Message):
        """An entry was clicked, or chosen with the keys of the line."""

        line: ChoiceLine
        key: str

        @property
        def control(self) -> ChoiceLine:
            return self.line

    @property
    def joint(self) -> str:
        """What stands between two entries."""
        return " "

    def entries(self) -> Sequence[tuple[str, Content]]:
        """Key and looks of each entry, at the width of now."""
        return ()

    @property
    def plain(self) -> str:
        """All entries as text."""
        return self._drawn().plain

    def _drawn(self) -> Content:
        return Content(self.joint).join(content for _, content in self.entries())

    def render(self) -> Visual:
        return SplitLine(self._drawn(), Content.styled(self.note, ".quiet"))

    def on_click(self, event: events.Click) -> None:
        x = event.x - self.styles.padding.left
        for key, content in self.entries():
            if 0 <= x < content.cell_length:
                self.post_message(self.Picked(self, key))
                return
            x -= content.cell_length + len(self.joint)
