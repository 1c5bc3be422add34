"""Whether `storyteller.yaml` fits the pack it tells (S8.6)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import get_args

from theact_tui.packs.document import Where
from theact_tui.packs.draft import STORYTELLER, Draft
from theact_tui.packs.findings import did_you_mean, quoted
from theact_tui.story.pack import MOODS, Chapter
from theact_tui.story.script import ActionKind, Answer, ChapterScript, Passage, Scene, Script, Traces
from theact_tui.text import words

_BRACES = re.compile(r"\{[^{}]*\}|[{}]")
_EVERYWHERE = frozenset({"{player}"})
_ECHO = _EVERYWHERE | {"{act}", "{Act}"}
_EPILOGUE = _EVERYWHERE | {"{moments}"}
OCCASIONS = (*MOODS, "any", *get_args(ActionKind), "unanswered", "repeated", "puzzled")
"""What the lines of a voice may be for."""
PERSONAL = ("retold", "learns", "minds", "diary")
"""What a passage leaves in single characters."""


def check_storyteller(draft: Draft) -> None:
    """Adds every finding about the storyteller's material, if the pack has some and its game could be read."""
    script = draft.script
    if script is None or draft.game is None:
        return
    _check_braces(draft, script)
    _check_ids(draft, ("voices",), script.voices, draft.known["characters"])
    _check_ids(draft, ("chapters",), script.chapters, draft.known["chapters"], "chapter")
    for id in draft.game.chapters:
        chapter, told = draft.chapters.get(id), script.chapters.get(id)
        if told is None:
            draft.error(STORYTELLER, ("chapters",), f"the chapter '{id}' has no material here")
        elif chapter is not None:
            _check_chapter(draft, ("chapters", id), chapter, told)
    for id, voice in script.voices.items():
        for occasion in voice.lines:
            if occasion not in OCCASIONS:
                message = f"unknown mood {quoted(occasion)}{did_you_mean(occasion, OCCASIONS)}"
                draft.error(STORYTELLER, ("voices", id, "lines", occasion), message)
    for where, passage in _passages(script):
        _check_passage(draft, where, passage, draft.known["characters"])
    for here, cues in _cues(script):
        for position, cue in enumerate(cues):
            if not cue or cue != cue.lower():
                draft.error(
                    STORYTELLER, (*here, position), f"the cue {quoted(cue)} must be a word in lower case"
                )
    _check_completeness(draft, script)


def _check_chapter(draft: Draft, where: Where, chapter: Chapter, told: ChapterScript) -> None:
    if len(told.scenes) != len(chapter.beats):
        message = f"{len(told.scenes)} scenes for {len(chapter.beats)} beats; each beat needs its scene"
        draft.error(STORYTELLER, (*where, "scenes"), message)
    _check_ids(draft, (*where, "opening_lines"), told.opening_lines, chapter.characters)
    _check_traces(draft, (*where, "opened"), told.opened, chapter.characters)
    _check_ids(draft, (*where, "answers"), told.answers, chapter.characters)
    _check_times(draft, where, told, len(chapter.beats))
    stage = chapter.opening_cast
    for position, scene in enumerate(told.scenes):
        here = (*where, "scenes", position)
        for id in scene.present or ():
            if id not in chapter.characters:
                message = f"{quoted(id)} is not one of this chapter's characters"
                draft.error(STORYTELLER, (*here, "present"), message + did_you_mean(id, chapter.characters))
        stage = stage if scene.present is None else scene.present
        for kind, id in [(field, id) for field in ("lines", *PERSONAL) for id in getattr(scene, field)]:
            if id in chapter.characters and id not in stage:
                draft.warn(STORYTELLER, (*here, kind, id), f"'{id}' is not on stage in this scene")


def _check_times(draft: Draft, where: Where, told: ChapterScript, beats: int) -> None:
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
            message = f"it is never told: after {each.after}{until} of {beats} beats"
            draft.error(STORYTELLER, (*where, *here, "after"), message)
    for position, scene in enumerate(told.scenes):
        if scene.after or scene.before is not None:
            draft.error(
                STORYTELLER, (*where, "scenes", position), "a scene has its place; leave out after and before"
            )
        if scene.follows and position == 0:
            draft.error(STORYTELLER, (*where, "scenes", 0, "follows"), "the first scene follows no other")


def _check_traces(draft: Draft, where: Where, traces: Traces, known: Iterable[str]) -> None:
    for kind in PERSONAL:
        _check_ids(draft, (*where, kind), getattr(traces, kind), known)


def _check_passage(draft: Draft, where: Where, passage: Passage, known: Iterable[str]) -> None:
    if passage.mood not in MOODS:
        message = f"unknown mood {quoted(passage.mood)}{did_you_mean(passage.mood, MOODS)}"
        draft.error(STORYTELLER, (*where, "mood"), message)
    _check_ids(draft, (*where, "lines"), passage.lines, known)
    _check_traces(draft, where, passage, known)
    if isinstance(passage, Scene) and passage.moment is not None:
        count = words(passage.moment.summary)
        if not 5 <= count <= 10:
            message = f"a moment is told in 5 to 10 words, this one in {count}"
            draft.warn(STORYTELLER, (*where, "moment", "summary"), message)


def _check_completeness(draft: Draft, script: Script) -> None:
    for kind in get_args(ActionKind):
        if not script.echoes.get(kind):
            draft.warn(STORYTELLER, ("echoes",), f"no echoes for '{kind}'")
    if script.epilogue.count("{moments}") != 1:
        draft.warn(STORYTELLER, ("epilogue",), "the epilogue should have {moments} in it, once")
    if not script.afterwards:
        draft.warn(STORYTELLER, (), "nothing is told after the end; 'afterwards' is empty")
    for id, told in script.chapters.items():
        if not told.opening:
            draft.warn(STORYTELLER, ("chapters", id), "the chapter has no opening")
        if not told.ambient:
            draft.warn(STORYTELLER, ("chapters", id), "the chapter has no ambient passages")
        if not told.recap:
            draft.warn(STORYTELLER, ("chapters", id), "the chapter has no recap")


def _check_ids(
    draft: Draft, where: Where, named: Mapping[str, object], known: Iterable[str], kind: str = "character"
) -> None:
    for id in named:
        if id not in known:
            message = f"there is no {kind} {quoted(id)} here{did_you_mean(id, known)}"
            draft.error(STORYTELLER, (*where, id), message)


def _check_braces(draft: Draft, script: Script) -> None:
    """Braces stand only around the few words the storyteller fills in."""
    for where, text in _texts(script.model_dump(), ()):
        match where[0]:
            case "echoes":
                allowed = _ECHO
            case "epilogue":
                allowed = _EPILOGUE
            case _:
                allowed = _EVERYWHERE
        for brace in _BRACES.findall(text):
            if brace not in allowed:
                message = f"{quoted(brace)} is not filled in here{did_you_mean(brace, sorted(allowed))}"
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


def _cues(script: Script) -> Iterator[tuple[Where, tuple[str, ...]]]:
    for where, passage in _passages(script):
        yield (*where, "cues"), getattr(passage, "cues", ())
        if isinstance(passage, Scene):
            for position, way in enumerate(passage.ways):
                yield (*where, "ways", position, "cues"), way.cues
    for chapter, told in script.chapters.items():
        for id, answers in told.answers.items():
            for position, answer in enumerate(answers):
                yield ("chapters", chapter, "answers", id, position, "cues"), answer.cues
    for id, voice in script.voices.items():
        for position, answer in enumerate(voice.answers):
            yield ("voices", id, "answers", position, "cues"), answer.cues
