"""The progress agent (S5.2): which beats happened, and is the chapter complete."""

from __future__ import annotations

from theact_tui.agents.base import Agent, Templates, clerk_sections, told
from theact_tui.models.reading.context import Context
from theact_tui.prompting.sections import Section
from theact_tui.story.views import ProgressView


def _sections(view: ProgressView, templates: Templates) -> list[Section]:
    marks = [
        f"{i}. [{'x' if beat in view.beats_hit else ' '}] {beat}"
        for i, beat in enumerate(view.chapter.beats, 1)
    ]
    return clerk_sections(
        "progress",
        templates,
        pages="turn",
        source=f"chapters/{view.chapter.id}.yaml",
        stage=view.stage,
        title=view.chapter.title,
        completion=view.chapter.completion,
        beats="\n".join(marks),
        turn="\n\n".join(told(turn.told, view.names, view.stage.player.name) for turn in view.turns),
    )


PROGRESS: Agent[ProgressView] = Agent(
    name="progress",
    shape="progress",
    reply_tokens=200,
    temperature=0.2,
    sections=_sections,
    context=lambda view: Context(beats=view.chapter.beats),
    ask_again="Answer again with the yaml block only: chapter_complete, reason, new_beats.",
)
