"""From parsed documents to fields: outer keys, lists of answers, aliases, and answers written as a text in a text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from theact_tui.models.reading.nested import find_part
from theact_tui.models.reading.shapes import Field, Shape, key_of

_OWN = frozenset("value answer text result status".split())
_NAMED = frozenset("key name field value content text".split())
_SCHEMA_WORDS = frozenset(
    "type description items enum properties required minimum maximum default title format".split()
)


Texts = Callable[[str], dict[str, Any]]
"""Reads an answer that stands in a text within a document."""


def values_of(value: Any, shape: Shape, within: Texts | None = None) -> Iterator[dict[str, Any]]:
    """The answers in a parsed document: itself, what an outer key or list holds, or a text in it."""
    if isinstance(value, list):
        for part in value:
            yield from values_of(part, shape, within)
        return
    if not isinstance(value, dict):
        return
    values = _fields_of(value, shape)
    for key, part in value.items():
        if _field(str(key), shape) is not None or _is_schema(part):
            continue
        if isinstance(part, dict | list):
            for inner in values_of(part, shape, within):
                if set(inner) & set(values):
                    break
                values.update(inner)
        elif isinstance(part, str) and within is not None and not values and (":" in part or "=" in part):
            values.update(within(part))
    _add_weak(values, value, shape)
    if values:
        yield values


def _fields_of(value: dict[Any, Any], shape: Shape) -> dict[str, Any]:
    """Known keys of a mapping; a field's own name wins over an alias of it."""
    values: dict[str, Any] = {}
    aliases: dict[str, Any] = {}
    for key, part in _told_by_name(value, shape).items():
        field = _field(str(key), shape)
        if field is None or _is_schema(part):
            continue
        exact = key_of(str(key)) == field.name
        nests = not exact and isinstance(part, dict) and bool(set(part) & {one.name for one in shape.fields})
        if not exact and _holds_answers(part, shape):
            for inner in values_of(part, shape):
                aliases.update({name: text for name, text in inner.items() if name not in aliases})
            continue
        if isinstance(part, dict) and (nests or field.kind in {"prose", "line", "flag", "number", "choice"}):
            inner = _fields_of(part, shape)
            aliases.update({name: text for name, text in inner.items() if name not in aliases})
            if inner:
                own = next((text for name, text in part.items() if key_of(str(name)) in _OWN), None)
                if own is None:
                    continue
                part = own
        (values if exact else aliases).setdefault(field.name, part)
    made = {**aliases, **values}
    _gather_parts(made, value, shape)
    return made


def _holds_answers(part: Any, shape: Shape) -> bool:
    """True for a list of objects with fields of a reply."""
    names = {one.name for one in shape.fields}
    return isinstance(part, list) and any(
        isinstance(one, dict) and set(map(str, one)) & names for one in part
    )


def _told_by_name(value: dict[Any, Any], shape: Shape) -> dict[Any, Any]:
    """`{"key": "mood", "value": "calm"}` as `{"mood": "calm"}`."""
    if len(value) == 2:
        (_, name), (_, told) = value.items()
        if (
            isinstance(name, str)
            and {key_of(str(key)) for key in value} <= _NAMED
            and shape.field(name) is not None
        ):
            return {name: told}
    return value


def _gather_parts(made: dict[str, Any], value: dict[Any, Any], shape: Shape) -> None:
    """Puts right what a missing or a lost brace has moved: fields within an object, parts of an object outside of it."""
    for field in shape.fields:
        if field.kind != "object":
            continue
        inner = made.get(field.name)
        if isinstance(inner, dict):
            for other in shape.fields:
                if other.name in inner and other.name not in {part.name for part in field.parts}:
                    made.setdefault(other.name, inner[other.name])
        elif inner is None or not isinstance(inner, dict | list):
            parts = {part.name: value[part.name] for part in field.parts if part.name in value}
            if parts:
                made[field.name] = parts


def _field(key: str, shape: Shape) -> Field | None:
    return shape.field(key) or (find_part(key, shape.fields) if len(key) > 5 else None)


def _add_weak(values: dict[str, Any], value: dict[Any, Any], shape: Shape) -> None:
    for key, part in value.items():
        field = shape.weak.get(key_of(str(key)))
        if field is not None and field.name not in values and not isinstance(part, dict | list):
            values[field.name] = part


def _is_schema(part: Any) -> bool:
    """True for the description of a value, as in a JSON schema."""
    return isinstance(part, dict) and "type" in part and set(map(str, part)) <= _SCHEMA_WORDS
