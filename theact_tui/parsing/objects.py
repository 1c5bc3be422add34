"""Objects in the shapes that small models give them: with fields, as pairs of old and new, as names with a few words."""

import re
from collections.abc import Iterator
from typing import Any

from theact_tui.parsing.items import MAX_ITEMS, bare_item, items_of, text_of, texts_in
from theact_tui.parsing.lines import LIST_MARK, records
from theact_tui.parsing.repair import Cut, mappings, sequence
from theact_tui.parsing.shapes import MEMORY, ReplyField, ReplyShape, key_of
from theact_tui.parsing.values import is_nothing, is_placeholder


def object_of(value: Any, shape: ReplyShape) -> dict[str, Any]:
    """The object `value` describes; of a text its lines by key. A bare text is its first field, or that behind a name."""
    if not isinstance(value, dict):
        text, names = text_of(value), [part.name for part in shape.fields]
        value = records(LIST_MARK.sub("", text, count=1), shape)[0].values
        if not value and "name" in names:
            who, mark, what = bare_item(text).partition(": ")
            did = names[names.index("name") + 1]
            value = {"name": who, did: what} if mark else {did: who}
        value = value or {names[0]: bare_item(text)}
    values = _by_part(value, shape)
    return {part.name: part_value(part, values.get(part.name)) for part in shape.fields}


def objects_of(value: Any, shape: ReplyShape) -> list[dict[str, Any]]:
    """The objects in `value`; those whose first field, and every other, is empty are left out."""
    made = [object_of(part, shape) for part in _parts(value, shape)]
    return [one for one in made if has_text(one)]


def noted(value: Any, shape: ReplyShape) -> list[dict[str, Any]]:
    """The objects in `value` that have their first field, once each."""
    first = shape.fields[0].name
    made = {one[first]: one for one in objects_of(value, shape) if one[first]}
    return list(made.values())


def _parts(value: Any, shape: ReplyShape) -> list[Any]:
    """The objects, or texts in place of one, that a value lists."""
    if isinstance(value, str):
        value = mappings(value)[1] or (sequence(value) if value.startswith("[") else None) or items_of(value)
    if isinstance(value, dict):
        value = [value] if _by_part(value, shape) else items_of(value)
    if not isinstance(value, list | tuple):
        return []
    told = (each if isinstance(each, dict) and _by_part(each, shape) else texts_in([each]) for each in value)
    return [part for each in told for part in ([each] if isinstance(each, dict) else each)]


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


def part_value(part: ReplyField, value: Any) -> Any:
    """One key's value by its kind: a text, a list of texts, a whole number."""
    if part.kind == "texts":
        return texts_in(value)
    if part.kind == "whole":
        digits = re.search(r"\d{1,3}", text_of(value))
        return int(digits[0]) if digits else None
    text = "" if isinstance(value, Cut) else text_of(value)
    return "" if text not in part.choices and (is_placeholder(text) or is_nothing(text)) else text


def _by_part(value: dict[Any, Any], shape: ReplyShape) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for key, inner in value.items():
        part = shape.nearest(str(key))
        if part is not None:
            made.setdefault(part.name, inner)
    return made


FactPair = tuple[str, str]
"""Old and new; old is empty when the model did not say what it replaces."""

_PAIR = next(field.shape for field in MEMORY.fields if field.name == "changed")
_ARROW = re.compile(r"\s*(?:-+>|=+>|→|\bbecomes\b)\s*")
_NEW_INLINE = re.compile(r"[ \t]*[,;][ \t]*\W?new\w*\W?[ \t]*[:=]", re.IGNORECASE)
_NUMBERED = re.compile(r"(?P<old>(?:fact[ \t]*)?#?\d{1,2})[ \t]*[:.)\-–—]+[ \t]*(?P<new>\D.+)", re.IGNORECASE)


def pairs_of(value: Any) -> list[FactPair]:
    """The pairs in `value`, in order; without placeholders and pairs that have no new text."""
    return [
        (bare_item(old), bare_item(new))
        for old, new in _pairs(value)
        if new and not isinstance(new, Cut)
        if not is_nothing(new) and not is_placeholder(new) and not is_placeholder(old)
    ]


