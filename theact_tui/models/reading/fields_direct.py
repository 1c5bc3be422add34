"""The fields of the two structured replies of direct mode (D8), and the names that models give them."""

from __future__ import annotations

from theact_tui.models.reading.shapes import Field, Kind, Shape


def _lines(names: str) -> tuple[Field, ...]:
    """Fields of one line each; a name that ends in `*` is a list of texts, in `#` a whole number."""
    kinds: dict[str, Kind] = {"*": "texts", "#": "whole"}
    return tuple(Field(name.rstrip("*#"), kinds.get(name[-1], "line")) for name in names.split())


def _all_needed(*fields: Field) -> Shape:
    """A reply of which any one field is enough."""
    return Shape(fields=fields, needed=tuple(field.name for field in fields))


LOCK = _all_needed(
    Field(
        "world",
        "object",
        "the_world setting welt mundo monde",
        parts=_lines(
            "genre tone themes* rules_of_reality* factions_or_powers* key_lore* safety_or_boundaries*"
        ),
    ),
    Field(
        "chapter",
        "object",
        "the_chapter kapitel capitulo chapitre",
        parts=_lines("premise location time environment* active_threats* open_mysteries* chapter_goals*"),
    ),
    Field("canon_locks", "texts", "canon canon_lock locks locked_canon"),
    Field("assumptions", "texts", "assumption assumed"),
)

DELTA = _all_needed(
    Field(
        "location_updates",
        "object",
        "location_update location locations",
        parts=_lines("where notable_environment_changes*"),
    ),
    Field("major_events", "objects", "major_event events", parts=_lines("event cause effect participants*")),
    Field(
        "character_actions",
        "objects",
        "character_action actions",
        parts=_lines("agent_slot# name did intent result"),
    ),
    Field(
        "state_changes",
        "objects",
        "state_change state_updates states",
        parts=_lines("key before after notes"),
    ),
    Field(
        "relationship_shifts",
        "objects",
        "relationship_shift relationships relationship_changes",
        parts=_lines("between* change evidence"),
    ),
    Field(
        "items_clues_discovered",
        "objects",
        "items_clues items_and_clues_discovered items_discovered clues_discovered items clues discoveries",
        parts=_lines("thing who_found why_it_matters"),
    ),
    Field(
        "unresolved_threads",
        "objects",
        "unresolved_thread threads open_threads",
        parts=_lines("thread stakes next_likely_trigger"),
    ),
    Field("canon_locks", "texts", "canon canon_lock locks"),
    Field(
        "contradictions_or_questions",
        "texts",
        "contradictions_and_questions contradictions questions open_questions",
    ),
)
