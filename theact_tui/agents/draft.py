"""The draft: suggests the player's next line, from what the player has read and nothing else."""

from __future__ import annotations

from theact_tui.agents.base import Agent, Templates, storyteller_system, transcript
from theact_tui.agents.prompts import fill
from theact_tui.agents.steering import language_line
from theact_tui.parsing.types import ReplyContext
from theact_tui.prompting.sections import Section
from theact_tui.story.views import DraftView


def _sections(view: DraftView, templates: Templates) -> list[Section]:
    player = view.stage.hero
    before = f"BEFORE THESE PAGES\n{view.summary}" if view.summary else ""
    made = [storyteller_system(view.stage, templates)]
    if before:
        made.append(Section("rolling summary", before, "state.yaml", "summary"))
    made += transcript(view.turns, view.names, player)
    here = ", ".join(view.names[name] for name in view.present) or "nobody else"
    task = fill("draft", templates, player=player, present=here)
    made.append(Section("draft", "\n".join([task, *language_line(view.stage.language)]), source="prompts"))
    return made


def _context(view: DraftView) -> ReplyContext:
    return ReplyContext(active_characters={"player": view.stage.hero})


DRAFT: Agent[DraftView] = Agent(
    name="draft",
    shape="character",
    reply_tokens=80,
    temperature=1.0,
    sections=_sections,
    context=_context,
)
