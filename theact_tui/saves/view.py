"""The visible files of a save: a picture of its newest commit for people, refreshed behind the commits (S9).

Git's objects are the truth. A marker names the tree the files show, so that on opening an edit by hand can be told
from a refresh that was cut off. Each file the program writes bears a sign of its content in its time of change, so
that files nobody touched need not be read.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from threading import Lock, Thread
from typing import TYPE_CHECKING

from theact_tui.errors import SaveDamaged, SaveError, TheActError
from theact_tui.saves.disk import replace_file
from theact_tui.saves.objects import blob_id, is_id
from theact_tui.saves.trees import differences, is_safe
from theact_tui.saves.yaml import MAX_BYTES

if TYPE_CHECKING:
    from theact_tui.saves.repository import Repository

MAX_FILES = 200_000


class View:
    """The files of `folder` as a person sees them. Refreshing runs in a thread of its own."""

    problem = ""
    """Why the last refresh failed; the commits are not concerned."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._own = folder / ".git" / "theact"
        self._target: str | None = None
        self._thread: Thread | None = None
        self._guard = Lock()

    def show(self, tree: str) -> None:
        """Let the files show `tree` soon; only the newest of several calls counts."""
        with self._guard:
            self._target = tree
            if self._thread is None:
                self._thread = Thread(target=self._work, name="theact-view")
                self._thread.start()

    def wait(self) -> None:
        """Return when nothing is being refreshed."""
        while thread := self._thread:
            thread.join()

    def edits(self, repository: Repository, tree: str) -> tuple[str, ...]:
        """Files that hold what no commit put there: neither `tree`, which is to be shown, nor what was shown last.

        Files that are merely missing are put back.
        """
        trees = [tree, *(old for old in self._shown() if old != tree and repository.has(old))]
        known = [dict(_files(repository, old)) for old in trees]
        edited = []
        for path in known[0]:
            ids = {files[path] for files in known if path in files}
            match self._differs(path, ids):
                case None:
                    self._write(path, repository.blob(known[0][path]))
                case True:
                    edited.append(path)
        return tuple(edited)

    def reset(self, repository: Repository, tree: str) -> None:
        """Let all files show `tree` now, whatever they showed. What no commit ever held is put aside."""
        for path, id in _files(repository, tree):
            if self._differs(path, {id}) is not False:
                self._set_aside_unknown(repository, path)
                self._write(path, repository.blob(id))
        self._mark(tree)

    def _set_aside_unknown(self, repository: Repository, path: str) -> None:
        file = self._folder / path
        if file.is_file() and not file.is_symlink() and not repository.has(blob_id(file.read_bytes())):
            self.put_aside(path)

    def put_aside(self, path: str) -> None:
        """Keep a file edited by hand beside its place, as `<name>.edited<suffix>`."""
        file = self._folder / path
        kept = file.with_name(f"{file.stem}.edited{file.suffix}")
        file.replace(kept)

    @staticmethod
    def contents(folder: Path, paths: tuple[str, ...]) -> dict[str, bytes | None]:
        """What visible files hold. SaveError if one of them is not a file of this folder."""
        found: dict[str, bytes | None] = {}
        for path in paths:
            file = (folder / path).resolve()
            if (
                not file.is_file()
                or not file.is_relative_to(folder.resolve())
                or file.stat().st_size > MAX_BYTES
            ):
                raise SaveError(f"{path} cannot be used: it is missing, too large or leads elsewhere.")
            found[path] = file.read_bytes()
        return found

    # --- in the thread ---

    def _work(self) -> None:
        from theact_tui.saves.repository import Repository

        while True:
            with self._guard:
                tree, self._target = self._target, None
                if tree is None:
                    self._thread = None
                    return
            self.problem = ""
            try:
                repository = Repository(self._folder / ".git")
                try:
                    self._refresh(repository, tree)
                finally:
                    repository.close()
            except (OSError, TheActError) as error:
                self.problem = str(error)

    def _refresh(self, repository: Repository, tree: str) -> None:
        shown = self._shown()
        self._mark(*shown[:1], tree)
        before = shown[0] if shown and repository.has(shown[0]) else None
        for path, old, new in _limited(differences(repository, before, tree)):
            if not is_safe(path):
                continue
            if self._differs(
                path, {id for id in (old, new, *self._half_written(repository, shown, path)) if id}
            ):
                self.put_aside(path)
            if new:
                self._write(path, repository.blob(new))
            else:
                self._remove(path)
        self._mark(tree)

    def _half_written(self, repository: Repository, shown: list[str], path: str) -> Iterator[str]:
        """What an earlier refresh, cut off half-way, may have put there."""
        from theact_tui.saves.trees import Version

        for tree in shown[1:]:
            if repository.has(tree) and (id := Version(repository, tree).id(path)):
                yield id

    # --- single files ---

    def _differs(self, path: str, ids: set[str]) -> bool | None:
        """True if a file's content is none of `ids`; None if there is no file."""
        file = self._folder / path
        try:
            found = file.lstat()
            if any(_sign(id) == found.st_mtime_ns // 1_000 % 1_000_000 for id in ids):
                return False
            return file.is_symlink() or blob_id(file.read_bytes()) not in ids
        except (FileNotFoundError, NotADirectoryError):
            return None

    def _write(self, path: str, data: bytes) -> None:
        file = self._folder / path
        for folder in reversed(file.parents[: path.count("/")]):
            if folder.is_symlink() or folder.is_file():
                folder.unlink()
            folder.mkdir(exist_ok=True)
        replace_file(file, data, by_way_of=self._own)
        at = int(time.time()) * 1_000_000_000 + _sign(blob_id(data)) * 1_000
        os.utime(file, ns=(at, at), follow_symlinks=False)

    def _remove(self, path: str) -> None:
        file = self._folder / path
        file.unlink(missing_ok=True)
        for folder in file.parents[: path.count("/")]:
            try:
                folder.rmdir()
            except OSError:
                return

    # --- the marker ---

    def _shown(self) -> list[str]:
        """The tree the files show, and the one a refresh was changing them to."""
        try:
            words = (self._own / "shown").read_text(encoding="ascii").split()
        except (OSError, UnicodeDecodeError):
            return []
        return [word for word in words if is_id(word)]

    def _mark(self, *trees: str) -> None:
        replace_file(self._own / "shown", " ".join(trees).encode())


def _files(repository: Repository, tree: str) -> Iterator[tuple[str, str]]:
    """Path and content id of every file of a tree that may be shown."""
    for path, _, id in _limited(differences(repository, None, tree)):
        if id and is_safe(path):
            yield path, id


def _limited(
    found: Iterator[tuple[str, str | None, str | None]],
) -> Iterator[tuple[str, str | None, str | None]]:
    yield from islice(found, MAX_FILES)
    if next(found, None):
        raise SaveDamaged("This save holds more files than a save can have.")


def _sign(id: str) -> int:
    """A number of microseconds below one second that stands for a content."""
    return int(id[:10], 16) % 1_000_000
