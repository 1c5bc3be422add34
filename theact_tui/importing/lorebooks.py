import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from types import MappingProxyType
from typing import Any

from theact_tui.errors import UsageError
from theact_tui.importing.macros import MACRO, Expansion
from theact_tui.importing.plain import without_markup
from theact_tui.importing.read_untrusted import items, table
from theact_tui.story.lore import EVERYONE, MAX_ENTRIES, MAX_KEY, MAX_KEYS, NARRATOR, PATTERN, LoreEntry
from theact_tui.text import counted, is_slug, one_line, slug, unique_slug

OURS = "theact"
"""Field of `extensions` for values that other programs lack."""
OURS_OF_LORE = ("known_by", "all_of", "any_of", "none_of", "chapters")
_LOGIC_NAMES = {"or": 0, "and_any": 0, "not_all": 1, "not": 2, "not_any": 2, "and": 3, "and_all": 3}
LOGIC = {0: "any_of", 1: "none_of", 2: "none_of", 3: "all_of"}
"""SillyTavern's `selectiveLogic`; 1 with several keys: not all may match."""
NOT_ALL = 1
_NAMES = {
    "text": "content value entry text",  # SillyTavern and cards; Agnai, AI Dungeon, Backyard; NovelAI
    "keys": "key keys keywords",
    "title": "name comment title displayName",
    "others": "keysecondary secondary_keys secondaryKeys secondkey",
    "weight": "priority insertion_order order insertorder",
    "always": "constant alwaysActive forceActivation",
    "off": "disable widisabled hidden",
    "pattern": "use_regex useRegex",
}
_RECURSION = (
    "exclude_recursion", "excludeRecursion", "prevent_recursion", "preventRecursion", "delay_until_recursion",
    "delayUntilRecursion",
)  # fmt: skip
_DECORATOR = re.compile(r"\s*@@@?(\w+)[ \t]*([^\n]*)(?:\n|$)")


@dataclass(slots=True)
class _Draft:
    """Entry between a program's form and ours."""

    text: str
    keys: list[str]
    title: str
    conditions: dict[str, list[str]]
    always: bool
    enabled: bool
    weight: Any
    probability: Any
    lost: list[str]
    """Unsupported features: names in `_TOLD`."""
    only: list[str]
    """Names of characters that know it, or do not."""
    is_excluding: bool
    pattern: bool
    """Keys are regular expressions."""
    by_meaning: bool
    """Its program also finds it by meaning."""
    ours: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class LoreFound:
    entries: tuple[LoreEntry, ...]
    name: str = ""
    left_out: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()


def read_lorebook(
    value: Any,
    expand: Expansion,
    *,
    known_by: Sequence[str] = (EVERYONE,),
    taken: Iterable[str] = (),
    people: Mapping[str, str] = MappingProxyType({}),
) -> LoreFound:
    """Convert a book, with ids not in `taken`; `people` are character names by id. Raises UsageError."""
    drafts = [
        _draft(entry) for entry in _entries(value) if entry and entry.get("mode") not in ("folder", "child")
    ]
    if len(drafts) > MAX_ENTRIES:
        raise UsageError(
            f"The lorebook has {counted(len(drafts), 'entry', 'entries')}; a pack may have {MAX_ENTRIES:,}."
        )
    ids, counts, entries = set(taken), Counter[str](), []
    for draft in drafts:
        _decorate(draft)
        text = expand(draft.text).strip()
        if not text:
            counts.update(["empty", *(loss for loss in draft.lost if loss == "decorator")])
            continue
        title = one_line(expand(draft.title), 120)
        named = title or next(filter(str.strip, draft.keys), text[:40])
        keys = _usable_keys(draft, map(expand, draft.keys))
        others = {
            name: map(expand, typed_keys) for name, typed_keys in draft.conditions.items() if not draft.ours
        }
        conditions = {name: tuple(_usable_keys(draft, expanded)) for name, expanded in others.items()}
        conditions |= _ours(draft, people) if draft.ours else {}
        knowers = conditions.pop("known_by", ()) or _knowing(draft, people) or tuple(known_by)
        title = title if draft.ours.get("title") != "" else ""
        id = _id(draft.ours.get("id"), named, ids)
        ids.add(id)
        is_keyless = draft.enabled and not (keys or draft.always)
        counts.update(draft.lost)
        if is_keyless or not draft.enabled:
            counts["off" if not draft.enabled else "by meaning" if draft.by_meaning else "keyless"] += 1
        entries.append(
            LoreEntry(
                id=id,
                title=title,
                text=text,
                keys=tuple(keys),
                **conditions,
                always=draft.always,
                known_by=knowers,
                weight=_within(draft.weight, 1000),
                probability=_within(draft.probability, 100),
                enabled=draft.enabled and not is_keyless,
            )
        )
    book = table(value)
    name = _first(book, "name", default="") or _first(table(book.get("lorebook")), "name", default="")
    sentences = {
        key: sentence.format(n=counts[key], entries=f"{counted(counts[key], 'entry', 'entries')} of lore")
        for key, sentence in _TOLD.items()
        if counts[key]
    }
    changed = tuple(sentences.pop(key) for key in _CHANGED if key in sentences)
    return LoreFound(tuple(entries), one_line(name, 80), tuple(sentences.values()), changed)


