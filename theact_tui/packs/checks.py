"""Whether the parts of a pack fit each other, and warnings about their length (S2)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import get_args

from theact_tui.packs.diagnostics import did_you_mean, quoted
from theact_tui.packs.schema import (
    GAME,
    STORYTELLER,
    WORLD,
    PackDraft,
    chapter_file,
    character_file,
    lore_file,
)
from theact_tui.story.archive import sentences
from theact_tui.story.lore import EVERYONE, MAX_ENTRIES, MAX_KEY, NARRATOR, PATTERN, LoreEntry
from theact_tui.story.matching import says_the_same
from theact_tui.story.pack import MOODS, Chapter, Character, GameInfo
from theact_tui.story.script import ActionKind, Answer, ChapterScript, Deed, Passage, Scene, Script, Traces
from theact_tui.text import counted, is_pronoun, is_slug, words
from theact_tui.yaml import Where

MAX_CHARACTER_WORDS, MAX_WORLD_WORDS, MAX_TRUTH_WORDS = 80, 150, 100
MAX_CHAPTER_WORDS, MAX_BEAT_WORDS = 120, 15
FEWEST_BEATS, MOST_BEATS = 4, 6
_TELLING_WORDS = 4
BEATS_LIMIT = 60
"""Beats that one chapter may have at all."""


def check_structure(draft: PackDraft) -> None:
    """Adds every finding about the pack as a whole, as far as its parts could be read."""
    if draft.game is not None:
        _check_game(draft, draft.game)
    _check_hidden(draft)
    for id, character in draft.characters.items():
        _check_character(draft, id, character)
    for id, chapter in draft.chapters.items():
        _check_chapter(draft, id, chapter)
    _check_lore(draft)
    if draft.world is not None:
        world = draft.world
        _check_length(draft, WORLD, (world.setting, world.tone, world.rules), MAX_WORLD_WORDS)
        _check_length(draft, WORLD, (world.truth,), MAX_TRUTH_WORDS, ("truth",))


def _check_game(draft: PackDraft, game: GameInfo) -> None:
    if not is_slug(game.id):
        draft.error(GAME, ("id",), f"{quoted(game.id)} cannot be an id; use letters, digits, '-' and '_'")
    elif draft.folder.absolute().name != game.id:
        draft.warn(GAME, ("id",), f"the folder is called {quoted(draft.folder.name)} and not '{game.id}'")
    _check_filled(draft, GAME, ("title",), game.title)
    if "name" in game.player.model_fields_set and is_pronoun(game.player.name):
        message = f"the player is called {quoted(game.player.name)}, which prompts would misread; use a name"
        draft.warn(GAME, ("player", "name"), message)
    _check_order(draft, game)


def _check_character(draft: PackDraft, id: str, character: Character) -> None:
    file = character_file(id)
    characters = draft.known["characters"]
    _check_filled(draft, file, ("name",), character.name)
    if draft.game and character.name and character.name.casefold() == draft.game.player.name.casefold():
        draft.warn(
            file, ("name",), f"{quoted(character.name)} is also the player's name; the two would be confused"
        )
    for other in character.relationships:
        where = ("relationships", other)
        if other == id:
            draft.error(file, where, f"{quoted(id)} cannot have a relationship with itself")
        elif other not in characters:
            draft.error(file, where, _unknown("character", other, characters))
    if character.reveal:
        _check_reveal(draft, file, character.reveal)
    texts = (character.name, character.role, character.personality, character.secret)
    _check_length(draft, file, (*texts, *character.relationships.values()), MAX_CHARACTER_WORDS)


def _check_reveal(draft: PackDraft, file: str, reveal: str) -> None:
    chapter, _, number = reveal.partition("/")
    known = draft.chapters.get(chapter)
    if chapter not in draft.known["chapters"]:
        draft.error(file, ("reveal",), _unknown("chapter", chapter, draft.known["chapters"]))
    elif known and not (number.isdecimal() and 1 <= int(number) <= len(known.beats)):
        message = f"must be a chapter and the number of one of its beats, such as '{chapter}/1', not {quoted(reveal)}"
        draft.error(file, ("reveal",), message)


def _check_chapter(draft: PackDraft, id: str, chapter: Chapter) -> None:
    file = chapter_file(id)
    _check_filled(draft, file, ("title",), chapter.title)
    if chapter.beats:
        _check_filled(draft, file, ("completion",), chapter.completion)
    elif chapter.completion:
        message = "a chapter without beats is open and does not end; remove 'completion', or add beats"
        draft.error(file, ("completion",), message)
    elif chapter.next is not None:
        draft.warn(file, ("next",), "an open chapter does not end, so the next one is never reached")
    if chapter.id != id:
        draft.error(file, ("id",), f"the id must be '{id}' like the file's name, not {quoted(chapter.id)}")
    for position, character in enumerate(chapter.characters):
        if character not in draft.known["characters"]:
            message = _unknown("character", character, draft.known["characters"])
            draft.error(file, ("characters", position), message)
    for beat, character in chapter.by.items():
        where = ("beats", chapter.beats.index(beat)) if beat in chapter.beats else ("by", beat)
        if beat not in chapter.beats:
            draft.error(file, where, f"there is no beat {quoted(beat)}{did_you_mean(beat, chapter.beats)}")
        else:
            _check_in_chapter(draft, file, where, character, chapter)
    for position, character in enumerate(chapter.present or ()):
        _check_in_chapter(draft, file, ("present", position), character, chapter)
    texts = (chapter.title, chapter.summary, *chapter.beats, chapter.completion)
    _check_length(draft, file, texts, MAX_CHAPTER_WORDS)
    _check_beats(draft, file, chapter)


def _check_in_chapter(draft: PackDraft, file: str, where: Where, character: str, chapter: Chapter) -> None:
    if character not in chapter.characters:
        message = f"{quoted(character)} is not one of this chapter's characters"
        draft.error(file, where, message + did_you_mean(character, chapter.characters))


def _check_hidden(draft: PackDraft) -> None:
    """Warns where a secret or the truth stands in a text that everybody is shown."""
    if draft.world is None:
        return
    public = [*sentences(draft.world.setting), *sentences(draft.world.rules)]
    hidden = [(WORLD, "truth", draft.world.truth)]
    hidden += [(character_file(id), "secret", card.secret) for id, card in draft.characters.items()]
    for file, field, text in hidden:
        for sentence in sentences(text):
            if words(sentence) >= _TELLING_WORDS and says_the_same(sentence, public):
                message = f"{quoted(sentence)} is in world.yaml too, which every character reads"
                draft.warn(file, (field,), message)


def _check_lore(draft: PackDraft) -> None:
    """Ids that are unique, people and chapters that exist, keys that can match."""
    seen: dict[str, str] = {}
    for book, entries in draft.lore.items():
        file = lore_file(book)
        for position, entry in enumerate(entries):
            where = ("entries", position)
            if not is_slug(entry.id):
                draft.error(file, (*where, "id"), f"{quoted(entry.id)} cannot be an id")
            elif entry.id in seen:
                draft.error(file, (*where, "id"), f"{quoted(entry.id)} is in {seen[entry.id]} too")
            seen.setdefault(entry.id, file)
            _check_filled(draft, file, (*where, "text"), entry.text)
            _check_entry(draft, file, where, entry)
    if len(seen) > MAX_ENTRIES:
        draft.error("lore", (), f"{counted(len(seen), 'entry', 'entries')}; a pack may have {MAX_ENTRIES:,}")


def _check_entry(draft: PackDraft, file: str, where: Where, entry: LoreEntry) -> None:
    people = (EVERYONE, NARRATOR, *draft.known["characters"])
    for id in entry.known_by:
        if id not in people:
            draft.error(file, (*where, "known_by"), _unknown("character", id, people))
    for id in entry.chapters:
        if id not in draft.known["chapters"]:
            draft.error(file, (*where, "chapters"), _unknown("chapter", id, draft.known["chapters"]))
    for key in (*entry.keys, *entry.all_of, *entry.none_of):
        if len(key) > MAX_KEY:
            draft.error(file, (*where, "keys"), f"a key has at most {MAX_KEY} characters, not {len(key)}")
        elif PATTERN.fullmatch(key):
            draft.warn(file, (*where, "keys"), f"{quoted(key)} is a regular expression, which is never used")
    if entry.enabled and not entry.always and not entry.keys:
        draft.warn(file, where, f"{quoted(entry.name)} has no keys, so it is never used")


def _check_filled(draft: PackDraft, file: str, where: Where, text: str) -> None:
    if not text:
        draft.error(file, where, f"{quoted(where[-1])} must not be empty")


def _check_beats(draft: PackDraft, file: str, chapter: Chapter) -> None:
    if not chapter.beats:
        return
    if len(chapter.beats) > BEATS_LIMIT:
        draft.error(
            file, ("beats",), f"{counted(len(chapter.beats), 'beat')}; a chapter may have {BEATS_LIMIT}"
        )
        return
    for position, beat in enumerate(chapter.beats):
        where = ("beats", position)
        if not beat:
            draft.error(file, where, "a beat must not be empty")
        if beat in chapter.beats[:position]:
            draft.error(file, where, f"the beat {quoted(beat)} is listed twice")
        if words(beat) > MAX_BEAT_WORDS:
            draft.warn(
                file,
                where,
                f"a beat of {words(beat)} words; small models do best with at most {MAX_BEAT_WORDS}",
            )
    if not FEWEST_BEATS <= len(chapter.beats) <= MOST_BEATS:
        message = (
            f"{counted(len(chapter.beats), 'beat')}; a chapter plays best with {FEWEST_BEATS} to {MOST_BEATS}"
        )
        draft.warn(file, ("beats",), message)


def _check_order(draft: PackDraft, game: GameInfo) -> None:
    """`next` must lead through the chapters as listed, and end."""
    for id, following in zip(game.chapters, (*game.chapters[1:], None), strict=True):
        chapter = draft.chapters.get(id)
        if chapter is None or chapter.next == following:
            continue
        if following is None:
            message = f"'next' must be null, because '{id}' is the last chapter listed in {GAME}"
        elif chapter.next is None:
            message = f"'next' must be '{following}', the chapter listed after this one"
        elif chapter.next not in draft.known["chapters"]:
            message = _unknown("chapter", chapter.next, game.chapters)
        else:
            message = f"'next' must be '{following}', the chapter listed after this one, not '{chapter.next}'"
        draft.error(chapter_file(id), ("next",), message)
    if circle := _circle(draft, game):
        draft.error(GAME, ("chapters",), f"the chapters form a loop: {' -> '.join(circle)}")


def _circle(draft: PackDraft, game: GameInfo) -> list[str]:
    """Chapter ids that lead back to the first of them, or nothing."""
    for start in game.chapters:
        way = [start]
        while (chapter := draft.chapters.get(way[-1])) and chapter.next is not None:
            if chapter.next in way:
                return [*way[way.index(chapter.next) :], chapter.next]
            way.append(chapter.next)
    return []


def _check_length(draft: PackDraft, file: str, texts: Iterable[str], most: int, where: Where = ()) -> None:
    count = sum(words(text) for text in texts)
    if count > most:
        draft.warn(file, where, f"{counted(count, 'word')}; small models do best with at most {most} here")


def _unknown(kind: str, name: str, known: Iterable[str]) -> str:
    return f"there is no {kind} {quoted(name)}{did_you_mean(name, known)}"


_BRACES = re.compile(r"\{[^{}]*\}|[{}]")
_EVERYWHERE = frozenset({"{player}"})
_EPILOGUE = _EVERYWHERE | {"{moments}"}
OCCASIONS = (*MOODS, "any", *get_args(ActionKind), "unanswered", "repeated", "puzzled", "confided")
"""What the lines of a voice may be for."""
PERSONAL = ("retold", "learns", "minds", "diary")
"""What a passage leaves in single characters."""


def check_storyteller(draft: PackDraft) -> None:
    """Adds every finding about the storyteller's material, if the pack has some and its game could be read."""
    script = draft.script
    if script is None:
        return
    _check_braces(draft, script)
    _check_ids(draft, ("voices",), script.voices, draft.known["characters"])
    _check_ids(draft, ("chapters",), script.chapters, draft.known["chapters"], "chapter")
    for id in draft.game.chapters if draft.game else draft.chapters:
        chapter, told = draft.chapters.get(id), script.chapters.get(id)
        if told is None:
            draft.error(STORYTELLER, ("chapters",), f"the chapter '{id}' has no material here")
        elif chapter is not None:
            _storyteller_check_chapter(draft, ("chapters", id), chapter, told)
    for id, voice in script.voices.items():
        for occasion in voice.lines:
            if occasion not in OCCASIONS:
                message = f"unknown mood {quoted(occasion)}{did_you_mean(occasion, OCCASIONS)}"
                draft.error(STORYTELLER, ("voices", id, "lines", occasion), message)
    for where, deed in _deeds(script):
        _check_ids(draft, (*where, "lines"), deed.lines, draft.known["characters"])
    for where, passage in _passages(script):
        _check_passage(draft, where, passage, draft.known["characters"])
    for here, cues in _cues(script):
        for position, cue in enumerate(cues):
            if not cue or cue != cue.lower():
                draft.error(
                    STORYTELLER, (*here, position), f"the cue {quoted(cue)} must be a word in lower case"
                )
    _check_completeness(draft, script)


