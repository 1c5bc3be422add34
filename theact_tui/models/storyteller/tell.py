"""The narrator: takes up what the player does, tells the next passage, says who answers (S3.3)."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence

from theact_tui.models.storyteller.ambient import afterwards, quiet, quiet_told
from theact_tui.models.storyteller.answerers import MOST_ANSWERS, Answers, heard, responders, whom
from theact_tui.models.storyteller.away import without_people
from theact_tui.models.storyteller.book import Book, Telling, again, fill, scenes_seen
from theact_tui.models.storyteller.choose import Choice, Scenery, choose
from theact_tui.models.storyteller.echo import echo, outcome, unanswered, without
from theact_tui.models.storyteller.find import hits
from theact_tui.models.storyteller.names import forms
from theact_tui.models.storyteller.props import lacking
from theact_tui.models.storyteller.talk import (
    aloud,
    asks,
    best_answer,
    carried,
    interrupted,
    on_the_point,
    puzzling,
)
from theact_tui.models.storyteller.words import Action
from theact_tui.story.pack import MOODS
from theact_tui.story.script import Answer, Passage, Scene
from theact_tui.story.views import NarratorView

_TOUCHES = re.compile(
    r"you (?:\w+ly )?(?:go for|hug|kiss|embrace|give|hand|show|help|hold|comfort|bandage|push|touch|nod (?:to|at)"
    r"|smile at|sit down (?:next to|beside|with)|sit (?:next to|beside|with)) (?:the |sir |father )?",
    re.I,
)


def narrate(book: Book, view: NarratorView) -> str:
    """The narrator's raw reply: a fenced YAML block, narration first."""
    action = book.read(view.player_text, view.stage.player.name)
    if _opens(view):
        return _open(book, view, action)
    telling = _telling(book, view, action)
    present = _stage_after(view, telling)
    prose = without_people(telling.text, _away(view))
    lead = _lead(book, view, action, telling)
    said_last = (
        action.kind == "talk" and telling.kind in ("ambient", "after") and heard(book, action, present)
    )
    parts = [*prose, lead] if said_last else [lead, *prose]
    last = view.turns[-1] if view.turns else None
    return reply(
        fill("\n\n".join(part for part in parts if part), view.stage.player.name),
        responders(book, view.stage, telling, action, present, _answers(book, view), last),
        telling.mood,
        None if present == view.present else present,
    )


def reply(narration: str, responding: Sequence[str], mood: str, present: Sequence[str] | None = None) -> str:
    """A narrator's reply in the form every model is asked for."""
    prose = "\n".join(f"  {line}".rstrip() for line in narration.strip().splitlines())
    lines = ["```yaml", "narration: |", prose, f"responding_characters: [{', '.join(responding)}]"]
    lines.append(f"mood: {mood}")
    if present is not None:
        lines.append(f"present: [{', '.join(present)}]")
    return "\n".join([*lines, "```"])


def _opens(view: NarratorView) -> bool:
    """True for an opening or transition, and for a game whose first page is the player's own line."""
    first_page = not view.turns and not view.summary and not view.beats_hit and not view.recaps
    return view.kind != "play" or first_page


def _open(book: Book, view: NarratorView, action: Action) -> str:
    """The opening of a chapter. The player's line comes after it on the first page, before it later."""
    pages = [page for page in book.pages[view.chapter.id] if page.kind == "opening"]
    opening = pages[(view.stage.take - 1) % len(pages)]
    prose = without_people(opening.text, _away(view))
    lead = _lead(book, view, action, opening)
    parts = [lead, *prose] if view.turns else [*prose, lead]
    on_stage = tuple(id for id in view.present if id not in view.sent_away)
    named = [id for id in opening.passage.lines if id in on_stage]
    told = fill("\n\n".join(part for part in parts if part), view.stage.player.name)
    return reply(told, named[:MOST_ANSWERS], opening.mood)


def _telling(book: Book, view: NarratorView, action: Action) -> Telling:
    """The passage of this turn, in the wording that fits."""
    if view.game_complete:
        return afterwards(book, view)
    now = Scenery(
        stage=view.stage,
        chapter=view.chapter,
        beats_hit=view.beats_hit,
        turns_since_beat=view.turns_since_beat,
        last=view.turns[-1] if view.turns else None,
        action=action,
        nudged=bool(view.nudge),
        present=view.present,
    )
    chosen = choose(book, now)
    if chosen.scene is not None:
        scene = book.script.chapters[view.chapter.id].scenes[chosen.scene]
        return Telling("scene", chosen.scene, scene, _way(scene, action, view.stage.take))
    if topic := _topic(book, view, chosen):
        return topic
    if action.kind == "talk" and heard(book, action, view.present) and quiet_told(book, view):
        return _nothing_but_talk(view)
    return quiet(book, view)


