"""What each agent returns, typed, and the schema of it for servers that can constrain a reply."""

from __future__ import annotations

from typing import Any, cast

from theact_tui.parsing.shapes import SHAPES, ReplyField
from theact_tui.parsing.types import ParsedReply, ReplyContext
from theact_tui.parsing.values import number_of
from theact_tui.story.base import Value
from theact_tui.story.direct.blocks import FORMS
from theact_tui.story.moments import MOMENT_TYPES
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
    setting: str = ""
    """Place and hour at the end of it, in a few words."""


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


class FieldsReply(Value):
    """By field, what an author agent wrote: texts, lists of texts, and lists of `name` and `text`; and what was filled into
    a form of direct mode."""

    fields: dict[str, Any]


Reply = (
    FieldsReply
    | PlainReply
    | NarratorReply
    | ProgressReply
    | FactsReply
    | KeeperReply
    | MomentsReply
    | ReflectionReply
)


_MODELS: dict[str, type[ProgressReply | ReflectionReply]] = {
    "progress": ProgressReply,
    "reflection": ReflectionReply,
}


def reply_of(parsed: ParsedReply) -> Reply:
    """The typed reply; raises ValueError if it is not usable."""
    if not parsed.ok:
        raise ValueError(f"this reply has no {parsed.missing}")
    told = {name: value for name, value in parsed.fields.items() if value is not None}
    match parsed.agent:
        case "narrator":
            return _narrator(told, parsed)
        case "memory":
            unmatched = [{"old": old, "new": new} for old, new in parsed.unmatched]
            return FactsReply.model_validate({**told, "update": [*told.get("update", []), *unmatched]})
        case "keeper":
            return KeeperReply.model_validate({**told, **parsed.clamped})
        case "moment":
            return _moments(told, parsed)
        case agent if agent in FORMS or agent.startswith("author_"):
            return FieldsReply(fields=told)
        case agent:
            return _MODELS.get(agent, PlainReply).model_validate(told)


def _narrator(told: dict[str, Any], parsed: ParsedReply) -> NarratorReply:
    """A list of which nothing is known is no list; an unknown mood is calm."""
    told = {name: value for name, value in told.items() if name not in parsed.strange}
    responding, present = told.get("responding_characters"), told.get("present")
    mood = cast("Mood", told["mood"]) if told.get("mood") in MOODS else "calm"
    return NarratorReply(
        narration=told["narration"],
        responding_characters=None if responding is None else tuple(responding),
        mood=mood,
        present=None if present is None else tuple(present),
        asleep=tuple(told.get("asleep", ())),
        heard_by=tuple(told.get("heard_by") or ()),
        setting=told.get("setting") or "",
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
    if agent not in SHAPES:
        return None
    schema = _object(SHAPES[agent].fields, context)
    if agent == "keeper":
        moment = {"type": ["string", "null"], "enum": [*MOMENT_TYPES, None]}
        schema["properties"]["moment_type"] = moment
    elif (
        agent == "narrator"
    ):  # every key is required, and a list that must be given would keep turns from people
        schema["properties"]["heard_by"]["type"] = ["array", "null"]
    return schema


def _object(fields: tuple[ReplyField, ...], context: ReplyContext) -> dict[str, Any]:
    properties = {field.name: _schema_of(field, context) for field in fields if not field.former}
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _schema_of(field: ReplyField, context: ReplyContext) -> dict[str, Any]:
    match field.kind:
        case "flag":
            return {"type": "boolean"}
        case "number":
            return {"type": "number"}
        case "whole":
            return {"type": "integer"}
        case "choice":
            return {"type": "string", "enum": list(field.choices)}
        case "ids":
            known = list(context.active_characters or ())
            return _list_of({"type": "string", "enum": known} if known else {"type": "string"})
        case "beats":
            count = len(context.beats or ())
            return _list_of(
                {"type": "integer", "enum": list(range(1, count + 1))} if count else {"type": "integer"}
            )
        case "texts" | "named":
            return _list_of({"type": "string"})
        case "object":
            return _object(field.shape.fields, context)
        case "objects":
            return _list_of(_object(field.shape.fields, context))
        case "pairs":
            pair = _object(field.shape.fields, context)
            return _list_of({**pair, "properties": {**pair["properties"], "old": {"type": "integer"}}})
        case _:
            return {"type": "string"}


def _list_of(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}