def _storyteller_check_chapter(draft: PackDraft, where: Where, chapter: Chapter, told: ChapterScript) -> None:
    if len(told.scenes) != len(chapter.beats):
        message = f"{counted(len(told.scenes), 'scene')} for {counted(len(chapter.beats), 'beat')}; each beat needs its scene"
        draft.error(STORYTELLER, (*where, "scenes"), message)
    _check_ids(draft, (*where, "opening_lines"), told.opening_lines, chapter.characters)
    _check_traces(draft, (*where, "opened"), told.opened, chapter.characters)
    _check_ids(draft, (*where, "answers"), told.answers, chapter.characters)
    _check_times(draft, where, told, len(chapter.beats))
    stage = chapter.opening_cast
    for position, scene in enumerate(told.scenes):
        here = (*where, "scenes", position)
        for id in scene.present or ():
            _check_in_chapter(draft, STORYTELLER, (*here, "present"), id, chapter)
        stage = stage if scene.present is None else scene.present
        for kind, id in [(field, id) for field in ("lines", *PERSONAL) for id in getattr(scene, field)]:
            if id in chapter.characters and id not in stage:
                draft.warn(STORYTELLER, (*here, kind, id), f"'{id}' is not on stage in this scene")


def _check_times(draft: PackDraft, where: Where, told: ChapterScript, beats: int) -> None:
    """Passages and answers that are never told, and times where there can be none."""
    timed: list[tuple[Where, Passage | Answer]] = [
        ((kind, position), passage)
        for kind, passages in (("topics", told.topics), ("ambient", told.ambient))
        for position, passage in enumerate(passages)
    ]
    timed += [
        (("answers", id, position), answer)
        for id, answers in told.answers.items()
        for position, answer in enumerate(answers)
    ]
    for here, each in timed:
        if each.after > beats or (each.before is not None and each.before <= each.after):
            until = "" if each.before is None else f" and before {each.before}"
            message = f"never used: after {each.after}{until} of {beats} beats"
            draft.error(STORYTELLER, (*where, *here, "after"), message)
    for position, scene in enumerate(told.scenes):
        if scene.after or scene.before is not None:
            draft.error(
                STORYTELLER,
                (*where, "scenes", position),
                "a scene has a fixed place; remove 'after' and 'before'",
            )
        if scene.follows and position == 0:
            draft.error(
                STORYTELLER, (*where, "scenes", 0, "follows"), "the first scene cannot follow another"
            )


