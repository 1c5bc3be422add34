"""Pass prose on as it arrives, up to what ends it: `StringTeller` out of a JSON string, `LineTeller` line by line."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from theact_tui.parsing.lenient_json import unescaped
from theact_tui.parsing.lines import folded, indent_of, key_line, may_follow
from theact_tui.parsing.shapes import NARRATOR
from theact_tui.parsing.values import block_mark, is_rule

_QUOTE_PATIENCE = 160
MARK_LENGTH = 64
"""A line that has not become a mark by then is prose."""
_TAG = re.compile(r"[<\[](/?)(\w+)(?:\s[^<>]*)?/?[>\]]")
_INLINE_KEY = re.compile(r"[\s,;|\"'“”{*]*\bresponding[_ ]characters[\"'“”*]*\s*[:=]", re.IGNORECASE)
LEADING_TAGS = re.compile(r"\A(?:\s*<\w+>)+")
_LABELS = (
    "player user human you instruction system input next turn turn jugador usuario spieler joueur utilisateur "
    "narrator assistant yaml json final"
).split()
_TALK = tuple(
    (
        "let me know;i hope;hope this;hope that;would you like me;feel free;please let;note;explanation;here "
        "is;here's;sure;"
        "certainly;of course;okay;this response;this narration;if you;i've;i have;the above"
    ).split(";")
)
_AFTER_NAME = re.compile(r"[\s*_`\"'”’»\])>?|=~-]*(?:\([^)]*\)?)?[\s*_`\"')-]*(?:[:：=].*)?", re.DOTALL)
_OUTER = frozenset(
    "answer response output reply text message dialogue summary chapter recap epilogue cell".split()
)


class StringTeller:
    """Prose in a JSON string, up to the quotation mark that something follows which may follow a value."""

    _REMARK = r"(?:(?://|#)[^\n]*\n\s*)?"
    _AFTER = re.compile(
        rf"\s*(?:[}}\]]|,\s*{_REMARK}(?:[\"'“”]?[\w ]{{1,40}}[\"'“”]?\s*[:=]|[}}\]])"
        r"|[\"“][\w ]{1,40}[\"”]\s*[:=])"
    )
    _OPEN = re.compile(
        rf"\s*(?:,\s*(?:/|(?://|#)[^\n]{{0,80}}|{_REMARK}[\"'“”{{]?[\w -]{{0,40}}[\"'“”]?\s*)"
        r"|[\"“][\w -]{0,40}[\"”]?\s*)?\Z"
    )
    _OPEN_ESCAPE = re.compile(
        r"\\(?:u[0-9a-fA-F]{0,3}|u[dD][89abAB][0-9a-fA-F]{2}(?:\\(?:u[0-9a-fA-F]{0,3})?)?)?\Z"
    )

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
            if found[0][0] == "\\":
                continue
            if self._AFTER.match(text, found.end()):
                self.over, end = True, found.start()
                break
            if self._OPEN.match(text, found.end()):
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
        self,
        ends: Callable[[str, bool], bool],
        names: Sequence[str],
        *,
        indent: int = -1,
        mark: str = "",
        label: re.Pattern[str] | None = None,
    ) -> None:
        """`indent` and `mark` are of the key that the prose belongs to, `label` is the speaker's own."""
        self.over = False
        self._ends = ends
        self._names = tuple(names)
        self._indent = indent
        self._block = bool(mark) and block_mark(mark)
        self._folds = mark.startswith(">")
        self._label = label
        self._line = ""
        self._sent = 0
        """Characters of the open line that have been told."""
        self._feeds = 0
        """Line feeds since the last text."""
        self._begun = False
        self._body: int | None = None
        """How the first line of a block is indented."""
        self._aside: list[str] = []
        """Lines that are prose only if some follows."""
        self._quote = _OpenQuote("\"“'" if indent >= 0 else '"“') if not self._block else None

    def feed(self, piece: str) -> str:
        """The text of `piece` and of what was held back before it, as far as it is prose for certain."""
        made: list[str] = []
        for part in piece.splitlines(keepends=True):
            if not self.over:
                self._line += part
                made.append(self._complete() if part.endswith("\n") else self._partial())
        text = "".join(made)
        if self._quote and text:
            text = self._quote.feed(text)
        return _with_line_feeds(text) if "\\" in text else text

    def _partial(self) -> str:
        if not self._sent:
            if self._label and (own := self._label.match(self._line)):
                self._line = self._line[own.end() :]
            bare = self._line.strip()
            if not bare or (len(self._line) < MARK_LENGTH and may_become_mark(bare, self._names)):
                return ""
            if not self._within(self._line) and self._ends(self._line, self._feeds > 1 or self._block):
                self.over = True
                return ""
        return self._told(self._line)

    def _complete(self) -> str:
        line, self._line = self._line[:-1], ""
        made = ""
        if not self._sent:
            if self._label and (own := self._label.match(line)):
                line = line[own.end() :]
            if not line.strip():
                self._feeds += self._begun
                return ""
            within = self._within(line)
            if not within and self._ends(line, self._feeds > 1 or self._block):
                self.over = True
                return ""
            if self._is_aside(line):
                self._aside.append(line)
                return ""
        made += self._told(line)
        self._sent = 0
        self._feeds = 1
        return made

    def _within(self, line: str) -> bool:
        """True for a line of an indented block, whatever it looks like."""
        if self._block and self._body is None:
            self._body = indent_of(line)
        return self._block and self._body is not None and self._indent < self._body <= indent_of(line)

    def _is_aside(self, line: str) -> bool:
        """True for a rule, and for a key that is indented as if it belonged to the block."""
        key = key_line(line, NARRATOR) if self._indent >= 0 else None
        return is_rule(line) or (
            key is not None and key.field.kind in {"ids", "choice"} and may_follow(key.field, key.rest)
        )

    def _told(self, line: str) -> str:
        """What of the open line has not been told yet, and what stands between it and the text before."""
        start = self._sent or len(line) - len(line.lstrip())
        text = line[start:].rstrip(" \t\n;|`")
        if not text:
            return ""
        self._sent = start + len(text)
        inline = _INLINE_KEY.search(line, max(0, start - 80)) if "haracters" in text else None
        if inline:
            self.over, text = True, line[start : max(start, inline.start())].rstrip()
        elif "<" in text or "[/" in text:
            text = self._without_tags(text)
        before = self._between(line)
        if self._aside:
            before += "".join(f"{aside.strip()}\n" for aside in self._aside)
            self._aside = []
        self._feeds, self._begun = 0, True
        if text.endswith("\\"):
            self._sent -= 1
            text = text[:-1]
        return before + text

    def _between(self, line: str) -> str:
        if not self._feeds or not self._begun:
            return ""
        flows = self._folds or (self._indent >= 0 and not self._block and line[:1] in {" ", "\t"})
        return "\n\n" if self._feeds > 1 else " " if flows else "\n"

    def _without_tags(self, text: str) -> str:
        """`text` up to the tag of a field; other tags are left out."""
        for tag in _TAG.finditer(text):
            if NARRATOR.field(tag[2]) or (tag[1] and tag[2].casefold() in _OUTER):
                self.over = True
                text = text[: tag.start()].rstrip()
                break
        return re.sub(r"</?\w+(?:\s[^<>]*)?/?>", "", text)


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


def _with_line_feeds(text: str) -> str:
    """`text` with line feeds and quotes where a model wrote them as escapes outside of a string."""
    return re.sub(r"\\r?\\n|\\n", "\n", text).replace('\\"', '"').replace("\\'", "'")


def may_become_mark(line: str, names: tuple[str, ...]) -> bool:
    """True while `line` may turn out to be a key, a fence, a name or talk about the answer."""
    bare = re.sub(r"^[\W\d_]+", "", LEADING_TAGS.sub("", line))
    if not bare:
        return True
    said = re.sub(r"[ _-]+", " ", folded(bare)).casefold().strip()
    known, listed = _marks(names)
    if f"\n{said}" in listed or said.startswith(_TALK):
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
