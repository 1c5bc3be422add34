"""What a character keeps of a turn (S4): facts, a diary entry, and both made shorter. Only from what it witnessed."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from theact_tui.models.storyteller.book import Book, Telling, fill
from theact_tui.models.storyteller.find import content_words, flat, sentences
from theact_tui.models.storyteller.fold import condensed
from theact_tui.models.storyteller.persons import deed, in_own_voice
from theact_tui.models.storyteller.speak import best_answer
from theact_tui.models.storyteller.stock import FEELING
from theact_tui.models.storyteller.words import Action, read_line
from theact_tui.story.memory import MAX_FACTS, FactsMemory
from theact_tui.story.views import MemoryView, MergeView, Witnessed

SUMMARY_WORDS = 80
ALIKE = 0.6
"""Share of common words from which a new fact takes the place of an old one."""
_WORTH_KEEPING = re.compile(
    r"\b(?:my name is|i am a|i'm a|i promise|i swear|i will never|i'll never|my (?:brother|sister|mother|father|wife"
    r"|husband|son|daughter|friend|children|fault|home)|i trust|i don't trust|i love|i lied|i was wrong|i'm sorry"
    r"|i am sorry|thank you|i know the truth|secret|forgive)\b"
)


def remember(book: Book, view: MemoryView) -> str:
    """The memory agent's raw reply: YAML for policy `facts`, prose for `cells`."""
    if isinstance(view.memory, FactsMemory):
        return _facts(book, view, view.memory)
    return _diary(book, view)


def merge(book: Book, view: MergeView) -> str:
    """The old summary and the cells in at most five sentences."""
    pieces = [text for cell in view.cells for text in sentences(cell.text)]
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
        if _notable(action):
            made.append(deed(action, player))
    return list(dict.fromkeys(made))


def _answered(book: Book, view: MemoryView, turn: Witnessed, action: Action) -> list[str]:
    """What it learned from an answer it gave itself, if it did give it."""
    voice = book.script.voices.get(view.id)
    answer = best_answer(voice.answers, action.words) if voice else None
    if not answer or not answer.learns:
        return []
    line = flat(fill(answer.line, view.stage.player.name))
    own = [flat(entry.text) for entry in turn.entries if entry.character == view.id]
    return [fill(answer.learns, view.stage.player.name)] if line in own else []


def _notable(action: Action) -> bool:
    """True for what one remembers of another person: a confession, a promise, a blow, a gift."""
    if action.kind == "fight":
        return True
    if re.match(
        r"you (?:\w+ly )?(?:give|hug|kiss|comfort|forgive|thank|bandage|embrace|save|hit)\b", action.act
    ):
        return True
    return bool(_WORTH_KEEPING.search(action.words.casefold())) and "?" not in action.words


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
    """Three to five sentences: where it began, what happened, what the player did last, how it feels about it."""
    player = view.stage.player.name
    kept = [text for text in sentences(before) if not _passing(view, text)]
    if not kept and view.turns:
        title = (
            book.pack.chapters[view.turns[0].chapter].title
            if view.turns[0].chapter in book.pack.chapters
            else ""
        )
        kept = [
            f"{view.name} met {player} at the beginning of “{title}”."
            if title
            else f"{view.name} met {player}."
        ]
    gists, mood = _gists(book, view)
    told = condensed(book, player, " ".join(kept), gists, words=SUMMARY_WORDS, most=3, anchor=True)
    last = deed(_action(book, view, view.turns[-1]), player) if view.turns and _spoke(view.turns[-1]) else ""
    ending = [f"Last, {last}" if last else f"{view.name} waits for what comes next."]
    feeling = FEELING.get(mood, FEELING["calm"]).format(name=view.name)
    return " ".join([told, *ending, feeling])


def _gists(book: Book, view: MemoryView) -> tuple[list[str], str]:
    """What happened in the new turns, and the mood of the last one."""
    tellings = [book.told_in(turn, view.stage.player.name) for turn in view.turns]
    gists = [fill(t.passage.gist, view.stage.player.name) for t in tellings if t and t.passage.gist]
    last: Telling | None = tellings[-1] if tellings else None
    return gists, last.passage.mood if last else "calm"


def _passing(view: MemoryView, sentence: str) -> bool:
    """True for a sentence that held only for the last turn."""
    feelings = {feeling.format(name=view.name) for feeling in FEELING.values()}
    return (
        sentence.startswith("Last, ")
        or sentence in feelings
        or sentence.endswith("waits for what comes next.")
    )


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
        small = [deed(action, player)] if _spoke(turn) and (_notable(action) or not (gist or learned)) else []
        made += [*small, *([gist] if gist and not learned else []), *learned]
    told = [in_own_voice(text, view.name, player, others) for text in made[:3]]
    return " ".join(told) or "Nothing was said that I need to keep."


def _action(book: Book, view: MemoryView, turn: Witnessed) -> Action:
    text = next((entry.text for entry in turn.entries if entry.role == "player"), "")
    return read_line(text, view.stage.player.name, tuple(view.names.values()))


def _spoke(turn: Witnessed) -> bool:
    return any(entry.role == "player" and entry.text.strip() for entry in turn.entries)


def _scalar(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _list(texts: Sequence[str]) -> str:
    return "".join(f"\n  - {_scalar(text)}" for text in texts) or "[]"
