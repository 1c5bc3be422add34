"""What each agent returns, typed, and the schema of it for servers that can constrain a reply."""

from __future__ import annotations

from typing import Any, cast

from theact_tui.parsing.shapes import MOMENT_TYPES, SHAPES
from theact_tui.parsing.types import ParsedReply, ReplyContext
from theact_tui.parsing.values import number_of
from theact_tui.story.base import Value
from theact_tui.story.direct.blocks import (
    ChapterPart,
    CharacterAction,
    Discovery,
    LocationPart,
    MajorEvent,
    RelationshipShift,
    StateChange,
    Thread,
    WorldPart,
)
from theact_tui.story.pack import MOODS, Mood


class PlainReply(Value):
    """Prose: character, actor, summary, recap, epilogue, merge, cell, chapter."""

    text: str


class NarratorReply(Value):
    """`responding_characters` and `present` are None when the reply had no usable list."""

    narration: str
    responding_characters: tuple[str, ...] | None = None
    mood: Mood = "calm"
    present: tuple[str, ...] | None = None
    asleep: tuple[str, ...] = ()
    """Who is there and sleeps at the end of it."""
    heard_by: tuple[str, ...] = ()
    """Whom alone of those there it lets hear the turn; empty: all."""


class ProgressReply(Value):
    """`new_beats` are beats of the chapter, word for word; `quotes` the words of the text that show each of them."""

    chapter_complete: bool
    reason: str = ""
    new_beats: tuple[str, ...] = ()
    quotes: tuple[str, ...] = ()


class FactUpdate(Value):
    """`old` is a known fact word for word, or what the model wrote if no fact matches it."""

    old: str
    new: str


class FactsReply(Value):
    """`remove` holds known facts word for word."""

    summary: str = ""
    add: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()
    update: tuple[FactUpdate, ...] = ()


class ReflectionReply(Value):
    """`beliefs` are lines that begin with a name and a colon."""

    want: str = ""
    hide: str = ""
    beliefs: tuple[str, ...] = ()


class KeeperReply(Value):
    """`moment_type` and `moment_significance` are as the model wrote them: the engine decides what is a moment."""

    resolution: str = ""
    moment_type: str | None = None
    moment_summary: str = ""
    moment_significance: float = 0.5


class FoundMoment(Value):
    """As the model wrote it; `quote` is what of the pages shows it."""

    moment_type: str | None = None
    moment_summary: str = ""
    moment_significance: float = 0.5
    quote: str = ""


class MomentsReply(Value):
    """The moments of several turns; a reply of the former form, about one, is one."""

    moments: tuple[FoundMoment, ...] = ()


class LockReply(Value):
    """The model's part of a lock block of direct mode; the program adds `memory_type` and `agents`."""

    world: WorldPart = WorldPart()
    chapter: ChapterPart = ChapterPart()
    canon_locks: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()


class DeltaReply(Value):
    """The model's part of a delta block of direct mode; the program adds `memory_type` and `range`."""

    location_updates: LocationPart = LocationPart()
    major_events: tuple[MajorEvent, ...] = ()
    character_actions: tuple[CharacterAction, ...] = ()
    state_changes: tuple[StateChange, ...] = ()
    relationship_shifts: tuple[RelationshipShift, ...] = ()
    items_clues_discovered: tuple[Discovery, ...] = ()
    unresolved_threads: tuple[Thread, ...] = ()
    canon_locks: tuple[str, ...] = ()
    contradictions_or_questions: tuple[str, ...] = ()


class AuthorReply(Value):
    """What an author agent wrote: texts, lists of texts, and lists of `name` and `text`, by field."""

    fields: dict[str, Any]


Reply = (
    AuthorReply
    | PlainReply
    | NarratorReply
    | ProgressReply
    | FactsReply
    | KeeperReply
    | MomentsReply
    | ReflectionReply
    | LockReply
    | DeltaReply
)

_TEXT: dict[str, Any] = {"type": "string"}
_TEXTS: dict[str, Any] = {"type": "array", "items": _TEXT}


def reply_of(parsed: ParsedReply) -> Reply:
    """The typed reply; raises ValueError if it is not usable."""
    if not parsed.ok:
        raise ValueError(f"this reply has no {parsed.missing}")
    told = {name: value for name, value in parsed.fields.items() if value is not None}
    match parsed.agent:
        case "narrator":
            return _narrator(told, parsed)
        case "progress":
            return ProgressReply.model_validate(told)
        case "memory":
            unmatched = [{"old": old, "new": new} for old, new in parsed.unmatched]
            return FactsReply.model_validate({**told, "update": [*told.get("update", []), *unmatched]})
        case "keeper":
            return KeeperReply.model_validate({**told, **parsed.clamped})
        case "moment":
            return _moments(told, parsed)
        case "reflection":
            return ReflectionReply.model_validate(told)
        case "lock":
            return LockReply.model_validate(told)
        case "delta":
            return DeltaReply.model_validate(told)
        case agent if agent.startswith("author_"):
            return AuthorReply(fields=told)
        case _:
            return PlainReply.model_validate(told)


