"""Memories of characters: facts or cells, and the rules that change them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Annotated, Literal, get_args

from pydantic import Field
from rapidfuzz import fuzz

from theact_tui.story.forgetting_and_recall import (
    archive,
    archive_sentences,
    archived_lines,
    crowded_out,
    parse_importance,
)
from theact_tui.story.matching import is_about, match_line, plain, same_roles, same_sense, says_the_same
from theact_tui.story.value import Value

MAX_FACTS = 10
NOTHING_HAPPENED = "Nothing was said that I need to keep."
"""Diary writer's answer that makes no entry."""
MAX_NEW_FACTS = 2
MAX_PINNED_FACTS = 8
PIN_ROOM = 1_500
"""Characters of a character's pinned lines, which a window of 2,048 tokens must hold."""


FactKind = Literal["", "promise", "gift", "lie", "debt", "death", "secret"]
FACT_KINDS: tuple[FactKind, ...] = tuple(kind for kind in get_args(FactKind) if kind)
"""Kinds of facts that are remembered longer."""


def kind_of(word: str) -> FactKind:
    return next((kind for kind in FACT_KINDS if kind == word.strip().casefold()), "")


class Fact(Value):
    text: str
    turn: int
    pinned: bool = False
    important: bool = False
    """Set aside later than others."""
    kind: FactKind = ""


class Cell(Value):
    """First-person entry about one turn; may be empty."""

    turn: int
    text: str
    pinned: bool = False
    important: bool = False


class Reflection(Value):
    """Conclusions from a chapter, replacing the card's want and relationships."""

    turn: int
    want: str = ""
    hide: str = ""
    beliefs: dict[str, str] = {}


class FactsMemory(Value):
    """Summary of turns out of view, and at most 10 key facts, oldest first."""

    policy: Literal["facts"] = "facts"
    summary: str = ""
    summary_turn: int = 0
    summary_edited: tuple[int, ...] = ()
    key_facts: tuple[Fact, ...] = ()
    older: str = ""
    reflection: Reflection | None = None


class CellsMemory(Value):
    """Newest K entries, newest first, and a summary of older ones."""

    policy: Literal["cells"] = "cells"
    summary: str = ""
    summary_turn: int = 0
    cells: tuple[Cell, ...] = ()
    older: str = ""
    reflection: Reflection | None = None


Memory = Annotated[FactsMemory | CellsMemory, Field(discriminator="policy")]


def empty_memory(policy: Literal["facts", "cells"]) -> FactsMemory | CellsMemory:
    return FactsMemory() if policy == "facts" else CellsMemory()


def lines_of(memory: FactsMemory | CellsMemory) -> tuple[Fact | Cell, ...]:
    return memory.key_facts if isinstance(memory, FactsMemory) else memory.cells


def with_lines(memory: Memory, lines: Iterable[Fact | Cell], **changes: object) -> Memory:
    field = "key_facts" if isinstance(memory, FactsMemory) else "cells"
    return memory.model_copy(update={field: tuple(lines), **changes})


def origins_of(memory: FactsMemory | CellsMemory) -> set[int]:
    return {line.turn for line in (*lines_of(memory), *archived_lines(memory.older))}


def keep_pins(memory: Memory, replaced: Memory, turn: int) -> Memory:
    """Pin what a turn told again teaches as one of the pinned lines of its `replaced` take."""
    pinned = [line.text for line in lines_of(replaced) if line.pinned and line.turn == turn]
    lines = lines_of(memory)
    kept = [line.pinned or (line.turn == turn and says_the_same(line.text, pinned)) for line in lines]
    pins = zip(lines, kept, strict=True)
    return with_lines(memory, (line.model_copy(update={"pinned": pin}) for line, pin in pins))


