"""What the side panel says of somebody in a word."""

from __future__ import annotations

from theact_tui.story.memory import Fact, FactsMemory
from theact_tui.tui.play.cast_list import MemoryMark, state_of


def said_of(memory: FactsMemory) -> str:
    return state_of(memory, True, MemoryMark())


def test_somebody_who_remembers_only_in_short_is_not_new_here() -> None:
    assert said_of(FactsMemory(summary="It rained.")) == "summary only"


def test_somebody_without_a_memory_is_new() -> None:
    assert said_of(FactsMemory()) == "new here"


def test_facts_are_counted() -> None:
    memory = FactsMemory(summary="It rained.", key_facts=(Fact(turn=1, text="The roof leaks."),))
    assert said_of(memory) == "1 fact"
