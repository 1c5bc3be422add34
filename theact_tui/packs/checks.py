"""Check that the parts of a pack fit each other (S2)."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import get_args

from pydantic import BaseModel

from theact_tui.field_errors import did_you_mean, nearest, quoted
from theact_tui.packs.files import (
    GAME,
    STORYTELLER,
    WORLD,
    PackDraft,
    chapter_file,
    character_file,
    lore_file,
)
from theact_tui.sentences import sentences
from theact_tui.story import script
from theact_tui.story.lore import EVERYONE, MAX_ENTRIES, MAX_KEY, NARRATOR, PATTERN, LoreEntry
from theact_tui.story.matching import overlap, says_the_same, stems
from theact_tui.story.names import is_named
from theact_tui.story.pack import MOODS, PLAYER, Chapter, Character, GameInfo
from theact_tui.text import counted, is_pronoun, is_slug, one_line, words
from theact_tui.yaml import Where

MAX_CHARACTER_WORDS, MAX_WORLD_WORDS, MAX_TRUTH_WORDS = 80, 150, 100
MAX_CHAPTER_WORDS, MAX_BEAT_WORDS = 120, 15
FEWEST_BEATS, MOST_BEATS = 4, 6
MIN_REPEATED_WORDS, MIN_REPEATED_SHARE = 4, 0.6
BEAT_OWNER = re.compile(r"(.*\S)\s*[(\[]([^()\[\]:]{1,60})(?::\s*([^()\[\]]*))?[)\]]\s*\Z", re.DOTALL)
"""Beat, its owner's name, and what happens first, of `You pull the mule free (player: The mule sinks)`."""
_BEATS_LIMIT = 60


def check_structure(draft: PackDraft) -> None:
    if draft.game is not None:
        _check_game(draft, draft.game)
        _check_order(draft, draft.game)
    _check_hidden(draft)
    _check_hero(draft)
    for id, character in draft.characters.items():
        _check_character(draft, id, character)
    for id, chapter in draft.chapters.items():
        _check_chapter(draft, id, chapter)
        _check_beats(draft, chapter_file(id), chapter)
    _check_repeated(draft)
    _check_lore(draft)
    _check_braces(draft)
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


def _check_character(draft: PackDraft, id: str, character: Character) -> None:
    file, name = character_file(id), character.name
    _check_filled(draft, file, ("name",), name)
    if draft.game and name and name.casefold() == draft.game.player.name.casefold():
        message = f"{quoted(name)} is also the player's name; the two would be confused"
        draft.warn(file, ("name",), message)
    if [card.name.casefold() for card in draft.characters.values()].count(name.casefold()) > 1:
        draft.warn(file, ("name",), f"{quoted(name)} is also the name of another character")
    for other in character.relationships:
        where = ("relationships", other)
        if other == id:
            draft.error(file, where, f"{quoted(name or id)} cannot have a relationship with itself")
        else:
            _check_listed(draft, file, where, "character", other)
    if character.reveal:
        chapter, _, number = character.reveal.partition("/")
        beats = draft.chapters[chapter].beats if chapter in draft.chapters else None
        _check_listed(draft, file, ("reveal",), "chapter", chapter)
        if beats is not None and not (number.isdecimal() and 1 <= int(number) <= len(beats)):
            example = f"'{chapter}/1', not {quoted(character.reveal)}"
            message = f"needs a chapter and a beat number that exists, such as {example}"
            draft.error(file, ("reveal",), message)
    texts = (name, character.role, character.personality, character.secret)
    _check_length(draft, file, (*texts, *character.relationships.values()), MAX_CHARACTER_WORDS)


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
        _check_listed(draft, file, ("characters", position), "character", character)
    for beat, character in chapter.by.items():
        if beat not in chapter.beats:
            message = f"there is no beat {quoted(beat)}{did_you_mean(beat, chapter.beats)}"
            draft.error(file, ("by", beat), message)
        elif character != PLAYER:
            _check_in_chapter(draft, file, ("beats", chapter.beats.index(beat)), character, chapter)
    for beat in chapter.offers:
        if beat not in chapter.beats or chapter.by.get(beat) != PLAYER:
            draft.error(file, ("offers", beat), "an offer needs a beat of the player (by: player)")
    for beat in chapter.same_page:
        if beat not in chapter.beats:
            message = f"there is no beat {quoted(beat)}{did_you_mean(beat, chapter.beats)}"
            draft.error(file, ("same_page", beat), message)
        elif chapter.by.get(beat) == PLAYER:
            draft.error(file, ("same_page", beat), "a choice of the player is on no page with another beat")
    for field, people in (("present", chapter.present or ()), ("asleep", chapter.asleep)):
        for position, character in enumerate(people):
            _check_in_chapter(draft, file, (field, position), character, chapter)
    texts = (chapter.title, chapter.summary, *chapter.beats, chapter.completion)
    _check_length(draft, file, texts, MAX_CHAPTER_WORDS)


