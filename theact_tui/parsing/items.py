"""Lists, pairs and objects in every shape small models give them."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import groupby
from typing import Any

from rapidfuzz import fuzz

from theact_tui.parsing.lenient_json import Cut, sequence
from theact_tui.parsing.lines import folded, records
from theact_tui.parsing.shapes import MEMORY, ReplyField, ReplyShape, key_of
from theact_tui.parsing.values import flag_of, is_nothing, is_placeholder, unwrapped

_MARK = re.compile(r"\A[ \t]*(?:(?:[-+•▪‣◦●–—·]|\*(?!\*)|>)[ \t]*)+(?=\S)")
_NUMBERED = re.compile(r"\A[ \t]*\(?(\d{1,3})[.)][ \t]+")
_BOX = re.compile(r"\A[ \t]*(\[[ xX✓✔✗-]?\]|[☐☑✅✓✔✗✘❌]\ufe0f?)")
_UNCHECKED = re.compile(r"[ \t]*(?:\[[ ✗-]?\]|[☐✗✘❌])")
_BRACKETED = re.compile(r"\[[ xX✓✔✗-]?\][ \t]*\S|[\[(]\d{1,3}[\])][ \t]*[^\s,\])]")
_INLINE_NUMBERS = re.compile(r"(?:^|[\s,;])\(?\d{1,2}[.)]\s+(?=\S)")
TEXT_KEYS = (
    "text fact new_fact beat description content value name title item entry detail statement character id key "
    "event "
    "summary note line texto hecho"
).split()
_LABELLED = re.compile(
    r"\A[\"'*_`{]*(?:new[ _]fact|key[ _]fact|fact|text|beat|content|item|add|new|hecho|texto)[\"'*_`]*[ "
    r"\t]*#?\d{0,2}[ \t]*[:=][ \t]*(?=\S)",
    re.IGNORECASE,
)
_HIT = (
    "hit",
    "done",
    "met",
    "complete",
    "completed",
    "reached",
    "status",
    "achieved",
    "new",
    "responds",
    "present",
)


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
        case int() | float() if not isinstance(value, bool):
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
            return borne or "; ".join(f"{key}: {text_of(part)}" for key, part in value.items())
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
        return _of_mapping(part, one=True)
    if isinstance(part, list | tuple):
        return items_of(part)
    text = text_of(part)
    return [text] if text and not _UNCHECKED.match(text) and not is_placeholder(text) else []


def _of_mapping(value: dict[Any, Any], *, one: bool = False) -> list[str]:
    """A map of booleans gives its true keys; an object gives its text; a map by number gives its values."""
    plain = {key_of(str(key)): part for key, part in value.items()}
    if any(plain.get(key) is False or _says_no(plain.get(key)) for key in _HIT):
        return []
    if any(isinstance(part, bool) for part in value.values()) and not any(key in plain for key in TEXT_KEYS):
        return [str(key) for key, part in value.items() if part is True]
    told = next((text_of(plain[key]) for key in TEXT_KEYS if plain.get(key) not in (None, "")), "")
    number = next((str(plain[key]) for key in ("number", "index", "nr", "no", "id") if key in plain), "")
    if told or number:
        return [f"{number}. {told}" if number.isdigit() and told and not told.isdigit() else told or number]
    if not one and all(re.fullmatch(r"\D{0,6}\d{1,3}", str(key)) for key in value):
        return [item for part in value.values() for item in _of_part(part)]
    return [f"{key}: {text_of(part)}" if text_of(part) else str(key) for key, part in value.items()]


def _says_no(value: Any) -> bool:
    return isinstance(value, str) and flag_of(value) is False


def _of_text(text: str) -> list[str]:
    text = text.strip()
    if is_nothing(text) or is_placeholder(text):
        return []
    if text.startswith(("[", "(")) and not _BRACKETED.match(text):
        found = sequence(text)
        if found is not None and (len(found) > 0 or not text.strip("[]() \n")):
            return items_of(found)
    return [item for item in _split_lines(text) if not is_placeholder(bare_item(item))]


def _split_lines(text: str) -> list[str]:
    lines = [line for line in text.split("\n") if line.strip()]
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
    """Several items on one line, if numbers, quotes, semicolons or bars separate them."""
    bare = _MARK.sub("", line, count=1)
    if len(re.findall(r"\[[ xX✓✔]?\]", bare)) > 1:
        return [
            part
            for part in re.split(r"[,;]?\s*(?=\[[ xX✓✔]?\])", bare)
            if part and not _UNCHECKED.match(part)
        ]
    if _UNCHECKED.match(bare):
        return []
    dashed = re.split(r"\s+[-*•–]\s+", bare)
    if bare != line and len(dashed) > 1 and all(part[:1].isupper() or part[:1] in "\"'“" for part in dashed):
        return dashed
    if len(_INLINE_NUMBERS.findall(bare)) > 1:
        return [part.strip(" ,;") for part in _INLINE_NUMBERS.split(bare) if part.strip(" ,;")]
    quoted = re.fullmatch(r"\s*([\"“][^\"”]+[\"”]\s*(?:[,;]|and)\s*)+[\"“][^\"”]+[\"”]\s*", bare)
    if quoted:
        return re.findall(r"[\"“]([^\"”]+)[\"”]", bare)
    for separator in (";", " | ", " • "):
        parts = [part.strip() for part in bare.split(separator) if part.strip()]
        if len(parts) > 1 and (
            separator != ";" or all(len(part.split()) > 1 or part.isdigit() for part in parts)
        ):
            return parts
    return [bare.strip()] if bare.strip() else []


_BETWEEN = re.compile(r"\s*(?:,|;|/|&|<->|->|\band\b|\bund\b|\by\b|\bet\b|\n)\s*")
_SHORT_LIST = re.compile(r"\s*[,;]\s*")


def object_of(value: Any, parts: tuple[ReplyField, ...]) -> dict[str, Any]:
    """The object `value` describes; of a text its lines by key."""
    if isinstance(value, str):
        return _of_described(value, parts)
    values = _by_part(value, parts) if isinstance(value, dict) else {}
    return {part.name: part_value(part, values.get(part.name)) for part in parts}


def objects_of(value: Any, parts: tuple[ReplyField, ...]) -> list[dict[str, Any]]:
    """The objects in `value`; a bare text becomes the first key of an object. Empty ones are left out."""
    if isinstance(value, str):
        value = _chunks(value)
    elif not isinstance(value, list):
        value = [value]
    made = [object_of(part if isinstance(part, dict) else text_of(part), parts) for part in value]
    return [one for one in made if has_text(one)]


def filled(fields: dict[str, Any], shape: ReplyShape) -> dict[str, Any]:
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


def part_value(part: ReplyField, value: Any) -> Any:
    """One key's value by its kind: a text, a list of texts, a whole number."""
    if part.kind == "texts":
        return _texts(part, value)
    if part.kind == "whole":
        digits = re.search(r"\d{1,3}", text_of(value))
        return int(digits[0]) if digits else None
    text = "" if isinstance(value, Cut) else text_of(value)
    return "" if is_placeholder(text) or is_nothing(text) else text


