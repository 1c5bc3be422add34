"""The progress agent: which beats happened, and is the chapter complete."""

from __future__ import annotations

from theact_tui.agents.base import Agent, Templates, clerk, told, told_turns
from theact_tui.parsing.types import ReplyContext
from theact_tui.prompting.sections import Section
from theact_tui.story.views import ProgressView

OFFERED = 3
"""Open beats that are asked about: a turn that told a later one is most likely misread."""


def _asked(view: ProgressView) -> dict[int, str]:
    """The open beats that are asked about, by number."""
    left = [(i, beat) for i, beat in enumerate(view.chapter.beats, 1) if beat not in view.beats_hit]
    return dict([*left[:OFFERED], *(one for one in left[OFFERED:] if one[1] in view.confessed)])


def _records(view: ProgressView) -> dict[str, str]:
    beats, hit = view.chapter.beats, view.beats_hit
    owned = {i: beat for i, beat in enumerate(beats, 1) if beat in view.chapter.by}
    offered = owned if view.recap else _asked(view)
    return {
        "title": view.chapter.title,
        "completion": view.chapter.completion,
        "done": f"{sum(beat in hit for beat in beats)} of {len(beats)}",
        "beats": "\n".join(f"{i}. {beat}" for i, beat in offered.items()) or "none",
        "turn": view.recap or told_turns(view.turns, view.stage),
    }


_SECTIONS = clerk("progress", _records, pages="turn", source="chapters/{view.chapter.id}.yaml")


def _sections(view: ProgressView, templates: Templates) -> list[Section]:
    """With what may have begun a beat in the turn before: its narration, and answers of those whose act it is."""
    made = _SECTIONS(view, templates)
    owners = {view.chapter.by.get(beat) for beat in _asked(view).values()} - {None}
    begun = [
        entry
        for entry in (view.before.told if view.before else ())
        if entry.role == "narrator" or entry.character in owners
    ]
    if before := told(begun, view.stage.names, view.stage.hero):
        earlier = f"THE TURN BEFORE THAT, for what was begun in it\n{before}"
        made.insert(-1, Section("turn before", earlier, source="the story", priority="turn"))
    return made


PROGRESS: Agent[ProgressView] = Agent(
    "progress",
    "progress",
    250,
    0.2,
    _sections,
    context=lambda view: ReplyContext(beats=view.chapter.beats),
    ask_again="Answer again with the yaml block only: reason, new_beats, quotes, chapter_complete.",
)
