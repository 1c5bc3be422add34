"""Lore: facts of a world, told when a scene mentions them."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import ceil
from typing import Any

from pydantic import Field, field_validator

from theact_tui.story.matching import is_unspaced, plain
from theact_tui.story.value import Value
from theact_tui.text import estimate_tokens

EVERYONE, NARRATOR = "everyone", "narrator"
NO_PERSON = frozenset({EVERYONE, NARRATOR})
"""Words of `known_by` that are no character's id."""
LORE_SHARE = 0.12
STANDARD_WINDOW = 8192
"""Tokens of an unknown window."""
MAX_ENTRIES, MAX_KEYS, MAX_KEY = 5_000, 200, 200
"""Entries of a pack, keys of an entry, characters of a key."""
PATTERN = re.compile(r"/.+/[a-z]*", re.DOTALL)
"""Key that is a regular expression; stored, never used."""


class LoreEntry(Value):
    id: str
    title: str = ""
    text: str
    keys: tuple[str, ...] = Field(default=(), max_length=MAX_KEYS)
    """Whole words in any case; a final `*` matches any ending."""
    all_of: tuple[str, ...] = Field(default=(), max_length=MAX_KEYS)
    any_of: tuple[str, ...] = Field(default=(), max_length=MAX_KEYS)
    none_of: tuple[str, ...] = Field(default=(), max_length=MAX_KEYS)
    always: bool = False
    known_by: tuple[str, ...] = (EVERYONE,)
    """`everyone`, `narrator` (alone), or ids of characters. The narrator knows all."""
    weight: int = Field(default=100, ge=0, le=1000)
    chapters: tuple[str, ...] = ()
    """Empty for all."""
    enabled: bool = True
    probability: int = Field(default=100, ge=0, le=100)
    """Percent of matching turns that use it."""

    @field_validator("known_by", mode="before")
    @classmethod
    def _one_name(cls, value: Any) -> Any:
        return (value,) if isinstance(value, str) else value

    @property
    def name(self) -> str:
        return self.title or self.id

    @property
    def is_hidden(self) -> bool:
        return EVERYONE not in self.known_by


Books = Mapping[str, tuple[LoreEntry, ...]]


def shared_lore(
    books: Books, new: Iterable[LoreEntry]
) -> tuple[dict[str, tuple[LoreEntry, ...]], list[LoreEntry]]:
    """Give entries of `books` the keys and knowers of new entries that say the same. Return the books that changed,
    and the new entries that say something else.
    """
    places = {
        _what_and_when(entry): (book, at)
        for book, entries in books.items()
        for at, entry in enumerate(entries)
    }
    changed: dict[str, tuple[LoreEntry, ...]] = {}
    others: list[LoreEntry] = []
    for entry in new:
        book, at = places.get(_what_and_when(entry), ("", 0))
        entries = changed.get(book, books.get(book, ()))
        if not entries or len(keys := dict.fromkeys((*entries[at].keys, *entry.keys))) > MAX_KEYS:
            others.append(entry)
            continue
        known_by = dict.fromkeys((*entries[at].known_by, *entry.known_by))
        if EVERYONE in known_by:  # a book for everyone tells nobody what a card keeps to its character
            known_by = dict.fromkeys(entries[at].known_by)
        both = entries[at].model_copy(update={"keys": tuple(keys), "known_by": tuple(known_by)})
        if both != entries[at]:
            changed[book] = (*entries[:at], both, *entries[at + 1 :])
    return changed, others


def _what_and_when(entry: LoreEntry) -> tuple[Any, ...]:
    conditions = (frozenset(keys) for keys in (entry.all_of, entry.any_of, entry.none_of, entry.chapters))
    return (entry.text, entry.always, entry.enabled, *conditions)


@dataclass(frozen=True, slots=True)
class Haystack:
    text: str
    words: frozenset[str]

    @classmethod
    def of(cls, texts: Iterable[str]) -> Haystack:
        """Join texts; no key matches across two of them."""
        flat = " | ".join(f" {plain(text)} " for text in texts if text)
        return cls(flat, frozenset(flat.split()))


@dataclass(frozen=True, slots=True)
class Key:
    written: str
    needle: str
    first: str = ""
    """Word required by the key; "" if not searched by words."""

    def stands_in(self, hay: Haystack) -> bool:
        return (not self.first or self.first in hay.words) and self.needle in hay.text


@dataclass(frozen=True, slots=True)
class LoreMatch:
    entry: LoreEntry
    book: str
    fired: bool
    reason: str
    key: str = ""
    tokens: int = 0


def _estimated(text: str) -> int:
    return ceil(estimate_tokens(text))


