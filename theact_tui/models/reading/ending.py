"""A reply that was cut off: the beginning of a mark, an item or a key at its very end is no text (step 2)."""

from __future__ import annotations

import re

from theact_tui.models.reading.shapes import Shape, key_of

_OPEN_MARK = re.compile(r"\n[ \t]*(?:`{1,2}|[-*•–]|<[\w/]{0,12})[ \t]*\Z|(?<!\\)\\(?:u[0-9a-fA-F]{0,3})?\Z")
_OPEN_LINE = re.compile(r"\n[ \t]*[\"'*_#-]{0,4}[ \t]*(?P<key>[^\W\d][\w ]{0,40})[\"'*_]{0,3}[ \t]*\Z")
_OPEN_PART = re.compile(r"(?<=[\"'”\]}\w])\s*,\s*[\"'“](?P<key>[\w ]{0,40})[\"'”]?\s*:?\s*\Z")
_EMPTY_LAST = re.compile(
    r"\n[ \t]*[\"'*_-]{0,4}(?P<key>[^\W\d][\w ]{0,40})[\"'*_]{0,3}[ \t]*[:=][ \t]*(?:[\"'“]|0?\.)?[ \t]*\Z"
)


def without_open_end(text: str, shape: Shape) -> str:
    """`text` without an unfinished mark or key at its end."""
    bare = _OPEN_MARK.sub("", text.rstrip("\n"))
    part = _OPEN_PART.search(bare) if "{" in bare else None
    if part and _begins_key(part["key"], shape):
        return bare[: part.start()]
    line = _OPEN_LINE.search(bare)
    if line and line["key"].strip() and _begins_key(line["key"], shape):
        return bare[: line.start()]
    empty = _EMPTY_LAST.search(bare)
    field = shape.field(empty["key"]) if empty else None
    if empty and field is not None and field.kind in {"number", "line", "choice", "flag"}:
        return bare[: empty.start()]
    return bare


def _begins_key(text: str, shape: Shape) -> bool:
    """True if a field's own name begins with `text`, which may be nothing yet."""
    begun = key_of(text)
    return any(field.name.startswith(begun) for field in shape.fields)
