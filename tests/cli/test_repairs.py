"""What was repaired when a story was opened is told by every command that opens it."""

from pathlib import Path

import pytest

from tests.support.cli import Run
from tests.support.saves import git
from theact_tui.saves.save import Save
from theact_tui.story.game import Spoken

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


@pytest.mark.parametrize("command", READING, ids=" ".join)
def test_a_turn_that_waits_to_be_saved_is_told(played: Run, home: Path, command: tuple[str, ...]) -> None:
    with Save.open(home / "saves" / "one") as save:
        turn = save.load().last_turn
        spoken = Spoken(parent=save.base(), branch=save.branch, turn=turn, present=())
        save.unfinished.journal(spoken)
        save.begin_take()
    told = played(*command)
    assert told.code == 0 and f"Turn {turn.number} was told and is not saved yet. It is kept" in told.err
