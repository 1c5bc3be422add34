"""The passages of quiet: which of a chapter's ambient passages is told between which two beats (S8.6).

Each stretch between two beats has a passage of its own, chosen by the seed, so that none comes twice although what was
told long ago is no longer in view.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from theact_tui.models.storyteller.book import Book, Telling, fill, in_time
from theact_tui.models.storyteller.find import paragraphs
from theact_tui.models.storyteller.names import mentions
from theact_tui.models.storyteller.stock import AFTER, QUIET
from theact_tui.story.script import Passage
from theact_tui.story.views import NarratorView


def quiet(book: Book, view: NarratorView) -> Telling:
    """The next ambient passage; stock prose when none is left that fits."""
    pages = [page for page in book.pages[view.chapter.id] if page.kind == "ambient"]
    order = _order(book, view.chapter.id, pages, len(view.beats_hit))
    told = [turn.narration for turn in view.turns]
    fresh = [
        page for page in order if not _told(page, told, view.stage.player.name) and _suits(page, view, book)
    ]
    if fresh:
        return fresh[(view.stage.take - 1) % len(fresh)]
    return _stock(book, view, QUIET)


def afterwards(book: Book, view: NarratorView) -> Telling:
    """What is told when the player goes on after the end."""
    pages = [page for page in book.pages[view.chapter.id] if page.kind == "after"]
    told = [turn.narration for turn in view.turns]
    fresh = [
        page for page in pages if not _told(page, told, view.stage.player.name) and _willing(page, view, book)
    ]
    if fresh:
        return book.in_turn(fresh, lambda page: page.text, told, view.stage, "after")
    return _stock(book, view, AFTER)


def quiet_told(book: Book, view: NarratorView) -> bool:
    """True if an ambient passage was told since the last scene, as far as the turns in view go back."""
    for turn in reversed(view.turns):
        telling = book.told_in(turn, view.stage.player.name) if turn.chapter == view.chapter.id else None
        if telling and telling.kind == "ambient":
            return True
        if turn.chapter != view.chapter.id or (telling and telling.kind in ("scene", "opening")):
            return False
    return False


def _order(book: Book, chapter: str, pages: Sequence[Telling], beats: int) -> list[Telling]:
    """The passages that fit after so many beats: first the one meant for them, then spare ones, then those of others."""
    own = quiet_shares(book, chapter)
    fitting = [page for page in pages if in_time(page.passage, beats)]
    random.Random(f"{book.seed}/quiet/{chapter}/{beats}").shuffle(fitting)
    mine = own.get(beats)
    others = {page.index for gap, page in own.items() if gap != beats}
    first = [mine] if mine else []
    rest = [page for page in fitting if page is not mine]
    return [*first, *(p for p in rest if p.index not in others), *(p for p in rest if p.index in others)]


def quiet_shares(book: Book, chapter: str) -> dict[int, Telling]:
    """A passage of its own for each number of beats behind us, as far as they go round; the choosy ones come first."""
    pages = [page for page in book.pages[chapter] if page.kind == "ambient"]
    beats = len(book.pack.chapters[chapter].beats)
    dice = random.Random(f"{book.seed}/ambient/{chapter}")
    free = list(pages)
    dice.shuffle(free)
    choices = {gap: [page for page in free if in_time(page.passage, gap)] for gap in range(beats + 1)}
    made: dict[int, Telling] = {}
    for gap in sorted(choices, key=lambda gap: len(choices[gap])):
        left = [page for page in choices[gap] if page not in made.values()]
        if left:
            made[gap] = min(left, key=lambda page: sum(in_time(page.passage, other) for other in choices))
    return made


def _stock(book: Book, view: NarratorView, texts: Sequence[str]) -> Telling:
    told = [turn.narration for turn in view.turns]
    text = book.in_turn(texts, str, told, view.stage, "quiet")
    return Telling("ambient", -1, Passage(narration=text), text)


def _told(page: Telling, told: Sequence[str], player: str) -> bool:
    needle = " ".join(fill(paragraphs(page.text)[0], player).split())[:80]
    return any(needle in " ".join(text.split()) for text in told)


def _suits(page: Telling, view: NarratorView, book: Book) -> bool:
    """False if the passage has somebody in it who is not there."""
    return all(
        id in view.present for id in book.pack.characters if mentions(page.text, book.pack.name_of(id))
    )


def _willing(page: Telling, view: NarratorView, book: Book) -> bool:
    """False if the passage has somebody in it who was sent away."""
    return not any(mentions(page.text, book.pack.name_of(id)) for id in view.sent_away)
