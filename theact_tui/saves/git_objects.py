"""Ids, refs and reflogs of git, without dulwich."""

import re
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha1
from pathlib import Path
from typing import NamedTuple

from theact_tui.errors import SaveDamaged
from theact_tui.saves.atomic import Folder

Clock = Callable[[], datetime]

MAIN = "main"
UNDONE = "refs/theact/undone/"
"""Refs to redo, by branch."""
KEPT_REFS = "refs/theact/kept/"
"""Refs that keep commits from being lost."""
FILE_MODE = stat.S_IFREG | 0o644
FOLDER = stat.S_IFDIR
_ID = re.compile("[0-9a-f]{40}")


class TreeEntry(NamedTuple):
    mode: int
    id: str

    @property
    def is_folder(self) -> bool:
        return stat.S_ISDIR(self.mode)

    @property
    def is_file(self) -> bool:
        return stat.S_ISREG(self.mode)


@dataclass(frozen=True, slots=True)
class Link:
    id: str
    tree: str
    parent: str | None
    message: str
    at: int
    """Seconds since the epoch."""


def now() -> datetime:
    return datetime.now(UTC)


def blob_id(data: bytes) -> str:
    return sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def is_id(text: str) -> bool:
    return bool(_ID.fullmatch(text))


def head_ref(branch: str) -> str:
    return f"refs/heads/{branch}"


_REFLOG = "theact/heads"
_REFLOG_LINES = 2_000


def append_reflog(git: Path, branch: str, commit: str) -> None:
    Folder(git).append(_REFLOG, f"{commit} {branch}\n".encode())


def read_reflog(git: Path, branch: str) -> Iterator[str]:
    """Yield the branch's commits, newest first."""
    for line in reversed(_reflog_lines(git)):
        commit, _, name = line.partition(" ")
        if name == branch and is_id(commit):
            yield commit


def trim_reflog(git: Path) -> None:
    lines = _reflog_lines(git)
    if len(lines) > _REFLOG_LINES:
        Folder(git).replace(_REFLOG, "".join(f"{line}\n" for line in lines[-_REFLOG_LINES // 2 :]).encode())


def _reflog_lines(git: Path) -> list[str]:
    try:
        return Folder(git).read(_REFLOG).decode(errors="replace").splitlines()
    except (OSError, SaveDamaged):
        return []
