"""The offline storyteller's deltas and folded notes in direct mode (D7, D8), in the words the story was told in."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from theact_tui.models.storyteller.direct_people import People, short_name
from theact_tui.models.storyteller.direct_prose import is_aside, quoted, retold, retold_prompt
from theact_tui.models.storyteller.direct_words import MANY, PLACE, any_of, lines_of, short
from theact_tui.models.storyteller.find import flat, sentences
from theact_tui.models.storyteller.names import mentions
from theact_tui.story.direct.log import Exchange
from theact_tui.story.direct.payloads import delta_payload
from theact_tui.story.direct.records import Session
from theact_tui.story.direct.views import DeltaView, FoldView, Payload

_FOUND = any_of(
    "find, finds, found, discover*, uncover*, pick up, picks up, there is a, lies a, lie a, reveal*"
)
_CHANGED = any_of(
    "no longer, is now, are now, dies, is dead, breaks, broken, opens, shut, burns, collapses, wounded, hurt, bleeding,"
    "gone, escapes, wakes, locked, unlocked"
)
_TOWARDS = any_of(
    "trust*, distrust*, thank*, forgive*, blame*, betray*, point, eye, stay close, nod*, help*, protect*, angry, against"
)
_TRIES = re.compile(r"\bI\b(?![^.]*\b(?:say|ask|answer|add)\b)")


def note(view: DeltaView | FoldView) -> str:
    """The raw reply of agent 8: what is new in the pages, or older notes as one."""
    if isinstance(view, FoldView):
        return json.dumps(_folded(view), ensure_ascii=False)
    known = {flat(text) for text in _texts([*view.memory.told, *view.found, view.memory.lock])}
    made: dict[str, Any] = {"location_updates": {"where": _where(view), "notable_environment_changes": []}}
    people = People.of(view.cast.names.values(), view.exchanges, view.memory.lock)
    for exchange in view.exchanges:
        _note_prompt(made, exchange, view, people, known)
        for reply in exchange.replies:
            _note_reply(made, reply.text, reply.agent_slot, view, people)
    return json.dumps(
        {key: value[:MANY] if isinstance(value, list) else value for key, value in made.items()},
        ensure_ascii=False,
    )


def _note_prompt(
    made: dict[str, Any], exchange: Exchange, view: DeltaView, people: People, known: set[str]
) -> None:
    """The game master's sentences are fact: an event, and more where the words say so."""
    if exchange.prompt is None:
        return
    answered = [view.cast.names[r.agent_slot] for r in exchange.replies if r.agent_slot in view.cast.names]
    told = [line for line in lines_of(quoted(exchange.prompt.text)) if not is_aside(line)]
    facts = [
        fact
        for line in told
        if not line.endswith("?") and flat(line) not in known
        for fact in [short(" ".join(retold_prompt(line, answered[0] if answered else "", people)))]
        if flat(fact) not in known
    ]
    if facts:
        named = [name for name in people.names if mentions(exchange.prompt.text, name)]
        event = {
            "event": facts[0],
            "cause": "",
            "effect": " ".join(facts[1:3]),
            "participants": list(dict.fromkeys([*named, *answered])),
        }
        _add(made, "major_events", event)
    for line in facts:
        if _FOUND.search(line):
            _add(
                made,
                "items_clues_discovered",
                {"thing": line, "who_found": ", ".join(answered), "why_it_matters": ""},
            )
        if changed := _CHANGED.search(line):
            _add(
                made,
                "state_changes",
                {
                    "key": line[: changed.start()].strip(" ,") or "scene",
                    "before": "",
                    "after": line,
                    "notes": "",
                },
            )
    for line in told:
        if line.endswith("?") and not re.search(r"\byou\b", line, re.I):
            _add(made, "unresolved_threads", {"thread": line, "stakes": "", "next_likely_trigger": ""})


def _note_reply(made: dict[str, Any], text: str, slot: int | None, view: DeltaView, people: People) -> None:
    """What an actor says it does is an attempt; what it asks stays open."""
    name = view.cast.names.get(slot or 0, "")
    lines = sentences(text)
    tried = next((line for line in lines if _TRIES.search(line)), "")
    if tried and name:
        did = short(" ".join(retold(tried, name, people)))
        _add(
            made,
            "character_actions",
            {"agent_slot": slot, "name": name, "did": did, "intent": "", "result": "attempted"},
        )
    for other in view.cast.names.values():
        called = short_name(other)
        line = next(
            (line for line in lines if called in line and other != name and _TOWARDS.search(line)), ""
        )
        if line and not any(
            shift["between"] == [name, other] for shift in made.get("relationship_shifts", ())
        ):
            _add(
                made,
                "relationship_shifts",
                {
                    "between": [name, other],
                    "change": f"{name} turns to {other}",
                    "evidence": short(line),
                },
            )
    asked = next((line for line in lines if "?" in line), "")
    if asked and name:
        _add(made, "contradictions_or_questions", f"{name} asks: {short(asked)}")


def _add(made: dict[str, Any], key: str, item: Any) -> None:
    held = made.setdefault(key, [])
    if item not in held:
        held.append(item)


def _where(view: DeltaView) -> str:
    """The place named last by the game master; what something lies on is no place."""
    prompts = [exchange.prompt.text for exchange in view.exchanges if exchange.prompt]
    found = [match for text in prompts for match in PLACE.finditer(text)]
    places = [match[1] for match in found if not match[0].lower().startswith(("on", "under"))]
    return places[-1] if places else ""


def _texts(payloads: Iterable[Any]) -> Iterable[str]:
    """Every text in some payloads."""
    for payload in payloads:
        match payload:
            case str():
                yield payload
            case dict():
                yield from _texts(payload.values())
            case list() | tuple():
                yield from _texts(payload)


def _folded(view: FoldView) -> Payload:
    """Notes joined, the newest of each kind."""
    session = Session(
        session_id=view.cast.session_id,
        agent_names=view.cast.names,
        selected_agent_slots=tuple(view.cast.names),
    )
    joined = delta_payload(session, view.deltas, 0, 0)
    return {
        key: value[-2 * MANY :] if isinstance(value, list) else value
        for key, value in joined.items()
        if key != "range"
    }
