"""What single JSON tokens stand for: escapes within strings, bare words and numbers."""

from __future__ import annotations

import re
from typing import Any

_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.)|\Z)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\n", "b": "", "f": "", "0": ""}
_NUMBER = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d{1,3})?")
_LITERALS: dict[str, Any] = {
    "true": True,
    "false": False,
    "null": None,
    "none": None,
    "undefined": None,
    "nil": None,
}


class Cut(str):
    """A string that the end of the reply cut off."""

    __slots__ = ()


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


def literal(text: str) -> Any:
    """A bare word as what it stands for: true, false, null, a number, or itself."""
    bare = text.strip()
    lowered = bare.casefold()
    if lowered in _LITERALS:
        return _LITERALS[lowered]
    if _NUMBER.fullmatch(bare):
        return int(bare) if re.fullmatch(r"[-+]?\d{1,15}", bare) else float(bare)
    return bare
