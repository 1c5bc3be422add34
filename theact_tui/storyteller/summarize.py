"""Telling it shorter: rolling summary, recap, epilogue."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from theact_tui.story.turn import Turn
from theact_tui.story.views import EpilogueView, RecapView, SummaryView
from theact_tui.storyteller.book import ScriptBook, fill, gist_of
from theact_tui.storyteller.language import capital, ended, paragraphs, sentences
from theact_tui.storyteller.remember import chosen, is_quotation, key, worth_of_gists

SENTENCES, ADDED = 5, 3
SUMMARY_WORDS, ADDED_WORDS = 130, 80
EPILOGUE_WORDS = 200
_SMALL_STARTS = frozenset(
    """a an the they he she it in at on after when as by with together there then both nobody everyone someone under
    inside outside beyond behind before while from for one two three four his her their its this that alone half all
    between during near since until only some most many everything nothing""".split()
)


def summarise(book: ScriptBook, view: SummaryView) -> str:
    """What is added to the rolling summary: a thread for each chapter gone by, and what happened since, at most three
    sentences. Without turns the summary made shorter, at most five."""
    player = view.stage.player.name
    threads, rest = _by_chapter(book, replace(view, before="") if view.turns else view)
    if not threads and not rest and (said := [t.player_text for t in view.turns if t.player_text]):
        rest = [book.read(said[-1], player).quoted(player)]
    room = max(1, (ADDED if view.turns else SENTENCES) - len(threads))
    words = (ADDED_WORDS if view.turns else SUMMARY_WORDS) - sum(len(thread.split()) for thread in threads)
    kept = chosen(rest, player, worth_of_gists(book, player), words=max(40, words), most=2 * room)
    return " ".join([*threads, *_in_pairs(kept, room, player)])


def recap(book: ScriptBook, view: RecapView) -> str:
    """The chapter's recap, with the player's name."""
    return fill(" ".join(book.script.chapters[view.chapter.id].recap.split()), view.stage.player.name)


def epilogue(book: ScriptBook, view: EpilogueView) -> str:
    """The epilogue with two or three remembered moments in it."""
    player = view.stage.player.name
    told = book.script.epilogue
    if "{moments}" not in told:
        told = told.rstrip() + "\n\n{moments}"
    if re.search(r"(?:^|[.!?…]|\n)[\"”]?\s*\{moments\}", told):
        told = told.replace("{moments}", "This is what stays with you: {moments}.")
    told = "\n\n".join(paragraphs(told))
    whole = [fill(told, player, moments=_moments(book, view, count)) for count in (3, 2)]
    return next((text for text in whole if len(text.split()) <= EPILOGUE_WORDS), whole[-1])


def _moments(book: ScriptBook, view: EpilogueView, count: int) -> str:
    """What is remembered, listed in one clause: the weightiest moments, in the order in which they came."""
    player = view.stage.player.name
    best = sorted(sorted(view.moments, key=lambda m: -m.significance)[:count], key=lambda m: m.turn)
    items = [moment.summary for moment in best]
    if not items:
        items = [piece for turn in view.turns for piece in _pieces(book, turn, player)[:1]]
    told = [_small(item.strip().rstrip(".!"), player) for item in items if item.strip()]
    if len(told) < 2:
        return told[0] if told else "all of it"
    return f"{'; '.join(told[:-1])}; and {told[-1]}"


def _by_chapter(book: ScriptBook, view: SummaryView) -> tuple[list[str], list[str]]:
    """The threads of the chapters gone by, in order, and the pieces of the one under way, oldest first."""
    player = view.stage.player.name
    order = list(book.pack.chapters)
    here = order.index(view.turns[-1].chapter) if view.turns else 0
    threads = {
        chapter: fill(" ".join(book.script.chapters[chapter].thread.split()), player)
        for chapter in order[:here]
        if chapter in {turn.chapter for turn in view.turns} and book.script.chapters[chapter].thread
    }
    pages = [page for chapter in threads for page in book.pages[chapter] if page.passage.gist]
    gone = {*map(key, threads.values()), *(key(gist_of(page, player)) for page in pages)}
    known = worth_of_gists(book, player)
    old = [
        capital(ended(part))
        for text in sentences(view.before)
        for part in ([text] if key(text) in known else _parts(text))
        if part.strip()
    ]
    kept = [part for part in old if key(part) not in gone and not (threads and is_quotation(part, player))]
    new = [
        capital(piece)
        for turn in view.turns
        if turn.chapter not in threads
        for piece in _pieces(book, turn, player)
    ]
    return list(threads.values()), [*kept, *new]


def _pieces(book: ScriptBook, turn: Turn, player: str) -> list[str]:
    """What is worth a sentence about a turn: what its passage was about, the player's words if they weigh something."""
    gist = gist_of(book.told_in(turn, player), player)
    line = book.read(turn.player_text, player)
    said = line.quoted(player) if book.weighs(line, turn.chapter) else ""
    return [text for text in (gist, said) if text]


def _parts(sentence: str) -> list[str]:
    """The parts of a sentence that was joined from two, never cut within “ ”."""
    return [part for part in re.split(r"; (?![^“]*”)", sentence) if part]


def _in_pairs(line: Sequence[str], most: int, player: str) -> list[str]:
    """The pieces in at most `most` sentences, the oldest joined in pairs."""
    pairs = max(0, len(line) - most)
    made = [
        f"{line[2 * n].rstrip('.')}; {_small(line[2 * n + 1], player)}"
        for n in range(min(pairs, len(line) // 2))
    ]
    return [ended(text) for text in (*made, *line[2 * len(made) :])]


def _small(text: str, player: str) -> str:
    """`text` for mid-sentence: small at the beginning, unless it begins with a name."""
    first = text.split(" ")[0].strip("“\"'")
    if (
        first.lower() in _SMALL_STARTS
        or first.endswith("ing")
        or (first == "You" and player.lower() == "you")
    ):
        return text[:1].lower() + text[1:]
    return text
