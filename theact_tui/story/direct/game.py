"""A direct session between two steps, as one immutable value, and the steps that change it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from theact_tui.story.direct.limits import Refused
from theact_tui.story.direct.log import Events, deltas, lock_of
from theact_tui.story.direct.moves import Answered, Built, Locked, Move, Summarized, move
from theact_tui.story.direct.records import Block, Draft, Event, Folded, Session, Setup, Snapshot
from theact_tui.story.direct.slots import following
from theact_tui.story.direct.views import Cast, Memory
from theact_tui.story.game import SaveInfo


@dataclass(frozen=True, slots=True)
class DirectGame:
    """Everything of a session that is at hand. `events` are the newest ones; older ones may be in the save only."""

    info: SaveInfo
    session: Session
    setup: Setup
    voice: str = ""
    """The writer's voice and rules, cell 2 of the third tab."""
    events: Events = ()
    blocks: tuple[Block, ...] = ()
    drafts: tuple[Draft, ...] = ()
    folded: Folded | None = None

    @property
    def has_older_events(self) -> bool:
        """There are events that are not at hand."""
        first = self.events[0].prompt_index if self.events else self.session.prompt_index + 1
        return first > 1

    @property
    def focus(self) -> int:
        """The slot whose turn it is: the one after the slot that answered last (D3)."""
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
    def cast(self) -> Cast:
        return Cast(session_id=self.session.session_id, names=dict(self.session.agent_names))

    @property
    def memory(self) -> Memory:
        """Structured memory as prompts get it."""
        lock = lock_of(self.blocks)
        return Memory(
            lock=lock.json_payload if lock else {},
            folded=self.folded.payload if self.folded else None,
            deltas=tuple(block.json_payload for block in self.unfolded),
        )

    @property
    def unfolded(self) -> tuple[Block, ...]:
        """The deltas that no folded payload stands for, oldest first."""
        return deltas(self.blocks)[self.folded.blocks if self.folded else 0 :]


@dataclass(frozen=True, slots=True)
class Stamp:
    """Where new records get their identity from: an id that was never used, and the time."""

    id: str
    at: str


def step(game: DirectGame, action: Move, at: str) -> DirectGame | Refused:
    """`game` with its session moved, or the refusal."""
    session = move(game.session, action, at)
    return session if isinstance(session, Refused) else replace(game, session=session)


def with_lock(game: DirectGame, payload: dict[str, Any], stamp: Stamp) -> DirectGame | Refused:
    """The first block is stored: the session becomes ACTIVE."""
    block = Block(
        block_id=stamp.id,
        session_id=game.session.session_id,
        type="world_chapter_lock",
        from_prompt_index=0,
        to_prompt_index=0,
        json_payload=payload,
        created_at=stamp.at,
    )
    return step(replace(game, blocks=(block,)), Locked(), stamp.at)


def with_exchange(
    game: DirectGame, slot: int, text: str, reply: str, asked: Stamp, answered: Stamp
) -> DirectGame | Refused:
    """A prompt and its reply are part of the log, and the index has risen."""
    index = game.session.prompt_index + 1
    sequence = 2 * index - 1
    common = {"session_id": game.session.session_id, "prompt_index": index}
    events = (
        Event.model_validate(
            {
                **common,
                "event_id": asked.id,
                "role": "user",
                "text": text,
                "created_at": asked.at,
                "sequence": sequence,
            }
        ),
        Event.model_validate(
            {
                **common,
                "event_id": answered.id,
                "role": "agent",
                "agent_slot": slot,
                "text": reply,
                "created_at": answered.at,
                "sequence": sequence + 1,
            }
        ),
    )
    return step(replace(game, events=(*game.events, *events)), Answered(), answered.at)


def with_delta(
    game: DirectGame, payload: dict[str, Any], span: tuple[int, int], stamp: Stamp, *, ending: bool
) -> DirectGame | Refused:
    """A block about prompts `span` is stored and the boundary has moved behind it."""
    block = Block(
        block_id=stamp.id,
        session_id=game.session.session_id,
        type="turn_delta",
        from_prompt_index=span[0],
        to_prompt_index=span[1],
        json_payload=payload,
        created_at=stamp.at,
    )
    return step(replace(game, blocks=(*game.blocks, block)), Summarized(span[1], ending), stamp.at)


def with_draft(game: DirectGame, text: str, started_at: str, stamp: Stamp) -> DirectGame | Refused:
    """A new draft is stored beside the older ones."""
    draft = Draft(
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
    return step(replace(game, drafts=(*game.drafts, draft)), Built(), stamp.at)
