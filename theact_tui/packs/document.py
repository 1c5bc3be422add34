"""Reading one YAML file of a pack: safe, bounded, and with the line of every value (S2, S13).

Scalars stay text, because the schema knows what they are to be: `01` is an id and `off` a word, never a number and a
boolean. Only an empty plain value and `null` mean that nothing is there.
"""

from __future__ import annotations

import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from theact_tui.packs.findings import BrokenPack, Finding, quoted
from theact_tui.text import clean

MAX_BYTES = 2_000_000
MAX_DEPTH = 20
MAX_ALIASES = 100
MAX_VALUES = 50_000
"""Values in one file, with those that aliases repeat."""

Node: TypeAlias = "str | list[Node] | dict[str, Node] | None"
Where = tuple[str | int, ...]
"""The way to a value: keys and positions from the top of the file."""


@dataclass(frozen=True, slots=True)
class Document:
    """One file of a pack, read."""

    file: str
    value: Node
    lines: dict[Where, int]

    def line(self, where: Where) -> int | None:
        """The line of a value, or of the nearest thing around it that has one; counted from 1."""
        while where and where not in self.lines:
            where = where[:-1]
        return self.lines.get(where)


def read_text(folder: Path, file: str, limit: int = MAX_BYTES) -> str:
    """The text of `file` inside the pack `folder`. BrokenPack if it is missing, elsewhere, too large or not UTF-8."""
    path = folder / file
    try:
        target = path.resolve(strict=True)
        if not target.is_relative_to(folder.resolve()):
            raise broken(file, None, "leads out of the pack; a pack may only use its own files")
        if not stat.S_ISREG(target.stat().st_mode):
            raise broken(file, None, "is not a file")
        with target.open("rb") as stream:
            data = stream.read(limit + 1)
    except FileNotFoundError:
        raise broken(file, None, "is missing") from None
    except (OSError, RuntimeError, ValueError) as error:
        raise broken(file, None, f"cannot be read: {getattr(error, 'strerror', None) or error}") from error
    if len(data) > limit:
        raise broken(file, None, f"is larger than {limit // 1000} KB, which is more than a pack file may be")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise broken(file, line, "is not UTF-8 text; save it again with the encoding UTF-8") from error


def read_document(folder: Path, file: str) -> Document:
    """`file` of the pack `folder` as plain values. BrokenPack if it is no YAML, or YAML a pack may not hold."""
    text = read_text(folder, file)
    try:
        return _Builder(file, YAML(typ="safe").parse(text)).document()
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = min(mark.line, text.count("\n")) + 1 if mark else None
        problem = " ".join(filter(None, (error.problem, error.context)))
        raise broken(file, line, f"is not valid YAML: {problem}") from error
    except YAMLError as error:
        raise broken(file, _line_of_bad_character(text), "holds a character YAML does not allow") from error


def broken(file: str, line: int | None, message: str, field: str = "") -> BrokenPack:
    """The error that says `message` about a place in a pack."""
    return BrokenPack(Finding("error", file, line, field, message))


def _line_of_bad_character(text: str) -> int | None:
    for number, line in enumerate(text.split("\n"), 1):
        if any(not (char.isprintable() or char in "\t\r") for char in line):
            return number
    return None


class _Builder:
    """Builds plain values from parser events, which nest no deeper than they are read."""

    def __init__(self, file: str, events: Iterator[Any]) -> None:
        self.file = file
        self.events = events
        self.lines: dict[Where, int] = {}
        self.anchors: dict[str, tuple[Node, int] | None] = {}
        """Value and size by anchor; None while the value is being read."""
        self.values = 0
        self.aliases = 0

    def document(self) -> Document:
        next(self.events)
        start = next(self.events)
        if not isinstance(start, DocumentStartEvent):
            raise self._error(None, "is empty")
        value = self._node(next(self.events), ())
        next(self.events)
        if isinstance(more := next(self.events), DocumentStartEvent):
            raise self._error(more, "holds more than one document; remove what follows '---'")
        return Document(self.file, value, self.lines)

    def _node(self, event: Any, where: Where) -> Node:
        line = event.start_mark.line + 1
        self.lines.setdefault(where, line)
        if isinstance(event, AliasEvent):
            return self._alias(event)
        self._count(event, 1)
        if getattr(event, "tag", None):
            raise self._error(event, f"uses the YAML tag {quoted(event.tag)}; packs hold plain values only")
        if len(where) > MAX_DEPTH:
            raise self._error(event, f"is nested deeper than {MAX_DEPTH} levels")
        before = self.values
        if event.anchor:
            self.anchors[event.anchor] = None
        match event:
            case MappingStartEvent():
                value: Node = self._mapping(where)
            case SequenceStartEvent():
                value = self._sequence(where)
            case _:
                value = _scalar(event)
        if event.anchor:
            self.anchors[event.anchor] = (value, self.values - before + 1)
        return value

    def _mapping(self, where: Where) -> dict[str, Node]:
        mapping: dict[str, Node] = {}
        while not isinstance(event := next(self.events), MappingEndEvent):
            if not isinstance(event, ScalarEvent):
                raise self._error(event, "has a field whose name is not a word")
            self._count(event, 1)
            key = clean(event.value)
            if key in mapping:
                raise self._error(event, f"says {quoted(key)} twice", key)
            self.lines[(*where, key)] = event.start_mark.line + 1
            mapping[key] = self._node(next(self.events), (*where, key))
        return mapping

    def _sequence(self, where: Where) -> list[Node]:
        items: list[Node] = []
        while not isinstance(event := next(self.events), SequenceEndEvent):
            items.append(self._node(event, (*where, len(items))))
        return items

    def _alias(self, event: Any) -> Node:
        self.aliases += 1
        if self.aliases > MAX_ALIASES:
            raise self._error(event, f"has more than {MAX_ALIASES} aliases")
        if event.anchor not in self.anchors:
            raise self._error(event, f"uses the alias {quoted(event.anchor)}, which is not defined before")
        known = self.anchors[event.anchor]
        if known is None:
            raise self._error(event, f"uses the alias {quoted(event.anchor)} inside itself")
        value, size = known
        self._count(event, size)
        return value

    def _count(self, event: Any, size: int) -> None:
        self.values += size
        if self.values > MAX_VALUES:
            raise self._error(event, f"holds more than {MAX_VALUES:,} values")

    def _error(self, event: Any, message: str, field: str = "") -> BrokenPack:
        line = event.start_mark.line + 1 if event is not None else None
        return broken(self.file, line, message, field)


def _scalar(event: Any) -> str | None:
    text = event.value.strip()
    if not text.replace("\n", "").isprintable():
        text = clean(text).strip()
    return None if not event.style and text in _NOTHING else text


_NOTHING = frozenset({"", "~", "null", "Null", "NULL"})
