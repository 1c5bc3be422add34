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

TEMPORARY = "tmp_obj_"
MAX_FILE_BYTES = 4_000_000

_REGULAR = sum(
    getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_NOCTTY", "O_BINARY", "O_CLOEXEC")
)
_NO_FILE = {errno.ELOOP, errno.EMLINK, errno.ENXIO, errno.EISDIR, errno.ENOTDIR, errno.ENODEV}
_NAME_SURROGATE = 0x2000_0000
"""Bit of Windows for links and junctions."""

Kind: TypeAlias = Literal["file", "folder", "other"]


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
        with suppress(FileNotFoundError):
            return self._path(name).lstat()
        return None

    def names(self, folder: str) -> Iterator[tuple[str, Kind]]:
        with suppress(FileNotFoundError):
            for entry in os.scandir(self._folder(folder)):
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
        self._folder(folder, make=True)

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
        path = self._path(name, make=True)
        scratch = (
            self._folder(by_way_of) if by_way_of else path.parent
        ) / f"{TEMPORARY}{secrets.token_hex(8)}"
        self._fill(name, scratch, data, sync != "no")
        try:
            if changed is not None:
                os.utime(scratch, ns=(changed, changed))
            self._rename(name, scratch, path)
        except BaseException:
            scratch.unlink(missing_ok=True)
            raise
        if sync == "all":
            _sync(path.parent)

    def replace_locked(
        self, name: str, data: bytes | None, unless: Callable[[], bool] = lambda: False
    ) -> bool:
        """Write a file, or remove it for None, under git's lock `<name>.lock`; durable on return.

        Returns False if `unless` holds. Raises BlockingIOError if another program has the lock.
        """
        path = self._path(name, make=True)
        lock = path.with_name(f"{path.name}.lock")
        try:
            self._fill(name, lock, data or b"", sync=True)
        except FileExistsError:
            raise BlockingIOError(errno.EAGAIN, "another program is writing there", name) from None
        try:
            if unless():
                return False
            if data is None:
                path.unlink(missing_ok=True)
            else:
                self._rename(name, lock, path)
        finally:
            lock.unlink(missing_ok=True)
        _sync(path.parent)
        return True

    def move(self, name: str, to: str) -> None:
        self._rename(to, self._path(name), self._path(to))

    def remove(self, name: str) -> None:
        with suppress(FileNotFoundError):
            self._path(name).unlink()

    def _fill(self, name: str, path: Path, data: bytes, sync: bool) -> None:
        handle = self._open(name, path, os.O_CREAT | os.O_EXCL | os.O_WRONLY)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                if sync:
                    os.fsync(handle)
        except BaseException:
            path.unlink(missing_ok=True)
            raise

    def _rename(self, name: str, old: Path, new: Path) -> None:
        try:
            old.replace(new)
        except (IsADirectoryError, NotADirectoryError):
            raise self._refused(name) from None

    @contextmanager
    def _opened(self, name: str, flags: int, make: bool = False) -> Iterator[int]:
        handle = self._open(name, self._path(name, make), flags)
        try:
            yield handle
        finally:
            os.close(handle)

    def _open(self, name: str, path: Path, flags: int) -> int:
        with suppress(FileNotFoundError):
            if _is_link(path.lstat()):
                raise self._refused(name)
        try:
            handle = os.open(path, flags | _REGULAR, 0o600)
        except OSError as error:
            raise self._refused(name) if error.errno in _NO_FILE else error from None
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            os.close(handle)
            raise self._refused(name)
        return handle

    def _path(self, name: str, make: bool = False) -> Path:
        folder, _, last = name.rpartition("/")
        if last == "..":
            raise self._refused(name)
        return self._folder(folder, make) / last

    def _folder(self, name: str, make: bool = False) -> Path:
        """Return the path of a folder. Refuses links on the way."""
        path = self.root
        for part in ("", *name.split("/")):
            if part == "..":
                raise self._refused(name)
            path /= part
            if make and part:
                with suppress(FileExistsError):
                    path.mkdir(mode=0o700)
            status = path.lstat()
            if _is_link(status) or not stat.S_ISDIR(status.st_mode):
                raise self._refused(name)
        return path

    def _refused(self, name: str, why: str = "is not a regular file") -> SaveDamaged:
        return SaveDamaged(f"{self.root} is not a valid save: {name} {why}.")


def _sync(folder: Path) -> None:
    if os.name == "nt":  # folders cannot be opened there
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _is_link(status: os.stat_result) -> bool:
    return stat.S_ISLNK(status.st_mode) or bool(getattr(status, "st_reparse_tag", 0) & _NAME_SURROGATE)
