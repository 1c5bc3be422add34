"""A story as a book: cover, cast, and its turns by chapter. Every format is made from this value; JSON and plain text
are here too."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from itertools import groupby
from typing import TYPE_CHECKING, Any

from theact_tui.saves.direct_codec import read_events
from theact_tui.story.direct.log import Events, Exchange, exchanges
from theact_tui.story.direct.models import SLOTS
from theact_tui.story.direct.state import DirectGame
from theact_tui.story.game import Game
from theact_tui.story.steering import language_tag
from theact_tui.story.turn import Entry, Turn
from theact_tui.text import clean

if TYPE_CHECKING:
    from theact_tui.saves.save import Save


@dataclass(frozen=True, slots=True)
class BookPage:
    """A chapter of the book and the turns played in it. A chapter entered twice is two leaves."""

    title: str
    turns: tuple[Turn, ...]
    recap: str = ""


@dataclass(frozen=True, slots=True)
class Book:
    """One branch of a save, ready to be set in any format."""

    id: str
    title: str
    pack: str
    description: str
    player: str
    branch: str
    branch_title: str
    created: str
    cast: tuple[tuple[str, str], ...]
    """Name and role of each character; the role may be empty."""
    names: dict[str, str]
    chapters: tuple[BookPage, ...]
    complete: bool
    language: str = "en"
    """The tag of the language it is written in; `und` for one that has none we know."""

    @property
    def full_title(self) -> str:
        """The title, with that of the branch unless it is the first one."""
        return self.title if self.branch_title == "main" else f"{self.title} · {self.branch_title}"

    @property
    def end(self) -> Turn | None:
        """The turn with which the story ends: that of its epilogue, where it has one, though it may be played on."""
        turns = [turn for chapter in self.chapters for turn in chapter.turns] if self.complete else []
        told = [turn for turn in turns if any(entry.role == "system" for entry in turn.entries)]
        return next(iter([*reversed(told), *reversed(turns)]), None)

    @property
    def turns(self) -> int:
        return sum(len(chapter.turns) for chapter in self.chapters)


def members(book: Book) -> list[tuple[str, str]]:
    """Who is in it, the player first, with what is said of each after the name."""
    player = [(book.player, ", the player")] if book.player else []
    return player + [(name, f", {role}" if role else "") for name, role in book.cast]


def speaker(book: Book, entry: Entry) -> str:
    """Whose words an entry is: a character's name, the player's, or nobody's."""
    match entry.role:
        case "character":
            return book.names.get(entry.character or "", entry.character or "")
        case "player":
            return book.player
        case _:
            return ""


def printable(book: Book) -> Book:
    """The book without signs that act in a terminal or that no file of text may hold; its title is never empty."""
    found: Book = _cleaned(book)
    title, *_ = (name for name in (found.title.strip(), found.pack.strip(), "A story") if name)
    return replace(found, title=title)


def _cleaned(value: Any) -> Any:
    match value:
        case str():
            return clean(value)
        case tuple():
            return tuple(map(_cleaned, value))
        case Mapping():
            return {key: _cleaned(inner) for key, inner in value.items()}
        case Turn():
            return Turn.model_validate(_cleaned(value.model_dump()))
        case Book() | BookPage():
            return replace(
                value, **{each.name: _cleaned(getattr(value, each.name)) for each in fields(value)}
            )
        case _:
            return value


def read_played(save: Save[Game], branch: str | None = None) -> Book:
    """The book of a branch of a story, by default the current one."""
    on = branch or save.branch
    newest = save.log(1, on)
    last = newest[0].turn if newest else 0
    game = save.state_at(last, on)
    turns = save.turns(1, last, on) if last else ()
    recaps = {recap.chapter: recap.text for recap in game.recaps}
    chapters = tuple(
        BookPage(
            game.pack.chapters[key].title if key in game.pack.chapters else key,
            tuple(group),
            recaps.get(key, ""),
        )
        for key, group in groupby(turns, key=lambda turn: turn.chapter)
    )
    return Book(
        id=game.info.id,
        title=game.info.title,
        pack=game.pack.game.title,
        description=game.pack.game.description,
        player=game.info.player.name,
        branch=on,
        branch_title=save.title_of(on),
        created=game.info.created,
        cast=tuple((card.name, card.role) for card in game.pack.characters.values()),
        names={name: card.name for name, card in game.pack.characters.items()},
        chapters=chapters,
        complete=game.state.game_complete,
        language=(language_tag(game.language) or "und") if game.language else "en",
    )


def read_directed(save: Save[DirectGame], branch: str | None = None) -> Book:
    """The book of a branch of a directed chapter, by default the current one."""
    on = branch or save.branch
    game = save.state_at(branch=on)
    events = read_events(save.files(save.place(on)), 1, game.session.prompt_index)
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


def _written(game: DirectGame) -> tuple[BookPage, ...]:
    if not game.drafts:
        return ()
    draft = game.drafts[-1]
    entry = Entry(role="narrator", text=draft.chapter_text)
    return (
        BookPage("The chapter", (Turn(number=0, chapter="chapter", entries=(entry,), at=draft.created_at),)),
    )


def _played(events: Events) -> tuple[BookPage, ...]:
    turns = tuple(map(_turn, exchanges(events)))
    return (BookPage("As it was played", turns),) if turns else ()


def _turn(exchange: Exchange) -> Turn:
    prompt = [Entry(role="player", text=exchange.prompt.text)] if exchange.prompt else []
    replies = [
        Entry(role="character", character=str(event.agent_slot), text=event.text)
        for event in exchange.replies
    ]
    at = exchange.events[-1].created_at
    return Turn(number=exchange.index, chapter="played", entries=(*prompt, *replies), at=at)


def to_json(book: Book) -> str:
    """One document: cover, cast, chapters with their turns as stored."""
    document = {
        "format": 1,
        "id": book.id,
        "title": book.title,
        "pack": book.pack,
        "description": book.description,
        "player": book.player,
        "branch": book.branch,
        "branch_title": book.branch_title,
        "created": book.created,
        "language": book.language,
        "complete": book.complete,
        "cast": [{"name": name, "role": role} for name, role in book.cast],
        "chapters": [
            {
                "title": chapter.title,
                "recap": chapter.recap,
                "turns": [turn.model_dump(mode="json", exclude={"steering"}) for turn in chapter.turns],
            }
            for chapter in book.chapters
        ],
    }
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def to_text(book: Book) -> str:
    """Title, chapters and words, each line of speech after its speaker's name. Nothing is marked up."""
    lines = [book.full_title]
    for chapter in book.chapters:
        lines += ["", chapter.title.upper()]
        for entry in (entry for turn in chapter.turns for entry in turn.told):
            name = speaker(book, entry)
            lines += ["", f"{name}: {entry.text}" if name else entry.text]
    return "\n".join(lines) + "\n"
