import json
import re
from collections.abc import Sequence

from theact_tui.sentences import sentences
from theact_tui.story.forgetting_and_recall import are_versions
from theact_tui.story.matching import plain
from theact_tui.story.memory import NOTHING_HAPPENED, FactsMemory, lines_of
from theact_tui.story.views import MemoryView, MergeView, Witnessed
from theact_tui.storyteller.book import ScriptBook
from theact_tui.storyteller.language import mentions
from theact_tui.storyteller.stock import stock

_SUMMARY_WORDS = 80
_MERGED_WORDS = 110
_MERGED_SENTENCES = 5
_MIN_SENTENCES = 3
DEED, SMALL_TALK = 0.5, 0.2
"""Worth of the player's words, against 1 to 4 for the script's."""


def memory_reply(book: ScriptBook, view: MemoryView) -> str:
    """Raw reply of the memory agent: JSON for `facts`, prose for `cells`."""
    return _facts(book, view, view.memory) if isinstance(view.memory, FactsMemory) else _diary(book, view)


def merge(book: ScriptBook, view: MergeView) -> str:
    """Merge summary and cells, or turns, into at most five sentences."""
    if view.turns:
        return _summary(book, view)
    texts = [view.summary, *(cell.text for cell in view.cells)]
    pieces = [piece for text in texts for piece in sentences(text)]
    return " ".join(chosen(book, pieces, words=_MERGED_WORDS, most=_MERGED_SENTENCES))


def _learned(book: ScriptBook, view: MemoryView | MergeView, turn: Witnessed) -> list[str]:
    telling = book.passage_of(turn)
    lesson = telling.passage.learns.get(view.id) if telling else None
    own = " ".join(plain(entry.text) for entry in turn.entries if entry.character == view.id)
    answers = [answer for answer in book.all_answers(view.id) if answer.learns and own]
    return [*([lesson] if lesson else []), *(one.learns for one in answers if plain(one.line) in own)]


def _gist(book: ScriptBook, turn: Witnessed) -> str:
    """Summarise a turn for a witness of all of it: a scene's gist tells everything that happens there."""
    return "" if turn.is_partial else book.gist_of(turn)


def _quotation(book: ScriptBook, turn: Witnessed) -> list[str]:
    line = book.read(next((entry.text for entry in turn.entries if entry.role == "player"), ""))
    return [line.quoted(book.player)] if book.weighs(line, turn.chapter) else []


# --- facts ----------------------------------------------------------------------------------------------------------


def _facts(book: ScriptBook, view: MemoryView, memory: FactsMemory) -> str:
    fact_texts = [fact.text for fact in memory.key_facts]
    loose = [fact.text for fact in memory.key_facts if not fact.pinned]
    learned = [text for turn in view.turns for text in (*_learned(book, view, turn), *_quotation(book, turn))]
    new: list[str] = []
    changed: dict[str, str] = {}
    for text in dict.fromkeys(learned):
        if plain(text) in map(plain, (*fact_texts, *new)):
            continue
        old = next((old for old in loose if are_versions(text, old)), None)
        if old and str(fact_texts.index(old) + 1) not in changed:
            changed[str(fact_texts.index(old) + 1)] = text
        else:
            new.append(text)
    facts = [{"fact": text, "kind": "none"} for text in new]
    return json.dumps({"new": facts, "changed": changed}, ensure_ascii=False)


def _summary(book: ScriptBook, view: MergeView) -> str:
    thoughts = (page.passage.minds.get(view.id) for page in book.all_pages)
    minds = {plain(text) for text in thoughts if text}
    moods = {
        mood: [text.format(name=book.short(view.id)) for text in texts]
        for mood, texts in stock().feelings.items()
    }
    passing = {stock().early, *(text for texts in moods.values() for text in texts)}
    before, learned = view.summary, [text for turn in view.turns for text in _learned(book, view, turn)]
    old = [text for text in sentences(before) if text not in passing and plain(text) not in minds]
    gists = [gist for turn in view.turns if (gist := _gist(book, turn))]
    pieces = chosen(book, [*old, *gists], words=_SUMMARY_WORDS, most=3)
    tellings = [passage for turn in view.turns if (passage := book.passage_of(turn))]
    fresh = [passage.passage.minds[view.id] for passage in tellings if view.id in passage.passage.minds]
    held = [text for text in sentences(before) if plain(text) in minds]
    attitude = (fresh or held or [""])[-1]
    if not attitude:
        last = book.passage_of(view.turns[-1]) if view.turns else None
        feelings = moods.get(last.passage.mood if last else "calm", moods["calm"])
        pieces.append(book.dice(view.story, f"feeling/{view.id}").choice(feelings))
    for text in (*dict.fromkeys(learned), stock().early):
        if len(sentences(" ".join(pieces))) + bool(attitude) < _MIN_SENTENCES and text not in pieces:
            pieces.insert(len(pieces) if attitude else -1, text)
    return " ".join([*pieces, attitude]).strip()


# --- cells ----------------------------------------------------------------------------------------------------------


def _diary(book: ScriptBook, view: MemoryView) -> str:
    """One to three sentences; `NOTHING_HAPPENED` without news."""
    if not view.turns:
        return NOTHING_HAPPENED
    turn = view.turns[-1]
    telling = book.passage_of(turn)
    if telling and view.id in telling.passage.diary:
        entry = [telling.passage.diary[view.id]]
    else:
        own = _learned(book, view, turn) or [_gist(book, turn)]
        entry = [text for text in own if text and not mentions(text, view.name)]
    remembered = plain(" ".join([view.memory.summary, *(line.text for line in lines_of(view.memory))]))
    new = [text for text in dict.fromkeys([*_quotation(book, turn), *entry]) if plain(text) not in remembered]
    return " ".join(new[:3]) or NOTHING_HAPPENED


# --- worth ----------------------------------------------------------------------------------------------------------


def chosen(book: ScriptBook, pieces: Sequence[str], *, words: int, most: int) -> list[str]:
    """At most `most` pieces and about `words` words: drop the least worthy, oldest first. The two newest stay."""
    line = list(dict.fromkeys(pieces))
    while len(line) > 2 and (len(line) > most or sum(len(part.split()) for part in line) > words):
        line.remove(min(line[:-2], key=lambda text: _worth_of(book, text)))
    return line


def _worth_of(book: ScriptBook, text: str) -> float:
    mine = is_quotation(text, book.player)
    other = (SMALL_TALK if f"{book.player} said" in text else DEED) if mine else 1.0
    return book.worth.get(plain(text), other)


def is_quotation(text: str, player: str) -> bool:
    return re.match(rf"{re.escape(player)}(?: said)?: “", text) is not None
