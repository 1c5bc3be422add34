"""A power cut at any of 60 points loses no turn that was acknowledged.

What was not synced is dropped: of a file, the bytes written since it was synced last; of a folder, what was made, moved
or removed since anything was synced last (journals of file systems keep that order). A file that was never synced is
there and empty.
"""

import os
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

import theact_tui.saves.save
from tests.saves.conftest import play
from tests.support.games import new_game, ticking
from tests.support.saves import git
from theact_tui.saves.save import Save
from theact_tui.story.game import Game

POINTS = 60
TURNS = 9


@dataclass
class Disk:
    """What would be left of a folder after a power cut, as of each sync; `acknowledged` is what was promised by then."""

    folder: Path
    acknowledged: int = 0
    cuts: list[tuple[dict[str, bytes | None], int]] = field(default_factory=list)
    """Files by path (None: a folder), and the acknowledged turn just before the next sync."""
    _synced: dict[int, bytes] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def watch(self, monkeypatch: pytest.MonkeyPatch) -> None:
        sync = os.fsync

        def noted(handle: int) -> None:
            with self._lock:
                self._end()
                sync(handle)
                self._note(handle)

        monkeypatch.setattr(os, "fsync", noted)

    def promise(self, turn: int) -> None:
        with self._lock:
            self.acknowledged = turn

    def _end(self) -> None:
        if self.cuts:
            self.cuts[-1] = (self.cuts[-1][0], self.acknowledged)

    def _note(self, handle: int) -> None:
        found = os.fstat(handle)
        left: dict[str, bytes | None] = {}
        for root, folders, names in os.walk(self.folder.parent):  # a save is made beside its place
            is_inside = Path(root).is_relative_to(self.folder)
            if is_inside:
                left |= {str(Path(root, name).relative_to(self.folder)): None for name in folders}
            for name in names:
                path = Path(root, name)
                try:
                    inode, content = path.stat().st_ino, path.read_bytes()
                except FileNotFoundError:
                    continue
                if inode == found.st_ino:
                    self._synced[inode] = content
                if is_inside:
                    synced = self._synced.get(inode, b"")
                    is_reused = not content.startswith(synced)  # the inode was that of a file that is gone
                    left[str(path.relative_to(self.folder))] = b"" if is_reused else synced
        self.cuts.append((left, self.acknowledged))


def put(left: dict[str, bytes | None], folder: Path) -> None:
    folder.mkdir(mode=0o700)
    for name, content in sorted(left.items()):
        if content is None:
            (folder / name).mkdir(mode=0o700, exist_ok=True)
        else:
            (folder / name).write_bytes(content)


def deeds(save: Save[Game]) -> list[Callable[[], object]]:
    return [
        *[lambda: play(save, 1)] * 5,
        lambda: save.create_branch("aside", 2),
        save.begin_take,
        *[lambda: play(save, 1, "again")] * (TURNS - 5),
    ]


@pytest.mark.posix("folders that are synced")
def test_a_power_cut_loses_no_acknowledged_turn(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(theact_tui.saves.save, "TURNS_PER_PACKING", 4)
    disk = Disk(folder)
    disk.watch(monkeypatch)
    with Save.create(folder, new_game(), clock=ticking()) as save:
        disk.promise(0)
        disk.cuts.clear()  # a save that is being made was promised to nobody
        for deed in deeds(save):
            deed()
            disk.promise(save.turn)
    monkeypatch.undo()
    assert len(disk.cuts) >= POINTS
    step = len(disk.cuts) / POINTS
    for number in range(POINTS):
        left, promised = disk.cuts[int(number * step)]
        put(left, tmp_path / f"cut-{number}")
        with Save.open(tmp_path / f"cut-{number}") as save:
            assert save.turn >= promised, f"cut {number}: {save.recovered}"
            assert save.load().state.turn == save.turn
            play(save, 1, "after the cut")
        git(tmp_path / f"cut-{number}", "fsck", "--strict", "--no-dangling")
