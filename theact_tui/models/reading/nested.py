"""The nested objects of direct mode's memory blocks (D8): every key is there, empty where nothing was said."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from rapidfuzz import fuzz

from theact_tui.models.reading.items import bare_item, items_of, text_of
from theact_tui.models.reading.lines import records
from theact_tui.models.reading.literals import Cut
from theact_tui.models.reading.scalars import unwrapped
from theact_tui.models.reading.shapes import Field, Shape, key_of
from theact_tui.models.reading.values import is_nothing, is_placeholder

_BETWEEN = re.compile(r"\s*(?:,|;|/|&|<->|->|\band\b|\bund\b|\by\b|\bet\b|\n)\s*")
_SHORT_LIST = re.compile(r"\s*[,;]\s*")


def object_of(value: Any, parts: tuple[Field, ...]) -> dict[str, Any]:
    """The object `value` describes; of a list, the first object, of a text its lines by key."""
    match value:
        case dict():
            return _filled(_by_part(value, parts), parts)
        case list() if value and all(isinstance(part, dict) for part in value):
            merged = {key: text for part in value for key, text in part.items()}
            return object_of(merged, parts)
        case str():
            return _of_lines(value, parts)
        case _:
            return _filled({}, parts)


def objects_of(value: Any, parts: tuple[Field, ...]) -> list[dict[str, Any]]:
    """The objects in `value`; a bare text becomes the first key of an object. Empty ones are left out."""
    match value:
        case dict() if _by_part(value, parts):
            made = [object_of(value, parts)]
        case dict():
            made = [_named(str(key), part, parts) for key, part in value.items()]
        case list():
            made = [
                object_of(part, parts) if isinstance(part, dict) else _of_lines(text_of(part), parts)
                for part in value
            ]
        case str():
            made = [_of_lines(item, parts) for item in _chunks(value)]
        case _:
            made = []
    return [one for one in made if has_text(one)]


def filled(fields: dict[str, Any], shape: Shape) -> dict[str, Any]:
    """`fields` with every field of `shape`, empty where nothing was said."""
    empty = {part.name: object_of({}, part.parts) if part.kind == "object" else [] for part in shape.fields}
    return {**empty, **fields}


def has_text(value: Any) -> bool:
    """True if there is anything but emptiness in `value`."""
    match value:
        case dict():
            return any(map(has_text, value.values()))
        case list() | tuple():
            return any(map(has_text, value))
        case str():
            return bool(value.strip())
        case _:
            return value is not None


def part_value(part: Field, value: Any) -> Any:
    """One key's value by its kind: a text, a list of texts, a whole number."""
    if part.kind == "texts":
        return _texts(part, value)
    if part.kind == "whole":
        digits = re.search(r"\d{1,3}", text_of(value))
        return int(digits[0]) if digits else None
    text = "" if isinstance(value, Cut) else text_of(value)
    return "" if is_placeholder(text) or is_nothing(text) else text


def _texts(part: Field, value: Any) -> list[str]:
    if isinstance(value, list):
        value = [_inner(part, one) for one in value if not isinstance(one, Cut)]
    texts = [text for item in items_of(value) if (text := bare_item(item))]
    if len(texts) == 1 and isinstance(value, str):
        pieces = (_BETWEEN if part.name in {"between", "participants"} else _SHORT_LIST).split(texts[0])
        pieces = [unwrapped(piece) for piece in pieces]
        if len(pieces) > 1 and all(0 < len(piece.split()) <= 3 for piece in pieces):
            texts = pieces
    return [text for text in texts if not is_placeholder(text) and not is_nothing(text)]


def _inner(part: Field, value: Any) -> Any:
    """`{"theme": "debt"}` in a list of themes is "debt"."""
    if isinstance(value, dict) and len(value) == 1:
        ((key, text),) = value.items()
        return text if key_of(str(key)).rstrip("s") in part.name else value
    return value


def _by_part(value: dict[Any, Any], parts: tuple[Field, ...]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for key, inner in value.items():
        part = find_part(str(key), parts)
        if part is not None:
            made.setdefault(part.name, inner)
    return made


def find_part(key: str, parts: tuple[Field, ...]) -> Field | None:
    """The part a key means: by name, without plural, or nearly so spelled."""
    name = key_of(key)
    for part in parts:
        if name in part.names or name.rstrip("s") == part.name.rstrip("s"):
            return part
    near = [(fuzz.ratio(name, part.name), part) for part in parts]
    best = max(near, key=lambda pair: pair[0], default=(0.0, None))
    return best[1] if best[0] >= 82 and len(name) > 4 else None


def _filled(values: dict[str, Any], parts: tuple[Field, ...]) -> dict[str, Any]:
    return {part.name: part_value(part, values.get(part.name)) for part in parts}


def _named(name: str, value: Any, parts: tuple[Field, ...]) -> dict[str, Any]:
    made = object_of(value, parts) if isinstance(value, dict) else _filled({}, parts)
    first, second = _head(parts)
    if isinstance(value, str):
        made[second.name] = value.strip()
    if not made[first.name]:
        made[first.name] = part_value(first, name)
    return made


def _head(parts: tuple[Field, ...]) -> tuple[Field, Field]:
    """The part that says whom or what an object is about, and the one that says what of it."""
    about = next((at for at, part in enumerate(parts) if part.name in {"name", "between"}), 0)
    return parts[about], parts[about + 1]


@lru_cache(maxsize=32)
def _shape(parts: tuple[Field, ...]) -> Shape:
    return Shape(parts, ())


def _of_lines(text: str, parts: tuple[Field, ...]) -> dict[str, Any]:
    shape = _shape(parts)
    spread = re.sub(rf"\s*[;,|]\s*(?=(?:{'|'.join(part.name for part in parts)})\s*:)", "\n", text)
    lines = "\n".join(re.sub(r"^\s*(?:[-*+•]|\d+[.)])\s+", "", line) for line in spread.split("\n"))
    found = records(lines, shape)[0].values
    if not found:
        return _of_sentence(bare_item(" ".join(text.split())), parts)
    return _filled(found, parts)


def _of_sentence(text: str, parts: tuple[Field, ...]) -> dict[str, Any]:
    """A bare text is what happened; "Mina: ran" also says who."""
    if is_nothing(text) or is_placeholder(text) or not re.search(r"\w", text):
        return _filled({}, parts)
    first, second = _head(parts)
    who, mark, what = text.partition(": ")
    if first.name in {"name", "between"}:
        return _filled({first.name: who, second.name: what} if mark else {second.name: text}, parts)
    return _filled({first.name: text}, parts)


def _chunks(text: str) -> list[str]:
    """The items of a list of objects: each begins at a list mark with the least indent."""
    if is_nothing(text):
        return []
    lines = [line for line in text.split("\n") if line.strip()]
    marks = [re.match(r"([ \t]*)(?:[-*+•]|\d{1,2}[.)])[ \t]+", line) for line in lines]
    least = min((len(mark[1]) for mark in marks if mark), default=None)
    if least is None:
        return [text]
    chunks: list[list[str]] = []
    for line, mark in zip(lines, marks, strict=True):
        if (mark and len(mark[1]) == least) or not chunks:
            chunks.append([line])
        else:
            chunks[-1].append(line)
    return ["\n".join(chunk) for chunk in chunks]
