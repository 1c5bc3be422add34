"""A story as a book: cover, cast, and its turns by chapter. Every format is made from this value."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from theact_tui.story.turn import Entry, Turn

if TYPE_CHECKING:
    from theact_tui.saves.store import Save


@dataclass(frozen=True, slots=True)
class Leaf:
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
    created: str
    cast: tuple[tuple[str, str], ...]
    """Name and role of each character."""
    names: dict[str, str]
    chapters: tuple[Leaf, ...]
    complete: bool

    @property
    def turns(self) -> int:
        return sum(len(chapter.turns) for chapter in self.chapters)


def read_book(save: Save, branch: str | None = None) -> Book:
    """The book of a branch of a save, by default the current one."""
    if save.info.mode == "direct":
        from theact_tui.exports.directed import read_directed

        return read_directed(save, branch)
    on = branch or save.branch
    newest = save.log(1, on)
    last = newest[0].turn if newest else 0
    game = save.game_at(last, on)
    turns = save.turns(1, last, on) if last else ()
    recaps = {recap.chapter: recap.text for recap in game.recaps}
    chapters = tuple(
        Leaf(
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
        created=game.info.created,
        cast=tuple((card.name, card.role) for card in game.pack.characters.values()),
        names={name: card.name for name, card in game.pack.characters.items()},
        chapters=chapters,
        complete=game.state.game_complete,
    )


def speaker(book: Book, entry: Entry) -> str:
    """Whose words an entry is: a character's name, the player's, or nobody's."""
    match entry.role:
        case "character":
            return book.names.get(entry.character or "", entry.character or "")
        case "player":
            return book.player
        case _:
            return ""


def paragraphs(text: str) -> list[str]:
    """The paragraphs of a text; single line feeds within one become spaces."""
    return [" ".join(part.split()) for part in text.split("\n\n") if part.strip()]