def pin_refusal(memory: FactsMemory | CellsMemory, line: Fact | Cell, limit: int) -> str:
    """Explain why `line` cannot be pinned, or return "". `limit` is the most cells."""
    pinned = [item for item in lines_of(memory) if item.pinned]
    if isinstance(memory, FactsMemory) and len(pinned) >= MAX_PINNED_FACTS:
        return f"You can pin at most {MAX_PINNED_FACTS} facts. Unpin one first."
    if isinstance(memory, CellsMemory) and len(pinned) >= limit - 1:
        return "One entry must stay unpinned. Unpin another first."
    if sum(len(item.text) for item in (*pinned, line)) > PIN_ROOM:
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
    """Apply a reply of the memory agent.

    A change names a fact by number, text or close match. One that matches no fact, has none of its words but `names`,
    or names a pinned fact, is added as a new fact. At most `most` facts and `most` such changes are added, without
    duplicates. Changed facts get a turn from `turn_of` and lose their kind. Replaced and crowded-out facts go to
    `older`.
    """
    facts_before = memory.key_facts
    texts = [fact.text for fact in facts_before]
    words: dict[int, str] = {}
    added = [(text, kind) for text, kind in new if text.strip()]
    missed = list[tuple[str, FactKind]]()
    for old, now in changed:
        index = match_line(old, texts)
        if not now.strip() or (index is not None and plain(now) == plain(texts[index])):
            continue
        if index is None or facts_before[index].pinned or not is_about(now, texts[index], names):
            missed.append((now, ""))
        else:
            words[index] = now.strip()
    updated = [_fact(words[i], turn_of) if i in words else fact for i, fact in enumerate(facts_before)]
    listed = [fact.text for fact in updated]
    fresh = [
        [one for one in some if not _is_covered(parse_importance(one[0])[0], listed)][:most]
        for some in (added, missed)
    ]
    new_facts = [_fact(text, turn_of, kind=kind) for text, kind in chain(*fresh)]
    facts = _without_repeats([*updated, *new_facts])
    fact_texts = [fact.text for fact in facts]
    facts = [fact for fact in facts if fact.pinned or not _is_part(fact.text, fact_texts)]
    stay, _ = crowded_out(facts, MAX_FACTS)
    replaced = [
        facts_before[i].model_copy(update={"text": replaced_text(texts[i], now.text)})
        for i, now in enumerate(updated)
        if i in words
    ]
    removed = [fact for fact in (*updated, *new_facts) if fact not in stay]
    older = archive(memory.older, [*replaced, *removed], current=(fact.text for fact in stay))
    return memory.model_copy(update={"key_facts": tuple(stay), "older": older})


_OWED: tuple[FactKind, ...] = ("promise", "debt", "gift")
MOST_OWED = 8


def owed_lines(memories: Mapping[str, FactsMemory | CellsMemory]) -> tuple[str, ...]:
    """Return the newest promises, debts and gifts that anybody remembers, oldest first, each once."""
    lines = [
        line for memory in memories.values() for line in (*archived_lines(memory.older), *lines_of(memory))
    ]
    owed = sorted(
        (line for line in lines if getattr(line, "kind", "") in _OWED),
        key=lambda line: (line.turn, len(line.text)),
    )
    distinct = list[str]()
    for line in reversed(owed):
        if not _is_covered(line.text, distinct):
            distinct.append(line.text)
    return tuple(distinct[:MOST_OWED][::-1])


def replaced_text(was: str, now: str) -> str:
    return f"{was.rstrip('.')}. Later: {now}"


def with_summary(memory: FactsMemory, summary: str, through: int) -> FactsMemory:
    """Set the summary up to turn `through`; sentences it drops are archived, and no turn counts as edited since."""
    fact_texts = [fact.text for fact in memory.key_facts]
    older = archive_sentences(memory.older, memory.summary, summary, memory.summary_turn, fact_texts)
    changes = {"summary": summary, "summary_turn": through, "summary_edited": (), "older": older}
    return memory.model_copy(update=changes)


def _is_part(text: str, listed: Sequence[str]) -> bool:
    own = set(plain(text).split())
    return _is_covered(text, [line for line in listed if len(set(plain(line).split())) > len(own)])


def _is_covered(text: str, listed: Sequence[str]) -> bool:
    """True if one of the lines says all of `text`."""
    mine = plain(text)
    return any(
        set(mine.split()) <= set(theirs.split()) and same_sense(mine, theirs) and same_roles(text, line)
        for line, theirs in ((line, plain(line)) for line in listed)
    )


def _fact(line: str, turn_of: Callable[[str], int], *, kind: FactKind = "") -> Fact:
    text, marked = parse_importance(line)
    return Fact(text=text, turn=turn_of(text), important=marked or bool(kind), kind=kind)


