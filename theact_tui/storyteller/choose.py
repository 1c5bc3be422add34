"""What is told next: a scene, a topic, an ambient passage. Narrator and keeper ask the same question.

At most one turn without a beat comes between two beats; a topic the player asks about comes first, and so do questions
that a character can answer, but never more than two turns running pass without a beat. A scene in which a
character acts whom the player sent away waits for that character.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass

from theact_tui.story.pack import Chapter
from theact_tui.story.script import Passage, Scene, Topic
from theact_tui.story.turn import Turn
from theact_tui.story.views import KeeperView, NarratorView, StageView
from theact_tui.storyteller.book import ScriptBook, Telling, Told, again, fill, in_time, wordings
from theact_tui.storyteller.language import hits, mentions, paragraphs
from theact_tui.storyteller.player_input import PlayerLine
from theact_tui.storyteller.stock import stock

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
    """What the choice depends on, as narrator and keeper both know it."""

    stage: StageView
    chapter: Chapter
    beats_hit: tuple[str, ...]
    turns_since_beat: int
    last: Turn | None
    line: PlayerLine
    present: tuple[str, ...]
    sent_away: tuple[str, ...]
    nudged: bool = False

    @classmethod
    def of(cls, book: ScriptBook, view: NarratorView | KeeperView) -> Situation:
        """The situation as a view has it; the keeper's before the turn is told."""
        if isinstance(view, NarratorView):
            text, last, nudged = view.player_text, view.turns[-1] if view.turns else None, bool(view.nudge)
        else:
            text, last, nudged = view.action, view.last_turn, False
        return cls(
            stage=view.stage,
            chapter=view.chapter,
            beats_hit=view.beats_hit,
            turns_since_beat=view.turns_since_beat,
            last=last,
            line=book.read(text, view.stage.player.name),
            present=view.present,
            sent_away=view.sent_away,
            nudged=nudged,
        )

    @property
    def same_chapter(self) -> bool:
        return self.last is not None and self.last.chapter == self.chapter.id


@dataclass(frozen=True, slots=True)
class Choice:
    """The scene to tell, or the topic, by index; neither: a turn of quiet."""

    scene: int | None = None
    topic: int | None = None
    waits_for: str = ""
    """The id of the character without whom the next scene cannot be told, when its time has come."""


def choose(book: ScriptBook, now: Situation) -> Choice:
    """What the next turn tells."""
    told = book.script.chapters[now.chapter.id]
    last = book.told_in(now.last, now.stage.player.name) if now.last and now.same_chapter else None
    index = _next_scene(now, last)
    line = now.line.matter
    topic, asked = _topic(book, now, told.topics)
    if index is None:
        return Choice(topic=topic)
    scene = told.scenes[index]
    texts = fitting_wordings(book, scene, now)
    if not texts:
        return Choice(topic=topic, waits_for=_missed(book, scene, now) if topic is None else "")
    if scene.follows and last and last.kind == "scene" and last.index == index - 1:
        return Choice(scene=index)
    quiet = _quiet_turns(now, last)
    wanted = hits(scene.cues, line)
    just_told = last is not None and last.kind in ("topic", "again") and last.index == topic
    if asked and quiet < TOPIC_TURNS and asked >= wanted and not just_told:
        return Choice(topic=topic)
    another_take = now.stage.take % 2 == 0 and len(texts) == 1 and quiet < TOPIC_TURNS
    if now.nudged or (wanted and not another_take):
        return Choice(scene=index)
    if not wanted and quiet < _patience(book, now):
        return Choice()
    due = quiet >= QUIET_TURNS or _pushes_on(book, now)
    return Choice(scene=index) if due and not another_take else Choice()


def fitting_wordings(book: ScriptBook, scene: Scene, now: Situation) -> list[str]:
    """The wordings of a scene in which nobody stands who was sent away: the one for the player's line first, then those
    that hold however the player comes to it."""
    away = [book.pack.name_of(id) for id in now.sent_away]
    scores = [hits(way.cues, now.line.matter) for way in scene.ways]
    best = max(range(len(scores)), key=lambda index: scores[index], default=None)
    first = [scene.ways[best].narration] if best is not None and scores[best] else []
    whole = dict.fromkeys([*first, scene.narration, *(way.narration for way in scene.ways if way.anyhow)])
    return [text for text in whole if not any(mentions(f"{text} {scene.gist}", name) for name in away)]


def told_as(book: ScriptBook, scene: Scene, now: Situation) -> str:
    """The wording of a scene for this turn; another take tells it in another one that holds."""
    texts = fitting_wordings(book, scene, now) or list(wordings(scene))
    return texts[(now.stage.take - 1) % len(texts)]


def topic_telling(book: ScriptBook, view: NarratorView, index: int) -> Telling | None:
    """The topic asked about: its shorter form when it was told before or in another take, None when that
    was told too."""
    topic = book.script.chapters[view.chapter.id].topics[index]
    known = [turn for turn in known_turns(view) if turn.chapter == view.chapter.id]
    told = [book.told_in(turn, view.stage.player.name) for turn in known]
    kinds = {page.kind for page in told if page and page.kind in ("topic", "again") and page.index == index}
    short = (
        Telling("again", index, again(topic), topic.again) if topic.again and "again" not in kinds else None
    )
    if kinds or (view.stage.take % 2 == 0 and short):
        return short
    return Telling("topic", index, topic, topic.narration)


def _next_scene(now: Situation, last: Telling | None) -> int | None:
    """The first scene whose beat is open and that the last turn did not tell."""
    just = last.index if last and last.kind == "scene" else None
    beats = enumerate(now.chapter.beats)
    return next((index for index, beat in beats if beat not in now.beats_hit and index != just), None)


