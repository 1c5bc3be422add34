"""What a character keeps of a turn: facts, a diary entry, and both made shorter. Only from what it witnessed."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from theact_tui.story.memory import MAX_FACTS, NOTHING_HAPPENED, FactsMemory, lines_of
from theact_tui.story.script import Scene
from theact_tui.story.views import MemoryView, MergeView, Witnessed
from theact_tui.storyteller.book import ScriptBook, Telling, fill, gist_of
from theact_tui.storyteller.language import content_words, flat, mentions, sentences
from theact_tui.storyteller.stock import stock

SUMMARY_WORDS = 80
MERGED_WORDS = 110
MERGED_SENTENCES = 5
LEAST = 3
"""Sentences of a summary."""
ALIKE = 0.6
"""Share of common words from which a new fact takes the place of an old one."""

BY_KIND = {"scene": 3.0, "opening": 2.5, "topic": 2.0}
"""What a remembered sentence is worth, by the kind of passage it comes from: what the script tells weighs more than
what the player does in passing."""
OTHER = 1.5
ANSWERED = 1.0
DEED = 0.5
SMALL_TALK = 0.2

Worth = Mapping[str, float]
"""By the sentence as `key` makes it."""


def remember(book: ScriptBook, view: MemoryView | MergeView) -> str:
    """The memory agent's raw reply: YAML for policy `facts`, prose for `cells` and their merging."""
    if isinstance(view, MergeView):
        return merge(book, view)
    if isinstance(view.memory, FactsMemory):
        return _facts(book, view, view.memory)
    return _diary(book, view)


def merge(book: ScriptBook, view: MergeView) -> str:
    """The old summary and the cells in at most five sentences."""
    player = view.stage.player.name
    texts = [view.summary, *(cell.text for cell in view.cells)]
    pieces = [piece for text in texts for piece in sentences(text)]
    return " ".join(
        chosen(pieces, player, _worth_of_entries(book, view), words=MERGED_WORDS, most=MERGED_SENTENCES)
    )


# --- facts ----------------------------------------------------------------------------------------------------------


def _facts(book: ScriptBook, view: MemoryView, memory: FactsMemory) -> str:
    known = [fact.text for fact in memory.key_facts]
    add: list[str] = []
    update: list[tuple[str, str]] = []
    for text in _learned(book, view):
        if flat(text) in map(flat, (*known, *add)):
            continue
        old = _superseded(text, [fact.text for fact in memory.key_facts if not fact.pinned])
        if old and old not in (pair[0] for pair in update):
            update.append((old, text))
        else:
            add.append(text)
    remove = _least(book, view, memory, len(known) + len(add) - MAX_FACTS)
    lines = ["```yaml", f"summary: {_scalar(_summary(book, view, memory.summary))}"]
    lines.append(f"add: {_list(add)}")
    lines.append(f"remove: {_list(remove)}")
    lines.append("update:" if update else "update: []")
    for old, new in update:
        lines += [f"  - old: {_scalar(old)}", f"    new: {_scalar(new)}"]
    return "\n".join([*lines, "```"])


def _learned(book: ScriptBook, view: MemoryView) -> list[str]:
    """What the passages and answers of the new turns taught the character, and what the player gave it to remember."""
    player = view.stage.player.name
    made: list[str] = []
    for turn in view.turns:
        telling = book.told_in(turn, player)
        if telling and view.id in telling.passage.learns:
            made.append(fill(telling.passage.learns[view.id], player))
        made += _answered(book, view, turn)
        if quotation := _quotation(book, view, turn):
            made.append(quotation)
    return list(dict.fromkeys(made))


def _answered(book: ScriptBook, view: MemoryView, turn: Witnessed) -> list[str]:
    """What it learned from the answers it gave."""
    player = view.stage.player.name
    own = " ".join(flat(entry.text) for entry in turn.entries if entry.character == view.id)
    return [
        fill(answer.learns, player)
        for answer in book.all_answers(view.id)
        if answer.learns and own and flat(fill(answer.line, player)) in own
    ]


def _quotation(book: ScriptBook, view: MemoryView, turn: Witnessed) -> str:
    """The player's words in a turn, if they are worth remembering; else nothing."""
    text = next((entry.text for entry in turn.entries if entry.role == "player"), "")
    line = book.read(text, view.stage.player.name)
    return line.quoted(view.stage.player.name) if book.weighs(line, turn.chapter) else ""


def _superseded(text: str, known: Sequence[str]) -> str | None:
    """The older fact that says nearly the same in other words."""
    mine = content_words(text)
    for old in known:
        theirs = content_words(old)
        if mine and theirs and len(mine & theirs) / min(len(mine), len(theirs)) >= ALIKE:
            return old
    return None


def _least(book: ScriptBook, view: MemoryView, memory: FactsMemory, surplus: int) -> list[str]:
    """The facts worth least, forgotten before the others; the oldest of several alike."""
    player = view.stage.player.name
    worth: dict[str, float] = {
        key(fill(answer.learns, player)): ANSWERED for answer in book.all_answers(view.id) if answer.learns
    }
    for page in book.all_pages:
        if view.id in page.passage.learns:
            worth[key(fill(page.passage.learns[view.id], player))] = _weight(page)
    loose = [fact.text for fact in memory.key_facts if not fact.pinned]
    loose.sort(key=lambda text: _worth_of(text, player, worth))
    return loose[: max(0, surplus)]


