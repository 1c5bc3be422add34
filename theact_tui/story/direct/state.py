"""Directed chapter between two steps, as an immutable value, and the steps."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from theact_tui.errors import UsageError
from theact_tui.story.direct.log import Events, Exchange, deltas, in_order, recent, visible_to
from theact_tui.story.direct.notes_due import CHUNK, next_chunk
from theact_tui.story.direct.records import (
    AGENTS_MAX,
    NAME_LIMIT,
    TEXT_LIMIT,
    ChapterDraft,
    Folded,
    LogEvent,
    MemoryBlock,
    SessionRecord,
    Setup,
    Snapshot,
    State,
    following,
    roster,
)
from theact_tui.story.direct.views import ActorView, ChapterView, LockView, Payload, StructuredMemory
from theact_tui.story.game import SaveInfo
from theact_tui.text import clean, counted, one_line


@dataclass(frozen=True, slots=True)
class DirectGame:
    """Directed chapter. `events` are the newest; older ones may be in the save only."""

    info: SaveInfo
    session: SessionRecord
    setup: Setup
    voice: str = ""
    events: Events = ()
    blocks: tuple[MemoryBlock, ...] = ()
    drafts: tuple[ChapterDraft, ...] = ()
    folded: Folded | None = None

    @property
    def first_prompt(self) -> int:
        """First prompt in `events`, or the next one."""
        return self.events[0].prompt_index if self.events else self.session.prompt_index + 1

    @property
    def focus(self) -> int:
        """Slot whose turn it is: after the one that answered last."""
        slots, last = self.session.selected_agent_slots, self.last_prompt
        return following(slots, last[0]) if last else slots[0]

    @property
    def last_prompt(self) -> tuple[int, str] | None:
        asked = next((event for event in reversed(self.events) if event.role == "user"), None)
        last = next((event.agent_slot for event in reversed(self.events) if event.agent_slot), None)
        return (last, asked.text) if asked and last else None

    @property
    def ending(self) -> str:
        """Losses of an undo beside the last prompt, such as `the end, 2 drafts`; empty before the end."""
        drafts = f", {counted(len(self.drafts), 'draft')}" if self.drafts else ""
        return f"the end{drafts}" if self.session.state == "ENDED" else ""

    @property
    def memory(self) -> StructuredMemory:
        locks = [block.json_payload for block in self.blocks if block.type == "world_chapter_lock"]
        return StructuredMemory(
            lock=locks[0] if locks else {},
            folded=self.folded.payload if self.folded else None,
            deltas=tuple(block.json_payload for block in self.unfolded),
        )

    @property
    def unfolded(self) -> tuple[MemoryBlock, ...]:
        return deltas(self.blocks)[self.folded.blocks if self.folded else 0 :]


@dataclass(frozen=True, slots=True)
class Stamp:
    """Unused id and time of a new record."""

    id: str
    at: str


def step(game: DirectGame, move: Move, at: str) -> DirectGame:
    return replace(game, session=moved(game.session, move, at))


def unlocked(game: DirectGame, at: str) -> DirectGame:
    """Undo the lock; the voice stays. Raises `UsageError` if not locked."""
    if not game.session.tab1_locked:
        raise UsageError("There is nothing to undo.")
    return step(replace(game, blocks=(), drafts=()), UNLOCK, at)


def with_block(
    game: DirectGame, payload: dict[str, Any], span: tuple[int, int], done: Move, stamp: Stamp
) -> DirectGame:
    """Store notes about prompts `span` (0 to 0: the lock) and make the move `done`."""
    block = MemoryBlock(
        block_id=stamp.id,
        session_id=game.session.session_id,
        type="turn_delta" if span[1] else "world_chapter_lock",
        from_prompt_index=span[0],
        to_prompt_index=span[1],
        json_payload=payload,
        created_at=stamp.at,
    )
    return step(replace(game, blocks=(*game.blocks, block)), done, stamp.at)


def with_exchange(
    game: DirectGame, slot: int, text: str, reply: str, asked: Stamp, replied: Stamp
) -> DirectGame:
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
    fields = {"event_id": replied.id, "role": "agent", "agent_slot": slot, "text": reply}
    answer = prompt.model_copy(update={**fields, "created_at": replied.at, "sequence": 2 * index})
    return step(replace(game, events=(*game.events, prompt, answer)), answered(game.session), replied.at)


def with_draft(game: DirectGame, text: str, started_at: str, stamp: Stamp) -> DirectGame:
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
    """Step from one state (None: from any other) to another, and fields it sets."""

    before: State | None
    after: State
    sets: dict[str, object] = field(default_factory=dict)


LOCK = Move("DRAFT", "LOCKING")
LOCKED = Move(
    "LOCKING", "ACTIVE", {"tab1_locked": True, "prompt_index": 0, "last_summarized_prompt_index": 0}
)
UNLOCK = Move(None, "DRAFT", {"tab1_locked": False})
SUMMARIZE = Move("ACTIVE", "SUMMARIZING")
BUILD = Move("ENDED", "NARRATING")
BUILT = Move("NARRATING", "ENDED")
RESET = Move(None, "RESETTING")


def answered(session: SessionRecord) -> Move:
    return Move("ACTIVE", "ACTIVE", {"prompt_index": session.prompt_index + 1})


def end_chapter(session: SessionRecord) -> Move:
    """Return the move to SUMMARIZING, or to ENDED if nothing is pending."""
    return Move("ACTIVE", "SUMMARIZING" if session.pending else "ENDED")


def summarized(session: SessionRecord, through: int, *, ending: bool = False) -> Move:
    """Return the move to ACTIVE, or to ENDED if ending and nothing is left. Raises `UsageError`."""
    if not session.last_summarized_prompt_index < through <= session.prompt_index:
        raise UsageError(f"Prompts up to {through} cannot be the end of this summary.")
    done = ending and through == session.prompt_index
    return Move("SUMMARIZING", "ENDED" if done else "ACTIVE", {"last_summarized_prompt_index": through})


RESET_WARNING = (
    "A reset empties every field of all three tabs, so first save the characters and settings you want to keep; "
    "the old session is kept as an archived save."
)

_BUSY: dict[State, str] = {
    "DRAFT": "Setup is not locked yet. Lock it first, with F9 or 'theact-tui direct lock'.",
    "LOCKING": "Setup is being locked.",
    "ACTIVE": "The chapter is still active. End it first.",
    "SUMMARIZING": "Notes are being taken.",
    "ENDED": "The chapter has ended. Go on with the next chapter, or branch from an earlier prompt.",
    "NARRATING": "The chapter is being written.",
    "RESETTING": "The chapter is being reset.",
}
_RECOVERED: dict[State, State] = {"LOCKING": "DRAFT", "SUMMARIZING": "ACTIVE", "NARRATING": "ENDED"}


def moved(session: SessionRecord, move: Move, at: str) -> SessionRecord:
    """Apply a move at the time `at`. Raises `UsageError` if impossible."""
    if session.state == move.after if move.before is None else session.state != move.before:
        locked = move is LOCK and session.tab1_locked
        raise UsageError("Setup is already locked." if locked else _BUSY[session.state])
    if move is SUMMARIZE and not next_chunk(session.prompt_index, session.pending):
        raise UsageError(f"A summary is due after every {CHUNK} prompts; only {session.pending} are pending.")
    changes = {"state": move.after, **move.sets, "updated_at": at}
    return SessionRecord.model_validate({**dict(session), **changes})


def recovered(session: SessionRecord) -> SessionRecord:
    """Return the session as it was before a call that the program's end interrupted."""
    state = _RECOVERED.get(session.state, session.state)
    if session.state == "RESETTING":
        state = "ACTIVE" if session.tab1_locked else "DRAFT"
    return session.model_copy(update={"state": state})


