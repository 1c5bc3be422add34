"""Who is asked by name replies before anything else is told; who leaves or sleeps is not overtaken by a beat."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.storyteller_games import Table
from theact_tui.packs.loader import load_pack

CONTENT = Path(__file__).parents[2] / "content"


def island() -> Table:
    table = Table(load_pack(CONTENT / "lost-island"), player="Sam")
    table.play_all(["", "I look around."])
    return table


@pytest.mark.parametrize(
    ("line", "asked"),
    [
        ("I ask Joaquin where he learned to pray.", "joaquin"),
        ("Joaquin, où as-tu appris à prier ?", "joaquin"),
        ("Je demande à Joaquin où il a appris à prier.", "joaquin"),
        ("Ich frage Maya nach der Uhrzeit.", "maya"),
    ],
)
def test_who_is_asked_by_name_replies_alone_and_no_set_piece_comes_first(line: str, asked: str) -> None:
    turn = island().play(line)
    assert [entry.character for entry in turn.replies] == [asked]
    assert "shoes" not in turn.narration and not turn.new_beats


@pytest.mark.parametrize("line", ["I leave Joaquin behind and walk off with Maya.", "I leave them all."])
def test_no_beat_follows_who_leaves_somebody_and_then_sleeps(line: str) -> None:
    table = island()
    assert not table.play(line).new_beats
    assert not table.play("I take a nap.").new_beats
