"""Agent 9 (D7, D8): writes the chapter as prose, whole or part by part."""

from __future__ import annotations

from theact_tui.agents.base import Agent, Templates
from theact_tui.agents.direct.notes import plain_pages
from theact_tui.agents.direct.prompts import END, GO_ON, TEMPLATES
from theact_tui.agents.direct.sections import memory_sections, rules
from theact_tui.prompting.sections import Section
from theact_tui.story.direct.views import ChapterView


def _sections(view: ChapterView, templates: Templates) -> list[Section]:
    log = "\n\n".join(plain_pages(exchange, view.cast) for exchange in view.exchanges)
    made = [rules("chapter")]
    if view.voice.strip():
        made.append(Section("voice", f"THE WRITER\n{view.voice.strip()}", source="voice.yaml"))
    made.append(Section("log", f"THE RECORD\n{log}", source="turns", priority="pages"))
    made += memory_sections(view.memory)
    if view.corrections:
        corrections = "\n".join(f"- {line}" for line in view.corrections)
        made.append(
            Section("corrections", f"TRUE LATER ON\n{corrections}", source="later blocks", priority="summary")
        )
    made.append(Section("task", _task(view), source="prompts"))
    return made


def _task(view: ChapterView) -> str:
    values = {"words": str(view.words), "part": str(view.part), "parts": str(view.parts)}
    if view.parts == 1:
        return TEMPLATES["chapter whole"].format_map(values)
    if not view.so_far:
        return TEMPLATES["chapter first"].format_map(values)
    ending = END if view.part == view.parts else GO_ON
    return TEMPLATES["chapter next"].format_map({**values, "so_far": view.so_far, "ending": ending})


CHAPTER: Agent[ChapterView] = Agent(
    name="chapter", shape="chapter", reply_tokens=1_500, temperature=0.8, sections=_sections
)
