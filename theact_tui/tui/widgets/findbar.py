"""The line in which one searches the story."""

from __future__ import annotations

from dataclasses import dataclass

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Input, Static

from theact_tui.tui.widgets.fields import LineField


class FindBar(Horizontal):
    """Asks for words; enter goes to older places, down to newer ones, escape closes."""

    DEFAULT_CSS = """
    FindBar {
        height: 1; display: none; background: $surface;
        & > #find-mark { width: auto; color: $primary; text-style: bold; padding: 0 1 0 0; }
        & > #find-term { width: 1fr; border: none; height: 1; padding: 0; background: $surface; }
        & > #find-count { width: auto; color: $quiet; padding: 0 0 0 1; }
        &.-open { display: block; }
    }
    """
    BINDINGS = [
        Binding(
            "enter,up", "step(-1)", "older", key_display="enter", priority=True, group=Binding.Group("find")
        ),
        Binding("down", "step(1)", "newer", key_display="↓", priority=True, group=Binding.Group("find")),
        Binding("escape", "close", "close", priority=True, group=Binding.Group("find")),
    ]

    @dataclass
    class Sought(Message):
        """Go to the next place of `term`: older (-1) or newer (1)."""

        term: str
        step: int

    @dataclass
    class Closed(Message):
        """The search is over."""

    def compose(self) -> ComposeResult:
        yield Static("find", id="find-mark", markup=False)
        yield LineField(id="find-term", placeholder="words in the story")
        yield Static("", id="find-count", markup=False)

    def open(self) -> None:
        """Show the line and take the keys."""
        self.add_class("-open")
        self.query_one(Input).focus()

    def say(self, text: str) -> None:
        """Tell what was found."""
        self.query_one("#find-count", Static).update(text)

    def action_step(self, step: int) -> None:
        term = self.query_one(Input).value.strip()
        if term:
            self.post_message(self.Sought(term, step))

    def action_close(self) -> None:
        self.remove_class("-open")
        self.say("")
        self.post_message(self.Closed())
