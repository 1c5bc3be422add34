"""Directed chapter as a story, for inspector, branches, comparison, search and books."""

from theact_tui.story.direct.blocks import notes_lines, told_notes
from theact_tui.story.direct.log import Exchange, exchanges
from theact_tui.story.direct.records import COLORS, LogEvent
from theact_tui.story.direct.state import DirectGame
from theact_tui.story.game import Game, Recap, State
from theact_tui.story.memory import Fact, FactsMemory
from theact_tui.story.pack import Chapter, Character, GameInfo, Pack, PlayerInfo, World
from theact_tui.story.turn import Entry, Turn

DIRECTED = "directed"
NOTES = "notes"
MASTER = PlayerInfo(name="Game master")
STAGES = {"DRAFT": "not locked yet", "LOCKING": "not locked yet", "ENDED": "ended", "NARRATING": "ended"}
"""Title of the chapter by state of the session; otherwise `active`."""


def as_turn(exchange: Exchange) -> Turn:
    """Convert an exchange: slots become ids of characters."""
    events = exchange.events
    return Turn(
        number=exchange.index,
        chapter="",
        kind="directed",
        mood="",
        entries=tuple(map(_entry, events)),
        witnesses=tuple(str(event.agent_slot) for event in exchange.replies if event.agent_slot),
        at=events[-1].created_at,
    )


def _entry(event: LogEvent) -> Entry:
    if event.role == "agent" and event.agent_slot:
        return Entry(role="character", character=str(event.agent_slot), text=event.text)
    return Entry(role="player" if event.role == "user" else "system", text=event.text)


def as_game(directed: DirectGame) -> Game:
    """Convert a chapter: prompts at hand are turns, notes are a memory of `NOTES`, drafts are recaps."""
    session, setup = directed.session, directed.setup
    cast = {
        str(slot): Character(
            name=session.name_of(slot), role=COLORS[slot - 1], personality=setup.agents[slot - 1].identity
        )
        for slot in session.selected_agent_slots
    }
    chapter = Chapter(
        id=session.state,
        title=STAGES.get(session.state, "active"),
        summary=setup.chapter,
        beats=(),
        characters=tuple(cast),
    )
    return Game(
        info=directed.info.model_copy(update={"player": MASTER}),
        pack=Pack(
            game=GameInfo(
                id=DIRECTED,
                title="A directed chapter",
                description=str(directed.memory.lock.get("chapter", {}).get("premise", "")),
                characters=tuple(cast),
                chapters=(chapter.id,),
            ),
            world=World(setting=setup.world, tone="", rules=""),
            characters=cast,
            chapters={chapter.id: chapter},
        ),
        state=State(
            turn=session.prompt_index,
            chapter=chapter.id,
            present=tuple(cast),
            last_summarized_turn=session.last_summarized_prompt_index,
            game_complete=session.state == "ENDED",
        ),
        memories={NOTES: _notes(directed)},
        recaps=tuple(
            Recap(chapter=f"draft {number}", title=f"Draft {number}", text=draft.chapter_text)
            for number, draft in enumerate(directed.drafts, 1)
        ),
        turns={exchange.index: as_turn(exchange) for exchange in exchanges(directed.events)},
    )


def _notes(directed: DirectGame) -> FactsMemory:
    facts = (
        Fact(text=f"{kind}: {line}", turn=note.to_prompt_index)
        for note in directed.blocks
        if note.to_prompt_index
        for kind, line in notes_lines(note.json_payload)
    )
    lock = directed.memory.lock
    return FactsMemory(summary=told_notes(lock) if lock else "", key_facts=tuple(facts))
