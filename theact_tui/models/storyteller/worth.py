"""How much a remembered sentence is worth: what the script tells weighs more than what the player does in passing."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from theact_tui.models.storyteller.book import Book, Telling, fill
from theact_tui.models.storyteller.find import flat, sentences
from theact_tui.models.storyteller.persons import in_own_voice
from theact_tui.story.script import Scene

BY_KIND = {"scene": 3.0, "opening": 2.5, "topic": 2.0}
OTHER = 1.5
ANSWERED = 1.0
DEED = 0.5
SMALL_TALK = 0.2

Worth = Mapping[str, float]
"""By the sentence as `key` makes it."""


def key(text: str) -> str:
    """A sentence as it is compared."""
    return flat(text).rstrip(".")


def of_gists(book: Book, player: str) -> Worth:
    """What each gist is worth in the thread of the story."""
    pages = (page for page in book.all_pages if page.passage.gist)
    return {key(fill(page.passage.gist, player)): _weight(page) for page in pages}


def of_facts(book: Book, character: str, player: str) -> Worth:
    """What each fact is worth that the script can teach a character."""
    made = {
        key(fill(answer.learns, player)): ANSWERED for answer in book.all_answers(character) if answer.learns
    }
    for page in book.all_pages:
        if character in page.passage.learns:
            made[key(fill(page.passage.learns[character], player))] = _weight(page)
    return made


def of_entries(book: Book, character: str, player: str) -> Worth:
    """What each sentence is worth that can stand in a character's diary."""
    name = book.pack.name_of(character)
    others = [other for other in book.names if other != name]
    made: dict[str, float] = {}
    for page in book.all_pages:
        traces, weight = page.passage, _weight(page)
        own = [sentence for text in (traces.diary.get(character, ""),) for sentence in sentences(text)]
        told = [text for text in (traces.gist, traces.learns.get(character, "")) if text]
        for place, text in enumerate(own or [in_own_voice(text, name, others) for text in told]):
            made[key(fill(text, player))] = weight - 0.3 * place
    return made


def of_piece(text: str, player: str, worth: Worth) -> float:
    """What a sentence is worth, be it one of the script's or not."""
    known = worth.get(key(text))
    if known is not None:
        return known
    if re.match(rf"{re.escape(player)} (?:said|asked|called out): “", text):
        return SMALL_TALK
    return DEED if text.startswith(player) else 1.0


def chosen(
    pieces: Sequence[str], player: str, worth: Worth, *, words: int, most: int, newest: int = 2
) -> list[str]:
    """At most `most` of the pieces and about `words` words of them: the least worthy go first, the oldest among equals.

    The `newest` ones stay.
    """
    line = list(dict.fromkeys(pieces))

    def rank(index: int) -> tuple[float, int]:
        return of_piece(line[index], player, worth), index

    while len(line) > newest and (len(line) > most or sum(len(part.split()) for part in line) > words):
        del line[min(range(len(line) - newest), key=rank)]
    return line


def _weight(page: Telling) -> float:
    spark = page.passage.moment if isinstance(page.passage, Scene) else None
    return BY_KIND.get(page.kind, OTHER) + (spark.significance if spark else 0.0)
