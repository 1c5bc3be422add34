"""A direct session between two steps, as one immutable value, and the steps that change it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from theact_tui.errors import UsageError
from theact_tui.story.direct.log import Events, deltas
from theact_tui.story.direct.models import (
    AGENTS_MAX,
    CHUNK,
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
    next_chunk,
    roster,
)
from theact_tui.story.direct.views import StructuredMemory
from theact_tui.story.game import SaveInfo
from theact_tui.text import clean, counted, one_line


@dataclass(frozen=True, slots=True)
class DirectGame:
    """Everything of a session that is at hand. `events` are the newest ones; older ones may be in the save only."""

    info: SaveInfo
    session: SessionRecord
    setup: Setup
    voice: str = ""
    """The writer's voice and rules."""
    events: Events = ()
    blocks: tuple[MemoryBlock, ...] = ()
    drafts: tuple[ChapterDraft, ...] = ()
    folded: Folded | None = None

    @property
    def first_prompt(self) -> int:
        """The first prompt whose events are at hand, or the next one."""
        return self.events[0].prompt_index if self.events else self.session.prompt_index + 1

    @property
    def focus(self) -> int:
        """The slot whose turn it is: the one after the slot that answered last."""
        slots, last = self.session.selected_agent_slots, self.last_prompt
        return following(slots, last[0]) if last else slots[0]

    @property
    def last_prompt(self) -> tuple[int, str] | None:
        """Whom the newest prompt was given to, and its text."""
        asked = next((event for event in reversed(self.events) if event.role == "user"), None)
        last = next((event.agent_slot for event in reversed(self.events) if event.agent_slot), None)
        return (last, asked.text) if asked and last else None

    @property
    def ending(self) -> str:
        """What undo takes back beside the last prompt, such as `the end, 2 drafts`; empty before the end."""
        drafts = f", {counted(len(self.drafts), 'draft')}" if self.drafts else ""
        return f"the end{drafts}" if self.session.state == "ENDED" else ""

    @property
    def memory(self) -> StructuredMemory:
        """Structured memory as prompts get it."""
        locks = [block.json_payload for block in self.blocks if block.type == "world_chapter_lock"]
        return StructuredMemory(
            lock=locks[0] if locks else {},
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


def step(game: DirectGame, move: Move, at: str) -> DirectGame:
    """`game` with its session moved at the time `at`. Raises `UsageError` when that is not possible."""
    return replace(game, session=moved(game.session, move, at))


def unlocked(game: DirectGame, at: str) -> DirectGame:
    """A chapter without prompts as it was before the lock; the voice stays. Raises `UsageError` when it is not locked."""
    if not game.session.tab1_locked:
        raise UsageError("There is nothing to undo.")
    return step(replace(game, blocks=(), drafts=()), UNLOCK, at)


def with_block(
    game: DirectGame, payload: dict[str, Any], span: tuple[int, int], done: Move, stamp: Stamp
) -> DirectGame:
    """A block about prompts `span` is stored, of 0 to 0 the lock, and with it a move is `done`."""
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
    return step(replace(game, events=(*game.events, prompt, answer)), answered(game.session), replied.at)


def with_draft(game: DirectGame, text: str, started_at: str, stamp: Stamp) -> DirectGame:
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
UNLOCK = Move(None, "DRAFT", {"tab1_locked": False})
"""Undo before the first prompt."""
SUMMARIZE = Move("ACTIVE", "SUMMARIZING")
"""By itself, when a chunk is full."""
BUILD = Move("ENDED", "NARRATING")
BUILT = Move("NARRATING", "ENDED")
RESET = Move(None, "RESETTING")


def answered(session: SessionRecord) -> Move:
    """A prompt and its reply are stored: the index rises by one."""
    return Move("ACTIVE", "ACTIVE", {"prompt_index": session.prompt_index + 1})


def end(session: SessionRecord) -> Move:
    """To SUMMARIZING, or to ENDED when nothing is pending."""
    return Move("ACTIVE", "SUMMARIZING" if session.pending else "ENDED")


def summarized(session: SessionRecord, through: int, *, ending: bool = False) -> Move:
    """To ACTIVE, or to ENDED when the chapter is being ended and nothing is left. Raises `UsageError`."""
    if not session.last_summarized_prompt_index < through <= session.prompt_index:
        raise UsageError(f"Prompts up to {through} cannot be the end of this summary.")
    done = ending and through == session.prompt_index
    return Move("SUMMARIZING", "ENDED" if done else "ACTIVE", {"last_summarized_prompt_index": through})


RESET_WARNING = (
    "A reset empties every field of all three tabs, so first save the characters and settings you want to keep; "
    "the old session is kept as an archived save."
)
"""The one sentence to agree to before a reset."""

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
    """`session` after a move at the time `at`. Raises `UsageError` when that is not possible."""
    if session.state == move.after if move.before is None else session.state != move.before:
        locked = move is LOCK and session.tab1_locked
        raise UsageError("Setup is already locked." if locked else _BUSY[session.state])
    if move is SUMMARIZE and not next_chunk(session.prompt_index, session.pending):
        raise UsageError(f"A summary is due after every {CHUNK} prompts; only {session.pending} are pending.")
    changes = {"state": move.after, **move.sets, "updated_at": at}
    return SessionRecord.model_validate({**dict(session), **changes})


def recovered(session: SessionRecord) -> SessionRecord:
    """`session` as it continues after the program was stopped in the middle of a call."""
    state = _RECOVERED.get(session.state, session.state)
    if session.state == "RESETTING":
        state = "ACTIVE" if session.tab1_locked else "DRAFT"
    return session.model_copy(update={"state": state})


def check_prompt(session: SessionRecord, slot: int, text: str) -> None:
    """Raises `UsageError` where this prompt cannot be given now."""
    if session.state != "ACTIVE":
        raise UsageError(_BUSY[session.state])
    if slot not in session.selected_agent_slots:
        count = len(session.selected_agent_slots)
        raise UsageError(f"There is no character {slot} in this chapter: it has {count}.")
    fitting("The prompt", text)


def fitting(what: str, text: str, limit: int = TEXT_LIMIT) -> str:
    """`text`, if it has at most `limit` characters. Raises `UsageError`."""
    if len(text) > limit:
        raise UsageError(
            f"{what} is too long: {len(text):,} characters, the limit is {limit:,}. Not changed."
        )
    return text


def open_tabs(session: SessionRecord) -> tuple[str, ...]:
    """The tabs that can be entered: before the lock just Setup."""
    return ("setup", "direct", "chapter") if session.tab1_locked else ("setup",)


def set_world(game: DirectGame, text: str) -> DirectGame:
    """World, type and tone. Like every rule of Setup this raises `UsageError` where it is not allowed."""
    return _changed(game, world=fitting("The world", clean(text)))


def set_chapter(game: DirectGame, text: str) -> DirectGame:
    """Chapter and immediate scene."""
    return _changed(game, chapter=fitting("The chapter", clean(text)))


def set_count(game: DirectGame, count: int) -> DirectGame:
    """How many characters there are, 1 to 7. Names and identities beyond them are kept."""
    if not 1 <= count <= AGENTS_MAX:
        raise UsageError(f"A chapter has 1 to {AGENTS_MAX} characters, not {count}.")
    return _changed(game, count=count)


def set_name(game: DirectGame, slot: int, name: str) -> DirectGame:
    """An agent's name, trimmed; blank means the slot's default. Slot and colour stay."""
    name = re.sub(r"\s", " ", clean(name)).strip()
    return _agent(game, slot, name=fitting("The name", name, NAME_LIMIT))


def set_identity(game: DirectGame, slot: int, identity: str) -> DirectGame:
    """Who the agent in `slot` is."""
    return _agent(game, slot, identity=fitting("The identity", clean(identity)))


def fill(game: DirectGame, filled: Setup) -> DirectGame:
    """Everything of Setup at once, as from an example or a file."""
    return _changed(game, **dict(filled))


def follow(game: DirectGame, before: DirectGame) -> DirectGame:
    """What the chapter after `before` begins with: Setup, and the writer's voice."""
    return replace(fill(game, following_setup(before)), voice=before.voice)


def set_voice(game: DirectGame, text: str) -> DirectGame:
    """The writer's voice and rules."""
    if game.session.state in {"DRAFT", "LOCKING", "NARRATING", "RESETTING"}:
        raise UsageError(_BUSY[game.session.state])
    return replace(game, voice=fitting("The voice", clean(text)))


BEFORE, OPEN, NOW = "What happened before:", "What is still open:", "What happens now:"
"""What the scene of a following chapter tells, a list each, and what is to be written after it."""
MOST_OF_AN_EVENT = 300
"""Characters of an event there."""


def following_setup(game: DirectGame) -> Setup:
    """Setup for the chapter after this one: its world and agents, and as the beginning of its scene what happened and was
    settled, in the chapters before it too, and what the newest notes leave open."""
    earlier = game.setup.chapter.partition(f"\n{OPEN}")[0].partition(f"\n{NOW}")[0].split("\n- ")
    told = earlier[1:] if earlier[0] == BEFORE else []
    told.append(game.memory.lock.get("chapter", {}).get("premise", ""))
    still_open: list[str] = []
    for block in deltas(game.blocks):
        notes = block.json_payload
        told += [*(event["event"] for event in notes["major_events"]), *notes["canon_locks"]]
        still_open = [thread["thread"] for thread in notes["unresolved_threads"]] or still_open
    room = TEXT_LIMIT // 2
    kept_open, kept = _newest_lines(still_open, room // 2), _newest_lines(told, room)
    lists = (BEFORE, *(kept or [game.setup.chapter[:room]]), *(("", OPEN, *kept_open) if kept_open else ()))
    return game.setup.model_copy(update={"chapter": "\n".join((*lists, "", NOW, ""))})


def _newest_lines(texts: Iterable[str], room: int) -> list[str]:
    """The last of different texts as lines of a list, as far as `room` characters hold them."""
    kept: list[str] = []
    for line in reversed(list(dict.fromkeys(one_line(text, MOST_OF_AN_EVENT) for text in texts))):
        room -= len(line) + 3
        if line and room >= 0:
            kept.insert(0, f"- {line}")
    return kept


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
