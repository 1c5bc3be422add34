"""Work tree: the visible files of the newest commit. The modification time of each file encodes its content, so that
only possibly edited files are read.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import closing, suppress
from itertools import count
from pathlib import Path
from threading import Lock, Thread
from typing import TYPE_CHECKING

from theact_tui.errors import SaveDamaged, SaveError
from theact_tui.saves.atomic import Folder
from theact_tui.saves.git_objects import blob_id, is_id
from theact_tui.saves.trees import Budget, Version, differences, is_safe, is_safe_name
from theact_tui.yaml import MAX_BYTES

if TYPE_CHECKING:
    from theact_tui.saves.repository import Repository

_PRIVATE = ".git/theact"


def edited_name(path: str, number: int = 1) -> str:
    """Return the path for an edited file's content. The newest is number 1."""
    name, dot, suffix = path.rpartition(".")
    return f"{name}.edited{f'-{number}' if number > 1 else ''}{dot}{suffix}"


class Background:
    """Runs jobs in its own thread; of several waiting jobs, only the newest."""

    problem = ""

    def __init__(self) -> None:
        self._next: Callable[[], object] | None = None
        self._thread: Thread | None = None
        self._guard = Lock()

    def start(self, job: Callable[[], object]) -> None:
        with self._guard:
            self._next = job
            if self._thread is None:
                thread = Thread(target=self._work, name="theact-save")
                thread.start()
                self._thread = thread  # now `wait` may join it

    def wait(self) -> None:
        while thread := self._thread:
            thread.join()

    def _work(self) -> None:
        while True:
            with self._guard:
                job, self._next = self._next, None
                if job is None:
                    self._thread = None
                    return
            self.problem = ""
            try:
                job()
            except Exception as error:  # a damaged object can fail in any way
                self.problem = str(error)


