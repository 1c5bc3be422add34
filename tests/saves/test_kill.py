"""A killed process costs no turn that was told (S3, S9). `tests/benchmarks/kill.py` does this at random instants."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.benchmarks.kill import Counts, examine, fsck, run_and_kill
from tests.saves.conftest import play
from tests.saves.games import new_game
from theact_tui.saves.store import Save


@pytest.mark.parametrize(
    ("kind", "number"), [("spoken", 1), ("spoken", 3), ("saved", 2), ("packing", 1), ("packed", 1)]
)
def test_killed_right_after_it_said_something(kind: str, number: int, folder: Path) -> None:
    with Save.create(folder, new_game()) as save:
        play(save, 10)
    counts = Counts()
    said = run_and_kill(folder, number, lambda lines: sum(line.startswith(kind) for line in lines) == number)
    assert fsck(folder)
    examine(folder, said, counts)
    assert (counts.acknowledged_turns_lost, counts.spoken_turns_lost, counts.stepped_back) == (0, 0, 0)
    assert fsck(folder)
