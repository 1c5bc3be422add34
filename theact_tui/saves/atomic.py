"""Read and replace a save's files, each whole or not at all. Links, devices and oversized files are refused."""

import errno
import os
import secrets
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal, TypeAlias

from theact_tui.errors import SaveDamaged
from theact_tui.paths import replace_file

_TEMPORARY = "tmp_obj_"
MAX_FILE_BYTES = 4_000_000

_BY_HANDLE = {os.open, os.mkdir, os.stat, os.unlink, os.rename} <= os.supports_dir_fd  # not on Windows
# folders are walked by handle: a path that was checked can become a link before it is used
_REGULAR = sum(
    getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_NOCTTY", "O_BINARY", "O_CLOEXEC")
)
_FOLDER = sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_DIRECTORY", "O_CLOEXEC"))
_NO_FILE = {errno.ELOOP, errno.EMLINK, errno.ENXIO, errno.EISDIR, errno.ENOTDIR, errno.ENODEV}
_NAME_SURROGATE = 0x2000_0000

Kind: TypeAlias = Literal["file", "folder", "other"]
Place: TypeAlias = "tuple[str, int | None]"
"""Name and folder handle, or path and None."""


class Folder:
    """Files below `root`, by relative path with slashes. Calls raise SaveDamaged for a wrong kind of file, else OSError."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def read(self, name: str, limit: int = MAX_FILE_BYTES) -> bytes:
        """Raises SaveDamaged above `limit` bytes."""
        with self._opened(name, os.O_RDONLY) as handle:
            if os.fstat(handle).st_size > limit:
                raise self._refused(name, "is too large")
            with os.fdopen(handle, "rb", closefd=False) as file:
                return file.read(limit)

    def is_file(self, name: str, limit: int | None = None) -> bool:
        status = self.stat(name)
        if status and not stat.S_ISREG(status.st_mode):
            raise self._refused(name)
        if status and limit is not None and status.st_size > limit:
            raise self._refused(name, "is too large")
        return status is not None

    def is_folder(self, name: str) -> bool:
        status = self.stat(name)
        if status and not stat.S_ISDIR(status.st_mode):
            raise self._refused(name, "is not a regular folder")
        return status is not None

    def stat(self, name: str) -> os.stat_result | None:
        try:
            with self._at(name) as (last, folder):
                return os.stat(last, dir_fd=folder, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def names(self, folder: str) -> Iterator[tuple[str, Kind]]:
        with suppress(FileNotFoundError), self._at(f"{folder}/.") as (last, handle):
            for entry in os.scandir(last if handle is None else handle):
                is_folder, is_file = (look(follow_symlinks=False) for look in (entry.is_dir, entry.is_file))
                yield f"{folder}/{entry.name}", "folder" if is_folder else "file" if is_file else "other"

    def sizes(self, folder: str) -> dict[str, int]:
        """Return bytes by name of the files in a folder."""
        statuses = {name: self.stat(name) for name, kind in self.names(folder) if kind == "file"}
        return {name: status.st_size for name, status in statuses.items() if status}

    def below(self, folder: str) -> Iterator[str]:
        left = [folder]
        for entry in left:
            for name, kind in self.names(entry):
                if kind == "folder":
                    left.append(name)
                else:
                    yield name

    def make(self, folder: str) -> None:
        with self._at(f"{folder}/.", make=True):
            return

    def append(self, name: str, lines: bytes) -> None:
        """Append whole lines, after closing an unfinished one."""
        with self._opened(name, os.O_RDWR | os.O_APPEND | os.O_CREAT, make=True) as handle:
            status = os.fstat(handle)
            if status.st_size:
                os.lseek(handle, -1, os.SEEK_END)
                lines = lines if os.read(handle, 1) == b"\n" else b"\n" + lines
            if status.st_nlink == 1:
                with os.fdopen(handle, "ab", closefd=False) as file:
                    file.write(lines)
                return
        # the same file has a name elsewhere too, which keeps what it holds
        self.replace(name, self.read(name, 50 * MAX_FILE_BYTES) + lines)

    def replace(
        self,
        name: str,
        data: bytes,
        *,
        sync: Literal["no", "file", "all"] = "no",
        by_way_of: str = "",
        changed: int | None = None,
    ) -> None:
        """Write a file by temporary file and rename. `sync="file"` keeps the content whole after a power cut,
        `"all"` its name too. `by_way_of`: folder of the temporary file. `changed`: modification time in nanoseconds.
        """
        folder = by_way_of or name.rpartition("/")[0] or "."
        scratch_name = f"{folder}/{_TEMPORARY}{secrets.token_hex(8)}"
        with self._at(name, make=True) as place, self._at(scratch_name) as scratch:
            self._fill(name, scratch, data, sync != "no")
            try:
                if changed is not None:
                    os.utime(scratch[0], ns=(changed, changed), dir_fd=scratch[1])
                self._rename(name, scratch, place)
            except BaseException:
                _unlink(scratch)
                raise
            if sync == "all" and place[1] is not None:
                os.fsync(place[1])

    def replace_locked(
        self, name: str, data: bytes | None, unless: Callable[[], bool] = lambda: False
    ) -> bool:
        """Write a file, or remove it for None, under git's lock `<name>.lock`; durable on return.

        Returns False if `unless` holds. Raises BlockingIOError if another program has the lock.
        """
        with self._at(name, make=True) as place, self._at(f"{name}.lock") as lock:
            try:
                self._fill(name, lock, data or b"", sync=True)
            except FileExistsError:
                raise BlockingIOError(errno.EAGAIN, "another program is writing there", name) from None
            try:
                if unless():
                    return False
                if data is None:
                    _unlink(place)
                else:
                    self._rename(name, lock, place)
            finally:
                _unlink(lock)
            if place[1] is not None:
                os.fsync(place[1])
        return True

    def move(self, name: str, to: str) -> None:
        with self._at(name) as old, self._at(to) as new:
            self._rename(to, old, new)

    def remove(self, name: str) -> None:
        with suppress(FileNotFoundError), self._at(name) as place:
            _unlink(place)

    def _fill(self, name: str, place: Place, data: bytes, sync: bool) -> None:
        handle = self._open(name, place, os.O_CREAT | os.O_EXCL | os.O_WRONLY)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                if sync:
                    os.fsync(handle)
        except BaseException:
            _unlink(place)
            raise

    def _rename(self, name: str, old: Place, new: Place) -> None:
        try:
            replace_file(old[0], new[0], src_dir_fd=old[1], dst_dir_fd=new[1])
        except (IsADirectoryError, NotADirectoryError):
            raise self._refused(name) from None

    @contextmanager
    def _opened(self, name: str, flags: int, make: bool = False) -> Iterator[int]:
        with self._at(name, make) as place:
            handle = self._open(name, place, flags)
        try:
            yield handle
        finally:
            os.close(handle)

    def _open(self, name: str, place: Place, flags: int) -> int:
        last, folder = place
        if folder is None and _is_link(last):
            raise self._refused(name)
        try:
            handle = os.open(last, flags | _REGULAR, 0o600, dir_fd=folder)
        except OSError as error:
            raise self._refused(name) if error.errno in _NO_FILE else error from None
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            os.close(handle)
            raise self._refused(name)
        return handle

    @contextmanager
    def _at(self, name: str, make: bool = False) -> Iterator[Place]:
        """Yield the place of a file without following a link."""
        *folders, last = name.split("/")
        if ".." in folders or last == "..":
            raise self._refused(name)
        if not _BY_HANDLE:
            yield self._walked(folders, last, make), None
            return
        handle = self._enter(str(self.root), None, name)
        try:
            for folder in folders:
                handle, before = self._enter(folder, handle, name, make), handle
                os.close(before)
            yield last, handle
        finally:
            os.close(handle)

    def _enter(self, folder: str, within: int | None, name: str, make: bool = False) -> int:
        try:
            return os.open(folder, os.O_RDONLY | _FOLDER, dir_fd=within)
        except FileNotFoundError:
            if not make:
                raise
            with suppress(FileExistsError):
                os.mkdir(folder, 0o700, dir_fd=within)
            return self._enter(folder, within, name)
        except OSError as error:
            raise self._refused(name) if error.errno in _NO_FILE else error from None

    def _walked(self, folders: list[str], last: str, make: bool) -> str:
        path = self.root
        for folder in ("", *folders):
            path /= folder
            if make and folder:
                path.mkdir(mode=0o700, exist_ok=True)
            if _is_link(str(path)) or not stat.S_ISDIR(path.stat().st_mode):
                raise self._refused(last)
        return str(path / last)

    def _refused(self, name: str, why: str = "is not a regular file") -> SaveDamaged:
        return SaveDamaged(f"{self.root} is not a valid save: {name} {why}.")


def _unlink(place: Place) -> None:
    with suppress(FileNotFoundError):
        os.unlink(place[0], dir_fd=place[1])


def _is_link(path: str) -> bool:
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return False
    return stat.S_ISLNK(status.st_mode) or bool(getattr(status, "st_reparse_tag", 0) & _NAME_SURROGATE)