def check_prompt(session: SessionRecord, slot: int, text: str) -> None:
    if session.state != "ACTIVE":
        raise UsageError(_BUSY[session.state])
    if slot not in session.selected_agent_slots:
        count = len(session.selected_agent_slots)
        raise UsageError(f"There is no character {slot} in this chapter: it has {count}.")
    within_limit("The prompt", text)


def within_limit(label: str, text: str, limit: int = TEXT_LIMIT) -> str:
    """Return `text` if it is short enough. Raises `UsageError`."""
    if len(text) > limit:
        raise UsageError(
            f"{label} is too long: {len(text):,} characters, the limit is {limit:,}. Not changed."
        )
    return text


def open_tabs(session: SessionRecord) -> tuple[str, ...]:
    """Return the tabs that can be opened: before the lock only Setup."""
    return ("setup", "direct", "chapter") if session.tab1_locked else ("setup",)


def set_world(game: DirectGame, text: str) -> DirectGame:
    """Set world, type and tone. Like every rule of Setup this raises `UsageError` if not allowed."""
    return _changed(game, world=within_limit("The world", clean(text)))


def set_chapter_text(game: DirectGame, text: str) -> DirectGame:
    return _changed(game, chapter=within_limit("The chapter", clean(text)))


def set_count(game: DirectGame, count: int) -> DirectGame:
    """Set the number of characters, 1 to 7; hidden ones keep their texts."""
    if not 1 <= count <= AGENTS_MAX:
        raise UsageError(f"A chapter has 1 to {AGENTS_MAX} characters, not {count}.")
    return _changed(game, count=count)


def set_name(game: DirectGame, slot: int, name: str) -> DirectGame:
    """Set a trimmed name; blank means the default."""
    name = re.sub(r"\s", " ", clean(name)).strip()
    return _agent(game, slot, name=within_limit("The name", name, NAME_LIMIT))