_TOLD = {
    "empty": "{entries} without text.",
    "pattern": "Keys that are regular expressions ({n}): kept, but not used.",
    "timed": "Timing of {entries} (sticky, cooldown, delay): only their keys are used.",
    "grouped": "Groups of lore, of which one entry was used at a time ({entries}): only their keys are used.",
    "recursive": "Rules by which entries call others ({entries}): here no entry calls another.",
    "macro": "Keys with macros that nothing here stands for ({n}): kept, but they match nothing.",
    "tagged": "The condition that a character has a tag ({entries}).",
    "for some": "For certain characters: {entries}. Only these and the narrator know them.",
    "for others": "For characters who are not in the story: {entries}. Only the narrator knows them.",
    "not all": "The condition 'not all of these' ({entries}): only their primary keys are used.",
    "keys": "Keys that are too long or too many ({n}).",
    "cased": "Keys that heed capital letters ({entries}): here a key is found in any case.",
    "off": "Turned off, as before: {entries}.",
    "keyless": "Turned off, for want of a key: {entries}.",
    "by meaning": "Turned off, for want of a key: {entries}, which SillyTavern finds by meaning.",
    "decorator": "Marks for other programs in entries of lore, lines that begin with @@ ({n}).",
}

_CHANGED = ("off", "keyless", "by meaning", "for some", "for others")
"""Members of `_TOLD` that lose nothing."""


def _id(own: Any, named: str, taken: Collection[str]) -> str:
    is_free = isinstance(own, str) and is_slug(own) and own not in taken
    return own if is_free else unique_slug(named, taken, "entry")


