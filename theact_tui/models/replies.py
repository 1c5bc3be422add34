"""What each agent returns, typed, and the schema of it for servers that can constrain a reply (S8.2).

Only values live here; how they are got out of a raw reply is in `theact_tui.models.reading`.
"""

from __future__ import annotations

from typing import Any

from theact_tui.models.reading.context import Context
from theact_tui.story.base import Value
from theact_tui.story.direct.payloads import (
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

MOMENT_TYPES = (
    "combat_victory",
    "combat_defeat",
    "critical_success",
    "critical_failure",
    "discovery",
    "achievement",
    "turning_point",
)


class PlainReply(Value):
    """Prose: character, actor, summary, recap, epilogue, merge, cell, chapter."""

    text: str


class NarratorReply(Value):
    """`responding_characters` and `present` are None when the reply had no usable list."""

    narration: str
    responding_characters: tuple[str, ...] | None = None
    mood: Mood = "calm"
    present: tuple[str, ...] | None = None


class ProgressReply(Value):
    """`new_beats` are beats of the chapter, word for word."""

    chapter_complete: bool
    reason: str = ""
    new_beats: tuple[str, ...] = ()


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


class KeeperReply(Value):
    """`moment_type` and `moment_significance` are as the model wrote them: S5.4 decides what is a moment."""

    resolution: str = ""
    moment_type: str | None = None
    moment_summary: str = ""
    moment_significance: float = 0.5


class LockReply(Value):
    """The model's part of a lock block (D8); the program adds `memory_type` and `agents`."""

    world: WorldPart = WorldPart()
    chapter: ChapterPart = ChapterPart()
    canon_locks: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()


class DeltaReply(Value):
    """The model's part of a delta block (D8); the program adds `memory_type` and `range`."""

    location_updates: LocationPart = LocationPart()
    major_events: tuple[MajorEvent, ...] = ()
    character_actions: tuple[CharacterAction, ...] = ()
    state_changes: tuple[StateChange, ...] = ()
    relationship_shifts: tuple[RelationshipShift, ...] = ()
    items_clues_discovered: tuple[Discovery, ...] = ()
    unresolved_threads: tuple[Thread, ...] = ()
    canon_locks: tuple[str, ...] = ()
    contradictions_or_questions: tuple[str, ...] = ()


Reply = PlainReply | NarratorReply | ProgressReply | FactsReply | KeeperReply | LockReply | DeltaReply

_TEXT: dict[str, Any] = {"type": "string"}
_TEXTS: dict[str, Any] = {"type": "array", "items": _TEXT}


def json_schema(agent: str, context: Context) -> dict[str, Any] | None:
    """A plain schema of `agent`'s reply, the ids and beats of `context` as enums; None where prose is asked for."""
    match agent:
        case "narrator":
            ids = _some_of(context.active_characters)
            return _object(
                narration=_TEXT,
                responding_characters=ids,
                mood={"type": "string", "enum": list(MOODS)},
                present=ids,
            )
        case "progress":
            return _object(
                chapter_complete={"type": "boolean"}, reason=_TEXT, new_beats=_some_of(context.beats)
            )
        case "memory":
            pair = _object(old=_TEXT, new=_TEXT)
            return _object(summary=_TEXT, add=_TEXTS, remove=_TEXTS, update={"type": "array", "items": pair})
        case "keeper" | "moment":
            return _object(
                resolution=_TEXT,
                moment_type={"type": ["string", "null"], "enum": [*MOMENT_TYPES, None]},
                moment_summary=_TEXT,
                moment_significance={"type": "number"},
            )
        case "lock":
            return _of_model(LockReply)
        case "delta":
            return _of_model(DeltaReply)
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