def set_identity(game: DirectGame, slot: int, identity: str) -> DirectGame:
    return _agent(game, slot, identity=within_limit("The identity", clean(identity)))


def fill_setup(game: DirectGame, filled: Setup) -> DirectGame:
    return _changed(game, **dict(filled))


def follow(game: DirectGame, before: DirectGame) -> DirectGame:
    """Take over Setup and voice from the chapter `before`."""
    return replace(fill_setup(game, following_setup(before)), voice=before.voice)


def set_voice(game: DirectGame, text: str) -> DirectGame:
    if game.session.state in {"DRAFT", "LOCKING", "NARRATING", "RESETTING"}:
        raise UsageError(_BUSY[game.session.state])
    return replace(game, voice=within_limit("The voice", clean(text)))


BEFORE, OPEN, NOW = "What happened before:", "What is still open:", "What happens now:"
"""Headings in the scene of a following chapter; two lists, then room to write."""
MOST_OF_AN_EVENT = 300


def following_setup(game: DirectGame) -> Setup:
    """Make the Setup of the next chapter: world and characters stay; the scene begins with past events and open
    questions, earlier chapters included.
    """
    earlier = game.setup.chapter.partition(f"\n{OPEN}")[0].partition(f"\n{NOW}")[0].split("\n- ")
    events = earlier[1:] if earlier[0] == BEFORE else []
    events.append(game.memory.lock.get("chapter", {}).get("premise", ""))
    still_open: list[str] = []
    for block in deltas(game.blocks):
        notes = block.json_payload
        events += [*(event["event"] for event in notes["major_events"]), *notes["canon_locks"]]
        still_open = [thread["thread"] for thread in notes["unresolved_threads"]] or still_open
    room = TEXT_LIMIT // 2
    open_items, past_items = _newest_lines(still_open, room // 2), _newest_lines(events, room)
    past_items = past_items or [game.setup.chapter[:room]]
    lists = (BEFORE, *past_items, *(("", OPEN, *open_items) if open_items else ()))
    return game.setup.model_copy(update={"chapter": "\n".join((*lists, "", NOW, ""))})


def _newest_lines(texts: Iterable[str], room: int) -> list[str]:
    """Make list items of the last distinct texts that fit `room` characters."""
    items: list[str] = []
    for line in reversed(list(dict.fromkeys(one_line(text, MOST_OF_AN_EVENT) for text in texts))):
        room -= len(line) + 3
        if line and room >= 0:
            items.insert(0, f"- {line}")
    return items


def _agent(game: DirectGame, slot: int, **change: str) -> DirectGame:
    if not 1 <= slot <= AGENTS_MAX:
        raise UsageError(f"Characters have the numbers 1 to {AGENTS_MAX}; there is no {slot}.")
    agents = list(game.setup.agents)
    agents[slot - 1] = agents[slot - 1].model_copy(update=change)
    return _changed(game, agents=tuple(agents))


def _changed(game: DirectGame, **change: object) -> DirectGame:
    session = game.session
    if session.state != "DRAFT":
        way = "Use Reset Chapter to edit it." if session.prompt_index else "Undo opens it again."
        raise UsageError(f"Setup is locked; nothing was changed. {way}")
    setup = game.setup.model_copy(update=change)
    slots = roster(setup.count)
    names = {slot: setup.name_of(slot) for slot in slots}
    session = session.model_copy(update={"selected_agent_slots": slots, "agent_names": names})
    return replace(game, session=session, setup=setup)


CORRECTIONS = 12
"""Lines of later notes in the prompt of an earlier part."""


def lock_view(game: DirectGame) -> LockView:
    return LockView(cast=game.session, world=game.setup.world, chapter=game.setup.chapter)


def actor_view(game: DirectGame, slot: int, text: str, take: int = 1) -> ActorView:
    """Make a character's view; it holds no other identity."""
    return ActorView(
        cast=game.session,
        slot=slot,
        identity=game.setup.agents[slot - 1].identity,
        memory=game.memory,
        recent=visible_to(slot, recent(game.events), game.session.agent_names),
        said=tuple(event.text for event in in_order(game.events) if event.role == "agent"),
        prompt=text,
        index=game.session.prompt_index + 1,
        take=take,
    )


def chapter_view(
    game: DirectGame,
    exchanges: tuple[Exchange, ...] = (),
    notes: tuple[Payload, ...] = (),
    *,
    earlier: Payload | None = None,
    later: Sequence[Payload] = (),
) -> ChapterView:
    """Make the view of one part: its log and notes, `earlier` notes folded, and canon locks of `later` notes."""
    settled = (line for payload in later for line in payload["canon_locks"])
    return ChapterView(
        cast=game.session,
        voice=game.voice,
        memory=replace(game.memory, folded=earlier, deltas=notes),
        corrections=tuple(dict.fromkeys(settled))[-CORRECTIONS:],
        exchanges=exchanges,
    )