def _without_repeats(facts: Iterable[Fact]) -> list[Fact]:
    """Drop empty and repeated facts; of two alike, keep the pinned one, else the earlier."""
    unique: dict[str, Fact] = {}
    for fact in facts:
        key = plain(fact.text)
        if key and (key not in unique or (fact.pinned and not unique[key].pinned)):
            unique[key] = fact
    return list(unique.values())


def cells_to_merge(memory: CellsMemory, new: Sequence[Cell], limit: int) -> tuple[Cell, ...]:
    """Return the oldest cells to summarise so that `new` ones fit."""
    room = max(0, limit - sum(cell.pinned for cell in memory.cells))
    loose = [cell for cell in _newest_first([*new, *memory.cells]) if not cell.pinned]
    return tuple(reversed(loose[room:]))


def push_cells(
    memory: CellsMemory, new: Sequence[Cell], merged: Sequence[Cell] = (), summary: str = "", turn: int = 0
) -> CellsMemory:
    """Add `new` cells; archive `merged` ones, which `summary` replaces."""
    removed = {(cell.turn, cell.text) for cell in merged}
    cells = [cell for cell in [*new, *memory.cells] if (cell.turn, cell.text) not in removed]
    changes = {"summary": summary, "summary_turn": turn} if merged else {}
    older = archive(memory.older, merged)
    return memory.model_copy(update={"cells": tuple(_newest_first(cells)), "older": older, **changes})


def with_earlier(memory: Memory, earlier: Memory, limit: int) -> Memory:
    """Prepend a memory of earlier turns; lines without room are archived. `limit` is the most cells."""
    stay: Sequence[Fact | Cell]
    removed: Sequence[Fact | Cell]
    if isinstance(memory, FactsMemory) and isinstance(earlier, FactsMemory):
        facts = _without_repeats((*earlier.key_facts, *memory.key_facts))
        stay, removed = crowded_out(facts, MAX_FACTS)
    elif isinstance(memory, CellsMemory) and isinstance(earlier, CellsMemory):
        removed = cells_to_merge(memory, earlier.cells, limit)
        going = {id(cell) for cell in removed}
        stay = [cell for cell in (*memory.cells, *earlier.cells) if id(cell) not in going]
    else:
        return memory
    changes = {} if memory.summary else {"summary": earlier.summary, "summary_turn": earlier.summary_turn}
    older = archive(
        memory.older, [*archived_lines(earlier.older), *removed], current=(line.text for line in stay)
    )
    return with_lines(memory, stay, older=older, **changes)


def _newest_first(cells: Sequence[Cell]) -> list[Cell]:
    return sorted(cells, key=lambda cell: -cell.turn)


_ALIKE = 60
"""Percent of similarity from which a removed and a new line count as one changed line."""

Kind = Literal["added", "changed", "removed"]
Line = Fact | Cell


@dataclass(frozen=True, slots=True)
class Change:
    kind: Kind
    text: str
    was: str = ""
    turn: int = field(default=0, compare=False)


def memory_changes(before: Memory | None, after: Memory) -> tuple[Change, ...]:
    return line_changes(lines_of(before) if before else (), lines_of(after))


def line_changes(
    before: Iterable[Line], after: Iterable[Line], *, same_turn: bool = False
) -> tuple[Change, ...]:
    """Compare lines, in the order of `after`, removed ones last. Ignores empty lines.

    With `same_turn` a fact counts as changed only within its turn; a cell always does.
    """
    old, new = ([line for line in lines if line.text.strip()] for lines in (before, after))
    removed = [line for line in old if line.text not in {current.text for current in new}]
    old_texts = {line.text for line in old}
    changes: list[Change] = []
    for line in new:
        if line.text in old_texts:
            continue
        was = _nearest(line, removed, same_turn)
        if was:
            removed.remove(was)
            changes.append(Change("changed", line.text, was.text, line.turn))
        else:
            changes.append(Change("added", line.text, turn=line.turn))
    return (*changes, *(Change("removed", line.text, turn=line.turn) for line in removed))


def _nearest(line: Line, candidates: Sequence[Line], same_turn: bool) -> Line | None:
    if isinstance(line, Cell):
        return next((other for other in candidates if other.turn == line.turn), None)
    rivals = [other for other in candidates if other.turn == line.turn or not same_turn]
    best = max(rivals, key=lambda other: fuzz.ratio(line.text, other.text), default=None)
    return best if best and fuzz.ratio(line.text, best.text) >= _ALIKE else None
