"""Memory blocks (D8): every key always there; type, range and roster from the program."""

from typing import Any

import pytest

from tests.parsing.test_replies import FIELDS
from tests.support.direct_chapters import active
from theact_tui.story.direct.blocks import (
    delta_payload,
    lean,
    lock_payload,
    notes_lines,
    notes_text,
    told_notes,
)

LOCK_KEYS = {
    "world": {*"genre tone themes rules_of_reality factions_or_powers key_lore safety_or_boundaries".split()},
    "chapter": {*"premise location time environment active_threats open_mysteries chapter_goals".split()},
}
DELTA_KEYS = {"memory_type", "range", *FIELDS["delta"]}


def test_d8_a_lock_has_every_key_even_where_nothing_was_said() -> None:
    payload = lock_payload(active(2), {"world": {"genre": "noir"}})
    assert set(payload) == {"memory_type", "world", "chapter", "agents", "canon_locks", "assumptions"}
    assert set(payload["world"]) == LOCK_KEYS["world"] and set(payload["chapter"]) == LOCK_KEYS["chapter"]
    assert payload["world"]["genre"] == "noir" and payload["world"]["themes"] == [] == payload["canon_locks"]


def test_d8_type_and_roster_of_a_lock_come_from_the_program() -> None:
    said: dict[str, Any] = {
        "memory_type": "nonsense",
        "agents": [{"slot": 9, "color": "pink", "name": "Nobody"}],
    }
    payload = lock_payload(active(2, names={2: "Bo"}), said)
    assert payload["memory_type"] == "world_chapter_lock"
    assert payload["agents"] == [
        {"slot": 1, "color": "red", "name": "Agent Red"},
        {"slot": 2, "color": "orange", "name": "Bo"},
    ]


def test_d8_a_delta_has_every_key_even_where_nothing_was_said() -> None:
    payload = delta_payload(active(2), [{"canon_locks": ["The gate is shut."]}], 8, 14)
    assert set(payload) == DELTA_KEYS
    assert set(payload["location_updates"]) == {"where", "notable_environment_changes"}
    assert payload["canon_locks"] == ["The gate is shut."] and payload["major_events"] == []


def test_d8_items_of_a_delta_have_every_key_too() -> None:
    said = {
        "major_events": [{"event": "The gate falls."}],
        "character_actions": [{"name": "Bo", "did": "runs"}],
        "state_changes": [{"key": "gate"}],
        "relationship_shifts": [{"between": ["Bo", "Kara"]}],
        "items_clues_discovered": [{"thing": "a key"}],
        "unresolved_threads": [{"thread": "who opened it"}],
    }
    payload = delta_payload(active(2, names={2: "Bo"}), [said], 1, 7)
    assert set(payload["major_events"][0]) == {"event", "cause", "effect", "participants"}
    assert set(payload["character_actions"][0]) == {"agent_slot", "name", "did", "intent", "result"}
    assert set(payload["state_changes"][0]) == {"key", "before", "after", "notes"}
    assert set(payload["relationship_shifts"][0]) == {"between", "change", "evidence"}
    assert set(payload["items_clues_discovered"][0]) == {"thing", "who_found", "why_it_matters"}
    assert set(payload["unresolved_threads"][0]) == {"thread", "stakes", "next_likely_trigger"}


def test_d8_type_and_range_of_a_delta_come_from_the_program() -> None:
    said = {"memory_type": "poem", "range": {"from_marker": 90, "to_marker": 99, "prompt_count_in_chunk": 1}}
    payload = delta_payload(active(2), [said], 8, 14)
    assert payload["memory_type"] == "turn_delta"
    assert payload["range"] == {"from_marker": 8, "to_marker": 14, "prompt_count_in_chunk": 7}
    last = delta_payload(active(2), [said], 15, 16)
    assert last["range"] == {"from_marker": 15, "to_marker": 16, "prompt_count_in_chunk": 2}


