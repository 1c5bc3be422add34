"""Add characters to a story, or let them leave. Told turns stay unchanged."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from theact_tui.errors import UsageError
from theact_tui.sentences import sentences
from theact_tui.story.edits import Edit
from theact_tui.story.game import Game
from theact_tui.story.lore import NARRATOR, NO_PERSON, LoreEntry, shared_lore
from theact_tui.story.memory import empty_memory
from theact_tui.story.pack import PLAYER, Chapter, Character, addressed
from theact_tui.text import clean, one_line, slug, unique_slug

MAX_CAST = 7


@dataclass(frozen=True, slots=True)
class Newcomer:
    """Character about to join, with lore that they and the narrator know."""

    card: Character
    lore: tuple[LoreEntry, ...] = ()
    origin: Literal["player", "card", "model"] = "player"
    left_out: tuple[str, ...] = ()
    """Sentences about unusable parts of the card."""

    @property
    def about(self) -> str:
        return ". ".join(part for part in (self.card.role, self.card.personality) if part)

    def described(self, about: str) -> Newcomer:
        """Replace the description. If there was a role, the first sentence becomes the new one."""
        about = clean(about).strip() or "Not known yet."
        role, *rest = sentences(about) if self.card.role else ("", about)
        texts = {"role": one_line(role, 200).rstrip(".。"), "personality": " ".join(rest) or about}
        return replace(self, card=self.card.model_copy(update=texts), origin="player")


def newcomer(game: Game, name: str) -> Newcomer:
    """Make an unknown character; one who left returns unchanged. Raises `UsageError` for one already there, or a full
    cast.
    """
    card = game.pack.characters.get(_joining_id(game, name))
    return Newcomer(card or Character(name=name, role="somebody new", personality="Not known yet."))


def _joining_id(game: Game, name: str) -> str:
    if not name:
        raise UsageError("A name is missing. Usage: /cast add Name: description")
    if name.startswith("/"):
        raise UsageError("A name cannot begin with a slash.")
    people, player = game.pack.characters, game.info.player.name
    if name.casefold() == player.casefold():
        raise UsageError(f"{player} is your character. Choose another name.")
    ids_by_name = {card.name.casefold(): id for id, card in people.items()}
    id = ids_by_name.get(name.casefold()) or slug(name, fallback=f"person-{len(people) + 1}")
    id = f"{id}-2" if id in NO_PERSON else id
    if id in game.chapter.characters:
        raise UsageError(f"{name} is already in the story.")
    if id not in people and len(people) >= MAX_CAST:
        raise UsageError(f"A story has at most {MAX_CAST} characters.")
    return id


def add_character(game: Game, person: Newcomer) -> Edit:
    """Bring a character on stage; one who was there before keeps their memory. Raises as `newcomer`."""
    pack, id = game.pack, _joining_id(game, person.card.name)
    if id not in pack.characters:
        info = pack.game.model_copy(update={"characters": (*pack.game.characters, id)})
        own = [entry.model_copy(update={"known_by": (id, NARRATOR)}) for entry in person.lore]
        books, own = shared_lore(pack.lore, own)
        lore = {**pack.lore, **books, **({unique_slug(id, pack.lore): tuple(own)} if own else {})}
        people = {**pack.characters, id: person.card}
        new = pack.model_copy(update={"game": info, "characters": people, "lore": lore})
        pack = addressed(new, game.info.player)
    chapters = {c.id: c.model_copy(update={"characters": (*c.characters, id)}) for c in _chapters_ahead(game)}
    memories = {id: empty_memory(pack.game.memory), **game.memories}
    pack = pack.model_copy(update={"chapters": {**pack.chapters, **chapters}})
    game = replace(game, pack=pack, memories=memories)
    return Edit(game.with_held({**game.state.held, id: True}), f"{person.card.name} joins")


def remove_character(game: Game, id: str) -> Edit:
    """Let a character leave from this chapter on; card, memory and turns stay."""
    if len(game.chapter.characters) == 1:
        raise UsageError("The last character cannot be removed.")
    chapters = {
        chapter.id: with_cast(chapter, tuple(name for name in chapter.characters if name != id))
        for chapter in _chapters_ahead(game)
        if id in chapter.characters
    }
    left = tuple(chapter.title for chapter in chapters.values() if not chapter.characters)
    if left:
        raise UsageError(f"Nobody would be left in {left[0]}.")
    steering = game.state.steering
    hushed = tuple(name for name in steering.hushed if name != id)
    pending = tuple(work for work in game.state.pending if work.character != id)
    pack = game.pack.model_copy(update={"chapters": {**game.pack.chapters, **chapters}})
    game = replace(game, pack=pack).with_state(
        steering=steering.model_copy(update={"hushed": hushed}), pending=pending
    )
    held = {name: is_present for name, is_present in game.state.held.items() if name != id}
    return Edit(game.with_held(held), f"{game.pack.name_of(id)} leaves for good")


def _chapters_ahead(game: Game) -> list[Chapter]:
    over = {past.chapter for past in game.state.chapter_history} - {game.state.chapter}
    return [chapter for id, chapter in game.pack.chapters.items() if id not in over]


def with_cast(chapter: Chapter, cast: tuple[str, ...]) -> Chapter:
    """Reduce a chapter to these people, also as owners of beats."""
    present = None if chapter.present is None else tuple(id for id in chapter.present if id in cast)
    asleep = tuple(id for id in chapter.asleep if id in cast)
    owners = {beat: id for beat, id in chapter.by.items() if id in (*cast, PLAYER) and beat in chapter.beats}
    return chapter.model_copy(update={"characters": cast, "present": present, "asleep": asleep, "by": owners})
