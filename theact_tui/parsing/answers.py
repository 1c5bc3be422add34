"""The answer in a reply: strict JSON or YAML, else JSON that is repaired, else lines by key."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from theact_tui.parsing.coerce import Coerced, coerce
from theact_tui.parsing.lines import FENCE, Candidate, records, value_of
from theact_tui.parsing.objects import has_text
from theact_tui.parsing.refusals import without_echoes
from theact_tui.parsing.repair import json_value, mappings, yaml_value
from theact_tui.parsing.shapes import SHAPES, ReplyField, ReplyShape, key_of
from theact_tui.parsing.types import ReplyContext
from theact_tui.story.direct.blocks import FORMS

MAX_BLOCKS = 12
_OUTER_TAG = re.compile(r"</?(?:answer|final_answer|response|output|ya?ml|json|result|reply)>", re.IGNORECASE)
_TAG = re.compile(
    r"<(?P<key>[a-z][\w -]{2,40})>(?P<text>.*?)(?:</\s*(?P=key)\s*>|(?=\n<[a-z])|\Z)", re.I | re.S
)


def best_answer(
    text: str, shape: ReplyShape, context: ReplyContext
) -> tuple[Candidate | None, Coerced, bool]:
    """The answer that says most of those in `text`, its fields, and whether it stood in a fence."""
    fenced = _blocks(text)
    unfenced = "\n".join(line for line in text.split("\n") if not FENCE.fullmatch(line))
    best: tuple[Candidate | None, Coerced, bool] = (None, Coerced(), False)
    highest = (False, -1)
    for block in [*fenced, unfenced]:
        for found in _drafts(block, shape):
            own = without_echoes(found, context)
            for record in own:
                made = coerce(shape, record.values, context)
                rank = (
                    not missing(shape, made.fields),
                    sum(part.name in made.fields for part in shape.fields if not part.optional),
                )
                if rank > highest:
                    best, highest = (record, made, block is not unfenced), rank
            if (found and not own) or highest == (True, shape.full):
                break
        if highest == (True, shape.full):
            break
    return best


def missing(shape: ReplyShape, fields: dict[str, Any]) -> str:
    """The fields of which one is needed and none is there."""
    notes = any(shape is SHAPES[kind] for kind in FORMS)
    for name in shape.needed:
        value = fields.get(name)
        if has_text(value) if notes else value is not None:
            return ""
    return ", ".join(shape.needed)


def _blocks(text: str) -> list[str]:
    """The fenced blocks of `text`; an unclosed fence goes to the end."""
    found: list[list[str]] = [[]]
    inside = False
    for line in text.split("\n"):
        if FENCE.fullmatch(line) and not line.startswith((" ", "\t")):
            inside = not inside or not any(part.strip() for part in found[-1])
            found += [[]] if not inside else []
        elif inside:
            found[-1].append(line)
    return ["\n".join(block) for block in found if any(line.strip() for line in block)][:MAX_BLOCKS]


def _drafts(text: str, shape: ReplyShape) -> Iterator[list[Candidate]]:
    """The ways to read one block, the strictest first; each gives the answers it sees, in order."""
    text = _OUTER_TAG.sub("\n", text)
    if (exact := json_value(text)) is not None:
        yield [Candidate(values, "json") for values in values_of(exact, shape)]
    elif isinstance(plain := yaml_value(text), dict):
        yield [Candidate(values, "yaml") for values in values_of(plain, shape)]
    if re.match(r"\s*\"\w+\"\s*:\s*[\[{]", text):
        text = f"{{{text}}}"
    if "{" in text:
        found = [values for mapping in mappings(text)[1] for values in values_of(mapping, shape)]
        yield [Candidate(values, "loose json") for values in found]
        if found and text.lstrip().startswith("{"):
            return
    if in_tags := _tagged(text, shape):
        yield [Candidate(in_tags, "tags")]
    yield records(text, shape)


def _tagged(text: str, shape: ReplyShape) -> dict[str, Any]:
    """Fields between tags of their names; one is closed by its own, the next one or the end."""
    values: dict[str, Any] = {}
    for found in _TAG.finditer(text if "</" in text else ""):
        if (field := shape.field(found["key"])) is not None:
            values.setdefault(field.name, value_of(field, found["text"].strip("\n")))
    return values


def values_of(value: Any, shape: ReplyShape) -> Iterator[dict[str, Any]]:
    """The answers in a parsed document: itself, or what an outer key or list holds."""
    if isinstance(value, list):
        for part in value:
            yield from values_of(part, shape)
    if not isinstance(value, dict):
        return
    values: dict[str, Any] = {}
    aliases: dict[str, Any] = {}
    for key, part in value.items():
        field = shape.nearest(str(key))
        if field is None or (key_of(str(key)) != field.name and _holds_answer(field, part, shape)):
            for inner in values_of(part, shape):
                aliases = {**inner, **aliases}
        else:
            (values if key_of(str(key)) == field.name else aliases).setdefault(field.name, part)
    if found := {**aliases, **values}:
        yield found


def _holds_answer(field: ReplyField, part: Any, shape: ReplyShape) -> bool:
    """True if the value of another name for `field` is, or lists, a whole answer."""
    if isinstance(part, list):
        return any(isinstance(one, dict) and _holds_answer(field, one, shape) for one in part)
    others = {one.name for one in shape.fields}.difference(field.shape.by_key)
    return isinstance(part, dict) and bool({*map(str, part)} & others)
