"""The schema-aligned line reader: known keys cut any text into fields, whatever format it pretends to be in.

This is the step that reads most of what parsers refuse: ragged YAML, headings, bold keys, `key = value`, mixtures.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from theact_tui.models.reading.keylines import KeyLine, indent_of, key_line
from theact_tui.models.reading.scalars import block_mark, is_meta, is_rule, scalar
from theact_tui.models.reading.shapes import Field, Shape

FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})[ \t]*([\w+-]*)[ \t]*")
_BULLET = re.compile(r"[ \t]*(?:[-*+•▪‣◦●–—·>]+[ \t]|\(?\d{1,2}[.):][ \t]|\[[ xX✓]?\]|[-•–]\S|[☐☑✅✓✔✗✘❌])")
_OTHER_KEY = re.compile(r"[ \t]*([a-z][a-z0-9]*(?:_[a-z0-9]+)*)[ \t]?:(?:[ \t]|$)")
_HEADING = re.compile(r"#{1,6}[ \t]+\S")
_COMMENT = re.compile(r"[ \t]+#[ \t].*$")
_ONE_VALUE = {"flag", "choice", "number", "whole"}
_GATHERED = {"texts", "facts", "pairs"}
_LISTS = {"ids", "beats", "texts", "facts", "pairs", "objects"}


@dataclass
class Record:
    """One answer found in a text: raw values by field name, and the loose text around them."""

    values: dict[str, Any] = field(default_factory=dict)
    before: str = ""
    """Text since the last answer."""
    after: str = ""
    how: str = "lines"


def records(text: str, shape: Shape) -> list[Record]:
    """The answers in `text`, in order; a key that the answer already began with begins another one."""
    walk = _Walk(shape)
    for line in text.expandtabs(2).split("\n"):
        walk.line(line)
    return walk.finished()


class _Walk:
    """Goes through the lines once. `open` is the field being read, `rest` and `body` what it has so far."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        self.done: list[Record] = []
        self.record = Record()
        self.first: KeyLine | None = None
        self.open: KeyLine | None = None
        self.rest = ""
        self.body: list[str] = []
        self.loose: list[str] = []
        self.earlier = ""
        """Items of the open list from an earlier line with the same key."""

    def line(self, line: str) -> None:
        """Take in the next line."""
        fence = FENCE.fullmatch(line)
        if fence and not self.holds(line):
            self.fence(bool(fence[2]))
            return
        key = self.key(line)
        if (
            is_rule(line)
            and self.open is not None
            and not self.rest
            and not any(text.strip() for text in self.body)
        ):
            return
        if key is not None:
            self.begin(key)
        elif self.open is None:
            self.loose.append(line)
        elif self.ends_before(line):
            self.close()
            self.loose.append(line)
        else:
            self.body.append(line)

    def key(self, line: str) -> KeyLine | None:
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
        if prose and not key.exact and (key.field is reading.field or key.field.kind == "prose"):
            return None
        return key

    def holds(self, line: str) -> bool:
        """True inside of an indented block: what is indented as its first line belongs to it."""
        if self.open is None or not line.strip():
            return False
        if self.open.field.kind not in {"prose", "line"} or (self.rest and not block_mark(self.rest)):
            return False
        first = next((text for text in self.body if text.strip()), None)
        return (
            first is not None and indent_of(first) > self.open.indent and indent_of(line) >= indent_of(first)
        )

    def fence(self, named: bool) -> None:
        """A fence ends the open field, except one that opens its value."""
        if self.open is not None and not self.rest and not any(text.strip() for text in self.body):
            return
        if self.open is not None:
            self.close()
        self.loose.append("")

    def begin(self, key: KeyLine) -> None:
        """Opens a field, in another answer if this one has it already."""
        self.close()
        repeats = key.field.name in self.record.values
        if repeats and not self.record.values[key.field.name]:
            pass
        elif repeats and key.field.kind in _GATHERED and not self.complete():
            self.earlier = self.record.values[key.field.name]
        elif repeats and self.first is not None and (key.field is self.first.field or self.complete()):
            self.done.append(self.record)
            self.record, self.first = Record(), None
        if self.first is None:
            self.first = key
            self.record.before = "\n".join(self.loose).strip("\n")
            self.loose = []
        self.open, self.rest, self.body = key, key.rest, []

    def complete(self) -> bool:
        """True if the answer has all it needs to have."""
        return all(field.name in self.record.values for field in self.shape.fields if not field.optional)

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
        if is_rule(line) or (blank and not indented and is_meta(line)) or _HEADING.match(line):
            return True
        if kind == "line" and not block_mark(self.rest):
            return started and (blank or self.quoted_on_one_line()) and not indented
        return False

    def list_ends(self, line: str, *, blank: bool, started: bool, indented: bool) -> bool:
        """True if `line` does not belong to the open list."""
        if _unclosed([self.rest, *self.body]):
            return False
        if _BULLET.match(line) or indented:
            return is_rule(line)
        if self.rest and not re.fullmatch(r"[\[{(]?", self.rest):
            return True
        return started and (blank or is_meta(line) or line.strip() in {"]", "}", "}}"})

    def quoted_on_one_line(self) -> bool:
        """True if the open value is a whole string already."""
        return self.rest[:1] in {'"', "'", "“"} and len(self.rest) > 1 and self.rest.rstrip(",")[-1] in "\"'”"

    def close(self) -> None:
        """Stores what the open field has."""
        if self.open is None:
            return
        value = _raw(self.open.field, self.rest, self.body)
        if self.earlier:
            value, self.earlier = f"{_marked(self.earlier)}\n{_marked(value)}", ""
        self.record.values[self.open.field.name] = value
        self.open = None

    def finished(self) -> list[Record]:
        """All answers, the last one with the text after it."""
        self.close()
        self.record.after = "\n".join(self.loose).strip("\n")
        return [*self.done, self.record]


def _marked(items: str) -> str:
    """One line of items with a list mark in front; several as they are."""
    return items if "\n" in items or not items.strip() or _BULLET.match(items) else f"- {items.strip()}"


def _raw(field: Field, rest: str, body: list[str]) -> Any:
    """What a field's lines hold: the text itself, or for lists the lines as they are."""
    if field.kind in {"prose", "line"}:
        return scalar(rest, body)
    rest = "" if block_mark(rest) else _COMMENT.sub("", rest)
    return "\n".join([rest, *body] if rest else body).strip("\n").rstrip()


def _unclosed(lines: list[str]) -> bool:
    """True if the lines begin with a bracket that has not been closed."""
    first = next((line.lstrip() for line in lines if line.strip()), "")
    if not first.startswith(("[", "{")):
        return False
    text = "\n".join(lines)
    return text.count("[") > text.count("]") or text.count("{") > text.count("}")
