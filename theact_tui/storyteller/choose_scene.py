"""Choose the next scene or topic.

No beat follows a line that leaves, sleeps, asks by name or for an unused answer, nor the first lines said to somebody by
name; nor, without a cue of the scene, a confession or a deed to a person. A turn lies between beats, unless a scene follows
at once. Deeds are answered first; after two turns the next scene follows. A scene waits for a character sent away.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from theact_tui.story.script import ScriptScene, Topic
from theact_tui.story.turn import Turn
from theact_tui.story.views import NarratorView
from theact_tui.storyteller.book import ScriptBook, Telling, in_time
from theact_tui.storyteller.language import hits, mentions
from theact_tui.storyteller.player_input import PlayerLine
from theact_tui.storyteller.stock import stock
from theact_tui.storyteller.who_answers import addressed_people, heard

_QUIET_TURNS = 1
"""Turns without a beat before the next scene."""
_TOPIC_TURNS = 2
"""Turns without a beat until deeds and talk no longer delay the next scene."""
_STANDSTILL_TURNS = 8
"""Turns without a beat until the next scene no longer waits for the player's questions, or for a line that leads to it."""
_AWAY_TURNS = 3

_ONWARD = re.compile(
    r"^(?:(?:let'?s|let us) (?:go|move|continue|get|start|see)\b|(?:come on|enough|no time|hurry|quick)\b|keep going"
    r"|lead the way|after you|what (?:now|next)\b)|\bwhat (?:do we|should we|shall we|to) do (?:now|next)\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Situation:
    view: NarratorView
    line: PlayerLine
    last: Turn | None
    told: Telling | None
    """Last turn's passage in this chapter."""
    to: tuple[str, ...] = ()
    """Ids of those whom the line is said to by name."""
    returns: tuple[str, ...] = ()
    has_been_away: bool = False

    @classmethod
    def of(cls, book: ScriptBook, view: NarratorView) -> Situation:
        last = view.turns[-1] if view.turns else None
        told = book.passage_of(last) if last and last.chapter == view.chapter.id else None
        recent = [turn.narration for turn in view.turns[-_AWAY_TURNS:]]
        has_been_away = any(map(book.tells_leaving, recent))
        line = book.read(view.player_text)
        to = tuple(addressed_people(book, line, view.present))
        now = cls(view, line, last, told, to, has_been_away=has_been_away)
        stays_away = (line.walks_off and not line.walks_back) or line.sleeps or now.asks_by_name
        returns = () if stays_away else _left_behind(book, view)
        return replace(now, view=replace(view, present=returns), returns=returns) if returns else now

    @property
    def leaves(self) -> bool:
        is_leaving = self.line.walks_off and not (self.line.walks_back and self.has_been_away)
        return is_leaving and bool(self.view.present) and not self.returns

    @property
    def asks_by_name(self) -> bool:
        """The player asks someone by name, not only for what comes next."""
        return self.line.asks and bool(self.line.called) and not self.onward

    def wants_reply(self, book: ScriptBook) -> bool:
        """True if whoever is named in the line is to reply before anything else is told: to questions until the story
        has stood still, to the first ones of other lines, such as `Maya, look!`.
        """
        if self.asks_by_name:
            return self.view.turns_since_beat <= _STANDSTILL_TURNS
        if not self.to or self.onward:
            return False
        replied = self.last and addressed_people(book, book.read(self.last.player_text), self.view.present)
        return not replied or _quiet_turns(self) < _TOPIC_TURNS

    @property
    def onward(self) -> bool:
        return _ONWARD.search(self.line.matter.strip()) is not None


def _left_behind(book: ScriptBook, view: NarratorView) -> tuple[str, ...]:
    turns = [turn for turn in view.earlier or view.turns if turn.chapter == view.chapter.id]
    alone = list(takewhile(lambda turn: not (turn.stage and turn.stage.here), reversed(turns)))
    if view.present or not any(book.tells_leaving(turn.narration) for turn in alone):
        return ()
    met = turns[-len(alone) - 1].stage if len(alone) < len(turns) else None
    present = met.here if met else view.chapter.opening_cast
    return tuple(id for id in view.chapter.characters if id in present and id not in view.sent_away)


@dataclass(frozen=True, slots=True)
class Choice:
    """Scene, or index of the topic; neither for a quiet turn."""

    scene: Telling | None = None
    topic: int | None = None
    waits_for: str = ""
    """Id of the character the due scene waits for."""


def choose_scene(book: ScriptBook, now: Situation, *, has_answer: bool) -> Choice:
    """Choose the next turn. `has_answer`: someone has an unused answer to the line."""
    view, last, take = now.view, now.told, now.view.story.take
    told = book.script.chapters[view.chapter.id]
    just = last.index if last and last.kind == "scene" else None
    beats = enumerate(view.chapter.beats)
    index = next((i for i, beat in beats if beat not in view.beats_hit and i != just), None)
    topic, asked = _topic(book, now, told.topics)
    deed = book.deed(now.line, view.chapter.id)
    confesses = now.line.kind == "talk" and now.line.confides
    outdoes_topic = deed and (now.line.kind == "take" or deed not in stock().deeds)
    done = hits(deed.cues, now.line.matter) if deed and outdoes_topic else 0
    if confesses or done > asked or not heard(book, now.line, view.present):
        topic, asked = None, 0
    if now.leaves or now.line.leaves_somebody or now.line.sleeps:
        return Choice()
    was_last = last is not None and last.kind in ("topic", "again") and last.index == topic
    if now.wants_reply(book):
        return Choice()
    if has_answer:
        return Choice(topic=None if was_last else topic)
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
    if just is not None:
        return Choice(topic=None if was_last else topic)
    if now.returns:
        return choice
    is_open = quiet < _TOPIC_TURNS or topic not in _used_topics(book, now)
    if asked and asked >= wanted and is_open and not was_last:
        return Choice(topic=topic)
    if quiet < _TOPIC_TURNS and done >= wanted > 0:
        return Choice()
    another_take = take % 2 == 0 and len(texts) == 1 and quiet < _TOPIC_TURNS
    if view.turns_since_beat > _STANDSTILL_TURNS or (wanted and not another_take):
        return choice
    if confesses or (now.line.kind != "talk" and book.touched(now.line, view.present)):
        return Choice()
    if not wanted and quiet < _patience(book, now):
        return Choice()
    due = quiet >= _QUIET_TURNS or _pushes_on(book, now)
    return choice if due and not another_take else Choice()


def _fitting_wordings(book: ScriptBook, scene: ScriptScene, now: Situation) -> list[str]:
    """Wordings without absent characters: for the player's line first, then general ones."""
    away = [book.pack.name_of(id) for id in now.view.sent_away]
    best = max(scene.ways, key=lambda way: hits(way.cues, now.line.matter), default=None)
    first = [best.narration] if best and hits(best.cues, now.line.matter) else []
    whole = dict.fromkeys([*first, scene.narration, *(way.narration for way in scene.ways if way.anyhow)])
    return [text for text in whole if not any(mentions(f"{text} {scene.gist}", name) for name in away)]


def _missed(book: ScriptBook, scene: ScriptScene, now: Situation) -> str:
    texts = " ".join((scene.gist, scene.narration, *(way.narration for way in scene.ways)))
    return next((id for id in now.view.sent_away if mentions(texts, book.pack.name_of(id))), "")


def _quiet_turns(now: Situation) -> int:
    last, view = now.last, now.view
    if last is None or last.chapter != view.chapter.id or last.kind != "play" or last.new_beats:
        return 0
    if now.told and now.told.kind == "scene":
        return 0
    return max(1, view.turns_since_beat - (0 if view.beats_hit else 1))


def _topic(book: ScriptBook, now: Situation, topics: Sequence[Topic]) -> tuple[int | None, int]:
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


def _used_topics(book: ScriptBook, now: Situation) -> set[int]:
    turns = [turn for turn in now.view.earlier or now.view.turns if turn.chapter == now.view.chapter.id]
    pages = filter(None, map(book.passage_of, turns))
    return {page.index for page in pages if page.kind in ("topic", "again")}


def _patience(book: ScriptBook, now: Situation) -> int:
    """Turns without a beat that delay the next scene."""
    line, view = now.line, now.view
    if now.onward or not line.words:
        return 0
    if line.kind != "talk":
        does = line.kind in ("take", "fight", "other") or line.walks_off or book.deed(line, view.chapter.id)
        return _TOPIC_TURNS if does else 0
    if not view.present or not heard(book, line, view.present):
        return 0
    asked = [id for id in view.present if not line.called or book.pack.name_of(id) in line.called]
    answers = (answer for id in asked for answer in book.answers(id, view.chapter.id, len(view.beats_hit)))
    can_be_answered = (line.asks or line.called) and any(hits(answer.cues, line.matter) for answer in answers)
    return _TOPIC_TURNS if can_be_answered else _QUIET_TURNS


def _pushes_on(book: ScriptBook, now: Situation) -> bool:
    pushes = now.line.kind in ("go", "wait") or now.onward
    if now.line.kind in ("fight", "other"):
        pushes = book.dice(now.view.story, "pace", retell=False).random() < 0.5
    return pushes if now.view.story.take % 2 else not pushes
