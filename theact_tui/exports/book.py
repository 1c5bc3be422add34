from collections.abc import Mapping
from itertools import groupby
from typing import Any

from theact_tui.saves.save import Save
from theact_tui.story.base import Value
from theact_tui.story.steering import language_tag
from theact_tui.story.turn import Entry, Turn
from theact_tui.text import clean


class BookChapter(Value):
    """A chapter entered twice comes twice."""

    title: str
    recap: str = ""
    turns: tuple[Turn, ...]


class CastMember(Value):
    name: str
    role: str = ""


class Book(Value):
    id: str
    title: str
    pack: str
    description: str
    player: str
    branch: str
    branch_title: str
    created: str
    language: str = "en"
    """Language tag; `und` if unknown."""
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
        turns = [turn for chapter in self.chapters for turn in chapter.turns] if self.complete else []
        narrated = [turn for turn in turns if any(entry.role == "system" for entry in turn.entries)]
        return next(iter([*reversed(narrated), *reversed(turns)]), None)

    @property
    def members(self) -> list[tuple[str, str]]:
        """The cast, the player first, each with a role to follow the name."""
        player = [(self.player, ", the player")] if self.player else []
        return player + [(one.name, f", {one.role}" if one.role else "") for one in self.cast]

    def missed_by(self, turn: Turn, entry: Entry) -> str:
        names = [self.names.get(id, id) for id in turn.unaware] if entry.role == "player" else []
        return f"{' and '.join(names)} did not hear this." if names else ""

    def speaker(self, entry: Entry) -> str:
        """Name of the player or character who speaks; empty for narration."""
        if entry.role == "character":
            return self.names.get(entry.character or "", entry.character or "")
        return self.player if entry.role == "player" else ""


def printable(book: Book) -> Book:
    """Remove signs that act in a terminal or are invalid in files; make sure of a title."""
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


def read_book(save: Save[Any], branch: str | None = None, draft: int = 0) -> Book:
    """Read a branch of a story or directed chapter, by default the current one; of a chapter only one `draft`, if given."""
    on = branch or save.branch
    game = save.story_at(branch=on)
    turns = save.turns(1, game.state.turn, on) if game.state.turn else ()
    recaps = {recap.chapter: recap.text for recap in game.recaps}
    chapters = [
        BookChapter(
            title=game.pack.chapters[key].title if key in game.pack.chapters else key or "As it was played",
            recap=recaps.get(key, ""),
            turns=tuple(group),
        )
        for key, group in groupby(turns, key=lambda turn: turn.chapter)
    ]
    if game.info.mode == "direct" and game.recaps:
        entry = Entry(role="narrator", text=game.recaps[draft - 1].text)
        written = BookChapter(
            title="The chapter", turns=(Turn(number=0, chapter="chapter", entries=(entry,)),)
        )
        chapters = [written] if draft else [written, *chapters]
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
        names=game.pack.names,
        chapters=tuple(chapters),
        complete=game.state.game_complete,
        language=(language_tag(game.language) or "und") if game.language else "en",
    )
