"""What a character remembers, as values (S4). The rules that change them are in `facts` and `cells`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from theact_tui.story.base import Value

MAX_FACTS = 10
MAX_PINNED_FACTS = 8
PIN_ROOM = 1_500
"""Characters that a character's pinned lines may take together: they are told whole in every prompt of its own, and
even a window of 2,048 tokens must hold them beside the persona and the player's longest line."""


class Fact(Value):
    """One remembered line, and the turn it came from."""

    text: str
    turn: int
    pinned: bool = False
    important: bool = False
    """Marked by the model when it wrote the line; it goes later than others."""


class Cell(Value):
    """A first-person entry about one turn. Its text may be empty."""

    turn: int
    text: str
    pinned: bool = False
    important: bool = False


class FactsMemory(Value):
    """S4.1: a summary of 3 to 5 sentences and at most 10 key facts, oldest first."""

    policy: Literal["facts"] = "facts"
    summary: str = ""
    summary_turn: int = 0
    key_facts: tuple[Fact, ...] = ()
    older: str = ""
    """Facts that gave way to newer ones, as `theact_tui.story.older` keeps them."""


class CellsMemory(Value):
    """S4.2: the newest K entries, newest first, and everything older compressed."""

    policy: Literal["cells"] = "cells"
    summary: str = ""
    summary_turn: int = 0
    cells: tuple[Cell, ...] = ()
    older: str = ""
    """Entries that were merged into the summary, as `theact_tui.story.older` keeps them."""


Memory = Annotated[FactsMemory | CellsMemory, Field(discriminator="policy")]


def empty_memory(policy: Literal["facts", "cells"]) -> FactsMemory | CellsMemory:
    """The memory of somebody who has lived through nothing yet."""
    return FactsMemory() if policy == "facts" else CellsMemory()


def lines_of(memory: FactsMemory | CellsMemory) -> tuple[Fact | Cell, ...]:
    """The remembered lines of either policy, as stored."""
    return memory.key_facts if isinstance(memory, FactsMemory) else memory.cells


def pins_fit(memory: FactsMemory | CellsMemory, line: Fact | Cell) -> bool:
    """True if there is room for `line` beside the lines that are pinned already."""
    pinned = [known for known in lines_of(memory) if known.pinned]
    return sum(len(known.text) for known in (*pinned, line)) <= PIN_ROOM
