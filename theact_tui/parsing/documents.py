"""Parsed documents: strict JSON and YAML, fences and tags, and the answers in them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from theact_tui.parsing.lines import FENCE, Candidate, folded, records
from theact_tui.parsing.repair import mappings, unescaped
from theact_tui.parsing.shapes import ReplyField, ReplyShape, key_of


def parse_json(text: str) -> Any:
    """The value of a JSON document, or None."""
    if not text.lstrip().startswith(("{", "[", '"')):
        return None
    try:
        return json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return None


def _no_constant(name: str) -> Any:
    raise ValueError(name)


_ONE_VALUE = frozenset(("prose", "line", "flag", "number", "choice"))

TextReader = Callable[[str], dict[str, Any]]
"""Reads an answer that stands in a text within a document."""


def values_of(value: Any, shape: ReplyShape, within: TextReader | None = None) -> Iterator[dict[str, Any]]:
    """The answers in a parsed document: itself, what an outer key or list holds, or a text in it."""
    if isinstance(value, list):
        for part in value:
            yield from values_of(part, shape, within)
    if not isinstance(value, dict):
        return
    values: dict[str, Any] = {}
    aliases: dict[str, Any] = {}
    for key, part in value.items():
        field = shape.nearest(str(key))
        if field is None or (key_of(str(key)) != field.name and _holds_answer(field, part, shape)):
            for inner in values_of(part, shape, within):
                aliases = {**inner, **aliases}
            if isinstance(part, str) and within is not None and not values and ":" in part:
                aliases = {**within(part), **aliases}
        else:
            (values if key_of(str(key)) == field.name else aliases).setdefault(field.name, part)
    found = {**aliases, **values}
    if found:
        yield found


def _holds_answer(field: ReplyField, part: Any, shape: ReplyShape) -> bool:
    """True if the value of another name for `field` is, or lists, a whole answer."""
    if isinstance(part, list):
        return any(isinstance(one, dict) and _holds_answer(field, one, shape) for one in part)
    if not isinstance(part, dict):
        return False
    if field.kind in _ONE_VALUE:
        return any(shape.field(str(key)) for key in part)
    others = {one.name for one in shape.fields}.difference(field.shape.by_key)
    return bool(set(map(str, part)) & others)


_CORRECTION = re.compile(
    r"\b(?:wait|actually|correct(?:ion|ed)|oops|sorry|apolog\w*|mistake|fixed|fix that|let me (?:fix|redo|"
    r"revise|correct|try)|revised|improved|better version|instead|final (?:version|answer|output|yaml|json|"
    r"reply|response)|scratch that|on second thought|i forgot|should (?:be|have)|properly|here(?: is|"
    r"'s) the (?:right|proper|correct|final|actual)|draft|perdón|corrección|korrektur)\b",
    re.IGNORECASE,
)
_ESCAPED = re.compile(r"\s*[\"']?[{\[]?[^\"]{0,40}\\\"")
"""A document within a string."""
_CALL = re.compile(r"\b[A-Za-z_][\w.]*\(\s*([a-z_]{2,24})\s*=")
MAX_BLOCKS = 12
OUTER_TAG = re.compile(
    r"</?(?:answer|final_answer|response|output|ya?ml|json|result|reply|root|data|block|final|assistant|format|"
    r"xml|code)>|<\?xml[^<>]*\?>",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class TextBlock:
    """A piece of the reply that may be an answer, and the text before it."""

    text: str
    before: str
    fenced: bool


def blocks(text: str) -> list[TextBlock]:
    """The fenced blocks of `text`, or all of it if it has none; an unclosed fence goes to the end."""
    text = OUTER_TAG.sub("\n", text)
    found: list[TextBlock] = []
    before: list[str] = []
    inside: list[str] | None = None
    for line in text.split("\n"):
        fence = FENCE.fullmatch(line)
        if fence and not any(part.strip() for part in inside or ()):
            inside = []
        elif fence and inside is not None and not line.startswith((" ", "\t")):
            found.append(TextBlock("\n".join(inside), "\n".join(before), True))
            before, inside = [], None
        elif inside is not None:
            inside.append(line)
        else:
            before.append(line)
    if inside is not None and any(line.strip() for line in inside):
        found.append(TextBlock("\n".join(inside), "\n".join(before), True))
    return found[:MAX_BLOCKS] or [TextBlock(text, "", False)]


def without_schema(text: str) -> str:
    """`text` without a JSON schema in it."""
    if '"properties"' not in text:
        return text
    end = text.find("\n```", text.find('"properties"'))
    return text[end:] if end >= 0 else ""


def drafts(text: str, shape: ReplyShape, depth: int = 0) -> Iterator[list[Candidate]]:
    """The ways to read one block, the strictest first; each gives the answers it sees, in order."""
    if _ESCAPED.match(text):
        text = unescaped(text.strip().strip("\"'"))
    exact = parse_json(text)
    if exact is not None:
        yield [
            Candidate(values, how="json")
            for values in values_of(exact, shape, _reader_of_texts(shape, depth))
        ]
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
    split = _on_own_lines(text, shape)
    if split != text:
        yield records(split, shape)


def _as_mapping(arguments: str) -> str:
    """The arguments of a call in code, as a mapping."""
    return "{" + re.sub(r"\)\s*;?\s*\Z", "", arguments.rstrip().removesuffix("```")) + "}"


def _reader_of_texts(shape: ReplyShape, depth: int) -> TextReader | None:
    """How to read an answer within a text of an answer; None at the second level."""
    if depth > 1:
        return None

    def read(text: str) -> dict[str, Any]:
        read_ways = (chosen(found, shape) for found in drafts(text, shape, depth + 1))
        best = max((one for one in read_ways if one), key=lambda one: len(one.values), default=None)
        return best.values if best else {}

    return read


def chosen(found: list[Candidate], shape: ReplyShape) -> Candidate | None:
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


def _size(record: Candidate, shape: ReplyShape) -> int:
    return sum(
        record.values.get(field.name) not in (None, "") for field in shape.fields if not field.optional
    )


def _merged(found: list[Candidate]) -> list[Candidate]:
    made: list[Candidate] = []
    for record in found:
        if made and not set(made[-1].values) & set(record.values):
            last = made[-1]
            values = {**last.values, **record.values}
            made[-1] = Candidate(values, last.before, record.after or last.after, last.how)
        else:
            made.append(record)
    return made


def _of_loose_json(text: str, shape: ReplyShape, depth: int) -> Iterator[Candidate]:
    start, found = mappings(text)
    before = text[:start]
    for mapping in found:
        for values in values_of(mapping, shape, _reader_of_texts(shape, depth)):
            yield Candidate(values, before, how="loose json")
            before = ""


@lru_cache(maxsize=16)
def _tag(shape: ReplyShape) -> re.Pattern[str]:
    names = "|".join(
        re.escape(name).replace("_", "[_ -]?") for name in sorted(shape.by_key, key=len, reverse=True)
    )
    return re.compile(
        rf"<(?P<key>{names})(?:\s[^<>]*)?>(?:(?P<text>.*?)</\s*(?P=key)\s*>|(?P<open>.*?)(?=<(?:{names})>|\Z))",
        re.I | re.S,
    )


def tagged(text: str, shape: ReplyShape) -> list[Candidate]:
    """Fields between tags of their names."""
    made = [Candidate(how="tags")]
    for found in _tag(shape).finditer(folded(text) if "<" in text else ""):
        field = shape.by_key[key_of(found["key"])]
        if field.name in made[-1].values:
            made.append(Candidate(how="tags"))
        group = "open" if found["text"] is None else "text"
        inside = text[found.start(group) : found.end(group)]
        made[-1].values[field.name] = re.sub(r"</?\w*>?\s*\Z", "", inside).strip()
    return made if made[0].values else []


@lru_cache(maxsize=16)
def _inline_key(shape: ReplyShape) -> re.Pattern[str]:
    inner = {name for field in shape.fields for name in field.shape.by_key}
    names = "|".join(field.name.replace("_", "[_ ]") for field in shape.fields if field.name not in inner)
    return re.compile(
        rf"(?<=\S)[ \t]{{0,4}}[,;|]?[ \t]{{1,8}}[*_`\"'|-]{{0,3}}[ \t]{{0,4}}(?=\**(?:{names})[\"'*`]{{0,3}}[ "
        rf"\t]*[:=])",
        re.I,
    )


def _on_own_lines(text: str, shape: ReplyShape) -> str:
    """`text` with every field name that is followed by a colon on a line of its own."""
    return _inline_key(shape).sub("\n", text)