@dataclass(frozen=True, slots=True)
class LoreRoom:
    tokens: int = int(STANDARD_WINDOW * LORE_SHARE)
    count: Callable[[str], int] = _estimated


@lru_cache(maxsize=2 * MAX_ENTRIES)
def _keys(written: tuple[str, ...]) -> tuple[Key, ...]:
    """Prepare keys for searching; drop those without words."""
    keys: list[Key] = []
    for text in written:
        flat = "" if PATTERN.fullmatch(text.strip()) else plain(text)
        words = flat.split()
        if not words or is_unspaced(flat):
            keys += [Key(text, flat)] if words else []
        elif text.rstrip().endswith("*"):
            keys.append(Key(text, f" {flat}", first=words[0] if len(words) > 1 else ""))
        else:
            keys.append(Key(text, f" {flat} ", first=words[0]))
    return tuple(keys)


def choose_lore(
    books: Mapping[str, Iterable[LoreEntry]],
    scene: Mapping[str, Sequence[str]],
    *,
    room: LoreRoom,
    chapter: str,
    seed: int,
    turn: int,
    unmatched: bool = False,
) -> tuple[LoreMatch, ...]:
    """Return the entries for a scene: constant ones, then by weight; then those left out, and with `unmatched` all
    others.

    `scene` has texts by place. Equal arguments give equal results.
    """
    parts = {where: Haystack.of(texts) for where, texts in scene.items()}
    text = " | ".join(part.text for part in parts.values())
    hay = Haystack(text, frozenset().union(*(part.words for part in parts.values())))
    wanted: list[LoreMatch] = []
    others: list[LoreMatch] = []
    for book, entry in ((book, entry) for book, entries in books.items() for entry in entries):
        matching_keys = (key for key in _keys(entry.keys) if key.stands_in(hay))
        key = None if entry.always else next(matching_keys, None)
        if key is None and not entry.always and not unmatched:
            continue
        written = key.written if key else ""
        if reason := _why_not(entry, key, hay, chapter, f"{seed}/{turn}/{entry.id}"):
            others.append(LoreMatch(entry, book, False, reason, written))
        elif key is None:
            wanted.append(LoreMatch(entry, book, True, "always"))
        else:
            where = next((where for where, part in parts.items() if key.stands_in(part)), "the scene")
            wanted.append(LoreMatch(entry, book, True, f"'{written}' in {where}", written))
    wanted.sort(key=lambda match: (not match.entry.always, -match.entry.weight))
    return (*_within(wanted, room), *others)


def _why_not(entry: LoreEntry, key: Key | None, hay: Haystack, chapter: str, seed: str) -> str:
    """Explain why an entry is left out, apart from room; "" if not."""
    if not entry.enabled:
        return "it is turned off"
    if not entry.always and key is None:
        return "none of its keys matched"
    if entry.chapters and chapter not in entry.chapters:
        return "it belongs to other chapters"
    if missing := next((other for other in _keys(entry.all_of) if not other.stands_in(hay)), None):
        return f"'{missing.written}' did not match"
    choice = _keys(entry.any_of)
    if choice and not any(other.stands_in(hay) for other in choice):
        return f"none of '{', '.join(other.written for other in choice[:3])}' matched"
    if barred := next((other for other in _keys(entry.none_of) if other.stands_in(hay)), None):
        return f"'{barred.written}' matched"
    if entry.probability < 100 and 100 * random.Random(seed).random() >= entry.probability:
        return f"chance: {entry.probability}%"
    return ""


def _within(wanted: Iterable[LoreMatch], room: LoreRoom) -> Iterator[LoreMatch]:
    """Add tokens to the matches; leave out those beyond the room."""
    left = room.tokens
    for match in wanted:
        text = match.entry.text
        is_hopeless = len(text) > 16 * left
        tokens = _estimated(text) if is_hopeless else room.count(text)
        if tokens <= left and not is_hopeless:
            left -= tokens
            yield replace(match, tokens=tokens)
        else:
            reason = f"no room left: lore has {room.tokens} tokens ({match.reason})"
            yield replace(match, fired=False, tokens=tokens, reason=reason)


def is_entry_about(entry: LoreEntry, text: str) -> bool:
    """True if `text` is in the entry's title or text, or is a key."""
    wanted = plain(text)
    return bool(wanted) and (
        wanted in plain(f"{entry.name} {entry.text}") or wanted in map(plain, entry.keys)
    )


def is_asked_for(entry: LoreEntry, text: str) -> bool:
    hay = Haystack.of([text])
    return any(key.stands_in(hay) for key in _keys(entry.keys))
