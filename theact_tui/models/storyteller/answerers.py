"""Who answers the narrator's passage, and in which order (S3.3)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from theact_tui.models.storyteller.book import Book, Telling, fill
from theact_tui.models.storyteller.find import flat, hits
from theact_tui.models.storyteller.names import mentions
from theact_tui.models.storyteller.talk import asks, best_answer, on_the_point
from theact_tui.models.storyteller.words import Action
from theact_tui.story.script import Answer
from theact_tui.story.turn import Turn
from theact_tui.story.views import Stage, Witnessed

MOST_ANSWERS = 3
UNASKED = 0.6
"""How often somebody speaks up when neither the passage nor the player calls for it."""
_YOU = re.compile(r"\byou(?:r|rs|'\w+)?\b", re.I)

Answers = Callable[[str], tuple[Answer, ...]]
"""What a character has to answer at this point."""


def responders(
    book: Book,
    stage: Stage,
    telling: Telling,
    action: Action,
    present: Sequence[str],
    answers: Answers,
    last: Turn | None,
) -> list[str]:
    """The ids of those who answer: in a scene those it gives a line, else first of all those the player turns to."""
    named = [id for id in telling.passage.lines if id in present]
    asked = whom(book, action, present, answers, last)
    if telling.kind == "scene":
        made = [*named, *(id for id in asked if action.called and best_answer(answers(id), action.matter))]
    elif not heard(book, action, present):
        return named[:MOST_ANSWERS]
    elif action.kind == "talk":
        made = [*asked, *(named if telling.kind == "topic" else [])]
    else:
        owing = owed(book, last, present, answers, stage.player.name)
        made = [*asked, *([owing[0]] if owing else []), *named]
    if made or not present:
        return list(dict.fromkeys(made))[:MOST_ANSWERS]
    dice = book.dice(stage, "answers")
    if action.kind == "talk" or telling.kind == "again" or dice.random() < UNASKED:
        return [dice.choice(_others(book, action, present) or list(present))]
    return []


def heard(book: Book, action: Action, present: Sequence[str]) -> bool:
    """False if the player speaks to people none of whom is there."""
    return not action.called or any(book.pack.name_of(id) in action.called for id in present)


def whom(
    book: Book, action: Action, present: Sequence[str], answers: Answers, last: Turn | Witnessed | None
) -> list[str]:
    """Those on stage whom the player calls by name or does something to; else who can answer, or spoke last."""
    called = [id for id in present if book.pack.name_of(id) in action.called]
    meant = [id for id in present if mentions(f"{action.act} {action.matter}", book.pack.name_of(id))]
    if called or action.kind != "talk" or action.called:
        return called or meant
    if not action.speech:
        return meant
    partner = _partner(book, last, present) if _YOU.search(action.matter) else ""
    if partner and best_answer(answers(partner), action.matter):
        return [partner]
    return _best_answering(book, action, present, answers) or ([partner] if partner else [])


def owed(
    book: Book, last: Turn | Witnessed | None, present: Sequence[str], answers: Answers, player: str
) -> tuple[str, Answer] | None:
    """Who still has an answer to give because a scene came before it in the last turn, and which."""
    telling = book.told_in(last, player) if last else None
    if last is None or telling is None or telling.kind not in ("scene", "opening"):
        return None
    text = next((entry.text for entry in last.entries if entry.role == "player"), "")
    action = book.read(text, player)
    if not asks(action) or on_the_point(telling, action):
        return None
    for id in whom(book, action, present, answers, None)[:1]:
        answer = best_answer(answers(id), action.matter)
        replies = [flat(entry.text) for entry in last.entries if entry.role == "character"]
        if answer and not any(flat(fill(answer.line, player)) in reply for reply in replies):
            return id, answer
    return None


def _partner(book: Book, last: Turn | Witnessed | None, present: Sequence[str]) -> str:
    """Who the player was talking with in the last turn: the one who spoke first in it."""
    spoke = [entry.character for entry in last.entries if entry.role == "character"] if last else []
    first = spoke[0] if spoke else None
    return first if first and first in present else ""


def _best_answering(book: Book, action: Action, present: Sequence[str], answers: Answers) -> list[str]:
    """The one who has most to answer to the player's words, rather somebody else than who is being talked about."""
    scores = {id: max((hits(a.cues, action.matter) for a in answers(id)), default=0) for id in present}
    able = [id for id in present if scores[id]]
    pool = [id for id in able if id in _others(book, action, present)] or able
    return [max(pool, key=lambda id: scores[id])] if pool else []


def _others(book: Book, action: Action, present: Sequence[str]) -> list[str]:
    """Those on stage who are not themselves the subject of what is said."""
    return [id for id in present if not mentions(action.matter, book.pack.name_of(id))]
