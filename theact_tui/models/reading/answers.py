"""Finds the answers in a cleaned reply and decides which one counts (steps 3 to 7 of the ladder)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from theact_tui.models.reading import loosejson, strict
from theact_tui.models.reading.documents import Texts, values_of
from theact_tui.models.reading.keylines import folded
from theact_tui.models.reading.lines import FENCE, Record, records
from theact_tui.models.reading.literals import unescaped
from theact_tui.models.reading.shapes import Shape

_CORRECTION = re.compile(
    r"\b(?:wait|actually|correct(?:ion|ed)|oops|sorry|apolog\w*|mistake|fixed|fix that|let me (?:fix|redo|"
    r"revise|correct|try)|revised|"
    r"improved|better version|instead|final (?:version|answer|output|yaml|json|reply|response)|scratch that|on "
    r"second thought|"
    r"i forgot|should (?:be|have)|properly|here(?: is|'s) the (?:right|proper|correct|final|actual)|draft|"
    r"perdón|corrección|korrektur)\b",
    re.IGNORECASE,
)
_CALL = re.compile(r"\b[A-Za-z_][\w.]*\(\s*([a-z_]{2,24})\s*=")
MAX_BLOCKS = 12
_OUTER_TAG = re.compile(
    r"</?(?:answer|final_answer|response|output|ya?ml|json|result|reply|root|data|block|final|assistant|format|"
    r"xml|code)>|<\?xml[^<>]*\?>",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of the reply that may be an answer, and the text before it."""

    text: str
    before: str
    fenced: bool


def blocks(text: str) -> list[Block]:
    """The fenced blocks of `text`, or all of it if it has none; an unclosed fence goes to the end."""
    text = without_wrapping_tags(text)
    if text.lstrip()[:1] in {"{", "["}:
        return [Block(text, "", False)]
    found: list[Block] = []
    before: list[str] = []
    inside: list[str] | None = None
    for line in text.split("\n"):
        fence = FENCE.fullmatch(line)
        if fence and not any(part.strip() for part in inside or ()):
            inside = []
        elif fence and inside is not None and not line.startswith((" ", "\t")):
            found.append(Block("\n".join(inside), "\n".join(before), True))
            before, inside = [], None
        elif inside is not None:
            inside.append(line)
        else:
            before.append(line)
    if inside is not None and any(line.strip() for line in inside):
        found.append(Block("\n".join(inside), "\n".join(before), True))
    return found[:MAX_BLOCKS] or [Block(text, "", False)]


def without_wrapping_tags(text: str) -> str:
    """`text` without tags around an answer and those of web pages."""
    if "<" not in text:
        return text
    text = _OUTER_TAG.sub("\n", text)
    text = re.sub(r"<!\[CDATA\[(.*?)(?:\]\]>|\Z)", r"\1", text, flags=re.DOTALL)
    text = re.sub(r"<li>\s*", "\n- ", re.sub(r"<br\s*/?>|</?(?:p|div|ul|ol|tr|h\d)>|</li>", "\n", text))
    return re.sub(r"</?(?:b|i|u|em|strong|span|code|pre)>", "", text)


def without_schema(text: str) -> str:
    """`text` without a JSON schema in it."""
    if '"properties"' not in text:
        return text
    for found in loosejson.mappings(text, frozenset()):
        if "properties" in found.value and not any(key in found.value for key in ("narration", "resolution")):
            return text[: found.start] + text[found.end :]
    return text


def drafts(text: str, shape: Shape, depth: int = 0) -> Iterator[list[Record]]:
    """The ways to read one block, the strictest first; each gives the answers it sees, in order."""
    exact = strict.parse_json(text)
    how = "json"
    if exact is None:
        exact, how = strict.parse_yaml(text), "yaml"
    if isinstance(exact, dict | list) and not (how == "yaml" and _misread(exact, text, shape)):
        within = _reader_of_texts(shape, depth)
        yield [Record(values, how=how) for values in values_of(exact, shape, within)]
    if isinstance(exact, str) and how == "json" and depth < 2:
        yield from (
            [_renamed(record, "string") for record in read] for read in drafts(exact, shape, depth + 1)
        )
    call = _CALL.search(text)
    if call and depth < 2 and shape.field(call[1]):
        yield from drafts(_as_mapping(text[call.start(1) :]), shape, depth + 1)
    if "{" in text or text.lstrip()[:1] in {'"', "'", "“"}:
        loose = list(_of_loose_json(text, shape, depth))
        yield loose
        if loose and text.lstrip().startswith("{"):
            return
    in_tags = tagged(text, shape)
    if in_tags:
        yield in_tags
    yield records(text, shape)
    if re.search(r'\\[n"]', text) and depth < 2:
        for read in drafts(unescaped(text.strip().strip("\"'")), shape, depth + 1):
            yield [_renamed(record, "string") for record in read]
    split = _on_own_lines(text, shape)
    if split != text:
        yield records(split, shape)


def _as_mapping(arguments: str) -> str:
    """The arguments of a call in code, as a mapping."""
    return "{" + re.sub(r"\)\s*;?\s*\Z", "", arguments.rstrip().removesuffix("```")) + "}"


