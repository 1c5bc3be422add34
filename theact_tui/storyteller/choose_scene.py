"""Which scene or topic is told next, if any.

At most one turn without a beat comes between two beats; a topic the player asks about comes first, and so do questions
that a character can answer, but never more than two turns running pass without a beat. A scene in which a
character acts whom the player sent away waits for that character.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from theact_tui.story.script import Scene, Topic
from theact_tui.story.turn import Turn
from theact_tui.story.views import NarratorView
from theact_tui.storyteller.book import ScriptBook, Telling, in_time
from theact_tui.storyteller.language import hits, mentions
from theact_tui.storyteller.player_input import PlayerLine

QUIET_TURNS = 1
"""Turns without a beat before the next scene comes by itself."""
TOPIC_TURNS = 2
"""Turns without a beat after which no topic holds the next scene back, and no question or word to somebody by name that a
character can answer. Another remark holds it back only after a beat."""

_ONWARD = re.compile(
    r"(?:let'?s|let us) (?:go|move|continue|get|start|see)\b|(?:come on|enough|no time|hurry)\b|keep going"
    r"|lead the way|after you",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Situation:
    """What the choice depends on."""

    view: NarratorView
    line: PlayerLine
    last: Turn | None
    told: Telling | None
    """What the last turn told, if it was of this chapter."""

    @classmethod
    def of(cls, book: ScriptBook, view: NarratorView) -> Situation:
        """The situation as the narrator's view has it."""
        last = view.turns[-1] if view.turns else None
        told = book.told_in(last) if last and last.chapter == view.chapter.id else None
        return cls(view, book.read(view.player_text), last, told)

    @property
    def onward(self) -> bool:
        """The player urges to go on."""
        return _ONWARD.match(self.line.matter.strip()) is not None


@dataclass(frozen=True, slots=True)
class Choice:
    """The scene to tell, or the index of the topic; neither: a turn of quiet."""

    scene: Telling | None = None
    topic: int | None = None
    waits_for: str = ""
    """The id of the character without whom the next scene cannot be told, when its time has come."""


def choose(book: ScriptBook, now: Situation) -> Choice:
    """What the next turn tells."""
    view, last, take = now.view, now.told, now.view.story.take
    told = book.script.chapters[view.chapter.id]
    just = last.index if last and last.kind == "scene" else None
    beats = enumerate(view.chapter.beats)
    index = next((i for i, beat in beats if beat not in view.beats_hit and i != just), None)
    topic, asked = _topic(book, now, told.topics)
    if index is None:
        return Choice(topic=topic)
    scene = told.scenes[index]
    texts = _fitting_wordings(book, scene, now)
    if not texts:
        return Choice(topic=topic, waits_for=_missed(book, scene, now) if topic is None else "")
    choice = Choice(scene=Telling("scene", index, scene, texts[(take - 1) % len(texts)]))
    if scene.follows and just == index - 1:
        return choice
    quiet = _quiet_turns(now)
    wanted = hits(scene.cues, now.line.matter)
    just_told = last is not None and last.kind in ("topic", "again") and last.index == topic
    if asked and quiet < TOPIC_TURNS and asked >= wanted and not just_told:
        return Choice(topic=topic)
    another_take = take % 2 == 0 and len(texts) == 1 and quiet < TOPIC_TURNS
    if view.nudge or (wanted and not another_take):
        return choice
    if not wanted and quiet < _patience(book, now):
        return Choice()
    due = quiet >= QUIET_TURNS or _pushes_on(book, now)
    return choice if due and not another_take else Choice()


def _fitting_wordings(book: ScriptBook, scene: Scene, now: Situation) -> list[str]:
    """The wordings of a scene in which nobody stands who was sent away: the one for the player's line first, then those
    that hold however the player comes to it."""
    away = [book.pack.name_of(id) for id in now.view.sent_away]
    best = max(scene.ways, key=lambda way: hits(way.cues, now.line.matter), default=None)
    first = [best.narration] if best and hits(best.cues, now.line.matter) else []
    whole = dict.fromkeys([*first, scene.narration, *(way.narration for way in scene.ways if way.anyhow)])
    return [text for text in whole if not any(mentions(f"{text} {scene.gist}", name) for name in away)]


def _missed(book: ScriptBook, scene: Scene, now: Situation) -> str:
    texts = " ".join((scene.gist, scene.narration, *(way.narration for way in scene.ways)))
    return next((id for id in now.view.sent_away if mentions(texts, book.pack.name_of(id))), "")


def _quiet_turns(now: Situation) -> int:
    """Turns since the last beat in which the player had the word."""
    last, view = now.last, now.view
    if last is None or last.chapter != view.chapter.id or last.kind != "play" or last.new_beats:
        return 0
    if now.told and now.told.kind == "scene":
        return 0
    return max(1, view.turns_since_beat - (0 if view.beats_hit else 1))


def _topic(book: ScriptBook, now: Situation, topics: Sequence[Topic]) -> tuple[int | None, int]:
    """The topic that the line asks about best, and how well it does."""
    away = [book.pack.name_of(id) for id in now.view.sent_away]
    scores = [
        hits(topic.cues, now.line.matter)
        if in_time(topic, len(now.view.beats_hit))
        and not any(mentions(topic.narration, name) for name in away)
        else 0
        for topic in topics
    ]
    best = max(scores, default=0)
    return (scores.index(best), best) if best else (None, 0)


def _patience(book: ScriptBook, now: Situation) -> int:
    """So many turns without a beat hold the next scene back: for what the one who is spoken to, or another one on
    stage, has an answer to, for a confession, and for what is done to somebody who answers it."""
    line, view, chapter = now.line, now.view, now.view.chapter.id
    if now.onward:
        return 0
    if line.kind != "talk":
        deed = book.deed(line, chapter)
        return QUIET_TURNS if deed and any(id in deed.lines for id in book.meant(line, view.present)) else 0
    asked = [id for id in view.present if not line.called or book.pack.name_of(id) in line.called]
    answers = (answer for id in asked for answer in book.answers(id, chapter, len(view.beats_hit)))
    if any(hits(answer.cues, line.matter) for answer in answers):
        return TOPIC_TURNS if line.asks or line.called else QUIET_TURNS
    return QUIET_TURNS if line.confides else 0


def _pushes_on(book: ScriptBook, now: Situation) -> bool:
    """True if the player goes on or waits for something to happen. Another take may see it differently."""
    pushes = now.line.kind in ("go", "wait") or now.onward
    if now.line.kind in ("fight", "other"):
        pushes = book.dice(now.view.story, "pace", retell=False).random() < 0.5
    return pushes if now.view.story.take % 2 else not pushes