def _narrator(told: dict[str, Any], parsed: ParsedReply) -> NarratorReply:
    """A list of which nothing is known is no list; an unknown mood is calm."""
    responding = told.get("responding_characters")
    if responding == [] and parsed.unknown:
        responding = None
    mood = cast("Mood", told["mood"]) if told.get("mood") in MOODS else "calm"
    return NarratorReply(
        narration=told["narration"],
        responding_characters=None if responding is None else tuple(responding),
        mood=mood,
        present=None if told.get("present") is None else tuple(told["present"]),
        asleep=tuple(told.get("asleep", ())),
        heard_by=tuple(told.get("heard_by", ())),
    )


def _moments(told: dict[str, Any], parsed: ParsedReply) -> MomentsReply:
    """All moments named; a significance that is no number is the middle one."""
    if "moments" not in told:
        told = {**told, **parsed.clamped}
        told.pop("resolution", None)
        return MomentsReply(moments=(FoundMoment.model_validate(told),) if told.get("moment_type") else ())
    found = []
    for one in told["moments"]:
        weight = number_of(one["moment_significance"])
        found.append(
            FoundMoment.model_validate({**one, "moment_significance": 0.5 if weight is None else weight})
        )
    return MomentsReply(moments=tuple(found))


def json_schema(agent: str, context: ReplyContext) -> dict[str, Any] | None:
    """A plain schema of `agent`'s reply, the ids and beats of `context` as enums; None where prose is asked for."""
    match agent:
        case "narrator":
            ids = _some_of(context.active_characters)
            return _object(
                narration=_TEXT,
                responding_characters=ids,
                mood={"type": "string", "enum": list(MOODS)},
                present=ids,
                asleep=ids,
                heard_by=ids,
            )
        case "progress":
            numbers = {"type": "integer", "enum": list(range(1, len(context.beats or ()) + 1))}
            return _object(
                reason=_TEXT,
                new_beats={"type": "array", "items": numbers if context.beats else {"type": "integer"}},
                quotes=_TEXTS,
                chapter_complete={"type": "boolean"},
            )
        case "memory":
            pair = _object(old={"type": "integer"}, new=_TEXT)
            return _object(summary=_TEXT, add=_TEXTS, update={"type": "array", "items": pair})
        case "moment":
            one = _object(
                quote=_TEXT,
                moment_type={"type": "string", "enum": list(MOMENT_TYPES)},
                moment_summary=_TEXT,
                moment_significance={"type": "number"},
            )
            return _object(moments={"type": "array", "items": one})
        case "keeper":
            return _object(
                resolution=_TEXT,
                moment_type={"type": ["string", "null"], "enum": [*MOMENT_TYPES, None]},
                moment_summary=_TEXT,
                moment_significance={"type": "number"},
            )
        case "reflection":
            return _object(want=_TEXT, hide=_TEXT, beliefs=_TEXTS)
        case "lock":
            return _of_model(LockReply)
        case "delta":
            return _of_model(DeltaReply)
        case _ if agent.startswith("author_"):
            lists = ("texts", "named")
            return _object(**{f.name: _TEXTS if f.kind in lists else _TEXT for f in SHAPES[agent].fields})
        case _:
            return None


def _object(**properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _some_of(choices: Any) -> dict[str, Any]:
    known = list(choices or ())
    return {"type": "array", "items": {"type": "string", "enum": known} if known else _TEXT}


def _of_model(model: type[Value]) -> dict[str, Any]:
    schema: dict[str, Any] = _inlined(model.model_json_schema(), {})
    return schema


def _inlined(node: Any, definitions: dict[str, Any]) -> Any:
    """A pydantic schema without `$ref`, titles, defaults and unions, every key required."""
    if not isinstance(node, dict):
        return node
    definitions = node.get("$defs", definitions)
    if "$ref" in node:
        return _inlined(definitions[node["$ref"].rsplit("/", 1)[1]], definitions)
    if "anyOf" in node:
        return _inlined(node["anyOf"][0], definitions)
    if node.get("type") == "array":
        return {"type": "array", "items": _inlined(node["items"], definitions)}
    if node.get("type") == "object":
        return _object(**{name: _inlined(part, definitions) for name, part in node["properties"].items()})
    return {"type": node["type"]}
