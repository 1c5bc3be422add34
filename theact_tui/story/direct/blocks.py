"""What memory blocks hold: every key always there, empty where nothing was said.

The type, the range and the roster always come from the program, never from a model.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from theact_tui.story.direct.models import COLORS, SessionRecord

Form = dict[str, Any]
"""An object with every key of a reply, empty, as models are shown it: "" for a text, [] for texts, 0 for a whole number;
a list of objects holds one that shows their keys."""
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
"""World and chapter at the beginning."""
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
"""News of a range of prompts."""
FORMS = {"lock": LOCK_FORM, "delta": DELTA_FORM}
"""By the agent that fills it in."""


def filled(form: Any, said: Any) -> Any:
    """Fill a form with the values of its keys alone; a missing number is None."""
    match form:
        case dict():
            told = said if isinstance(said, Mapping) else {}
            return {key: filled(empty, told.get(key)) for key, empty in form.items()}
        case list():
            items = said if isinstance(said, list) else []
            return [filled(form[0], item) for item in items] if form else list(items)
        case int():
            return said if isinstance(said, int) else None
        case _:
            return said if isinstance(said, str) else ""


def lock_payload(session: SessionRecord, said: Mapping[str, Any]) -> dict[str, Any]:
    """The object to store for a lock, from what the model said."""
    told = filled(LOCK_FORM, said)
    slots = session.selected_agent_slots
    agents = [{"slot": n, "color": COLORS[n - 1], "name": session.name_of(n)} for n in slots]
    own = {"memory_type": "world_chapter_lock", "world": told["world"], "chapter": told["chapter"]}
    return {**own, "agents": agents, **told}


def delta_payload(
    session: SessionRecord, said: Iterable[Mapping[str, Any]], first: int, last: int
) -> dict[str, Any]:
    """The object to store for prompts `first` to `last`, from one or several replies about them, in order."""
    told = filled(DELTA_FORM, {})
    for reply in said:
        told = _joined(told, filled(DELTA_FORM, reply))
    told["character_actions"] = [_known(session, action) for action in told["character_actions"]]
    shifts = (shift for shift in told["relationship_shifts"] if len(shift["between"]) >= 2)
    told["relationship_shifts"] = [{**shift, "between": shift["between"][:2]} for shift in shifts]
    chunk = {"from_marker": first, "to_marker": last, "prompt_count_in_chunk": last - first + 1}
    return {"memory_type": "turn_delta", "range": chunk, **told}


def _known(session: SessionRecord, action: Mapping[str, Any]) -> dict[str, Any]:
    """What a character did, with slot and name as in the roster; a name wins over a number. Others have no slot."""
    by_name = {session.name_of(slot).casefold(): slot for slot in session.selected_agent_slots}
    name = action["name"].strip()
    slot = by_name.get(name.casefold())
    if slot is None and not name and action["agent_slot"] in session.selected_agent_slots:
        slot = action["agent_slot"]
    return {**action, "agent_slot": slot, "name": session.name_of(slot) if slot else action["name"]}


def _joined(old: Any, new: Any) -> Any:
    """Two filled forms as one: lists joined without what is said twice, of texts the later one."""
    match old:
        case dict():
            return {key: _joined(value, new[key]) for key, value in old.items()}
        case list():
            return old + [item for item in new if item not in old]
        case _:
            return new or old


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
