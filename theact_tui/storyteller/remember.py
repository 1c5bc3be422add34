"""What a character keeps of a turn: facts, a diary entry, and both made shorter. Only from what it witnessed."""

import json
import re
from collections.abc import Sequence

from theact_tui.sentences import sentences
from theact_tui.story.matching import overlap, plain, stems
from theact_tui.story.memory import NOTHING_HAPPENED, FactsMemory, lines_of
from theact_tui.story.views import MemoryView, MergeView, Witnessed
from theact_tui.storyteller.book import ScriptBook
from theact_tui.storyteller.language import mentions
from theact_tui.storyteller.stock import stock

SUMMARY_WORDS = 80
MERGED_WORDS = 110
MERGED_SENTENCES = 5
LEAST = 3
"""Sentences of a summary."""
MIN_ALIKE_SHARE = 0.6
"""Share of common words from which a new fact takes the place of an old one."""

DEED, SMALL_TALK = 0.5, 0.2
"""What the player's own words are worth, against 1 to 4 for what the script tells."""


def remember(book: ScriptBook, view: MemoryView) -> str:
    """The memory agent's raw reply: JSON for policy `facts`, prose for `cells`."""
    return _facts(book, view, view.memory) if isinstance(view.memory, FactsMemory) else _diary(book, view)


def merge(book: ScriptBook, view: MergeView) -> str:
    """The old summary and the cells, or the turns, in at most five sentences."""
    if view.turns:
        return _summary(book, view)
    texts = [view.summary, *(cell.text for cell in view.cells)]
    pieces = [piece for text in texts for piece in sentences(text)]
    return " ".join(chosen(book, pieces, words=MERGED_WORDS, most=MERGED_SENTENCES))


def _learned(book: ScriptBook, view: MemoryView | MergeView, turn: Witnessed) -> list[str]:
    """What the passage of a turn taught the character, and its own answers."""
    telling = book.told_in(turn)
    told = telling.passage.learns.get(view.id) if telling else None
    own = " ".join(plain(entry.text) for entry in turn.entries if entry.character == view.id)
    answers = [answer for answer in book.all_answers(view.id) if answer.learns and own]
    return [*([told] if told else []), *(each.learns for each in answers if plain(each.line) in own)]


def _quotation(book: ScriptBook, turn: Witnessed) -> list[str]:
    """The player's words in a turn, if they are worth remembering."""
    line = book.read(next((entry.text for entry in turn.entries if entry.role == "player"), ""))
    return [line.quoted(book.player)] if book.weighs(line, turn.chapter) else []


# --- facts ----------------------------------------------------------------------------------------------------------


def _facts(book: ScriptBook, view: MemoryView, memory: FactsMemory) -> str:
    known = [fact.text for fact in memory.key_facts]
    loose = [fact.text for fact in memory.key_facts if not fact.pinned]
    learned = [text for turn in view.turns for text in (*_learned(book, view, turn), *_quotation(book, turn))]
    new: list[str] = []
    changed: dict[str, str] = {}
    for text in dict.fromkeys(learned):
        if plain(text) in map(plain, (*known, *new)):
            continue
        old = next((old for old in loose if is_alike(text, old)), None)
        if old and str(known.index(old) + 1) not in changed:
            changed[str(known.index(old) + 1)] = text
        else:
            new.append(text)
    facts = [{"fact": text, "kind": "none"} for text in new]
    return json.dumps({"new": facts, "changed": changed}, ensure_ascii=False)


def is_alike(text: str, old: str) -> bool:
    """True if an older fact says nearly the same in other words."""
    mine, theirs = stems(text), stems(old)
    return max(overlap(mine, theirs), overlap(theirs, mine)) >= MIN_ALIKE_SHARE


def _summary(book: ScriptBook, view: MergeView) -> str:
    """Three to five sentences: what happened, and how the character sees it, as the new turns have it or as before."""
    found = (page.passage.minds.get(view.id) for page in book.all_pages)
    minds = {plain(text) for text in found if text}
    moods = {
        mood: [text.format(name=book.short(view.id)) for text in texts]
        for mood, texts in stock().feelings.items()
    }
    passing = {stock().early, *(text for texts in moods.values() for text in texts)}
    before, learned = view.summary, [text for turn in view.turns for text in _learned(book, view, turn)]
    old = [text for text in sentences(before) if text not in passing and plain(text) not in minds]
    gists = [gist for turn in view.turns if (gist := book.gist_of(turn))]
    made = chosen(book, [*old, *gists], words=SUMMARY_WORDS, most=3)
    tellings = [told for turn in view.turns if (told := book.told_in(turn))]
    fresh = [told.passage.minds[view.id] for told in tellings if view.id in told.passage.minds]
    held = [text for text in sentences(before) if plain(text) in minds]
    attitude = (fresh or held or [""])[-1]
    if not attitude:
        last = book.told_in(view.turns[-1]) if view.turns else None
        feelings = moods.get(last.passage.mood if last else "calm", moods["calm"])
        made.append(book.dice(view.story, f"feeling/{view.id}").choice(feelings))
    for text in (*dict.fromkeys(learned), stock().early):
        if len(sentences(" ".join(made))) + bool(attitude) < LEAST and text not in made:
            made.insert(len(made) if attitude else -1, text)
    return " ".join([*made, attitude]).strip()


# --- cells ----------------------------------------------------------------------------------------------------------


def _diary(book: ScriptBook, view: MemoryView) -> str:
    """One to three sentences about the new turn; `NOTHING_HAPPENED` when it brought nothing new."""
    if not view.turns:
        return NOTHING_HAPPENED
    turn = view.turns[-1]
    telling = book.told_in(turn)
    if telling and view.id in telling.passage.diary:
        told = [telling.passage.diary[view.id]]
    else:
        own = _learned(book, view, turn) or [book.gist_of(turn)]
        told = [text for text in own if text and not mentions(text, view.name)]
    known = plain(" ".join([view.memory.summary, *(line.text for line in lines_of(view.memory))]))
    new = [text for text in dict.fromkeys([*_quotation(book, turn), *told]) if plain(text) not in known]
    return " ".join(new[:3]) or NOTHING_HAPPENED


# --- worth ----------------------------------------------------------------------------------------------------------


def chosen(book: ScriptBook, pieces: Sequence[str], *, words: int, most: int) -> list[str]:
    """At most `most` of the pieces and about `words` words of them: the least worthy go first, the oldest among equals.
    The two newest stay."""
    line = list(dict.fromkeys(pieces))
    while len(line) > 2 and (len(line) > most or sum(len(part.split()) for part in line) > words):
        line.remove(min(line[:-2], key=lambda text: _worth_of(book, text)))
    return line


def _worth_of(book: ScriptBook, text: str) -> float:
    """What a sentence is worth, be it one of the script's or not."""
    mine = is_quotation(text, book.player)
    other = (SMALL_TALK if f"{book.player} said" in text else DEED) if mine else 1.0
    return book.worth.get(plain(text), other)


def is_quotation(text: str, player: str) -> bool:
    """True for a line of the player's, as it is remembered."""
    return re.match(rf"{re.escape(player)}(?: said)?: “", text) is not None
