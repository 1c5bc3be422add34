"""Where things live: data, config and cache of one user, all moved together by `--home` or `THEACT_HOME`.

Folders made here are private to the user (S13).
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import platformdirs

from theact_tui.errors import UsageError

_APP = "theact_tui"


def typed_path(text: str | Path) -> Path:
    """The path that a person typed, `~` being a home folder. Raises UsageError where nobody has that one."""
    try:
        return Path(text).expanduser()
    except RuntimeError as error:
        raise UsageError(f"There is no home folder '{Path(text).parts[0]}'.") from error


@dataclass(frozen=True, slots=True)
class Home:
    """The folders of one user. Nothing is made until `create`."""

    data: Path
    config: Path
    cache: Path
    """Learned things that may be deleted at any time."""
    guest: bool = False
    """Whoever plays is a visitor of `serve`; `theact_tui/guest_permissions.py` says what they may not do."""

    @classmethod
    def find(cls, folder: str | Path | None = None, env: Mapping[str, str] | None = None) -> Home:
        """The home at `folder`, else at `THEACT_HOME`, else where the system keeps such things."""
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
    def packs(self) -> Path:
        """Packs of the user; the shipped ones are elsewhere."""
        return self.data / "packs"

    @property
    def drafts(self) -> Path:
        """Packs that are being written."""
        return self.data / "drafts"

    @property
    def lab(self) -> Path:
        """Runs of the lab."""
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
        """Make the folders that are missing. Raises UsageError where that is not possible."""
        for folder in (self.data, self.config, self.cache, self.saves, self.packs, self.trash):
            try:
                private_folder(folder)
            except OSError as error:
                raise UsageError(
                    f"Cannot create the folder {folder}: {error.strerror}. Choose another one with --home."
                ) from error
        return self


def exports_folder(data: Path) -> Path:
    """Where files made for the user go: into a home that was chosen; else the download folder."""
    usual = Path(platformdirs.user_data_dir(_APP, appauthor=False))
    return Path(platformdirs.user_downloads_dir()) if data == usual else data / "exports"


def private_folder(folder: Path) -> Path:
    """`folder`, made if missing with its missing parents, each readable by the user only."""
    missing = [f for f in (folder, *folder.parents) if not f.exists()]
    for missing_folder in reversed(missing):
        missing_folder.mkdir(mode=0o700, exist_ok=True)
    return folder


INCOMING = ".incoming-"
ABANDONED = 86_400
"""Seconds after which nobody works in such a folder any more."""


@contextmanager
def incoming_folder(place: Path) -> Iterator[Path]:
    """A folder out of sight in `place`, to make something in before it is moved there; it goes at the end.

    Those that a killed program left go too, once they are abandoned. What it had moved aside into `before` is put back.
    """
    for left in place.glob(f"{INCOMING}*"):
        with suppress(OSError):  # another program works here, too
            for aside in left.glob("before/*"):
                if not (place / aside.name).exists():
                    aside.rename(place / aside.name)
            if time.time() - left.stat().st_mtime > ABANDONED:
                shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=INCOMING, dir=place, ignore_cleanup_errors=True) as scratch:
        yield Path(scratch)


def write_private(file: Path, text: str) -> None:
    """Replace `file` by `text` in one step, readable by the user only."""
    private_folder(file.parent)
    handle, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as out:
            out.write(text)
        Path(name).replace(file)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


@dataclass(frozen=True, slots=True)
class Remembered:
    """A small JSON file of learned values by key; missing or damaged it counts as empty, the last writer wins."""

    file: Path

    def get(self, key: str) -> dict[str, Any]:
        """What was put under `key`, or nothing."""
        value = self._read().get(key)
        return value if isinstance(value, dict) else {}

    def put(self, key: str, value: Mapping[str, Any]) -> None:
        """Remember `value`. A cache that cannot be written is done without."""
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
