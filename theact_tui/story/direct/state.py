"""A direct session between two steps, as one immutable value, and the steps that change it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Any

from theact_tui.story.direct.log import Events, deltas, lock_of
from theact_tui.story.direct.models import (
    AGENTS_MAX,
    CHUNK,
    NAME_LIMIT,
    TEXT_LIMIT,
    AgentSetup,
    ChapterDraft,
    Folded,
    LogEvent,
    MemoryBlock,
    Refused,
    SessionRecord,
    Setup,
    Snapshot,
    State,
    following,
    roster,
    too_long,
)
from theact_tui.story.direct.views import SessionCast, StructuredMemory
from theact_tui.story.game import SaveInfo
from theact_tui.text import clean, one_line


@dataclass(frozen=True, slots=True)
class DirectGame:
    """Everything of a session that is at hand. `events` are the newest ones; older ones may be in the save only."""

    info: SaveInfo
    session: SessionRecord
    setup: Setup
    voice: str = ""
    """The writer's voice and rules, cell 2 of the third tab."""
    events: Events = ()
    blocks: tuple[MemoryBlock, ...] = ()
    drafts: tuple[ChapterDraft, ...] = ()
    folded: Folded | None = None

    @property
    def has_older_events(self) -> bool:
        """There are events that are not at hand."""
        first = self.events[0].prompt_index if self.events else self.session.prompt_index + 1
        return first > 1

    @property
    def focus(self) -> int:
        """The slot whose turn it is: the one after the slot that answered last."""
        slots = self.session.selected_agent_slots
        last = next((event.agent_slot for event in reversed(self.events) if event.agent_slot), None)
        return following(slots, last) if last else slots[0]

    @property
    def last_prompt(self) -> tuple[int, str] | None:
        """Whom the newest prompt was given to, and its text."""
        asked = next((event for event in reversed(self.events) if event.role == "user"), None)
        last = next((event.agent_slot for event in reversed(self.events) if event.agent_slot), None)
        return (last, asked.text) if asked and last else None

    @property
    def cast(self) -> SessionCast:
        return SessionCast(session_id=self.session.session_id, names=dict(self.session.agent_names))

    @property
    def memory(self) -> StructuredMemory:
        """Structured memory as prompts get it."""
        lock = lock_of(self.blocks)
        return StructuredMemory(
            lock=lock.json_payload if lock else {},
            folded=self.folded.payload if self.folded else None,
            deltas=tuple(block.json_payload for block in self.unfolded),
        )

    @property
    def unfolded(self) -> tuple[MemoryBlock, ...]:
        """The deltas that no folded payload stands for, oldest first."""
        return deltas(self.blocks)[self.folded.blocks if self.folded else 0 :]


@dataclass(frozen=True, slots=True)
class Stamp:
    """Where new records get their identity from: an id that was never used, and the time."""

    id: str
    at: str


def step(game: DirectGame, action: Move | Refused, at: str) -> DirectGame | Refused:
    """`game` with its session moved, or the refusal."""
    session = move(game.session, action, at)
    return session if isinstance(session, Refused) else replace(game, session=session)


def with_lock(game: DirectGame, payload: dict[str, Any], stamp: Stamp) -> DirectGame | Refused:
    """The first block is stored: the session becomes ACTIVE."""
    block = MemoryBlock(
        block_id=stamp.id,
        session_id=game.session.session_id,
        type="world_chapter_lock",
        from_prompt_index=0,
        to_prompt_index=0,
        json_payload=payload,
        created_at=stamp.at,
    )
    return step(replace(game, blocks=(block,)), LOCKED, stamp.at)


def with_exchange(
    game: DirectGame, slot: int, text: str, reply: str, asked: Stamp, replied: Stamp
) -> DirectGame | Refused:
    """A prompt and its reply are part of the log, and the index has risen."""
    index, id = game.session.prompt_index + 1, game.session.session_id
    prompt = LogEvent(
        event_id=asked.id,
        session_id=id,
        prompt_index=index,
        role="user",
        text=text,
        created_at=asked.at,
        sequence=2 * index - 1,
    )
    given = {"event_id": replied.id, "role": "agent", "agent_slot": slot, "text": reply}
    answer = prompt.model_copy(update={**given, "created_at": replied.at, "sequence": 2 * index})
    events = (prompt, answer)
    return step(replace(game, events=(*game.events, *events)), answered(game.session), replied.at)


def with_delta(
    game: DirectGame, payload: dict[str, Any], span: tuple[int, int], stamp: Stamp, *, ending: bool
) -> DirectGame | Refused:
    """A block about prompts `span` is stored and the boundary has moved behind it."""
    block = MemoryBlock(
        block_id=stamp.id,
        session_id=game.session.session_id,
        type="turn_delta",
        from_prompt_index=span[0],
        to_prompt_index=span[1],
        json_payload=payload,
        created_at=stamp.at,
    )
    done = summarized(game.session, span[1], ending=ending)
    return step(replace(game, blocks=(*game.blocks, block)), done, stamp.at)


