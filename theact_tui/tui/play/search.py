"""Search in the transcript: the words in its turns, whatever rows they are wrapped over, and the line to type them in."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static

from theact_tui.tui.play.transcript_window import TurnLayout
from theact_tui.tui.widgets.inputs import LineField

Span = tuple[int, int, int]
"""A row of a turn, and the first letter in it and the one after the last."""


@lru_cache(8)
def pattern(term: str) -> re.Pattern[str]:
    """Finds `term` in any case where a word begins, so that "hat" is not found in "that". In scripts without capitals,
    some of which put no spaces between words, it is found anywhere."""
    begins = r"(?<!\w)" if term[:1].lower() != term[:1].upper() else ""
    return re.compile(begins + re.escape(term), re.IGNORECASE)


def highlighted(content: Content, term: str, ink: str = ".found") -> Content:
    """`content` with every occurrence of `term` set in `ink`."""
    for match in pattern(term).finditer(content.plain):
        content = content.stylize(ink, match.start(), match.end())
    return content


def occurrences(turn: TurnLayout, term: str) -> int:
    """How often `term` stands in the paragraphs of a turn, which need not be laid out."""
    texts = (" ".join(block.text.plain.split()) for block in turn.blocks)
    return sum(1 for text in texts for _ in pattern(term).finditer(text))


def places(turn: TurnLayout, term: str) -> list[list[Span]]:
    """Where each occurrence of `term` stands; one may run over rows."""
    text, starts = "", list[int]()
    for row in turn.rows:
        starts.append(len(text))
        text += row.text.rstrip() + (" " if row.runs_on else "\n")
    found: list[list[Span]] = []
    for match in pattern(term).finditer(text):
        first, last = (bisect_right(starts, at) - 1 for at in (match.start(), match.end() - 1))
        spans = (
            (row, match.start() - starts[row], match.end() - starts[row]) for row in range(first, last + 1)
        )
        found.append([(row, max(0, start), end) for row, start, end in spans])
    return found


@dataclass
class TranscriptSearch:
    """A search: the words, and the occurrence last found as turn and place in it, from 0."""

    term: str = ""
    found: tuple[int, int] | None = None

    def begin(self, term: str) -> bool:
        """Search for `term` from now on; True if it is another one than before."""
        changed = term != self.term
        if changed:
            self.term, self.found = term, None
        return changed

    def step(self, turns: Sequence[TurnLayout], step: int) -> bool:
        """Go to the next occurrence, older (-1) or newer (1); False when there is no further one in that direction."""
        hits = [
            (turn.number, n)
            for turn in turns
            if self.term and not turn.aside
            for n in range(len(places(turn, self.term)))
        ]
        if step < 0:
            beyond = [hit for hit in reversed(hits) if self.found is None or hit < self.found]
        else:
            beyond = [hit for hit in hits if self.found is None or hit > self.found]
        self.found = beyond[0] if beyond else self.found
        return bool(beyond)

    def spans(self, turn: TurnLayout) -> list[Span]:
        """Where the occurrence last found stands; nothing in another turn."""
        if self.found is None or turn.aside or turn.number != self.found[0]:
            return []
        return next(iter(places(turn, self.term)[self.found[1] :]), [])


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
    class TermChanged(Message):
        """Show where `term` stands, and how often."""

        term: str

    @dataclass
    class Closed(Message):
        """The search is over."""

    def compose(self) -> ComposeResult:
        yield Static("find", id="find-mark", markup=False)
        yield LineField(id="find-term", placeholder="search the story; matches word beginnings")
        yield Static("", id="find-count", markup=False)

    def open(self) -> None:
        """Show the line and take the keys."""
        self.add_class("-open")
        self.query_one(Input).focus()
        self.changed()

    @on(Input.Changed)
    def changed(self) -> None:
        self.post_message(self.TermChanged(self.query_one(Input).value.strip()))

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
