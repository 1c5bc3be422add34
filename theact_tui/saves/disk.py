"""Writing single files so that a crash at any instant leaves the old or the new content, never a mixture."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Literal

TEMPORARY = "tmp_obj_"
"""How temporary files begin; git knows this name and clears such files away too."""


def replace_file(
    path: Path, data: bytes, *, sync: Literal["no", "file", "all"] = "no", by_way_of: Path | None = None
) -> None:
    """Write a file by temporary file and rename. After a power cut its content is whole with `sync` `file`, and its
    name is there too with `all`.

    The temporary file is made in `by_way_of`, which must be on the same disk, or beside the file.
    """
    handle, name = tempfile.mkstemp(prefix=TEMPORARY, dir=by_way_of or path.parent)
    try:
        _fill(handle, data, sync != "no")
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    if sync == "all":
        sync_folder(path.parent)


def replace_locked(path: Path, data: bytes, unless: Callable[[], bool]) -> bool:
    """Write a file under git's own kind of lock, `<name>.lock`; durable on return. False if `unless` held.

    BlockingIOError if another program has the lock.
    """
    lock = path.with_name(f"{path.name}.lock")
    try:
        handle = os.open(lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    except FileExistsError:
        raise BlockingIOError(errno.EAGAIN, "another program is writing there", str(path)) from None
    try:
        _fill(handle, data, sync=True)
        if unless():
            lock.unlink()
            return False
        lock.replace(path)
    except BaseException:
        lock.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)
    return True


def sync_folder(folder: Path) -> None:
    """Make the renames in `folder` durable, where the system can."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _fill(handle: int, data: bytes, sync: bool) -> None:
    with os.fdopen(handle, "wb") as file:
        file.write(data)
        file.flush()
        if sync:
            os.fsync(handle)