def with_draft(game: DirectGame, text: str, started_at: str, stamp: Stamp) -> DirectGame | Refused:
    """A new draft is stored beside the older ones."""
    draft = ChapterDraft(
        draft_id=stamp.id,
        session_id=game.session.session_id,
        narrative_agent_definition_text=game.voice,
        source_snapshot=Snapshot(
            max_prompt_index_used=game.session.prompt_index,
            memory_block_ids_used=tuple(block.block_id for block in game.blocks),
        ),
        chapter_text=text,
        started_at=started_at,
        created_at=stamp.at,
    )
    return step(replace(game, drafts=(*game.drafts, draft)), BUILT, stamp.at)


@dataclass(frozen=True, slots=True)
class Move:
    """A step from one state (None: from any other) to another, and what else it sets."""

    before: State | None
    after: State
    sets: dict[str, object] = field(default_factory=dict)


LOCK = Move("DRAFT", "LOCKING")
"""The first entry to Direct, confirmed."""
LOCKED = Move(
    "LOCKING", "ACTIVE", {"tab1_locked": True, "prompt_index": 0, "last_summarized_prompt_index": 0}
)
"""The first block is stored."""
LOCK_FAILED = Move("LOCKING", "DRAFT")
SUMMARIZE = Move("ACTIVE", "SUMMARIZING")
"""By itself, when a chunk is full."""
SUMMARY_FAILED = Move("SUMMARIZING", "ACTIVE")
"""The boundary stays."""
BUILD = Move("ENDED", "NARRATING")
BUILT = Move("NARRATING", "ENDED")
"""Whether or not there is a new draft."""
RESET = Move(None, "RESETTING")


def answered(session: SessionRecord) -> Move:
    """A prompt and its reply are stored: the index rises by one."""
    return Move("ACTIVE", "ACTIVE", {"prompt_index": session.prompt_index + 1})


def end(session: SessionRecord) -> Move:
    """To SUMMARIZING, or to ENDED when nothing is pending."""
    return Move("ACTIVE", "SUMMARIZING" if session.pending else "ENDED")


def summarized(session: SessionRecord, through: int, *, ending: bool = False) -> Move | Refused:
    """To ACTIVE, or to ENDED when the chapter is being ended and nothing is left."""
    if not session.last_summarized_prompt_index < through <= session.prompt_index:
        return Refused(f"Prompts up to {through} cannot be the end of this summary.")
    done = ending and through == session.prompt_index
    return Move("SUMMARIZING", "ENDED" if done else "ACTIVE", {"last_summarized_prompt_index": through})


RESET_WARNING = (
    "A reset clears all three tabs. Copy the characters and settings you want to keep first; the old "
    "session is kept as an archived save."
)
"""The one sentence to agree to before a reset."""

_BUSY: dict[State, str] = {
    "DRAFT": "Setup is not locked yet. Finish Setup and open Direct first.",
    "LOCKING": "Setup is being locked.",
    "ACTIVE": "The chapter is still active. End it first.",
    "SUMMARIZING": "A summary is being written.",
    "ENDED": "The chapter has ended. Go on with the next chapter, or branch from an earlier prompt.",
    "NARRATING": "The chapter is being written.",
    "RESETTING": "The chapter is being reset.",
}
_RECOVERED: dict[State, State] = {"LOCKING": "DRAFT", "SUMMARIZING": "ACTIVE", "NARRATING": "ENDED"}


def move(session: SessionRecord, action: Move | Refused, at: str) -> SessionRecord | Refused:
    """`session` after `action` at the time `at`, or why that is not possible; then nothing has changed."""
    if isinstance(action, Refused):
        return action
    if session.state == action.after if action.before is None else session.state != action.before:
        if action is LOCK and session.tab1_locked:
            return Refused("Setup is already locked.")
        return Refused(_BUSY[session.state])
    if action is SUMMARIZE and not session.overdue:
        return Refused(f"A summary is due after every {CHUNK} prompts; only {session.pending} are pending.")
    changes = {"state": action.after, **action.sets, "updated_at": at}
    return SessionRecord.model_validate({**dict(session), **changes})


def recovered(session: SessionRecord) -> SessionRecord:
    """`session` as it continues after the program was stopped in the middle of a call."""
    if session.state == "RESETTING":
        state: State = "ACTIVE" if session.tab1_locked else "DRAFT"
    else:
        state = _RECOVERED.get(session.state, session.state)
    return session if state == session.state else session.model_copy(update={"state": state})


