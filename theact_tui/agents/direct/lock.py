"""Agent 0 (D7): turns the notes of Setup into the first memory block. It never sees an identity."""

from __future__ import annotations

from theact_tui.agents.base import Agent, Templates
from theact_tui.agents.direct.notes import skeleton
from theact_tui.agents.direct.prompts import AGAIN_JSON
from theact_tui.agents.direct.sections import rules
from theact_tui.models.reading.context import Context
from theact_tui.models.replies import LockReply
from theact_tui.prompting.sections import Section
from theact_tui.story.direct.views import LockView


def _sections(view: LockView, templates: Templates) -> list[Section]:
    names = "\n".join(f"{slot}. {name}" for slot, name in view.cast.names.items())
    return [
        rules("lock", skeleton=skeleton(LockReply)),
        Section("world", f"THE WORLD\n{view.world.strip() or '(nothing written)'}", source="setup.yaml"),
        Section(
            "chapter", f"THE CHAPTER\n{view.chapter.strip() or '(nothing written)'}", source="setup.yaml"
        ),
        Section("cast", f"WHO PLAYS ({len(view.cast.names)})\n{names}", source="setup.yaml"),
    ]


LOCK: Agent[LockView] = Agent(
    name="lock",
    shape="lock",
    reply_tokens=900,
    temperature=0.2,
    sections=_sections,
    context=lambda view: Context(prompt_example=skeleton(LockReply)),
    ask_again=AGAIN_JSON,
)
