"""What was repaired when a story was opened is told by every command that opens it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.cli import Run
from tests.support.saves import git

READING = [("show", "one"), ("log", "one"), ("export", "one", "--format", "md")]
PLAYING = [
    ("play", "lost-island", "--save", "one", "--offline"),
    ("play", "lost-island", "--save", "one", "--plain"),
]


@pytest.mark.parametrize("command", [*READING, *PLAYING], ids=" ".join)
def test_a_step_back_is_told(played: Run, home: Path, command: tuple[str, ...]) -> None:
    folder = home / "saves" / "one"
    lost = git(folder, "rev-parse", "HEAD:state.yaml").strip()
    (folder / ".git" / "objects" / lost[:2] / lost[2:]).unlink()
    (folder / "state.yaml").unlink()
    told = played(*command)
    assert (told.code == 0 and "could not be read" in told.err + told.out) or "unreadable" in told.err
