"""Live prose of a streamed reply, without markers.

Read word by word, so that chunks do not matter. A line is held back while it may become a thought, a fence, a name in front
of a speech, or an object.
"""

import re
from dataclasses import replace
from itertools import islice

from theact_tui.parsing.prose import PAGE_LABEL, SPEAKING
from theact_tui.parsing.reader import parse
from theact_tui.parsing.speakers import OWN_LABEL, Speakers
from theact_tui.parsing.thoughts import CLOSE, THOUGHT_LABEL, thought_edge, without_thoughts
from theact_tui.parsing.types import ReplyContext
from theact_tui.parsing.unwrap import (
    ANY_TOKEN,
    FENCE,
    HEADER,
    announces,
    is_rule,
    normalised,
    player_label,
    resolved,
)

_UNIT = re.compile(r"\r\n|\r(?=[^\n])|[^\S\r]|[^\x00-\x7f◁▷｜]")
_SIGN = re.compile(r"[<>\[\]◁▷()`]")


class ProseStream:
    """Accepts a reply as it arrives. `text` is the prose to show so far, `buffer` the whole reply."""

    def __init__(self, agent: str, context: ReplyContext | None = None) -> None:
        self.agent = agent
        self.context = context or ReplyContext()
        self.buffer = ""
        self.text = ""
        self.reasoning = ""
        self.retracted = 0
        """Number of times that shown text was taken back; `text` then began anew."""
        self._taken = self._sought = 0
        """Characters of the buffer that were taken in, and that were searched for the end of a word."""
        self._thought_close = CLOSE if self.context.thought == "opened" else None
        self._begin()

    def _begin(self) -> None:
        self._outside = ""
        self._worded = False
        self._lines = _Lines(self.agent, self.context)

    def keep_thoughts_apart(self) -> None:
        """Note that thoughts come in a field of their own: marks in the text hide nothing before them."""
        self.context, self._thought_close = replace(self.context, thought="apart"), None

    def feed(self, text: str) -> str:
        """Return the prose that `text` adds; after a retraction the whole."""
        self.buffer += text
        before, retracted = len(self.text), self.retracted
        while word_end := _UNIT.search(self.buffer, max(self._taken, self._sought)):
            unit, self._taken = self.buffer[self._taken : word_end.end()], word_end.end()
            self._take(unit)
        self._sought = max(self._taken, len(self.buffer) - 1)
        return self.text if self.retracted != retracted else self.text[before:]

    def finish(self) -> str:
        """Return the prose that was held back, as `parse` reads the whole reply. Text it leaves out, such as a loop,
        is retracted.
        """
        before, retracted = len(self.text), self.retracted
        self._take(self.buffer[self._taken :])
        reading = parse(self.agent, self.buffer, self.context)
        whole = reading.reply.text if reading.ok else ""
        if whole:
            self.retracted += not whole.startswith(self.text)
            self.text = whole
        self.reasoning = without_thoughts(normalised(self.buffer), self.context.thought)[1].strip()
        return self.text if self.retracted != retracted else self.text[before:]

    def _take(self, unit: str) -> None:
        """Accept the next word; thoughts go to `reasoning`."""
        while unit:
            if self._thought_close:
                closed = self._thought_close.search(unit) if _SIGN.search(unit) else None
                thought = unit[: closed.start()] if closed else unit
                self.reasoning += thought if self.reasoning else thought.lstrip()
                if closed is None:
                    return
                self.reasoning = self.reasoning.rstrip()
                self._thought_close, unit = None, unit[closed.end() :]
                continue
            edge = thought_edge(unit) if _SIGN.search(unit) else None
            if edge is None:
                self._add_prose(unit)
                return
            at, after, close = edge
            if close:
                self._add_prose(unit[:at])
                self._thought_close = close
            elif self.context.thought == "apart":
                self._add_prose(unit[:at])
            else:
                self.reasoning = (self._outside + unit[:at]).strip()
                self.retracted += bool(self.text)
                self.text = ""
                self._begin()
            unit = unit[after:]

    def _add_prose(self, unit: str) -> None:
        """Show what may be shown with `unit`, which is no thought; a template's token after text ends the reply."""
        bare, over = normalised(unit), False
        self._outside += unit
        if not bare.isascii() or "<" in bare or "[" in bare:
            if not self._worded:
                bare = ANY_TOKEN.sub("", HEADER.sub("", bare))
            elif token := ANY_TOKEN.search(bare):
                bare, over = bare[: token.start()], True
        self._worded = self._worded or re.search(r"\w", bare) is not None
        self.text += self._lines.feed(bare)
        self._lines.over = self._lines.over or over


