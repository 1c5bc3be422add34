"""The narrator's part: answers what the player does, tells the next passage, says who speaks.

The player's line stands above the narration and is never told again.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from theact_tui.story.script import Answer, Scene
from theact_tui.story.turn import Ruling
from theact_tui.story.views import NarratorView
from theact_tui.storyteller.book import ScriptBook, Telling, fill, scenes_seen
from theact_tui.storyteller.choose import (
    Situation,
    afterwards,
    choose,
    nothing_but_talk,
    quiet,
    quiet_told,
    told_as,
    told_by,
    topic_telling,
)
from theact_tui.storyteller.language import paragraphs
from theact_tui.storyteller.player_input import PlayerLine, base
from theact_tui.storyteller.respond import (
    MOST_ANSWERS,
    Answers,
    best_answer,
    heard,
    on_the_point,
    responders,
    whom,
)
from theact_tui.storyteller.stock import stock


def narrate(book: ScriptBook, view: NarratorView) -> str:
    """The narrator's raw reply: a fenced YAML block, narration first."""
    line = book.read(view.player_text, view.stage.player.name)
    if _opens(view):
        return _open(book, view, line)
    telling, waits_for = _telling(book, view, line)
    present = _stage_after(view, telling)
    waiting = _waiting(book, view, waits_for) if waits_for else ""
    parts = [_lead(book, view, line, telling, bool(waiting)), *paragraphs(telling.text), waiting]
    return reply(
        fill("\n\n".join(part for part in parts if part), view.stage.player.name),
        responders(book, view, telling, line, present, _answers(book, view)),
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


def _open(book: ScriptBook, view: NarratorView, line: PlayerLine) -> str:
    """The opening of a chapter. A player's line is answered after it on the first page; a question that comes before
    a later one waits."""
    pages = [page for page in book.pages[view.chapter.id] if page.kind == "opening"]
    opening = pages[(view.stage.take - 1) % len(pages)]
    parts = paragraphs(opening.text)
    if view.player_text.strip() and not view.turns:
        parts.append(_reaction(book, view, line))
    elif view.turns and line.asks:
        parts.insert(0, _in_turn(book, view, "carried", stock().carried))
    named = [id for id in opening.passage.lines if id in view.present and id not in view.sent_away]
    told = fill("\n\n".join(parts), view.stage.player.name)
    return reply(told, named[:MOST_ANSWERS], opening.mood)


def _telling(book: ScriptBook, view: NarratorView, line: PlayerLine) -> tuple[Telling, str]:
    """The passage of this turn in the wording that fits, and who has to be waited for."""
    if view.game_complete:
        return afterwards(book, view), ""
    now = Situation.of(book, view)
    chosen = choose(book, now)
    if chosen.scene is not None:
        scene = book.script.chapters[view.chapter.id].scenes[chosen.scene]
        return Telling("scene", chosen.scene, scene, told_as(book, scene, now)), ""
    if chosen.topic is not None and (topic := topic_telling(book, view, chosen.topic)):
        return topic, ""
    if (
        line.kind == "talk"
        and heard(book, line, view.present)
        and (_has_answer(book, view, line) or quiet_told(book, view))
    ):
        return nothing_but_talk(view), chosen.waits_for
    return quiet(book, view), chosen.waits_for


def _has_answer(book: ScriptBook, view: NarratorView, line: PlayerLine) -> bool:
    """True if the one who is asked has an answer, so that the conversation needs no passage; another take has one."""
    answers = _answers(book, view)
    asked = whom(book, line, view.present, answers, view.turns[-1] if view.turns else None)
    known = any(best_answer(answers(id), line.matter) for id in asked)
    return (known or (line.confides and bool(view.present))) and view.stage.take % 2 == 1


def _lead(book: ScriptBook, view: NarratorView, line: PlayerLine, telling: Telling, waiting: bool) -> str:
    """What the player's line comes to; nothing where the passage itself is the answer."""
    if not view.player_text.strip():
        return ""
    here = {*view.present, *_stage_after(view, telling)}
    if missing := _missing_person(book, here, line):
        return _in_turn(book, view, "away", [text.format(name=book.short(missing)) for text in stock().away])
    if view.ruling and view.ruling.roll is not None and not (line.asks and line.kind == "talk"):
        return _outcome(book, view, line, telling, view.ruling)
    if line.kind == "fight" and book.meant(line, here):
        return _in_turn(book, view, "brawl", stock().brawl)
    if book.lacks(line, view.chapter.id):
        return _in_turn(book, view, "missing", stock().missing)
    if telling.kind == "scene":
        if on_the_point(telling, line):
            return ""
        if line.asks and line.kind == "talk":
            return _held_up(book, view, line, telling)
    if telling.kind in ("topic", "again") or (line.kind == "talk" and telling.kind in ("ambient", "after")):
        return ""
    return "" if waiting and line.only_spoken else _reaction(book, view, line)


def _reaction(book: ScriptBook, view: NarratorView, line: PlayerLine) -> str:
    """One or two sentences that answer what the player does: this very deed while something is left to tell of it, else
    its kind."""
    deed = book.deed(line, "" if view.game_complete else view.chapter.id)
    kind, plain = book.script.reactions[line.kind], stock().reactions[line.kind]
    if view.game_complete:
        kind = plain = stock().reactions["talk"] if line.kind == "talk" else stock().after_all
    return _in_turn(book, view, f"reaction/{line.kind}", deed.told if deed else (), kind, plain)


def _outcome(book: ScriptBook, view: NarratorView, line: PlayerLine, telling: Telling, ruling: Ruling) -> str:
    """What the dice made of it: the scene's own sentence where it has one."""
    won = ruling.roll is not None and ruling.roll >= (ruling.difficulty or 0)
    scene = telling.passage if isinstance(telling.passage, Scene) else None
    if scene and scene.roll and on_the_point(telling, line):
        return scene.roll[1 if won else 0]
    lines = stock().success if won else stock().failure
    kind = line.kind if line.kind in lines else "other"
    told = _in_turn(book, view, f"dice/{won}", lines[kind], lines["other"])
    extreme = {20: stock().triumph, 1: stock().disaster}.get(ruling.roll or 0, "")
    return f"{told} {extreme}".strip()


def _held_up(book: ScriptBook, view: NarratorView, line: PlayerLine, telling: Telling) -> str:
    """A sentence for a question that gets no answer now, because a scene comes first."""
    if book.puzzling(line):
        return ""
    answers, last = _answers(book, view), view.turns[-1] if view.turns else None
    asked = next(iter(whom(book, line, view.present, answers, last)), None)
    if asked is None:
        return _in_turn(book, view, "interrupted", stock().interrupted_all)
    if asked not in telling.passage.lines and best_answer(answers(asked), line.matter):
        return ""
    return _in_turn(
        book, view, "interrupted", [text.format(name=book.short(asked)) for text in stock().interrupted]
    )


def _waiting(book: ScriptBook, view: NarratorView, missed: str) -> str:
    return _in_turn(book, view, "waiting", [text.format(name=book.short(missed)) for text in stock().waiting])


def _answers(book: ScriptBook, view: NarratorView) -> Answers:
    """What each character has to answer, by the scenes of this chapter that it has witnessed."""

    def answers(id: str) -> tuple[Answer, ...]:
        witnessed = [turn for turn in view.turns if id in turn.witnesses]
        seen = scenes_seen(book, witnessed, view.chapter.id, view.stage.player.name)
        return book.answers(id, view.chapter.id, seen)

    return answers


def _missing_person(book: ScriptBook, here: set[str], line: PlayerLine) -> str:
    """The id of a character who is spoken to or meant by a blow, a gift or an embrace and is not there; else nothing."""
    away = [id for id in book.pack.characters if id not in here]
    spoken_to = [id for id in away if book.pack.name_of(id) in line.called]
    if spoken_to and not any(book.pack.name_of(id) in line.called for id in here):
        return spoken_to[0]
    touches = any(base(word) in stock().contact for word in re.findall(r"[a-z]+", line.words.lower()))
    return next(iter(book.meant(line, away)), "") if touches and not line.only_spoken else ""


def _in_turn(book: ScriptBook, view: NarratorView, key: str, *lists: Sequence[str]) -> str:
    return book.in_turn(told_by(view), view.stage, key, *lists)


def _stage_after(view: NarratorView, telling: Telling) -> tuple[str, ...]:
    """Who is on stage after the passage; nobody the player sent away."""
    change = telling.passage.present if isinstance(telling.passage, Scene) else None
    wanted = view.present if change is None else change
    return tuple(id for id in wanted if id not in view.sent_away)
