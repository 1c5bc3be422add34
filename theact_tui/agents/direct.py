"""Sections that the agents of direct mode share: their own rules, the lock, the notes so far."""

from __future__ import annotations

from collections.abc import Callable

from pydantic import BaseModel

from theact_tui.agents.base import Agent, Templates, V
from theact_tui.agents.direct_notes import notes_text, numbered_pages, plain_pages, skeleton
from theact_tui.agents.prompts import AGAIN_JSON, DIRECT_TEMPLATES, END, GO_ON
from theact_tui.parsing.types import ReplyContext
from theact_tui.prompting.sections import Section
from theact_tui.story.direct.blocks import DeltaReply, LockReply
from theact_tui.story.direct.views import (
    ActorView,
    ChapterView,
    DeltaView,
    FoldView,
    LockView,
    StructuredMemory,
)


def rules(agent: str, **values: str) -> Section:
    """The system message of an agent; the same for every call of its kind."""
    text = DIRECT_TEMPLATES[agent].format_map(values) if values else DIRECT_TEMPLATES[agent]
    return Section("rules", text, source="prompts", part="system")


def memory_sections(memory: StructuredMemory) -> list[Section]:
    """Structured memory: the lock is never cut, what happened is cut from the oldest on."""
    made = [Section("lock", f"WHAT IS ESTABLISHED\n{notes_text(memory.lock)}", source="blocks/000.yaml")]
    for number, payload in enumerate(memory.told, 1):
        heading = "WHAT HAPPENED SINCE\n" if number == 1 else ""
        folded = memory.folded is not None and number == 1
        source = "folded.yaml" if folded else f"blocks, prompts {_range(payload)}"
        made.append(
            Section(
                f"notes {_range(payload)}", heading + notes_text(payload), source=source, priority="summary"
            )
        )
    return made


def _range(payload: dict[str, object]) -> str:
    match payload.get("range"):
        case {"from_marker": first, "to_marker": last}:
            return f"{first}-{last}"
        case _:
            return ""


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
    context=lambda view: ReplyContext(active_characters={str(view.slot): view.name}),
)


def _chapter_sections(view: ChapterView, templates: Templates) -> list[Section]:
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
        return DIRECT_TEMPLATES["chapter whole"].format_map(values)
    if not view.so_far:
        return DIRECT_TEMPLATES["chapter first"].format_map(values)
    ending = END if view.part == view.parts else GO_ON
    return DIRECT_TEMPLATES["chapter next"].format_map({**values, "so_far": view.so_far, "ending": ending})


CHAPTER: Agent[ChapterView] = Agent(
    name="chapter", shape="chapter", reply_tokens=1_500, temperature=0.8, sections=_chapter_sections
)


def _delta_sections(view: DeltaView, templates: Templates) -> list[Section]:
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
        Section("notes", DIRECT_TEMPLATES["fold"].format(notes=notes), source="blocks"),
    ]


def _keeper_of_notes(
    name: str, sections: Callable[[V, Templates], list[Section]], reply: type[BaseModel]
) -> Agent[V]:
    """An agent that answers with one JSON object that has every key of `reply`."""
    return Agent(
        name=name,
        shape=name,
        reply_tokens=900,
        temperature=0.2,
        sections=sections,
        context=lambda view: ReplyContext(prompt_example=skeleton(reply)),
        ask_again=AGAIN_JSON,
    )


DELTA: Agent[DeltaView] = _keeper_of_notes("delta", _delta_sections, DeltaReply)
FOLD: Agent[FoldView] = _keeper_of_notes("delta", _fold_sections, DeltaReply)


def _lock_sections(view: LockView, templates: Templates) -> list[Section]:
    names = "\n".join(f"{slot}. {name}" for slot, name in view.cast.names.items())
    return [
        rules("lock", skeleton=skeleton(LockReply)),
        Section("world", f"THE WORLD\n{view.world.strip() or '(nothing written)'}", source="setup.yaml"),
        Section(
            "chapter", f"THE CHAPTER\n{view.chapter.strip() or '(nothing written)'}", source="setup.yaml"
        ),
        Section("cast", f"WHO PLAYS ({len(view.cast.names)})\n{names}", source="setup.yaml"),
    ]


LOCK: Agent[LockView] = _keeper_of_notes("lock", _lock_sections, LockReply)
