"""Differences between two memories: lines that came, changed or went."""

from __future__ import annotations

from theact_tui.story.memory import Cell, CellsMemory, Change, Fact, FactsMemory, line_changes, memory_changes


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