def _check_traces(draft: PackDraft, where: Where, traces: Traces, known: Iterable[str]) -> None:
    for kind in PERSONAL:
        _check_ids(draft, (*where, kind), getattr(traces, kind), known)


def _check_passage(draft: PackDraft, where: Where, passage: Passage, known: Iterable[str]) -> None:
    if passage.mood not in MOODS:
        message = f"unknown mood {quoted(passage.mood)}{did_you_mean(passage.mood, MOODS)}"
        draft.error(STORYTELLER, (*where, "mood"), message)
    _check_ids(draft, (*where, "lines"), passage.lines, known)
    _check_traces(draft, where, passage, known)
    if isinstance(passage, Scene) and passage.moment is not None:
        count = words(passage.moment.summary)
        if not 5 <= count <= 10:
            message = f"a moment needs 5 to 10 words, this one has {count}"
            draft.warn(STORYTELLER, (*where, "moment", "summary"), message)


def _check_completeness(draft: PackDraft, script: Script) -> None:
    for kind in get_args(ActionKind):
        if not script.reactions.get(kind):
            draft.warn(STORYTELLER, ("reactions",), f"no reactions for '{kind}'")
    if script.epilogue.count("{moments}") != 1:
        draft.warn(STORYTELLER, ("epilogue",), "the epilogue must contain {moments} once")
    if not script.afterwards:
        draft.warn(STORYTELLER, (), "there are no scenes after the end; 'afterwards' is empty")
    some_opening = any(told.opening for told in script.chapters.values())
    for id, told in script.chapters.items():
        if some_opening and not told.opening:
            draft.warn(STORYTELLER, ("chapters", id), "the chapter has no opening")
        if not told.ambient:
            draft.warn(STORYTELLER, ("chapters", id), "the chapter has no ambient passages")
        if not told.recap:
            draft.warn(STORYTELLER, ("chapters", id), "the chapter has no recap")


