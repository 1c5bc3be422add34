"""Keys at the beginning of lines cut any text into fields, whatever format it pretends to be in."""

import re
from dataclasses import dataclass, field
from typing import Any

from theact_tui.parsing.repair import mappings, yaml_value
from theact_tui.parsing.shapes import ReplyField, ReplyShape, key_of
from theact_tui.parsing.values import block_mark, flag_of, is_meta, is_nothing, is_rule, scalar

FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})[ \t]*([\w+-]*)[ \t]*")
_KEY = re.compile(
    r"[ \t]*(?P<bullet>(?:[-+•*]|\d{1,2}[.)])[ \t]+)?(?P<mark>(?:[^\w\s]{1,6}[ \t]*){0,2})(?P<name>[^\W\d_][\w -]{0,40}?)"
    r"(?P<close>[^\w\s:：=|]{0,6})[ \t]*(?:\([^()\n]{0,60}\))?[*_]{0,3}[ \t]*"
    r"(?:(?P<sep>[:：=|]+|->|→)[*_`]{0,3}[ \t]*(?P<rest>.*))?"
)
_OTHER_KEY = re.compile(r"[ \t]*[a-z][a-z0-9_]*[ \t]?:(?:[ \t]|$)")
_ITEM = re.compile(r"[ \t]*(?:[-*+•>]+[ \t]|\(?\d{1,2}[.):][ \t]|\[)")
_HEADING = re.compile(r"#{1,6}[ \t]+\S")
LIST_MARK = re.compile(r"([ \t]*)(?:[-*+•▪–—]|\(?\d{1,2}[.)])(?:[ \t]+(?=\S)|(?<=[-–•])(?=\w))")
_ONE_VALUE = {"flag", "choice", "number", "whole"}


@dataclass(frozen=True, slots=True)
class KeyedLine:
    """A line that begins `field`; `rest` is what stands after the separator."""

    field: ReplyField
    indent: int
    bulleted: bool
    rest: str
    exact: bool
    """The field's own name, perhaps misspelt, not an alias."""


@dataclass
class Candidate:
    """One answer found in a text: raw values by field name."""

    values: dict[str, Any] = field(default_factory=dict)
    how: str = "lines"


def key_line(line: str, shape: ReplyShape) -> KeyedLine | None:
    """The field that `line` begins, or None."""
    found = _KEY.fullmatch(line)
    if found is None or not (found["sep"] or found["mark"] or found["bullet"]):
        return None
    known = shape.nearest(found["name"])
    if known is None:
        return None
    name = key_of(found["name"])
    exact = name == known.name or name not in known.names
    return KeyedLine(known, _indent_of(line), bool(found["bullet"]), (found["rest"] or "").strip(), exact)


def may_follow(field: ReplyField, rest: str) -> bool:
    """True if `rest` may be the value of `field` as far as its kind tells."""
    if not rest or is_nothing(rest):
        return True
    match field.kind:
        case "flag":
            return flag_of(rest) is not None
        case "choice":
            return len(rest.split()) <= 4 or any(
                choice[:5] in rest[:24].casefold() for choice in field.choices
            )
        case _:
            return True


def records(text: str, shape: ReplyShape) -> list[Candidate]:
    """The answers in `text`, in order; a key that the answer has already begins another one."""
    made = [Candidate()]
    opened: KeyedLine | None = None
    body: list[str] = []

    def close() -> None:
        if opened:
            made[-1].values[opened.field.name] = value_of(opened.field, "\n".join([opened.rest, *body]))

    for line in text.expandtabs(2).split("\n"):
        key = key_line(line, shape)
        if key and not (opened and _is_inside(opened, body, line, key)):
            close()
            if made[-1].values.get(key.field.name):
                made.append(Candidate())
            opened, body = key, []
        elif opened and (FENCE.fullmatch(line) or _ends(opened, body, line)):
            close()
            opened = None
        elif opened:
            body.append(line)
    close()
    return made


def _is_inside(opened: KeyedLine, body: list[str], line: str, key: KeyedLine) -> bool:
    """True if a line with a key belongs to the value of the field that is open."""
    kind, deeper = opened.field.kind, _indent_of(line) > opened.indent
    if kind in _ONE_VALUE:
        return False
    if kind not in {"prose", "line"}:
        return deeper or (key.bulleted and not opened.bulleted)
    first = next((text for text in body if text.strip()), "")
    deeper = deeper and 0 < _indent_of(first or line) - opened.indent <= _indent_of(line) - opened.indent
    return deeper and (not opened.rest or block_mark(opened.rest))


def _ends(opened: KeyedLine, body: list[str], line: str) -> bool:
    """True if the open field is over although no key follows."""
    kind = opened.field.kind
    begun = bool(opened.rest) or any(text.strip() for text in body)
    if not line.strip() or not begun:
        return False
    indented = _indent_of(line) > opened.indent
    blank = bool(body) and not body[-1].strip()
    if kind in _ONE_VALUE or (_OTHER_KEY.match(line) and not indented):
        return True
    if kind in {"prose", "line"}:
        return is_rule(line) or (blank and not indented and is_meta(line)) or bool(_HEADING.match(line))
    return is_rule(line) or (not indented and not _ITEM.match(line) and (blank or is_meta(line)))


def value_of(field: ReplyField, text: str) -> Any:
    """What a field's lines hold: the text, or for lists and objects what they are as YAML, else each item."""
    first, _, others = text.partition("\n")
    if field.kind in {"prose", "line"}:
        return scalar(first, others.split("\n") if others else [])
    text = (others if block_mark(first) else text).strip("\n").rstrip()
    if field.kind in _ONE_VALUE:
        return text
    if (known := yaml_value(text)) is not None:
        return known
    return [_mapping_of(chunk) or chunk for chunk in _chunks(text)] if LIST_MARK.match(text) else text


def _chunks(text: str) -> list[str]:
    """The items of a list, each with the lines below it: one begins at a list mark with the least indent."""
    marks = [LIST_MARK.match(line) for line in text.split("\n")]
    least = min((len(mark[1]) for mark in marks if mark), default=-1)
    made: list[str] = []
    for line, mark in zip(text.split("\n"), marks, strict=True):
        if made and not (mark and len(mark[1]) == least):
            made[-1] = f"{made[-1]}\n{line}"
        else:
            made.append(line)
    return made


def _mapping_of(chunk: str) -> dict[str, Any] | None:
    """The mapping that an item of a list is, as JSON or YAML."""
    bare = LIST_MARK.sub(lambda mark: " " * len(mark[0]), chunk, count=1)
    value = next(iter(mappings(bare)[1]), None) if "{" in bare else yaml_value(bare)
    return value if isinstance(value, dict) else None


def _indent_of(line: str) -> int:
    return len(line) - len(line.lstrip())
