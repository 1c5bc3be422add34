"""Lists and their items in the shapes that small models give them."""

import re
from typing import Any

from theact_tui.parsing.lines import LIST_MARK
from theact_tui.parsing.repair import Cut, sequence
from theact_tui.parsing.shapes import key_of
from theact_tui.parsing.values import is_nothing, is_placeholder, unwrapped

MAX_ITEMS = 64
_MARK = re.compile(r"\A[ \t]*(?:(?:[-+•▪–—·]|\*(?!\*)|>)[ \t]*)+(?=\S)")
_BEGIN = re.compile(
    r"\A[ \t]*(?:\(?\d{1,3}[.)][ \t]+)?(?:(?:\[[ xX✓✔✗-]?\]|[☐☑✅✓✔✗✘❌]\ufe0f?)[ \t]*)?"
    r"(?:[\"'*_`]*(?:new[ _]fact|key[ _]fact|fact|text|beat|item)[\"'*_`]*[ \t]*#?\d{0,2}[ \t]*[:=][ \t]*(?=\S))?",
    re.IGNORECASE,
)
_UNCHECKED = re.compile(r"[ \t]*(?:\[[ ✗-]?\]|[☐✗✘❌])")
_LONE_MARK = re.compile(r"\s*[-+•▪–—·*>]?\s*")
_TEXT_KEYS = (
    "text fact new_fact beat description content value name title item entry id key event note line".split()
)


def items_of(value: Any) -> list[str]:
    """The items of a list in any shape, as texts that keep their number or checkbox; unchecked ones are left out."""
    match value:
        case None | bool():
            items: list[str] = []
        case str():
            items = _of_text(value)
        case dict():
            items = _of_mapping(value)
        case list() | tuple():
            items = [
                item
                for part in value
                for item in ([part] if isinstance(part, str) and "\n" not in part else items_of(part))
            ]
        case _:
            items = [text_of(value)]
    told = [
        item for item in items if item and not _UNCHECKED.match(_unmarked(item)) and not is_placeholder(item)
    ]
    return told[:MAX_ITEMS]


def texts_in(value: Any) -> list[str]:
    """A list of texts in any shape, without marks, placeholders and repetitions."""
    if isinstance(value, list):
        value = [item for item in value if not isinstance(item, Cut)]
    texts = (bare_item(item) for item in items_of(value))
    return list(dict.fromkeys(text for text in texts if re.search(r"\w", text) and not is_nothing(text)))


def bare_item(text: str) -> str:
    """`text` without list marks, number, box, label and wrapping quotes."""
    for _ in range(3):
        inner = _BEGIN.sub("", _MARK.sub("", text, count=1), count=1).strip()
        bold = re.fullmatch(r"(\*\*|__|`)(.+?)\1[,.]?", inner)
        inner = unwrapped(bold[2] if bold else inner)
        if inner == text:
            break
        text = inner
    return text


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
            return str(value).lower()
        case float():
            return f"{value:g}"
        case dict():
            named = {key_of(str(key)): part for key, part in value.items()}
            borne = next((text for key in _TEXT_KEYS if (text := text_of(named.get(key)))), "")
            return borne or "; ".join(f"{key}: {text_of(part)}" for key, part in value.items())
        case list() | tuple():
            return ", ".join(text for part in value if (text := text_of(part)))
        case _:
            return str(value)


def _of_mapping(value: dict[Any, Any]) -> list[str]:
    """A map of booleans gives its true keys, an object its text, a map by number its values."""
    if {key_of(str(key)) for key in value} & {*_TEXT_KEYS}:
        return [text_of(value)]
    if any(isinstance(part, bool) for part in value.values()):
        return [str(key) for key, part in value.items() if part is True]
    if all(str(key).isdecimal() for key in value):
        return [item for part in value.values() for item in items_of([part])]
    return [f"{key}: {text_of(part)}" for key, part in value.items()]


def _of_text(text: str) -> list[str]:
    text = text.strip()
    if is_nothing(text):
        return []
    if text.startswith("[") and (found := sequence(text)) is not None:
        return items_of(found)
    lines = [line.strip() for line in text.split("\n") if not _LONE_MARK.fullmatch(line)]
    if len(lines) > 1:
        return [item.rstrip(",") if item[:1] in "\"'" else item for item in map(_unmarked, _joined(lines))]
    bare = _unmarked(text)
    for separator in (";", " | ", " • "):
        parts = [part.strip() for part in bare.split(separator) if part.strip()]
        if len(parts) > 1 and all(len(part.split()) > 1 or part.isdigit() for part in parts):
            return parts
    return [bare]


def _unmarked(item: str) -> str:
    return _MARK.sub("", item, count=1).strip()


def _joined(lines: list[str]) -> list[str]:
    """The lines, each that begins no item behind the one before it; where none begins one, each is an item."""
    if not any(LIST_MARK.match(line) for line in lines):
        return lines
    items: list[str] = []
    for line in lines:
        if items and not (LIST_MARK.match(line) or _UNCHECKED.match(line) or _MARK.match(line)):
            items[-1] = f"{items[-1]} {line}"
        else:
            items.append(line)
    return items
