"""Folders of saves, and replacing one."""

import os
from pathlib import Path


def list_folders(saves: Path) -> list[Path]:
    for pending in saves.glob(".*.new"):  # a crash may have come between
        finish_replacement(saves / pending.name[1:].removesuffix(".new"))
    return saves_in(saves)


def saves_in(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    visible = (path for path in folder.iterdir() if not path.name.startswith("."))
    return [path for path in visible if not path.is_symlink() and os.path.lexists(path / ".git")]


def pending_replacement(folder: Path) -> Path:
    return folder.with_name(f".{folder.name}.new")


def finish_replacement(folder: Path) -> None:
    """Move the waiting replacement of `folder` to its place, unless the old save is still there."""
    pending = pending_replacement(folder)
    if not pending.is_dir() or folder.exists():
        return
    try:
        pending.rename(folder)
    except FileNotFoundError:
        if not folder.exists():  # else another process was quicker
            raise
