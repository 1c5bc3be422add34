"""The schema-aligned line reader: known keys cut any text into fields, whatever format it pretends to be in."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from theact_tui.parsing.shapes import ReplyField, ReplyShape, key_of
from theact_tui.parsing.values import block_mark, flag_of, is_meta, is_nothing, is_rule, scalar

_EMOJI = "\u2600-\u27bf\U0001f300-\U0001faff"
_LEFT = re.compile(
    r"(?P<indent>[ \t]*)(?P<bullet>(?:[-+•▪‣◦●–—*]|\(?\d{1,2}[.)])[ \t]+)?"
    rf"(?P<mark>(?:\#{{1,6}}[ \t]*|[{_EMOJI}]\ufe0f?[ \t]*|[*_`\"'“”‘’«\[(【<{{|=~>-]{{1,6}}[ \t]*){{0,3}})"
)
_RIGHT = re.compile(
    r"(?:[ _]?(?:list|ids|text|names|this turn|so far|now|in this turn|in this scene))?(?P<remark>[ \t]?\?|"
    r"[ \t]*\([^()\n]{0,60}\))?(?P<close>(?:[ \t]+(?:={2,}|-{2,}|~{2,})|[*_`\"'“”’»\])】>}~]{0,6}(?:={2,}|"
    r"-{2,})?))(?:[ \t]*\([^()\n]{0,60}\))?[ \t]*(?P<sep>[:：]{1,2}=?|=>?|->|→|"
    r"[-–—](?=[ \t]))?(?P<close2>[*_`]{1,3})?[ \t]*(?P<rest>.*)"
)
_ANY_KEY = re.compile(r"([^\W\d][\w -]{3,40}?)[ \t]*(?=[*_`\"'”’]{0,4}[ \t]*[:：=])")
_HEAD = re.compile(rf"[\s\-+•▪‣◦●–—*#_`\"'“”‘’«\[(【<{{|=~>.\d){_EMOJI}\ufe0f]*[^\W\d_]")

_LONGEST = 200
"""Characters in which a name ends, however it is spaced."""


class _Bare(dict[int, str]):
    """Each character without its accent."""

    def __missing__(self, code: int) -> str:
        return unicodedata.normalize("NFD", chr(code))[0]


_BARE = _Bare()


@dataclass(frozen=True, slots=True)
class KeyedLine:
    """A line that begins `field`; `rest` is what stands after the separator."""

    field: ReplyField
    indent: int
    bulleted: bool
    rest: str
    exact: bool
    """The field's own name, not an alias."""
    lower: bool
    """Written without capitals."""
    plain: bool
    """Written as YAML would have it."""


def folded(line: str) -> str:
    """`line` without accents, character by character, so that positions stay."""
    if line.isascii():
        return line
    return line.translate(_BARE)


def indent_of(line: str) -> int:
    """Columns of white space `line` begins with; a tab counts two."""
    white = line[: len(line) - len(line.lstrip())]
    return len(white.replace("\t", "  "))


def key_line(line: str, shape: ReplyShape, *, in_prose: bool = False) -> KeyedLine | None:
    """The field that `line` begins, or None. In prose a key must also be followed by a value it may have."""
    left = _LEFT.match(line)
    if left is None or not _HEAD.match(line):
        return None
    found = _known(line, left.end(), shape)
    if found is None:
        return None
    field, end, exact = found
    right = _RIGHT.match(line, end)
    if right is None:
        return None
    rest = right["rest"].strip()
    lower, mark = line[left.end() : end].islower(), left["mark"].strip()
    plain = lower and exact and not left["bullet"] and not mark and line[end : end + 1] == ":"
    key = KeyedLine(field, indent_of(line), bool(left["bullet"]), rest, exact, lower, plain)
    return key if _means_key(key, mark, right, in_prose) else None


