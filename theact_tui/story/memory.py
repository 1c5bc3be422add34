"""What a character remembers, as values: facts or cells, and the rules that change them."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Annotated, Literal, get_args

from pydantic import Field
from rapidfuzz import fuzz

from theact_tui.story.base import Value
from theact_tui.story.forgetting_and_recall import (
    archive,
    archive_sentences,
    archived_lines,
    crowded_out,
    parse_importance,
)
from theact_tui.story.matching import is_about, match_line, plain, same_sense

MAX_FACTS = 10
NOTHING_HAPPENED = "Nothing was said that I need to keep."
"""What the writer of a diary answers for a turn that brought nothing to write down: no entry is made."""
MAX_NEW_FACTS = 2
"""Facts that one turn can add: more would push out within days what should last for years."""
MAX_PINNED_FACTS = 8
PIN_ROOM = 1_500
"""Characters that a character's pinned lines may take together: they are told whole in every prompt of its own, and
even a window of 2,048 tokens must hold them beside the persona and the player's longest line."""


FactKind = Literal["", "promise", "gift", "lie", "debt", "death", "secret"]
FACT_KINDS: tuple[FactKind, ...] = tuple(kind for kind in get_args(FactKind) if kind)
"""What a line may be that is remembered longer than others."""


def kind_of(word: str) -> FactKind:
    """The kind that a word names."""
    return next((kind for kind in FACT_KINDS if kind == word.strip().casefold()), "")


class Fact(Value):
    """One remembered line, and the turn it came from."""

    text: str
    turn: int
    pinned: bool = False
    important: bool = False
    """It has a kind, or was marked in another way when it was written; it goes later than others."""
    kind: FactKind = ""


class Cell(Value):
    """A first-person entry about one turn. Its text may be empty."""

    turn: int
    text: str
    pinned: bool = False
    important: bool = False


class Reflection(Value):
    """What a character made of a chapter: it stands in the place of the card's want and relationships."""

    turn: int
    want: str = ""
    hide: str = ""
    beliefs: dict[str, str] = {}
    """What it now thinks of others, by name."""


class FactsMemory(Value):
    """A summary of the turns that left its owner's view, and at most 10 key facts, oldest first."""

    policy: Literal["facts"] = "facts"
    summary: str = ""
    summary_turn: int = 0
    summary_edited: tuple[int, ...] = ()
    """Turns whose text was edited after the summary of them was made."""
    key_facts: tuple[Fact, ...] = ()
    older: str = ""
    """Facts that gave way to newer ones, as `theact_tui.story.forgetting_and_recall` keeps them."""
    reflection: Reflection | None = None


class CellsMemory(Value):
    """The newest K entries, newest first, and everything older compressed."""

    policy: Literal["cells"] = "cells"
    summary: str = ""
    summary_turn: int = 0
    cells: tuple[Cell, ...] = ()
    older: str = ""
    """Entries that were merged into the summary, as `theact_tui.story.forgetting_and_recall` keeps them."""
    reflection: Reflection | None = None


Memory = Annotated[FactsMemory | CellsMemory, Field(discriminator="policy")]


def empty_memory(policy: Literal["facts", "cells"]) -> FactsMemory | CellsMemory:
    """The memory of somebody who has lived through nothing yet."""
    return FactsMemory() if policy == "facts" else CellsMemory()


def lines_of(memory: FactsMemory | CellsMemory) -> tuple[Fact | Cell, ...]:
    """The remembered lines of either policy, as stored."""
    return memory.key_facts if isinstance(memory, FactsMemory) else memory.cells


def origins_of(memory: FactsMemory | CellsMemory) -> set[int]:
    """The turns that its lines come from, also those set aside."""
    return {line.turn for line in (*lines_of(memory), *archived_lines(memory.older))}


def pin_refusal(memory: FactsMemory | CellsMemory, line: Fact | Cell, limit: int) -> str:
    """Why `line` cannot be pinned beside those that are, in a sentence; empty if it can. `limit` is that of cells."""
    pinned = [known for known in lines_of(memory) if known.pinned]
    if isinstance(memory, FactsMemory) and len(pinned) >= MAX_PINNED_FACTS:
        return f"You can pin at most {MAX_PINNED_FACTS} facts. Unpin one first."
    if isinstance(memory, CellsMemory) and len(pinned) >= limit - 1:
        return "One entry must stay unpinned. Unpin another first."
    if sum(len(known.text) for known in (*pinned, line)) > PIN_ROOM:
        return f"Pinned lines may have {PIN_ROOM:,} characters in total. Unpin or shorten a line first."
    return ""


