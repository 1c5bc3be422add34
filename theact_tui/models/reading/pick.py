"""Reads each block of a reply in every way there is and picks the reading that explains most (steps 3 to 7)."""

from __future__ import annotations

import re
from typing import Any

from theact_tui.models.reading.answers import Block, blocks, chosen, drafts, without_schema
from theact_tui.models.reading.coerce import settle
from theact_tui.models.reading.context import Context
from theact_tui.models.reading.echoes import without_echoes
from theact_tui.models.reading.fields import SHAPES
from theact_tui.models.reading.lines import FENCE, Record, records
from theact_tui.models.reading.nested import has_text
from theact_tui.models.reading.shapes import Shape


def best_record(text: str, kind: str, shape: Shape, context: Context) -> tuple[Record | None, bool]:
    """Steps 3 to 7: the answer that counts, and whether it stood in a fence."""
    found = blocks(text)
    best = [record for block in found if (record := _of_block(block, kind, shape, context))]
    record = chosen(best, shape)
    fenced = any(block.fenced for block in found)
    if not fenced or (record is not None and _rank(record, shape, context)[1] >= _full(shape)):
        return record, fenced and record is not None
    whole = chosen(without_echoes(records(text, shape), kind, context), shape)
    if whole is None or _rank(whole, shape, context)[1] < _full(shape):
        bare = "\n".join(line for line in text.split("\n") if not FENCE.fullmatch(line))
        whole = _of_block(Block(bare, "", False), kind, shape, context) or whole
    if whole and (record is None or _rank(whole, shape, context)[:2] > _rank(record, shape, context)[:2]):
        return whole, fenced
    return record, fenced and record is not None


def _of_block(block: Block, kind: str, shape: Shape, context: Context) -> Record | None:
    best: Record | None = None
    rank: tuple[bool, int, int] = (False, 0, -9)
    for draft in drafts(without_schema(block.text), shape):
        own = without_echoes(draft, kind, context)
        if draft and not own:
            return None
        record = chosen(own, shape)
        if record is None:
            continue
        score = _rank(record, shape, context)
        if score > rank:
            best, rank = record, score
        if record.how in {"json", "yaml"} and score == (True, _full(shape), 0):
            break
    if best is None:
        return None
    return Record(best.values, f"{block.before}\n{best.before}", best.after, best.how)


def _full(shape: Shape) -> int:
    return sum(not part.optional for part in shape.fields)


def _rank(record: Record, shape: Shape, context: Context) -> tuple[bool, int, int]:
    """How good an answer is: usable, how many fields, and minus the signs that a field swallowed another."""
    fields = settle(shape, record.values, context).fields
    count = sum(part.name in fields for part in shape.fields if not part.optional)
    swallowed = 0
    for part in shape.fields:
        text = fields.get(part.name)
        if isinstance(text, str):
            swallowed += text.endswith(('"}', "```")) + sum(
                name in text
                for name in ("responding_characters", "chapter_complete", "moment_type", "new_beats")
            )
            swallowed += bool(
                re.search(rf"[\"'\n](?:{'|'.join(f.name for f in shape.fields)})[\"']?\s*:", text)
            )
    return not missing(shape, fields), count, -swallowed


def missing(shape: Shape, fields: dict[str, Any]) -> str:
    """The fields of which one is needed and none is there."""
    for name in shape.needed:
        value = fields.get(name)
        if name in fields and (
            has_text(value) if shape in (SHAPES["lock"], SHAPES["delta"]) else value is not None
        ):
            return ""
        if shape is SHAPES["moment"] and name == "moment_type" and name in fields:
            return ""
    return ", ".join(shape.needed)
