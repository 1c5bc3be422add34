"""Objects in every shape small models give them: with fields, as pairs of old and new, as names with a few words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from theact_tui.parsing.items import LIST_MARK, MAX_ITEMS, bare_item, chunks_of, items_of, mapping_of, text_of
from theact_tui.parsing.lines import records
from theact_tui.parsing.repair import Cut, mappings, sequence
from theact_tui.parsing.shapes import MEMORY, ReplyField, ReplyShape, key_of
from theact_tui.parsing.values import is_nothing, is_placeholder, unwrapped


def object_of(value: Any, shape: ReplyShape) -> dict[str, Any]:
    """The object `value` describes; of a text its lines by key."""
    if isinstance(value, str):
        value = _described(value, shape)
    values = _by_part(value, shape) if isinstance(value, dict) else {}
    return {part.name: part_value(part, values.get(part.name)) for part in shape.fields}


def objects_of(value: Any, shape: ReplyShape) -> list[dict[str, Any]]:
    """The objects in `value`; a bare text becomes the first key of an object. Empty ones are left out."""
    if isinstance(value, str):
        value = chunks_of(value)
    elif not isinstance(value, list):
        value = [value]
    made = [object_of(part if isinstance(part, dict) else text_of(part), shape) for part in value]
    return [one for one in made if has_text(one)]


def noted(value: Any, shape: ReplyShape) -> list[dict[str, Any]]:
    """The objects in `value`; of a list of texts each is the first key of one."""
    first = shape.fields[0].name
    found: Any = value
    if isinstance(value, dict) and _by_part(value, shape):
        found = [value]
    if isinstance(found, str):
        found = [one for chunk in chunks_of(found) for one in _mappings_of(chunk, shape) or (chunk,)]
    if not isinstance(found, list) or not any(isinstance(part, dict) for part in found):
        found = [{first: text} for text in texts_in(value)]
    made = [object_of(part if isinstance(part, dict) else text_of(part), shape) for part in found]
    return [one for one in made if one[first]]


def _mappings_of(chunk: str, shape: ReplyShape) -> list[dict[str, Any]]:
    """The mappings that a text is, as JSON or in lines of a key each."""
    if "{" in chunk:
        return mappings(chunk)[1]
    keyed: dict[str, Any] = {**mapping_of(chunk)} or records(LIST_MARK.sub("", chunk, count=1), shape)[
        0
    ].values
    return [keyed] if keyed else []


def texts_in(value: Any) -> list[str]:
    """A list of texts in any shape, without marks, placeholders and repetitions."""
    if isinstance(value, list):
        value = [item for item in value if not isinstance(item, Cut)]
    texts = (bare_item(item) for item in items_of(value))
    return list(
        dict.fromkeys(
            text
            for text in texts
            if re.search(r"\w", text) and not is_nothing(text) and not is_placeholder(text)
        )
    )


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
    if text in part.choices:
        return text
    return "" if is_placeholder(text) or is_nothing(text) else text


def _by_part(value: dict[Any, Any], shape: ReplyShape) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for key, inner in value.items():
        part = shape.nearest(str(key))
        if part is not None:
            made.setdefault(part.name, inner)
    return made


def _described(text: str, shape: ReplyShape) -> dict[str, Any]:
    """An object from its lines by key; a bare text is what happened, "Mina: ran" also says who."""
    if is_nothing(text) or is_placeholder(text):
        return {}
    found = records("\n".join(LIST_MARK.sub("", line, count=1) for line in text.split("\n")), shape)[0].values
    said = "" if found else bare_item(" ".join(text.split()))
    if not re.search(r"\w", said):
        return found
    names = [part.name for part in shape.fields]
    about = next((at for at, name in enumerate(names) if name in {"name", "between"}), None)
    if about is None:
        return {names[0]: said}
    who, mark, what = said.partition(": ")
    return {names[about]: who if mark else "", names[about + 1]: what if mark else said}


FactPair = tuple[str, str]
"""Old and new; old is empty when the model did not say what it replaces."""

_PAIR = next(field.shape for field in MEMORY.fields if field.name == "changed")
_NEW_INLINE = re.compile(
    r"[\"'”]?[ \t]*(?:[,;|/]|->|=>|→|–|—|-|(?<=[\"'”.])[ \t])[ \t]*(?=[\"'*_`{]*(?:new\w*|to|updated)[\"'*_`]*[ \t]*[:=])",
    re.IGNORECASE,
)
_ARROW = re.compile(
    r"[ \t]*(?:-+>|=+>|→|⟶|➜|➔|⇒|>>|\bbecomes\b|\bis now\b:|\bchanged? to\b|\breplaced (?:by|with)\b)[ \t]*:?[ \t]*",
    re.IGNORECASE,
)
_SENTENCES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"[\"“](?P<old>[^\"”]+)[\"”][ \t]*[:|,][ \t]*[\"“](?P<new>[^\"”]+)[\"”]\W*",
        r"(?:(?:change|update|replace|revise|modify)[ \t]+)?(?P<old>(?:fact[ \t]*)?#?\d{1,2})[ \t]*[:.)\-–—]+[ \t]*"
        r"(?P<new>\D.+)",
    )
)


def pairs_of(value: Any) -> list[FactPair]:
    """The pairs in `value`, in order; without placeholders and pairs that have no new text."""
    return [
        (old, new)
        for old, new in _pairs(value)
        if new
        and not isinstance(new, Cut)
        and not is_nothing(new)
        and not is_placeholder(new)
        and not is_placeholder(old)
    ]


def _pairs(value: Any) -> list[FactPair]:
    match value:
        case str():
            return _pairs_of_text(value.strip())
        case dict():
            return _pairs_of_mapping(value)
        case list() | tuple():
            return _pairs_of_list(list(value))
        case _:
            return []


def _pairs_of_list(parts: list[Any]) -> list[FactPair]:
    """Those of each part; `- old: a` and `- new: b` as items of their own are one."""
    made: list[FactPair] = []
    waiting: dict[str, Any] = {}
    for part in parts:
        values = _by_part(part, _PAIR) if isinstance(part, dict) and len(part) == 1 else {}
        if "old" in values:
            waiting = values
            continue
        match part:
            case str():
                made.append(_pair_of_item(part))
            case [str() | int() as old, str() as new]:
                made.append((str(old), new))
            case _:
                made += _pairs({**waiting, **values} if "new" in values else part)
        waiting = {}
    return made


def _pairs_of_mapping(value: dict[Any, Any]) -> list[FactPair]:
    values = _by_part(value, _PAIR)
    if {"old", "new"} <= set(values):
        return [(text_of(values["old"]), text_of(values["new"]))]
    named = {key: field.name for key in value if (field := _PAIR.field(str(key)))}
    return [
        ("" if key in named else str(key), text_of(part))
        for key, part in value.items()
        if part is not None and named.get(key) != "old"
    ]


def _pairs_of_text(text: str) -> list[FactPair]:
    if is_nothing(text) or is_placeholder(text):
        return []
    if text.startswith("[") and (found := sequence(text)):
        return _pairs(found)
    if text.startswith("{") and (objects := mappings(text)[1]):
        return _pairs(objects)
    parts: list[Any] = []
    for chunk in chunks_of(text):
        lines = _NEW_INLINE.sub("\n", LIST_MARK.sub("", chunk, count=1))
        labelled = [record.values for record in records(lines, _PAIR)]
        parts += [
            {name: _clean(words) for name, words in one.items()} for one in labelled if one
        ] or items_of(chunk)
    return _pairs_of_list(parts)


def _pair_of_item(item: str) -> FactPair:
    """A sentence or an arrow; the number in front may be the fact's."""
    item = unwrapped(item)
    arrow = _ARROW.search(item)
    if arrow and arrow.start() > 0:
        return _clean(item[: arrow.start()]), _clean(item[arrow.end() :])
    told = next((found for pattern in _SENTENCES if (found := pattern.fullmatch(item))), None)
    return (_clean(told["old"]), _clean(told["new"])) if told else ("", _clean(item))


