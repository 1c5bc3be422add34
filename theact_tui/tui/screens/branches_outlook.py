"""The lower half of the tree of branches: the turn under the cursor, and beside it what it means."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Horizontal, VerticalScroll
from textual.visual import Visual
from textual.widgets import Static


class Outlook(Horizontal):
    """Two pages side by side; both scroll together."""

    def compose(self) -> ComposeResult:
        with VerticalScroll(id="turn", can_focus=False):
            yield Static(id="told")
        with VerticalScroll(id="against", can_focus=False):
            yield Static(id="glance")

    def show(self, told: Visual, beside: Visual) -> None:
        """Show two other pages from their beginning."""
        self.query_one("#told", Static).update(told)
        self.query_one("#glance", Static).update(beside)
        for pane in self.query(VerticalScroll):
            pane.scroll_home(animate=False)

    def page(self, pages: int) -> None:
        """Scroll on by so many pages."""
        for pane in self.query(VerticalScroll):
            pane.scroll_relative(y=pages * max(1, pane.size.height - 2), animate=False)