def _pairs(value: Any) -> Iterator[FactPair]:
    match value:
        case str():
            found = mappings(value)[1] if value.startswith(("[", "{")) else []
            yield from _pairs(found or items_of(value))
        case dict():
            named = _by_part(value, _PAIR)
            if {"old", "new"} <= set(named):
                yield text_of(named["old"]), text_of(named["new"])
            elif not named or {*map(str, value)}.isdisjoint(_PAIR.by_key):
                for old, new in ((str(old), text_of(new)) for old, new in value.items() if new is not None):
                    yield _pair_of(f"{old}: {new}") if _ARROW.search(old) else (old, new)
            elif "old" in named:
                yield _pair_of(f"old: {text_of(named['old'])}")
            elif "new" in named:
                yield "", text_of(named["new"])
        case [str() | int() as old, str() as new] if str(old).isdecimal():
            yield str(old), new
        case list() | tuple():
            waiting: dict[str, Any] = {}
            for part in value:  # of a pair each may be an item of its own
                named = _by_part(part, _PAIR) if isinstance(part, dict) else {}
                if "old" in named and "new" not in named and not _NEW_INLINE.search(text_of(named["old"])):
                    waiting = named
                    continue
                whole = {**waiting, **part} if named else part
                yield from [_pair_of(part)] if isinstance(part, str) else _pairs(whole)
                waiting = {}


def _pair_of(item: str) -> FactPair:
    """An arrow, or a number and a sentence; without either it replaces nothing that is named."""
    labelled = records(LIST_MARK.sub("", _NEW_INLINE.sub("\nnew:", item), count=1), _PAIR)[0].values
    if "new" in labelled:
        return text_of(labelled.get("old")), text_of(labelled["new"])
    item = bare_item(item)
    parts = _ARROW.split(item, maxsplit=1)
    if len(parts) == 2 and parts[0].strip():
        return parts[0].rstrip("\"' "), parts[1]
    told = _NUMBERED.fullmatch(item)
    return (told["old"], told["new"]) if told else ("", item)


_NAMES = frozenset("name title who character person chapter id to with".split())
_MOST_OF_A_NAME = 60
_APART = re.compile(r"\s*:\s+|\s+[-–—]+\s+|\s*[—]\s*|\s+\((?=[^()]+\)\W*\Z)|,\s+")
_COUNTED = re.compile(
    r"(?:chapter|character|act|part|person)?[\s_]*\d{1,2}\s*(?:[:.–-]\s*|\Z)", re.IGNORECASE
)


def named_texts(value: Any) -> list[dict[str, str]]:
    """`name` and `text` of each item, once each name; the text is empty where only a name was given."""
    found: dict[str, dict[str, str]] = {}
    for name, text in _named(value):
        name, text = _bare(name), _bare(text)
        if re.search(r"\w", name) and not is_placeholder(name) and not is_nothing(name):
            kept = "" if is_nothing(text) or is_placeholder(text) else text
            found.setdefault(key_of(name), {"name": name[:_MOST_OF_A_NAME], "text": kept})
    return list(found.values())[:MAX_ITEMS]


def _bare(text: str) -> str:
    return bare_item(" ".join(text.replace("**", "").split())).strip(" *_")


def _named(value: Any) -> Iterator[tuple[str, str]]:
    match value:
        case str():
            yield from map(_parted, items_of(value))
        case dict():
            yield from _of_mapping(value)
        case list() | tuple():
            for part in value:
                yield from [_parted(part)] if isinstance(part, str) else _named(part)


def _of_mapping(value: dict[Any, Any]) -> Iterator[tuple[str, str]]:
    """An object with its name under a key of its own, or names as keys."""
    named = next((key for key, part in value.items() if key_of(str(key)) in _NAMES and text_of(part)), None)
    if named is not None:
        others = [text.rstrip(".") for key, part in value.items() if key != named and (text := text_of(part))]
        yield (text_of(value[named]), ". ".join(others)) if others else _parted(text_of(value[named]))
        return
    for key, part in value.items():
        if _COUNTED.fullmatch(str(key)) or isinstance(part, dict):
            yield from _named(part)
        else:
            yield str(key), text_of(part)


def _parted(item: str) -> tuple[str, str]:
    """A line such as `Name: words`, `Name - words` or `Name (words)`."""
    item = _COUNTED.sub("", bare_item(item).replace("**", ""), count=1)
    parts = _APART.split(item, maxsplit=1)
    if len(parts) == 2 and 0 < len(parts[0]) <= _MOST_OF_A_NAME:
        opened = item[len(parts[0]) :].lstrip().startswith("(")
        return parts[0], parts[1].rstrip(".").rstrip(")") if opened else parts[1]
    return item, ""
