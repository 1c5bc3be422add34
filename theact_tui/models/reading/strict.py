"""JSON and YAML read to the letter, with limits on size, depth and aliases. What does not parse is None (S13)."""

from __future__ import annotations

import json
import re
from typing import Any

MAX_CHARACTERS = 65_536
MAX_DEPTH = 24

_ANCHOR = re.compile(r"(?:^|[\s\[{,:-])[&*][A-Za-z0-9_]+[ \t]*(?=[\s,\]}]|$)|<<[ \t]*:")
_COMMENT = re.compile(r"\S[ \t]+#")


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
    if (
        len(text) > MAX_CHARACTERS
        or text.lstrip().startswith("{")
        or _too_deep(text)
        or _ANCHOR.search(text)
        or _COMMENT.search(text)
    ):
        return None
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        return YAML(typ="safe").load(text)
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


def _no_constant(name: str) -> Any:
    raise ValueError(name)


def _too_deep(text: str) -> bool:
    opened = deepest = 0
    for char in re.findall(r"[\[\]{}]", text):
        opened += 1 if char in "[{" else -1
        deepest = max(deepest, opened)
    widest = max((len(white) for white in re.findall(r"^[ \t]*(?=\S)", text, re.MULTILINE)), default=0)
    return deepest > MAX_DEPTH or widest > 200
