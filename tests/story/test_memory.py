"""S4: memories of both policies, `facts` and `cells`, and how two of them differ."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from theact_tui.story.forgetting_and_recall import ArchivedLine, archived_lines, unmentioned, without_versions
from theact_tui.story.matching import plain, says_the_same
from theact_tui.story.memory import (
    MAX_FACTS,
    Cell,
    CellsMemory,
    Change,
    Fact,
    FactKind,
    FactsMemory,
    cells_to_merge,
    change_facts,
    line_changes,
    memory_changes,
    owed_lines,
    pin_refusal,
    push_cells,
    with_summary,
)


def at(turn: int) -> Callable[[str], int]:
    return lambda line: turn


def memory(*texts: str, pinned: tuple[int, ...] = ()) -> FactsMemory:
    facts = tuple(Fact(text=text, turn=i, pinned=i in pinned) for i, text in enumerate(texts))
    return FactsMemory(summary="Before.", summary_turn=1, key_facts=facts)


def told(*lines: str) -> list[tuple[str, FactKind]]:
    return [(line, "") for line in lines]


def texts(changed: FactsMemory) -> list[str]:
    return [fact.text for fact in changed.key_facts]


RADIO, LAMP = "The radio is dead.", "Maya trusts Joaquin with the lamp"


@pytest.mark.parametrize(
    ("before", "new", "changed", "after"),
    [
        (memory(RADIO, "It rains"), [], [("1", "the radio hums")], ["the radio hums", "It rains"]),
        (memory(RADIO, "It rains"), [], [("THE RADIO, is dead!", "the radio hums")], ["the radio hums", "It rains"]),
        (memory("Joaquin knows the path"), [], [("Joaquin knows the paths", "Joaquin left it")], ["Joaquin left it"]),
        (memory(LAMP), [], [("Maya never trusts Joaquin with the lamp", "Maya took it")], [LAMP, "Maya took it"]),
        (memory(RADIO), [], [("unknown", "the sea is loud")], [RADIO, "the sea is loud"]),
        (memory(RADIO), ["the radio is dead", "", "  ", "Dead the radio is (important)"], [], [RADIO]),
        (memory(RADIO), ["one thing", "two things", "three things"], [], [RADIO, "one thing", "two things"]),
        (memory("keep me", pinned=(0,)), [], [("1", "replaced"), ("keep me", "again")], ["keep me", "replaced", "again"]),
    ],
    ids=["by number", "by text", "close", "a negation", "misses", "known", "at most two", "pinned"],
)  # fmt: skip
def test_a_change_finds_its_fact_or_is_added(
    before: FactsMemory, new: list[str], changed: list[tuple[str, str]], after: list[str]
) -> None:
    made = change_facts(before, turn_of=at(7), new=told(*new), changed=changed)
    assert texts(made) == after
    assert all(fact.turn == 7 for fact in made.key_facts if fact not in before.key_facts)


def test_what_is_replaced_is_archived() -> None:
    before = memory("Sam sells insurance", "the spring is warm")
    after = change_facts(before, turn_of=at(9), changed=[("1", "Sam sold no insurance in his life")])
    assert texts(after) == ["Sam sold no insurance in his life", "the spring is warm"]
    assert after.older == "0 Sam sells insurance. Later: Sam sold no insurance in his life"


def test_what_has_no_word_of_a_fact_but_a_name_does_not_replace_it() -> None:
    before = memory("Maya hid the ledger", "Bob has the key")
    changed = [("1", "Maya drank the juice"), ("2", "Ann has the key")]
    after = change_facts(before, turn_of=at(9), changed=changed, names=("Maya", "Ann", "Bob"))
    assert texts(after) == ["Maya hid the ledger", "Ann has the key", "Maya drank the juice"]


def test_a_fact_of_a_kind_is_important_until_it_is_over() -> None:
    made = change_facts(memory(), turn_of=at(4), new=[("Maya will come back", "promise"), ("It rains", "")])
    assert [(fact.kind, fact.important) for fact in made.key_facts] == [("promise", True), ("", False)]
    assert change_facts(made, turn_of=at(5), changed=[("1", "Maya will come back.")]) == made, (
        "nothing changed"
    )
    after = change_facts(made, turn_of=at(5), changed=[("1", "Maya came back")])
    assert after.key_facts[0] == Fact(text="Maya came back", turn=5)
    assert after.older == "4!promise Maya will come back. Later: Maya came back"


def test_a_correction_that_has_no_place_is_archived_and_one_that_misses_takes_no_place_of_a_new_fact() -> (
    None
):
    before = memory(*(f"Maya owes {n} coins" for n in "abcdefghij"))
    before = before.model_copy(
        update={
            "key_facts": tuple(
                f.model_copy(update={"important": n > 0}) for n, f in enumerate(before.key_facts)
            )
        }
    )
    new: list[tuple[str, FactKind]] = [("Bob hid a rope", "secret"), ("Ann lied to Bob", "lie")]
    changed = [("1", "Maya owes a no coins"), ("2", "the tower fell")]
    after = change_facts(before, turn_of=at(9), new=new, changed=changed)
    assert {"Bob hid a rope", "Ann lied to Bob", "the tower fell"} <= set(texts(after))
    everything = f"{after.older} {texts(after)}"
    assert "Maya owes a coins. Later: Maya owes a no coins" in everything


def test_what_a_new_summary_leaves_out_of_the_old_one_is_archived() -> None:
    before = FactsMemory(summary="Maya found the spring. Sam lied.", summary_turn=4)
    after = with_summary(before, "Sam lied. Dorothy made the bed.", 10)
    assert (after.summary, after.summary_turn) == ("Sam lied. Dorothy made the bed.", 10)
    assert after.older == "4 Maya found the spring."


def test_over_ten_the_oldest_goes_but_never_a_pinned_one() -> None:
    before = memory(*(f"fact number {n} of many" for n in range(10)), pinned=(0, 2))
    after = change_facts(before, turn_of=at(20), new=told("a new one", "another new one"))
    assert len(after.key_facts) == MAX_FACTS
    assert texts(after)[:2] == ["fact number 0 of many", "fact number 2 of many"]
    assert "fact number 1 of many" not in texts(after) and "fact number 3 of many" not in texts(after)


def test_at_most_eight_can_be_pinned() -> None:
    for pinned, refused in ((7, False), (8, True)):
        facts = memory(*"abcdefghij", pinned=tuple(range(pinned)))
        assert bool(pin_refusal(facts, facts.key_facts[-1], 0)) is refused


lines = st.lists(st.text(alphabet="abc 12.", max_size=8), max_size=14)


@given(lines, lines, st.lists(st.tuples(st.text(max_size=4), st.text(max_size=6)), max_size=5))
def test_never_more_than_ten_and_pinned_ones_always_stay(
    known: list[str], new: list[str], changed: list[tuple[str, str]]
) -> None:
    before = memory(*known[:10], pinned=(0, 3, 5))
    after = change_facts(before, turn_of=at(30), new=told(*new), changed=changed)
    assert len(after.key_facts) <= MAX_FACTS
    kept = {plain(fact.text) for fact in after.key_facts}
    assert kept >= {plain(fact.text) for fact in before.key_facts if fact.pinned} - {""}


def cells(*turns: int, pinned: tuple[int, ...] = ()) -> tuple[Cell, ...]:
    return tuple(Cell(turn=turn, text=f"entry {turn}", pinned=turn in pinned) for turn in turns)


@pytest.mark.parametrize(
    ("before", "k", "merged", "kept"),
    [((2, 1), 3, [], [9, 2, 1]), ((3, 2, 1), 3, [1], [9, 3, 2]), ((1,), 1, [1], [9])],
    ids=["fewer than k need no merge", "at k the oldest is merged", "with one all older are in the summary"],
)
def test_entries_beyond_k_are_merged(
    before: tuple[int, ...], k: int, merged: list[int], kept: list[int]
) -> None:
    held, new = (
        CellsMemory(summary="old", cells=cells(*before)),
        (Cell(turn=9, text="私は「灯り」を見た。\n🙂"),),
    )
    oldest = cells_to_merge(held, new, k)
    assert [cell.turn for cell in oldest] == merged
    after = push_cells(held, new, oldest, "new", 9) if merged else push_cells(held, new)
    assert ([cell.turn for cell in after.cells], after.cells[0]) == (kept, new[0])
    assert (after.summary, after.summary_turn) == (("new", 9) if merged else ("old", held.summary_turn))


def test_a_lowered_k_and_waiting_entries_merge_more_oldest_first() -> None:
    before = CellsMemory(cells=cells(6, 5, 4, 3, 2))
    assert [cell.turn for cell in cells_to_merge(before, cells(7), 2)] == [2, 3, 4, 5]
    assert [cell.turn for cell in cells_to_merge(before, cells(8, 7), 5)] == [2, 3]


def test_a_pinned_cell_is_never_merged_away() -> None:
    before = CellsMemory(cells=cells(3, 2, 1, pinned=(1,)))
    merged = cells_to_merge(before, cells(4), 3)
    assert [cell.turn for cell in merged] == [2]
    assert [cell.turn for cell in push_cells(before, cells(4), merged, "s", 4).cells] == [4, 3, 1]
    assert not pin_refusal(before, before.cells[0], 3)
    full = CellsMemory(cells=cells(3, 2, 1, pinned=(1, 2)))
    assert "One entry must stay unpinned" in pin_refusal(full, full.cells[0], 3)


def facts(*lines: tuple[int, str]) -> FactsMemory:
    return FactsMemory(key_facts=tuple(Fact(turn=turn, text=text) for turn, text in lines))


def test_lines_come_change_and_go_with_the_turn_they_are_from() -> None:
    before = facts((1, "Joaquin may know the island."), (2, "The compass is broken."))
    after = facts((5, "Joaquin surely knows the island."), (5, "Nine lines were cut."))
    changes = memory_changes(before, after)
    assert changes == (
        Change("changed", "Joaquin surely knows the island.", "Joaquin may know the island."),
        Change("added", "Nine lines were cut."),
        Change("removed", "The compass is broken."),
    )
    assert [change.turn for change in changes] == [5, 5, 2]


def test_a_line_takes_the_place_of_the_most_alike_one_and_of_one_only() -> None:
    before = facts((1, "The spring is warm."), (1, "The spring is warm and salt."))
    after = facts((2, "The spring is warm and salty."), (2, "The spring was warm."))
    assert [(change.text, change.was) for change in memory_changes(before, after)] == [
        ("The spring is warm and salty.", "The spring is warm and salt."),
        ("The spring was warm.", "The spring is warm."),
    ]


def test_a_cell_of_the_same_turn_changed_and_others_did_not() -> None:
    before = CellsMemory(cells=(Cell(turn=3, text="I fell."), Cell(turn=2, text="I saw smoke.")))
    after = CellsMemory(cells=(Cell(turn=4, text="I fell again."), Cell(turn=3, text="Nobody pushed me.")))
    assert memory_changes(before, after) == (
        Change("added", "I fell again."),
        Change("changed", "Nobody pushed me.", "I fell."),
        Change("removed", "I saw smoke."),
    )


def test_between_branches_only_lines_of_one_turn_are_one_line_that_changed() -> None:
    here, there = Fact(turn=4, text="The door is open."), Fact(turn=7, text="The door is ajar.")
    assert [change.kind for change in line_changes([there], [here], same_turn=True)] == ["added", "removed"]
    assert [change.kind for change in line_changes([there], [here])] == ["changed"]


def test_a_first_memory_is_all_new_and_empty_entries_do_not_count() -> None:
    cells = CellsMemory(cells=(Cell(turn=2, text=""), Cell(turn=1, text="We landed.")))
    assert memory_changes(None, cells) == (Change("added", "We landed."),)
    assert memory_changes(cells, cells) == ()


ROLES = [
    ("Joaquin owes Sam ten coins.", "Sam owes Joaquin ten coins."),
    ("Dorothy promised Teddy the key.", "Teddy promised Dorothy the key."),
    ("Ines lied to Father Joaquin about the log.", "Father Joaquin lied to Ines about the log."),
    ("Maya gave Sam her knife.", "Sam gave Maya her knife."),
    ("Jörg schuldet Anna zehn Taler.", "Anna schuldet Jörg zehn Taler."),
    ("Imke hat Odo belogen.", "Odo hat Imke belogen."),
    ("サムはマヤに十枚を借りている。", "マヤはサムに十枚を借りている。"),
    ("ドロシーはテディに鍵を渡した。", "テディはドロシーに鍵を渡した。"),
]


@pytest.mark.parametrize(("one", "other"), ROLES)
def test_a_fact_with_its_roles_exchanged_is_another_fact(one: str, other: str) -> None:
    memory = change_facts(FactsMemory(), turn_of=lambda text: 1, new=[(one, "debt")])
    memory = change_facts(memory, turn_of=lambda text: 2, new=[(other, "debt")])
    assert [fact.text for fact in memory.key_facts] == [one, other]
    lines = [ArchivedLine(1, one), ArchivedLine(2, other)]
    assert without_versions(lines, ()) == lines and unmentioned(lines[:1], [other]) == lines[:1]
    assert not says_the_same(one, [other]) and says_the_same(one, [one])


def test_the_same_fact_in_other_words_is_still_the_same() -> None:
    lines = [
        ArchivedLine(1, "Sam owes Joaquin ten coins."),
        ArchivedLine(2, "Sam still owes Joaquin the ten coins."),
    ]
    assert without_versions(lines, ()) == lines[1:]


def test_a_promise_that_was_kept_is_found_with_what_became_of_it() -> None:
    promised = Fact(text="Ada promised Ben the key.", turn=1, important=True, kind="promise")
    lent = Fact(text="Ada owes Ben ten coins.", turn=2, important=True, kind="debt")
    before = FactsMemory(key_facts=(promised, lent, Fact(text="It rained.", turn=2)))
    after = change_facts(before, turn_of=lambda text: 5, changed=[("1", "Ada gave Ben the key.")])
    assert archived_lines(after.older)[0].kind == "promise"
    assert after.older == "1!promise Ada promised Ben the key. Later: Ada gave Ben the key."
    told = owed_lines({"ada": after, "ben": before})
    assert told == ("Ada promised Ben the key. Later: Ada gave Ben the key.", "Ada owes Ben ten coins.")
