"""The fields of each agent's structured reply and their kinds; the other names they go by are in `aliases.yaml`."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from importlib.resources import files
from typing import Any, Literal, cast

from rapidfuzz import fuzz, process
from ruamel.yaml import YAML

from theact_tui.story.direct.blocks import FORMS, Form
from theact_tui.story.moments import MOMENT_TYPES
from theact_tui.story.pack import MOODS

FieldKind = Literal[
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
    "named",
]

_AROUND = re.compile(
    r"\A(?:the|list_of|updated|current|your)_|_(?:list|ids|text|names|this_turn|so_far|now|in_this_turn|"
    r"in_this_scene)\Z"
)


@lru_cache(maxsize=2048)
def key_of(name: str) -> str:
    """`name` as keys are compared: lower case, without accents, words joined by one underscore."""
    split = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)
    plain = unicodedata.normalize("NFKD", split).casefold()
    plain = "".join(char for char in plain if not unicodedata.combining(char))
    return re.sub(r"[\W_]+", "_", plain).strip("_")


@dataclass(frozen=True, eq=False)
class ReplyField:
    """One field of a reply."""

    name: str
    kind: FieldKind
    names: tuple[str, ...]
    """Its own name and its aliases, as `key_of` makes them."""
    choices: tuple[str, ...] = ()
    inner: ReplyShape | None = None
    """The shape of an object, or of each in a list."""
    optional: bool = False
    """A reply without it is complete."""
    former: bool = False
    """No prompt asks for it any more."""

    @property
    def shape(self) -> ReplyShape:
        """The fields of an object; without any where the field is none."""
        return self.inner or _EMPTY


@dataclass(frozen=True, eq=False)
class ReplyShape:
    """The fields of a reply or of an object in it. `needed` are those of which one must be there."""

    fields: tuple[ReplyField, ...]
    needed: tuple[str, ...] = ()

    @cached_property
    def by_key(self) -> dict[str, ReplyField]:
        """Fields by every name they have; a name two fields share means the first."""
        return {key: field for field in reversed(self.fields) for key in field.names}

    @cached_property
    def deep_keys(self) -> frozenset[str]:
        """Every known key at any depth."""
        return frozenset((*self.by_key, *(k for field in self.fields for k in field.shape.by_key)))

    @cached_property
    def full(self) -> int:
        """How many fields a complete reply has."""
        return sum(not field.optional for field in self.fields)

    def field(self, key: str) -> ReplyField | None:
        """The field a key means, by name or alias, also with a word such as "list" or "this turn" around it."""
        name = key_of(key)
        return self.by_key.get(name) or self.by_key.get(_AROUND.sub("", name))

    def nearest(self, key: str) -> ReplyField | None:
        """The field a key means, or whose own name it misspells."""
        name = key_of(key)
        known = self.field(key)
        if known or len(name) < 5:
            return known
        near = process.extractOne(name, [f.name for f in self.fields], scorer=fuzz.ratio, score_cutoff=_NEAR)
        return self.by_key[near[0]] if near else None


_EMPTY = ReplyShape(())
_NEAR = 82
"""How alike, in percent, a misspelt name is."""


_DATA: dict[str, Any] = YAML(typ="safe").load(
    files("theact_tui.parsing").joinpath("aliases.yaml").read_text(encoding="utf-8")
)
PROSE_KEYS: tuple[str, ...] = tuple(_DATA["prose"].split())
"""Keys of texts that were asked for as plain prose."""
CHOICE_FORMS: Mapping[str, tuple[str, ...]] = {
    choice: tuple(forms.split()) for choice, forms in _DATA["choices"].items()
}
"""How other words for a choice begin."""

_FIELDS: dict[str, str] = {
    "narrator": "narration:prose responding_characters:ids mood:choice present?:ids asleep?:ids heard_by?:ids setting?:line",
    "progress": "reason:line new_beats:beats quotes?:texts chapter_complete:flag",
    "memory": "summary:prose add:texts remove-:facts update:pairs",
    "update": "old:line new:line",
    "reflection": "want:line hide?:line beliefs?:texts",
    "moment": "moments:objects",
    "moments": "quote:line moment_type:choice moment_summary:line moment_significance:number",
    "keeper": "resolution:line moment_type:choice moment_summary:line moment_significance:number",
    "author_concept": "title:line description:prose tone:line player_name:line player_description:line "
    "characters:named chapters:named",
    "author_setting": "setting:prose rules:prose truth:prose",
    "author_character": "personality:prose want:line secret:prose examples:texts relationships:named",
    "author_chapter": "summary:prose beats:texts completion:line characters:texts secret_of?:line at_first?:line "
    "opening:prose",
    "author_lore": "title:line keys:texts",
}
"""Fields of replies, and of objects within them, in order: `name:kind`; a `?` marks one that may be left out,
a `-` one that only former prompts asked for."""


def _rows_of(group: str, form: Form) -> dict[str, str]:
    """The fields of a form of direct mode, and of the objects within it."""
    made, rows = dict[str, str](), list[str]()
    for name, empty in form.items():
        match empty:
            case dict():
                kind, made = "object", made | _rows_of(name, empty)
            case [dict() as item]:
                kind, made = "objects", made | _rows_of(name, item)
            case list():
                kind = "texts"
            case _:
                kind = "whole" if isinstance(empty, int) else "line"
        rows.append(f"{name}:{kind}")
    return {**made, group: " ".join(rows)}


for _agent, _form in FORMS.items():
    _FIELDS |= _rows_of(_agent, _form)
_CHOICES = {"mood": MOODS, "moment_type": MOMENT_TYPES}


def _fields_of(group: str, agent: str, prefix: str = "") -> tuple[ReplyField, ...]:
    return tuple(_field(told, agent, prefix) for told in _FIELDS[group].split())


def _field(told: str, agent: str, prefix: str) -> ReplyField:
    name, _, kind = told.partition(":")
    mark, name = name[-1], name.rstrip("?-")
    aliases: str = _DATA.get(agent, {}).get(prefix + name, "")
    return ReplyField(
        name,
        cast("FieldKind", kind),
        (name, *map(key_of, aliases.split())),
        _CHOICES.get(name, ()),
        ReplyShape(_fields_of(name, agent, f"{name}.")) if kind in {"object", "objects", "pairs"} else None,
        mark in "?-",
        mark == "-",
    )


def _shape(agent: str, *needed: str) -> ReplyShape:
    """The shape of an agent's reply; without `needed` any one field is enough."""
    fields = _fields_of(agent, agent)
    return ReplyShape(fields, needed or tuple(field.name for field in fields))


NARRATOR = _shape("narrator", "narration")
MEMORY = _shape("memory")
_KEEPER = _shape("keeper", "resolution")
SHAPES: dict[str, ReplyShape] = {
    "narrator": NARRATOR,
    "progress": _shape("progress", "chapter_complete"),
    "memory": MEMORY,
    "reflection": _shape("reflection"),
    "keeper": _KEEPER,
    "moment": ReplyShape(
        (
            *_fields_of("moment", "moment"),
            *(replace(field, optional=True, former=True) for field in _KEEPER.fields),
        ),
        ("moments", "resolution", "moment_type"),
    ),
    "lock": _shape("lock"),
    "delta": _shape("delta"),
    "author_concept": _shape("author_concept", "title", "characters", "chapters"),
    "author_setting": _shape("author_setting", "setting"),
    "author_character": _shape("author_character", "personality"),
    "author_chapter": _shape("author_chapter", "beats"),
    "author_lore": _shape("author_lore", "keys"),
}
PLAIN = ("character", "actor", "summary", "recap", "epilogue", "merge", "cell", "chapter")
AGENTS = (*SHAPES, *PLAIN)
