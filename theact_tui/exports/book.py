"""A story as a book: cover, cast, and turns by chapter."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from typing import TYPE_CHECKING, Any

from theact_tui.saves.direct_codec import read_events
from theact_tui.story.base import Value
from theact_tui.story.direct.log import as_turn, exchanges
from theact_tui.story.direct.models import COLORS
from theact_tui.story.direct.state import DirectGame
from theact_tui.story.game import Game
from theact_tui.story.steering import language_tag
from theact_tui.story.turn import Entry, Turn
from theact_tui.text import clean

if TYPE_CHECKING:
    from theact_tui.saves.save import Save


class BookChapter(Value):
    """A chapter and the turns played in it. One entered twice comes twice."""

    title: str
    recap: str = ""
    turns: tuple[Turn, ...]


class CastMember(Value):
    name: str
    role: str = ""


class Book(Value):
    """One branch of a save, ready to be set in any format."""

    id: str
    title: str
    pack: str
    description: str
    player: str
    branch: str
    branch_title: str
    created: str
    language: str = "en"
    """The tag of the language it is written in; `und` for one that has none we know."""
    complete: bool
    cast: tuple[CastMember, ...]
    chapters: tuple[BookChapter, ...]
    names: dict[str, str]
    """Of the characters, by id."""

    @property
    def full_title(self) -> str:
        return self.title if self.branch_title == "main" else f"{self.title} · {self.branch_title}"

    @property
    def subtitle(self) -> str:
        return f"{self.pack}." if self.pack.strip() and self.pack != self.title else ""

    @property
    def end(self) -> Turn | None:
        """The turn with which the story ends: that of its epilogue, where it has one, though it may be played on."""
        turns = [turn for chapter in self.chapters for turn in chapter.turns] if self.complete else []
        narrated = [turn for turn in turns if any(entry.role == "system" for entry in turn.entries)]
        return next(iter([*reversed(narrated), *reversed(turns)]), None)

    @property
    def members(self) -> list[tuple[str, str]]:
        """Who is in it, the player first, with what is said of each after the name."""
        player = [(self.player, ", the player")] if self.player else []
        return player + [(one.name, f", {one.role}" if one.role else "") for one in self.cast]

    def missed_by(self, turn: Turn, entry: Entry) -> str:
        names = [self.names.get(id, id) for id in turn.unaware] if entry.role == "player" else []
        return f"{' and '.join(names)} did not hear this." if names else ""

    def speaker(self, entry: Entry) -> str:
        """Whose words an entry is: a character's name, the player's, or nobody's."""
        if entry.role == "character":
            return self.names.get(entry.character or "", entry.character or "")
        return self.player if entry.role == "player" else ""


def printable(book: Book) -> Book:
    """The book without signs that act in a terminal or that no file of text may hold; its title is never empty."""
    cleaned_book = Book.model_validate(_cleaned(book.model_dump()))
    title = cleaned_book.title.strip() or cleaned_book.pack.strip() or "A story"
    return cleaned_book.model_copy(update={"title": title})


def _cleaned(value: Any) -> Any:
    match value:
        case str():
            return clean(value)
        case tuple():
            return tuple(map(_cleaned, value))
        case Mapping():
            return {key: _cleaned(inner) for key, inner in value.items()}
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
        BookChapter(
            title=game.pack.chapters[key].title if key in game.pack.chapters else key,
            recap=recaps.get(key, ""),
            turns=tuple(group),
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
        cast=tuple(CastMember(name=card.name, role=card.role) for card in game.pack.characters.values()),
        names={name: card.name for name, card in game.pack.characters.items()},
        chapters=chapters,
        complete=game.state.game_complete,
        language=(language_tag(game.language) or "und") if game.language else "en",
    )


def read_directed(save: Save[DirectGame], branch: str | None = None, number: int = 0) -> Book:
    """The book of a branch of a directed chapter, by default the current one: its newest draft and its log, or draft
    `number` alone."""
    on = branch or save.branch
    game = save.state_at(branch=on)
    events = read_events(save.files(save.place(on)), 1, game.session.prompt_index)
    session = game.session
    chapters: list[BookChapter] = []
    if game.drafts:
        draft = game.drafts[number - 1]
        entry = Entry(role="narrator", text=draft.chapter_text)
        written = Turn(number=0, chapter="chapter", entries=(entry,), at=draft.created_at)
        chapters.append(BookChapter(title="The chapter", turns=(written,)))
    if not number and (played := tuple(map(as_turn, exchanges(events)))):
        chapters.append(BookChapter(title="As it was played", turns=played))
    return Book(
        id=session.session_id,
        title=game.info.title,
        pack="A directed chapter",
        description=str(game.memory.lock.get("chapter", {}).get("premise", "")),
        player="Game master",
        branch=on,
        branch_title=save.title_of(on),
        created=session.created_at,
        cast=tuple(
            CastMember(name=session.name_of(slot), role=COLORS[slot - 1])
            for slot in session.selected_agent_slots
        ),
        names={str(slot): session.name_of(slot) for slot in session.selected_agent_slots},
        chapters=tuple(chapters),
        complete=session.state == "ENDED",
    )
