"""Telling it shorter (S5.1, S5.3): rolling summary, merged memories, recap, epilogue."""

from __future__ import annotations

import re
from collections.abc import Sequence

from theact_tui.models.storyteller.book import Book, fill
from theact_tui.models.storyteller.find import flat, paragraphs, sentences
from theact_tui.models.storyteller.persons import deed, notable
from theact_tui.models.storyteller.plain import ended
from theact_tui.models.storyteller.words import read_line
from theact_tui.story.turn import Turn
from theact_tui.story.views import EpilogueView, RecapView, SummaryView

SENTENCES = 5
SUMMARY_WORDS = 130
EPILOGUE_WORDS = 200
SMALL_TALK = 0.2
"""The weight of a remark of the player's among what is to be kept; a scene has 3, what is not known 1."""
_SMALL_STARTS = frozenset(
    """a an the they he she it in at on after when as by with together there then both nobody everyone someone under
    inside outside beyond behind before while from for one two three four his her their its this that""".split()
)


def summarise(book: Book, view: SummaryView) -> str:
    """The rolling summary: the old one and the turns since, at most five sentences."""
    player = view.stage.player.name
    pieces = [piece for turn in view.turns for piece in _gists(book, turn, player)]
    if not pieces and not view.before and (said := [t.player_text for t in view.turns if t.player_text]):
        pieces = [deed(read_line(said[-1], player, book.names), player)]
    return condensed(book, player, view.before, pieces, words=SUMMARY_WORDS)


def recap(book: Book, view: RecapView) -> str:
    """The chapter's recap, with the player's name."""
    return fill(" ".join(book.script.chapters[view.chapter.id].recap.split()), view.stage.player.name)


def epilogue(book: Book, view: EpilogueView) -> str:
    """The epilogue with two or three remembered moments in it."""
    player = view.stage.player.name
    told = book.script.epilogue
    if "{moments}" not in told:
        told = told.rstrip() + "\n\n{moments}"
    room = EPILOGUE_WORDS - len(told.split())
    listed = _moments(book, view, 3)
    if len(listed.split()) > room:
        listed = _moments(book, view, 2)
    if re.search(r"(?:^|[.!?…]|\n)[\"”]?\s*\{moments\}", told):
        listed = f"This is what stays with you: {listed}."
    return fill("\n\n".join(paragraphs(told)), player, moments=listed)


def _moments(book: Book, view: EpilogueView, count: int) -> str:
    """What is remembered, listed in one clause: the weightiest moments, in the order in which they came."""
    player = view.stage.player.name
    best = sorted(sorted(view.moments, key=lambda m: -m.significance)[:count], key=lambda m: m.turn)
    items = [moment.summary for moment in best]
    if not items:
        items = [piece for turn in view.turns for piece in _gists(book, turn, player)[:1]]
    told = [_small(item.strip().rstrip(".!"), book, player) for item in items if item.strip()]
    if len(told) < 2:
        return told[0] if told else "all of it"
    return f"{'; '.join(told[:-1])}; and {told[-1]}"


def _gists(book: Book, turn: Turn, player: str) -> list[str]:
    """What is worth a sentence about a turn: what its passage was about, what the player did."""
    telling = book.told_in(turn, player)
    gist = fill(telling.passage.gist, player) if telling else ""
    action = read_line(turn.player_text, player, book.names)
    small = gist or action.kind in ("talk", "look", "wait") or len(action.act.split()) <= 5
    worth = turn.player_text.strip() and (notable(action) or not small)
    return [text for text in (gist, deed(action, player) if worth else "") if text]


def condensed(
    book: Book,
    player: str,
    before: str,
    pieces: Sequence[str],
    *,
    words: int,
    most: int = SENTENCES,
) -> str:
    """`before` and `pieces` in at most `most` sentences and about `words` words.

    The least weighty go first, the oldest among equals; the newest two stay.
    What is old is told in longer sentences, so that the thread is kept.
    """
    old = [ended(part) for text in sentences(before) for part in _parts(text)]
    line = list(dict.fromkeys(_large(part) for part in (*old, *pieces) if part.strip()))
    weights = book.weights(player)

    def weight(index: int) -> tuple[float, int]:
        small = (
            SMALL_TALK if re.match(rf"{re.escape(player)} (?:said|asked|called out): “", line[index]) else 1.0
        )
        return weights.get(flat(line[index]).rstrip("."), small), index

    while len(line) > 2 and sum(len(part.split()) for part in line) > words:
        del line[min(range(len(line) - 2), key=weight)]
    return " ".join(_grouped(line, most, book, player))


def _parts(sentence: str) -> list[str]:
    """The parts of a sentence that was joined from several, never cut within “ ”."""
    return [part for part in re.split(r"; (?![^“]*”)", sentence) if part]


def _grouped(line: Sequence[str], most: int, book: Book, player: str) -> list[str]:
    """The pieces in at most `most` sentences, the older ones joined."""
    if len(line) <= most:
        return list(line)
    sizes = [1] * most
    joinable = max(1, most - 2)
    for turn in range(len(line) - most):
        sizes[turn % joinable] += 1
    made: list[str] = []
    rest = list(line)
    for size in sizes:
        group, rest = rest[:size], rest[size:]
        tails = [_small(part.rstrip("."), book, player) for part in group[1:]]
        made.append(ended("; ".join([group[0].rstrip(".") if tails else group[0], *tails])))
    return made


def _small(text: str, book: Book, player: str) -> str:
    """`text` for mid-sentence: small at the beginning, unless it begins with a name."""
    first = text.split(" ")[0].strip("“\"'")
    if (
        first.lower() in _SMALL_STARTS
        or first.endswith("ing")
        or (first == "You" and player.lower() == "you")
    ):
        return text[:1].lower() + text[1:]
    return text


def _large(text: str) -> str:
    return text[:1].upper() + text[1:]
