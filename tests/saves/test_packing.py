"""Packing changes nothing that can be read, and may run beside anything."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.saves.conftest import Git, play
from tests.support.games import new_game, ticking
from theact_tui.saves import repository as packing
from theact_tui.saves import save as store
from theact_tui.saves.save import Save
from theact_tui.saves.worktree import Background
from theact_tui.story.game import Game


def loose(folder: Path) -> int:
    return len(list((folder / ".git/objects").glob("??/*")))


def test_all_is_still_there_and_git_agrees(save: Save[Game], folder: Path, git: Git) -> None:
    play(save, 6)
    before = save.load(), save.turns(1, 6), save.log()
    assert packing.pack(folder / ".git") > 50
    assert loose(folder) == 0
    save.close()
    with Save.open(folder) as again:
        assert (again.load(), again.turns(1, 6), again.log()) == before
        play(again, 2)
        again.undo(1)
        assert packing.pack(folder / ".git") > 0
        assert again.redo().state.turn == 8
    git("fsck", "--strict")
    git("multi-pack-index", "verify")
    git("gc", "-q")
    with Save.open(folder) as again:
        assert (again.turn, again.recovered) == (8, "")


def test_playing_goes_on_meanwhile(save: Save[Game], folder: Path, git: Git) -> None:
    with ThreadPoolExecutor(2) as others:
        for _ in range(8):
            packed = others.submit(packing.pack, folder / ".git")
            play(save, 2)
            save.undo()
            save.redo()
            packed.result()
    assert save.turn == 16
    assert save.turns(1, 16)[0].number == 1
    git("fsck", "--strict")


def test_what_somebody_reads_just_now_stays_loose_where_windows_does_not_remove_it(
    save: Save[Game], folder: Path, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    play(save, 2)
    held = folder / ".git/objects" / save.head[:2] / save.head[2:]
    remove = os.remove

    def as_on_windows(path: str) -> None:
        if Path(path) == held:
            raise PermissionError(13, "in use", path)
        remove(path)

    monkeypatch.setattr(os, "remove", as_on_windows)
    assert packing.pack(folder / ".git") > 10
    assert loose(folder) == 1 and held.exists()
    monkeypatch.undo()
    assert packing.pack(folder / ".git") == 1 and loose(folder) == 0
    git("fsck", "--strict")


def test_it_happens_by_itself_after_many_turns(
    save: Save[Game], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "TURNS_PER_PACKING", 4)
    play(save, 4)
    save.close()
    assert loose(folder) < 5
    assert list((folder / ".git/objects/pack").glob("*.pack"))


def test_a_broken_index_over_the_packs_does_no_harm(folder: Path, git: Git) -> None:
    with Save.create(folder, new_game(), clock=ticking()) as save:
        play(save, 3)
        packing.pack(folder / ".git")
    index = folder / ".git/objects/pack/multi-pack-index"
    index.write_bytes(b"MIDX" + index.read_bytes()[4:60])
    with Save.open(folder) as save:
        assert (save.turn, save.recovered) == (3, "")
        play(save, 1)
        packing.pack(folder / ".git")
    git("multi-pack-index", "verify")


def test_a_failing_packing_says_why_and_loses_nothing(save: Save[Game], folder: Path) -> None:
    play(save, 2)
    head = folder / ".git/objects" / save.head[:2] / save.head[2:]
    content = head.read_bytes()
    head.write_bytes(content[:20])
    packer = Background()
    packer.start(lambda: packing.pack(folder / ".git"))
    packer.wait()
    assert packer.problem
    head.write_bytes(content)
    assert save.state_at(2).state.turn == 2
