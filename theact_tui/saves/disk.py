"""Writing single files so that a crash at any instant leaves the old or the new content, never a mixture."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def replace_file(path: Path, data: bytes, *, durable: bool = False, by_way_of: Path | None = None) -> None:
    """Write a file by temporary file and rename; `durable`: it is on the disk when this returns.

    The temporary file is made in `by_way_of`, which must be on the same disk, or beside the file.
    """
    handle, name = tempfile.mkstemp(prefix="tmp-", dir=by_way_of or path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            if durable:
                os.fsync(handle)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    if durable:
        sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make the renames in `folder` durable, where the system can."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
