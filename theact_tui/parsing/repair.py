"""JSON and YAML as small models write them: bare keys, missing commas and brackets, remarks, cut anywhere."""

import json
import re
from typing import Any

import json_repair

from theact_tui.yaml import build, events

_MOST_BRACKETS = 256
"""Opening brackets that are looked at: time to repair grows with their square, and no form has half as many."""
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.)|\Z)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\n", "b": "", "f": "", "0": ""}
_RULES = tuple(
    (re.compile(pattern), put)
    for pattern, put in (
        (r"\s*(?:`{3}|//[^\n]*|\)\s*;?)\s*\Z", ""),  # what ends a block or a line of code
        (
            r'(?<=[\w.!?…;] )"(?=[\w…])|(?<=[\w,.!?…])"(?= \w)',
            r"\"",
        ),  # speech: no value begins after a word or ends before one
        (r"(?<=:)\s*([\d.]+\s*(?:%|/\s*\d+))", r' "\1"'),  # a number written as a share
        (r"([\w\"'])\s*=>?\s*(?=[\"'`\[{\dTFN-])", r"\1: "),  # as code assigns
        (r"(?<=[\[:,])\s*(<[^<>\"]*>)", r' "\1"'),  # a template left as it was
    )
)
"""What the library would misread, in order."""
_AFTER = re.compile(r"\s*(?:`{3}|//[^\n]*|\)\s*;?)?\s*\Z")
"""What ends a block or a line of code."""
_TAIL = 200
_CUT = re.compile(r"[^\s\"'”’`}\]),]\s*\Z")

_MAPPING = re.compile(r"\{(?=[\s{]*(?://[^\n]*\s*)?[\"'“‘`]?[\w -]{1,60}[\"'”’`]?\s*[:=])")


class Cut(str):
    """A string that the end of the reply cut off."""

    __slots__ = ()


def repaired(text: str) -> Any:
    """The value of the JSON that `text` begins with; None if there is none, or if it is nested beyond any form."""
    if text.count("{") + text.count("[") > _MOST_BRACKETS:
        return None
    text = text.translate(_STRAIGHT) if re.match(r"[\[{\s]*“", text) else text
    text = text[:-_TAIL] + _AFTER.sub("", text[-_TAIL:])
    for pattern, put in _RULES:
        text = pattern.sub(put, text)
    try:
        value = json_repair.loads(text, skip_json_loads=True)
    except (ValueError, RecursionError):
        return None
    return _with_cut(value) if _CUT.search(text) else value


_STRAIGHT = str.maketrans("“”", '""')


def json_value(text: str) -> Any:
    """The value of a JSON document, or None."""
    if not text.lstrip().startswith(("{", "[", '"')):
        return None
    try:
        return json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return None


def _no_constant(name: str) -> Any:
    raise ValueError(name)


_NO_YAML = re.compile(
    r"\A\s*[\[{]|^[ \t]*(?:-[^\s-]|[•–—*]|\d{1,2}[.)][ \t])|^(?P<less>[ \t]*)- [^\n:]*\n(?P=less)[ \t]+- "
    r"|:[ \t]*\n(?:[ \t]+(?!- )[^\n:]+(?:\n|\Z)){2}",
    re.MULTILINE,
)
_NO_REMARK = "\ue000"
"""In place of a number sign: what follows it are words."""


def yaml_value(text: str) -> Any:
    """The mapping or list that `text` is as YAML in lines, or None; so where YAML would join items."""
    from ruamel.yaml.error import YAMLError

    if _NO_YAML.search(text) or text.count("{") + text.count("[") > _MOST_BRACKETS:
        return None
    try:
        value = build(events(re.sub(r"(?<=[^\n])#", _NO_REMARK, text)))
    except (ValueError, YAMLError, StopIteration):
        return None
    return _with_signs(value) if isinstance(value, dict | list) else None


def _with_signs(value: Any) -> Any:
    match value:
        case str():
            return value.replace(_NO_REMARK, "#")
        case list():
            return [*map(_with_signs, value)]
        case dict():
            return {key.replace(_NO_REMARK, "#"): _with_signs(part) for key, part in value.items()}
        case _:
            return value


def mappings(text: str) -> tuple[int, list[dict[str, Any]]]:
    """Where the first mapping of `text` begins, and that one with those that follow it."""
    begun = _MAPPING.search(text)
    at = begun.start() if begun else 0
    value = repaired(text[at:]) if begun else None
    return at, [
        one for one in (value if isinstance(value, list) else [value]) if one and isinstance(one, dict)
    ]


def sequence(text: str) -> list[Any] | None:
    """The list that `text` begins with, or None if it does not begin with a bracket."""
    bare = text.strip()
    if re.match(r"[\[(]\s*[^\W\d]", bare):  # without quotation marks around the items
        return re.split(r"\s*,\s*", bare[1:].rstrip(" )]").strip())
    value = repaired(f"[{bare[1:]}") if bare.startswith(("[", "(")) else None
    return value if isinstance(value, list) else None


def _with_cut(value: Any) -> Any:
    """`value` whose last string is known to be cut off."""
    match value:
        case str():
            return Cut(value)
        case [*before, last]:
            return [*before, _with_cut(last)]
        case dict() if value:
            last = next(reversed(value))
            return {**value, last: _with_cut(value[last])}
        case _:
            return value


def unescaped(text: str) -> str:
    """`text` with backslash escapes resolved; unknown ones lose the backslash."""
    if "\\" not in text:
        return text
    made = _ESCAPE.sub(_resolved, text)
    return made.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _resolved(escape: re.Match[str]) -> str:
    code = escape[1] or escape[2]
    if code:
        return chr(int(code, 16))
    return _ESCAPED.get(escape[3], escape[3]) if escape[3] else ""
