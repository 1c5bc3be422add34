"""Whether the parts of a pack fit each other, and warnings about their length (S2)."""

from __future__ import annotations

from collections.abc import Iterable

from theact_tui.packs.draft import GAME, WORLD, Draft, chapter_file, character_file
from theact_tui.packs.findings import did_you_mean, quoted
from theact_tui.story.pack import Chapter, Character, GameInfo
from theact_tui.text import is_slug, words

MAX_CHARACTER_WORDS, MAX_WORLD_WORDS, MAX_CHAPTER_WORDS, MAX_BEAT_WORDS = 80, 150, 120, 15
FEWEST_BEATS, MOST_BEATS = 4, 6


def check_structure(draft: Draft) -> None:
    """Adds every finding about the pack as a whole, as far as its parts could be read."""
    if draft.game is None:
        return
    if not is_slug(draft.game.id):
        draft.error(
            GAME, ("id",), f"{quoted(draft.game.id)} cannot be an id; use letters, digits, '-' and '_'"
        )
    elif draft.folder.absolute().name != draft.game.id:
        draft.warn(
            GAME, ("id",), f"the folder is called {quoted(draft.folder.name)} and not '{draft.game.id}'"
        )
    _check_filled(draft, GAME, {"title": draft.game.title})
    for id, character in draft.characters.items():
        _check_character(draft, id, character)
    for id, chapter in draft.chapters.items():
        _check_chapter(draft, id, chapter)
    _check_order(draft, draft.game)
    if draft.world is not None:
        _check_length(draft, WORLD, draft.world.model_dump().values(), MAX_WORLD_WORDS)


def _check_character(draft: Draft, id: str, character: Character) -> None:
    file = character_file(id)
    characters = draft.known["characters"]
    _check_filled(draft, file, {"name": character.name})
    for other in character.relationships:
        where = ("relationships", other)
        if other == id:
            draft.error(file, where, f"{quoted(id)} cannot have a relationship with itself")
        elif other not in characters:
            draft.error(file, where, _unknown("character", other, characters))
    texts = (character.name, character.role, character.personality, character.secret)
    _check_length(draft, file, (*texts, *character.relationships.values()), MAX_CHARACTER_WORDS)


def _check_chapter(draft: Draft, id: str, chapter: Chapter) -> None:
    file = chapter_file(id)
    _check_filled(draft, file, {"title": chapter.title, "completion": chapter.completion})
    if chapter.id != id:
        draft.error(file, ("id",), f"the id must be '{id}' like the file's name, not {quoted(chapter.id)}")
    for position, character in enumerate(chapter.characters):
        if character not in draft.known["characters"]:
            message = _unknown("character", character, draft.known["characters"])
            draft.error(file, ("characters", position), message)
    for position, character in enumerate(chapter.present or ()):
        if character not in chapter.characters:
            message = f"{quoted(character)} is not one of this chapter's characters"
            near = did_you_mean(character, chapter.characters)
            draft.error(file, ("present", position), message + near)
    texts = (chapter.title, chapter.summary, *chapter.beats, chapter.completion)
    _check_length(draft, file, texts, MAX_CHAPTER_WORDS)
    _check_beats(draft, file, chapter)


def _check_beats(draft: Draft, file: str, chapter: Chapter) -> None:
    for position, beat in enumerate(chapter.beats):
        where = ("beats", position)
        if not beat:
            draft.error(file, where, "a beat must not be empty")
        if beat in chapter.beats[:position]:
            draft.error(file, where, f"the beat {quoted(beat)} is there twice")
        if words(beat) > MAX_BEAT_WORDS:
            draft.warn(
                file, where, f"a beat of {words(beat)} words; small models want at most {MAX_BEAT_WORDS}"
            )
    if not FEWEST_BEATS <= len(chapter.beats) <= MOST_BEATS:
        message = f"{len(chapter.beats)} beats; a chapter plays best with {FEWEST_BEATS} to {MOST_BEATS}"
        draft.warn(file, ("beats",), message)


def _check_order(draft: Draft, game: GameInfo) -> None:
    """`next` must lead through the chapters as listed, and end."""
    for id, following in zip(game.chapters, (*game.chapters[1:], None), strict=True):
        chapter = draft.chapters.get(id)
        if chapter is None or chapter.next == following:
            continue
        if following is None:
            message = f"'next' must be null, for '{id}' is the last chapter listed in {GAME}"
        elif chapter.next is None:
            message = f"'next' must be '{following}', the chapter listed after this one"
        elif chapter.next not in draft.known["chapters"]:
            message = _unknown("chapter", chapter.next, game.chapters)
        else:
            message = f"'next' must be '{following}', the chapter listed after this one, not '{chapter.next}'"
        draft.error(chapter_file(id), ("next",), message)
    if circle := _circle(draft, game):
        draft.error(GAME, ("chapters",), f"the chapters go round in a circle: {' -> '.join(circle)}")


def _circle(draft: Draft, game: GameInfo) -> list[str]:
    """Chapter ids that lead back to the first of them, or nothing."""
    for start in game.chapters:
        way = [start]
        while (chapter := draft.chapters.get(way[-1])) and chapter.next is not None:
            if chapter.next in way:
                return [*way[way.index(chapter.next) :], chapter.next]
            way.append(chapter.next)
    return []


def _check_filled(draft: Draft, file: str, fields: dict[str, str]) -> None:
    for name, text in fields.items():
        if not text:
            draft.error(file, (name,), f"'{name}' must not be empty")


def _check_length(draft: Draft, file: str, texts: Iterable[str], most: int) -> None:
    count = sum(words(text) for text in texts)
    if count > most:
        draft.warn(file, (), f"{count} words; small models want at most {most} here")


def _unknown(kind: str, name: str, known: Iterable[str]) -> str:
    return f"there is no {kind} {quoted(name)}{did_you_mean(name, known)}"
