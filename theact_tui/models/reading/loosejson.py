"""JSON as small models write it: bare keys, missing commas and braces, comments, inner quotes, cut anywhere.

Here it is found in a text; `loosevalues` reads it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from theact_tui.models.reading.loosevalues import Reader, known_key

_SPACE = re.compile(r"\s*")


@dataclass(frozen=True, slots=True)
class Found:
    """A mapping found in a text, and where."""

    start: int
    end: int
    value: dict[str, Any]


def mappings(text: str, keys: frozenset[str]) -> Iterator[Found]:
    """The outermost mappings of `text` one after another; `keys` are those a reply may have."""
    first = _SPACE.match(text)
    start = first.end() if first else 0
    if (
        start < len(text)
        and text[start] != "{"
        and _lacks_brace(text)
        and known_key(text, start, keys, quoted=True)
    ):
        reader = Reader(text, start, keys)
        body = reader.mapping_body(0)
        yield Found(start, reader.position, body)
        return
    position, tries = text.find("{"), 0
    while position >= 0 and tries < 12:
        reader = Reader(text, position, keys)
        value = reader.value(0)
        if isinstance(value, dict) and value:
            yield Found(position, reader.position, value)
            position = text.find("{", reader.position)
        else:
            position = text.find("{", position + 1)
        tries += 1


def _lacks_brace(text: str) -> bool:
    """True if `text` looks like a mapping whose first brace is missing: it ends with one, or has commas between keys."""
    return text.rstrip().endswith("}") or re.search(r"[\"\]\d],\s*\"[\w ]+\"\s*:", text) is not None


def sequence(text: str, keys: frozenset[str] = frozenset()) -> list[Any] | None:
    """The list that `text` begins with, or None if it does not begin with a bracket."""
    bare = text.lstrip()
    if not bare.startswith(("[", "(")):
        return None
    value = Reader(bare, 0, keys).value(0)
    return value if isinstance(value, list) else None


def mapping(text: str, keys: frozenset[str] = frozenset()) -> dict[str, Any] | None:
    """The mapping that `text` begins with, or None if it does not begin with a brace."""
    bare = text.lstrip()
    if not bare.startswith("{"):
        return None
    value = Reader(bare, 0, keys).value(0)
    return value if isinstance(value, dict) else None