def _clean(text: str) -> str:
    bare = re.sub(r"[ \t]*[},;]+[ \t]*$", "", text.strip())
    return bare_item(bare) if not re.fullmatch(r"\W*\d+\W*", bare) else bare.strip("\"'# .")


_NAMES = frozenset("name title who character person chapter id to with".split())
_MOST_OF_A_NAME = 60
_APART = re.compile(r"\s*:\s+|\s+[-–—]+\s+|\s*[—]\s*|\s+\((?=[^()]+\)\W*\Z)|,\s+")
_COUNTED = re.compile(
    r"(?:chapter|character|act|part|person|kapitel|no\.?)\s*\d{1,2}\s*[:.–-]\s*", re.IGNORECASE
)
_ONLY_COUNTED = re.compile(r"(?:chapter|character|act|part|person|kapitel)?[\s_]*\d{1,2}", re.IGNORECASE)


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
    return unwrapped(" ".join(bare_item(text).replace("**", "").split())).strip(" *_")


def _named(value: Any) -> Iterator[tuple[str, str]]:
    match value:
        case dict():
            yield from _of_mapping(value)
        case list() | tuple():
            for part in value:
                yield from _named(part)
        case str():
            parts = {chunk: mapping_of(chunk) for chunk in chunks_of(value)}
            for chunk, part in parts.items() if any(parts.values()) else [(value, None)]:
                yield from _named(part) if part else map(_parted, items_of(chunk))


def _of_mapping(value: dict[Any, Any]) -> Iterator[tuple[str, str]]:
    """An object with its name under a key of its own, or names as keys."""
    named = next((key for key, part in value.items() if key_of(str(key)) in _NAMES and text_of(part)), None)
    if named is not None:
        others = [text.rstrip(".") for key, part in value.items() if key != named and (text := text_of(part))]
        yield (text_of(value[named]), ". ".join(others)) if others else _parted(text_of(value[named]))
        return
    for key, part in value.items():
        counted = _ONLY_COUNTED.fullmatch(str(key))
        if counted or (isinstance(part, dict) and any(key_of(str(each)) in _NAMES for each in part)):
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