def _missed(book: ScriptBook, scene: Scene, now: Situation) -> str:
    texts = " ".join((scene.gist, *wordings(scene)))
    return next((id for id in now.sent_away if mentions(texts, book.pack.name_of(id))), "")


def _quiet_turns(now: Situation, last: Telling | None) -> int:
    """Turns since the last beat in which the player had the word."""
    if now.last is None or not now.same_chapter or now.last.kind != "play" or now.last.new_beats:
        return 0
    if last and last.kind == "scene":
        return 0
    opening = 0 if now.beats_hit else 1
    return max(1, now.turns_since_beat - opening)


def _topic(book: ScriptBook, now: Situation, topics: Sequence[Topic]) -> tuple[int | None, int]:
    """The topic that the line asks about best, and how well it does."""
    away = [book.pack.name_of(id) for id in now.sent_away]

    def score(topic: Topic) -> int:
        timely = in_time(topic, len(now.beats_hit)) and not any(
            mentions(topic.narration, name) for name in away
        )
        return hits(topic.cues, now.line.matter) if timely else 0

    scores = [score(topic) for topic in topics]
    best = max(range(len(scores)), key=lambda index: scores[index], default=None)
    return (best, scores[best]) if best is not None and scores[best] else (None, 0)


def _patience(book: ScriptBook, now: Situation) -> int:
    """So many turns without a beat hold the next scene back: for what the one who is spoken to, or another one on
    stage, has an answer to, for a confession, and for what is done to somebody who answers it."""
    if _ONWARD.match(now.line.matter.strip()):
        return 0
    if now.line.kind != "talk":
        deed = book.deed(now.line, now.chapter.id)
        return (
            QUIET_TURNS if deed and any(id in deed.lines for id in book.meant(now.line, now.present)) else 0
        )
    asked = [id for id in now.present if not now.line.called or book.pack.name_of(id) in now.line.called]
    answers = (answer for id in asked for answer in book.answers(id, now.chapter.id, len(now.beats_hit)))
    if any(hits(answer.cues, now.line.matter) for answer in answers):
        return TOPIC_TURNS if now.line.asks or now.line.called else QUIET_TURNS
    return QUIET_TURNS if now.line.confides else 0


def _pushes_on(book: ScriptBook, now: Situation) -> bool:
    """True if the player goes on or waits for something to happen. Another take may see it differently."""
    pushes = now.line.kind in ("go", "wait") or _ONWARD.match(now.line.matter.strip()) is not None
    if now.line.kind in ("fight", "other"):
        pushes = book.dice(now.stage, "pace", retell=False).random() < 0.5
    return pushes if now.stage.take % 2 else not pushes


# --- quiet ----------------------------------------------------------------------------------------------------------


def known_turns(view: NarratorView) -> tuple[Turn, ...]:
    """All turns that the script knows of."""
    return view.earlier or view.turns


def told_by(view: NarratorView) -> Told:
    """All narration so far."""
    return Told(turn.narration for turn in known_turns(view))


def quiet(book: ScriptBook, view: NarratorView) -> Telling:
    """An ambient passage that was not told yet, the one that will fit least long first; stock prose when none is left."""
    pages = [page for page in book.pages[view.chapter.id] if page.kind == "ambient"]
    random.Random(f"{book.seed}/quiet/{view.chapter.id}").shuffle(pages)
    pages.sort(key=lambda page: page.passage.before or len(view.chapter.beats) + 1)
    told, beats = told_by(view), len(view.beats_hit)
    fresh = [
        page
        for page in pages
        if in_time(page.passage, beats) and not is_told(page, told, view) and _suits(page, view, book)
    ]
    if fresh:
        return fresh[(view.stage.take - 1) % len(fresh)]
    text = book.in_turn(told, view.stage, "quiet", stock().quiet)
    return Telling("ambient", -1, Passage(narration=text), text)


def afterwards(book: ScriptBook, view: NarratorView) -> Telling:
    """What is told after the end: the passages of the script one after the other, each once, then the stock ones, then
    no more than a reaction."""
    away = [book.pack.name_of(id) for id in view.sent_away]
    pages = [page for page in book.pages[view.chapter.id] if page.kind == "after"]
    texts = {page.text for page in pages}
    pages += [
        Telling("after", len(pages) + place, Passage(narration=text), text)
        for place, text in enumerate(stock().after)
        if text not in texts
    ]
    told = told_by(view)
    left = [
        page
        for page in pages
        if not is_told(page, told, view) and not any(mentions(page.text, name) for name in away)
    ]
    return left[(view.stage.take - 1) % len(left)] if left else nothing_but_talk(view)


def is_told(page: Telling, told: Told, view: NarratorView) -> bool:
    """True if the first paragraph of a passage was told."""
    return fill(paragraphs(page.text)[0], view.stage.player.name) in told


def nothing_but_talk(view: NarratorView) -> Telling:
    """A turn that is only a reaction; the mood stays as it was."""
    mood = view.turns[-1].mood if view.turns else "calm"
    return Telling("talk", -1, Passage(narration="", mood=mood), "")


def quiet_told(book: ScriptBook, view: NarratorView) -> bool:
    """True if an ambient passage was told since the last scene, as far as the turns in view go back."""
    for turn in reversed(view.turns):
        telling = book.told_in(turn, view.stage.player.name) if turn.chapter == view.chapter.id else None
        if telling and telling.kind == "ambient":
            return True
        if turn.chapter != view.chapter.id or (telling and telling.kind in ("scene", "opening")):
            return False
    return False


def _suits(page: Telling, view: NarratorView, book: ScriptBook) -> bool:
    """False if the passage has a character in it who is not there."""
    return all(
        id in view.present for id in book.pack.characters if mentions(page.text, book.pack.name_of(id))
    )
