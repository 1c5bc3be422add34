"""Saves of older versions of the program open, and those of newer ones say so (S9)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.saves.conftest import Git, play
from tests.saves.games import new_game
from theact_tui.errors import SaveError
from theact_tui.saves import files, migrate, yaml
from theact_tui.saves.store import Save


@pytest.fixture(autouse=True)
def forgetful() -> Iterator[None]:
    """Turns are remembered by content and format; what a test makes of a format must not be."""
    files.parse_turn.cache_clear()
    yield
    files.parse_turn.cache_clear()


def step(path: str, data: Any) -> Any:
    """What a next version might do: a mood of every old turn."""
    if path == "save.yaml":
        return data | {"format": 2}
    return data | {"mood": "tense"} if path.startswith("turns/") else data


def test_an_older_save_is_read_as_it_is_and_rewritten_when_opened_for_writing(
    folder: Path, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Save.create(folder, new_game()) as save:
        play(save, 4)
        head = save.head
    monkeypatch.setattr(migrate, "FORMAT", 2)
    monkeypatch.setattr(migrate, "STEPS", {1: step})
    with Save.open(folder, write=False) as save:
        assert (save.head, save.turns(1, 1)[0].mood, save.load().turns[4].mood) == (head, "tense", "tense")
    with Save.open(folder) as save:
        assert (save.log(1)[0].kind, save.log(1)[0].line) == ("edit", "brought to format 2")
        assert save.load().info.format == 2
        assert b"mood: tense" in (save.read("turns/0000/01.yaml") or b"")
        assert save.game_at(2).turns[2].mood == "tense"
        play(save, 1)
        assert save.undo(3).turns[2].mood == "tense"
        save.redo(3)
    with Save.open(folder) as save:
        assert (save.turn, len(save.log())) == (5, 7)
    git("fsck", "--strict")


def test_a_save_of_a_newer_version_is_left_alone(folder: Path, git: Git) -> None:
    with Save.create(folder, new_game()) as save:
        play(save, 1)
        newer = (save.read("save.yaml") or b"").replace(b"format: 1", b"format: 9")
        save.commit_files({"save.yaml": newer}, "from the future")
    head = git("rev-parse", "HEAD")
    for write in (True, False):
        with pytest.raises(SaveError, match="newer version of theact-tui"):
            Save.open(folder, write=write)
    assert git("rev-parse", "HEAD") == head


def test_a_format_that_was_never_there_is_refused() -> None:
    with pytest.raises(SaveError, match="format 0"):
        migrate.upgrade("state.yaml", {}, 0)
    unusable: list[yaml.Data] = [{}, [], {"format": "one"}]
    for info in unusable:
        with pytest.raises(SaveError, match="which format"):
            migrate.format_of(info)
