"""How a memory of policy `cells` changes (S4.2)."""

from __future__ import annotations

from collections.abc import Sequence

from theact_tui.story.memory import Cell, CellsMemory
from theact_tui.story.older import with_older


def cells_to_merge(memory: CellsMemory, new: Sequence[Cell], limit: int) -> tuple[Cell, ...]:
    """The cells, oldest first, that must go into the summary before `new` ones fit among `limit`. None: no call."""
    loose = [cell for cell in _newest_first([*new, *memory.cells]) if not cell.pinned]
    room = max(0, limit - sum(cell.pinned for cell in memory.cells))
    return tuple(reversed(loose[room:]))


def push_cells(
    memory: CellsMemory, new: Sequence[Cell], merged: Sequence[Cell] = (), summary: str = "", turn: int = 0
) -> CellsMemory:
    """The memory with `new` cells in front and the `merged` ones, kept among the `older`, replaced by `summary`."""
    gone = {(cell.turn, cell.text) for cell in merged}
    cells = [cell for cell in [*new, *memory.cells] if (cell.turn, cell.text) not in gone]
    return CellsMemory(
        summary=summary if merged else memory.summary,
        summary_turn=turn if merged else memory.summary_turn,
        cells=tuple(_newest_first(cells)),
        older=with_older(memory.older, merged),
    )


def can_pin_cell(memory: CellsMemory, limit: int) -> bool:
    """True while another cell may be pinned; one place always stays free for the newest."""
    return sum(cell.pinned for cell in memory.cells) < limit - 1


def _newest_first(cells: Sequence[Cell]) -> list[Cell]:
    return sorted(cells, key=lambda cell: -cell.turn)
