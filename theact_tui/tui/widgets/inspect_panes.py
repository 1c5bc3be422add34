"""The panes of the inspector, side by side or one at a time as there is room."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Vertical

from theact_tui.tui.widgets.bare import Column, Columns
from theact_tui.tui.widgets.inspect_events import EventLog
from theact_tui.tui.widgets.inspect_list import RowList
from theact_tui.tui.widgets.masthead import Line
from theact_tui.tui.widgets.paper import Paper
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


SHORT = frozenset({"knows-pane", "prompt-pane"})
"""What shares the desk: the table, and the prompt in short."""


def seen(view: str, *, narrow: bool, vast: bool) -> frozenset[str]:
    """Ids of the panes that a view shows."""
    own = f"{view}-pane"
    if narrow:
        return frozenset({own} if view in ("memory", "words") else {"desk", own})
    if view == "words" and not vast:
        return frozenset({"memory-pane", own})
    desk = {own} if view in ("prompt", "calls", "events") else SHORT
    return frozenset({"memory-pane", "desk", *desk} | ({"words-pane"} if vast else set()))


class Panes(Columns):
    """Memory; a desk for the table, prompts, calls and events; the words of a turn."""

    def compose(self) -> ComposeResult:
        with Column(id="memory-pane", classes="pane"):
            yield RowList(id="memory")
        with Vertical(id="desk"):
            with Column(id="knows-pane", classes="pane"):
                yield Line(id="knows-head", classes="pane-head")
                yield RowList(id="knows")
            with Column(id="prompt-pane", classes="pane"):
                yield Line(id="prompt-head")
                yield Paper(id="prompt-page")
            with Column(id="calls-pane", classes="pane"):
                yield RowList(id="calls")
                yield Paper(id="call-page", can_focus=False)
            with Column(id="events-pane", classes="pane"):
                yield Line(id="events-head", classes="pane-head")
                yield EventLog(id="events")
        with Vertical(id="words-pane", classes="pane"):
            yield Line(id="words-head")
            yield Transcript(id="words")

    def turn_to(self, view: str) -> None:
        """Show the panes of a view. Only what changes is styled and laid out again."""
        screen = self.screen
        shown = seen(view, narrow=screen.has_class("-narrow"), vast=screen.has_class("-vast"))
        for pane in self.query(Vertical):
            if pane.display != (pane.id in shown):
                pane.display = pane.id in shown
        self.query_one("#prompt-pane").set_class(view == "prompt", "-whole")
        self.query_one("#memory").set_class(view == "words", "-behind")
