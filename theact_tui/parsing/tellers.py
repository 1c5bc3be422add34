"""Pass prose on as it arrives, up to what ends it: `StringTeller` out of a JSON string, `LineTeller` line by line."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from theact_tui.parsing.lenient_json import unescaped
from theact_tui.parsing.lines import folded
from theact_tui.parsing.shapes import NARRATOR
from theact_tui.parsing.values import is_rule, resolved

_QUOTE_PATIENCE = 160
MARK_LENGTH = 64
"""A line that has not become a mark by then is prose."""
_END = re.compile(r"</?\w|\[/|[\s,;|\"'“”{*]*\bresponding_characters\b")
"""What is no prose in the middle of a line: a tag, the next key."""
_LABELS = (
    "player user human you instruction system input next turn turn jugador usuario spieler joueur utilisateur "
    "narrator assistant yaml json final"
).split()
_TALK = tuple(
    (
        "let me know;i hope;hope this;hope that;would you like me;feel free;please let;note;explanation;here is;"
        "here's;sure;certainly;of course;okay;this response;this narration;if you;i've;i have;the above"
    ).split(";")
)
_AFTER_NAME = re.compile(r"[\s*_`\"'”’»\])>?|=~-]*(?:\([^)]*\)?)?[\s*_`\"')-]*(?:[:：=–—].*)?", re.DOTALL)


class StringTeller:
    """Prose in a JSON string, up to the quotation mark that something follows which may follow a value."""

    _KEY = r"(?:(?://?|#)[^\n]*(?:\n\s*|\Z))?[\"'“”{]?[\w -]{0,40}[\"'“”]?\s*"
    _AFTER = re.compile(rf"\s*(?:[}}\]]|,\s*{_KEY}[:=}}\]]|[\"“][\w ]{{1,40}}[\"”]\s*[:=])")
    _OPEN = re.compile(rf"\s*(?:,\s*{_KEY}|[\"“][\w ]{{0,40}}[\"”]?\s*)?\Z")
    _OPEN_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{0,4}(?:\\(?:u[0-9a-fA-F]{0,3})?)?)?\Z")

    def __init__(self, mark: str) -> None:
        self.over = False
        self._held = ""
        closers = {'"': '"”', "“": '”“"', "'": "'’"}.get(mark, mark)
        self._stop = re.compile(rf"\\.|[{re.escape(closers)}]", re.DOTALL)

    def feed(self, piece: str) -> str:
        """The characters of the string that are certain."""
        if self.over:
            return ""
        text = self._held + piece
        end = len(text)
        for found in self._stop.finditer(text):
            self.over = found[0][0] != "\\" and self._AFTER.match(text, found.end()) is not None
            if self.over or (found[0][0] != "\\" and self._OPEN.match(text, found.end())):
                end = found.start()
                break
        certain = text[:end]
        if not self.over:
            certain = self._OPEN_ESCAPE.sub("", certain).rstrip()
        self._held = text[len(certain) :]
        return unescaped(certain)


class LineTeller:
    """Prose that goes on line by line, until a line or a tag ends it."""

    def __init__(
        self, ends: Callable[[str, bool], bool], names: Sequence[str], *, keyed: bool = False, mark: str = ""
    ) -> None:
        """`keyed` prose is the value of a key; `mark` is the sign of the block it stands in."""
        self.over = False
        self._ends = ends
        self._names = tuple(names)
        self._block = bool(mark)
        self._folds = mark.startswith(">")
        self._flows = keyed and not mark
        self._line = ""
        self._told_to = 0
        """Characters of the open line that have been told."""
        self._feeds = 0
        """Line feeds since the last text."""
        self._begun = False
        self._aside = ""
        """Rules, which are prose only if some follows."""
        self._quote = None if mark else _OpenQuote("\"“'" if keyed else '"“')

    def feed(self, piece: str) -> str:
        """The text of `piece` and of what was held back before it, as far as it is prose for certain."""
        made: list[str] = []
        for part in piece.splitlines(keepends=True):
            if not self.over:
                self._line += part
                made.append(self._read(whole=part.endswith("\n")))
        text = "".join(made)
        if self._quote and text:
            text = self._quote.feed(text)
        return resolved(text) if "\\" in text else text

    def _read(self, *, whole: bool) -> str:
        line = self._line.removesuffix("\n")
        told = ""
        if self._told_to or self._is_prose(line, whole=whole):
            told = self._tell(line)
            self._feeds = 1 if whole else self._feeds
        if whole:
            self._line, self._told_to = "", 0
        return told

    def _is_prose(self, line: str, *, whole: bool) -> bool:
        """True if `line`, of which nothing was told, begins prose for certain."""
        bare = line.strip()
        if not bare:
            self._feeds += self._begun and whole
            return False
        if not whole and len(line) < MARK_LENGTH and may_become_mark(bare, self._names):
            return False
        self.over = self._ends(line, self._feeds > 1 or self._block)
        if whole and is_rule(line):
            self._aside += f"{bare}\n"
            return False
        return not self.over

    def _tell(self, line: str) -> str:
        """What of the open line has not been told yet, and what stands between it and the text before."""
        start = self._told_to or len(line) - len(line.lstrip())
        text = line[start:].rstrip(" \t\n;|`\\")
        if end := _END.search(text):
            self.over, text = True, text[: end.start()].rstrip()
        if not text:
            return ""
        self._told_to = start + len(text)
        before = ""
        if self._feeds and self._begun:
            flows = self._folds or (self._flows and line[:1] in {" ", "\t"})
            before = "\n\n" if self._feeds > 1 else " " if flows else "\n"
        before, self._aside = before + self._aside, ""
        self._feeds, self._begun = 0, True
        return before + text


class _OpenQuote:
    """Decides whether a quotation mark at the beginning is around all or begins a dialogue; till then nothing is told."""

    _SECOND = {
        '"': re.compile(r"\\?\""),
        "“": re.compile(r"[\"“”]"),
        "'": re.compile(r"(?<!\w)'(?=\w)|(?<=\w)'(?!\w)|(?<=[.!?,])'"),
    }

    def __init__(self, marks: str) -> None:
        self._marks = marks
        self._text = ""
        self._decided = False
        self._wraps = False
        self._last = ""

    def feed(self, text: str) -> str:
        """What may be told of `text` and of what was kept before it."""
        if self._decided:
            return self._unwrapped(text) if self._wraps else text
        self._text += text
        mark, text = self._text[0], self._text
        if mark not in self._marks:
            self._decided = True
            return text
        second = self._SECOND[mark].search(text, 1)
        if second is None or not text[second.end() :].strip():
            if len(text) <= _QUOTE_PATIENCE:
                return ""
            self._wraps = True
        else:
            before, after = text[second.start() - 1], text[second.end() : second.end() + 1]
            self._wraps = second[0] in {'\\"', "“"} or (
                not after.isspace() and (before.isspace() or before in "(—–-[" or second.start() == 1)
            )
        self._decided = True
        if not self._wraps:
            return text
        return self._unwrapped(text.removeprefix(mark * 3) if text.startswith(mark * 3) else text[1:])

    def _unwrapped(self, text: str) -> str:
        """`text` without the mark that may be the last, which comes with what follows it."""
        text = self._last + text
        self._last = text[-1] if text[-1] in "\"”'" and text[-2:-1] != "\\" else ""
        return text[: len(text) - len(self._last)]


def may_become_mark(line: str, names: tuple[str, ...]) -> bool:
    """True while `line` may turn out to be a key, a fence, a name or talk about the answer."""
    said = re.sub(r"[ _-]+", " ", folded(re.sub(r"^[\W\d_]+", "", line))).casefold().strip()
    known, listed = _marks(names)
    if not said or f"\n{said}" in listed or said.startswith(_TALK):
        return True
    begun = (name for name in known if said.startswith(name)) if said.startswith(known) else ()
    return any(_AFTER_NAME.fullmatch(said[len(name) :]) for name in begun)


@lru_cache(maxsize=32)
def _marks(people: tuple[str, ...]) -> tuple[tuple[str, ...], str]:
    """How marks begin, and all of them in one text."""
    keys = [name.replace("_", " ") for name in NARRATOR.by_key]
    joined = [name.replace(" ", "") for name in keys if " " in name]
    named = [re.sub(r"[ _-]+", " ", folded(name)).casefold() for name in people]
    names = tuple(dict.fromkeys([*keys, *joined, *_LABELS, *filter(None, named)]))
    return names, "\n".join(("", *names, *_TALK))
