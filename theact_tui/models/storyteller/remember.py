"""What a character keeps of a turn (S4): facts, a diary entry, and both made shorter. Only from what it witnessed."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from theact_tui.models.storyteller.away import gist_of
from theact_tui.models.storyteller.book import Book, Telling, fill
from theact_tui.models.storyteller.find import content_words, flat, sentences
from theact_tui.models.storyteller.persons import deed, in_own_voice, notable
from theact_tui.models.storyteller.props import lacking
from theact_tui.models.storyteller.stock import FEELING
from theact_tui.models.storyteller.words import Action
from theact_tui.models.storyteller.worth import chosen, key, of_entries, of_facts, of_gists, of_piece
from theact_tui.story.memory import MAX_FACTS, FactsMemory
from theact_tui.story.views import MemoryView, MergeView, Witnessed

SUMMARY_WORDS = 80
MERGED_WORDS = 110
MERGED_SENTENCES = 5
LEAST = 3
"""Sentences of a summary."""
NOTHING_KEPT = "Nothing was said that I need to keep."
ALIKE = 0.6
"""Share of common words from which a new fact takes the place of an old one."""


def remember(book: Book, view: MemoryView | MergeView) -> str:
    """The memory agent's raw reply: YAML for policy `facts`, prose for `cells` and their merging."""
    if isinstance(view, MergeView):
        return merge(book, view)
    if isinstance(view.memory, FactsMemory):
        return _facts(book, view, view.memory)
    return _diary(book, view)


def merge(book: Book, view: MergeView) -> str:
    """The old summary and the cells in at most five sentences."""
    player = view.stage.player.name
    texts = [view.summary, *(cell.text for cell in view.cells)]
    pieces = [piece for text in texts for piece in sentences(text) if piece != NOTHING_KEPT]
    worth = of_entries(book, view.id, player)
    return " ".join(chosen(pieces, player, worth, words=MERGED_WORDS, most=MERGED_SENTENCES))


# --- facts ----------------------------------------------------------------------------------------------------------


def _facts(book: Book, view: MemoryView, memory: FactsMemory) -> str:
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


def _learned(book: Book, view: MemoryView) -> list[str]:
    """What the passages and answers of the new turns taught the character, and what the player gave it to remember."""
    player = view.stage.player.name
    made: list[str] = []
    for turn in view.turns:
        telling = book.told_in(turn, player)
        if telling and view.id in telling.passage.learns:
            made.append(fill(telling.passage.learns[view.id], player))
        made += _answered(book, view, turn)
        action = _action(book, view, turn)
        if notable(action) and not lacking(book, action, turn.chapter):
            made.append(_deed(book, view, turn))
    return list(dict.fromkeys(made))


def _answered(book: Book, view: MemoryView, turn: Witnessed) -> list[str]:
    """What it learned from the answers it gave."""
    player = view.stage.player.name
    own = " ".join(flat(entry.text) for entry in turn.entries if entry.character == view.id)
    return [
        fill(answer.learns, player)
        for answer in book.all_answers(view.id)
        if answer.learns and own and flat(fill(answer.line, player)) in own
    ]


def _superseded(text: str, known: Sequence[str]) -> str | None:
    """The older fact that says nearly the same in other words."""
    mine = content_words(text)
    for old in known:
        theirs = content_words(old)
        if mine and theirs and len(mine & theirs) / min(len(mine), len(theirs)) >= ALIKE:
            return old
    return None


def _least(book: Book, view: MemoryView, memory: FactsMemory, surplus: int) -> list[str]:
    """The facts worth least, forgotten before the others; the oldest of several alike."""
    player = view.stage.player.name
    worth = of_facts(book, view.id, player)
    loose = [fact.text for fact in memory.key_facts if not fact.pinned]
    loose.sort(key=lambda text: of_piece(text, player, worth))
    return loose[: max(0, surplus)]


def _summary(book: Book, view: MemoryView, before: str) -> str:
    """Three to five sentences: what happened, and how the character sees it."""
    player, name = view.stage.player.name, book.short(view.id)
    minds = _minds(book, view.id, player)
    old = [text for text in sentences(before) if not _passing(name, text) and key(text) not in minds]
    made = chosen([*old, *_gists(book, view)], player, of_gists(book, player), words=SUMMARY_WORDS, most=3)
    attitude = _attitude(book, view, before)
    made += [] if attitude else [_feeling(book, view, name)]
    for text in (*_learned(book, view), *_last(book, view, player), _beginning(book, view, name)):
        if len(sentences(" ".join(made))) + bool(attitude) < LEAST and text not in made:
            made.insert(len(made) if attitude else -1, text)
    return " ".join([*made, attitude]).strip()


