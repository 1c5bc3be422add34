"""What the player could do next: one line for the box, or three to choose from; and who somebody is that the player wants
in the story. It is only shown, and becomes no part of the story by itself."""

from __future__ import annotations

import re

from theact_tui.agents.base import (
    Agent,
    Templates,
    clerk,
    language_line,
    storyteller_system,
    told_turns,
    transcript,
)
from theact_tui.agents.prompts import fill
from theact_tui.parsing.types import ReplyContext
from theact_tui.prompting.sections import Section
from theact_tui.story.views import SuggestionView
from theact_tui.text import one_line


def _draft_sections(view: SuggestionView, templates: Templates) -> list[Section]:
    """From what the player has read and nothing else."""
    made = [storyteller_system(view.stage, templates), *transcript(view.turns, view.stage)]
    earlier = "\n".join(filter(None, (view.summary, *view.recalled)))
    if earlier:
        made.append(Section("rolling summary", f"BEFORE THESE PAGES\n{earlier}", "state.yaml", "summary"))
    words = {"present": _present(view)} if view.kind == "draft" else {"name": view.newcomer}
    task = fill(view.kind, templates, player=view.stage.hero, **words)
    text = "\n".join([task, *language_line(view.stage.language)])
    return [*made, Section(view.kind, text, source="prompts")]


def _ideas(view: SuggestionView) -> dict[str, str]:
    return {
        "present": _present(view),
        "beat": view.beat or "none",
        "turns": told_turns(view.turns, view.stage),
    }


def _present(view: SuggestionView) -> str:
    return ", ".join(view.stage.names[id] for id in view.present if id in view.stage.names) or "nobody else"


def _context(view: SuggestionView) -> ReplyContext:
    return ReplyContext(active_characters={"person": view.newcomer or view.stage.hero})


DRAFT: Agent[SuggestionView] = Agent("draft", "character", 80, 1.0, _draft_sections, _context)
IDEAS: Agent[SuggestionView] = Agent(
    "ideas", "summary", 120, 0.9, clerk("ideas", _ideas, pages="turns", source="state.yaml")
)
CASTING: Agent[SuggestionView] = Agent("casting", "character", 120, 0.8, _draft_sections, _context)


def ideas_in(text: str) -> tuple[str, ...]:
    """The ideas of a reply, at most three, without numbers and marks in front."""
    lines = (one_line(re.sub(r"^\W*\d*[.)]?\s*", "", line), 160) for line in text.splitlines())
    return tuple(dict.fromkeys(filter(None, lines)))[:3]
