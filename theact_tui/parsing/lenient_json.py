"""JSON as small models write it: bare keys, missing commas and brackets, remarks, inner quotes, cut anywhere.

Where a string ends is decided by what follows it, with the keys of the reply at hand. Programs that repair any JSON
do not know them: they end a speech at its first quotation mark, read `60%` as 60 and keep a string that was cut off.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from theact_tui.parsing.shapes import key_of

_MAX_DEPTH = 24
_MAX_TRIES = 12
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.)|\Z)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\n", "b": "", "f": "", "0": ""}
_NUMBER = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d{1,3})?")
_LITERALS = {"true": "true", "false": "false", **dict.fromkeys(("null", "none", "undefined", "nil"), "null")}
_CLOSERS = {'"': '"”', "“": '”"“', "„": '“”"', "'": "'’", "‘": "’'", "`": "`", "«": "»"}
_BLANK = re.compile(r"(?:\s+|//[^\n]*|/\*.*?(?:\*/|\Z)|#(?!\d)[^\n]*)*", re.DOTALL)
_JOINTS = re.compile(r"(?:[\s,;]+|//[^\n]*|/\*.*?(?:\*/|\Z)|#(?!\d)[^\n]*)+", re.DOTALL)
_QUOTED_KEY = re.compile(r"[\"'“”‘’`]([^\"'“”‘’`\n]{1,60})[\"'“”‘’`]\s*(?:[:：]|=>?)")
_BARE_KEY = re.compile(r"([^\W\d][\w \-]{0,40}?|[\w.#-]{1,40})[\"'”’]?\s*(?:[:：]|=>?)")
_BARE_STOP = re.compile(r"[,}\]\n]")
_CUT_MARK = "\ue000"


class Cut(str):
    """A string that the end of the reply cut off."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class FoundMapping:
    """A mapping found in a text, and where."""

    start: int
    end: int
    value: dict[str, Any]


def mappings(text: str, keys: frozenset[str]) -> Iterator[FoundMapping]:
    """The outermost mappings of `text` one after another; `keys` are those a reply may have."""
    position, tries = text.find("{"), 0
    while position >= 0 and tries < _MAX_TRIES:
        tokens = _Tokens(text, position, keys)
        value = tokens.value()
        if isinstance(value, dict) and value:
            yield FoundMapping(position, tokens.position, value)
            position = text.find("{", tokens.position)
        else:
            position = text.find("{", position + 1)
        tries += 1


def sequence(text: str, keys: frozenset[str] = frozenset()) -> list[Any] | None:
    """The list that `text` begins with, or None if it does not begin with a bracket."""
    bare = text.lstrip()
    if not bare.startswith(("[", "(")):
        return None
    value = _Tokens(f"[{bare[1:]}", 0, keys).value()
    return value if isinstance(value, list) else None


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