def _means_key(key: KeyedLine, mark: str, right: re.Match[str], in_prose: bool) -> bool:
    separator = right["sep"]
    fits = may_follow(key.field, key.rest)
    if separator:
        return fits if in_prose and not mark.startswith("#") else True
    if not key.rest:
        return bool(mark) or key.exact or not (in_prose or key.field.kind == "prose")
    one_word = key.field.kind == "choice" and len(key.rest.split()) == 1
    return key.exact and not in_prose and (key.rest[0] in "[{|>" or one_word)


def may_follow(field: ReplyField, rest: str) -> bool:
    """True if `rest` may be the value of `field` as far as its kind tells."""
    if not rest or is_nothing(rest):
        return True
    words = rest.split()
    match field.kind:
        case "flag":
            return flag_of(rest) is not None
        case "choice":
            return len(words) <= 4 or any(choice[:5] in rest[:24].casefold() for choice in field.choices)
        case _:
            return True


@lru_cache(maxsize=16)
def _names(shape: ReplyShape) -> re.Pattern[str]:
    """All names of the shape's fields, longest first, with any joints between their words."""
    joined = sorted(shape.by_key, key=len, reverse=True)
    spelled = ("[ _-]*".join(map(re.escape, name.split("_"))) for name in joined)
    return re.compile(rf"(?:{'|'.join(spelled)})(?![^\W_]|_[^\W_]|['’]\w)", re.IGNORECASE)


def _known(line: str, start: int, shape: ReplyShape) -> tuple[ReplyField, int, bool] | None:
    """The field whose name is at `start`, where the name ends, and whether it is the field's own."""
    plain = folded(line[: start + _LONGEST])
    found = _names(shape).match(plain, start)
    if found:
        field = shape.by_key.get(key_of(found[0])) or shape.by_key.get(found[0].replace(" ", "").casefold())
        if field:
            return field, found.end(), _same(found[0], field.name)
    guess = _ANY_KEY.match(plain, start)
    if guess is None:
        return None
    near = shape.nearest(guess[1])
    return (near, guess.end(1), True) if near else None


def _same(text: str, name: str) -> bool:
    return re.sub(r"[ _-]", "", text).casefold() == name.replace("_", "")


FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})[ \t]*([\w+-]*)[ \t]*")
_BULLET = re.compile(r"[ \t]*(?:[-*+•▪‣◦●–—·>]+[ \t]|\(?\d{1,2}[.):][ \t]|\[[ xX✓]?\]|[-•–]\S|[☐☑✅✓✔✗✘❌])")
_OTHER_KEY = re.compile(r"[ \t]*([a-z][a-z0-9]*(?:_[a-z0-9]+)*)[ \t]?:(?:[ \t]|$)")
_HEADING = re.compile(r"#{1,6}[ \t]+\S")
_COMMENT = re.compile(r"[ \t]+#[ \t].*$")
_ONE_VALUE = {"flag", "choice", "number", "whole"}
_LISTS = {"ids", "beats", "texts", "facts", "pairs", "noted", "objects"}


@dataclass
class Candidate:
    """One answer found in a text: raw values by field name."""

    values: dict[str, Any] = field(default_factory=dict)
    how: str = "lines"


def records(text: str, shape: ReplyShape) -> list[Candidate]:
    """The answers in `text`, in order; a key that the answer already began with begins another one."""
    walk = _Walk(shape)
    for line in text.expandtabs(2).split("\n"):
        walk.line(line)
    return walk.finished()