def change_facts(
    memory: FactsMemory,
    *,
    turn_of: Callable[[str], int],
    new: Sequence[tuple[str, FactKind]] = (),
    changed: Sequence[tuple[str, str]] = (),
    most: int = MAX_NEW_FACTS,
    names: Sequence[str] = (),
) -> FactsMemory:
    """The memory after one reply of the memory agent. `turn_of` says which turn a new line came from.

    A change names a fact by number, text or a close match, always of the list the agent was shown. One that misses, has
    no word of it but `names`, or names a pinned fact, adds its new text; at most `most` are added, and as many of such, none
    that says what is known. Nothing is destroyed: what is crowded out is kept among the `older`, and so is what is replaced,
    with what it became.
    """
    known = memory.key_facts
    texts = [fact.text for fact in known]
    words: dict[int, str] = {}
    added = [(text, kind) for text, kind in new if text.strip()]
    missed = list[tuple[str, FactKind]]()
    for old, now in changed:
        index = match_line(old, texts)
        if not now.strip() or (index is not None and plain(now) == plain(texts[index])):
            continue
        if index is None or known[index].pinned or not is_about(now, texts[index], names):
            missed.append((now, ""))
        else:
            words[index] = now.strip()
    kept = [_fact(words[i], turn_of) if i in words else fact for i, fact in enumerate(known)]
    listed = [fact.text for fact in kept]
    fresh = [
        [one for one in some if not _is_known(parse_importance(one[0])[0], listed)][:most]
        for some in (added, missed)
    ]
    made = [_fact(text, turn_of, kind=kind) for text, kind in chain(*fresh)]
    facts = _without_repeats([*kept, *made])
    told = [fact.text for fact in facts]
    facts = [fact for fact in facts if fact.pinned or not _is_part(fact.text, told)]
    stay, _ = crowded_out(facts, MAX_FACTS)
    replaced = [
        known[i].model_copy(update={"text": f"{texts[i].rstrip('.')}. Later: {now.text}"})
        for i, now in enumerate(kept)
        if i in words
    ]
    gone = [fact for fact in (*kept, *made) if fact not in stay]
    older = archive(memory.older, [*replaced, *gone], known=(fact.text for fact in stay))
    return memory.model_copy(update={"key_facts": tuple(stay), "older": older})


def with_summary(memory: FactsMemory, summary: str, through: int) -> FactsMemory:
    """The memory with a summary of all up to the turn `through`; what it leaves out of the former one is archived."""
    known = [fact.text for fact in memory.key_facts]
    older = archive_sentences(memory.older, memory.summary, summary, memory.summary_turn, known)
    told = {"summary": summary, "summary_turn": through, "summary_edited": (), "older": older}
    return memory.model_copy(update=told)


def _is_part(text: str, listed: Sequence[str]) -> bool:
    """True if one of the `listed` lines holds all that `text` says, and more."""
    own = set(plain(text).split())
    return _is_known(text, [line for line in listed if len(set(plain(line).split())) > len(own)])


def _is_known(text: str, listed: Sequence[str]) -> bool:
    """True if one of the `listed` lines holds all that `text` says."""
    mine = plain(text)
    return any(
        set(mine.split()) <= set(theirs.split()) and same_sense(mine, theirs) for theirs in map(plain, listed)
    )


def _fact(line: str, turn_of: Callable[[str], int], *, kind: FactKind = "") -> Fact:
    """A fact as the model wrote it; one that is over, or came otherwise than before, is of no kind any more."""
    text, marked = parse_importance(line)
    return Fact(text=text, turn=turn_of(text), important=marked or bool(kind), kind=kind)


def _without_repeats(facts: Iterable[Fact]) -> list[Fact]:
    """Facts with a text, each once; of two alike the pinned or else the earlier one stays."""
    unique: dict[str, Fact] = {}
    for fact in facts:
        key = plain(fact.text)
        if key and (key not in unique or (fact.pinned and not unique[key].pinned)):
            unique[key] = fact
    return list(unique.values())