def _attitude(book: Book, view: MemoryView, before: str) -> str:
    """How the character sees things now: as the new turns have it, else as before; empty when no script says."""
    player = view.stage.player.name
    tellings = [book.told_in(turn, player) for turn in view.turns]
    fresh = [told.passage.minds[view.id] for told in tellings if told and view.id in told.passage.minds]
    if fresh:
        return fill(fresh[-1], player)
    minds = _minds(book, view.id, player)
    return next((text for text in reversed(sentences(before)) if key(text) in minds), "")


def _minds(book: Book, character: str, player: str) -> set[str]:
    found = (page.passage.minds.get(character) for page in book.all_pages)
    return {key(fill(text, player)) for text in found if text}


def _gists(book: Book, view: MemoryView) -> list[str]:
    """What happened in the new turns."""
    player = view.stage.player.name
    told = (gist_of(book.told_in(turn, player), turn, player, view.names) for turn in view.turns)
    return [gist for gist in told if gist]


def _last(book: Book, view: MemoryView, player: str) -> list[str]:
    """What the player did last."""
    if not view.turns or not _spoke(view.turns[-1]):
        return []
    if lacking(book, _action(book, view, view.turns[-1]), view.turns[-1].chapter):
        return []
    return [f"Last, {_someone(_deed(book, view, view.turns[-1]), player)}"]


def _beginning(book: Book, view: MemoryView, name: str) -> str:
    chapter = book.pack.chapters.get(view.turns[-1].chapter) if view.turns else None
    where = f"when “{chapter.title}” begins" if chapter else "from the beginning"
    player = view.stage.player.name
    return f"{name} is there {where}, with {_someone(player, player)}. It is too early to say what will come of it."


def _feeling(book: Book, view: MemoryView, name: str) -> str:
    last: Telling | None = book.told_in(view.turns[-1], view.stage.player.name) if view.turns else None
    feelings = FEELING.get(last.passage.mood if last else "calm", FEELING["calm"])
    return book.dice(view.stage, f"feeling/{view.id}").choice(feelings).format(name=name)


def _someone(text: str, player: str) -> str:
    """`text` for mid-sentence: a player without a name is "you"."""
    return re.sub(r"^You\b", "you", text) if player.lower() == "you" else text


def _passing(name: str, sentence: str) -> bool:
    """True for a sentence that held only for the last turn."""
    feelings = {feeling.format(name=name) for many in FEELING.values() for feeling in many}
    early = (f"{name} is there ", "It is too early to say", "Last, ")
    return sentence.startswith(early) or sentence in feelings


# --- cells ----------------------------------------------------------------------------------------------------------


def _diary(book: Book, view: MemoryView) -> str:
    """One to three sentences in the first person about the new turn."""
    turn = view.turns[-1] if view.turns else None
    if turn is None:
        return NOTHING_KEPT
    player = view.stage.player.name
    others = [name for id, name in view.names.items() if id != view.id]
    telling, action = book.told_in(turn, player), _action(book, view, turn)
    entry = fill(telling.passage.diary.get(view.id, ""), player) if telling else ""
    small = [in_own_voice(_deed(book, view, turn), view.name, others)] if _spoke(turn) else []
    small = [] if lacking(book, action, turn.chapter) else small
    if entry:
        return " ".join([entry, *(small if notable(action) else [])])
    learned = _answered(book, view, turn)
    if telling and view.id in telling.passage.learns:
        learned.insert(0, fill(telling.passage.learns[view.id], player))
    gist = gist_of(telling, turn, player, view.names)
    told = [in_own_voice(text, view.name, others) for text in (learned or ([gist] if gist else []))]
    if notable(action) or not told:
        told = [*small, *told]
    return " ".join(told[:3]) or NOTHING_KEPT


def _action(book: Book, view: MemoryView, turn: Witnessed) -> Action:
    text = next((entry.text for entry in turn.entries if entry.role == "player"), "")
    return book.read(text, view.stage.player.name)


def _deed(book: Book, view: MemoryView, turn: Witnessed) -> str:
    """What the player did in the turn, as far as it came to it."""
    told = next((entry.text for entry in turn.entries if entry.role == "narrator"), "")
    return deed(_action(book, view, turn), view.stage.player.name, told)


def _spoke(turn: Witnessed) -> bool:
    return any(entry.role == "player" and entry.text.strip() for entry in turn.entries)


def _scalar(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _list(texts: Sequence[str]) -> str:
    return "".join(f"\n  - {_scalar(text)}" for text in texts) or "[]"
