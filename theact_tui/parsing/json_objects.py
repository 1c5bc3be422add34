"""Find JSON objects in a reply: strict, else repaired."""

import json
import re
from collections.abc import Iterator
from typing import Any

import json_repair

_MAX_BRACKETS = 256
"""Opening brackets of a reply that is repaired: the time grows with their square."""
_MAX_OBJECTS = 64
_NO_BRACES = re.compile(r"\s*\"\w+\"\s*:")
_BRACKET = re.compile(r"[\[{]")
_BROKEN_OBJECT = re.compile(r"\{(?=\s*[\"'“‘\w/}])|\[(?=\s*\{)")
_SPEECH = re.compile(r'(?<=[\w.!?…;] )"(?=[\w…])|(?<=[\w,.!?…])"(?= \w)|(?<=: ")"(?=[\w…])')
"""Quotation marks inside of a text: no value begins after a word or another mark, or ends before a word."""
_COMPLETE_END = re.compile(r"(?:[\"'”’`}\]),]|\b(?:true|false|null))\s*\Z", re.IGNORECASE)


def objects_in(text: str) -> Iterator[tuple[str, Any]]:
    """Yield objects, or lists of objects, with how each was read. An object in a JSON string counts as one."""
    text = in_string(text)
    if _NO_BRACES.match(text):
        text = f"{{{text}}}"
    strict, is_strict = _strict_objects(text)
    yield from (("json", value) for value in strict)
    if not is_strict:
        yield from (("repaired json", value) for value in _repaired_objects(text))


def in_string(text: str) -> str:
    """Return the object in a JSON string, else `text`."""
    if not re.match(r'\s*"\s*[\[{]', text):
        return text
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, str) else text


def _strict_objects(text: str) -> tuple[list[Any], bool]:
    """Return the objects of a text up to a broken one, and whether all were strict."""
    start, values = 0, list[Any]()
    for _ in range(_MAX_OBJECTS):
        bracket = _BRACKET.search(text, start)
        if bracket is None:
            return values, bool(values)
        try:
            value, start = _DECODER.raw_decode(text, bracket.start())
        except (ValueError, RecursionError):
            if _BROKEN_OBJECT.match(text, bracket.start()):
                return values, False
            start = bracket.end()
        else:
            values += [value] if holds_objects(value) else []
    return values, bool(values)


def _refuse_constant(name: str) -> Any:
    raise ValueError(name)


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)


def holds_objects(value: Any) -> bool:
    return isinstance(value, dict) or (
        isinstance(value, list) and any(isinstance(item, dict) for item in value)
    )


def _repaired_objects(text: str) -> Iterator[Any]:
    opening = _BROKEN_OBJECT.search(text)
    if opening is None or len(_BRACKET.findall(text)) > _MAX_BRACKETS:
        return
    text = _SPEECH.sub(r"\"", text[opening.start() :])
    is_cut = text.count("{") > text.count("}")
    if not is_cut:
        text = text[: max(text.rfind("}"), text.rfind("]")) + 1]
    try:
        value = json_repair.loads(text, skip_json_loads=True)
    except (ValueError, RecursionError):
        return
    if is_cut:
        value = _without_cut(value, is_last_whole=_COMPLETE_END.search(text) is not None)
    values = value if isinstance(value, list) else [value]
    yield from (
        [value] if isinstance(value, list) and text.startswith("[") else filter(holds_objects, values)
    )


def _without_cut(value: Any, *, is_last_whole: bool = False) -> Any:
    """Remove the last value that the end of the reply cut off, and everything left empty."""
    if isinstance(value, list) and value:
        last = _without_cut(value[-1], is_last_whole=is_last_whole)
        return [*value[:-1], *([] if last is None else [last])] or None
    if isinstance(value, dict) and value:
        *items, (name, last) = value.items()
        last = _without_cut(last, is_last_whole=is_last_whole)
        return {**dict(items), **({} if last is None else {name: last})} or None
    return value if is_last_whole and value not in ("", [], {}) else None