def test_d8_actions_carry_slots_and_names_of_the_roster() -> None:
    said = {
        "character_actions": [
            {"agent_slot": 7, "name": "bo ", "did": "runs"},
            {"agent_slot": 1, "name": "", "did": "waits"},
            {"agent_slot": 2, "name": "The ferryman", "did": "rows"},
            {"agent_slot": 6, "name": "", "did": "sinks"},
        ]
    }
    payload = delta_payload(active(2, names={1: "Kara", 2: "Bo"}), [said], 1, 7)
    assert [(a["agent_slot"], a["name"]) for a in payload["character_actions"]] == [
        (2, "Bo"),
        (1, "Kara"),
        (None, "The ferryman"),
        (None, ""),
    ]


def test_d8_a_relationship_is_between_two() -> None:
    shifts = [{"between": ["Bo"]}, {"between": ["Bo", "Kara", "Ann"]}, {"between": ["Bo", "Kara"]}]
    payload = delta_payload(active(2), [{"relationship_shifts": shifts}], 1, 7)
    assert [shift["between"] for shift in payload["relationship_shifts"]] == [["Bo", "Kara"], ["Bo", "Kara"]]


def test_d8_pieces_of_a_long_chunk_become_one_block() -> None:
    first = {
        "location_updates": {"where": "the quay", "notable_environment_changes": ["rain"]},
        "canon_locks": ["The bell is cracked."],
        "major_events": [{"event": "The bell rings."}],
    }
    second = {
        "location_updates": {"where": "the tower", "notable_environment_changes": ["rain", "dark"]},
        "canon_locks": ["The bell is cracked.", "The tower leans."],
        "major_events": [{"event": "The tower falls."}],
    }
    payload = delta_payload(active(2), [first, second, {}], 1, 7)
    assert payload["location_updates"] == {
        "where": "the tower",
        "notable_environment_changes": ["rain", "dark"],
    }
    assert payload["canon_locks"] == ["The bell is cracked.", "The tower leans."]
    assert [e["event"] for e in payload["major_events"]] == ["The bell rings.", "The tower falls."]
    assert payload["range"]["prompt_count_in_chunk"] == 7


def test_d7_what_is_empty_is_not_put_into_prompts() -> None:
    payload = delta_payload(active(1), [{"canon_locks": ["Salt burns."]}], 1, 7)
    assert lean(payload) == {
        "range": {"from_marker": 1, "to_marker": 7, "prompt_count_in_chunk": 7},
        "canon_locks": ["Salt burns."],
    }


@pytest.mark.parametrize(
    "kind, entry, told",
    [
        (
            "character_actions",
            {"agent_slot": 1, "name": "Ilse Marrow", "did": "I try to reach the lamp.", "intent": "", "result": "attempted"},
            "Ilse Marrow: I try to reach the lamp. Attempted.",
        ),
        (
            "major_events",
            {"event": "The rope slips", "cause": "", "effect": "the bell falls.", "participants": ["Ilse", "Wenna"]},
            "The rope slips. The bell falls. (Ilse and Wenna)",
        ),
        ("state_changes", {"key": "scene", "before": "", "after": "It is broken.", "notes": ""}, "Scene: It is broken."),
        (
            "relationship_shifts",
            {"between": ["Ilse", "Wenna"], "change": "they trust each other", "evidence": ""},
            "Ilse and Wenna: They trust each other.",
        ),
        ("items_clues_discovered", {"thing": "A key", "who_found": "Ilse", "why_it_matters": ""}, "A key. (Ilse)"),
    ],
)  # fmt: skip
def test_people_read_notes_in_sentences_and_prompts_keep_their_fields(
    kind: str, entry: dict[str, Any], told: str
) -> None:
    assert told_notes({kind: [entry]}).split("\n")[1:] == [f"- {told}"]
    assert [line for _, line in notes_lines({kind: [entry]})] == [told]
    assert told not in notes_text({kind: [entry]})
