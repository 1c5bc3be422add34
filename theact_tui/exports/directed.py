"""A directed chapter as a book: the newest draft first, then the play it was made from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from theact_tui.engine.direct_store import load, load_events
from theact_tui.exports.book import Book, Leaf
from theact_tui.story.direct.game import DirectGame
from theact_tui.story.direct.log import Events, Exchange, exchanges
from theact_tui.story.direct.slots import SLOTS
from theact_tui.story.turn import Entry, Turn

if TYPE_CHECKING:
    from theact_tui.saves.store import Save


def read_directed(save: Save, branch: str | None = None) -> Book:
    """The book of a branch of a directed chapter, by default the current one."""
    on = branch or save.branch
    commit = save.log(1, on)[0].commit
    game = load(save, commit)
    events = load_events(save, 1, game.session.prompt_index, commit)
    session = game.session
    return Book(
        id=session.session_id,
        title=game.info.title,
        pack="A directed chapter",
        description=str(game.memory.lock.get("chapter", {}).get("premise", "")),
        player="Game master",
        branch=on,
        branch_title=save.title_of(on),
        created=session.created_at,
        cast=tuple((session.name_of(slot), SLOTS[slot - 1].color) for slot in session.selected_agent_slots),
        names={str(slot): session.name_of(slot) for slot in session.selected_agent_slots},
        chapters=(*_written(game), *_played(events)),
        complete=session.state == "ENDED",
    )


def _written(game: DirectGame) -> tuple[Leaf, ...]:
    if not game.drafts:
        return ()
    draft = game.drafts[-1]
    entry = Entry(role="narrator", text=draft.chapter_text)
    return (Leaf("The chapter", (Turn(number=0, chapter="chapter", entries=(entry,), at=draft.created_at),)),)


def _played(events: Events) -> tuple[Leaf, ...]:
    turns = tuple(map(_turn, exchanges(events)))
    return (Leaf("As it was played", turns),) if turns else ()


def _turn(exchange: Exchange) -> Turn:
    prompt = [Entry(role="player", text=exchange.prompt.text)] if exchange.prompt else []
    replies = [
        Entry(role="character", character=str(event.agent_slot), text=event.text)
        for event in exchange.replies
    ]
    at = exchange.events[-1].created_at
    return Turn(number=exchange.index, chapter="played", entries=(*prompt, *replies), at=at)
