"""The progress agent: which beats happened, and is the chapter complete."""

from __future__ import annotations

from collections.abc import Sequence

from theact_tui.agents.base import Agent, Templates, clerk_sections, told, told_turns
from theact_tui.parsing.types import ReplyContext
from theact_tui.prompting.sections import Section
from theact_tui.story.turn import Entry
from theact_tui.story.views import ProgressView

OFFERED = 3
"""Open beats that are asked about: a turn that told a later one is most likely misread."""


def _sections(view: ProgressView, templates: Templates) -> list[Section]:
    beats = view.chapter.beats
    left = [(i, beat) for i, beat in enumerate(beats, 1) if beat not in view.beats_hit]
    asked = [*left[:OFFERED], *(one for one in left[OFFERED:] if one[1] in view.confessed)]
    offered = [f"{i}. {beat}" for i, beat in asked]
    owned = [f"{i}. {beat}" for i, beat in enumerate(beats, 1) if beat in view.chapter.by]
    before = told(_begun(view, [beat for _, beat in asked]), view.names, view.stage.hero)
    made = clerk_sections(
        "progress",
        templates,
        pages="turn",
        source=f"chapters/{view.chapter.id}.yaml",
        stage=view.stage,
        title=view.chapter.title,
        completion=view.chapter.completion,
        done=f"{len(beats) - len(left)} of {len(beats)}",
        beats="\n".join(owned if view.recap else offered) or "none",
        turn=view.recap or told_turns(view.turns, view.names, view.stage.hero),
    )
    if before:
        earlier = f"THE TURN BEFORE THAT, for what was begun in it\n{before}"
        made.insert(-1, Section("turn before", earlier, source="the story", priority="turn"))
    return made


def _begun(view: ProgressView, beats: Sequence[str]) -> list[Entry]:
    """What may have begun one of the `beats` in the turn before: its narration, and answers of those whose act it is."""
    owners = {view.chapter.by.get(beat) for beat in beats} - {None}
    told = view.before.told if view.before else ()
    return [entry for entry in told if entry.role == "narrator" or (entry.character in owners)]


PROGRESS: Agent[ProgressView] = Agent(
    name="progress",
    shape="progress",
    reply_tokens=250,
    temperature=0.2,
    sections=_sections,
    context=lambda view: ReplyContext(beats=view.chapter.beats),
    ask_again="Answer again with the yaml block only: reason, new_beats, quotes, chapter_complete.",
)