class WorkTree:
    def __init__(self, folder: Path, background: Background) -> None:
        self._folder = folder
        self._files = Folder(folder)
        self._background = background
        self._is_compared = True
        self._edits: tuple[str, ...] = ()
        self._is_ending = False
        self.on_put_aside: Callable[[str], object] = lambda path: None
        """Called with each replaced edited file."""

    def show(self, tree: str) -> None:
        """Refresh the files to `tree` in the background; only the newest call counts."""
        self._background.start(lambda: self._bring(tree))

    def compare(self, tree: str) -> None:
        """Refresh the files to `tree`, then look for edited ones."""
        self._is_compared = False
        self.show(tree)

    def edits(self) -> tuple[str, ...]:
        """Wait for `compare` and return the edited files, sorted."""
        self._background.wait()
        return self._edits

    def peek(self, repository: Repository, tree: str) -> tuple[str, ...]:
        others = [Version(repository, old) for old in self._shown() if old != tree and repository.has(old)]
        edited = self._look(repository, tree, "", Budget(), mend=False)
        # files of an older version belong to nobody: they would have been refreshed
        return tuple(path for path in edited if self._differs(path, set(_content_ids(others, path))))

    def finish(self) -> None:
        """Wait until the files are refreshed; stop looking for edits then."""
        self._is_ending = bool(self._shown())
        self._background.wait()

    def content(self, path: str) -> bytes:
        """Return a visible file's content. Raises SaveError."""
        try:
            return self._files.read(path, MAX_BYTES)
        except (FileNotFoundError, SaveDamaged):
            raise SaveError(f"{path} is invalid: missing, too large or a link.") from None
        except OSError as error:
            raise SaveError(f"{path} cannot be read: {error.strerror or error}.") from error

    def reset(
        self, repository: Repository, tree: str, *, keep_unchanged: bool, only: Collection[str] | None = None
    ) -> None:
        """Refresh all files, or `only` these, now. Changed files are put aside; with `keep_unchanged` also those
        whose content some commit has.
        """
        for path, _, id in differences(repository, None, tree):
            if not id or not is_safe(path) or (only is not None and path not in only):
                continue
            if self._differs(path, {id}) is not False:
                self._put_aside_unless(None if keep_unchanged else repository, path)
                self._write(path, repository.blob(id))
        self._mark(tree)

    # --- in the thread ---

    def _bring(self, tree: str) -> None:
        from theact_tui.saves.repository import Repository

        with closing(Repository(self._folder / ".git")) as repository:
            if self._shown() or self._is_compared:
                self._refresh(repository, tree)
            if not self._is_compared:
                self._is_compared = True
                self._edits = tuple(self._look(repository, tree, "", Budget()))
                self._mark(tree)

    def _refresh(self, repository: Repository, tree: str) -> None:
        shown = [old for old in self._shown() if repository.has(old)]
        if shown == [tree]:
            return
        # refreshes that were cut off half-way left files of each of the trees that are marked
        self._mark(*dict.fromkeys((*shown, tree)))
        versions = [Version(repository, old) for old in (*shown, tree)]
        before: list[str | None] = [*shown] or [None]
        changed = {
            path: new
            for old in before
            for path, _, new in differences(repository, old, tree)
            if is_safe(path)
        }
        for path, new in changed.items():
            is_put_aside = self._differs(path, set(_content_ids(versions, path))) and self._put_aside_unless(
                None, path
            )
            if new:
                self._write(path, repository.blob(new))
            else:
                self._remove(path)
            if is_put_aside:
                self.on_put_aside(path)
        self._mark(tree)

    def _look(
        self, repository: Repository, tree: str, under: str, budget: Budget, *, mend: bool = True
    ) -> Iterator[str]:
        """Yield edited files of a tree, sorted. `mend` restores missing ones."""
        visible: dict[str, os.DirEntry[str]] = {}
        with suppress(FileNotFoundError, SaveDamaged):
            folder = self._files.stat(f"{under}.")
            if folder and stat.S_ISDIR(folder.st_mode):
                with os.scandir(self._folder / under) as entries:
                    visible = {entry.name: entry for entry in entries}
        budget.spend(len(repository.tree(tree)))
        for name, tree_entry in sorted(repository.tree(tree).items()):
            if self._is_ending:
                return
            path = under + name
            if not is_safe_name(name) or path.count("/") > 5:
                continue
            if tree_entry.is_folder:
                yield from self._look(repository, tree_entry.id, f"{path}/", budget, mend=mend)
            elif tree_entry.is_file and name not in visible:
                if mend:
                    self._write(path, repository.blob(tree_entry.id))
            elif tree_entry.is_file and self._differs(path, {tree_entry.id}, visible[name]):
                yield path

    # --- single files ---

    def _differs(self, path: str, ids: set[str], entry: os.DirEntry[str] | None = None) -> bool | None:
        """True if a file's content is none of `ids`; None if there is no file."""
        try:
            status = entry.stat(follow_symlinks=False) if entry else self._files.stat(path)
            if status is None:
                return None
            changed = status.st_mtime_ns // 1_000 % 1_000_000
            if stat.S_ISREG(status.st_mode) and any(_sign(id) == changed for id in ids):
                return False
            return blob_id(self._files.read(path, MAX_BYTES)) not in ids
        except FileNotFoundError:
            return None
        except SaveDamaged:
            return True

    def _put_aside_unless(self, repository: Repository | None, path: str) -> bool:
        """Move a file or folder to `<name>.edited<suffix>`, unless the repository has its content or it is a link.
        True if moved.
        """
        with suppress(FileNotFoundError, SaveDamaged):
            status = self._files.stat(path)
            if status is None or not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
                return False
            is_readable = stat.S_ISREG(status.st_mode) and status.st_size <= MAX_BYTES
            if repository and is_readable and repository.has(blob_id(self._files.read(path, MAX_BYTES))):
                return False
            if self._files.stat(aside := edited_name(path)):
                older = (edited_name(path, number) for number in count(2))
                self._files.move(aside, next(name for name in older if not self._files.stat(name)))
            self._files.move(path, aside)
            return True
        return False

    def _write(self, path: str, data: bytes) -> None:
        parts = path.split("/")
        for folder in ("/".join(parts[:depth]) for depth in range(1, len(parts))):
            status = self._files.stat(folder)
            if status and not stat.S_ISDIR(status.st_mode):
                self._files.remove(folder)
        at = int(time.time()) * 1_000_000_000 + _sign(blob_id(data)) * 1_000
        self._files.replace(path, data, by_way_of=_PRIVATE, changed=at)

    def _remove(self, path: str) -> None:
        try:
            self._files.remove(path)
        except SaveDamaged:  # a folder on the way is none of the save's
            return
        with suppress(OSError):
            for folder in (self._folder / path).parents[: path.count("/")]:
                folder.rmdir()

    # --- the marker ---

    def _shown(self) -> list[str]:
        try:
            words = self._files.read(f"{_PRIVATE}/shown").decode("ascii").split()
        except (OSError, SaveDamaged, UnicodeDecodeError):
            return []
        return [word for word in words if is_id(word)]

    def _mark(self, *trees: str) -> None:
        self._files.replace(f"{_PRIVATE}/shown", " ".join(trees).encode())


def write_index(repository: Repository, tree: str) -> None:
    """Let git see `tree` as the work tree, for a clean `git status`."""
    entries = differences(repository, None, tree)
    repository.write_index((path, id) for path, _, id in entries if id and is_safe(path))


def _content_ids(versions: Iterable[Version], path: str) -> Iterator[str]:
    return (id for version in versions if (id := version.id(path)))


def _sign(id: str) -> int:
    # Not an index of stamps beside the files: it would be rewritten whole at each turn, so its cost grows with the story, and
    # after a kill between file and index it could not tell the program's own write from a person's edit.
    # The stamp is set with the file, in one step.
    return int(id[:10], 16) % 1_000_000
