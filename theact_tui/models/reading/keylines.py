"""Finds the lines that begin a field: a known name, in any case and decoration, with whatever stands for the colon."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from rapidfuzz import fuzz, process

from theact_tui.models.reading.shapes import Field, Shape, key_of
from theact_tui.models.reading.values import flag_of, is_nothing

_EMOJI = "\u2600-\u27bf\U0001f300-\U0001faff"
_LEFT = re.compile(
    r"(?P<indent>[ \t]*)(?P<bullet>(?:[-+•▪‣◦●–—*]|\(?\d{1,2}[.)])[ \t]+)?"
    rf"(?P<mark>(?:\#{{1,6}}[ \t]*|[{_EMOJI}]\ufe0f?[ \t]*|[*_`\"'“”‘’«\[(【<{{|=~>-]{{1,6}}[ \t]*){{0,3}})"
)
_RIGHT = re.compile(
    r"(?:[ _]?(?:list|ids|text|names|this turn|so far|now|in this turn|in this scene))?(?P<remark>[ \t]?\?|[ "
    r"\t]*\([^()\n]{0,60}\))?(?P<close>(?:[ \t]+(?:={2,}|-{2,}|~{2,})|"
    r"[*_`\"'“”’»\])】>}~]{0,6}(?:={2,}|-{2,})?))"
    r"(?:[ \t]*\([^()\n]{0,60}\))?[ \t]*(?P<sep>[:：]{1,2}=?|=>?|->|→|[-–—](?=[ \t]))?"
    r"(?P<close2>[*_`]{1,3})?[ \t]*(?P<rest>.*)"
)
_CELL = re.compile(r"(?P<remark>)(?P<close>[*_`]*)[ \t]*(?P<sep>\|)(?P<close2>)[ \t]*(?P<rest>.*)")
_YAML_TAG = re.compile(r"\A(?:(?:&\w+|!{1,2}\w+)\s+)+")
_ANY_KEY = re.compile(r"([^\W\d][\w -]{3,40}?)[ \t]*(?=[*_`\"'”’]{0,4}[ \t]*[:：=])")
_HEAD = re.compile(rf"[\s\-+•▪‣◦●–—*#_`\"'“”‘’«\[(【<{{|=~>.\d){_EMOJI}\ufe0f]*[^\W\d_]")

_LONGEST = 200
"""Characters in which a name ends, however it is spaced."""


class _Bare(dict[int, str]):
    """Each character without its accent."""

    def __missing__(self, code: int) -> str:
        return unicodedata.normalize("NFD", chr(code))[0]


_BARE = _Bare()


@dataclass(frozen=True, slots=True)
class KeyLine:
    """A line that begins `field`; `rest` is what stands after the separator."""

    field: Field
    indent: int
    bulleted: bool
    rest: str
    exact: bool
    """The field's own name, not an alias."""
    lower: bool
    """Written without capitals."""


def folded(line: str) -> str:
    """`line` without accents, character by character, so that positions stay."""
    if line.isascii():
        return line
    return line.translate(_BARE)


def indent_of(line: str) -> int:
    """Columns of white space `line` begins with; a tab counts two."""
    white = line[: len(line) - len(line.lstrip())]
    return len(white.replace("\t", "  "))


def key_line(line: str, shape: Shape, *, in_prose: bool = False) -> KeyLine | None:
    """The field that `line` begins, or None. In prose a key must also be followed by a value it may have."""
    left = _LEFT.match(line)
    if left is None or not _HEAD.match(line):
        return None
    found = _known(line, left.end(), shape)
    if found is None:
        return None
    field, end, exact = found
    right = (_CELL if left["mark"].startswith("|") else _RIGHT).match(line, end)
    if right is None:
        return None
    rest = _YAML_TAG.sub("", right["rest"].strip())
    if left["mark"].startswith("|"):
        rest = rest.rstrip("|").strip()
    lower = line[left.end() : end].islower()
    key = KeyLine(field, indent_of(line), bool(left["bullet"]), rest, exact, lower)
    return key if _means_key(key, left["mark"].strip(), right, in_prose) else None


