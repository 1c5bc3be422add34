"""What is told next: a scene, a topic, an ambient passage (S8.6). Narrator and keeper ask the same question.

At most one turn without a beat comes between two beats; a topic the player asks about comes first, and so do questions
that somebody can answer, but never more than two or three turns running pass without a beat.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from theact_tui.models.storyteller.book import Book, in_time
from theact_tui.models.storyteller.find import hits
from theact_tui.models.storyteller.words import Action
from theact_tui.story.pack import Chapter
from theact_tui.story.script import Topic
from theact_tui.story.turn import Turn
from theact_tui.story.views import Stage

QUIET_TURNS = 1
"""Turns without a beat before the next scene comes by itself."""
TOPIC_TURNS = 2
"""Turns without a beat after which not even a topic holds the next scene back."""
TALK_TURNS = 3
"""The same for a question that somebody can answer."""

_ONWARD = re.compile(
    r"(?:let'?s|let us) (?:go|move|continue|get|start|see)\b|come on\b|keep going|lead the way|after you",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Scenery:
    """What the choice depends on, as narrator and keeper both know it."""

    stage: Stage
    chapter: Chapter
    beats_hit: tuple[str, ...]
    turns_since_beat: int
    last: Turn | None
    action: Action
    nudged: bool = False
    present: tuple[str, ...] | None = None
    """Who is on stage; None where that is not known."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The scene to tell, or the topic, by index; neither: a turn of quiet."""

    scene: int | None = None
    topic: int | None = None


def choose(book: Book, now: Scenery) -> Choice:
    """What the next turn tells."""
    told = book.script.chapters[now.chapter.id]
    scene = next_scene(book, now)
    if scene is not None and _follows(book, now, scene):
        return Choice(scene=scene)
    quiet = _quiet_turns(book, now)
    line = now.action.matter
    topic, asked = _topic(told.topics, line, len(now.beats_hit))
    if scene is None:
        return Choice(topic=topic)
    wanted = hits(told.scenes[scene].cues, line)
    if asked and quiet < TOPIC_TURNS and asked >= wanted and not _just_told(book, now, topic):
        return Choice(topic=topic)
    if wanted or now.nudged:
        return Choice(scene=scene)
    if _answered(book, now) and quiet < TALK_TURNS:
        return Choice()
    return Choice(scene=scene) if quiet >= QUIET_TURNS or _pushes_on(book, now) else Choice()


def next_scene(book: Book, now: Scenery) -> int | None:
    """The first scene whose beat is open and that the last turn did not tell."""
    last = book.told_in(now.last, now.stage.player.name) if now.last else None
    just = last.index if last and last.kind == "scene" and _same_chapter(now) else None
    for index, beat in enumerate(now.chapter.beats):
        if beat not in now.beats_hit and index != just:
            return index
    return None


def _follows(book: Book, now: Scenery, scene: int) -> bool:
    """True if this scene comes straight after the one that the last turn told."""
    last = book.told_in(now.last, now.stage.player.name) if now.last and _same_chapter(now) else None
    after = last is not None and last.kind == "scene" and last.index == scene - 1
    return after and book.script.chapters[now.chapter.id].scenes[scene].follows


def _quiet_turns(book: Book, now: Scenery) -> int:
    """Turns since the last beat in which the player had the word."""
    if now.last is None or not _same_chapter(now) or now.last.kind != "play" or now.last.new_beats:
        return 0
    last = book.told_in(now.last, now.stage.player.name)
    if last and last.kind == "scene":
        return 0
    opening = 0 if now.beats_hit else 1
    return max(1, now.turns_since_beat - opening)


def _same_chapter(now: Scenery) -> bool:
    return now.last is not None and now.last.chapter == now.chapter.id


def _topic(topics: Sequence[Topic], line: str, beats: int) -> tuple[int | None, int]:
    """The topic that the line asks about best, and how well it does."""
    scores = [hits(topic.cues, line) if in_time(topic, beats) else 0 for topic in topics]
    best = max(range(len(scores)), key=lambda index: scores[index], default=None)
    return (best, scores[best]) if best is not None and scores[best] else (None, 0)


def _just_told(book: Book, now: Scenery, topic: int | None) -> bool:
    """True if the last turn told this topic: asked twice running, it does not hold the story up."""
    last = book.told_in(now.last, now.stage.player.name) if now.last else None
    return last is not None and last.kind in ("topic", "again") and last.index == topic


def _answered(book: Book, now: Scenery) -> bool:
    """True if the player asks what the one who is asked, or one of this chapter's characters, has an answer to."""
    if now.action.kind != "talk":
        return False
    there = now.chapter.characters if now.present is None else now.present
    asked = [id for id in there if not now.action.called or book.pack.name_of(id) in now.action.called]
    answers = (answer for id in asked for answer in book.answers(id, now.chapter.id, len(now.beats_hit)))
    return any(hits(answer.cues, now.action.matter) for answer in answers)


def _pushes_on(book: Book, now: Scenery) -> bool:
    """True if the player goes on or waits for something to happen. Another take may see it differently."""
    pushes = now.action.kind in ("go", "wait") or _ONWARD.match(now.action.matter.strip()) is not None
    if now.action.kind in ("fight", "other"):
        pushes = book.dice(now.stage, "pace", retell=False).random() < 0.5
    return pushes if now.stage.take % 2 else not pushes
