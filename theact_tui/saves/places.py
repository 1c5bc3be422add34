"""Where in a YAML file a value stands, for the sentence that says what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from theact_tui.saves.yaml import events


def line_of(raw: bytes, where: Iterable[str | int]) -> int:
    """The line, from 1, of a value in a document that was read before: the keys and places that lead to it. Parts
    that are not there, such as a missing field or the name of a kind, are passed over."""
    parsed = iter(list(events(raw.decode("utf-8-sig"))))
    path, line = list(where), 1
    event = _value(parsed)
    while event is not None:
        match type(event).__name__:
            case "MappingStartEvent":
                key, event = _entry(parsed, path)
                line = key.start_mark.line + 1 if key else line
            case "SequenceStartEvent":
                event = _item(parsed, path)
                line = event.start_mark.line + 1 if event else line
            case _:
                event = None
    return line


def _value(parsed: Iterator[Any]) -> Any:
    """The next event that begins a value; None at the end of what it is in."""
    for event in parsed:
        kind = type(event).__name__
        if kind in ("ScalarEvent", "MappingStartEvent", "SequenceStartEvent"):
            return event
        if kind in ("MappingEndEvent", "SequenceEndEvent"):
            return None
    return None


def _entry(parsed: Iterator[Any], path: list[str | int]) -> tuple[Any, Any]:
    """The first of the path's keys that a mapping has, and its value."""
    while (key := _value(parsed)) is not None:
        value = _value(parsed)
        if getattr(key, "value", None) in path:
            del path[: path.index(key.value) + 1]
            return key, value
        _skip(parsed, value)
    return None, None


def _item(parsed: Iterator[Any], path: list[str | int]) -> Any:
    """The item of a list that the path names next."""
    wanted = next((part for part in path if isinstance(part, int)), None)
    number = 0
    while wanted is not None and (value := _value(parsed)) is not None:
        if number == wanted:
            del path[: path.index(wanted) + 1]
            return value
        _skip(parsed, value)
        number += 1
    return None


def _skip(parsed: Iterator[Any], value: Any) -> None:
    """Go past the end of a value that has begun."""
    depth, event = 0, value
    while event is not None:
        kind = type(event).__name__
        depth += kind.endswith("StartEvent") - kind.endswith("EndEvent")
        if depth <= 0:
            return
        event = next(parsed, None)
