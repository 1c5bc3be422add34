"""A story as a book: cover, cast, and its turns by chapter. Every format is made from this value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from theact_tui.story.turn import Entry, Turn
from theact_tui.text import clean


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
    branch_title: str
    created: str
    cast: tuple[tuple[str, str], ...]
    """Name and role of each character; the role may be empty."""
    names: dict[str, str]
    chapters: tuple[Leaf, ...]
    complete: bool

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
        case Book() | Leaf():
            return replace(
                value, **{each.name: _cleaned(getattr(value, each.name)) for each in fields(value)}
            )
        case _:
            return value