class _Walk:
    """Goes through the lines once. `open` is the field being read, `rest` and `body` what it has so far."""

    def __init__(self, shape: ReplyShape) -> None:
        self.shape = shape
        self.done: list[Candidate] = []
        self.record = Candidate()
        self.first: KeyedLine | None = None
        self.open: KeyedLine | None = None
        self.rest = ""
        self.body: list[str] = []
        self.plain = True
        """So far it is what YAML allows."""

    def line(self, line: str) -> None:
        """Take in the next line."""
        fence = FENCE.fullmatch(line)
        if fence and not self.holds(line):
            self.close()
            return
        key = self.key(line)
        if key is not None:
            self.begin(key)
        elif self.open is None or self.ends_before(line):
            self.plain = self.plain and not line.strip()
            self.close()
        else:
            self.body.append(line)

    def key(self, line: str) -> KeyedLine | None:
        """The key that `line` begins, unless the open field's text or list holds that line."""
        reading = self.open
        if reading is None or self.first is None:
            return key_line(line, self.shape)
        if self.holds(line):
            return None
        prose = reading.field.kind in {"prose", "line"}
        key = key_line(line, self.shape, in_prose=prose)
        if key is None or (key.bulleted and not self.first.bulleted):
            return None
        told = key.field is reading.field or (key.field.kind == "prose" and not key.lower)
        if prose and told and not key.exact:
            return None
        return key

    def holds(self, line: str) -> bool:
        """True inside of an indented block: what is indented as its first line belongs to it."""
        if self.open is None or not line.strip():
            return False
        if self.open.field.kind in {"pairs", "noted", "objects"}:
            item = next((text for text in reversed(self.body) if _BULLET.match(text)), None)
            inside = indent_of(line) > (indent_of(item) if item else self.open.indent)
            return inside and (item is not None or key_line(line, self.open.field.shape) is not None)
        if self.open.field.kind not in {"prose", "line"} or (self.rest and not block_mark(self.rest)):
            return False
        first = next((text for text in self.body if text.strip()), None)
        return (
            first is not None and indent_of(first) > self.open.indent and indent_of(line) >= indent_of(first)
        )

    def begin(self, key: KeyedLine) -> None:
        """Opens a field, in another answer if this one has it already."""
        self.close()
        repeats = key.field.name in self.record.values
        if repeats and self.record.values[key.field.name]:
            self.done.append(self.record)
            self.record, self.first = Candidate(), None
        if self.first is None:
            self.first = key
        self.open, self.rest, self.body = key, key.rest, []

    def ends_before(self, line: str) -> bool:
        """True if the open field is over although no key follows."""
        reading = self.open
        if reading is None:
            return False
        kind, started = reading.field.kind, bool(self.rest) or any(text.strip() for text in self.body)
        blank = bool(self.body) and not self.body[-1].strip()
        indented = indent_of(line) > reading.indent
        if not line.strip():
            return False
        other = _OTHER_KEY.match(line)
        if (
            kind not in {"object", "objects"}
            and started
            and not indented
            and other
            and self.shape.field(other[1]) is None
        ):
            return True
        if kind in _ONE_VALUE:
            return started
        if kind in _LISTS:
            return self.list_ends(line, blank=blank, started=started, indented=indented)
        return is_rule(line) or (blank and not indented and is_meta(line)) or bool(_HEADING.match(line))

    def list_ends(self, line: str, *, blank: bool, started: bool, indented: bool) -> bool:
        """True if `line` does not belong to the open list."""
        if _BULLET.match(line) or indented:
            return is_rule(line)
        return started and (blank or is_meta(line) or line.strip() in {"]", "}", "}}"})

    def close(self) -> None:
        """Stores what the open field has."""
        if self.open is None:
            return
        inside = all(line[:1] in {" ", "\t", "-", ""} for line in self.body)
        self.plain = self.plain and self.open.plain and inside
        value = _raw(self.open.field, self.rest, self.body)
        self.record.values[self.open.field.name] = value
        self.open = None

    def finished(self) -> list[Candidate]:
        """All answers."""
        self.close()
        if self.plain and not self.done:
            self.record.how = "yaml"
        return [*self.done, self.record]


def _raw(field: ReplyField, rest: str, body: list[str]) -> Any:
    """What a field's lines hold: the text itself, or for lists the lines as they are."""
    if field.kind in {"prose", "line"}:
        return scalar(rest if any(body) else _COMMENT.sub("", rest), body)
    rest = "" if block_mark(rest) else _COMMENT.sub("", rest)
    return "\n".join([rest, *body] if rest else body).strip("\n").rstrip()