def advise_on_owners(draft: PackDraft) -> None:
    """Warn of choices that nothing brings up, and of beats that do not name their owner."""
    for id, chapter in draft.chapters.items():
        file, owners = chapter_file(id), chapter.by
        for position, beat in enumerate(chapter.beats):
            owner = owners.get(beat, "")
            if owner == PLAYER and not chapter.offers.get(beat):
                message = (
                    "this is the player's choice: say with 'offer' what happens first, so that it can be made"
                )
                draft.warn(file, ("beats", position), message)
            card = draft.characters.get(owner)
            if card and not is_named(beat.partition(",")[0], card.name):
                message = f"this beat is done by {quoted(card.name)}: start it with that name and a verb"
                draft.warn(file, ("beats", position), message)


def _check_beats(draft: PackDraft, file: str, chapter: Chapter) -> None:
    beats, count = chapter.beats, counted(len(chapter.beats), "beat")
    if len(beats) > _BEATS_LIMIT:
        draft.error(file, ("beats",), f"{count}; a chapter may have {_BEATS_LIMIT}")
        return
    for position, beat in enumerate(beats):
        where = ("beats", position)
        if not beat:
            draft.error(file, where, "a beat must not be empty")
        elif not any(map(str.isalnum, beat)):
            draft.warn(file, where, f"the beat {quoted(beat)} has no words")
        if beat in beats[:position]:
            draft.error(file, where, f"the beat {quoted(beat)} is listed twice")
        if words(beat) > MAX_BEAT_WORDS:
            message = f"a beat of {words(beat)} words; small models do best with at most {MAX_BEAT_WORDS}"
            draft.warn(file, where, message)
        named = BEAT_OWNER.match(beat)
        if named and named[2][0].isupper() and beat not in chapter.by and not _is_called(draft, named[2]):
            message = f"nobody in the story is called {quoted(one_line(named[2], 40))}; the brackets stay in the beat"
            draft.warn(file, where, message)
    if beats and not FEWEST_BEATS <= len(beats) <= MOST_BEATS:
        draft.warn(file, ("beats",), f"{count}; a chapter plays best with {FEWEST_BEATS} to {MOST_BEATS}")


def _check_repeated(draft: PackDraft) -> None:
    seen: dict[tuple[str, object], str] = {}
    for id, chapter in draft.chapters.items():
        for name, text in (("summary", chapter.summary), ("beats", tuple(chapter.beats))):
            if text and (before := seen.setdefault((name, text), id)) != id:
                draft.warn(chapter_file(id), (name,), f"the same {name} as in the chapter '{before}'")


def _is_called(draft: PackDraft, name: str) -> bool:
    from theact_tui.parsing.name_matching import find_id  # with rapidfuzz, which listing packs does not need

    player = draft.game.player.name if draft.game else ""
    people = {id: card.name for id, card in draft.characters.items()}
    return name.casefold() == player.casefold() or find_id(name, people) is not None


def _check_hidden(draft: PackDraft) -> None:
    if draft.world is None:
        return
    public = [*sentences(draft.world.setting), *sentences(draft.world.rules)]
    hidden = [(WORLD, "truth", draft.world.truth)]
    hidden += [(character_file(id), "secret", card.secret) for id, card in draft.characters.items()]
    for file, field, text in hidden:
        for sentence in sentences(text):
            if words(sentence) >= MIN_REPEATED_WORDS and says_the_same(sentence, public):
                message = f"{quoted(sentence)} is in world.yaml too, which every character reads"
                draft.warn(file, (field,), message)


def _check_hero(draft: PackDraft) -> None:
    about = stems(draft.game.player.description) if draft.game else frozenset[str]()
    world = draft.world
    texts: list[tuple[str, Where, str]] = []
    if world:
        texts += [(WORLD, ("setting",), world.setting), (WORLD, ("rules",), world.rules)]
    texts += [
        (character_file(id), ("relationships", other), text)
        for id, card in draft.characters.items()
        for other, text in card.relationships.items()
    ]
    for file, where, text in texts:
        shares = (overlap(about, stems(sentence)) for sentence in sentences(text))
        if len(about) >= MIN_REPEATED_WORDS and any(share >= MIN_REPEATED_SHARE for share in shares):
            message = (
                "tells what player.description says, which characters are to find out; see player.known_as"
            )
            draft.warn(file, where, message)