def _check_ids(
    draft: PackDraft, where: Where, named: Mapping[str, object], known: Iterable[str], kind: str = "character"
) -> None:
    for id in named:
        if id not in known:
            message = f"there is no {kind} {quoted(id)} here{did_you_mean(id, known)}"
            draft.error(STORYTELLER, (*where, id), message)


def _check_braces(draft: PackDraft, script: Script) -> None:
    """Braces stand only around the few words the storyteller fills in."""
    for where, text in _texts(script.model_dump(), ()):
        allowed = _EPILOGUE if where[0] == "epilogue" else _EVERYWHERE
        for brace in _BRACES.findall(text):
            if brace not in allowed:
                message = f"{quoted(brace)} is not available here{did_you_mean(brace, sorted(allowed))}"
                draft.error(STORYTELLER, where, message)


def _texts(value: object, where: Where) -> Iterator[tuple[Where, str]]:
    match value:
        case str():
            yield where, value
        case dict():
            for key, item in value.items():
                yield from _texts(item, (*where, key))
        case tuple():
            for position, item in enumerate(value):
                yield from _texts(item, (*where, position))


def _passages(script: Script) -> Iterator[tuple[Where, Passage]]:
    for id, told in script.chapters.items():
        for kind in ("scenes", "topics", "ambient"):
            for position, passage in enumerate(getattr(told, kind)):
                yield ("chapters", id, kind, position), passage
    for position, passage in enumerate(script.afterwards):
        yield ("afterwards", position), passage


