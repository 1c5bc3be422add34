"""The fields of each form by every name they may have, and which of them a key means."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import get_args

from pydantic import AliasChoices
from pydantic.fields import FieldInfo
from rapidfuzz import fuzz, process

from theact_tui.parsing.forms import MODELS, FieldKind, Form, Kind, PageBlock

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
    name: str
    kind: FieldKind
    names: tuple[str, ...]
    """Its own name and its aliases, as `key_of` makes them."""
    choices: tuple[str, ...] = ()
    inner: ReplyShape | None = None
    """The shape of an object, or of each in a list."""
    optional: bool = False
    """A reply without it is complete."""
    must: bool = False
    """A reply is incomplete unless it says something of everybody who is asked about."""

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

PROSE_KEYS = tuple(
    (
        "text reply response answer content message output dialogue dialog speech line says said prose narration "
        "story chapter chapter_text summary updated_summary new_summary rolling_summary recap chapter_recap "
        "epilogue memory entry diary diary_entry memories merged_memories memory_entry new_memory new_entry cell "
        "merged merged_summary result character actor reaction resumen texto respuesta zusammenfassung antwort "
        "resume reponse body final_answer final "
    ).split()
)
"""Keys of texts that were asked for as plain prose."""


@lru_cache(maxsize=64)
def shape_of(model: type[Form]) -> ReplyShape:
    """The fields of a form."""
    fields = tuple(map(_field, model.model_fields, model.model_fields.values()))
    return ReplyShape(fields, model.needed or tuple(model.model_fields))


def _field(name: str, field: FieldInfo) -> ReplyField:
    kind = next(each for each in field.metadata if isinstance(each, Kind))
    also = field.validation_alias.choices if isinstance(field.validation_alias, AliasChoices) else ()
    inner = next((each for each in (field.annotation, *get_args(field.annotation)) if _is_form(each)), None)
    names = (name, *(key_of(str(each)) for each in also))
    return ReplyField(
        name, kind.name, names, kind.choices, shape_of(inner) if inner else None, kind.optional, kind.must
    )


def _is_form(annotation: object) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, Form)


SHAPES = {agent: shape_of(model) for agent, model in MODELS.items()}
BLOCK, MEMORY = shape_of(PageBlock), SHAPES["memory"]
PLAIN = ("narrator", "character", "actor", "summary", "recap", "epilogue", "merge", "cell", "chapter")
AGENTS = (*SHAPES, *PLAIN)
