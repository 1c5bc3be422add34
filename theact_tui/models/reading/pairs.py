"""Updates of facts in every shape small models give a pair of old and new."""

from __future__ import annotations

import re
from itertools import groupby
from typing import Any

from theact_tui.models.reading.fields import MEMORY
from theact_tui.models.reading.items import bare_item, text_of
from theact_tui.models.reading.keylines import folded
from theact_tui.models.reading.literals import Cut
from theact_tui.models.reading.loosejson import mapping, sequence
from theact_tui.models.reading.shapes import key_of
from theact_tui.models.reading.values import is_nothing, is_placeholder

_PARTS = next(field.parts for field in MEMORY.fields if field.name == "update")
_OLD, _NEW = _PARTS[0].names, _PARTS[1].names
_NUMBERS = ("number", "index", "nr", "id", "fact_number", "fact_id")


def _label(names: tuple[str, ...]) -> str:
    spelled = sorted((name.replace("_", "[ _-]?") for name in names), key=len, reverse=True)
    return rf"[\"'*_`{{]*(?:{'|'.join(spelled)})[\"'*_`]*"


_OLD_LINE = re.compile(rf"{_label(_OLD)}(?:[ \t]*#?\d+)?[ \t]*(?:[:=]|=>)[*_]{{0,2}}[ \t]*", re.IGNORECASE)
_NEW_LINE = re.compile(rf"{_label(_NEW)}[ \t]*(?:[:=]|=>)[*_]{{0,2}}[ \t]*", re.IGNORECASE)
_ITEM = re.compile(r"[ \t]*(?:[-+•▪‣◦●–*]|\d{1,2}[.)])[ \t]")
_BETWEEN = re.compile(
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

Pair = tuple[str, str]
"""Old and new; old is empty when the model did not say what it replaces."""


def pairs_of(value: Any) -> list[Pair]:
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


def _pairs(value: Any) -> list[Pair]:
    match value:
        case str():
            return _of_text(value)
        case dict():
            return _of_mapping(value)
        case list() | tuple():
            return _of_list(list(value))
        case _:
            return []


def _of_list(parts: list[Any]) -> list[Pair]:
    made: list[Pair] = []
    for single, grouped in groupby(parts, key=lambda part: isinstance(part, dict) and len(part) == 1):
        group = list(grouped)
        made += _of_single_maps(group) if single else [pair for part in group for pair in _of_one(part)]
    return made


def _of_one(part: Any) -> list[Pair]:
    if (
        isinstance(part, list | tuple)
        and len(part) == 2
        and not any(isinstance(one, dict | list) for one in part)
    ):
        return [(text_of(part[0]), text_of(part[1]))]
    if isinstance(part, int | float):
        return [("", str(part))]
    return _pairs(part)


def _of_single_maps(parts: list[Any]) -> list[Pair]:
    """`- old: a` and `- new: b` as items of their own, or `- a: b`."""
    made: list[Pair] = []
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
            made += _of_mapping(part)
    return made


def _of_mapping(value: dict[Any, Any]) -> list[Pair]:
    plain = {key_of(str(key)): part for key, part in value.items()}
    new = next((plain[key] for key in _NEW if key in plain), None)
    olds = [plain[key] for key in (*_OLD, *_NUMBERS) if key in plain]
    if new is not None and olds and not isinstance(new, dict | list):
        return [(text_of(olds[0]), text_of(new))]
    made: list[Pair] = []
    for key, part in value.items():
        if isinstance(part, dict):
            inner = {key_of(str(name)): text for name, text in part.items()}
            told = next((inner[name] for name in _NEW if name in inner), None)
            has_old = any(name in inner for name in _OLD)
            made += _of_mapping(part) if has_old or told is None else [(str(key), text_of(told))]
        elif isinstance(part, list):
            made += _of_list(part)
        elif key_of(str(key)) in _NEW:
            made.append(("", text_of(part)))
        elif isinstance(part, str) and (_ARROW.search(str(key)) or _WAS.fullmatch(f"{key}: {part}")):
            made += _of_text(f"{key}: {part}")
        elif part is not None and key_of(str(key)) not in _OLD:
            made.append((str(key), text_of(part)))
    return made


def _of_text(text: str) -> list[Pair]:
    text = text.strip()
    if is_nothing(text) or is_placeholder(text):
        return []
    if text.startswith("["):
        found = sequence(text, frozenset((*_OLD, *_NEW)))
        if found is not None and found:
            return _of_list(found)
    if text.startswith("{"):
        found_mapping = mapping(text, frozenset((*_OLD, *_NEW)))
        if found_mapping:
            return _of_mapping(found_mapping)
    return _of_lines(text)


def _of_lines(text: str) -> list[Pair]:
    """Labelled lines, arrows and sentences, with lines that continue the one before."""
    made: list[Pair] = []
    old: str | None = None
    new: str | None = None
    last: str = ""
    for whole in text.split("\n"):
        line = _bare(whole)
        if not line:
            continue
        if _ITEM.match(whole) and last == "new first":
            made, new = [*made, ("", new or "")], None
        plain = folded(line)
        begins_old, begins_new = _OLD_LINE.match(plain), _NEW_LINE.match(plain)
        if begins_new and old is not None:
            made.append((old, _clean(line[begins_new.end() :])))
            old, last = None, "new"
        elif begins_old:
            both = _BETWEEN.search(plain, begins_old.end()) or _ARROW.search(plain, begins_old.end())
            if new is not None and not both:
                made.append((_clean(line[begins_old.end() :]), new))
                new, last = None, "new"
            elif both:
                made.append((_clean(line[begins_old.end() : both.start()]), _clean(line[both.end() :])))
                old, last = None, "new"
            else:
                old, last = _clean(line[begins_old.end() :]), "old"
        elif begins_new:
            new, last = _clean(line[begins_new.end() :]), "new first"
        elif pair := _in_sentence(line):
            made.append(pair)
            old, last = None, "new"
        elif last == "old" and old is not None:
            old = f"{old} {line}".strip()
        elif last == "new" and made and not _ITEM.match(whole):
            made[-1] = (made[-1][0], f"{made[-1][1]} {line}".strip())
        else:
            made.append(("", _clean(line)))
            last = ""
    return [*made, ("", new)] if new else made


def _bare(line: str) -> str:
    """`line` without its list mark; a number in front is kept, it may be the fact's."""
    text = re.sub(r"^[ \t]*(?:[-+•▪‣◦●–*][ \t]+|[{}\[\],]+[ \t]*$)", "", line).strip()
    return text.lstrip("{").strip() if text.startswith("{") else text


def _in_sentence(line: str) -> Pair | None:
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
