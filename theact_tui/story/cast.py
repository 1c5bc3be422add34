"""Who is in the story: adding somebody, and letting somebody leave it for good. What was told stays as it was."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from theact_tui.errors import UsageError
from theact_tui.story.game import Game
from theact_tui.story.memory import empty_memory
from theact_tui.story.pack import Chapter, Character, Pack
from theact_tui.story.transitions import with_held, with_state
from theact_tui.text import one_line, slug

MAX_CAST = 7


def with_character(game: Game, said: str) -> tuple[Game, str]:
    """The game with somebody on stage from now on, and the id: `Name`, or `Name: who that is and what they are like`.

    The memory begins empty. One who left comes back. Raises `UsageError` when the cast is full.
    """
    name, _, about = (part.strip() for part in said.partition(":"))
    name, pack = one_line(name, 60), game.pack
    known = {card.name.casefold(): id for id, card in pack.characters.items()}
    id = known.get(name.casefold()) or slug(name, fallback=f"person-{len(pack.characters) + 1}")
    if id in game.chapter.characters:
        raise UsageError(f"{name} is already in the story.")
    if id not in pack.characters:
        if len(pack.characters) >= MAX_CAST:
            raise UsageError(f"A story has at most {MAX_CAST} characters.")
        role, _, rest = about.partition(".")
        card = Character(
            name=name, role=role or "somebody new", personality=rest.strip() or about or "Not known yet."
        )
        info = pack.game.model_copy(update={"characters": (*pack.game.characters, id)})
        pack = pack.model_copy(update={"game": info, "characters": {**pack.characters, id: card}})
    chapters = {c.id: c.model_copy(update={"characters": (*c.characters, id)}) for c in _ahead(game)}
    memories = {id: empty_memory(pack.game.memory), **game.memories}
    game = replace(game, pack=_with_chapters(pack, chapters), memories=memories)
    return with_held(game, {**game.state.held, id: True}), id


def without_character(game: Game, id: str) -> Game:
    """The game without somebody from this chapter on; card, memory and all that was told stay."""
    if len(game.chapter.characters) == 1:
        raise UsageError("The last character cannot be removed.")
    chapters = {chapter.id: _without(chapter, id) for chapter in _ahead(game) if id in chapter.characters}
    left = tuple(chapter.title for chapter in chapters.values() if not chapter.characters)
    if left:
        raise UsageError(f"Nobody would be left in {left[0]}.")
    steering = game.state.steering
    hushed = tuple(name for name in steering.hushed if name != id)
    pending = tuple(work for work in game.state.pending if work.character != id)
    game = replace(game, pack=_with_chapters(game.pack, chapters))
    game = with_state(game, steering=steering.model_copy(update={"hushed": hushed}), pending=pending)
    return with_held(game, {name: here for name, here in game.state.held.items() if name != id})


def _ahead(game: Game) -> list[Chapter]:
    """The chapter that is played, and those that may follow it."""
    over = {past.chapter for past in game.state.chapter_history} - {game.state.chapter}
    return [chapter for id, chapter in game.pack.chapters.items() if id not in over]


def _with_chapters(pack: Pack, chapters: Mapping[str, Chapter]) -> Pack:
    return pack.model_copy(update={"chapters": {**pack.chapters, **chapters}})


def _without(chapter: Chapter, id: str) -> Chapter:
    present = None if chapter.present is None else tuple(name for name in chapter.present if name != id)
    return chapter.model_copy(
        update={
            "characters": tuple(name for name in chapter.characters if name != id),
            "by": {beat: name for beat, name in chapter.by.items() if name != id},
            "present": present,
        }
    )
