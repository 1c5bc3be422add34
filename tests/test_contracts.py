"""What users, scripts and other programs rely on stays as `tests/contracts` says, byte for byte."""

from __future__ import annotations

import pytest

from tests.support.contracts import COMMAND, CONTRACTS, FOLDER, shape_of, text_of


@pytest.mark.parametrize("contract", CONTRACTS)
def test_a_contract_is_as_its_file_says(contract: str) -> None:
    written = (FOLDER / f"{contract}.txt").read_text(encoding="utf-8")
    assert text_of(contract) == written, (
        f"If this change is meant, run `{COMMAND}` and review the difference."
    )


def test_every_file_is_a_contract() -> None:
    assert sorted(file.stem for file in FOLDER.iterdir()) == sorted(CONTRACTS)


def test_a_shape_has_a_line_for_each_value() -> None:
    assert [*shape_of({"turn": 1, "beats": [{"hit": True}], "heard": {}, "model": None})] == [
        "turn: integer",
        "beats[].hit: boolean",
        "heard: empty object",
        "model: null",
    ]
