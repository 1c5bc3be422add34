"""The memory agents: facts, a diary entry, and the merging of old entries."""

from __future__ import annotations

from theact_tui.agents.base import (
    Agent,
    Templates,
    clerk_sections,
    page,
    storyteller_system,
    told,
)
from theact_tui.agents.character import attitude, memory_text
from theact_tui.parsing.types import ReplyContext
from theact_tui.prompting.sections import Section
from theact_tui.story.memory import Cell, CellsMemory, FactsMemory
from theact_tui.story.views import MemoryView, MergeView, ReflectionView, Viewpoint

ROOM_FOR_ENTRIES = 2_000
"""Characters of earlier diary entries shown to the writer of the next one."""


def _turns(view: MemoryView) -> str:
    return "\n\n".join(told(turn.entries, view.names, view.stage.hero) for turn in view.turns)


def _card(view: MemoryView) -> str:
    """Who the owner is."""
    return f"{view.name}, {view.role}" if view.role else view.name


def _facts_sections(view: MemoryView, templates: Templates) -> list[Section]:
    memory = view.memory if isinstance(view.memory, FactsMemory) else FactsMemory()
    return clerk_sections(
        "memory",
        templates,
        pages="turn",
        source=f"memory/{view.id}.yaml",
        stage=view.stage,
        name=view.name,
        summary=memory.summary or "nothing yet",
        card=_card(view),
        facts="\n".join(
            f"{i}. {fact.text}{' (important)' if fact.important else ''}"
            for i, fact in enumerate(memory.key_facts, 1)
        )
        or "none yet",
        turn=_turns(view),
    )


def _facts_context(view: MemoryView) -> ReplyContext:
    memory = view.memory if isinstance(view.memory, FactsMemory) else FactsMemory()
    return ReplyContext(facts=tuple(fact.text for fact in memory.key_facts))


def _cell_sections(view: MemoryView, templates: Templates) -> list[Section]:
    memory = view.memory if isinstance(view.memory, CellsMemory) else CellsMemory()
    return clerk_sections(
        "cell",
        templates,
        pages="turn",
        source=f"memory/{view.id}.yaml",
        stage=view.stage,
        name=view.name,
        summary=memory.summary or ("" if memory.cells else "nothing yet"),
        card=_card(view),
        cells="\n".join(f"- {cell.text}" for cell in _latest(memory)),
        turn=_turns(view),
    )


def _latest(memory: CellsMemory) -> list[Cell]:
    """The newest entries, oldest first, as far as they need no more room than the new turn has to have."""
    room, latest = ROOM_FOR_ENTRIES, list[Cell]()
    for cell in memory.cells:
        room -= len(cell.text)
        if room < 0 and latest:
            break
        latest.insert(0, cell)
    return latest


def _merge_sections(view: MergeView, templates: Templates) -> list[Section]:
    return clerk_sections(
        "merge",
        templates,
        pages="cells",
        source=f"memory/{view.id}.yaml",
        stage=view.stage,
        name=view.name,
        summary=view.summary or "nothing yet",
        cells="\n".join(f"- {cell.text}" for cell in view.cells),
    )


def _reflection_sections(view: ReflectionView, templates: Templates) -> list[Section]:
    point = view.point
    numbers = {turn.number for turn in point.turns}
    pinned, loose = memory_text(point.memory, verbatim=numbers)
    others = [point.names[name] for name in point.cast or () if name != point.id]
    return clerk_sections(
        "reflection",
        templates,
        begin=storyteller_system(point.stage, templates),
        pages="turns",
        source=f"memory/{point.id}.yaml",
        stage=point.stage,
        turns="\n\n".join(page(turn, point.names, point.stage.hero) for turn in point.turns),
        name=point.card.name,
        card=f"{point.card.name}, {point.card.role}. {point.card.personality.strip()} {_secret(point)}",
        relationships="\n".join(attitude(point)),
        memory="\n".join(filter(None, (pinned, loose))),
        others=", ".join([point.stage.hero, *others]),
    )


def _secret(point: Viewpoint) -> str:
    told = " (told by now)" if point.gate == "out" else ""
    return f"Secret{told}: {point.card.secret.strip()}" if point.card.secret else ""


FACTS: Agent[MemoryView] = Agent(
    name="memory",
    shape="memory",
    reply_tokens=500,
    temperature=0.2,
    sections=_facts_sections,
    context=_facts_context,
    ask_again="Answer again with the yaml block only: summary, add, update.",
)
CELL: Agent[MemoryView] = Agent(
    name="memory", shape="cell", reply_tokens=200, temperature=0.2, sections=_cell_sections
)
MERGE: Agent[MergeView] = Agent(
    name="memory", shape="merge", reply_tokens=300, temperature=0.2, sections=_merge_sections
)
REFLECTION: Agent[ReflectionView] = Agent(
    name="memory",
    shape="reflection",
    reply_tokens=300,
    temperature=0.2,
    sections=_reflection_sections,
    ask_again="Answer again with the yaml block only: want, hide, beliefs.",
)
