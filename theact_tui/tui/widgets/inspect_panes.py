"""The panes of the inspector, side by side or one at a time as there is room; its style sheet says which."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widgets import Static

from theact_tui.tui.widgets.inspect_events import EventLog
from theact_tui.tui.widgets.inspect_list import RowList
from theact_tui.tui.widgets.masthead import Line
from theact_tui.tui.widgets.transcript import Transcript

VIEWS = {
    "memory": "#memory",
    "knows": "#knows",
    "prompt": "#prompt-page",
    "calls": "#calls",
    "events": "#events",
    "words": "#words",
}
"""What one can look at, and which widget then has the keys."""


class Panes(Horizontal):
    """Memory; a desk for the table, prompts, calls and events; the words of a turn."""

    def compose(self) -> ComposeResult:
        with Vertical(id="memory-pane", classes="pane"):
            yield RowList(id="memory")
        with Vertical(id="desk"):
            with Vertical(id="knows-pane", classes="pane"):
                yield Line(id="knows-head", classes="pane-head")
                yield RowList(id="knows")
            with Vertical(id="prompt-pane", classes="pane"):
                yield Line(id="prompt-head")
                with VerticalScroll(id="prompt-page"):
                    yield Static(id="prompt-text")
            with Vertical(id="calls-pane", classes="pane"):
                yield RowList(id="calls")
                with VerticalScroll(id="call-page", can_focus=False):
                    yield Static(id="call-text")
            with Vertical(id="events-pane", classes="pane"):
                yield Line(id="events-head", classes="pane-head")
                yield EventLog(id="events")
        with Vertical(id="words-pane", classes="pane"):
            yield Line(id="words-head")
            yield Transcript(id="words")
