"""YAML as saves are written in it: a person can read and edit it, and every text comes back unchanged (S9, S13).

The writer is our own, because libraries lose rare characters in block text. The reader builds plain values from
parser events: bounded in size and depth, without aliases, and never a date or another surprise.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, TypeAlias

from theact_tui.errors import SaveError

Data: TypeAlias = "bool | int | float | str | list[Data] | dict[str, Data] | None"

MAX_BYTES = 4_000_000
MAX_DEPTH = 40
MAX_VALUES = 200_000

_WORD = re.compile(r"[a-z_][a-z0-9_-]*")
_SPECIAL = frozenset("null true false yes no on off y n".split())
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_ESCAPED = re.compile('["\\\\\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]')
_BLANK_LINE = re.compile(r"^[ \t]+$", re.MULTILINE)
_SURROGATE = re.compile("[\ud800-\udfff]")
_INT = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,30})")
_FLOAT = re.compile(r"[-+]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]{1,3})?")
_LONG = 72
"""From this length on, a text without line breaks is written as a block too: easier to read than with escapes."""


def dump(data: Data) -> bytes:
    """`data` as YAML. ValueError if it would not read back the same; lone surrogates become U+FFFD."""
    text = _SURROGATE.sub("\ufffd", "".join(_block(data, 0)))
    result = text.encode()
    if not text.isascii():
        data = _without_surrogates(data)
    if load(result) != data:
        raise ValueError("this data cannot be written as YAML")
    return result


def load(raw: bytes, name: str = "a file") -> Data:
    """The one document in `raw`. SaveError, naming `name`, if it is not YAML or more than a save may hold."""
    if len(raw) > MAX_BYTES:
        raise SaveError(
            f"{name} is larger than {MAX_BYTES // 1_000_000} MB, more than a file of a save may be."
        )
    try:
        return build(events(raw.decode("utf-8-sig")))
    except (ValueError, _yaml_error()) as error:
        raise SaveError(f"{name} cannot be read as YAML: {_reason(error)}.") from error


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
    """True where block text provably survives every YAML reader."""
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


def _escape(found: re.Match[str]) -> str:
    char = found[0]
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


@cache
def _yaml_error() -> type[Exception]:
    from ruamel.yaml.error import YAMLError

    error: type[Exception] = YAMLError
    return error


def events(text: str) -> Iterator[Any]:
    """Parser events, from the C parser where it is installed."""
    try:
        from ruamel.yaml import cyaml
    except ImportError:
        return pure_events(text)
    return _c_events(cyaml.CSafeLoader(text))


def _c_events(parser: Any) -> Iterator[Any]:
    while parser.check_event():
        yield parser.get_event()


def pure_events(text: str) -> Iterator[Any]:
    """Parser events, from the parser in Python."""
    from ruamel.yaml import YAML

    found: Iterator[Any] = YAML(typ="safe", pure=True).parse(text)
    return found


def build(parsed: Iterator[Any]) -> Data:
    """The value of the one document; iterative, so nesting cannot exhaust the stack."""
    stack: list[tuple[list[Data], bool]] = [([], False)]
    count = documents = 0
    for event in parsed:
        kind = type(event).__name__
        if getattr(event, "anchor", None) is not None:
            raise ValueError("aliases are not allowed in a save")
        match kind:
            case "ScalarEvent":
                stack[-1][0].append(_plain(event.value) if event.implicit[0] else _text(event))
            case "MappingStartEvent" | "SequenceStartEvent":
                if event.tag is not None:
                    raise ValueError("tags are not allowed in a save")
                stack.append(([], kind == "MappingStartEvent"))
                if len(stack) > MAX_DEPTH:
                    raise ValueError("it is nested too deeply")
            case "MappingEndEvent" | "SequenceEndEvent":
                items, is_mapping = stack.pop()
                stack[-1][0].append(_mapping(items) if is_mapping else items)
            case "DocumentStartEvent":
                documents += 1
            case _:
                continue
        count += 1
        if count > MAX_VALUES or documents > 1:
            raise ValueError("it holds more values than a file of a save may")
    return stack[0][0][0] if stack[0][0] else None


def _mapping(items: list[Data]) -> dict[str, Data]:
    result: dict[str, Data] = {}
    for key, value in zip(items[::2], items[1::2], strict=True):
        name = key if isinstance(key, str) else "null" if key is None else str(key).lower()
        if isinstance(key, dict | list) or name in result:
            raise ValueError(f"'{name[:40]}' is not a usable key, or stands there twice")
        result[name] = value
    return result


def _text(event: Any) -> str:
    if event.tag not in (None, "!", "tag:yaml.org,2002:str"):
        raise ValueError("tags are not allowed in a save")
    return str(event.value)


def _plain(text: str) -> Data:
    """What an unquoted scalar means: YAML 1.2, but numbers with a leading zero stay text."""
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


def _reason(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    problem = getattr(error, "problem", None) or str(error).splitlines()[0]
    return f"line {mark.line + 1}, {problem}" if mark else problem