def _check_lore(draft: PackDraft) -> None:
    seen: dict[str, str] = {}
    for book, entries in draft.lore.items():
        file = lore_file(book)
        for position, entry in enumerate(entries):
            where, before = ("entries", position), len(draft.findings)
            if not is_slug(entry.id):
                draft.error(file, (*where, "id"), f"{quoted(entry.id)} cannot be an id")
            elif entry.id in seen:
                draft.error(file, (*where, "id"), f"{quoted(entry.id)} is in {seen[entry.id]} too")
            seen.setdefault(entry.id, file)
            _check_filled(draft, file, (*where, "text"), entry.text)
            _check_entry(draft, file, where, entry)
            draft.findings[before:] = [
                replace(finding, message=f"{finding.message} (in {quoted(entry.name)})")
                for finding in draft.findings[before:]
            ]
    if len(seen) > MAX_ENTRIES:
        draft.error("lore", (), f"{counted(len(seen), 'entry', 'entries')}; a pack may have {MAX_ENTRIES:,}")


_WORD_IN_BRACES = re.compile(r"\{+(\w{1,20})\}+")


def _check_braces(draft: PackDraft) -> None:
    world = [(WORLD, draft.world)] if draft.world else []
    cards = [(character_file(id), card) for id, card in draft.characters.items()]
    chapters = [(chapter_file(id), chapter) for id, chapter in draft.chapters.items()]
    texts = [(file, *place) for file, part in (*world, *cards, *chapters) for place in _parts(part)]
    for book, entries in draft.lore.items():
        texts += [(lore_file(book), ("entries", n, "text"), entry.text) for n, entry in enumerate(entries)]
    for file, where, text in texts:
        if not isinstance(text, str) or "{" not in text:
            continue
        for brace in _WORD_IN_BRACES.finditer(text):
            if brace[0] != "{player}" and (brace[1] == "user" or nearest(brace[1], ["player"])):
                draft.warn(file, where, f"{quoted(brace[0])} stays in the text; did you mean '{{player}}'?")


def _check_entry(draft: PackDraft, file: str, where: Where, entry: LoreEntry) -> None:
    people = (EVERYONE, NARRATOR, *draft.known["characters"])
    for id in entry.known_by:
        _check_listed(draft, file, (*where, "known_by"), "character", id, people)
    for id in entry.chapters:
        _check_listed(draft, file, (*where, "chapters"), "chapter", id)
    for key in (*entry.keys, *entry.all_of, *entry.any_of, *entry.none_of):
        if len(key) > MAX_KEY:
            draft.error(file, (*where, "keys"), f"a key has at most {MAX_KEY} characters, not {len(key)}")
        elif PATTERN.fullmatch(key):
            draft.warn(file, (*where, "keys"), f"{quoted(key)} is a regular expression, which is never used")
    if entry.enabled and not entry.always and not entry.keys:
        draft.warn(file, where, "an entry without keys is never used")


def _check_order(draft: PackDraft, game: GameInfo) -> None:
    for id, following in zip(game.chapters, (*game.chapters[1:], None), strict=True):
        chapter = draft.chapters.get(id)
        if chapter is None or chapter.next == following:
            continue
        if following is None:
            message = f"'next' must be null, because '{id}' is the last chapter listed in {GAME}"
        elif chapter.next is not None and chapter.next not in draft.known["chapters"]:
            message = f"there is no chapter {quoted(chapter.next)}{did_you_mean(chapter.next, game.chapters)}"
        else:
            message = f"'next' must be '{following}', the chapter listed after this one"
            message += f", not '{chapter.next}'" if chapter.next is not None else ""
        draft.error(chapter_file(id), ("next",), message)
    for start in game.chapters:
        way = [start]
        while (chapter := draft.chapters.get(way[-1])) and chapter.next is not None:
            if chapter.next in way:
                circle = " -> ".join([*way[way.index(chapter.next) :], chapter.next])
                draft.error(GAME, ("chapters",), f"the chapters form a loop: {circle}")
                return
            way.append(chapter.next)


def _check_filled(draft: PackDraft, file: str, where: Where, text: str) -> None:
    if not text:
        draft.error(file, where, f"{quoted(where[-1])} must not be empty")


def _check_length(draft: PackDraft, file: str, texts: Iterable[str], most: int, where: Where = ()) -> None:
    count = sum(words(text) for text in texts)
    if count > most:
        draft.warn(file, where, f"{counted(count, 'word')}; small models do best with at most {most} here")


