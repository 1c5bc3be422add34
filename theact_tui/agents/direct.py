"""Agents of direct mode: actors, note keepers, chapter writer."""

import json
from collections.abc import Callable, Iterable

from theact_tui.agents.agent import Agent, Templates, V
from theact_tui.agents.prompts import DIRECT_TEMPLATES, END, GO_ON
from theact_tui.parsing.types import ReplyContext
from theact_tui.prompting.sections import Section
from theact_tui.story.direct.blocks import FORMS, notes_text
from theact_tui.story.direct.log import Exchange
from theact_tui.story.direct.records import SessionRecord
from theact_tui.story.direct.transcript import tidy
from theact_tui.story.direct.views import (
    ActorView,
    ChapterView,
    DeltaView,
    FoldView,
    LockView,
    StructuredMemory,
)

SINCE, LATER = "WHAT HAPPENED SINCE", "LATER, AND TRUE WHERE IT DIFFERS FROM THE ABOVE"


def _rules(agent: str) -> Section:
    """System message of an agent, with its form."""
    text = DIRECT_TEMPLATES[agent]
    if agent in FORMS:
        text = text.format(skeleton=json.dumps(FORMS[agent]))
    return Section("rules", text, source="prompts", part="system")


def _memory_sections(memory: StructuredMemory) -> list[Section]:
    """Make sections for the lock, never cut, and for events, cut from the oldest."""
    began = f"WHAT IS ESTABLISHED, AS THE CHAPTER BEGAN\n{notes_text(memory.lock)}"
    sections = [Section("lock", began, source="blocks/0000.yaml")]
    for number, payload in enumerate(memory.in_order, 1):
        covered = payload.get("range", {})
        prompts = f"{covered.get('from_marker')}-{covered.get('to_marker')}"
        text = f"{SINCE if number == 1 else LATER}\n{notes_text(payload)}"
        folded = memory.folded is not None and number == 1
        source = "folded.yaml" if folded else f"blocks, prompts {prompts}"
        sections.append(Section(f"notes {prompts}", text, source=source, priority="summary"))
    return sections


def _actor_sections(view: ActorView, templates: Templates) -> list[Section]:
    identity = view.identity.strip() or "Nothing more is known about you yet."
    played = [
        Section(
            f"prompt {exchange.index}",
            ("WHAT WAS JUST PLAYED\n" if number == 0 else "") + pages((exchange,), view.cast),
            source=f"turns, prompt {exchange.index}",
            priority="turn",
        )
        for number, exchange in enumerate(view.recent)
    ]
    return [
        _rules("actor"),
        Section("identity", f"YOU ARE {view.name}\n{identity}", source="setup.yaml"),
        *_memory_sections(view.memory),
        *played,
        Section(
            "prompt", f"NOW, TO YOU, {view.name}, who answers alone\n> {view.prompt}", source="the new prompt"
        ),
    ]


def _chapter_sections(view: ChapterView, templates: Templates) -> list[Section]:
    log = pages(view.exchanges, view.cast)
    sections = [_rules("chapter")]
    if voice := view.voice.strip():
        sections.append(Section("voice", f"THE WRITER\n{voice}", source="voice.yaml"))
    sections.append(Section("log", f"THE RECORD\n{log}", source="turns", priority="pages"))
    sections += _memory_sections(view.memory)
    if view.corrections:
        text = "\n".join(["TRUE LATER ON", *(f"- {line}" for line in view.corrections)])
        sections.append(Section("corrections", text, source="later blocks", priority="summary"))
    template = "chapter whole" if view.parts == 1 else "chapter next" if view.so_far else "chapter first"
    ending = END if view.part == view.parts else GO_ON
    values = {"words": view.words, "part": view.part, "parts": view.parts, "so_far": view.so_far}
    task = DIRECT_TEMPLATES[template].format(**values, ending=ending)
    return [*sections, Section("task", task, source="prompts")]


def _delta_sections(view: DeltaView, templates: Templates) -> list[Section]:
    earlier = [f"NOTED FROM THE PAGES JUST BEFORE\n{notes_text(payload)}" for payload in view.found]
    new = f"THE NEW PAGES\n{pages(view.exchanges, view.cast, numbered=True)}"
    source = f"turns, prompts {view.first}-{view.last}"
    return [
        _rules("delta"),
        *_memory_sections(view.memory),
        *(
            Section("found", text, source="this call's earlier pieces", priority="summary")
            for text in earlier
        ),
        Section("pages", new, source=source, priority="pages"),
    ]


def _fold_sections(view: FoldView, templates: Templates) -> list[Section]:
    notes = "\n\n".join(notes_text(payload) for payload in view.deltas)
    task = DIRECT_TEMPLATES["fold"].format(notes=notes)
    return [_rules("delta"), Section("notes", task, source="blocks")]


def _lock_sections(view: LockView, templates: Templates) -> list[Section]:
    names = "\n".join(f"{slot}. {name}" for slot, name in view.cast.agent_names.items())
    world = f"THE WORLD\n{view.world.strip() or '(nothing written)'}"
    chapter = f"THE CHAPTER\n{view.chapter.strip() or '(nothing written)'}"
    return [
        _rules("lock"),
        Section("world", world, source="setup.yaml"),
        Section("chapter", chapter, source="setup.yaml"),
        Section("cast", f"WHO PLAYS ({len(view.cast.agent_names)})\n{names}", source="setup.yaml"),
    ]


def _note_keeper(name: str, sections: Callable[[V, Templates], list[Section]]) -> Agent[V]:
    """Make an agent that fills in its form."""
    context = ReplyContext(prompt_example=json.dumps(FORMS[name]))
    return Agent(name, name, 900, 0.2, sections, context=lambda view: context)


ACTOR: Agent[ActorView] = Agent(
    "actor",
    "actor",
    600,
    1.0,
    _actor_sections,
    context=lambda view: ReplyContext(
        active_characters={f"agent_{slot}": name for slot, name in view.cast.agent_names.items()},
        speaker=f"agent_{view.slot}",
        player=_TELLER,
    ),
)
CHAPTER: Agent[ChapterView] = Agent("chapter", "chapter", 1_500, 0.8, _chapter_sections)
DELTA: Agent[DeltaView] = _note_keeper("delta", _delta_sections)
FOLD: Agent[FoldView] = _note_keeper("delta", _fold_sections)
LOCK: Agent[LockView] = _note_keeper("lock", _lock_sections)


# --- the log ---------------------------------------------------------------------------------------------------------

_TELLER = "Narrator"
"""The game master's name for characters."""


def pages(exchanges: Iterable[Exchange], cast: SessionRecord, *, numbered: bool = False) -> str:
    """Format prompts and replies with names; `numbered` for the note keeper."""
    paragraphs, names = list[str](), cast.agent_names
    for exchange in exchanges:
        to = next((f" (to {names[e.agent_slot]})" for e in exchange.replies if e.agent_slot in names), "")
        for event in exchange.events:
            text, slot = tidy(event.text), event.agent_slot
            if event.role == "user":
                lead = f"{event.prompt_index}){to}" if numbered else f"> {_TELLER}{to}:"
                paragraphs.append(f"{lead} {text}")
            else:
                paragraphs.append(f"{names[slot]}: {text}" if slot in names else text)
    return "\n\n".join(paragraphs)
