"""What changed in a memory, as lines to show."""

from __future__ import annotations

from theact_tui.story.memory import Cell, CellsMemory, Change, Fact, FactsMemory
from theact_tui.tui.blocks import memory_changes


def facts(*texts: str) -> dict[str, object]:
    return FactsMemory(key_facts=tuple(Fact(text=text, turn=1) for text in texts)).model_dump(mode="json")


def test_lines_come_change_and_go() -> None:
    before = facts("Joaquin may know the island.", "The compass is broken.")
    after = facts("Joaquin surely knows the island.", "The lowest line was hidden.")
    assert memory_changes(before, after) == (
        Change("changed", "Joaquin surely knows the island.", "Joaquin may know the island."),
        Change("added", "The lowest line was hidden."),
        Change("removed", "The compass is broken."),
    )


def test_a_new_summary_alone_is_no_changed_line() -> None:
    assert memory_changes({**facts("A."), "summary": "x"}, {**facts("A."), "summary": "y"}) == ()


def test_cells_that_were_merged_away_went() -> None:
    before = CellsMemory(cells=(Cell(turn=2, text="I saw smoke."), Cell(turn=1, text="We landed at dawn.")))
    after = CellsMemory(
        cells=(Cell(turn=3, text="Nobody sleeps any more."), Cell(turn=2, text="I saw smoke."))
    )
    changes = memory_changes(before.model_dump(mode="json"), after.model_dump(mode="json"))
    assert changes == (Change("added", "Nobody sleeps any more."), Change("removed", "We landed at dawn."))
