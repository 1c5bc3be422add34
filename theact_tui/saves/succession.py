"""A new save that takes over the folder of an old one: it waits beside it until the old one was moved away."""

from __future__ import annotations

from pathlib import Path


def waiting(folder: Path) -> Path:
    """Where the save that is to have `folder` is made; no list of saves shows it."""
    return folder.with_name(f".{folder.name}.new")


def take_place(folder: Path) -> None:
    """Put the save that waits for `folder`, if there is one, in its place, unless the old one is still there."""
    heir = waiting(folder)
    if not heir.is_dir() or folder.exists():
        return
    try:
        heir.rename(folder)
    except FileNotFoundError:
        if not folder.exists():  # else another process was quicker
            raise


def take_places(saves: Path) -> None:
    """Do so for every save of a folder of saves: a crash may have come between."""
    for heir in saves.glob(".*.new"):
        take_place(saves / heir.name[1:].removesuffix(".new"))
