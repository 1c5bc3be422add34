"""What memory blocks hold: every key always there, empty where nothing was said.

The type, the range and the roster always come from the program, never from a model.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from theact_tui.story.base import Value
from theact_tui.story.direct.models import SLOTS, SessionRecord

Texts = tuple[str, ...]
R = TypeVar("R", bound=Value)


class WorldPart(Value):
    """What never changes about the world."""

    genre: str = ""
    tone: str = ""
    themes: Texts = ()
    rules_of_reality: Texts = ()
    factions_or_powers: Texts = ()
    key_lore: Texts = ()
    safety_or_boundaries: Texts = ()


class ChapterPart(Value):
    """Where the chapter starts from."""

    premise: str = ""
    location: str = ""
    time: str = ""
    environment: Texts = ()
    active_threats: Texts = ()
    open_mysteries: Texts = ()
    chapter_goals: Texts = ()


class LockReply(Value):
    """What a model says in a lock block; the program adds type and roster."""

    world: WorldPart = WorldPart()
    chapter: ChapterPart = ChapterPart()
    canon_locks: Texts = ()
    assumptions: Texts = ()


class LocationPart(Value):
    """Where the story is now, and what changed there."""

    where: str = ""
    notable_environment_changes: Texts = ()


class MajorEvent(Value):
    """Something that happened, with cause and consequence."""

    event: str = ""
    cause: str = ""
    effect: str = ""
    participants: Texts = ()


class CharacterAction(Value):
    """What a character did; an attempt of unknown outcome stays an attempt."""

    agent_slot: int | None = None
    name: str = ""
    did: str = ""
    intent: str = ""
    result: str = ""


class StateChange(Value):
    """One thing that is no longer as it was."""

    key: str = ""
    before: str = ""
    after: str = ""
    notes: str = ""


class RelationshipShift(Value):
    """A change between two of the cast."""

    between: Texts = ()
    change: str = ""
    evidence: str = ""


class Discovery(Value):
    """An item or a clue somebody found."""

    thing: str = ""
    who_found: str = ""
    why_it_matters: str = ""


class Thread(Value):
    """Something left open."""

    thread: str = ""
    stakes: str = ""
    next_likely_trigger: str = ""


class DeltaReply(Value):
    """What a model says in a delta block: what is new or changed in a range of prompts. The program adds type and
    range."""

    location_updates: LocationPart = LocationPart()
    major_events: tuple[MajorEvent, ...] = ()
    character_actions: tuple[CharacterAction, ...] = ()
    state_changes: tuple[StateChange, ...] = ()
    relationship_shifts: tuple[RelationshipShift, ...] = ()
    items_clues_discovered: tuple[Discovery, ...] = ()
    unresolved_threads: tuple[Thread, ...] = ()
    canon_locks: Texts = ()
    contradictions_or_questions: Texts = ()


def lock_payload(session: SessionRecord, said: Mapping[str, Any]) -> dict[str, Any]:
    """The object to store for a lock, from what the model said."""
    told = _read(LockReply, said).model_dump(mode="json")
    agents = [
        {"slot": slot, "color": SLOTS[slot - 1].color, "name": session.name_of(slot)}
        for slot in session.selected_agent_slots
    ]
    own = {"memory_type": "world_chapter_lock", "world": told["world"], "chapter": told["chapter"]}
    return {**own, "agents": agents, **told}


def delta_payload(
    session: SessionRecord, said: Iterable[Mapping[str, Any]], first: int, last: int
) -> dict[str, Any]:
    """The object to store for prompts `first` to `last`, from one or several replies about them, in order."""
    merged = _merged(_read(DeltaReply, reply) for reply in said)
    actions = tuple(_known(session, action) for action in merged.character_actions)
    shifts = tuple(
        shift.model_copy(update={"between": shift.between[:2]})
        for shift in merged.relationship_shifts
        if len(shift.between) >= 2
    )
    told = merged.model_copy(update={"character_actions": actions, "relationship_shifts": shifts})
    chunk = {"from_marker": first, "to_marker": last, "prompt_count_in_chunk": last - first + 1}
    return {"memory_type": "turn_delta", "range": chunk, **told.model_dump(mode="json")}


def _read(kind: type[R], said: Mapping[str, Any]) -> R:
    return kind.model_validate({name: said[name] for name in kind.model_fields if name in said})


def _known(session: SessionRecord, action: CharacterAction) -> CharacterAction:
    """An action with slot and name as in the roster; a name wins over a number. Others have no slot."""
    by_name = {session.name_of(slot).casefold(): slot for slot in session.selected_agent_slots}
    slot = by_name.get(action.name.strip().casefold())
    if slot is None and not action.name.strip() and action.agent_slot in session.selected_agent_slots:
        slot = action.agent_slot
    return action.model_copy(
        update={"agent_slot": slot, "name": session.name_of(slot) if slot else action.name}
    )


def _merged(pieces: Iterable[DeltaReply]) -> DeltaReply:
    """Several pieces as one: lists joined without what is said twice, the later place wins."""
    whole = DeltaReply()
    for piece in pieces:
        was, now = whole.location_updates, piece.location_updates
        joined: dict[str, object] = {
            name: _joined(getattr(whole, name), getattr(piece, name)) for name in _LISTS
        }
        changes = _joined(was.notable_environment_changes, now.notable_environment_changes)
        joined["location_updates"] = LocationPart(
            where=now.where or was.where, notable_environment_changes=changes
        )
        whole = whole.model_copy(update=joined)
    return whole


_LISTS = tuple(name for name, field in DeltaReply.model_fields.items() if field.default == ())


def _joined(old: tuple[Any, ...], new: tuple[Any, ...]) -> tuple[Any, ...]:
    return old + tuple(item for item in new if item not in old)


def lean(payload: Any) -> Any:
    """A payload for a prompt: without what is empty, and without the type, which prompts say otherwise."""
    match payload:
        case dict():
            kept = {key: lean(value) for key, value in payload.items() if key != "memory_type"}
            return {key: value for key, value in kept.items() if value not in ("", [], {}, None)}
        case list() | tuple():
            return [kept for kept in map(lean, payload) if kept not in ("", [], {}, None)]
        case _:
            return payload
