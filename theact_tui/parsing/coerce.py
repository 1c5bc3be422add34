"""From raw values to typed fields, reconciled with the ids, beats and facts that exist. Nothing is made up."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from theact_tui.parsing.items import MAX_ITEMS, bare_item, items_of, text_of, texts_in
from theact_tui.parsing.name_matching import ids_in
from theact_tui.parsing.objects import (
    FactPair,
    named_texts,
    noted,
    object_of,
    objects_of,
    pairs_of,
    part_value,
)
from theact_tui.parsing.refusals import echoes_example, is_refusal
from theact_tui.parsing.shapes import ReplyField, ReplyShape, key_of
from theact_tui.parsing.types import ReplyContext
from theact_tui.parsing.values import flag_of, is_instruction, is_nothing, is_placeholder, with_line_feeds
from theact_tui.story.matching import match_line, plain
from theact_tui.story.names import short_name


@dataclass
class Coerced:
    """The typed fields of one answer, and what had to be left out of them."""

    fields: dict[str, Any] = field(default_factory=dict)
    unknown: list[str] = field(default_factory=list)
    """Names given for ids that are nobody's."""
    strange: list[str] = field(default_factory=list)
    """Fields that name nobody else, not even the player."""
    unmatched: list[tuple[str, str]] = field(default_factory=list)
    """Updates of facts that do not exist, old and new."""


def coerce(shape: ReplyShape, values: dict[str, Any], context: ReplyContext) -> Coerced:
    """The fields of `values` that can be read as what `shape` says they are."""
    made = Coerced()
    for part in shape.fields:
        if part.name in values and (context.offered is None or part.name in context.offered):
            _coerce_field(made, part, values[part.name], context)
    return made


def _coerce_field(made: Coerced, part: ReplyField, value: Any, context: ReplyContext) -> None:
    if isinstance(value, str) and is_placeholder(value):
        return
    read: Any
    match part.kind:
        case "ids":
            read = _ids(made, part, value, context)
        case "beats":
            read = lines_in(value, context.beats)
        case "facts":
            read = lines_in(value, context.facts)
        case "pairs":
            read, made.unmatched = updates_in(value, context.facts)
        case "texts":
            read = texts_in(value)
        case "whole":
            whole = part_value(part, value)
            read = _UNREADABLE if whole is None else whole
        case "object" | "noted" | "objects":
            readers = {"object": object_of, "noted": noted, "objects": objects_of}
            read = readers[part.kind](value, part.shape)
        case "named":
            read = named_texts(value)
        case "marks":
            read = _marks(value, context)
        case "flag":
            read = _flag(value)
        case "choice":
            read = _choice(part, value)
        case _:
            read = _text(part, value, context)
            if part.optional and isinstance(read, str) and is_nothing(read):
                return
    if read is not _UNREADABLE:
        made.fields[part.name] = read


def _ids(made: Coerced, part: ReplyField, value: Any, context: ReplyContext) -> Any:
    ids, unknown = ids_in(value, context.active_characters)
    strangers = [name for name in unknown if not echoes_example(name, context)]
    made.unknown += strangers
    player = {"you", "player", "the player", plain(context.player), plain(short_name(context.player))}
    if strangers and not ids and player.isdisjoint(map(plain, unknown)):
        made.strange.append(part.name)
    if context.offered is not None:
        may = context.offered[part.name]
        ids = [id for id in ids if id in may]
    return ids if ids or strangers or not unknown else _UNREADABLE


def _marks(value: Any, context: ReplyContext) -> Any:
    """By person, the labels as one text; people who are not asked about are left out."""
    if not isinstance(value, dict):
        return _UNREADABLE
    marks: dict[str, str] = {}
    for name, labels in value.items():
        ids, _ = ids_in(name, context.active_characters)
        text = " ".join(texts_in(labels)) if labels else ""
        if isinstance(labels, (bool, dict)) or not _MARKS.fullmatch(text):
            return _UNREADABLE  # words in place of labels: asked once more, for they would keep nothing from anybody
        if len(ids) == 1:
            marks[ids[0]] = text
    return marks if marks or not value else _UNREADABLE


