"""Folders of one user, all moved together by `--home` or `THEACT_HOME` (S13)."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from subprocess import list2cmdline
from typing import Any

import platformdirs

from theact_tui.errors import UsageError

_APP = "theact_tui"


def typed_path(text: str | Path) -> Path:
    """Expand `~` in a typed path. Raises UsageError for an unknown user."""
    try:
        return Path(text).expanduser()
    except RuntimeError as error:
        raise UsageError(f"There is no home folder '{Path(text).parts[0]}'.") from error


def split_paths(text: str, posix: bool = os.name == "posix") -> list[str]:
    """Split typed paths, quoted or not; on Windows a backslash is part of one. Raises ValueError for an open quote."""
    return shlex.split(text) if posix else [part.strip("'\"") for part in shlex.split(text, posix=False)]


def quoted_argument(text: str | Path) -> str:
    """Quote an argument of a command that is shown, as the system's shell wants it."""
    return shlex.quote(str(text)) if os.name == "posix" else list2cmdline([str(text)])


@dataclass(frozen=True, slots=True)
class Home:
    data: Path
    config: Path
    cache: Path
    guest: bool = False
    """The player is a visitor of `serve`; see `guest_permissions`."""

    @classmethod
    def find(cls, folder: str | Path | None = None, env: Mapping[str, str] | None = None) -> Home:
        """Return the home at `folder`, else at `THEACT_HOME`, else at the system's usual place."""
        chosen = folder or (os.environ if env is None else env).get("THEACT_HOME")
        if chosen:
            root = typed_path(chosen).absolute()
            return cls(data=root, config=root, cache=root / "cache")
        return cls(
            data=Path(platformdirs.user_data_dir(_APP, appauthor=False)),
            config=Path(platformdirs.user_config_dir(_APP, appauthor=False)),
            cache=Path(platformdirs.user_cache_dir(_APP, appauthor=False)),
        )

    @property
    def saves(self) -> Path:
        return self.data / "saves"

    @property
    def seats(self) -> Path:
        return self.data / "seats"

    @property
    def packs(self) -> Path:
        return self.data / "packs"

    @property
    def drafts(self) -> Path:
        return self.data / "drafts"

    @property
    def lab(self) -> Path:
        return self.data / "lab"

    @property
    def trash(self) -> Path:
        return self.data / "trash"

    @property
    def logs(self) -> Path:
        return self.data / "logs"

    @property
    def config_file(self) -> Path:
        return self.config / "config.toml"

    def create(self) -> Home:
        """Make missing folders. Raises UsageError if that fails."""
        for folder in (self.data, self.config, self.cache, self.saves, self.packs, self.trash):
            try:
                private_folder(folder)
            except OSError as error:
                raise UsageError(
                    f"Cannot create the folder {folder}: {error.strerror}. Choose another one with --home."
                ) from error
        for folder in (self.data, self.saves, self.packs):
            clear_abandoned(folder)
        return self


def exports_folder(data: Path) -> Path:
    """Return `exports` in a chosen home, else the download folder."""
    usual = Path(platformdirs.user_data_dir(_APP, appauthor=False))
    return Path(platformdirs.user_downloads_dir()) if data == usual else data / "exports"


def private_folder(folder: Path) -> Path:
    """Make a folder and its missing parents, readable by the user only."""
    missing = [f for f in (folder, *folder.parents) if not f.exists()]
    for missing_folder in reversed(missing):
        missing_folder.mkdir(mode=0o700, exist_ok=True)
    return folder


INCOMING = ".incoming-"
_IN_USE = "in-use"
_MAKING_SECONDS = 60
"""After these a folder without its lock is left over, too."""


@contextmanager
def incoming_folder(place: Path) -> Iterator[Path]:
    """Yield a hidden scratch folder in `place`, deleted at the end, or by `clear_abandoned` after a kill."""
    from filelock import FileLock

    clear_abandoned(place)
    with (
        tempfile.TemporaryDirectory(prefix=INCOMING, dir=place, ignore_cleanup_errors=True) as scratch,
        FileLock(Path(scratch) / _IN_USE, mode=0o600, thread_local=False),
    ):
        yield Path(scratch)


def clear_abandoned(place: Path) -> None:
    """Delete scratch folders of killed programs, and put back what these had moved aside into `before`."""
    for left in place.glob(f"{INCOMING}*"):
        from filelock import FileLock

        with suppress(OSError):
            if not (left / _IN_USE).exists() and time.time() - left.stat().st_mtime < _MAKING_SECONDS:
                continue
        with suppress(OSError):  # another program may work here
            with FileLock(left / _IN_USE, timeout=0):
                for aside in left.glob("before/*"):
                    if not (place / aside.name).exists():
                        aside.rename(place / aside.name)
                shutil.rmtree(left, ignore_errors=True)
            shutil.rmtree(left, ignore_errors=True)  # Windows removes no file while it is locked


_WAITS = () if os.name == "posix" else (0.01, 0.03, 0.1, 0.3)
"""Seconds to wait before a file is replaced again that somebody reads just now, which Windows refuses."""


def replace_file(
    old: str | Path, new: str | Path, *, src_dir_fd: int | None = None, dst_dir_fd: int | None = None
) -> None:
    """`os.replace`, some more times if a reader is in the way."""
    for wait in (*_WAITS, None):
        try:
            os.replace(old, new, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd)
            return
        except PermissionError:
            if wait is None:
                raise
            time.sleep(wait)


def write_private(file: Path, text: str) -> None:
    """Replace `file` in one step, readable by the user only."""
    private_folder(file.parent)
    handle, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as out:
            out.write(text)
        replace_file(name, file)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


@dataclass(frozen=True, slots=True)
class Remembered:
    """JSON file of learned values by key. A missing or damaged file counts as empty; the last writer wins."""

    file: Path

    def get(self, key: str) -> dict[str, Any]:
        value = self._read().get(key)
        return value if isinstance(value, dict) else {}

    def put(self, key: str, value: Mapping[str, Any]) -> None:
        """Store a value; failure to write is ignored."""
        values = self._read()
        if values.get(key) == value:
            return
        try:
            write_private(self.file, json.dumps({**values, key: dict(value)}, indent=1, sort_keys=True))
        except OSError:
            return

    def _read(self) -> dict[str, Any]:
        try:
            value = json.loads(self.file.read_text("utf-8"))
        except (OSError, ValueError):
            return {}
        return value if isinstance(value, dict) else {}
