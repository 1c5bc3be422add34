"""YAML of saves and packs. The writer is our own, because libraries lose rare characters in block text. The reader
yields plain values within limits.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from io import StringIO
from typing import Any, TypeAlias

from theact_tui.errors import SaveError
from theact_tui.text import clean
from theact_tui.yaml_slips import slip_in

Where: TypeAlias = "tuple[str | int, ...]"
"""Keys and positions from the top of the file to a value."""
Data: TypeAlias = "bool | int | float | str | list[Data] | dict[str, Data] | None"

MAX_BYTES = 4_000_000
_MAX_DEPTH = 40
_MAX_VALUES = 200_000

_WORD = re.compile(r"[a-z_][a-z0-9_-]*")
_SPECIAL = frozenset("null true false yes no on off y n".split())
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_ESCAPED = re.compile('["\\\\\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]')
_BLANK_LINE = re.compile(r"^[ \t]+$", re.MULTILINE)
_SURROGATE = re.compile("[\ud800-\udfff]")
_INT = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,30})")
_FLOAT = re.compile(r"[-+]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]{1,3})?")
_TEXT_TAGS = ("!", "tag:yaml.org,2002:str")
_LONG = 72
"""Characters from which a text without line breaks is written as a block too."""


def dump(data: Data, *, check: bool = True) -> bytes:
    """Raises ValueError if `data` would not read back the same, SaveError if it is too large. Without `check`, for
    data that is read back later anyway, it takes half the time. Lone surrogates become U+FFFD.
    """
    text = _SURROGATE.sub("\ufffd", "".join(_block(data, 0)))
    result = text.encode()
    if not check:
        _check_size(result, "a file")
        return result
    if not text.isascii():
        data = _without_surrogates(data)
    if load(result) != data:
        raise ValueError("this data cannot be written as YAML")
    return result


def load(raw: bytes, name: str = "a file") -> Data:
    """Raises SaveError, naming `name`, for anything but bounded YAML."""
    _check_size(raw, name)
    try:
        return document_of(events(raw.decode("utf-8-sig")))
    except (ValueError, _yaml_error()) as error:
        reason = _reason(raw.decode(errors="replace"), error)
        raise SaveError(f"{name} cannot be read as YAML: {reason}.") from error


def _check_size(raw: bytes, name: str) -> None:
    if len(raw) > MAX_BYTES:
        raise SaveError(f"{name} is larger than {MAX_BYTES // 1_000_000} MB, the limit for a file of a save.")


def edited(text: str, change: Callable[[Any], Any]) -> str:
    """Return YAML with its value changed by `change`; comments stay."""
    from ruamel.yaml import YAML
    from ruamel.yaml.comments import CommentedSeq

    editor, out = YAML(), StringIO()
    editor.width = 110
    editor.preserve_quotes = True
    value = change(editor.load(text))
    if isinstance(value, CommentedSeq) and value.ca.comment:
        value.fa.set_block_style()  # ruamel cannot write a remark above a list in brackets
    editor.dump(value, out)
    return out.getvalue()


# --- writing ----------------------------------------------------------------------------------------------------


def _block(data: Data, depth: int) -> Iterator[str]:
    pad = "  " * depth
    match data:
        case dict() if data:
            for key, value in data.items():
                if isinstance(value, dict | list) and value:
                    yield f"{pad}{_key(key)}:\n"
                    yield from _block(value, depth + 1)
                else:
                    yield f"{pad}{_key(key)}: {_scalar(value, depth + 1)}\n"
        case list() if data:
            for value in data:
                if isinstance(value, dict | list) and value:
                    inner = "".join(_block(value, depth + 1))
                    yield f"{pad}- {inner[len(pad) + 2 :]}"
                else:
                    yield f"{pad}- {_scalar(value, depth + 1)}\n"
        case _:
            yield f"{pad}{_scalar(data, depth + 1)}\n"


def _key(key: str) -> str:
    if len(key) > 500:
        raise ValueError("a key is too long for YAML")
    return key if _WORD.fullmatch(key) and key not in _SPECIAL else _quoted(key)


def _scalar(value: Data, depth: int) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return repr(value)
        case dict():
            return "{}"
        case list():
            return "[]"
    if _WORD.fullmatch(value) and value not in _SPECIAL:
        return value
    return _literal(value, depth) if _is_literal(value) else _quoted(value)


def _is_literal(text: str) -> bool:
    """True if block text provably survives every YAML reader."""
    if "\n" not in text and len(text) < _LONG:
        return False
    if text[0] in " \t\n" or text.endswith("\n\n") or "\t" in text:
        return False
    return not _UNSAFE.search(text) and not _BLANK_LINE.search(text)


def _literal(text: str, depth: int) -> str:
    pad = "  " * depth
    lines = (pad + line if line else "" for line in text.removesuffix("\n").split("\n"))
    return ("|\n" if text.endswith("\n") else "|-\n") + "\n".join(lines)


def _quoted(text: str) -> str:
    return '"' + _ESCAPED.sub(_escape, text) + '"'


def _escape(match: re.Match[str]) -> str:
    char = match[0]
    short = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"}
    return short.get(char) or f"\\u{ord(char):04x}"


def _without_surrogates(data: Data) -> Data:
    match data:
        case str():
            return _SURROGATE.sub("\ufffd", data)
        case list():
            return [_without_surrogates(value) for value in data]
        case dict():
            return {_SURROGATE.sub("\ufffd", key): _without_surrogates(value) for key, value in data.items()}
    return data


# --- reading ----------------------------------------------------------------------------------------------------


class Unusable(ValueError):
    """YAML, but no plain document; `message` continues after the name of the file."""

    def __init__(self, message: str, line: int | None = None, field: str = "") -> None:
        super().__init__(message)
        self.message, self.line, self.field = message, line, field


@cache
def _yaml_error() -> type[Exception]:
    from ruamel.yaml.error import YAMLError

    error: type[Exception] = YAMLError
    return error


def events(text: str) -> Iterator[Any]:
    try:
        from ruamel.yaml import cyaml
    except ImportError:
        return pure_events(text)
    return _c_events(cyaml.CSafeLoader(text))


def _c_events(parser: Any) -> Iterator[Any]:
    while parser.check_event():
        yield parser.get_event()


def pure_events(text: str) -> Iterator[Any]:
    from ruamel.yaml import YAML

    parsed: Iterator[Any] = YAML(typ="safe", pure=True).parse(text)
    return parsed


class Reader:
    """Reads one document from parser events, within limits; fills `lines` with the line of each key and item."""

    def __init__(
        self,
        parsed: Iterator[Any],
        *,
        scalar: Callable[[Any], Data],
        key: Callable[[Any], str],
        depth: int,
        values: int,
        aliases: int = 0,
        lines: dict[Where, int] | None = None,
    ) -> None:
        self._events = parsed
        self._scalar, self._key, self._lines = scalar, key, lines
        self._depth, self._max_values, self._max_aliases = depth, values, aliases
        self._anchors: dict[str, tuple[Data, int] | None] = {}
        """Value and size by anchor; None while the value is being read."""
        self._values = self._aliases = 0

    def document(self) -> tuple[bool, Data]:
        """Return True and the document, or False if there is none. Raises Unusable."""
        next(self._events)
        if _kind(next(self._events)) != "DocumentStartEvent":
            return False, None
        value = self._node(next(self._events), (), 0)
        next(self._events)
        if _kind(more := next(self._events)) == "DocumentStartEvent":
            raise _unusable(more, "contains more than one document; remove everything after '---'")
        return True, value

    def _node(self, event: Any, where: Where, depth: int) -> Data:
        if self._lines is not None:
            self._lines.setdefault(where, event.start_mark.line + 1)
        kind, anchor = _kind(event), event.anchor
        if kind == "AliasEvent":
            return self._alias(event)
        self._count(event, 1)
        if event.tag and (kind != "ScalarEvent" or event.tag not in _TEXT_TAGS):
            raise _unusable(event, f"uses the YAML tag '{clean(event.tag)[:40]}'; only plain values are read")
        if depth > self._depth:
            raise _unusable(event, f"is nested deeper than {self._depth} levels")
        if anchor and not self._max_aliases:
            raise _unusable(event, "uses an anchor, which is not allowed here")
        before = self._values
        if anchor:
            self._anchors[anchor] = None
        value: Data
        match kind:
            case "MappingStartEvent":
                value = self._mapping(where, depth + 1)
            case "SequenceStartEvent":
                value = self._sequence(where, depth + 1)
            case _:
                value = self._scalar(event)
        if anchor:
            self._anchors[anchor] = (value, self._values - before + 1)
        return value

    def _mapping(self, where: Where, depth: int) -> dict[str, Data]:
        mapping: dict[str, Data] = {}
        while _kind(event := next(self._events)) != "MappingEndEvent":
            if _kind(event) != "ScalarEvent" or event.anchor:
                raise _unusable(event, "has a field name that is not text")
            self._count(event, 1)
            key = self._key(event)
            if key in mapping:
                raise _unusable(event, f"has the field '{clean(key)[:40]}' twice", key)
            inner = where
            if self._lines is not None:
                inner = (*where, key)
                self._lines[inner] = event.start_mark.line + 1
            mapping[key] = self._node(next(self._events), inner, depth)
        return mapping

    def _sequence(self, where: Where, depth: int) -> list[Data]:
        items: list[Data] = []
        while _kind(event := next(self._events)) != "SequenceEndEvent":
            items.append(self._node(event, (*where, len(items)) if self._lines is not None else where, depth))
        return items

    def _alias(self, event: Any) -> Data:
        self._aliases += 1
        if self._aliases > self._max_aliases:
            raise _unusable(event, f"has more than {self._max_aliases} aliases")
        if event.anchor not in self._anchors:
            raise _unusable(event, f"uses the alias '{event.anchor[:40]}', which is not defined before")
        anchored = self._anchors[event.anchor]
        if anchored is None:
            raise _unusable(event, f"uses the alias '{event.anchor[:40]}' inside itself")
        value, size = anchored
        self._count(event, size)
        return value

    def _count(self, event: Any, size: int) -> None:
        self._values += size
        if self._values > self._max_values:
            raise _unusable(event, f"contains more than {self._max_values:,} values")


def line_of(raw: bytes, where: Iterable[str | int]) -> int:
    """Return the line, from 1, of the value at `where`, or of the nearest part that exists."""
    lines: dict[Where, int] = {}
    document_of(events(raw.decode("utf-8-sig")), lines)
    path: Where = ()
    for part in where:
        path = (*path, part) if (*path, part) in lines else path
    return lines.get(path, 1) if path else 1


def document_of(parsed: Iterator[Any], lines: dict[Where, int] | None = None) -> Data:
    """Return the document of a save; None if it is empty."""
    reader = Reader(parsed, scalar=_typed, key=_name, depth=_MAX_DEPTH, values=_MAX_VALUES, lines=lines)
    return reader.document()[1]


def _kind(event: Any) -> str:
    return type(event).__name__


def _unusable(event: Any, message: str, field: str = "") -> Unusable:
    return Unusable(message, event.start_mark.line + 1, field)


def _typed(event: Any) -> Data:
    return _plain(event.value) if event.implicit[0] else str(event.value)


def _name(event: Any) -> str:
    key = _typed(event)
    return key if isinstance(key, str) else "null" if key is None else str(key).lower()


def _plain(text: str) -> Data:
    """Return the value of an unquoted scalar: YAML 1.2, but numbers with a leading zero stay text."""
    match text:
        case "" | "null" | "~" | "Null" | "NULL":
            return None
        case "true" | "True" | "TRUE":
            return True
        case "false" | "False" | "FALSE":
            return False
    if _INT.fullmatch(text):
        return int(text)
    if _FLOAT.fullmatch(text):
        return float(text)
    return text


def _reason(text: str, error: Exception) -> str:
    if isinstance(error, Unusable):
        return f"line {error.line}, it {error.message}"
    if slip := slip_in(text, error):
        return f"line {slip.line}, {slip.message}"
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or str(error).splitlines()[0]
    return f"line {mark.line + 1}, {problem}" if mark else problem
