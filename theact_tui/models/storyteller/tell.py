"""The narrator: takes up what the player does, tells the next passage, says who answers (S3.3)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from theact_tui.models.storyteller.answerers import MOST_ANSWERS, responders
from theact_tui.models.storyteller.book import Book, Telling, again, fill
from theact_tui.models.storyteller.choose import Choice, Scenery, choose
from theact_tui.models.storyteller.echo import absent, echo, outcome
from theact_tui.models.storyteller.find import hits, paragraphs, sentences
from theact_tui.models.storyteller.names import forms, mentions
from theact_tui.models.storyteller.stock import AFTER, QUIET
from theact_tui.models.storyteller.words import Action, read_line
from theact_tui.story.script import Passage, Scene
from theact_tui.story.views import NarratorView

_TOUCHES = re.compile(
    r"you (?:\w+ly )?(?:go for|hug|kiss|embrace|give|hand|show|help|hold|comfort|bandage|push|touch|nod (?:to|at)"
    r"|smile at|sit down (?:next to|beside|with)|sit (?:next to|beside|with)) (?:the |sir |father )?",
    re.I,
)


def narrate(book: Book, view: NarratorView) -> str:
    """The narrator's raw reply: a fenced YAML block, narration first."""
    action = read_line(view.player_text, view.stage.player.name, book.names)
    if _opens(book, view):
        return _open(book, view, action)
    telling = _telling(book, view, action)
    present = _stage_after(view, telling)
    parts = [_lead(book, view, action, telling), *_prose(telling.text, view)]
    return reply(
        fill("\n\n".join(part for part in parts if part), view.stage.player.name),
        responders(book, view.stage, telling, action, present),
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


def _opens(book: Book, view: NarratorView) -> bool:
    """True for an opening or transition, and for a game whose first page is the player's own line."""
    first_page = not view.turns and not view.summary and not view.beats_hit and not view.recaps
    return view.kind != "play" or first_page


def _open(book: Book, view: NarratorView, action: Action) -> str:
    """The opening of a chapter. The player's line comes after it on the first page, before it later."""
    opening = book.pages[view.chapter.id][0]
    prose = [fill(part, view.stage.player.name) for part in _prose(opening.text, view)]
    line = [_lead(book, view, action, opening)] if view.turns else [action.sentence]
    line = line if view.player_text.strip() else []
    parts = [*line, *prose] if view.turns else [*prose, *line]
    on_stage = tuple(id for id in view.present if id not in view.sent_away)
    named = [id for id in opening.passage.lines if id in on_stage]
    return reply("\n\n".join(parts), named[:MOST_ANSWERS], opening.mood)


def _telling(book: Book, view: NarratorView, action: Action) -> Telling:
    """The passage of this turn, in the wording that fits."""
    if view.game_complete:
        return _rotated(book, view, "after")
    last = view.turns[-1] if view.turns else None
    now = Scenery(
        stage=view.stage,
        chapter=view.chapter,
        beats_hit=view.beats_hit,
        turns_since_beat=view.turns_since_beat,
        last=last,
        action=action,
        nudged=bool(view.nudge),
    )
    chosen = choose(book, now)
    told = book.script.chapters[view.chapter.id]
    if chosen.scene is not None:
        scene = told.scenes[chosen.scene]
        return Telling("scene", chosen.scene, scene, _way(scene, action))
    topic = _topic(book, view, chosen)
    return topic or _rotated(book, view, "ambient")


def _way(scene: Scene, action: Action) -> str:
    """The variant of a scene that fits how the player comes to it."""
    scores = [hits(way.cues, action.matter) for way in scene.ways]
    best = max(range(len(scores)), key=lambda index: scores[index], default=None)
    return scene.ways[best].narration if best is not None and scores[best] else scene.narration


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


def _rotated(book: Book, view: NarratorView, kind: str) -> Telling:
    """The next ambient passage (or what comes after the end), none told within the verbatim turns."""
    pages = [page for page in book.pages[view.chapter.id] if page.kind == kind]
    told = [turn.narration for turn in view.turns]
    fresh = [
        page for page in pages if not _told(page, told, view.stage.player.name) and _suits(page, view, book)
    ]
    key = f"{kind}/{view.chapter.id}"
    if fresh:
        return book.in_turn(fresh, lambda page: page.text, told, view.stage, key)
    text = book.in_turn(AFTER if kind == "after" else QUIET, str, told, view.stage, "quiet")
    return Telling("ambient", -1, Passage(narration=text), text)


def _told(page: Telling, told: Sequence[str], player: str) -> bool:
    needle = " ".join(fill(paragraphs(page.text)[0], player).split())[:80]
    return any(needle in " ".join(text.split()) for text in told)


def _suits(page: Telling, view: NarratorView, book: Book) -> bool:
    """False if the passage has somebody in it who was sent away."""
    return not any(mentions(page.text, book.pack.name_of(id)) for id in view.sent_away)


def _lead(book: Book, view: NarratorView, action: Action, telling: Telling) -> str:
    """The paragraph before the passage: the player's deed, how it came out, who did not hear it."""
    if not view.player_text.strip():
        return ""
    told = [turn.narration for turn in view.turns]
    if target := _missing_target(book, view, action):
        return f"{action.sentence} {absent(book, view.stage, book.short(target), spoken=False)}"
    if view.ruling and view.ruling.roll is not None:
        rolled = telling.passage.roll if isinstance(telling.passage, Scene) else None
        text = outcome(book, view.stage, action, view.ruling, rolled, told)
    else:
        text = echo(book, view.stage, action, told, attacked=action.act.startswith("you go for "))
    unheard = [
        id for id in book.pack.characters if id not in view.present and book.pack.name_of(id) in action.called
    ]
    return f"{text} {absent(book, view.stage, book.short(unheard[0]), spoken=True)}" if unheard else text


def _missing_target(book: Book, view: NarratorView, action: Action) -> str:
    """The id of somebody who is meant by a blow, a gift or an embrace and is not there; else nothing."""
    deed = _TOUCHES.match(action.act)
    if not deed or action.speech:
        return ""
    rest = action.act[deed.end() :]
    away = (id for id in book.pack.characters if id not in view.present)
    return next(
        (id for id in away if any(rest.startswith(form) for form in forms(book.pack.name_of(id)))), ""
    )


def _prose(text: str, view: NarratorView) -> list[str]:
    """The passage's paragraphs, without the sentences about people whom the player sent away."""
    away = [person.name for person in view.cast if person.id in view.sent_away]
    parts = paragraphs(text)
    if not any(mentions(text, name) for name in away):
        return parts
    kept = [" ".join(_without(sentences(part), away)) for part in parts]
    rest = [part for part in kept if part]
    return rest if sum(map(len, rest)) * 2 > len(text) else parts


def _without(lines: Sequence[str], away: Sequence[str]) -> list[str]:
    """The sentences that do not name anybody of `away`, nor go on about them with a pronoun."""
    kept: list[str] = []
    dropped = False
    for line in lines:
        goes_on = dropped and re.search(r"\b(?:he|she|they|his|her|him|their)\b", line, re.I)
        dropped = bool(goes_on) or any(mentions(line, name) for name in away)
        if not dropped:
            kept.append(line)
    return kept


def _stage_after(view: NarratorView, telling: Telling) -> tuple[str, ...]:
    """Who is on stage after the passage; nobody the player sent away."""
    change = telling.passage.present if isinstance(telling.passage, Scene) else None
    wanted = view.present if change is None else change
    return tuple(id for id in wanted if id not in view.sent_away)
