"""Find the character that a name in a reply means."""

import re
from collections.abc import Mapping
from typing import Any

from rapidfuzz import fuzz, process

from theact_tui.parsing.no_answer import is_nothing, is_placeholder
from theact_tui.parsing.unwrap import bare_item
from theact_tui.story.names import Names, name_key

_EVERYONE = re.compile(r"(?:all|everyone|everybody|all (?:of them|characters|present))\W*", re.IGNORECASE)
_SPLIT = re.compile(r"\s*(?:[,;/&+|→>、，；\n]|->|\band then\b|\bthen\b|\band\b)\s*", re.IGNORECASE)
_REMARK = re.compile(r"\s+[-–—]\s+")
_MIN_ABBREVIATED = 3
"""Letters: the shortest beginning of a name."""


def ids_in(value: Any, cast: Mapping[str, str] | None) -> tuple[list[str], list[str]]:
    """Return the ids that `value` names, in order and once each, and unknown names."""
    ids: list[str] = []
    unknown: list[str] = []
    for item in value if isinstance(value, list | tuple) else [value]:
        if isinstance(item, dict):
            item = item.get("id") or item.get("name")
        named, unmatched = _ids_of(item, cast) if isinstance(item, str) else ([], [])
        ids += named
        unknown += unmatched
    return list(dict.fromkeys(ids)), list(dict.fromkeys(unknown))


def find_id(name: str, cast: Mapping[str, str]) -> str | None:
    """Return the id that `name` means: an id, a name, or part of either, with a title or remark, or misspelt."""
    if re.search(r"\w['’]s\s+\w", name):
        return None
    people = Names(cast)
    for wording in _wordings(name):
        ids = people.meant(wording, abbreviated=_MIN_ABBREVIATED)
        if len(ids) == 1:
            return ids[0]
    near = process.extract(
        name_key(name), {id: name_key(id) for id in cast}, scorer=fuzz.ratio, score_cutoff=85
    )
    return near[0][2] if len(near) == 1 else None


def _ids_of(item: str, cast: Mapping[str, str] | None) -> tuple[list[str], list[str]]:
    text = bare_item(item)
    if not text or is_nothing(text) or is_placeholder(text):
        return [], []
    if cast is None:
        return [part for raw in _SPLIT.split(text) if (part := raw.strip(" .\"'`*()[]{}"))], []
    named = re.sub(r"(?<=\w) ?\([^()]*\)", "", text)
    dashed = [_exact(part, cast) for part in _REMARK.split(named)]
    if len(dashed) > 1 and all(dashed):
        return [id for id in dashed if id], []
    parts = [part for raw in _SPLIT.split(named) if (part := raw.strip(" .\"'`*[]{}"))]
    whole = _exact(text, cast) or (find_id(text, cast) if len(parts) < 2 else None)
    if whole:
        return [whole], []
    if _EVERYONE.fullmatch(text):
        return list(cast), []
    ids: list[str] = []
    unknown: list[str] = []
    for part in parts:
        if is_nothing(part):
            continue
        id = find_id(part, cast)
        ids += [id] if id else []
        unknown += [] if id else [part]
    return ids, unknown


def _wordings(name: str) -> list[str]:
    """Return `name` whole, and up to a bracket or remark."""
    text = re.sub(
        r"^(?:id|name|character)\s*[:=]\s*", "", name.strip(" \t\"'`*_.[]{}<>@#"), flags=re.IGNORECASE
    )
    head = re.split(r"\s*[(\[:：]|\s+[-–—]\s+", text, maxsplit=1)[0]
    return list(dict.fromkeys([text, head]))


def _exact(text: str, cast: Mapping[str, str]) -> str | None:
    key = name_key(text)
    return next((id for id, name in cast.items() if key in {name_key(id), name_key(name)}), None)
