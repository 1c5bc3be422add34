"""What users, scripts and other programs rely on stays as `tests/contracts` says, byte for byte."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.contracts import COMMAND, CONTRACTS, FOLDER, shape_of

pytestmark = pytest.mark.xdist_group("contracts")  # what its tests share is made once


@pytest.fixture(scope="module")
def dumped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The contracts as they are now, written by another process: what tests did to this one would show in the help."""
    folder = tmp_path_factory.mktemp("contracts")
    subprocess.run([sys.executable, "-m", "tests.support.contracts", str(folder)], check=True)
    return folder


@pytest.mark.parametrize("contract", CONTRACTS)
def test_a_contract_is_as_its_file_says(contract: str, dumped: Path) -> None:
    now, written = ((folder / f"{contract}.txt").read_text("utf-8") for folder in (dumped, FOLDER))
    assert now == written, f"If this change is meant, run `{COMMAND}` and review the difference."


def test_every_file_is_a_contract() -> None:
    assert sorted(file.stem for file in FOLDER.iterdir()) == sorted(CONTRACTS)


def test_a_shape_has_a_line_for_each_value_with_all_its_types() -> None:
    beats = [{"hit": True, "by": {}}, {"hit": None, "by": {"maya": 2}}]
    assert [*shape_of({"turn": 1, "beats": beats, "heard": {}})] == [
        "turn: integer",
        "beats[].hit: boolean | null",
        "beats[].by.*: integer",
        "heard: {}",
    ]
