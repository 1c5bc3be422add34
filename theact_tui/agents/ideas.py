"""The agent that offers the player three things to do. What it says is only shown, and becomes no part of the story."""

from __future__ import annotations

from theact_tui.agents.base import Agent, Templates, clerk_sections, told_turns
from theact_tui.prompting.sections import Section
from theact_tui.story.views import IdeasView


def _sections(view: IdeasView, templates: Templates) -> list[Section]:
    return clerk_sections(
        "ideas",
        templates,
        pages="turns",
        source="state.yaml",
        stage=view.stage,
        present=", ".join(view.names[id] for id in view.present if id in view.names) or "nobody",
        beat=view.beat or "none",
        turns=told_turns(view.turns, view.names, view.stage.hero),
    )


IDEAS: Agent[IdeasView] = Agent("ideas", "summary", 120, 0.9, _sections)
