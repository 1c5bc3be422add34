"""What the side panel says of somebody in a word."""

from __future__ import annotations

from theact_tui.story.memory import Fact, FactsMemory
from theact_tui.tui.play.cast_list import Member, state_of


def test_somebody_who_remembers_only_in_short_is_not_new_here() -> None:
    ann = Member(id="ann", name="Ann", voice=0, present=True, memory=FactsMemory(summary="It rained."))
    assert state_of(ann) == "summary only"


def test_somebody_without_a_memory_is_new() -> None:
    ann = Member(id="ann", name="Ann", voice=0, present=True, memory=FactsMemory())
    assert state_of(ann) == "new here"


def test_facts_are_counted() -> None:
    memory = FactsMemory(summary="It rained.", key_facts=(Fact(turn=1, text="The roof leaks."),))
    assert state_of(Member(id="ann", name="Ann", voice=0, present=True, memory=memory)) == "1 fact"
