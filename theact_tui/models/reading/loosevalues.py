"""One value of loose JSON: where it ends is decided by what follows it, with the known keys at hand.

General repair programs do not know the keys and cut a speech at its first quotation mark.
"""

from __future__ import annotations

import re
from typing import Any

from theact_tui.models.reading.literals import Cut, literal, unescaped
from theact_tui.models.reading.shapes import key_of

_MAX_DEPTH = 24
_CLOSERS = {'"': '"”', "“": '”"“', "„": '“”"', "'": "'’", "‘": "’'", "`": "`", "«": "»"}
_BLANK = re.compile(r"(?:\s+|//[^\n]*|/\*.*?(?:\*/|\Z)|#(?!\d)[^\n]*)*", re.DOTALL)
_COMMAS = re.compile(r"(?:[\s,]+|//[^\n]*|/\*.*?(?:\*/|\Z)|#(?!\d)[^\n]*)*", re.DOTALL)
_STRAY = re.compile(r"[,;{\[\]\s]+")
_SPACE = re.compile(r"\s*")
_QUOTED_KEY = re.compile(r"[\"'“”‘’`]([^\"'“”‘’`\n]{1,60})[\"'“”‘’`]\s*(?:[:：]|=>?)")
_BARE_KEY = re.compile(r"([^\W\d][\w \-]{0,40}?)[\"'”’]?\s*(?:[:：]|=>?)")
_KEY_ALONE = re.compile(r"[\"“]([\w ]{1,40})[\"”]\s*(?=[\"“])")
_NUMBER_KEY = re.compile(r"([\w.#-]{1,40})\s*[:：]")
_KEY_END = re.compile(r"[:：]|=>?")
_BARE_STOP = re.compile(r"[,}\]\n]")


def known_key(text: str, position: int, keys: frozenset[str], *, quoted: bool = False) -> bool:
    """True if a key the reply may have, and its separator, begin at `position`."""
    found = _QUOTED_KEY.match(text, position) or (None if quoted else _BARE_KEY.match(text, position))
    return found is not None and key_of(found[1]) in keys


