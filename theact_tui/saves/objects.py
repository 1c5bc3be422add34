"""The small values that the parts of a save exchange. Nothing here needs dulwich."""

from __future__ import annotations

import re
import stat
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha1
from typing import NamedTuple

Clock = Callable[[], datetime]

MAIN = "main"
"""The first branch of a save."""
UNDONE = "refs/theact/undone/"
"""Here, by branch, is what can be redone."""
KEPT = "refs/theact/kept/"
"""Here is what nothing else names any more and must not be lost."""
FILE = stat.S_IFREG | 0o644
FOLDER = stat.S_IFDIR
_ID = re.compile("[0-9a-f]{40}")


class Entry(NamedTuple):
    """What a tree holds under a name."""

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
    """A commit as the chain of history needs it."""

    id: str
    tree: str
    parent: str | None
    message: str
    at: int
    """Seconds since the epoch."""


def now() -> datetime:
    """The time, UTC."""
    return datetime.now(UTC)


def blob_id(data: bytes) -> str:
    """The id git gives to a file's content."""
    return sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def is_id(text: str) -> bool:
    """True if `text` is an object id written out in full."""
    return bool(_ID.fullmatch(text))


def head_ref(branch: str) -> str:
    """The ref of a branch."""
    return f"refs/heads/{branch}"
