"""The folders of saves, and a save as lists show it. Nothing here opens a save."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class SaveLine:
    """A save as the home screen lists it. A broken one has a reason and little else."""

    name: str
    """Of its folder."""
    title: str
    mode: str = "play"
    pack: str = ""
    player: str = ""
    chapter: str = ""
    """Title of the current chapter."""
    turn: int = 0
    branch: str = "main"
    branch_title: str = ""
    """What it was called, where that is more than its plain name."""
    finished: bool = False
    """The story, or the chapter, has come to its end; a story may be played on."""
    line: str = ""
    """The last thing told."""
    at: str = ""
    """When that was told, or was changed by hand; ISO 8601, UTC."""
    broken: str = ""


def in_order(lines: Iterable[SaveLine]) -> list[SaveLine]:
    """The one played last first, broken ones last."""
    return sorted(lines, key=lambda line: (not line.broken, line.at, line.name), reverse=True)


def list_folders(saves: Path) -> list[Path]:
    """The folders of all saves below `saves`."""
    for pending in saves.glob(".*.new"):  # a crash may have come between
        finish_replacement(saves / pending.name[1:].removesuffix(".new"))
    return saves_in(saves)


def saves_in(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    found = (path for path in folder.iterdir() if not path.name.startswith("."))
    return [path for path in found if not path.is_symlink() and os.path.lexists(path / ".git")]


def pending_replacement(folder: Path) -> Path:
    """Where the save that is to have `folder` is made; no list of saves shows it."""
    return folder.with_name(f".{folder.name}.new")


def finish_replacement(folder: Path) -> None:
    """Put the save that waits for `folder`, if there is one, in its place, unless the old one is still there."""
    pending = pending_replacement(folder)
    if not pending.is_dir() or folder.exists():
        return
    try:
        pending.rename(folder)
    except FileNotFoundError:
        if not folder.exists():  # else another process was quicker
            raise
