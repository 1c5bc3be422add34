"""A character (S3.4). Its prompt is made from a `Viewpoint` and cannot reach the game."""

from __future__ import annotations

from theact_tui.agents.base import Agent, Templates, storyteller_system, told_entry, transcript
from theact_tui.agents.prompts import fill
from theact_tui.models.reading.context import Context
from theact_tui.prompting.sections import Section
from theact_tui.story.memory import CellsMemory, FactsMemory
from theact_tui.story.views import Viewpoint


def _sections(view: Viewpoint, templates: Templates) -> list[Section]:
    player = view.stage.player.name
    made = [storyteller_system(view.stage, templates), *transcript(view.turns, view.names, player)]
    made += _this_turn(view, player)
    made.append(Section(view.card.name, _role(view, templates), source=f"characters/{view.id}.yaml"))
    return made


def _this_turn(view: Viewpoint, player: str) -> list[Section]:
    """What has been told of this turn, entry by entry; the player's words are never cut."""
    if view.now is None:
        return []
    source = f"turn {view.now.number}"
    return [
        Section(
            "player" if entry.role == "player" else "this turn",
            told_entry(entry, view.names, player),
            source=source,
            priority="fixed" if entry.role == "player" else "pages",
        )
        for entry in view.now.entries
        if entry.role != "system"
    ]


def _role(view: Viewpoint, templates: Templates) -> str:
    card = view.card
    relationships = [f"{view.names.get(other, other)}: {line}" for other, line in card.relationships.items()]
    return fill(
        "character",
        templates,
        player=view.stage.player.name,
        name=card.name,
        card=f"{card.name}, {card.role}. {card.personality.strip()}",
        secret=f"{card.name}'s secret, not told lightly: {card.secret.strip()}" if card.secret else "",
        relationships="\n".join(relationships),
        memory=memory_text(view.memory),
    )


def memory_text(memory: FactsMemory | CellsMemory) -> str:
    """A memory as it reads in its owner's prompt."""
    if isinstance(memory, FactsMemory):
        lines = [f"- {fact.text}" for fact in memory.key_facts]
    else:
        lines = [f"- {cell.text}" for cell in memory.cells if cell.text]
    return "\n".join([memory.summary, *lines]).strip() or "Nothing yet."


def _context(view: Viewpoint) -> Context:
    return Context(active_characters={view.id: view.card.name})


CHARACTER: Agent[Viewpoint] = Agent(
    name="character",
    shape="character",
    reply_tokens=400,
    temperature=1.0,
    sections=_sections,
    context=_context,
)
