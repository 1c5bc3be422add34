"""S4.2: memory of policy `cells`."""

from __future__ import annotations

from theact_tui.story.memory import Cell, CellsMemory, cells_to_merge, pin_refusal, push_cells


def cells(*turns: int, pinned: tuple[int, ...] = ()) -> tuple[Cell, ...]:
    return tuple(Cell(turn=turn, text=f"entry {turn}", pinned=turn in pinned) for turn in turns)


def test_fewer_than_k_cells_need_no_merge() -> None:
    assert cells_to_merge(CellsMemory(cells=cells(2, 1)), cells(3), 3) == ()
    after = push_cells(CellsMemory(summary="old", cells=cells(2, 1)), cells(3))
    assert [cell.turn for cell in after.cells] == [3, 2, 1] and after.summary == "old"


def test_at_k_the_oldest_is_merged_and_k_remain() -> None:
    before = CellsMemory(summary="old", cells=cells(3, 2, 1))
    merged = cells_to_merge(before, cells(4), 3)
    assert [cell.turn for cell in merged] == [1]
    after = push_cells(before, cells(4), merged, "new summary", 4)
    assert [cell.turn for cell in after.cells] == [4, 3, 2]
    assert (after.summary, after.summary_turn) == ("new summary", 4)


def test_a_lowered_k_and_waiting_entries_merge_more_oldest_first() -> None:
    before = CellsMemory(cells=cells(6, 5, 4, 3, 2))
    assert [cell.turn for cell in cells_to_merge(before, cells(7), 2)] == [2, 3, 4, 5]
    assert [cell.turn for cell in cells_to_merge(before, cells(8, 7), 5)] == [2, 3]


def test_with_one_cell_everything_older_is_in_the_summary() -> None:
    before = CellsMemory(cells=cells(1))
    merged = cells_to_merge(before, cells(2), 1)
    assert [cell.turn for cell in push_cells(before, cells(2), merged, "s", 2).cells] == [2]


def test_an_empty_entry_is_still_a_cell() -> None:
    after = push_cells(CellsMemory(), [Cell(turn=1, text="")])
    assert after.cells == (Cell(turn=1, text=""),)


def test_a_pinned_cell_is_never_merged_away() -> None:
    before = CellsMemory(cells=cells(3, 2, 1, pinned=(1,)))
    merged = cells_to_merge(before, cells(4), 3)
    assert [cell.turn for cell in merged] == [2]
    assert [cell.turn for cell in push_cells(before, cells(4), merged, "s", 4).cells] == [4, 3, 1]
    assert not pin_refusal(before, before.cells[0], 3)
    full = CellsMemory(cells=cells(3, 2, 1, pinned=(1, 2)))
    assert "One entry must stay unpinned" in pin_refusal(full, full.cells[0], 3)


def test_text_in_any_language_survives_unchanged() -> None:
    text = "私は「灯り」を見た。\nЯ молчал. 🙂"
    assert push_cells(CellsMemory(), [Cell(turn=1, text=text)]).cells[0].text == text
