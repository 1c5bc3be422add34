"""A character (S3.4). Its prompt is made from a `Viewpoint` and cannot reach the game."""

from __future__ import annotations

from theact_tui.agents.base import Agent, Templates, parted, storyteller_system, told_entry, transcript
from theact_tui.models.reading.context import Context
from theact_tui.prompting.fitting import PINNED
from theact_tui.prompting.sections import Section
from theact_tui.story.memory import CellsMemory, FactsMemory, lines_of
from theact_tui.story.older import older_lines
from theact_tui.story.recalling import recalled
from theact_tui.story.views import Viewpoint


def _sections(view: Viewpoint, templates: Templates) -> list[Section]:
    player = view.stage.player.name
    made = [storyteller_system(view.stage, templates), *transcript(view.turns, view.names, player)]
    made += _this_turn(view, player)
    before, after = _role(view, templates)
    said, happening = _scene(view)
    pinned, loose = memory_text(view.memory, said, happening)
    made += [
        Section(view.card.name, before, source=f"characters/{view.id}.yaml"),
        Section(PINNED, pinned, source=f"memory/{view.id}.yaml"),
        Section("memory", loose, source=f"memory/{view.id}.yaml", priority="memory"),
        Section(
            "comes to mind",
            recollections(view.memory, said, happening),
            source=f"memory/{view.id}.yaml",
            priority="memory",
        ),
        Section("task", after, source="prompts"),
    ]
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


def _role(view: Viewpoint, templates: Templates) -> tuple[str, str]:
    """Persona, and what to do; between them stands the memory."""
    card = view.card
    relationships = [f"{view.names.get(other, other)}: {line}" for other, line in card.relationships.items()]
    return parted(
        "character",
        templates,
        "memory",
        player=view.stage.player.name,
        name=card.name,
        card=f"{card.name}, {card.role}. {card.personality.strip()}",
        secret=f"{card.name}'s secret, not told lightly: {card.secret.strip()}" if card.secret else "",
        relationships="\n".join(relationships),
    )


def _scene(view: Viewpoint) -> tuple[str, str]:
    """What the player said in this turn, and what else was told of it."""
    entries = view.now.entries if view.now else ()
    said = " ".join(entry.text for entry in entries if entry.role == "player")
    return said, " ".join(entry.text for entry in entries if entry.role in ("narrator", "character"))


def memory_text(memory: FactsMemory | CellsMemory, said: str = "", told: str = "") -> tuple[str, str]:
    """A memory as it reads in its owner's prompt: what is pinned, which is never cut, and the rest, which is cut at its
    end: first what bears on the scene, then what is important, newest first."""
    lines = sorted((line for line in lines_of(memory) if line.text), key=lambda line: -line.turn)
    near = {line.text for line in recalled([line for line in lines if not line.pinned], said, told)}
    loose = sorted(lines, key=lambda line: (line.text not in near, not line.important))
    pinned = "\n".join(f"- {line.text}" for line in lines if line.pinned)
    rest = "\n".join([memory.summary, *(f"- {line.text}" for line in loose if not line.pinned)]).strip()
    return pinned, rest if rest or pinned else "Nothing yet."


def recollections(memory: FactsMemory | CellsMemory, said: str, told: str) -> str:
    """Of what gave way to newer memories, what bears on the scene; empty if nothing does."""
    lines = recalled(older_lines(memory.older), said, told)
    return "\n".join(
        ["What this brings back, from long ago:", *(f"- {line.text}" for line in lines)] if lines else []
    )


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
