"""Rows and folders of saves. Nothing here opens a save."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class SaveEntry:
    """Row of a list. A broken save has a reason and little else."""

    name: str
    title: str
    mode: str = "play"
    pack: str = ""
    player: str = ""
    chapter: str = ""
    turn: int = 0
    branch: str = "main"
    branch_title: str = ""
    finished: bool = False
    line: str = ""
    """Last line of the story."""
    at: str = ""
    """ISO 8601, UTC."""
    broken: str = ""


def newest_first(lines: Iterable[SaveEntry]) -> list[SaveEntry]:
    """Sort by last played, broken ones last."""
    return sorted(lines, key=lambda line: (not line.broken, line.at, line.name), reverse=True)


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