def _summary(book: ScriptBook, view: MemoryView, before: str) -> str:
    """Three to five sentences: what happened, and how the character sees it."""
    player, name = view.stage.player.name, book.short(view.id)
    minds = _minds(book, view.id, player)
    old = [text for text in sentences(before) if not _passing(name, text) and key(text) not in minds]
    told = (gist_of(book.told_in(turn, player), player) for turn in view.turns)
    gists = [gist for gist in told if gist]
    made = chosen([*old, *gists], player, worth_of_gists(book, player), words=SUMMARY_WORDS, most=3)
    attitude = _attitude(book, view, before)
    made += [] if attitude else [_feeling(book, view, name)]
    for text in (*_learned(book, view), stock().early):
        if len(sentences(" ".join(made))) + bool(attitude) < LEAST and text not in made:
            made.insert(len(made) if attitude else -1, text)
    return " ".join([*made, attitude]).strip()


def _attitude(book: ScriptBook, view: MemoryView, before: str) -> str:
    """How the character sees things now: as the new turns have it, else as before; empty when no script says."""
    player = view.stage.player.name
    tellings = [book.told_in(turn, player) for turn in view.turns]
    fresh = [told.passage.minds[view.id] for told in tellings if told and view.id in told.passage.minds]
    if fresh:
        return fill(fresh[-1], player)
    minds = _minds(book, view.id, player)
    return next((text for text in reversed(sentences(before)) if key(text) in minds), "")


def _minds(book: ScriptBook, character: str, player: str) -> set[str]:
    found = (page.passage.minds.get(character) for page in book.all_pages)
    return {key(fill(text, player)) for text in found if text}


def _feeling(book: ScriptBook, view: MemoryView, name: str) -> str:
    last = book.told_in(view.turns[-1], view.stage.player.name) if view.turns else None
    feelings = stock().feelings.get(last.passage.mood if last else "calm", stock().feelings["calm"])
    return book.dice(view.stage, f"feeling/{view.id}").choice(feelings).format(name=name)


def _passing(name: str, sentence: str) -> bool:
    """True for a sentence that held only for the last turn."""
    feelings = (text.format(name=name) for lines in stock().feelings.values() for text in lines)
    return sentence == stock().early or sentence in feelings


# --- cells ----------------------------------------------------------------------------------------------------------


def _diary(book: ScriptBook, view: MemoryView) -> str:
    """One to three sentences about the new turn; `NOTHING_HAPPENED` when it brought nothing new."""
    turn = view.turns[-1] if view.turns else None
    if turn is None:
        return NOTHING_HAPPENED
    player = view.stage.player.name
    telling = book.told_in(turn, player)
    quotation = _quotation(book, view, turn)
    if telling and view.id in telling.passage.diary:
        told = [fill(telling.passage.diary[view.id], player)]
    else:
        learned = (
            [fill(telling.passage.learns[view.id], player)]
            if telling and view.id in telling.passage.learns
            else []
        )
        own = [*learned, *_answered(book, view, turn)]
        gist = gist_of(telling, player)
        told = [text for text in own or [gist] if text and not mentions(text, view.name)]
    known = flat(" ".join([view.memory.summary, *(line.text for line in lines_of(view.memory))]))
    new = [text for text in dict.fromkeys([quotation, *told]) if text and flat(text) not in known]
    return " ".join(new[:3]) or NOTHING_HAPPENED


def _worth_of_entries(book: ScriptBook, view: MergeView) -> Worth:
    """What each sentence is worth that can stand in a character's diary."""
    player = view.stage.player.name
    made: dict[str, float] = {}
    for page in book.all_pages:
        traces, weight = page.passage, _weight(page)
        own = sentences(traces.diary.get(view.id, "")) or [traces.gist, traces.learns.get(view.id, "")]
        for place, text in enumerate(text for text in own if text):
            made[key(fill(text, player))] = weight - 0.3 * place
    return made


# --- worth ----------------------------------------------------------------------------------------------------------


def key(text: str) -> str:
    """A sentence as it is compared."""
    return flat(text).rstrip(".")


def worth_of_gists(book: ScriptBook, player: str) -> Worth:
    """What each gist is worth in the thread of the story."""
    return {key(gist_of(page, player)): _weight(page) for page in book.all_pages if page.passage.gist}


def chosen(
    pieces: Sequence[str], player: str, worth: Worth, *, words: int, most: int, newest: int = 2
) -> list[str]:
    """At most `most` of the pieces and about `words` words of them: the least worthy go first, the oldest among equals.

    The `newest` ones stay.
    """
    line = list(dict.fromkeys(pieces))

    def rank(index: int) -> tuple[float, int]:
        return _worth_of(line[index], player, worth), index

    while len(line) > newest and (len(line) > most or sum(len(part.split()) for part in line) > words):
        del line[min(range(len(line) - newest), key=rank)]
    return line


def is_quotation(text: str, player: str) -> bool:
    """True for a line of the player's, as it is remembered."""
    return re.match(rf"{re.escape(player)}(?: said)?: “", text) is not None


def _worth_of(text: str, player: str, worth: Worth) -> float:
    """What a sentence is worth, be it one of the script's or not."""
    known = worth.get(key(text))
    if known is not None:
        return known
    if is_quotation(text, player):
        return SMALL_TALK if f"{player} said" in text else DEED
    return 1.0


def _weight(page: Telling) -> float:
    spark = page.passage.moment if isinstance(page.passage, Scene) else None
    return BY_KIND.get(page.kind, OTHER) + (spark.significance if spark else 0.0)


def _scalar(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _list(texts: Sequence[str]) -> str:
    return "".join(f"\n  - {_scalar(text)}" for text in texts) or "[]"
