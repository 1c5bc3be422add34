"""Lists of names, each with a few words about it, in every shape small models give them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from theact_tui.parsing.items import MAX_ITEMS, bare_item, items_of, text_of
from theact_tui.parsing.shapes import key_of
from theact_tui.parsing.values import is_nothing, is_placeholder, unwrapped

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
    for name, text in _pairs(value):
        name, text = _bare(name), _bare(text)
        if re.search(r"\w", name) and not is_placeholder(name) and not is_nothing(name):
            kept = "" if is_nothing(text) or is_placeholder(text) else text
            found.setdefault(key_of(name), {"name": name[:_MOST_OF_A_NAME], "text": kept})
    return list(found.values())[:MAX_ITEMS]


def _bare(text: str) -> str:
    return unwrapped(" ".join(bare_item(text).replace("**", "").split())).strip(" *_")


def _pairs(value: Any) -> Iterator[tuple[str, str]]:
    match value:
        case dict():
            yield from _of_mapping(value)
        case list() | tuple():
            for part in value:
                yield from _pairs(part)
        case str() if "\n" not in value.strip():
            for item in items_of(value):
                yield _parted(item)
        case str():
            for item in items_of(value):
                yield _parted(item)
        case _:
            return


def _of_mapping(value: dict[Any, Any]) -> Iterator[tuple[str, str]]:
    """An object with its name under a key of its own, or names as keys."""
    keys = {key_of(str(key)): key for key in value}
    named = next((keys[key] for key in keys if key in _NAMES and text_of(value[keys[key]])), None)
    if named is not None:
        others = [text for key, part in value.items() if key != named and (text := text_of(part))]
        yield (
            (text_of(value[named]), ". ".join(text.rstrip(".") for text in others))
            if others
            else _parted(text_of(value[named]))
        )
        return
    for key, part in value.items():
        if isinstance(part, dict) or _ONLY_COUNTED.fullmatch(str(key)):
            inner = list(_pairs(part))
            has_name = isinstance(part, dict) and any(key_of(str(each)) in _NAMES for each in part)
            yield from inner if has_name or _ONLY_COUNTED.fullmatch(str(key)) else [(str(key), text_of(part))]
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
