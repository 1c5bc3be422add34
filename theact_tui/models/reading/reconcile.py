"""Brings what a model named to what exists: ids of the cast, beats of the chapter, known facts. The rest is dropped."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from rapidfuzz import fuzz

from theact_tui.models.reading.items import MAX_ITEMS, bare_item, items_of
from theact_tui.models.reading.pairs import Pair, pairs_of
from theact_tui.models.reading.values import is_nothing, is_placeholder
from theact_tui.story.matching import CLOSE, MARGIN, match_line

_EVERYONE = re.compile(
    r"(?:all|everyone|everybody|all (?:of them|characters|present)|todos|alle|tous)\W*", re.IGNORECASE
)
_SPLIT = re.compile(
    r"\s*(?:[,;/&+|→>、，；\n]|->|\band then\b|\bthen\b|\band\b|\bthen\b|\by\b|\be\b|\bund\b|\bet\b|\bdann\b)\s*",
    re.IGNORECASE,
)
_SPLIT_BEATS = re.compile(r"\s*(?:[,;|&、，；\n]|\band\b|\by\b|\bund\b|\bet\b)\s*", re.IGNORECASE)
_SENTENCE_SPLIT = (": ", " - ", " -- ", " – ", " — ", " to ", " | ", "; ", ", ", " / ")
_EXCLUDED = re.compile(
    r"\b(?:not|except|but not|without|no|never|isn't|doesn't|silent|leaves?|absent)\b", re.IGNORECASE
)
TITLES = frozenset(
    "father mother brother sister doctor dr captain old young miss mister mr mrs ms sir lady lord uncle aunt "
    "professor prof sergeant major the of de la van von".split()
)

_SAYS_NO = re.compile(r"[:=]\s*(?:no|false|none|silent|nein)\W*\Z", re.IGNORECASE)
_ABSENT = (False, None, "no", "false", "No", "False")


def ids_in(value: Any, cast: Mapping[str, str] | None) -> tuple[list[str], list[str]]:
    """The ids that `value` names, in order and once each, and the names that nobody in the cast has."""
    if isinstance(value, dict) and cast and value and all(find_id(str(key), cast) for key in value):
        bare = all(part is None for part in value.values())
        value = [key for key, part in value.items() if bare or part not in _ABSENT]
    known: list[str] = []
    unknown: list[str] = []
    for item in items_of(value):
        found, missed = _ids_of(item, cast)
        known += found
        unknown += missed
    return list(dict.fromkeys(known)), list(dict.fromkeys(unknown))


def find_id(name: str, cast: Mapping[str, str]) -> str | None:
    """The id that `name` means: an id, a name, part of either, with a title or a remark, or nearly so spelled."""
    if re.search(r"\w['’]s\s+\w", name):
        return None
    for wording in _wordings(name):
        wanted = _slug(wording)
        if wanted:
            found = _exact(wanted, cast) or _partly(wanted, cast)
            if found:
                return found
    wanted = _slug(_wordings(name)[0])
    return _nearly(wanted, cast) if len(wanted) >= 3 else None


def beats_in(value: Any, beats: Sequence[str] | None) -> list[str]:
    """The beats that `value` names, word for word, once each."""
    if beats is None:
        return list(dict.fromkeys(bare_item(item) for item in items_of(value)))
    return list(dict.fromkeys(beats[at] for item in items_of(value) for at in _lines_in(item, beats)))


def facts_in(value: Any, facts: Sequence[str] | None) -> list[str]:
    """The facts that `value` names, word for word, once each."""
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    return beats_in(value, facts)


def updates_in(value: Any, facts: Sequence[str] | None) -> tuple[list[dict[str, str]], list[Pair]]:
    """The pairs whose old text is a known fact, and those whose old text is not."""
    pairs = _paired(pairs_of(value)[:MAX_ITEMS], facts)
    if facts is None:
        return [{"old": old, "new": new} for old, new in pairs], []
    known: list[dict[str, str]] = []
    missed: list[Pair] = []
    for old, new in pairs:
        at = match_line(old, facts) if old else None
        if at is None:
            missed.append((old, new))
        else:
            known.append({"old": facts[at], "new": new})
    return known, missed


def _paired(pairs: list[Pair], facts: Sequence[str] | None) -> list[Pair]:
    """`pairs` with those completed that came as one sentence, or as two lines after each other."""
    made: list[Pair] = []
    for old, new in pairs:
        if old or facts is None:
            made.append((old, new))
            continue
        split = _in_two(new, facts)
        if split:
            made.append(split)
        elif made and not made[-1][0] and match_line(made[-1][1], facts) is not None:
            made[-1] = (made[-1][1], new)
        else:
            made.append(("", new))
    return made


def _in_two(text: str, facts: Sequence[str]) -> Pair | None:
    for separator in _SENTENCE_SPLIT:
        at = text.find(separator)
        while at >= 0:
            head, tail = text[:at].strip(" \"'“”"), text[at + len(separator) :].strip(" \"'“”")
            if tail and not head.isdigit() and match_line(head, facts) is not None:
                return head, tail
            at = text.find(separator, at + 1)
    return None


def _lines_in(item: str, candidates: Sequence[str]) -> list[int]:
    """The candidates one item names: it as a whole, or each of its parts."""
    parts = [part for part in _SPLIT_BEATS.split(item, maxsplit=MAX_ITEMS) if part]
    each = [match_line(part, candidates) for part in parts]
    if len(parts) > 1 and None not in each:
        return [at for at in each if at is not None]
    whole = match_line(item, candidates)
    if whole is None:
        whole = match_line(bare_item(item), candidates) if not _numbered_only(item) else None
    if whole is not None:
        return [whole]
    text = re.sub(
        r"^\W*(?:beats?|facts?|numbers?|items?|nos?\.?|nr\.?)\b[\s#:]*", "", item, flags=re.IGNORECASE
    )
    parts = [part for part in _SPLIT_BEATS.split(text, maxsplit=MAX_ITEMS) if part]
    if len(parts) < 2:
        return []
    found = [match_line(part, candidates) for part in parts]
    if any(at is None for at in found) and any(re.fullmatch(r"\W*\d+\W*", part) for part in parts):
        return []
    return [at for at in found if at is not None]


def _numbered_only(item: str) -> bool:
    return re.fullmatch(r"\W*\d+\W*", item) is not None


def _ids_of(item: str, cast: Mapping[str, str] | None) -> tuple[list[str], list[str]]:
    text = bare_item(item)
    if not text or is_nothing(text) or is_placeholder(text):
        return [], []
    if cast is None:
        return [part for raw in _SPLIT.split(text) if (part := raw.strip(" .\"'`*()[]{}"))], []
    dashed = [find_id(part, cast) for part in re.split(r"\s+[-–•]\s+", text)]
    if len(dashed) > 1 and None not in dashed:
        return [id for id in dashed if id], []
    parts = [part for raw in _SPLIT.split(re.sub(r"\([^()]*\)", _sealed, text)) if (part := _bared(raw))]
    whole = _exact(_slug(text), cast) or (find_id(text, cast) if len(parts) < 2 else None)
    if whole:
        return [whole], []
    if _EVERYONE.fullmatch(text) or (len(cast) == 2 and re.fullmatch(r"both\W*", text, re.IGNORECASE)):
        return list(cast), []
    known: list[str] = []
    unknown: list[str] = []
    for part in parts:
        if is_nothing(part) or _SAYS_NO.search(part):
            continue
        found = find_id(part, cast)
        mentioned = [found] if found else _mentioned(part, cast)
        known += mentioned
        unknown += [] if mentioned else [part]
    return known, unknown


def _sealed(bracket: re.Match[str]) -> str:
    """A remark in brackets without what would cut it in two."""
    return re.sub(r"[^\w() ]", " ", bracket[0])


def _bared(raw: str) -> str:
    return raw.strip(" .\"'`*[]{}")


def _mentioned(text: str, cast: Mapping[str, str]) -> list[str]:
    """Ids named within a phrase, such as "Maya answers first"."""
    words = text.split()
    if len(words) < 2 or _EXCLUDED.search(text):
        return []
    return list(
        dict.fromkeys(
            found for word in words if (found := _exact(_slug(word), cast) or _partly(_slug(word), cast))
        )
    )


def _wordings(name: str) -> list[str]:
    """`name` whole, before a bracket or remark, and inside of the bracket."""
    text = re.sub(
        r"^(?:id|name|character)\s*[:=]\s*", "", name.strip(" \t\"'`*_.[]{}<>@#"), flags=re.IGNORECASE
    )
    head = re.split(r"\s*[(\[:：]|\s+[-–—]\s+", text, maxsplit=1)[0]
    inside = re.search(r"[(\[]([^()\[\]]+)[)\]]?", text)
    return list(dict.fromkeys([text, head, *([inside[1]] if inside else [])]))


@lru_cache(maxsize=2048)
def _slug(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).casefold()
    plain = "".join(char for char in plain if not unicodedata.combining(char))
    plain = re.sub(r"['’]s$", "", plain.strip())
    return re.sub(r"[\W_]+", "_", plain).strip("_")


def _exact(wanted: str, cast: Mapping[str, str]) -> str | None:
    return next((id for id, name in cast.items() if wanted in {_slug(id), _slug(name)}), None)


def _partly(wanted: str, cast: Mapping[str, str]) -> str | None:
    """The only id one of whose words, or of its name's words, is `wanted`, or which begins with it."""
    if not wanted:
        return None
    words = {id: set(_slug(id).split("_")) | set(_slug(name).split("_")) for id, name in cast.items()}
    asked = [word for word in wanted.split("_") if word not in TITLES] or wanted.split("_")
    holding = [id for id, own in words.items() if set(asked) <= own]
    if not holding:
        joined = wanted.replace("_", "")
        holding = [
            id
            for id, name in cast.items()
            if joined in {_slug(id).replace("_", ""), _slug(name).replace("_", "")}
        ]
    if not holding and len(wanted) >= 3:
        holding = [
            id for id, name in cast.items() if _slug(id).startswith(wanted) or _slug(name).startswith(wanted)
        ]
    if not holding and len(asked) > 1:
        holding = [
            id
            for id, own in words.items()
            if _slug(id) in asked or (asked[0] in own and asked[0] == _slug(id))
        ]
    return holding[0] if len(holding) == 1 else None


def _nearly(wanted: str, cast: Mapping[str, str]) -> str | None:
    """The id whose spelling, or whose name's, is close to `wanted` and clearly closer than any other's."""
    scored = sorted(((_closeness(wanted, id, name), id) for id, name in cast.items()), reverse=True)
    if not scored or scored[0][0] < CLOSE:
        return None
    if len(scored) > 1 and scored[0][0] - scored[1][0] < MARGIN:
        return None
    return scored[0][1]


def _closeness(wanted: str, id: str, name: str) -> float:
    slugs = {
        _slug(id),
        _slug(name),
        *(word for word in _slug(name).split("_") if word not in TITLES and len(word) > 3),
    }
    return max(fuzz.ratio(wanted, slug) for slug in slugs) / 100
