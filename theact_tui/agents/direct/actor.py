"""Agents 1 to 7 (D7): one character each, answering one prompt. Its prompt holds no identity but its own."""

from __future__ import annotations

from theact_tui.agents.base import Agent, Templates
from theact_tui.agents.direct.notes import plain_pages
from theact_tui.agents.direct.sections import memory_sections, rules
from theact_tui.models.reading.context import Context
from theact_tui.prompting.sections import Section
from theact_tui.story.direct.views import ActorView


def _sections(view: ActorView, templates: Templates) -> list[Section]:
    identity = view.identity.strip() or "Nothing more is known about you yet."
    played = [
        Section(
            f"prompt {exchange.index}",
            ("WHAT WAS JUST PLAYED\n" if number == 0 else "") + plain_pages(exchange, view.cast),
            source=f"turns, prompt {exchange.index}",
            priority="turn",
        )
        for number, exchange in enumerate(view.recent)
    ]
    return [
        rules("actor"),
        Section("identity", f"YOU ARE {view.name}\n{identity}", source="setup.yaml"),
        *memory_sections(view.memory),
        *played,
        Section("prompt", f"NOW, TO YOU, {view.name}\n> {view.prompt}", source="the new prompt"),
    ]


ACTOR: Agent[ActorView] = Agent(
    name="actor",
    shape="actor",
    reply_tokens=600,
    temperature=1.0,
    sections=_sections,
    context=lambda view: Context(active_characters={str(view.slot): view.name}),
)