def _nothing_but_talk(view: NarratorView) -> Telling:
    """A turn in which people only talk; the mood stays as it was."""
    mood = view.turns[-1].mood if view.turns else MOODS[1]
    return Telling("talk", -1, Passage(narration="", mood=mood), "")


def _way(scene: Scene, action: Action, take: int) -> str:
    """The variant of a scene that fits how the player comes to it; another take tells it in another way that holds."""
    scores = [hits(way.cues, action.matter) for way in scene.ways]
    best = max(range(len(scores)), key=lambda index: scores[index], default=None)
    first = scene.ways[best].narration if best is not None and scores[best] else scene.narration
    holds = [scene.narration, *(way.narration for way in scene.ways if way.anyhow)]
    return [first, *(text for text in holds if text != first)][(take - 1) % max(1, len({first, *holds}))]


def _topic(book: Book, view: NarratorView, chosen: Choice) -> Telling | None:
    """The topic asked about, its shorter form when it was told in the verbatim turns, None when that was told too."""
    if chosen.topic is None:
        return None
    topic = book.script.chapters[view.chapter.id].topics[chosen.topic]
    told = [
        book.told_in(turn, view.stage.player.name) for turn in view.turns if turn.chapter == view.chapter.id
    ]
    kinds = {
        page.kind for page in told if page and page.kind in ("topic", "again") and page.index == chosen.topic
    }
    if not kinds:
        return Telling("topic", chosen.topic, topic, topic.narration)
    if topic.again and "again" not in kinds:
        return Telling("again", chosen.topic, again(topic), topic.again)
    return None


def _lead(book: Book, view: NarratorView, action: Action, telling: Telling) -> str:
    """What the player does or says, how it came out, who did not hear it; nothing if there is no player's line."""
    if not view.player_text.strip():
        return ""
    told = [turn.narration for turn in view.turns]
    here = {*view.present, *_stage_after(view, telling)}
    if target := _missing_target(book, here, action):
        return without(book, view.stage, action, book.short(target))
    if view.ruling and view.ruling.roll is not None:
        scene = telling.passage if isinstance(telling.passage, Scene) else None
        rolled = scene.roll if scene and on_the_point(telling, action) else None
        return outcome(book, view.stage, action, view.ruling, rolled, told)
    unheard = [id for id in book.pack.characters if id not in here and book.pack.name_of(id) in action.called]
    if unheard:
        return unanswered(book, view.stage, action, book.short(unheard[0]))
    if asks(action) and (held := _held_up(book, view, action, telling)):
        return f"{aloud(book, view.stage, action)} {held}"
    if action.speech and telling.kind in ("topic", "again", "ambient", "after"):
        return aloud(book, view.stage, action)
    return lacking(book, action, view.chapter.id) or echo(book, view.stage, action, told)


def _held_up(book: Book, view: NarratorView, action: Action, telling: Telling) -> str:
    """A sentence for a question that gets no answer now, because a scene or a new chapter comes first."""
    told = [turn.narration for turn in view.turns]
    if telling.kind == "opening":
        return carried(book, view.stage, told) if view.turns else ""
    if telling.kind != "scene" or on_the_point(telling, action) or puzzling(book, action):
        return ""
    answers, last = _answers(book, view), view.turns[-1] if view.turns else None
    asked = next(iter(whom(book, action, view.present, answers, last)), None)
    if asked and asked not in telling.passage.lines and best_answer(answers(asked), action.matter):
        return ""
    return interrupted(book, view.stage, asked, told)


def _answers(book: Book, view: NarratorView) -> Answers:
    """What each character has to answer, by the scenes of this chapter that it has witnessed."""

    def answers(id: str) -> tuple[Answer, ...]:
        witnessed = [turn for turn in view.turns if id in turn.witnesses]
        seen = scenes_seen(book, witnessed, view.chapter.id, view.stage.player.name)
        return book.answers(id, view.chapter.id, seen)

    return answers


def _missing_target(book: Book, here: Container[str], action: Action) -> str:
    """The id of somebody who is meant by a blow, a gift or an embrace and is not there; else nothing."""
    deed = _TOUCHES.match(action.act)
    if not deed or action.speech:
        return ""
    rest = action.act[deed.end() :]
    away = (id for id in book.pack.characters if id not in here)
    return next(
        (id for id in away if any(rest.startswith(form) for form in forms(book.pack.name_of(id)))), ""
    )


def _away(view: NarratorView) -> list[str]:
    return [person.name for person in view.cast if person.id in view.sent_away]


def _stage_after(view: NarratorView, telling: Telling) -> tuple[str, ...]:
    """Who is on stage after the passage; nobody the player sent away."""
    change = telling.passage.present if isinstance(telling.passage, Scene) else None
    wanted = view.present if change is None else change
    return tuple(id for id in wanted if id not in view.sent_away)