def _means_key(key: KeyLine, mark: str, right: re.Match[str], in_prose: bool) -> bool:
    asked = "?" if (right["remark"] or "").strip() == "?" else ""
    separator, close = right["sep"] or asked, right["close"]
    fits = may_follow(key.field, key.rest)
    if close.startswith(">>"):
        return fits
    if separator in {"-", "–", "—"}:
        return fits and not in_prose and (key.exact or bool(mark))
    if separator:
        return fits if in_prose and not mark.startswith("#") else True
    if not key.rest:
        return bool(mark) or key.exact or not (in_prose or key.field.kind == "prose")
    if mark and close and mark[0] in "*_[【=`":
        return fits
    return key.exact and not in_prose and _fits_without_separator(key)


def _fits_without_separator(key: KeyLine) -> bool:
    """True for `narration |`, `mood tense`, `responding_characters [maya]`: nothing a sentence would go on with."""
    words = key.rest.split()
    match key.field.kind:
        case "prose" | "line":
            return key.rest[0] in '|>"“' or (key.lower and len(words) > 2)
        case "ids":
            return key.rest[0] in "[{(" or len(words) == 1
        case "choice":
            return len(words) <= 2 and any(choice[:5] in words[0].casefold() for choice in key.field.choices)
        case "flag":
            return len(words) <= 3 and flag_of(key.rest) is not None
        case "number":
            return len(words) == 1 and may_follow(key.field, key.rest)
        case _:
            return key.rest[0] in "[{"


def may_follow(field: Field, rest: str) -> bool:
    """True if `rest` may be the value of `field` as far as its kind tells."""
    if not rest or is_nothing(rest):
        return True
    words = rest.split()
    match field.kind:
        case "flag":
            return flag_of(rest) is not None
        case "number":
            return bool(re.search(r"\d", rest)) and len(words) <= 8
        case "choice":
            return len(words) <= 4 or any(choice[:5] in rest[:24].casefold() for choice in field.choices)
        case "ids":
            return rest[0] in "[{(\"'" or len(words) <= 12
        case _:
            return True


@lru_cache(maxsize=16)
def _names(shape: Shape) -> re.Pattern[str]:
    """All names of the shape's fields, longest first, with any joints between their words."""
    joined = sorted(shape.by_key, key=len, reverse=True)
    spelled = ("[ _-]*".join(map(re.escape, name.split("_"))) for name in joined)
    return re.compile(rf"(?:{'|'.join(spelled)})(?![^\W_]|_[^\W_]|['’]\w)", re.IGNORECASE)


def _known(line: str, start: int, shape: Shape) -> tuple[Field, int, bool] | None:
    """The field whose name is at `start`, where the name ends, and whether it is the field's own."""
    plain = folded(line[: start + _LONGEST])
    found = _names(shape).match(plain, start)
    if found:
        field = shape.by_key.get(key_of(found[0])) or shape.by_key.get(found[0].replace(" ", "").casefold())
        field = field or _joined(shape, found[0])
        if field:
            return field, found.end(), _same(found[0], field.name)
    guess = _ANY_KEY.match(plain, start)
    if guess is None or len(guess[1].split()) > 4:
        return None
    name = key_of(guess[1])
    near = process.extractOne(
        name, [field.name for field in shape.fields], scorer=fuzz.ratio, score_cutoff=84
    )
    if near is None or len(name) < 5:
        return None
    return shape.by_key[near[0]], guess.end(1), True


def _same(text: str, name: str) -> bool:
    return re.sub(r"[ _-]", "", text).casefold() == name.replace("_", "")


def _joined(shape: Shape, text: str) -> Field | None:
    bare = re.sub(r"[ _-]", "", text).casefold()
    return next((field for key, field in shape.by_key.items() if key.replace("_", "") == bare), None)
