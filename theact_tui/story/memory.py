"""What a character remembers, as values (S4). The rules that change them are in `facts` and `cells`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from theact_tui.story.base import Value

MAX_FACTS = 10
MAX_PINNED_FACTS = 8


class Fact(Value):
    """One remembered line, and the turn it came from."""

    text: str
    turn: int
    pinned: bool = False


class Cell(Value):
    """A first-person entry about one turn. Its text may be empty."""

    turn: int
    text: str
    pinned: bool = False


class FactsMemory(Value):
    """S4.1: a summary of 3 to 5 sentences and at most 10 key facts, oldest first."""

    policy: Literal["facts"] = "facts"
    summary: str = ""
    summary_turn: int = 0
    key_facts: tuple[Fact, ...] = ()


class CellsMemory(Value):
    """S4.2: the newest K entries, newest first, and everything older compressed."""

    policy: Literal["cells"] = "cells"
    summary: str = ""
    summary_turn: int = 0
    cells: tuple[Cell, ...] = ()


Memory = Annotated[FactsMemory | CellsMemory, Field(discriminator="policy")]


def empty_memory(policy: Literal["facts", "cells"]) -> FactsMemory | CellsMemory:
    """The memory of somebody who has lived through nothing yet."""
    return FactsMemory() if policy == "facts" else CellsMemory()


def lines_of(memory: FactsMemory | CellsMemory) -> tuple[Fact | Cell, ...]:
    """The remembered lines of either policy, as stored."""
    return memory.key_facts if isinstance(memory, FactsMemory) else memory.cells
