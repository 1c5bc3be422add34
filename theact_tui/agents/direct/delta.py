"""Agent 8 (D7, D8): notes down what is new in a range of prompts, and folds older notes into one."""

from __future__ import annotations

from theact_tui.agents.base import Agent, Templates
from theact_tui.agents.direct.notes import notes_text, numbered_pages, skeleton
from theact_tui.agents.direct.prompts import AGAIN_JSON, TEMPLATES
from theact_tui.agents.direct.sections import memory_sections, rules
from theact_tui.models.reading.context import Context
from theact_tui.models.replies import DeltaReply
from theact_tui.prompting.sections import Section
from theact_tui.story.direct.views import DeltaView, FoldView


def _sections(view: DeltaView, templates: Templates) -> list[Section]:
    found = [
        Section(
            "found",
            f"NOTED FROM THE PAGES JUST BEFORE\n{notes_text(payload)}",
            source="this call's earlier pieces",
            priority="summary",
        )
        for payload in view.found
    ]
    return [
        rules("delta", skeleton=skeleton(DeltaReply)),
        *memory_sections(view.memory),
        *found,
        Section(
            "pages",
            f"THE NEW PAGES\n{numbered_pages(view.exchanges, view.cast)}",
            source=f"turns, prompts {view.first}-{view.last}",
            priority="pages",
        ),
    ]


def _fold_sections(view: FoldView, templates: Templates) -> list[Section]:
    notes = "\n\n".join(notes_text(payload) for payload in view.deltas)
    return [
        rules("delta", skeleton=skeleton(DeltaReply)),
        Section("notes", TEMPLATES["fold"].format(notes=notes), source="blocks"),
    ]


DELTA: Agent[DeltaView] = Agent(
    name="delta",
    shape="delta",
    reply_tokens=900,
    temperature=0.2,
    sections=_sections,
    context=lambda view: Context(prompt_example=skeleton(DeltaReply)),
    ask_again=AGAIN_JSON,
)
FOLD: Agent[FoldView] = Agent(
    name="delta",
    shape="delta",
    reply_tokens=900,
    temperature=0.2,
    sections=_fold_sections,
    context=lambda view: Context(prompt_example=skeleton(DeltaReply)),
    ask_again=AGAIN_JSON,
)