def _ours(draft: _Draft, people: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """Read conditions and knowers from our own export."""
    fields = {
        name: tuple(_usable_keys(draft, _words(draft.ours.get(name), split=False))) for name in OURS_OF_LORE
    }
    ids = {name.casefold(): id for id, name in people.items()}
    names = {
        id: name.casefold() for id, name in table(draft.ours.get("names")).items() if isinstance(name, str)
    }
    knowers = (ids.get(names.get(id, ""), id) for id in fields["known_by"])
    allowed = tuple(id for id in knowers if id in (EVERYONE, NARRATOR, *people))
    return {**fields, "known_by": allowed or ((NARRATOR,) if fields["known_by"] else ())}


def _knowing(draft: _Draft, people: Mapping[str, str]) -> tuple[str, ...]:
    named = {slug(name.removeprefix("default_")) for name in draft.only}
    named_ids = [id for id, name in people.items() if named & {id, slug(name)}]
    if not named or (draft.is_excluding and not named_ids):
        return ()
    draft.lost.append("for some" if named_ids else "for others")
    return (*(id for id in people if (id in named_ids) != draft.is_excluding), NARRATOR)


def _entries(value: Any) -> Iterator[Mapping[str, Any]]:
    """Yield a list's entries, such as AI Dungeon's, or those of all lists in a book."""
    if isinstance(value, list):
        yield from map(_with_patterns, map(table, value))
        return
    for name, part in table(value).items():
        parts = [*map(table, part.values() if isinstance(part, dict) else items(part))]
        if name == "data" and isinstance(part, dict):
            yield from _entries(part)
        elif name in ("entries", "worldinfo", "data") or all(map(is_entry, parts)):
            yield from parts


def is_entry(value: Any) -> bool:
    names = table(value).keys()
    return all(names & {*_NAMES[field].split()} for field in ("keys", "text"))


_TAIL = re.compile(r"#\[[^\]]{0,300}\][^\s,]*")


def _with_patterns(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    """Read an AI Dungeon entry, whose keys may be patterns."""
    keys = entry.get("keys")
    return {**entry, "keys": _TAIL.sub("", keys), "useRegex": True} if isinstance(keys, str) else entry


def _draft(fields: Mapping[str, Any]) -> _Draft:
    """Read any program's entry; `extensions` win."""
    more = {**fields, **table(fields.get("extensions"))}

    def named(field: str, default: Any = None) -> Any:
        return _first(fields, *_NAMES[field].split(), default=default)

    keys, against = _words(named("keys")), _words(fields.get("keyanti"))
    is_selective = fields.get("selective", "keysecondary" in fields)
    others = _words(named("others")) if is_selective else []
    logic = _first(more, "selectiveLogic", "selective_logic")
    logic = _LOGIC_NAMES.get(str(logic).lower(), _number(logic, 0))
    if "contextConfig" in fields:  # NovelAI joins keys that must all be there
        joined = [key.split("&") for key in _words(fields.get("keys"), split=False)]
        keys = [parts[0].strip() for parts in joined]
        others, logic = [part.strip() for parts in joined[:1] if len(joined) == 1 for part in parts[1:]], 3
    only = table(fields.get("characterFilter"))
    lost = {
        "cased": _first(more, "case_sensitive", "caseSensitive") is True,
        "timed": any(more.get(name) for name in ("sticky", "cooldown", "delay")),
        "grouped": more.get("group"),
        "recursive": any(more.get(name) for name in _RECURSION),
        "tagged": only.get("tags"),
        "not all": logic == NOT_ALL and len(others) > 1,
    }
    conditions = {LOGIC.get(logic, "any_of"): [] if lost["not all"] else others}
    is_by_chance = _first(more, "useProbability", "use_probability", default=True)
    from_sillytavern = bool({"display_index", "selectiveLogic", "selective_logic"} & more.keys())
    return _Draft(
        text=without_markup(named("text", "")),
        keys=keys,
        title=named("title", ""),
        conditions={**conditions, **({"none_of": against} if against else {})},
        always=named("always") is True or fields.get("mode") == "constant",
        enabled=fields.get("enabled", True) is not False and not named("off"),
        weight=_first(table(fields.get("contextConfig")), "budgetPriority", default=named("weight", 100)),
        probability=_first(more, "probability", "activationPercent", default=100) if is_by_chance else 100,
        lost=[name for name, is_lost in lost.items() if is_lost],
        only=_words(only.get("names"), split=False),
        is_excluding=only.get("isExclude") is True,
        pattern=named("pattern") is True and ("useRegex" in fields or not from_sillytavern),
        by_meaning=more.get("vectorized") is True,
        ours=table(more.get(OURS)),
    )


def _decorate(draft: _Draft) -> None:
    off, at = False, 0
    while match := _DECORATOR.match(draft.text, at):
        at = match.end()
        name, values = match[1], _words(match[2])
        draft.always |= name == "activate"
        off |= name == "dont_activate"
        if name == "additional_keys" and not draft.conditions.get("any_of"):
            draft.conditions["any_of"] = values
        elif name == "exclude_keys":
            draft.conditions["none_of"] = [*draft.conditions.get("none_of", ()), *values]
        elif name not in ("activate", "dont_activate"):
            draft.lost.append("decorator")
    draft.text = draft.text[at:]
    if off and not draft.always:
        draft.enabled = False


def _usable_keys(draft: _Draft, keys: Iterable[str]) -> list[str]:
    usable = []
    for key in filter(None, map(str.strip, keys)):
        draft.lost += ["macro"] if MACRO.search(key) else []
        if draft.pattern and SIGNS.search(key) and not PATTERN.fullmatch(key):
            key = f"/{key}/"
        if PATTERN.fullmatch(key):
            words = pattern_words(key[1:].rpartition("/")[0])
            draft.lost += [] if words else ["pattern"]
            usable += words
            key = key if not words else ""
        usable += [key] if 0 < len(key) <= MAX_KEY else []
        draft.lost += ["keys"] if len(key) > MAX_KEY else []
    draft.lost += ["keys"] * (len(usable) - MAX_KEYS)
    return list(dict.fromkeys(usable))[:MAX_KEYS]


_COMMA = re.compile(r",(?![^()]{0,300}\))")


def _words(value: Any, *, split: bool = True) -> list[str]:
    if isinstance(value, str):
        value = _COMMA.split(value) if split else [value]
    return [one_line(key, MAX_KEY + 1) for key in items(value) if isinstance(key, str) and key.strip()]


def _first(fields: Mapping[str, Any], *names: str, default: Any = None) -> Any:
    values = (fields[name] for name in names if fields.get(name) not in (None, ""))
    return next(
        (value for value in values if not isinstance(default, str) or isinstance(value, str)), default
    )


def _number(value: Any, default: int) -> int:
    return int(value) if isinstance(value, (int, float)) and abs(value) < 1e9 else default


def _within(value: Any, most: int) -> int:
    return max(0, min(most, _number(value, 100)))


MAX_WORDS = 50
SIGNS = re.compile(r"[\\\[\](){}|^$+?]|\.\*")


def pattern_words(pattern: str) -> list[str]:
    """List all texts that a pattern matches: `salt( |)gate` gives `salt gate` and `saltgate`. None for patterns that
    are not simple, or more than `MAX_WORDS` texts.
    """
    try:
        texts, end = _alternatives(pattern, 0)
    except (_NotSimple, IndexError):
        return []
    plain = dict.fromkeys(" ".join(text.split()) for text in texts)
    return [text for text in plain if text] if end == len(pattern) else []


class _NotSimple(Exception):
    pass


def _alternatives(pattern: str, at: int) -> tuple[list[str], int]:
    texts, current = list[str](), [""]
    while at < len(pattern) and pattern[at] != ")":
        if pattern[at] == "|":
            texts, current, at = [*texts, *current], [""], at + 1
            continue
        part, at = _part(pattern, at)
        if pattern[at : at + 1] == "?":
            part, at = [*part, ""], at + 1
        current = ["".join(both) for both in product(current, part)]
        if len(current) + len(texts) > MAX_WORDS:
            raise _NotSimple
    return [*texts, *current], at


def _part(pattern: str, at: int) -> tuple[list[str], int]:
    sign = pattern[at]
    if sign == "(":
        begin = at + (3 if pattern.startswith("(?:", at) else 1)
        texts, end = _alternatives(pattern, begin)
        if pattern[end] != ")" or pattern[begin] == "?":
            raise _NotSimple
        return texts, end + 1
    if sign == "[":
        letters = pattern[at + 1 : pattern.index("]", at)] if "]" in pattern[at:] else ""
        if not letters.isalnum():
            raise _NotSimple
        return list(letters), at + len(letters) + 2
    if sign == "\\":
        meaning = {"b": "", "s": " "}.get(pattern[at + 1], pattern[at + 1])
        if len(meaning) == 1 and meaning.isalnum():
            raise _NotSimple
        return [meaning], at + 2
    if sign in "^$":
        return [""], at + 1
    if sign in "*+?{.]}":
        raise _NotSimple
    return [sign], at + 1
