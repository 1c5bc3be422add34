"""Search in the transcript: the words in its turns, whatever rows they are wrapped over, and the line to type them in."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static

from theact_tui.tui.play.transcript_window import TurnLayout
from theact_tui.tui.widgets.inputs import LineField


def highlighted(content: Content, term: str, ink: str = ".found") -> Content:
    """`content` with every occurrence of `term`, in any case, set in `ink`."""
    for match in re.finditer(re.escape(term), content.plain, re.IGNORECASE):
        content = content.stylize(ink, match.start(), match.end())
    return content


def places(turn: TurnLayout, term: str) -> list[int]:
    """The rows of a turn in which an occurrence of `term` begins, in any case; one may run over rows."""
    found: list[int] = []
    text, starts = "", []
    for row in turn.rows:
        starts.append(len(text))
        text += row.text.rstrip() + (" " if row.runs_on else "\n")
    for match in re.finditer(re.escape(term), text, re.IGNORECASE):
        found.append(bisect_right(starts, match.start()) - 1)
    return list(dict.fromkeys(found))


@dataclass
class TranscriptSearch:
    """A search: the words, and the place last found as turn and row."""

    term: str = ""
    found: tuple[int, int] | None = None

    def begin(self, term: str) -> bool:
        """Search for `term` from now on; True if it is another one than before."""
        changed = term != self.term
        if changed:
            self.term, self.found = term, None
        return changed

    def step(self, turns: Sequence[TurnLayout], step: int) -> tuple[int, int]:
        """Go to the next place, older (-1) or newer (1). Returns which one it is and how many there are; 0 and the
        number when there is no further one in that direction."""
        hits = [
            (turn.number, row) for turn in turns for row in (places(turn, self.term) if self.term else ())
        ]
        if step < 0:
            known = self.found or (turns[-1].number + 1 if turns else 0, 0)
            at = max((n for n, hit in enumerate(hits) if hit < known), default=-1)
        else:
            at = min((n for n, hit in enumerate(hits) if hit > (self.found or (0, 0))), default=-1)
        if at >= 0:
            self.found = hits[at]
        return at + 1, len(hits)


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
    class SearchRequested(Message):
        """Go to the next place of `term`: older (-1) or newer (1)."""

        term: str
        step: int

    @dataclass
    class Closed(Message):
        """The search is over."""

    def compose(self) -> ComposeResult:
        yield Static("find", id="find-mark", markup=False)
        yield LineField(id="find-term", placeholder="search the story")
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
            self.post_message(self.SearchRequested(term, step))

    def action_close(self) -> None:
        self.remove_class("-open")
        self.say("")
        self.post_message(self.Closed())
