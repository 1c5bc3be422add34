"""JSON and YAML read to the letter, with limits on size, depth and aliases. What does not parse is None (S13)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

MAX_CHARACTERS = 65_536
MAX_DEPTH = 24

_ANCHOR = re.compile(r"(?:^|[\s\[{,:-])[&*][A-Za-z0-9_]+[ \t]*(?=[\s,\]}]|$)|<<[ \t]*:")
_COMMENT = re.compile(r"\S[ \t]+(#[^\s#][^\n]*)")
_NESTED_MARKS = re.compile(r"(?:[-?:,][ \t]+){12}")
"""`- - - -` nests, too; the parser in C would recurse until it crashes."""


def parse_json(text: str) -> Any:
    """The value of a JSON document, or None."""
    if not text.lstrip().startswith(("{", "[", '"')) or _too_deep(text):
        return None
    try:
        return json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return None


def parse_yaml(text: str) -> Any:
    """The value of a YAML document, or None. Remarks after `#` and anchors are left to the tolerant steps."""
    if len(text) > MAX_CHARACTERS or text.lstrip().startswith("{") or _too_deep(text) or _ANCHOR.search(text):
        return None
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        value = YAML(typ="safe", plug_ins=[]).load(text)
    except (
        YAMLError,
        ValueError,
        TypeError,
        KeyError,
        AttributeError,
        IndexError,
        RecursionError,
        OverflowError,
    ):
        return None
    return None if _lost_remark(text, value) else value


def _lost_remark(text: str, value: Any) -> bool:
    """True if YAML took for a comment what may be text: "locker #7"."""
    remarks = _COMMENT.findall(text)
    return bool(remarks) and not all(
        remark.rstrip("\"' ]},") in "\n".join(_leaves(value)) for remark in remarks
    )


def _leaves(value: Any) -> Iterator[str]:
    match value:
        case dict():
            for part in (*value, *value.values()):
                yield from _leaves(part)
        case list():
            for part in value:
                yield from _leaves(part)
        case _:
            yield str(value)


def _no_constant(name: str) -> Any:
    raise ValueError(name)


def _too_deep(text: str) -> bool:
    opened = deepest = 0
    for char in re.findall(r"[\[\]{}]", text):
        opened += 1 if char in "[{" else -1
        deepest = max(deepest, opened)
    if _NESTED_MARKS.search(text):
        return True
    widest = max((len(white) for white in re.findall(r"^[ \t]*(?=\S)", text, re.MULTILINE)), default=0)
    return deepest > MAX_DEPTH or widest > 200