def refuse_prompt(session: SessionRecord, slot: int, text: str) -> Refused | None:
    """Why this prompt cannot be given now, or None. `text` is what was typed; blank input is not asked here."""
    if session.state != "ACTIVE":
        return Refused(_BUSY[session.state])
    if slot not in session.selected_agent_slots:
        return Refused(
            f"There is no agent {slot} in this chapter: it has {len(session.selected_agent_slots)}."
        )
    return too_long("The prompt", text)


def refuse_voice(session: SessionRecord, text: str) -> Refused | None:
    """Why the writer's voice cannot be changed to `text`, or None."""
    if session.state in {"DRAFT", "LOCKING", "NARRATING", "RESETTING"}:
        return Refused(_BUSY[session.state])
    return too_long("The voice", text)


def open_tabs(session: SessionRecord) -> tuple[str, ...]:
    """The tabs that can be entered: before the lock just Setup."""
    return ("setup", "direct", "chapter") if session.tab1_locked else ("setup",)


Changed = tuple[SessionRecord, Setup]


def set_world(session: SessionRecord, setup: Setup, text: str) -> Changed | Refused:
    """World, type and tone."""
    text = clean(text)
    return _changed(session, setup, {"world": text}, too_long("The world", text))


def set_chapter(session: SessionRecord, setup: Setup, text: str) -> Changed | Refused:
    """Chapter and immediate scene."""
    text = clean(text)
    return _changed(session, setup, {"chapter": text}, too_long("The chapter", text))


def set_count(session: SessionRecord, setup: Setup, count: int) -> Changed | Refused:
    """How many agents are in use, 1 to 7. Panels beyond them are kept."""
    wrong = (
        None if 1 <= count <= AGENTS_MAX else Refused(f"A chapter has 1 to {AGENTS_MAX} agents, not {count}.")
    )
    return _changed(session, setup, {"count": count}, wrong)


def set_name(session: SessionRecord, setup: Setup, slot: int, name: str) -> Changed | Refused:
    """An agent's name, trimmed; blank means the slot's default. Slot and colour stay."""
    name = re.sub(r"\s", " ", clean(name)).strip()
    return _agent(session, setup, slot, {"name": name}, too_long("The name", name, NAME_LIMIT))


def set_identity(session: SessionRecord, setup: Setup, slot: int, identity: str) -> Changed | Refused:
    """Who the agent in `slot` is."""
    identity = clean(identity)
    return _agent(session, setup, slot, {"identity": identity}, too_long("The identity", identity))


def fill(session: SessionRecord, setup: Setup, filled: Setup) -> Changed | Refused:
    """Everything of Setup at once, as from an example or a file."""
    change = {name: getattr(filled, name) for name in Setup.model_fields}
    return _changed(session, setup, change, None)


BEFORE, NOW = "What happened before:", "What happens now:"
"""How the scene of a following chapter begins, and what is to be written after it."""


def following_setup(game: DirectGame) -> Setup:
    """Setup for the chapter after this one: its world and agents, and what happened as the beginning of its scene."""
    told = [event["event"] for block in deltas(game.blocks) for event in block.json_payload["major_events"]]
    kept: list[str] = []
    room = TEXT_LIMIT // 2
    for line in reversed(list(dict.fromkeys(map(one_line, told)))):
        room -= len(line) + 3
        if line and room >= 0:
            kept.insert(0, f"- {line}")
    scene = "\n".join((BEFORE, *(kept or [game.setup.chapter[:room]]), "", NOW, ""))
    return game.setup.model_copy(update={"chapter": scene})


def _agent(
    session: SessionRecord, setup: Setup, slot: int, change: dict[str, str], wrong: Refused | None
) -> Changed | Refused:
    if not 1 <= slot <= AGENTS_MAX:
        return Refused(f"Agents have the numbers 1 to {AGENTS_MAX}; there is no {slot}.")
    changed = setup.agents[slot - 1].model_copy(update=change)
    agents: tuple[AgentSetup, ...] = (*setup.agents[: slot - 1], changed, *setup.agents[slot:])
    return _changed(session, setup, {"agents": agents}, wrong)


def _changed(
    session: SessionRecord, setup: Setup, change: dict[str, object], wrong: Refused | None
) -> Changed | Refused:
    if session.state != "DRAFT":
        return Refused("Setup is locked; nothing was changed. Use Reset Chapter to edit it.")
    if wrong is not None:
        return wrong
    setup = setup.model_copy(update=change)
    slots = roster(setup.count)
    names = {slot: setup.name_of(slot) for slot in slots}
    return session.model_copy(update={"selected_agent_slots": slots, "agent_names": names}), setup