def _check_listed(
    draft: PackDraft, file: str, where: Where, kind: str, id: str, allowed: Sequence[str] | None = None
) -> None:
    """Add an error for an id outside `allowed` (default: the pack's characters or chapters)."""
    allowed = draft.known[f"{kind}s"] if allowed is None else allowed
    if id not in allowed and not _is_listed_misspelt(draft, id, allowed):
        suffix = " here" if file == STORYTELLER else ""
        draft.error(file, where, f"there is no {kind} {quoted(id)}{suffix}{did_you_mean(id, allowed)}")


def _check_in_chapter(draft: PackDraft, file: str, where: Where, character: str, chapter: Chapter) -> None:
    listed = chapter.characters
    if character not in listed and not _is_listed_misspelt(draft, character, listed):
        message = f"{quoted(character)} is not one of this chapter's characters"
        draft.error(file, where, message + did_you_mean(character, listed))


def _is_listed_misspelt(draft: PackDraft, character: str, listed: Sequence[str]) -> bool:
    near = nearest(character, listed)
    return character in draft.characters and near is not None and near not in draft.characters


# --- the storyteller's material -----------------------------------------------------------------------------------

_BRACES = re.compile(r"\{[^{}]*\}|[{}]")
_OCCASIONS = (*MOODS, "any", *get_args(script.ActionKind), "unanswered", "repeated", "puzzled", "confided")
"""Situations for the lines of a voice."""
_PERSONAL = ("retold", "learns", "minds", "diary")
"""Fields of a passage with a text for each character."""


def check_storyteller(draft: PackDraft) -> None:
    material = draft.script
    if material is None:
        return
    _check_ids(draft, ("voices",), material.voices)
    for id in material.chapters:
        _check_listed(draft, STORYTELLER, ("chapters", id), "chapter", id)
    for id in draft.game.chapters if draft.game else draft.chapters:
        chapter, chapter_script = draft.chapters.get(id), material.chapters.get(id)
        if chapter_script is None:
            draft.error(STORYTELLER, ("chapters",), f"the chapter '{id}' has no material here")
        elif chapter is not None:
            _check_chapter_script(draft, ("chapters", id), chapter, chapter_script)
    for id, voice in material.voices.items():
        for occasion in voice.lines:
            if occasion not in _OCCASIONS:
                message = f"unknown mood {quoted(occasion)}{did_you_mean(occasion, _OCCASIONS)}"
                draft.error(STORYTELLER, ("voices", id, "lines", occasion), message)
    for where, part in _parts(material):
        _check_part(draft, where, part)
    _check_completeness(draft, material)


def _parts(value: object, where: Where = ()) -> Iterator[tuple[Where, object]]:
    yield where, value
    inner: Iterable[tuple[str | int, object]] = ()
    match value:
        case BaseModel():
            inner = value
        case dict():
            inner = value.items()
        case tuple():
            inner = enumerate(value)
    for step, child in inner:
        yield from _parts(child, (*where, step))


def _check_chapter_script(
    draft: PackDraft, where: Where, chapter: Chapter, chapter_script: script.ChapterScript
) -> None:
    if len(chapter_script.scenes) != len(chapter.beats):
        scenes, beats = counted(len(chapter_script.scenes), "scene"), counted(len(chapter.beats), "beat")
        draft.error(
            STORYTELLER, (*where, "scenes"), f"{scenes} but {beats}; there must be one scene per beat"
        )
    _check_ids(draft, (*where, "opening_lines"), chapter_script.opening_lines, chapter.characters)
    for kind in _PERSONAL:
        _check_ids(draft, (*where, "opened", kind), getattr(chapter_script.opened, kind), chapter.characters)
    _check_ids(draft, (*where, "answers"), chapter_script.answers, chapter.characters)
    for place, part in _parts(chapter_script, where):
        if not isinstance(part, script.Passage | script.CuedAnswer) or isinstance(part, script.ScriptScene):
            continue
        if part.after > len(chapter.beats) or (part.before is not None and part.before <= part.after):
            until = "" if part.before is None else f" and before {part.before}"
            message = f"never used: after {part.after}{until} of {len(chapter.beats)} beats"
            draft.error(STORYTELLER, (*place, "after"), message)
    stage = chapter.opening_cast
    for position, scene in enumerate(chapter_script.scenes):
        scene_where = (*where, "scenes", position)
        if scene.after or scene.before is not None:
            draft.error(STORYTELLER, scene_where, "a scene has a fixed place; remove 'after' and 'before'")
        if scene.follows and position == 0:
            draft.error(STORYTELLER, (*scene_where, "follows"), "the first scene cannot follow another")
        for id in scene.present or ():
            _check_in_chapter(draft, STORYTELLER, (*scene_where, "present"), id, chapter)
        stage = stage if scene.present is None else scene.present
        for kind, id in [(field, id) for field in ("lines", *_PERSONAL) for id in getattr(scene, field)]:
            if id in chapter.characters and id not in stage:
                draft.warn(STORYTELLER, (*scene_where, kind, id), f"'{id}' is not on stage in this scene")


