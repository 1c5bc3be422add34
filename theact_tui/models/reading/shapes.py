"""What the shape of a structured reply is made of: fields, their kinds, and names compared without decoration."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal

Kind = Literal[
    "prose",
    "line",
    "flag",
    "number",
    "whole",
    "choice",
    "ids",
    "beats",
    "texts",
    "facts",
    "pairs",
    "object",
    "objects",
]


@lru_cache(maxsize=2048)
def key_of(name: str) -> str:
    """`name` as keys are compared: lower case, without accents, words joined by one underscore."""
    split = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)
    plain = unicodedata.normalize("NFKD", split).casefold()
    plain = "".join(char for char in plain if not unicodedata.combining(char))
    return re.sub(r"[\W_]+", "_", plain).strip("_")


_AROUND = re.compile(
    r"\A(?:the|list_of|updated|current|your)_|_(?:list|ids|text|names|this_turn|so_far|now|in_this_turn|"
    r"in_this_scene)\Z"
)


@dataclass(frozen=True, eq=False)
class Field:
    """One field of a reply. `aliases` are other names for it, separated by spaces."""

    name: str
    kind: Kind
    aliases: str = ""
    weak: str = ""
    """Names that mean this field only if nothing better is there, and only as keys of a mapping."""
    choices: tuple[str, ...] = ()
    parts: tuple[Field, ...] = ()
    optional: bool = False
    """A reply without it is complete."""

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Its own name and all others, as `key_of` makes them."""
        return (self.name, *map(key_of, self.aliases.split()))


@dataclass(frozen=True, eq=False)
class Shape:
    """The fields of a reply. `needed` are those of which one must be there."""

    fields: tuple[Field, ...]
    needed: tuple[str, ...]

    @cached_property
    def by_key(self) -> dict[str, Field]:
        """Fields by every name they have; a name two fields share means the first."""
        return {key: field for field in reversed(self.fields) for key in field.names}

    @cached_property
    def weak(self) -> dict[str, Field]:
        """Fields by the names that mean them only for want of better."""
        return {key: field for field in self.fields for key in field.weak.split()}

    @cached_property
    def deep_keys(self) -> frozenset[str]:
        """Every known key at any depth."""
        return frozenset(self.by_key) | _part_keys(self.fields) | frozenset(self.weak)

    def field(self, key: str) -> Field | None:
        """The field a key means, by name or alias, also with a word such as "list" or "this turn" around it."""
        name = key_of(key)
        return self.by_key.get(name) or self.by_key.get(_AROUND.sub("", name))


def _part_keys(fields: tuple[Field, ...]) -> frozenset[str]:
    keys: frozenset[str] = frozenset()
    for field in fields:
        keys |= {key for part in field.parts for key in part.names} | _part_keys(field.parts)
    return keys
