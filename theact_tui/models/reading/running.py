"""Reads a reply that grows without reading all of it again at each word.

What a model has told in plain sentences cannot be read otherwise any more, whatever follows. Such sentences are left out
of the next readings, and what they read as is put back in. As soon as a reading does not go on from the one before,
all of the reply is read again, so that what is read is always what a reading of the whole would give.
"""

from __future__ import annotations

import re
from functools import lru_cache

from theact_tui.models.reading import wrapping
from theact_tui.models.reading.context import Context
from theact_tui.models.reading.fields import NARRATOR
from theact_tui.models.reading.keylines import key_line
from theact_tui.models.reading.visible import visible

HEAD, TAIL = 600, 400
"""Characters at both ends that are always read: what is decided by how a reply begins, and by what comes next."""
_ROOM = 1_000
"""Characters that are read again and again before some of them are left out."""
_OPEN = 200
"""Characters at the end of the prose that may yet change; two readings must agree on them."""
_WORTH = 40
"""Characters that are worth leaving out."""
_LINES = 4
"""Line feeds before whole lines may be left out."""
_QUOTES = (('"', '"'), ("“", "”"))


class Running:
    """A reply, or what follows the last thought in it, up to what was added last."""

    def __init__(self, agent: str, context: Context, raw: str = "") -> None:
        self.agent = agent
        self.context = context
        self.whole = raw
        self._anew()

    def add(self, text: str) -> None:
        """The reply goes on."""
        self.whole += text
        self.part += text

    def read(self) -> tuple[str, str]:
        """What `visible` gives for the whole: its prose so far, and its thoughts."""
        prose, thoughts = visible(self.agent, self.part, self.context, last=False)
        if not prose.startswith(self._seen):
            self._anew()
            prose, thoughts = visible(self.agent, self.part, self.context, last=False)
        told = self._told + prose[len(self._seen) :]
        if len(self.part) > self._limit:
            self._shorten(prose, told, thoughts)
        return told, thoughts

    def read_last(self) -> tuple[str, str]:
        """The same when nothing follows."""
        return visible(self.agent, self.whole, self.context, last=True)

    def thought_end(self) -> int | None:
        """Where the last thought of the whole ends; None while it is open, 0 if there is none."""
        return wrapping.thought_end(self.part) and wrapping.thought_end(self.whole)

    def _anew(self) -> None:
        self.part = self.whole
        """What is read of it."""
        self._seen = self._told = ""
        """How the prose of the part begins, and what that is in the whole."""
        self._limit = max(HEAD + TAIL + _ROOM, len(self.whole) * 5 // 4)

    def _shorten(self, prose: str, told: str, thoughts: str) -> None:
        """Leave plain sentences out of the part if its prose goes on to end in the same way."""
        part = _shortened(self.part)
        read, thought = visible(self.agent, part, self.context, last=False)
        if len(read) < len(prose) and read[-_OPEN:] == prose[-_OPEN:] and thought == thoughts:
            self.part, self._seen, self._told = part, read[:-_OPEN], told[:-_OPEN]
        self._limit = max(len(self.part) + _ROOM, len(self.part) * 5 // 4)


def _shortened(text: str) -> str:
    """`text` without the runs of plain sentences between its two ends, from within one line to within another."""
    end = len(text) - TAIL
    made, done = [], 0
    while run := _next_run(text, done or HEAD, end):
        made.append(text[done : run[0]])
        done = run[1]
    return "".join([*made, text[done:]])


def _next_run(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Where the next run of plain sentences begins and ends."""
    while start < end and (word := _START.search(text, start, end)):
        known = tuple(sum(text.count(mark, 0, start) for mark in marks) > 3 for marks in _QUOTES)
        run = _run(_indent(text, word.end()), known).match(text, word.end(), end)
        if run and run.end() - run.start() >= _WORTH:
            return run.span()
        start = max(word.end(), run.end() if run else 0)
    return None


def _indent(text: str, start: int) -> str | None:
    """How the lines of a run that begins here are indented: as the one it begins in, of which something is left.

    None if it must end with that line: how a text is read may depend on its first lines, and on those after a key.
    """
    begin = text.rfind("\n", 0, start) + 1
    line = text[begin:start]
    if text.count("\n", 0, begin) < _LINES or key_line(line, NARRATOR):
        return None
    return line[: len(line) - len(line.lstrip(" \t"))]


_START = re.compile(r"\w[\w,.;!?]* (?=\S)")
_WORD = r"[^\W\d_]+(?:['’-][^\W\d_]+)*[,;.!?…]{0,3}"


@lru_cache(maxsize=64)
def _run(indent: str | None, known: tuple[bool, ...]) -> re.Pattern[str]:
    """Words and the quotations that close, up to a space. Marks of quotation only where there were some before: how a
    text is read may depend on whether it has any."""
    said = "|".join(
        rf"{opened}{_WORD}(?: {_WORD})*{closed}[,.;]?"
        for (opened, closed), use in zip(_QUOTES, known, strict=True)
        if use
    )
    unit = rf"(?:{said}|{_WORD})" if said else _WORD
    joint = " " if indent is None else rf"(?: |\n{{1,2}}{re.escape(indent)}(?=\S))"
    return re.compile(f"(?:{unit}{joint})*{unit} ")
