"""Memory agents: facts, diary entries, merged entries, reflections."""

import json
from dataclasses import replace

from theact_tui.agents.agent import Agent, clerk, render_turns
from theact_tui.agents.character import attitude, has_met
from theact_tui.agents.memory_in_prompt import memory_text
from theact_tui.parsing.types import ReplyContext
from theact_tui.story.memory import Memory, lines_of
from theact_tui.story.names import is_named
from theact_tui.story.views import MemoryView, MergeView, ReflectionView

_ROOM_FOR_ENTRIES = 2_000
"""Characters of earlier entries shown to the diary writer."""
_SOURCE = "memory/{view.id}.yaml"


def _owner(view: MemoryView) -> dict[str, str]:
    return {
        "name": view.name,
        "card": _card(view.name, view.role),
        "turn": render_turns(view.turns, view.story),
    }


def _card(name: str, role: str) -> str:
    brief = role.partition(",")[0]
    return f"{name}, {brief}" if brief else name


def _facts(view: MemoryView) -> dict[str, str]:
    facts = "\n".join(f"{i}. {fact.text}" for i, fact in enumerate(lines_of(view.memory), 1))
    return {**_owner(view), "facts": facts or "none yet"}


def _cell(view: MemoryView) -> dict[str, str]:
    latest = _latest(view.memory)
    summary = view.memory.summary or ("" if latest else "nothing yet")
    return {**_owner(view), "summary": summary, "cells": "\n".join(f"- {text}" for text in latest)}


def _latest(memory: Memory) -> list[str]:
    """Return the newest entries that fit beside the new turn, oldest first."""
    room, latest = _ROOM_FOR_ENTRIES, list[str]()
    for cell in lines_of(memory):
        room -= len(cell.text)
        if room < 0 and latest:
            break
        latest.insert(0, cell.text)
    return latest


def _merge(view: MergeView) -> dict[str, str]:
    cells = "\n".join(f"- {cell.text}" for cell in view.cells)
    return {"name": view.name, "summary": view.summary or "nothing yet", "cells": cells}


def _past(view: MergeView) -> dict[str, str]:
    turns = render_turns(view.turns, view.story)
    card = _card(view.name, view.role)
    return {"name": view.name, "card": card, "summary": view.summary or "nothing yet", "turns": turns}


def names_with_news(view: ReflectionView) -> list[str]:
    """Return names of those with a new fact or reply since the last reflection; the player also if the owner replied."""
    point = view.point
    since = point.memory.reflection.turn if point.memory.reflection else 0
    facts = " ".join(line.text for line in lines_of(point.memory) if line.turn > since)
    spoke = {e.character for turn in point.turns if turn.number > since for e in turn.entries}
    hero = point.story.hero
    met = [name for name in point.cast or () if name != point.id and has_met(point, name)]
    others = [name for name in met if name in spoke or is_named(facts, point.story.names[name])]
    about_player = point.id in spoke or is_named(facts, hero)
    return [*([hero] if about_player else []), *(point.story.names[name] for name in others)]


def _reflection(view: ReflectionView) -> dict[str, str]:
    point = view.point
    card = point.card
    pinned, loose = memory_text(point.memory, verbatim={turn.number for turn in point.turns})
    outcome = " (told by now)" if point.gate == "out" else ""
    secret = f" Secret{outcome}: {card.secret.strip()}" if card.secret else ""
    want = f" Wants: {wanted}" if (wanted := point.card.want.strip()) else ""
    return {
        "turns": render_turns(point.turns, point.story),
        "name": card.name,
        "card": f"{card.name}, {card.role}. {card.personality.strip()}{want}{secret}",
        "relationships": "\n".join(attitude(point)),
        "memory": "\n".join(filter(None, (pinned, loose))) or "nothing",
        "others": ", ".join(names_with_news(view)),
        "example": _REFLECTED,
    }


_REFLECTED = json.dumps(
    {
        "want": "To get the lake key back before Friday.",
        "hide": "that Ada cannot swim",
        "beliefs": ["Ben: keeps what he promises.", "Cy: was at the lake that night."],
    }
)

FACTS: Agent[MemoryView] = Agent(
    "memory",
    "memory",
    250,
    0.2,
    clerk("memory", _facts, pages="turn", source=_SOURCE),
    context=lambda view: ReplyContext(facts=tuple(fact.text for fact in lines_of(view.memory))),
)
CELL: Agent[MemoryView] = Agent(
    "memory", "cell", 200, 0.2, clerk("cell", _cell, pages="turn", source=_SOURCE)
)
MERGE: Agent[MergeView] = Agent(
    "memory", "merge", 300, 0.2, clerk("merge", _merge, pages="cells", source=_SOURCE)
)
PAST = replace(MERGE, sections=clerk("past", _past, pages="turns", source=_SOURCE))
REFLECTION: Agent[ReflectionView] = Agent(
    "memory",
    "reflection",
    300,
    0.2,
    clerk(
        "reflection",
        _reflection,
        pages="turns",
        source="memory/{view.point.id}.yaml",
        turns=lambda view: view.point.turns,
    ),
    context=lambda view: ReplyContext(prompt_example=_REFLECTED),
)
