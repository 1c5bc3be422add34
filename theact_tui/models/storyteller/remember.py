"""What a character keeps of a turn (S4): facts, a diary entry, and both made shorter. Only from what it witnessed."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from theact_tui.models.storyteller.book import Book, Telling, fill
from theact_tui.models.storyteller.find import content_words, flat, sentences
from theact_tui.models.storyteller.fold import condensed
from theact_tui.models.storyteller.persons import deed, in_own_voice, notable
from theact_tui.models.storyteller.speak import best_answer
from theact_tui.models.storyteller.stock import FEELING
from theact_tui.models.storyteller.words import Action, read_line
from theact_tui.story.memory import MAX_FACTS, FactsMemory
from theact_tui.story.views import MemoryView, MergeView, Witnessed

SUMMARY_WORDS = 80
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
    pieces = [text for cell in view.cells for text in sentences(cell.text) if text != NOTHING_KEPT]
    return condensed(book, view.stage.player.name, view.summary, pieces, words=SUMMARY_WORDS + 20)


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
        action = _action(book, view, turn)
        made += _answered(book, view, turn, action)
        if notable(action):
            made.append(deed(action, player))
    return list(dict.fromkeys(made))


def _answered(book: Book, view: MemoryView, turn: Witnessed, action: Action) -> list[str]:
    """What it learned from an answer it gave itself, if it did give it."""
    answer = best_answer(book.answers(view.id), action.matter)
    if not answer or not answer.learns:
        return []
    line = flat(fill(answer.line, view.stage.player.name))
    own = [flat(entry.text) for entry in turn.entries if entry.character == view.id]
    return [fill(answer.learns, view.stage.player.name)] if line in own else []


def _superseded(text: str, known: Sequence[str]) -> str | None:
    """The older fact that says nearly the same in other words."""
    mine = content_words(text)
    for old in known:
        theirs = content_words(old)
        if mine and theirs and len(mine & theirs) / min(len(mine), len(theirs)) >= ALIKE:
            return old
    return None


def _least(book: Book, view: MemoryView, memory: FactsMemory, surplus: int) -> list[str]:
    """The player's oldest small deeds, forgotten before anything learned is."""
    player = view.stage.player.name
    taught = {flat(fill(text, player)) for text in book.taught(view.id)}
    small = [
        f.text
        for f in memory.key_facts
        if not f.pinned and flat(f.text) not in taught and f.text.startswith(player)
    ]
    return small[: max(0, surplus)]


def _summary(book: Book, view: MemoryView, before: str) -> str:
    """Three to five sentences: what happened, what the player did, how the character feels about it."""
    player, name = view.stage.player.name, book.short(view.id)
    kept = [text for text in sentences(before) if not _passing(name, text)]
    gists, mood = _gists(book, view)
    told = condensed(book, player, " ".join(kept), gists, words=SUMMARY_WORDS, most=3)
    made = [told] if told else []
    last = deed(_action(book, view, view.turns[-1]), player) if view.turns and _spoke(view.turns[-1]) else ""
    if last and (len(sentences(told)) < 3 or "“" in last):
        made.append(f"Last, {_someone(last, player)}")
    if len(sentences(" ".join(made))) < 2 and view.turns:
        made.insert(0, _beginning(book, view, name))
    feelings = FEELING.get(mood, FEELING["calm"])
    made.append(book.dice(view.stage, f"feeling/{view.id}").choice(feelings).format(name=name))
    return " ".join(made)


def _beginning(book: Book, view: MemoryView, name: str) -> str:
    chapter = book.pack.chapters.get(view.turns[-1].chapter)
    where = f"when “{chapter.title}” begins" if chapter else "from the beginning"
    player = view.stage.player.name
    return f"{name} is there {where}, with {_someone(player, player)}. It is too early to say what will come of it."


def _gists(book: Book, view: MemoryView) -> tuple[list[str], str]:
    """What happened in the new turns, and the mood of the last one."""
    tellings = [book.told_in(turn, view.stage.player.name) for turn in view.turns]
    gists = [fill(t.passage.gist, view.stage.player.name) for t in tellings if t and t.passage.gist]
    last: Telling | None = tellings[-1] if tellings else None
    return gists, last.passage.mood if last else "calm"


def _someone(text: str, player: str) -> str:
    """`text` for mid-sentence: a player without a name is "you"."""
    return re.sub(r"^You\b", "you", text) if player.lower() == "you" else text


def _passing(name: str, sentence: str) -> bool:
    """True for a sentence that held only for the last turn."""
    feelings = {feeling.format(name=name) for many in FEELING.values() for feeling in many}
    early = (f"{name} is there ", "It is too early to say", "Last, ")
    return sentence.startswith(early) or sentence in feelings


def _diary(book: Book, view: MemoryView) -> str:
    """One to three sentences in the first person about the new turns."""
    player = view.stage.player.name
    others = [name for id, name in view.names.items() if id != view.id]
    made: list[str] = []
    for turn in view.turns[-1:]:
        action = _action(book, view, turn)
        telling = book.told_in(turn, player)
        passage = telling.passage if telling else None
        gist = fill(passage.gist, player) if passage else ""
        learned = [fill(passage.learns[view.id], player)] if passage and view.id in passage.learns else []
        learned += _answered(book, view, turn, action)
        small = [deed(action, player)] if _spoke(turn) and (notable(action) or not (gist or learned)) else []
        made += [*([gist] if gist else []), *small, *learned]
    told = [in_own_voice(text, view.name, others) for text in made[:3]]
    return " ".join(told) or NOTHING_KEPT


def _action(book: Book, view: MemoryView, turn: Witnessed) -> Action:
    text = next((entry.text for entry in turn.entries if entry.role == "player"), "")
    return read_line(text, view.stage.player.name, tuple(view.names.values()))


def _spoke(turn: Witnessed) -> bool:
    return any(entry.role == "player" and entry.text.strip() for entry in turn.entries)


def _scalar(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _list(texts: Sequence[str]) -> str:
    return "".join(f"\n  - {_scalar(text)}" for text in texts) or "[]"