def _check_part(draft: PackDraft, where: Where, part: object) -> None:
    if isinstance(part, str):
        allowed = ["{moments}", "{player}"] if where[0] == "epilogue" else ["{player}"]
        for brace in _BRACES.findall(part):
            if brace not in allowed:
                message = f"{quoted(brace)} is not available here{did_you_mean(brace, allowed)}"
                draft.error(STORYTELLER, where, message)
    if isinstance(part, script.Passage):
        if part.mood not in MOODS:
            message = f"unknown mood {quoted(part.mood)}{did_you_mean(part.mood, MOODS)}"
            draft.error(STORYTELLER, (*where, "mood"), message)
        for kind in _PERSONAL:
            _check_ids(draft, (*where, kind), getattr(part, kind))
    if isinstance(part, script.Passage | script.Deed):
        _check_ids(draft, (*where, "lines"), part.lines)
    if isinstance(part, script.Spark) and not 5 <= (count := words(part.summary)) <= 10:
        draft.warn(STORYTELLER, (*where, "summary"), f"a moment needs 5 to 10 words, this one has {count}")
    for position, cue in enumerate(getattr(part, "cues", ())):
        if not cue or cue != cue.lower():
            message = f"the cue {quoted(cue)} must be a word in lower case"
            draft.error(STORYTELLER, (*where, "cues", position), message)


def _check_ids(
    draft: PackDraft, where: Where, named: Iterable[str], allowed: Sequence[str] | None = None
) -> None:
    for id in named:
        _check_listed(draft, STORYTELLER, (*where, id), "character", id, allowed)


def _check_completeness(draft: PackDraft, material: script.Script) -> None:
    for kind in get_args(script.ActionKind):
        if not material.reactions.get(kind):
            draft.warn(STORYTELLER, ("reactions",), f"no reactions for '{kind}'")
    if material.epilogue.count("{moments}") != 1:
        draft.warn(STORYTELLER, ("epilogue",), "the epilogue must contain {moments} once")
    if not material.afterwards:
        draft.warn(STORYTELLER, (), "there are no scenes after the end; 'afterwards' is empty")
    some_opening = any(chapter_script.opening for chapter_script in material.chapters.values())
    for id, chapter_script in material.chapters.items():
        opening = chapter_script.opening or not some_opening
        has = {"opening": opening, "ambient passages": chapter_script.ambient, "recap": chapter_script.recap}
        for material_name in (material_name for material_name, is_present in has.items() if not is_present):
            draft.warn(STORYTELLER, ("chapters", id), f"the chapter has no {material_name}")


# --- prompts ------------------------------------------------------------------------------------------------------

_PROMPT_BRACES = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")


def check_overrides(draft: PackDraft) -> None:
    """Add a finding for each unknown agent or placeholder, stray brace and missing placeholder."""
    if not draft.prompts:
        return
    from theact_tui.agents.prompts import PLACEHOLDERS, REQUIRED, TEMPLATES

    for agent, text in draft.prompts.items():
        file = f"prompts/{agent}.txt"
        if agent not in TEMPLATES:
            draft.error(file, (), f"there is no agent {quoted(agent)}{did_you_mean(agent, TEMPLATES)}")
            continue
        used, placeholders = set(), PLACEHOLDERS[agent]
        for brace in _PROMPT_BRACES.finditer(text):
            used.add(brace[1])
            if brace[0] in ("{{", "}}") or brace[1] in placeholders:
                continue
            message = f"unmatched brace; write {brace[0] * 2} for a literal one"
            if brace[1] is not None:
                near = did_you_mean(brace[1], sorted(placeholders))
                message = f"unknown placeholder {quoted(brace[0])}{near}"
            draft.error_at(file, text.count("\n", 0, brace.start()) + 1, message)
        for name in sorted(REQUIRED.get(agent, frozenset()) - used):
            draft.error(file, (), f"the placeholder '{{{name}}}' is missing")
