"""Who answers the narrator's passage, and in which order (S3.3)."""

from __future__ import annotations

from collections.abc import Sequence

from theact_tui.models.storyteller.book import Book, Telling
from theact_tui.models.storyteller.find import hits
from theact_tui.models.storyteller.names import mentions
from theact_tui.models.storyteller.words import Action
from theact_tui.story.views import Stage

MOST_ANSWERS = 3
UNASKED = 0.6
"""How often somebody speaks up when neither the passage nor the player calls for it."""


def responders(
    book: Book, stage: Stage, telling: Telling, action: Action, present: Sequence[str]
) -> list[str]:
    """The ids of those who answer: in a scene those it gives a line, else first of all those the player turns to."""
    named = [id for id in telling.passage.lines if id in present]
    turned_to = _turned_to(book, action, present)
    if telling.kind == "scene":
        made = [*named, *turned_to]
    else:
        asked = turned_to or (_best_answering(book, action, present) if action.kind == "talk" else [])
        made = [*asked, *named]
    if made or not present:
        return list(dict.fromkeys(made))[:MOST_ANSWERS]
    dice = book.dice(stage, "answers")
    if action.kind == "talk" or telling.kind == "again" or dice.random() < UNASKED:
        return [dice.choice(_others(book, action, present) or list(present))]
    return []


def _turned_to(book: Book, action: Action, present: Sequence[str]) -> list[str]:
    """Those on stage whom the player calls by name, or does something to."""
    called = [id for id in present if book.pack.name_of(id) in action.called]
    if called or action.speech:
        return called
    return [id for id in present if mentions(action.act, book.pack.name_of(id))]


def _best_answering(book: Book, action: Action, present: Sequence[str]) -> list[str]:
    """The one who has most to answer to the player's words, rather somebody else than who is being talked about."""
    scores = {id: max((hits(a.cues, action.matter) for a in book.answers(id)), default=0) for id in present}
    able = [id for id in present if scores[id]]
    pool = [id for id in able if id in _others(book, action, present)] or able
    return [max(pool, key=lambda id: scores[id])] if pool else []


def _others(book: Book, action: Action, present: Sequence[str]) -> list[str]:
    """Those on stage who are not themselves the subject of what is said."""
    return [id for id in present if not mentions(action.matter, book.pack.name_of(id))]
