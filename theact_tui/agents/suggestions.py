"""Suggestions: three next lines for the player, or a new character."""

import re

from theact_tui.agents.agent import (
    Agent,
    Templates,
    about_player,
    language_line,
    storyteller_system,
    transcript_messages,
)
from theact_tui.agents.prompts import fill_prompt
from theact_tui.parsing.types import ReplyContext
from theact_tui.prompting.sections import Section
from theact_tui.story.views import SuggestionView
from theact_tui.text import one_line


def _sections(view: SuggestionView, templates: Templates) -> list[Section]:
    sections = [
        storyteller_system(view.story, templates),
        *transcript_messages(view.turns, view.story),
        *about_player(view.story),
    ]
    earlier = "\n".join(filter(None, (view.summary, *view.recalled)))
    if earlier:
        sections.append(Section("rolling summary", f"BEFORE THESE PAGES\n{earlier}", "state.yaml", "summary"))
    words = {"name": view.newcomer} if view.kind == "casting" else _standing(view)
    task = fill_prompt(view.kind, templates, player=view.story.hero, **words)
    text = "\n".join([task, *language_line(view.story.language)])
    return [*sections, Section(view.kind, text, source="prompts")]


def _standing(view: SuggestionView) -> dict[str, str]:
    present = [view.story.names[id] for id in view.present if id in view.story.names]
    return {"present": ", ".join(present) or "nobody else", "beat": view.beat or "none"}


IDEAS: Agent[SuggestionView] = Agent("ideas", "summary", 120, 0.9, _sections)
CASTING: Agent[SuggestionView] = Agent(
    "casting", "character", 120, 0.8, _sections, lambda view: ReplyContext({"person": view.newcomer})
)


def ideas_in(text: str) -> tuple[str, ...]:
    """Parse at most three lines, without numbers and marks."""
    lines = (one_line(re.sub(r"^\W*\d*[.)]?\s*", "", line), 160) for line in text.splitlines())
    return tuple(dict.fromkeys(filter(None, lines)))[:3]
