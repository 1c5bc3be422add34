"""S4.1: memory of policy `facts`."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from theact_tui.story.matching import plain
from theact_tui.story.memory import MAX_FACTS, Fact, FactsMemory, change_facts, pin_refusal


def at(turn: int) -> Callable[[str], int]:
    return lambda line: turn


def memory(*texts: str, pinned: tuple[int, ...] = ()) -> FactsMemory:
    facts = tuple(Fact(text=text, turn=i, pinned=i in pinned) for i, text in enumerate(texts))
    return FactsMemory(summary="Before.", summary_turn=1, key_facts=facts)


def texts(changed: FactsMemory) -> list[str]:
    return [fact.text for fact in changed.key_facts]


def test_a_fact_is_found_by_number_by_text_and_by_a_close_match() -> None:
    before = memory("the radio is dead", "Joaquin knows the path", "the spring is warm")
    after = change_facts(
        before, turn_of=at(7), remove=["1"], update=[("Joaquin knows the paths", "Joaquin walked the path")]
    )
    assert texts(after) == ["Joaquin walked the path", "the spring is warm"]
    assert after.key_facts[0].turn == 7
    assert texts(change_facts(before, turn_of=at(7), remove=["THE SPRING, is warm!"])) == texts(before)[:2]


def test_numbers_mean_the_list_that_was_shown() -> None:
    before = memory("one", "two", "three")
    assert texts(change_facts(before, turn_of=at(4), remove=["1", "2"])) == ["three"]


def test_a_close_match_never_crosses_a_negation() -> None:
    before = memory("Maya trusts Joaquin with the lamp")
    after = change_facts(before, turn_of=at(4), remove=["Maya never trusts Joaquin with the lamp"])
    assert texts(after) == texts(before)


def test_a_remove_that_misses_is_ignored_and_an_update_that_misses_is_added() -> None:
    before = memory("the radio is dead")
    after = change_facts(
        before, turn_of=at(4), remove=["nothing like it"], update=[("unknown", "the sea is loud")]
    )
    assert texts(after) == ["the radio is dead", "the sea is loud"]


def test_duplicates_are_not_added() -> None:
    before = memory("The radio is dead.")
    assert texts(change_facts(before, turn_of=at(4), add=["the radio is dead", "", "  "])) == texts(before)


def test_at_most_two_are_added_and_none_that_says_what_is_known() -> None:
    before = memory("The radio is dead.")
    after = change_facts(
        before,
        turn_of=at(4),
        add=["Dead the radio is (important)", "one thing", "two things", "three things"],
    )
    assert texts(after) == ["The radio is dead.", "one thing", "two things"]


def test_what_is_removed_or_replaced_is_archived() -> None:
    before = memory("Ten people left in the raft", "Sam is a nurse", "the spring is warm")
    after = change_facts(before, turn_of=at(9), remove=["1"], update=[("2", "Sam sells insurance")])
    assert texts(after) == ["Sam sells insurance", "the spring is warm"]
    assert after.older == "0 Ten people left in the raft\n1 Sam is a nurse"


def test_an_empty_summary_keeps_the_old_one_and_its_turn() -> None:
    after = change_facts(memory("a"), turn_of=at(4), summary="  ")
    assert (after.summary, after.summary_turn) == ("Before.", 1)
    assert change_facts(memory("a"), turn_of=at(4), summary="New.").summary_turn == 4


def test_over_ten_the_oldest_goes_but_never_a_pinned_one() -> None:
    before = memory(*(f"fact number {n} of many" for n in range(10)), pinned=(0, 2))
    after = change_facts(before, turn_of=at(20), add=["a new one", "another new one"])
    assert len(after.key_facts) == MAX_FACTS
    assert texts(after)[:2] == ["fact number 0 of many", "fact number 2 of many"]
    assert "fact number 1 of many" not in texts(after) and "fact number 3 of many" not in texts(after)


def test_a_pinned_fact_is_neither_removed_nor_replaced() -> None:
    before = memory("keep me", "other", pinned=(0,))
    after = change_facts(
        before, turn_of=at(9), remove=["1"], update=[("1", "replaced"), ("keep me", "again")]
    )
    assert texts(after) == ["keep me", "other", "replaced", "again"]


def test_at_most_eight_can_be_pinned() -> None:
    for pinned, refused in ((7, False), (8, True)):
        facts = memory(*"abcdefghij", pinned=tuple(range(pinned)))
        assert bool(pin_refusal(facts, facts.key_facts[-1], 0)) is refused


lines = st.lists(st.text(alphabet="abc 12.", max_size=8), max_size=14)


@given(lines, lines, lines, st.lists(st.tuples(st.text(max_size=4), st.text(max_size=6)), max_size=5))
def test_never_more_than_ten_and_pinned_ones_always_stay(
    known: list[str], add: list[str], remove: list[str], update: list[tuple[str, str]]
) -> None:
    before = memory(*known[:10], pinned=(0, 3, 5))
    after = change_facts(before, turn_of=at(30), add=add, remove=remove, update=update)
    assert len(after.key_facts) <= MAX_FACTS
    kept = {plain(fact.text) for fact in after.key_facts}
    assert kept >= {plain(fact.text) for fact in before.key_facts if fact.pinned} - {""}