_MARKS = re.compile(r"\s*(?:[aA][lL][lL]|[nN][oO][nN][eE])\s*|[\dA-Za-d\s,;.\[\]()+&/]*")
"""Labels of pieces, or all of them, or none."""
_UNREADABLE: Any = object()
"""What a value is that cannot be read as its field."""


def _text(part: ReplyField, value: Any, context: ReplyContext) -> Any:
    """A text, without one that tells how to answer or declines to."""
    prose, needed = part.kind == "prose", part.name == "narration"
    if value is None:
        return _UNREADABLE if needed else None
    text = "\n\n".join(map(text_of, value)) if prose and isinstance(value, list) else text_of(value)
    text = with_line_feeds(text) if prose else text
    if part.kind == "line" and text[:1] + text[-1:] == "[]":
        text = text_of(texts_in(text))
    if (
        ((text or needed) and not re.search(r"\w", text))
        or (needed and is_nothing(text))
        or is_placeholder(text)
        or (len(text) < 400 and is_instruction(text))
        or ((prose or needed) and _declines(text, context))
    ):
        return _UNREADABLE
    return "" if prose and is_nothing(text) else text


def _declines(text: str, context: ReplyContext) -> bool:
    return not context.is_scripted and is_refusal(text, has_machines=context.has_machines)


def _flag(value: Any) -> Any:
    match value:
        case bool():
            return value
        case str() | int():
            flag = flag_of(str(value))
            return _UNREADABLE if flag is None else flag
        case dict():
            return next(
                (flag for part in value.values() if (flag := _flag(part)) is not _UNREADABLE), _UNREADABLE
            )
        case _:
            return _UNREADABLE


def _choice(part: ReplyField, value: Any) -> Any:
    """One of the choices, in another form too; else the word as it is, for the rules of the game to judge."""
    text = text_of(value[0] if isinstance(value, list) and value else value)
    name = key_of(text)
    held = [choice for choice in part.choices if choice in name]
    if held:
        return min(held, key=name.find) if len(held) < 3 and not is_placeholder(text) else _UNREADABLE
    word = re.sub(r"[^\w\s-]", "", text).strip().casefold()
    if not word or is_nothing(text) or is_placeholder(word) or len(word.split()) > 4:
        return _UNREADABLE
    return word


_SPLIT_BEATS = re.compile(r"\s*(?:[,;|&、，；\n]|\band\b|\by\b|\bund\b|\bet\b)\s*", re.IGNORECASE)


def lines_in(value: Any, known: Sequence[str] | None) -> list[str]:
    """The lines of a numbered list that `value` names, word for word, once each."""
    if known is None:
        return list(dict.fromkeys(bare_item(item) for item in items_of(value)))
    return list(dict.fromkeys(known[at] for item in items_of(value) for at in _lines_in(item, known)))


def updates_in(value: Any, facts: Sequence[str] | None) -> tuple[list[dict[str, str]], list[FactPair]]:
    """The pairs whose old text is a known fact, and those whose old text is not."""
    pairs = pairs_of(value)[:MAX_ITEMS]
    if facts is None:
        return [{"old": old, "new": new} for old, new in pairs], []
    known: list[dict[str, str]] = []
    unmatched: list[FactPair] = []
    for old, new in pairs:
        at = match_line(old, facts) if old else None
        if at is None:
            unmatched.append((old, new))
        else:
            known.append({"old": facts[at], "new": new})
    return known, unmatched


def _lines_in(item: str, candidates: Sequence[str]) -> list[int]:
    """The candidates one item names: it as a whole, or each of its parts."""
    parts = [part for part in _SPLIT_BEATS.split(item, maxsplit=MAX_ITEMS) if part]
    each = [match_line(part, candidates) for part in parts]
    if len(parts) > 1 and None not in each:
        return [at for at in each if at is not None]
    whole = match_line(item, candidates)
    return [] if whole is None else [whole]
