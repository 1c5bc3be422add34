"""Packing: many small objects become one file, so that a long story stays quick to copy and light on the disk (S9).

It runs beside the play, on a store of its own. A new pack is complete and on the disk before what it holds goes, and
an index over all packs keeps finding an object as quick as if there were one.
"""

from __future__ import annotations

from pathlib import Path
from threading import Lock, Thread

EVERY = 100
"""Turns after which packing pays."""


class Packer:
    """Packs a repository, once at a time."""

    problem = ""
    """Why the last packing failed; nothing is lost by that."""

    def __init__(self, git: Path) -> None:
        self._git = git
        self._thread: Thread | None = None
        self._guard = Lock()

    def pack(self) -> int:
        """Put all loose objects into one pack; how many they were."""
        with self._guard:
            return _pack(self._git)

    def start(self) -> None:
        """Pack soon, in a thread, unless that is going on already."""
        if self._thread is None or not self._thread.is_alive():
            self._thread = Thread(target=self._work, name="theact-pack")
            self._thread.start()

    def wait(self) -> None:
        """Return when nothing is being packed."""
        if self._thread:
            self._thread.join()

    def _work(self) -> None:
        self.problem = ""
        try:
            self.pack()
        except Exception as error:  # a damaged object can fail in any way, and loose objects do as well
            self.problem = str(error)


def _pack(git: Path) -> int:
    from theact_tui.saves.repository import open_store

    store = open_store(git / "objects")
    try:
        count = store.pack_loose_objects()
        store.write_midx()
        return count
    finally:
        store.close()