def _misread(exact: Any, text: str, shape: Shape) -> bool:
    """True where YAML took several lines, or a list with unusual marks, for one text, or a sentence for a key."""
    if not isinstance(exact, dict):
        return False
    if any(len(str(key).split()) > 4 or re.match(r"\W|\d+[.)]", str(key)) for key in exact):
        return True
    return any(
        isinstance(part, str)
        and len(part) > 1
        and (part.startswith(("-", "–", "—", "•", "·", "*")) or part not in text)
        and (field := shape.field(str(key))) is not None
        and field.kind in {"ids", "beats", "texts", "facts", "pairs"}
        for key, part in exact.items()
    )


def _reader_of_texts(shape: Shape, depth: int) -> Texts | None:
    """How to read an answer within a text of an answer; None at the second level."""
    if depth > 1:
        return None

    def read(text: str) -> dict[str, Any]:
        read_ways = (chosen(found, shape) for found in drafts(text, shape, depth + 1))
        best = max((one for one in read_ways if one), key=lambda one: len(one.values), default=None)
        return best.values if best else {}

    return read


def chosen(found: list[Record], shape: Shape) -> Record | None:
    """The answer that counts: the first complete one, or the last one if words of correction precede it.

    Answers that follow each other and share no field are parts of one.
    """
    whole = _merged([record for record in found if record.values])
    if not whole:
        return None
    most = max(_size(record, shape) for record in whole)
    full = [record for record in whole if _size(record, shape) == most]
    corrected = [record for record in full[1:] if _CORRECTION.search(record.before)]
    return corrected[-1] if corrected else full[0]


def _size(record: Record, shape: Shape) -> int:
    filled = sum(
        record.values.get(field.name) not in (None, "") for field in shape.fields if not field.optional
    )
    return filled + (len(shape.fields) if any(record.values.get(name) for name in shape.needed) else 0)


def _merged(found: list[Record]) -> list[Record]:
    made: list[Record] = []
    for record in found:
        if made and not set(made[-1].values) & set(record.values):
            last = made[-1]
            values = {**last.values, **record.values}
            made[-1] = Record(values, last.before, record.after or last.after, last.how)
        else:
            made.append(record)
    return made


def _renamed(record: Record, how: str) -> Record:
    return Record(record.values, record.before, record.after, how)


def _of_loose_json(text: str, shape: Shape, depth: int) -> Iterator[Record]:
    end = 0
    for found in loosejson.mappings(text, shape.deep_keys):
        before = text[end : found.start]
        end = found.end
        for values in values_of(found.value, shape, _reader_of_texts(shape, depth)):
            yield Record(values, before, how="loose json")
            before = ""


@lru_cache(maxsize=16)
def _tag(shape: Shape) -> re.Pattern[str]:
    names = "|".join(
        re.escape(name).replace("_", "[_ -]?") for name in sorted(shape.by_key, key=len, reverse=True)
    )
    return re.compile(
        rf"<(?P<key>{names})(?:\s[^<>]*)?>(?:(?P<text>.*?)</\s*(?P=key)\s*>|(?P<open>.*?)(?=<(?:{names})>|\Z))",
        re.I | re.S,
    )


@lru_cache(maxsize=16)
def _bracketed(shape: Shape) -> re.Pattern[str]:
    """`[mood]` and `[/mood]`, where both are there."""
    names = "|".join(field.name for field in shape.fields)
    return re.compile(rf"\[((?:{names})(?=\].*?\[/)|/(?:{names}))\]", re.IGNORECASE | re.DOTALL)


def tagged(text: str, shape: Shape) -> list[Record]:
    """Fields between tags of their names."""
    text = _bracketed(shape).sub(r"<\1>", text)
    if "<" not in text:
        return []
    plain, tag = folded(text), _tag(shape)
    made, position = [Record(how="tags")], 0
    while found := tag.search(plain, position):
        group = "open" if found["text"] is None else "text"
        inside = text[found.start(group) : found.end(group)]
        field = shape.field(found["key"])
        wraps = re.search(rf"<(?:{'|'.join(one.name for one in shape.fields)})>", inside, re.IGNORECASE)
        position = found.start(group) if wraps else found.end()
        if field is None or wraps:
            continue
        if field.name in made[-1].values:
            made.append(Record(how="tags"))
        inside = re.sub(r"</?(?:id|item|li|character|beat|name|fact)>", "\n", inside)
        if field.kind == "pairs":
            inside = re.sub(r"<(\w+)>(.*?)</\1>", r"\n\1: \2\n", inside, flags=re.DOTALL)
        made[-1].values[field.name] = re.sub(r"</?\w*>?\s*\Z", "", inside).strip()
    return made if made[0].values else []


@lru_cache(maxsize=16)
def _inline_key(shape: Shape) -> re.Pattern[str]:
    names = "|".join(field.name.replace("_", "[_ ]") for field in shape.fields)
    return re.compile(
        rf"(?<=\S)[ \t]{{0,4}}[,;|]?[ \t]{{1,8}}[*_`\"'|-]{{0,3}}[ \t]{{0,4}}(?=\**(?:{names})[\"'*`]{{0,3}}[ "
        rf"\t]*[:=])",
        re.I,
    )


def _on_own_lines(text: str, shape: Shape) -> str:
    """`text` with every field name that is followed by a colon on a line of its own."""
    return _inline_key(shape).sub("\n", text)