def _texts(part: ReplyField, value: Any) -> list[str]:
    if isinstance(value, list):
        value = [one for one in value if not isinstance(one, Cut)]
    texts = [text for item in items_of(value) if (text := bare_item(item))]
    if len(texts) == 1 and isinstance(value, str):
        pieces = (_BETWEEN if part.name in {"between", "participants"} else _SHORT_LIST).split(texts[0])
        if len(pieces) > 1 and all(0 < len(piece.split()) <= 3 for piece in pieces):
            texts = [unwrapped(piece) for piece in pieces]
    return [text for text in texts if not is_placeholder(text) and not is_nothing(text)]


def _by_part(value: dict[Any, Any], parts: tuple[ReplyField, ...]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for key, inner in value.items():
        part = find_part(str(key), parts)
        if part is not None:
            made.setdefault(part.name, inner)
    return made


def find_part(key: str, parts: tuple[ReplyField, ...]) -> ReplyField | None:
    """The part a key means: by name, without plural, or nearly so spelled."""
    name = key_of(key)
    for part in parts:
        if name in part.names or name.rstrip("s") == part.name.rstrip("s"):
            return part
    near = [(fuzz.ratio(name, part.name), part) for part in parts]
    best = max(near, key=lambda pair: pair[0], default=(0.0, None))
    return best[1] if best[0] >= 82 and len(name) > 4 else None


@lru_cache(maxsize=32)
def _shape(parts: tuple[ReplyField, ...]) -> ReplyShape:
    return ReplyShape(parts, ())


def _of_described(text: str, parts: tuple[ReplyField, ...]) -> dict[str, Any]:
    """An object from its lines by key; a bare text is what happened, "Mina: ran" also says who."""
    if is_nothing(text) or is_placeholder(text):
        return object_of({}, parts)
    spread = re.sub(rf"\s*[;,|]\s*(?=(?:{'|'.join(part.name for part in parts)})\s*:)", "\n", text)
    lines = "\n".join(re.sub(r"^\s*(?:[-*+•]|\d+[.)])\s+", "", line) for line in spread.split("\n"))
    found = records(lines, _shape(parts))[0].values
    said = "" if found else bare_item(" ".join(text.split()))
    if re.search(r"\w", said):
        about = next((at for at, part in enumerate(parts) if part.name in {"name", "between"}), 0)
        who, mark, what = said.partition(": ")
        if parts[about].name not in {"name", "between"}:
            found = {parts[about].name: said}
        else:
            found = {parts[about].name: who if mark else "", parts[about + 1].name: what if mark else said}
    return object_of(found, parts)


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


_PARTS = next(field.parts for field in MEMORY.fields if field.name == "update")
_OLD, _NEW = _PARTS[0].names, _PARTS[1].names
_NUMBERS = ("number", "index", "nr", "id", "fact_number", "fact_id")


def _label(names: tuple[str, ...]) -> str:
    spelled = sorted((name.replace("_", "[ _-]?") for name in names), key=len, reverse=True)
    return rf"[\"'*_`{{]*(?:{'|'.join(spelled)})[\"'*_`]*"


_OLD_LINE = re.compile(rf"{_label(_OLD)}(?:[ \t]*#?\d+)?[ \t]*(?:[:=]|=>)[*_]{{0,2}}[ \t]*", re.IGNORECASE)
_NEW_LINE = re.compile(rf"{_label(_NEW)}[ \t]*(?:[:=]|=>)[*_]{{0,2}}[ \t]*", re.IGNORECASE)
_ITEM = re.compile(r"[ \t]*(?:[-+•▪‣◦●–*]|\d{1,2}[.)])[ \t]")
_BETWEEN_PAIR = re.compile(
    rf"[\"'”]?[ \t]*(?:[,;|/]|->|=>|→|–|—|-)?[ \t]*{_label(_NEW)}[ \t]*[:=][ \t]*", re.IGNORECASE
)
_ARROW = re.compile(
    r"[ \t]*(?:-+>|=+>|→|⟶|➜|➔|⇒|>>|\bbecomes\b|\bis now\b:|\bchanged? to\b|\breplaced (?:by|with)\b)[ \t]*:?[ "
    r"\t]*",
    re.IGNORECASE,
)
_REPLACE = re.compile(
    r"(?:replace|change|update|revise)[ \t]+(?P<old>.+?)[\"'”]?[ \t]+(?:with|to|by|into)[ \t]+[:]?[ "
    r"\t]*(?P<new>[\"'“].+|.+)",
    re.IGNORECASE,
)
_FROM_TO = re.compile(
    r"(?:from)[ \t]+[\"'“](?P<old>.+?)[\"'”][ \t]+to[ \t]+[\"'“](?P<new>.+?)[\"'”]\W*", re.IGNORECASE
)
_WAS = re.compile(
    r"(?P<new>.+?)[\"'”]?[ \t]*[(\[](?:was|old|formerly|previously|before|replaces|instead of)[ "
    r"\t:]+(?P<old>.+?)[)\]][.\s]*",
    re.IGNORECASE,
)
_SIDE = re.compile(
    r"[ \t]*[(\[](?:old|new|before|after|was|now|updated|original)[)\]][ \t]*\Z", re.IGNORECASE
)
_VERB = re.compile(
    r"\A(?:please )?(?:change|update|replace|revise|modify|correct)\b[ \t]*:?[ \t]*", re.IGNORECASE
)
_VERB_END = re.compile(r"[ \t]+(?:to|with|by|becomes|into|is now)\Z", re.IGNORECASE)
_BY_NUMBER = re.compile(
    r"(?:(?:change|update|replace|revise|modify)[ \t]+)?(?P<old>(?:fact[ \t]*)?#?\d{1,2})[ \t]*[:.)\-–—]+[ "
    r"\t]*(?P<new>\D.+)",
    re.IGNORECASE,
)
_QUOTED_PAIR = re.compile(r"[\"“](?P<old>[^\"”]+)[\"”][ \t]*[:|,][ \t]*[\"“](?P<new>[^\"”]+)[\"”]\W*")

FactPair = tuple[str, str]
"""Old and new; old is empty when the model did not say what it replaces."""


def pairs_of(value: Any) -> list[FactPair]:
    """The pairs in `value`, in order; without placeholders and pairs that have no new text."""
    return [
        (_VERB_END.sub("", _VERB.sub("", _SIDE.sub("", old))), _SIDE.sub("", new))
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
            return _of_pair_text(value)
        case dict():
            return _of_pair_mapping(value)
        case list() | tuple():
            return _of_list(list(value))
        case _:
            return []


def _of_list(parts: list[Any]) -> list[FactPair]:
    made: list[FactPair] = []
    for single, grouped in groupby(parts, key=lambda part: isinstance(part, dict) and len(part) == 1):
        group = list(grouped)
        made += _of_single_maps(group) if single else [pair for part in group for pair in _of_one(part)]
    return made


def _of_one(part: Any) -> list[FactPair]:
    if (
        isinstance(part, list | tuple)
        and len(part) == 2
        and not any(isinstance(one, dict | list) for one in part)
    ):
        return [(text_of(part[0]), text_of(part[1]))]
    return _pairs(part)


def _of_single_maps(parts: list[Any]) -> list[FactPair]:
    """`- old: a` and `- new: b` as items of their own, or `- a: b`."""
    made: list[FactPair] = []
    waiting: str | None = None
    for part in parts:
        (key, text), *_ = part.items()
        name = key_of(str(key))
        if name in _NEW and waiting is not None:
            made.append((waiting, text_of(text)))
            waiting = None
        elif name in _OLD and not isinstance(text, dict | list):
            waiting = text_of(text)
        else:
            made += _of_pair_mapping(part)
    return made


def _of_pair_mapping(value: dict[Any, Any]) -> list[FactPair]:
    plain = {key_of(str(key)): part for key, part in value.items()}
    new = next((plain[key] for key in _NEW if key in plain), None)
    olds = [plain[key] for key in (*_OLD, *_NUMBERS) if key in plain]
    if new is not None and olds and not isinstance(new, dict | list):
        return [(text_of(olds[0]), text_of(new))]
    return [
        ("" if key_of(str(key)) in _NEW else str(key), text_of(part))
        for key, part in value.items()
        if part is not None and key_of(str(key)) not in _OLD
    ]


def _of_pair_text(text: str) -> list[FactPair]:
    text = text.strip()
    if is_nothing(text) or is_placeholder(text):
        return []
    if text.startswith("["):
        found = sequence(text, frozenset((*_OLD, *_NEW)))
        if found is not None and found:
            return _of_list(found)
    return _of_pair_lines(text)


def _of_pair_lines(text: str) -> list[FactPair]:
    """Labelled lines, arrows and sentences, with lines that continue the one before."""
    made: list[FactPair] = []
    old: str | None = None
    follows = False
    for whole in text.split("\n"):
        line = _bare(whole)
        if not line:
            continue
        plain = folded(line)
        begins_old, begins_new = _OLD_LINE.match(plain), _NEW_LINE.match(plain)
        if begins_new and old is not None:
            made.append((old, _clean(line[begins_new.end() :])))
        elif begins_old:
            both = _BETWEEN_PAIR.search(plain, begins_old.end()) or _ARROW.search(plain, begins_old.end())
            if not both:
                old, follows = _clean(line[begins_old.end() :]), False
                continue
            made.append((_clean(line[begins_old.end() : both.start()]), _clean(line[both.end() :])))
        elif pair := _in_sentence(line):
            made.append(pair)
        elif follows and made and not _ITEM.match(whole):
            made[-1] = (made[-1][0], f"{made[-1][1]} {line}".strip())
            continue
        else:
            made.append(("", _clean(line)))
            follows = False
            continue
        old, follows = None, True
    return made


def _bare(line: str) -> str:
    """`line` without its list mark; a number in front is kept, it may be the fact's."""
    text = re.sub(r"^[ \t]*(?:[-+•▪‣◦●–*][ \t]+|[{}\[\],]+[ \t]*$)", "", line).strip()
    return text.lstrip("{").strip() if text.startswith("{") else text


def _in_sentence(line: str) -> FactPair | None:
    quoted = _QUOTED_PAIR.fullmatch(line)
    if quoted:
        return quoted["old"], quoted["new"]
    arrow = _ARROW.search(line)
    if arrow and arrow.start() > 0:
        return _clean(line[: arrow.start()]), _clean(line[arrow.end() :])
    for pattern in (_WAS, _FROM_TO, _REPLACE, _BY_NUMBER):
        found = pattern.fullmatch(line)
        if found:
            return _clean(found["old"]), _clean(found["new"])
    return None


def _clean(text: str) -> str:
    bare = re.sub(r"[ \t]*[},;]+[ \t]*$", "", text.strip())
    return bare_item(bare) if not re.fullmatch(r"\W*\d+\W*", bare) else bare.strip("\"'# .")