def cells_to_merge(memory: CellsMemory, new: Sequence[Cell], limit: int) -> tuple[Cell, ...]:
    """The cells, oldest first, that must go into the summary before `new` ones fit among `limit`. None: no call."""
    room = max(0, limit - sum(cell.pinned for cell in memory.cells))
    loose = [cell for cell in _newest_first([*new, *memory.cells]) if not cell.pinned]
    return tuple(reversed(loose[room:]))


def push_cells(
    memory: CellsMemory, new: Sequence[Cell], merged: Sequence[Cell] = (), summary: str = "", turn: int = 0
) -> CellsMemory:
    """The memory with `new` cells in front and the `merged` ones, kept among the `older`, replaced by `summary`."""
    gone = {(cell.turn, cell.text) for cell in merged}
    cells = [cell for cell in [*new, *memory.cells] if (cell.turn, cell.text) not in gone]
    told = {"summary": summary, "summary_turn": turn} if merged else {}
    older = archive(memory.older, merged)
    return memory.model_copy(update={"cells": tuple(_newest_first(cells)), "older": older, **told})


def with_earlier(memory: Memory, earlier: Memory, limit: int) -> Memory:
    """The memory with one made of turns before its own; what has no place goes to `older`. `limit` is that of cells."""
    stay: Sequence[Fact | Cell]
    gone: Sequence[Fact | Cell]
    if isinstance(memory, FactsMemory) and isinstance(earlier, FactsMemory):
        facts = _without_repeats((*earlier.key_facts, *memory.key_facts))
        stay, gone = crowded_out(facts, MAX_FACTS)
    elif isinstance(memory, CellsMemory) and isinstance(earlier, CellsMemory):
        gone = cells_to_merge(memory, earlier.cells, limit)
        going = {id(cell) for cell in gone}
        stay = [cell for cell in (*memory.cells, *earlier.cells) if id(cell) not in going]
    else:
        return memory
    told = {} if memory.summary else {"summary": earlier.summary, "summary_turn": earlier.summary_turn}
    older = archive(memory.older, [*archived_lines(earlier.older), *gone], known=(line.text for line in stay))
    field = "key_facts" if isinstance(memory, FactsMemory) else "cells"
    return memory.model_copy(update={field: tuple(stay), "older": older, **told})


def _newest_first(cells: Sequence[Cell]) -> list[Cell]:
    return sorted(cells, key=lambda cell: -cell.turn)


ALIKE = 60
"""Percent of likeness from which a line that went and a line that came count as one that changed."""

Kind = Literal["added", "changed", "removed"]
Line = Fact | Cell


@dataclass(frozen=True, slots=True)
class Change:
    """One line that came, changed or went; `was` is what a changed one said before."""

    kind: Kind
    text: str
    was: str = ""
    turn: int = field(default=0, compare=False)
    """Where the line came from."""


def memory_changes(before: Memory | None, after: Memory) -> tuple[Change, ...]:
    """How a memory became another. Summaries are not compared."""
    return line_changes(lines_of(before) if before else (), lines_of(after))


def line_changes(
    before: Iterable[Line], after: Iterable[Line], *, same_turn: bool = False
) -> tuple[Change, ...]:
    """The lines that differ, in the order of `after`, those that went last. Lines without a text do not count.

    With `same_turn` a line counts as changed only if it comes from the same turn; a cell always does.
    """
    old, new = ([line for line in lines if line.text.strip()] for lines in (before, after))
    gone = [line for line in old if line.text not in {kept.text for kept in new}]
    known = {line.text for line in old}
    found: list[Change] = []
    for line in new:
        if line.text in known:
            continue
        was = _nearest(line, gone, same_turn)
        if was:
            gone.remove(was)
            found.append(Change("changed", line.text, was.text, line.turn))
        else:
            found.append(Change("added", line.text, turn=line.turn))
    return (*found, *(Change("removed", line.text, turn=line.turn) for line in gone))


def _nearest(line: Line, candidates: Sequence[Line], same_turn: bool) -> Line | None:
    """The candidate that `line` has taken the place of, or None."""
    if isinstance(line, Cell):
        return next((other for other in candidates if other.turn == line.turn), None)
    rivals = [other for other in candidates if other.turn == line.turn or not same_turn]
    best = max(rivals, key=lambda other: fuzz.ratio(line.text, other.text), default=None)
    return best if best and fuzz.ratio(line.text, best.text) >= ALIKE else None
