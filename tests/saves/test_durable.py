"""What is on the disk when: a power cut may take what was not synced, so objects come before the ref that needs them."""

import os
from pathlib import Path

import pytest

from tests.support.games import played
from theact_tui.saves.save import Save
from theact_tui.story.game import Game, Spoken

pytestmark = pytest.mark.skipif(os.name == "nt", reason="tells files by their inodes")


@pytest.fixture
def synced(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The inodes that were synced, in order."""
    inodes: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda handle: inodes.append(os.fstat(handle).st_ino))
    return inodes


def inode(path: Path) -> int:
    return path.stat().st_ino


def test_a_turn_is_durable_before_it_is_part_of_the_story(
    save: Save[Game], folder: Path, synced: list[int]
) -> None:
    git = folder / ".git"
    before = set(git.glob("objects/??/*"))
    save.commit(played(save.load()))
    new = {inode(path) for path in set(git.glob("objects/??/*")) - before}
    ref = synced.index(inode(git / "refs" / "heads" / "main"))
    assert len(new) > 5 and new <= set(synced[:ref])
    assert inode(git / "refs" / "heads") in synced[ref:]


def test_a_spoken_turn_is_durable_before_it_is_announced(
    save: Save[Game], folder: Path, synced: list[int]
) -> None:
    game = played(save.load())
    save.unfinished.journal(Spoken(parent=save.head, branch="main", turn=game.turns[1], present=()))
    kept = folder / ".git" / "theact" / "spoken.json"
    assert inode(kept.parent) in synced[synced.index(inode(kept)) :]
