"""The answer in a reply: strict JSON, else JSON that is repaired, else fields between tags or lines by key."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from theact_tui.parsing.coerce import coerce
from theact_tui.parsing.lines import FENCE, Candidate, folded, records
from theact_tui.parsing.objects import has_text
from theact_tui.parsing.refusals import without_echoes
from theact_tui.parsing.repair import mappings
from theact_tui.parsing.shapes import SHAPES, ReplyField, ReplyShape, key_of
from theact_tui.parsing.types import ReplyContext
from theact_tui.story.direct.blocks import FORMS

MAX_BLOCKS = 12
OUTER_TAG = re.compile(
    r"</?(?:answer|final_answer|response|output|ya?ml|json|result|reply|root|data|block|final|assistant|format|"
    r"xml|code)>|<\?xml[^<>]*\?>",
    re.IGNORECASE,
)


def best_answer(text: str, shape: ReplyShape, context: ReplyContext) -> tuple[Candidate | None, bool]:
    """The answer that says most of those in `text`, and whether it stood in a fence."""
    fenced = blocks(text)
    best, highest = _best_of(fenced or [text], shape, context)
    if fenced and highest[1] < shape.full:
        unfenced = "\n".join(line for line in text.split("\n") if not FENCE.fullmatch(line))
        whole, rank = _best_of([unfenced], shape, context)
        best = whole if rank > highest else best
    return best, bool(fenced) and best is not None


def _best_of(
    texts: list[str], shape: ReplyShape, context: ReplyContext
) -> tuple[Candidate | None, tuple[bool, int]]:
    best, highest = None, (False, -1)
    for text in texts:
        for found in drafts(text, shape):
            own = without_echoes(found, context)
            for record in own:
                if (rank := _rank(record, shape, context)) > highest:
                    best, highest = record, rank
            if (found and not own) or highest == (True, shape.full):
                break
    return best, highest


def _rank(record: Candidate, shape: ReplyShape, context: ReplyContext) -> tuple[bool, int]:
    """How good an answer is: whether it is usable, and how many fields it has."""
    fields = coerce(shape, record.values, context).fields
    return not missing(shape, fields), sum(part.name in fields for part in shape.fields if not part.optional)


def missing(shape: ReplyShape, fields: dict[str, Any]) -> str:
    """The fields of which one is needed and none is there."""
    notes = any(shape is SHAPES[kind] for kind in FORMS)
    for name in shape.needed:
        value = fields.get(name)
        if has_text(value) if notes else value is not None or (name == "moment_type" and name in fields):
            return ""
    return ", ".join(shape.needed)


def blocks(text: str) -> list[str]:
    """The fenced blocks of `text`; an unclosed fence goes to the end."""
    found: list[str] = []
    inside: list[str] | None = None
    for line in text.split("\n"):
        fence = FENCE.fullmatch(line)
        if fence and not any(part.strip() for part in inside or ()):
            inside = []
        elif fence and inside is not None and not line.startswith((" ", "\t")):
            found.append("\n".join(inside))
            inside = None
        elif inside is not None:
            inside.append(line)
    if inside is not None and any(line.strip() for line in inside):
        found.append("\n".join(inside))
    return found[:MAX_BLOCKS]


def drafts(text: str, shape: ReplyShape) -> Iterator[list[Candidate]]:
    """The ways to read one block, the strictest first; each gives the answers it sees, in order."""
    text = OUTER_TAG.sub("\n", text)
    if re.match(r"\s*\"\w+\"\s*:\s*[\[{]", text):
        text = f"{{{text}}}"
    exact = parse_json(text)
    if exact is not None:
        yield [Candidate(values, "json") for values in values_of(exact, shape)]
    if "{" in text:
        loose = [
            Candidate(values, "loose json")
            for mapping in mappings(text)[1]
            for values in values_of(mapping, shape)
        ]
        yield loose
        if loose and text.lstrip().startswith("{"):
            return
    if in_tags := tagged(text, shape):
        yield in_tags
    yield records(text, shape)


def parse_json(text: str) -> Any:
    """The value of a JSON document, or None."""
    if not text.lstrip().startswith(("{", "[", '"')):
        return None
    try:
        return json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return None


def _no_constant(name: str) -> Any:
    raise ValueError(name)


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


@lru_cache(maxsize=16)
def _tag(shape: ReplyShape) -> re.Pattern[str]:
    names = "|".join(name.replace("_", "[_ -]?") for name in sorted(shape.by_key, key=len, reverse=True))
    return re.compile(rf"<(?P<key>{names})(?:\s[^<>]*)?>(?P<text>.*?)(?:</\s*(?P=key)\s*>|\Z)", re.I | re.S)


def tagged(text: str, shape: ReplyShape) -> list[Candidate]:
    """Fields between tags of their names."""
    values: dict[str, Any] = {}
    for found in _tag(shape).finditer(folded(text) if "<" in text else ""):
        inside = text[found.start("text") : found.end("text")]
        values.setdefault(shape.by_key[key_of(found["key"])].name, inside.strip())
    return [Candidate(values, "tags")] if values else []
