"""Choose who answers offline; with a model `story/perception.py` does."""

import re
from collections.abc import Mapping, Sequence

from theact_tui.story.script import CuedAnswer
from theact_tui.story.speech import addressed_to
from theact_tui.story.turn import Turn
from theact_tui.story.views import NarratorView, Witnessed
from theact_tui.storyteller.book import ScriptBook, Telling
from theact_tui.storyteller.language import hits, mentions
from theact_tui.storyteller.player_input import PlayerLine, whispered_to

MOST_TO_ANSWER = 3
_UNASKED = 0.6
_NEARLY = 12
"""How much worse than a used answer a new one may fit."""
_YOU = re.compile(r"\byou(?:r|rs|'\w+)?\b", re.I)

Answers = Mapping[str, Sequence[CuedAnswer]]


def responders(
    book: ScriptBook,
    view: NarratorView,
    line: PlayerLine,
    telling: Telling,
    present: Sequence[str],
    answers: Answers,
) -> list[str]:
    """Ids in order: those with lines in the scene, else those addressed; of a whisper only listeners."""
    last = view.turns[-1] if view.turns else None
    if telling.kind != "scene" and (ears := _ears(book, view, present)):
        present = ears
    named = [id for id in telling.passage.lines if id in present]
    asked = whom(book, line, present, answers, last)
    if telling.kind == "scene" and named:
        ids = [*named, *(id for id in asked if line.called and best_answer(answers[id], line.matter))]
    elif not heard(book, line, present):
        return named[:MOST_TO_ANSWER]
    elif line.kind == "talk":
        ids = [*asked, *(named if telling.kind == "topic" else [])]
    else:
        deed = None if view.game_complete else book.deed(line, view.chapter.id)
        replying = [id for id in deed.lines if id in present] if deed else []
        if book.meant(line, book.pack.characters):
            return asked[:MOST_TO_ANSWER]
        ids = [*asked, *(named or replying)]
    if ids or not present:
        return list(dict.fromkeys(ids))[:MOST_TO_ANSWER]
    dice = book.dice(view.story, "answers")
    if line.kind == "talk" or telling.kind == "again" or dice.random() < _UNASKED:
        return [dice.choice(others(book, line, present) or list(present))]
    return []


def _ears(book: ScriptBook, view: NarratorView, present: Sequence[str]) -> list[str]:
    if view.whispered_to:
        return [id for id in present if id in view.whispered_to]
    return whispered_to(addressed_to(view.player_text)[1], {id: book.pack.name_of(id) for id in present})


def heard(book: ScriptBook, line: PlayerLine, present: Sequence[str]) -> bool:
    """False if only absent people are addressed."""
    return not line.called or any(book.pack.name_of(id) in line.called for id in present)


def addressed_people(book: ScriptBook, line: PlayerLine, present: Sequence[str]) -> list[str]:
    """Return those whom the line is said to by name."""
    if line.called:
        return [id for id in present if book.pack.name_of(id) in line.called]
    if book.is_foreign(line):  # then only the names in it are understood
        return book.named_in(line, present)[:1]
    beside = [id for id in present if mentions(line.narrated, book.pack.name_of(id))]
    return beside if line.kind == "talk" else []


def whom(
    book: ScriptBook,
    line: PlayerLine,
    present: Sequence[str],
    answers: Answers,
    last: Turn | Witnessed | None,
) -> list[str]:
    """Return those addressed or acted upon; else last turn's first speaker, or the one with most to answer."""
    if to := addressed_people(book, line, present):
        return to
    if line.kind != "talk" or line.called:
        return book.meant(line, present)
    if not line.spoken:
        return []
    spoke = [entry.character for entry in last.entries if entry.character] if last else []
    is_meant = _YOU.search(line.matter) or line.confides
    partner = [id for id in spoke[:1] if is_meant and id in present]
    if partner and (line.confides or best_answer(answers[partner[0]], line.matter)):
        return partner
    scores = {
        id: max((hits(answer.cues, line.matter) for answer in answers[id]), default=0) for id in present
    }
    able = [id for id in present if scores[id]]
    pool = [id for id in able if id in others(book, line, present)] or able
    return [max(pool, key=lambda id: scores[id])] if pool else partner


def best_answer(answers: Sequence[CuedAnswer], text: str) -> CuedAnswer | None:
    return next(iter(matching_answers(answers, text)), None)


def matching_answers(answers: Sequence[CuedAnswer], text: str) -> list[CuedAnswer]:
    """Return answers that fit nearly as well as the best, best first."""
    scored = sorted(((hits(answer.cues, text), answer) for answer in answers), key=lambda pair: -pair[0])
    return [answer for score, answer in scored if score and score >= scored[0][0] - _NEARLY]


def others(book: ScriptBook, line: PlayerLine, present: Sequence[str]) -> list[str]:
    return [id for id in present if not mentions(line.matter, book.pack.name_of(id))]