class _Tokens:
    """Goes from `position` on to the end of one value and writes its tokens as JSON."""

    def __init__(self, text: str, position: int, keys: frozenset[str]) -> None:
        self.text = text
        self.position = position
        self._keys = keys
        self._written: list[str] = []
        self._open: list[str] = []

    def value(self) -> Any:
        """The value; None if it cannot be made out."""
        while self.position < len(self.text) and self._step() and self._open:
            pass
        try:
            return _marked(json.loads(self._closed()))
        except (ValueError, RecursionError):
            return None

    def _closed(self) -> str:
        """The tokens as a document: with the commas and brackets that they lack, without those they have too many."""
        made = [""]
        for token in (*self._written, *("}" if mark == "{" else "]" for mark in reversed(self._open))):
            last = made[-1]
            if token in "}]," and last == ":":
                made.append("null")
            elif token in "}]" and last == ",":
                made.pop()
            elif token not in "}],:" and last and last not in "{[,:":
                made.append(",")
            if token != "," or last not in {"", "{", "[", ","}:
                made.append(token)
        return "".join(made)

    def _step(self) -> bool:
        """Writes the next token; False where the value is over without its bracket."""
        text, at = self.text, self.position
        char = text[at]
        if text.startswith("```", at) or len(self._open) > _MAX_DEPTH:
            return False
        if joint := _JOINTS.match(text, at):
            self.position = joint.end()
            if self._written[-1] not in "{[,:" and {",", ";"} & set(joint[0]):
                self._written.append(",")
        elif char in "{[":
            self._open.append("{" if char == "{" else "[")
            self._write(self._open[-1], at + 1)
        elif char in "}])":
            self._close(char)
        elif self._open[-1:] == ["{"] and self._written[-1] != ":":
            self._key()
        elif self._open[-1:] == ["["] and self._runs_into_key():
            self._open.pop()
            self._write("]", at)
        elif char in _CLOSERS:
            self._string()
        else:
            self._bare()
        return True

    def _write(self, token: str, position: int) -> None:
        self._written.append(token)
        self.position = position

    def _close(self, char: str) -> None:
        inner = self._open[-1:]
        if char == "}" and inner == ["["]:
            self._open.pop()
            self._written.append("]")
        elif (char == "}") != (inner == ["{"]):
            self.position += 1
        else:
            self._open.pop()
            self._write("}" if char == "}" else "]", self.position + 1)

    def _key(self) -> None:
        """The key here; what cannot be one is stepped over."""
        text, at = self.text, self.position
        found = _QUOTED_KEY.match(text, at) or _BARE_KEY.match(text, at)
        if found:
            self._write(json.dumps(found[1].strip()), found.end())
            self._written.append(":")
        elif text[at] in _CLOSERS:
            self.position = self._string_end(at + 1, _CLOSERS[text[at]])[1]
        else:
            stop = _BARE_STOP.search(text, at)
            self.position = max(at + 1, stop.start() if stop else len(text))

    def _runs_into_key(self) -> bool:
        """True where an unclosed list ran into the next key of the reply."""
        line = self.text.rfind("\n", 0, self.position)
        alone = not self.text[line + 1 : self.position].strip()
        return self.known_key(self.position, quoted=not alone)

    def known_key(self, position: int, *, quoted: bool = False) -> bool:
        """True if a key the reply may have, and its separator, begin at `position`."""
        found = _QUOTED_KEY.match(self.text, position)
        found = found or (None if quoted else _BARE_KEY.match(self.text, position))
        return found is not None and key_of(found[1]) in self._keys

    def _string(self) -> None:
        """The string whose quotation mark is here."""
        text, at = self.text, self.position
        end, after = self._string_end(at + 1, _CLOSERS[text[at]])
        closed = after < len(text) or text[end : end + 1] in _CLOSERS[text[at]]
        told = unescaped(text[at + 1 : end].replace("''", "'")) + (
            "" if closed and end < len(text) else _CUT_MARK
        )
        self._write(json.dumps(told), after)

    def _string_end(self, start: int, closers: str) -> tuple[int, int]:
        """Where the string that began before `start` ends, and where what follows it begins."""
        text, at, listed = self.text, start, self._open[-1:] == ["["]
        stop = re.compile(rf"\\|\n|[{closers}]")
        while found := stop.search(text, at):
            at = found.start()
            if text[at] == "\\" or (closers[0] == "'" and text[at : at + 2] == "''"):
                at += 2
            elif text[at] == "\n":
                following = self._after_blank(at)
                if not listed and self.known_key(following, quoted=True):
                    return at, following
                at += 1
            elif self._ends_string(at + 1, listed=listed):
                return at, at + 1
            else:
                at += 1
        return len(text.rstrip().removesuffix("```").rstrip()), len(text)

    def _ends_string(self, position: int, *, listed: bool) -> bool:
        """True if a quotation mark before `position` closes its string: something that may follow a value follows."""
        text, at = self.text, self._after_blank(position)
        char = text[at : at + 1]
        if char in {"", "}", "]", "+", ";"} or text.startswith("```", at):
            return True
        if listed and char in {",", ")"}:
            return True
        if char == ",":
            joint = _JOINTS.match(text, at)
            at = joint.end() if joint else at
            return text[at : at + 1] in {"", "}"} or self._key_follows(at)
        if listed and char in _CLOSERS and at > position and text[at + 1 : at + 2].isalnum():
            return True
        return not listed and char in _CLOSERS and _QUOTED_KEY.match(text, at) is not None

    def _after_blank(self, position: int) -> int:
        blank = _BLANK.match(self.text, position)
        return blank.end() if blank else position

    def _key_follows(self, at: int) -> bool:
        """True if a key begins at `at`."""
        quoted = _QUOTED_KEY.match(self.text, at)
        if quoted:
            return len(quoted[1].split()) <= 4 or key_of(quoted[1]) in self._keys
        return self.known_key(at)

    def _bare(self) -> None:
        """A value without quotation marks: a literal, a number, or words up to where the next value begins."""
        text, at = self.text, self.position
        while stop := _BARE_STOP.search(text, at):
            at = stop.start()
            if self._ends_bare(at):
                break
            at += 1
        else:
            at = len(text)
        told = text[self.position : at].strip()
        at = max(at, self.position + 1)
        known = _LITERALS.get(told.casefold())
        if known is None and _NUMBER.fullmatch(told):
            known = json.dumps(int(told) if re.fullmatch(r"[-+]?\d{1,15}", told) else float(told))
        self._write(known or json.dumps(told), at)

    def _ends_bare(self, at: int) -> bool:
        """True if the mark at `at` ends a value without quotation marks."""
        text, char = self.text, self.text[at]
        if char in "}]" or self._open[-1:] == ["["]:
            return True
        following = self._after_blank(at + 1)
        if text[following : following + 1] in {"", "}"}:
            return True
        return self._key_follows(following)


def _marked(value: Any) -> Any:
    """`value` with the strings that were cut off as such."""
    match value:
        case str():
            return Cut(value[:-1]) if value.endswith(_CUT_MARK) else value
        case list():
            return [_marked(part) for part in value]
        case dict():
            return {str(_marked(key)): _marked(part) for key, part in value.items()}
        case _:
            return value
