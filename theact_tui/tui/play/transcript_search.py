"""Occurrences of a term in the turns of a transcript."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from textual.content import Content

from theact_tui.text import search_pattern
from theact_tui.tui.play.transcript_window import TurnLayout

Span = tuple[int, int, int]
"""Row, first letter, and letter after the last."""


def highlighted(content: Content, term: str) -> Content:
    for match in search_pattern(term).finditer(content.plain):
        content = content.stylize(".found", match.start(), match.end())
    return content


def occurrences(turn: TurnLayout, term: str) -> int:
    texts = (" ".join(block.text.plain.split()) for block in turn.blocks)
    return sum(1 for text in texts for _ in search_pattern(term).finditer(text))


def places(turn: TurnLayout, term: str) -> list[list[Span]]:
    """Return the spans of each occurrence, perhaps on several rows."""
    text, starts = "", list[int]()
    for row in turn.rows:
        starts.append(len(text))
        words = "" if turn.head and not starts[1:] else row.text.rstrip()  # the head is no text
        text += words + (" " if row.runs_on else "\n")
    found: list[list[Span]] = []
    for match in search_pattern(term).finditer(text):
        first, last = (bisect_right(starts, at) - 1 for at in (match.start(), match.end() - 1))
        spans = (
            (row, match.start() - starts[row], match.end() - starts[row]) for row in range(first, last + 1)
        )
        found.append([(row, max(0, start), end) for row, start, end in spans])
    return found


@dataclass
class TranscriptSearch:
    """Term, and the current occurrence as turn and index."""

    term: str = ""
    found: tuple[int, int] | None = None

    def step(self, turns: Sequence[TurnLayout], step: int) -> bool:
        """Go to the next occurrence, older (-1) or newer (1)."""
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
        if self.found is None or turn.aside or turn.number != self.found[0]:
            return []
        return next(iter(places(turn, self.term)[self.found[1] :]), [])
