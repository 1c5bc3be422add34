from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any, Literal

from theact_tui.saves.save import Save
from theact_tui.story.matching import words_of
from theact_tui.story.steering import language_tag
from theact_tui.story.turn import Entry, Turn
from theact_tui.story.value import Value
from theact_tui.text import clean

Lines = Literal["you", "none"]
"""How a book has the player's lines: as said by "You", or not at all."""
_MOST_LEFT_OUT = 3
"""Words of a player's line that a book leaves out, such as `I go on.`"""


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
    directed: bool = False
    lines: Lines = "you"
    cast: tuple[CastMember, ...]
    """Those whom the player has met."""
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

    def entries(self, turn: Turn) -> list[Entry]:
        """Return what a reader is shown of a turn, in order."""
        least = 0 if self.directed else _MOST_LEFT_OUT + 1
        return [
            entry
            for entry in turn.ordered_entries
            if entry.role != "player" or (self.lines != "none" and len(words_of(entry.text)) >= least)
        ]

    def speaker(self, entry: Entry) -> str:
        """Name of the character who speaks, "You" for the player; empty for narration."""
        if entry.role == "character":
            return self.names.get(entry.character or "", entry.character or "")
        if entry.role == "player":
            return self.player if self.directed else "You"
        return ""


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


def read_book(save: Save[Any], branch: str | None = None, draft: int = 0, lines: Lines = "you") -> Book:
    """Read a branch of a story or directed chapter, by default the current one; of a chapter only one `draft`, if given."""
    on = branch or save.branch
    game = save.story_at(branch=on)
    turns = save.turns(1, game.state.turn, on) if game.state.turn else ()
    met = {id for turn in turns for id in _met_in(turn)}
    recaps = {recap.chapter: recap.text for recap in game.recaps}
    chapters = [
        BookChapter(
            title=game.pack.chapters[key].title if key in game.pack.chapters else key or "As it was played",
            recap=recaps.get(key, ""),
            turns=tuple(group),
        )
        for key, group in groupby(turns, key=lambda turn: turn.chapter)
    ]
    directed = game.info.mode == "direct"
    if directed and game.recaps:
        entry = Entry(role="narrator", text=game.recaps[draft - 1].text)
        written = BookChapter(
            title="The chapter", turns=(Turn(number=0, chapter="chapter", entries=(entry,)),)
        )
        chapters = [written] if draft else [written, *chapters]
    return Book(
        id=game.info.id,
        title=game.info.title if directed else game.pack.game.title,
        pack=game.pack.game.title,
        description=game.pack.game.description,
        player=game.info.player.name,
        branch=on,
        branch_title=save.title_of(on),
        created=game.info.created,
        directed=directed,
        lines=lines,
        cast=tuple(
            CastMember(name=card.name, role=card.role)
            for id, card in game.pack.characters.items()
            if id in met
        ),
        names=game.pack.names,
        chapters=tuple(chapters),
        complete=game.state.game_complete,
        language=(language_tag(game.language) or "und") if game.language else "en",
    )


def _met_in(turn: Turn) -> Iterable[str]:
    stage = turn.presence
    return (*stage.here, *stage.asleep, *turn.witnesses, *(entry.character or "" for entry in turn.replies))
