"""Lists and their items in every shape small models give them."""

from __future__ import annotations

import re
from typing import Any

from theact_tui.parsing.repair import Cut, sequence
from theact_tui.parsing.shapes import key_of
from theact_tui.parsing.values import is_nothing, is_placeholder, unwrapped

_MARK = re.compile(r"\A[ \t]*(?:(?:[-+•▪‣◦●–—·]|\*(?!\*)|>)[ \t]*)+(?=\S)")
_NUMBERED = re.compile(r"\A[ \t]*\(?(\d{1,3})[.)][ \t]+")
_BOX = re.compile(r"\A[ \t]*(\[[ xX✓✔✗-]?\]|[☐☑✅✓✔✗✘❌]\ufe0f?)")
_UNCHECKED = re.compile(r"[ \t]*(?:\[[ ✗-]?\]|[☐✗✘❌])")
_BRACKETED = re.compile(r"\[[ xX✓✔✗-]?\][ \t]*\S|[\[(]\d{1,3}[\])][ \t]*[^\s,\])]")
TEXT_KEYS = (
    "text fact new_fact beat description content value name title item entry detail statement character id "
    "key event summary note line texto hecho"
).split()
_LABELLED = re.compile(
    r"\A[\"'*_`{]*(?:new[ _]fact|key[ _]fact|fact|text|beat|content|item|add|new|hecho|texto)[\"'*_`]*[ "
    r"\t]*#?\d{0,2}[ \t]*[:=][ \t]*(?=\S)",
    re.IGNORECASE,
)
LIST_MARK = re.compile(r"([ \t]*)(?:[-*+•]|\d{1,2}[.)])[ \t]+")
_KEYED = re.compile(r"[ \t]*([a-z_]+):[ \t]+(\S.*)")
MAX_ITEMS = 64


def items_of(value: Any) -> list[str]:
    """The items of a list in any shape, as texts that keep their number or checkbox; unchecked ones are left out."""
    match value:
        case str():
            items = _of_text(value)
        case dict():
            items = _of_mapping(value)
        case list() | tuple():
            items = [item for part in value for item in _of_part(part)]
        case int() if not isinstance(value, bool):
            items = [str(value)]
        case float():
            items = [f"{value:g}"]
        case _:
            items = []
    return items[:MAX_ITEMS]


def bare_item(text: str) -> str:
    """`text` without list marks, number, box, label and wrapping quotes."""
    for _ in range(3):
        inner = _bare_once(text)
        if inner == text:
            break
        text = inner
    return text


def _bare_once(text: str) -> str:
    text = _MARK.sub("", text, count=1)
    text = _NUMBERED.sub("", text, count=1)
    text = _BOX.sub("", text, count=1).strip()
    text = _LABELLED.sub("", text, count=1)
    return _plain(text)


def text_of(value: Any) -> str:
    """One text for `value`: of a mapping the key that bears text, of a list its parts."""
    match value:
        case None:
            return ""
        case Cut():
            return Cut(value.strip())
        case str():
            return value.strip()
        case bool():
            return "true" if value else "false"
        case dict():
            plain = {key_of(str(key)): part for key, part in value.items()}
            borne = next((text for key in TEXT_KEYS if (text := text_of(plain.get(key)))), "")
            return borne or "; ".join(
                str(key) if part is True else f"{key}: {text_of(part)}" for key, part in value.items()
            )
        case list() | tuple():
            return ", ".join(text for part in value if (text := text_of(part)))
        case _:
            return str(value)


def _plain(text: str) -> str:
    text = text.strip()
    bold = re.fullmatch(r"(\*\*|__|`)(.+?)\1[,.]?", text)
    return unwrapped(bold[2] if bold and bold[1] not in bold[2] else text)


def _of_part(part: Any) -> list[str]:
    if isinstance(part, dict):
        return _of_mapping(part)
    if isinstance(part, list | tuple):
        return items_of(part)
    text = text_of(part)
    return [text] if text and not _UNCHECKED.match(text) and not is_placeholder(text) else []


def _of_mapping(value: dict[Any, Any]) -> list[str]:
    """A map of booleans gives its true keys, an object its text, a map by number its values."""
    plain = {key_of(str(key)): part for key, part in value.items()}
    told = next((text_of(plain[key]) for key in TEXT_KEYS if plain.get(key) not in (None, "")), "")
    if told:
        return [told]
    if any(isinstance(part, bool) for part in value.values()):
        return [str(key) for key, part in value.items() if part is True]
    if all(str(key).isdecimal() for key in value):
        return [item for part in value.values() for item in _of_part(part)]
    return [f"{key}: {text_of(part)}" if text_of(part) else str(key) for key, part in value.items()]


def _of_text(text: str) -> list[str]:
    text = text.strip()
    if is_nothing(text) or is_placeholder(text):
        return []
    if text.startswith(("[", "(")) and not _BRACKETED.match(text):
        found = sequence(text)
        if found is not None and (len(found) > 0 or not text.strip("[]() \n")):
            return items_of(found)
    parts = [mapping_of(chunk) for chunk in chunks_of(text)]
    if LIST_MARK.match(text) and all(parts):
        return [item for part in parts for item in _of_part(part)]
    return [item for item in _split_lines(text) if not is_placeholder(bare_item(item))]


def chunks_of(text: str) -> list[str]:
    """The items of a list, each with the lines below it: one begins at a list mark with the least indent."""
    if is_nothing(text):
        return []
    lines = _lines(text)
    marks = [LIST_MARK.match(line) for line in lines]
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


_LONE_MARK = re.compile(r"\s*[-+•▪‣◦●–—·*>]?\s*")


def _lines(text: str) -> list[str]:
    """The lines of a list, without empty ones and items that hold nothing."""
    return [line for line in text.split("\n") if not _LONE_MARK.fullmatch(line)]


def mapping_of(chunk: str) -> dict[str, str]:
    """The mapping that an item is, each line of which has a key; empty for any other."""
    lines = [_KEYED.fullmatch(line) for line in LIST_MARK.sub("", chunk, count=1).split("\n")]
    found = [line for line in lines if line]
    return {line[1]: unwrapped(line[2]) for line in found} if len(found) == len(lines) > 1 else {}


def _split_lines(text: str) -> list[str]:
    lines = _lines(text)
    if len(lines) == 1:
        return _split_inline(lines[0].strip())
    marked = [bool(_MARK.match(line) or _NUMBERED.match(line) or _BOX.match(line)) for line in lines]
    if not any(marked):
        return [_without_comma(line.strip()) for line in lines if not is_nothing(line)]
    items: list[str] = []
    for line, begins in zip(lines, marked, strict=True):
        if begins or not items:
            items.append(line.strip())
        else:
            items[-1] = f"{items[-1]} {line.strip()}"
    unmarked = [_MARK.sub("", item, count=1) for item in items]
    return [
        item for item in map(_without_comma, unmarked) if not _UNCHECKED.match(item) and not is_nothing(item)
    ]


def _without_comma(item: str) -> str:
    return item[:-1] if item.endswith(",") and item[:1] in "\"'“" else item


def _split_inline(line: str) -> list[str]:
    """Several items on one line, if semicolons or bars separate them."""
    bare = _MARK.sub("", line, count=1)
    if _UNCHECKED.match(bare):
        return []
    for separator in (";", " | ", " • "):
        parts = [part.strip() for part in bare.split(separator) if part.strip()]
        if len(parts) > 1 and (
            separator != ";" or all(len(part.split()) > 1 or part.isdigit() for part in parts)
        ):
            return parts
    return [bare.strip()] if bare.strip() else []