class Reader:
    """Reads one value from `position` on. Never raises; what it cannot place it steps over."""

    def __init__(self, text: str, position: int, keys: frozenset[str]) -> None:
        self.text = text
        self.position = position
        self.keys = keys

    def value(self, depth: int, inside: str = "") -> Any:
        """The value here. `inside` is the bracket that holds it: `{`, `[` or nothing."""
        self.skip()
        char = self.text[self.position : self.position + 1]
        if depth > _MAX_DEPTH:
            self.position = len(self.text)
            return None
        if char == "{":
            self.position += 1
            return self.mapping_body(depth + 1)
        if char == "[" or (char == "(" and inside != "{"):
            self.position += 1
            return self.list_body(depth + 1)
        if char in _CLOSERS and char:
            return self.string(inside)
        return self.bare(inside)

    def skip(self) -> None:
        """Steps over white space and remarks."""
        blank = _BLANK.match(self.text, self.position)
        self.position = blank.end() if blank else self.position

    def mapping_body(self, depth: int) -> dict[str, Any]:
        """The mapping whose brace was just passed, up to its end or the end of the text."""
        made: dict[str, Any] = {}
        while True:
            self.skip()
            char = self.text[self.position : self.position + 1]
            if char in {"", "}"}:
                self.position += len(char)
                return made
            stray = _STRAY.match(self.text, self.position)
            if stray:
                self.position = stray.end()
                continue
            if self.text.startswith("```", self.position):
                return made
            key = self.key()
            if key is None:
                continue
            name, has_value = key
            made[name] = self.value(depth, "{") if has_value else True
            self.join_strings(made, name)

    def join_strings(self, made: dict[str, Any], name: str) -> None:
        """Adds the following parts of `"one" + "two"`."""
        while isinstance(made[name], str):
            self.skip()
            if self.text[self.position : self.position + 1] != "+":
                return
            self.position += 1
            self.skip()
            if self.text[self.position : self.position + 1] not in _CLOSERS:
                return
            made[name] += self.string("{")

    def key(self) -> tuple[str, bool] | None:
        """The key here and whether a value follows; None after stepping over what is no key."""
        text, start = self.text, self.position
        quoted = _QUOTED_KEY.match(text, start)
        if quoted:
            self.position = quoted.end()
            return quoted[1].strip(), True
        if text[start] in _CLOSERS:
            name = self.string("key")
            self.skip()
            separator = _KEY_END.match(text, self.position)
            if separator:
                self.position = separator.end()
                return name, True
            if key_of(name) in self.keys and text[self.position : self.position + 1] in _CLOSERS:
                return name, True
            return (name, False) if text[self.position : self.position + 1] in {",", "}"} else None
        bare = _BARE_KEY.match(text, start) or _NUMBER_KEY.match(text, start)
        if bare:
            self.position = bare.end()
            return bare[1].strip(), True
        stop = _BARE_STOP.search(text, start)
        self.position = max(start + 1, stop.start() if stop else len(text))
        return None

    def list_body(self, depth: int) -> list[Any]:
        """The list whose bracket was just passed, up to its end, the next key or the end of the text."""
        made: list[Any] = []
        while True:
            self.skip()
            char = self.text[self.position : self.position + 1]
            if char in {"", "]", ")", "}"}:
                self.position += len(char) if char != "}" else 0
                return made
            if char in ",;" or self.text.startswith("- ", self.position):
                self.position += 1
                continue
            if self.runs_into_key():
                return made
            before = self.position
            made.append(self.value(depth, "["))
            if self.position == before:
                self.position += 1

    def runs_into_key(self) -> bool:
        """True where an unclosed list ran into the next key of the reply."""
        if known_key(self.text, self.position, self.keys, quoted=True):
            return True
        line = self.text.rfind("\n", 0, self.position)
        alone = not self.text[line + 1 : self.position].strip()
        return alone and known_key(self.text, self.position, self.keys)

    def string(self, inside: str) -> str:
        """The string whose quotation mark is here."""
        text, start = self.text, self.position
        opener = text[start]
        if opener * 3 == text[start : start + 3]:
            end = text.find(opener * 3, start + 3)
            end = end if end >= 0 else len(text)
            self.position = min(end + 3, len(text))
            return text[start + 3 : end]
        end, after = self.string_end(start + 1, _CLOSERS[opener], inside)
        self.position = after
        made = unescaped(text[start + 1 : end])
        closed = end < len(text) and text[end] in _CLOSERS[opener]
        return made if closed or after < len(text) else Cut(made)

    def string_end(self, start: int, closers: str, inside: str) -> tuple[int, int]:
        """Where the string that began before `start` ends, and where what follows it begins."""
        text, at = self.text, start
        stop = re.compile(rf"\\|\n|[{closers}]")
        while found := stop.search(text, at):
            at = found.start()
            if text[at] == "\\":
                at += 2
            elif text[at] == "\n":
                blank = _SPACE.match(text, at)
                following = blank.end() if blank else at
                if inside != "[" and known_key(text, following, self.keys, quoted=True):
                    return at, following
                at += 1
            elif self.ends_here(at + 1, inside):
                return at, at + 1
            elif (
                inside == "{"
                and known_key(text, at, self.keys, quoted=True)
                and text[start:at].rstrip().endswith(",")
            ):
                return start + len(text[start:at].rstrip()) - 1, at
            else:
                at += 1
        return len(text.rstrip().removesuffix("```").rstrip()), len(text)

    def ends_here(self, position: int, inside: str) -> bool:
        """True if a quotation mark before `position` closes its string: something that may follow a value follows."""
        text = self.text
        blank = _BLANK.match(text, position)
        at = blank.end() if blank else position
        char = text[at : at + 1]
        if inside == "key":
            return char in {"", ":", "：", "=", ",", "}", "\n"} or char in _CLOSERS
        if char in {"", "}", "]", "+", ";"} or text.startswith("```", at):
            return True
        if inside == "{":
            if char == ",":
                blank = _COMMAS.match(text, at + 1)
                at = blank.end() if blank else at
                return text[at : at + 1] in {"", "}"} or self.key_follows(at)
            if char in _CLOSERS and _QUOTED_KEY.match(text, at):
                return True
            return "\n" in text[position:at] and known_key(text, at, self.keys)
        if inside == "[":
            if char in {",", ")"}:
                return self.item_follows(at + 1)
            if char in _CLOSERS and at > position and text[at + 1 : at + 2].isalnum():
                return True
            return "\n" in text[position:at] and known_key(text, at, self.keys)
        return True

    def key_follows(self, at: int) -> bool:
        """True if a key begins at `at`."""
        quoted = _QUOTED_KEY.match(self.text, at)
        if quoted:
            return len(quoted[1].split()) <= 4 or key_of(quoted[1]) in self.keys
        bare = _KEY_ALONE.match(self.text, at)
        return known_key(self.text, at, self.keys) or (bare is not None and key_of(bare[1]) in self.keys)

    def item_follows(self, position: int) -> bool:
        """True if an item of a list, or its end, begins at `position`."""
        blank = _BLANK.match(self.text, position)
        at = blank.end() if blank else position
        char = self.text[at : at + 1]
        if char in _CLOSERS or char in {"", "]", "{", "["}:
            return True
        stop = _BARE_STOP.search(self.text, at)
        return not re.search('["“”]', self.text[at : stop.start() if stop else len(self.text)])

    def bare(self, inside: str) -> Any:
        """A value without quotation marks: a literal, a number, or words up to where the next value begins."""
        text, start = self.text, self.position
        at = start
        while stop := _BARE_STOP.search(text, at):
            at = stop.start()
            if self.bare_ends(at, inside):
                break
            at += 1
        else:
            at = len(text)
        self.position = at
        return literal(text[start:at])

    def bare_ends(self, at: int, inside: str) -> bool:
        """True if the mark at `at` ends a value without quotation marks."""
        char = self.text[at]
        if char in "}]" or inside == "[":
            return True
        blank = _BLANK.match(self.text, at + 1)
        following = blank.end() if blank else at + 1
        if self.text[following : following + 1] in {"", "}"}:
            return True
        if char == "," and self.text[at - 1 : at].isdigit() and self.text[at + 1 : at + 2].isdigit():
            return False
        return self.key_follows(following)
