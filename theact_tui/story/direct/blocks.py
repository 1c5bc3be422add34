"""Payloads of notes. Type, range and roster come from the program, never from a model."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from theact_tui.story.direct.records import COLORS, SessionRecord
from theact_tui.text import capital

Form = dict[str, Any]
"""Object with every key of a reply, empty, as models see it: "" for a text, [] for texts, 0 for a number. A list of
objects holds one with their keys.
"""
LOCK_FORM: Form = {
    "world": {
        "genre": "",
        "tone": "",
        "themes": [],
        "rules_of_reality": [],
        "factions_or_powers": [],
        "key_lore": [],
        "safety_or_boundaries": [],
    },
    "chapter": {
        "premise": "",
        "location": "",
        "time": "",
        "environment": [],
        "active_threats": [],
        "open_mysteries": [],
        "chapter_goals": [],
    },
    "canon_locks": [],
    "assumptions": [],
}
DELTA_FORM: Form = {
    "location_updates": {"where": "", "notable_environment_changes": []},
    "major_events": [{"event": "", "cause": "", "effect": "", "participants": []}],
    "character_actions": [{"agent_slot": 0, "name": "", "did": "", "intent": "", "result": ""}],
    "state_changes": [{"key": "", "before": "", "after": "", "notes": ""}],
    "relationship_shifts": [{"between": [], "change": "", "evidence": ""}],
    "items_clues_discovered": [{"thing": "", "who_found": "", "why_it_matters": ""}],
    "unresolved_threads": [{"thread": "", "stakes": "", "next_likely_trigger": ""}],
    "canon_locks": [],
    "contradictions_or_questions": [],
}
FORMS = {"lock": LOCK_FORM, "delta": DELTA_FORM}


def filled(form: Any, reply: Any) -> Any:
    """Fill a form with the values of its keys alone; a missing number is None."""
    match form:
        case dict():
            fields = reply if isinstance(reply, Mapping) else {}
            return {key: filled(empty, fields.get(key)) for key, empty in form.items()}
        case list():
            items = reply if isinstance(reply, list) else []
            return [filled(form[0], item) for item in items] if form else list(items)
        case int():
            return reply if isinstance(reply, int) else None
        case _:
            return reply if isinstance(reply, str) else ""


def lock_payload(session: SessionRecord, reply: Mapping[str, Any]) -> dict[str, Any]:
    payload = filled(LOCK_FORM, reply)
    slots = session.selected_agent_slots
    agents = [{"slot": n, "color": COLORS[n - 1], "name": session.name_of(n)} for n in slots]
    own = {"memory_type": "world_chapter_lock", "world": payload["world"], "chapter": payload["chapter"]}
    return {**own, "agents": agents, **payload}


def delta_payload(
    session: SessionRecord, replies: Iterable[Mapping[str, Any]], first: int, last: int
) -> dict[str, Any]:
    """Merge replies about prompts `first` to `last` into one payload: of two texts the later, equal list items once;
    slots and names as in the roster.
    """
    payload = filled(DELTA_FORM, {})
    for reply in replies:
        payload = _merged(payload, filled(DELTA_FORM, reply))
    payload["character_actions"] = [
        _with_roster_slot_and_name(session, action) for action in payload["character_actions"]
    ]
    shifts = (shift for shift in payload["relationship_shifts"] if len(shift["between"]) >= 2)
    payload["relationship_shifts"] = [{**shift, "between": shift["between"][:2]} for shift in shifts]
    chunk = {"from_marker": first, "to_marker": last, "prompt_count_in_chunk": last - first + 1}
    return {"memory_type": "turn_delta", "range": chunk, **payload}


def _with_roster_slot_and_name(session: SessionRecord, action: Mapping[str, Any]) -> dict[str, Any]:
    """Set slot and name as in the roster; a name wins over a number."""
    by_name = {session.name_of(slot).casefold(): slot for slot in session.selected_agent_slots}
    name = action["name"].strip()
    slot = by_name.get(name.casefold())
    if slot is None and not name and action["agent_slot"] in session.selected_agent_slots:
        slot = action["agent_slot"]
    return {**action, "agent_slot": slot, "name": session.name_of(slot) if slot else action["name"]}


def _merged(old: Any, new: Any) -> Any:
    """Merge two filled forms: lists without repetition, the later of two texts."""
    match old:
        case dict():
            return {key: _merged(value, new[key]) for key, value in old.items()}
        case list():
            return old + [item for item in new if item not in old]
        case _:
            return new or old


def lean(payload: Any) -> Any:
    """Drop empty values and the type, for a prompt."""
    match payload:
        case dict():
            values = {key: lean(value) for key, value in payload.items() if key != "memory_type"}
            return {key: value for key, value in values.items() if value not in ("", [], {}, None)}
        case list() | tuple():
            return [value for value in map(lean, payload) if value not in ("", [], {}, None)]
        case _:
            return payload


# --- as text ---------------------------------------------------------------------------------------------------------


def notes_text(payload: Form) -> str:
    """Format a payload for prompts: short lines, without empty fields, colours and ranges."""
    return _text(payload, _fields)


def told_notes(payload: Form) -> str:
    """Format a payload for people: the same lines, each entry in sentences."""
    return _text(payload, _sentences)


def _text(payload: Form, entry: Callable[[Any], str]) -> str:
    notes = {key: value for key, value in lean(payload).items() if key not in ("range", "agents")}
    cast = ", ".join(f"{agent['slot']} {agent['name']}" for agent in payload.get("agents", ()))
    return "\n".join([*([f"cast: {cast}"] if cast else []), *_lines(notes, entry)])


def notes_lines(payload: Form) -> Iterable[tuple[str, str]]:
    """Yield kind and line of a payload's entries, without empty ones and ranges."""
    for key, value in lean(payload).items():
        kind = key.replace("_", " ")
        match value:
            case dict() if key != "range":
                for inner in value.values():
                    yield from ((kind, str(item)) for item in (inner if isinstance(inner, list) else [inner]))
            case list():
                yield from ((kind, _sentences(item)) for item in value)


def _lines(notes: dict[str, Any], entry: Callable[[Any], str]) -> Iterable[str]:
    for key, value in notes.items():
        name = key.replace("_", " ")
        match value:
            case dict():
                yield f"{name.upper()}"
                yield from _lines(value, entry)
            case list():
                yield f"{name}:"
                yield from (f"- {entry(item)}" for item in value)
            case _:
                yield f"{name}: {value}"


_WHOSE, _WHO = ("name", "key", "between"), ("participants", "who_found")
"""Fields of an entry that stand before it, and in parentheses behind it."""


def _sentences(item: Any) -> str:
    if not isinstance(item, dict):
        return str(item)
    values = {
        key: " and ".join(map(str, value)) if isinstance(value, list) else str(value)
        for key, value in item.items()
    }
    head = "".join(f"{capital(values[key])}: " for key in _WHOSE if key in values)
    tail = "".join(f" ({values[key]})" for key in _WHO if key in values)
    told = [text for key, text in values.items() if key not in (*_WHOSE, *_WHO, "agent_slot")]
    return (
        head + " ".join(text if text[-1:] in '.!?…”"' else f"{text}." for text in map(capital, told)) + tail
    )


def _fields(item: Any) -> str:
    if not isinstance(item, dict):
        return str(item)
    parts = [
        (key.replace("_", " "), ", ".join(map(str, value)) if isinstance(value, list) else str(value))
        for key, value in item.items()
        if key != "agent_slot"
    ]
    first, *others = parts or [("", "")]
    return "; ".join([first[1], *(f"{key}: {value}" for key, value in others)])