class _Lines:
    """Yields prose line by line, each once it can be nothing else, up to a line that ends the reply."""

    def __init__(self, agent: str, context: ReplyContext) -> None:
        self.over = False
        """True if the prose ended, or the reply is a block, which is shown when whole."""
        self._kind, _, own = agent.partition(":")
        self._own = own or context.speaker
        self._cast = dict(context.active_characters or {})
        self._speakers: Speakers | None = None
        names = (context.player, *self._cast.values())
        self._most = max(_MARK_WORDS, *(1 + len(_WORD.findall(name)) for name in names))
        """Words at a line's beginning in which a mark shows itself."""
        self._turn = player_label(context.player)
        self._line = ""
        self._passed = 0
        """Characters of the open line that are shown or passed over."""
        self._judged = False
        """True if the open line has no prose so far."""
        self._gap = ""
        """Line feeds and rules since the last text; part of the prose if more follows."""
        self._begun = False
        self._last = ""

    def feed(self, piece: str) -> str:
        """Return prose of `piece` and of text held back before it, as far as it is certain."""
        prose = ""
        for part in piece.splitlines(keepends=True):
            if self.over:
                break
            self._line += part
            prose += self._read(self._line.removesuffix("\n"), whole=part.endswith("\n"))
            if part.endswith("\n"):
                self._gap += "\n" if self._begun else ""
                self._line, self._passed, self._judged = "", 0, False
        return resolved(prose) if "\\" in prose else prose

    def _read(self, line: str, *, whole: bool) -> str:
        if not self._passed:
            if not line.strip() or (self._judged and not whole) or (not whole and self._may_be_mark(line)):
                return ""
            start = self._start(line, whole=whole)
            self._judged = True
            if start is None:
                return ""
            self._passed = start
        text = line[self._passed :].rstrip(" \t\\" if whole else " \t`\\")
        if end := _END.search(text):
            self.over, text = True, text[: end.start()].rstrip()
        if not text.strip():
            return ""
        self._passed += len(text)
        gap, self._gap = re.sub(r"\n{3,}", "\n\n", self._gap), ""
        self._begun, self._last = True, line.strip()
        return gap + text

    def _may_be_mark(self, line: str) -> bool:
        """True while a line may turn out to be a fence, a name, or to announce the page."""
        if not self._begun and len(line) < _ANNOUNCEMENT_LENGTH and _ANNOUNCING.search(line[:MARK_LENGTH]):
            return True
        if len(line) >= MARK_LENGTH:
            return False
        words = [*islice(_WORD.finditer(line), self._most + 1)]
        if len(words) <= self._most:
            return True
        return _SEPARATOR.search(line, 0, words[-1].start()) is not None

    def _start(self, line: str, *, whole: bool) -> int | None:
        """Return the index of a line's prose, or None."""
        if not self._begun:
            self.over = line.lstrip().startswith(("{", "[{", '"{')) or bool(THOUGHT_LABEL.match(line))
            if (
                self.over
                or FENCE.fullmatch(line)
                or announces(line)
                or is_rule(line)
                or self._turn.match(line)
            ):
                return None
        elif self._ends(line):
            self.over = True
            return None
        elif is_rule(line):
            self._gap += line.strip() if whole else ""
            return None
        return self._after_label(line, len(line) - len(line.lstrip()))

    def _ends(self, line: str) -> bool:
        """True if `line` may no longer belong to the prose."""
        foreign = self._speakers and self._speakers.others and self._speakers.others.match(line.lstrip())
        return bool(
            FENCE.fullmatch(line)
            or (not line.startswith((" ", "\t")) and self._turn.match(line))
            or (foreign and not self._last.endswith((":", "：")))
        )

    def _after_label(self, line: str, indent: int) -> int | None:
        """Return the index of a line's prose after a label such as the speaker's name, or None."""
        if self._speakers is None:
            self._speakers = Speakers.of(self._own, self._cast, line)
        start = indent
        labels = [self._speakers.mine] if self._kind in SPEAKING else [PAGE_LABEL] if not self._begun else []
        if not self._begun and (wrapper := _OPENING_TAG.match(line) or OWN_LABEL.match(line)):
            start = wrapper.end()
        for label in filter(None, labels):
            if match := label.match(line[start:]):
                start += match.end()
        return start if line[start:].strip() else None


MARK_LENGTH = 64
"""Characters after which a line is prose."""
_ANNOUNCEMENT_LENGTH = 200
_MARK_WORDS = 3
_WORD = re.compile(r"[^\W_\u2e80-\U0003ffff]+|[\u3005-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_OPENING_TAG = re.compile(r"\s*<[a-z][\w:-]*(?:\s[^<>\n]*)?>[ \t]*", re.IGNORECASE)
_SEPARATOR = re.compile(r"[:：=|>]")
_END = re.compile(r"</?\w|\[/")
_ANNOUNCING = re.compile(r"here\b|below|this is|the following", re.IGNORECASE)