def _deeds(script: Script) -> Iterator[tuple[Where, Deed]]:
    for position, deed in enumerate(script.deeds):
        yield ("deeds", position), deed
    for id, told in script.chapters.items():
        for position, deed in enumerate(told.deeds):
            yield ("chapters", id, "deeds", position), deed


def _cues(script: Script) -> Iterator[tuple[Where, tuple[str, ...]]]:
    for where, passage in _passages(script):
        yield (*where, "cues"), getattr(passage, "cues", ())
        if isinstance(passage, Scene):
            for position, way in enumerate(passage.ways):
                yield (*where, "ways", position, "cues"), way.cues
    for where, deed in _deeds(script):
        yield (*where, "cues"), deed.cues
    for chapter, told in script.chapters.items():
        for id, answers in told.answers.items():
            for position, answer in enumerate(answers):
                yield ("chapters", chapter, "answers", id, position, "cues"), answer.cues
    for id, voice in script.voices.items():
        for position, answer in enumerate(voice.answers):
            yield ("voices", id, "answers", position, "cues"), answer.cues


_OVERRIDES_BRACES = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")


def check_overrides(draft: PackDraft) -> None:
    """Adds a finding for each unknown agent, unknown placeholder, stray brace and required placeholder missing.

    A placeholder is a bare name: conversions and format widths could do harm, and count as unknown.
    """
    if not draft.prompts:
        return
    from theact_tui.agents.prompts import PLACEHOLDERS, REQUIRED, TEMPLATES

    for agent, text in draft.prompts.items():
        file = f"prompts/{agent}.txt"
        if agent not in TEMPLATES:
            draft.error(file, (), f"there is no agent {quoted(agent)}{did_you_mean(agent, TEMPLATES)}")
            continue
        used = set()
        for brace in _OVERRIDES_BRACES.finditer(text):
            used.add(brace[1])
            if message := _fault(brace, PLACEHOLDERS[agent]):
                draft.error_at(file, text.count("\n", 0, brace.start()) + 1, message)
        for name in sorted(REQUIRED.get(agent, frozenset()) - used):
            draft.error(file, (), f"the placeholder '{{{name}}}' is missing")


def _fault(brace: re.Match[str], known: frozenset[str]) -> str:
    if brace[0] in ("{{", "}}") or brace[1] in known:
        return ""
    if brace[1] is None:
        return f"unmatched brace; write {brace[0] * 2} for a literal one"
    return f"unknown placeholder {quoted(brace[0])}{did_you_mean(brace[1], sorted(known))}"
