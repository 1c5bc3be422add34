"""Rows of packs in lists. Nothing here reads a pack."""

from dataclasses import dataclass
from pathlib import Path

import theact_tui

OUTLINE = "Without a model this story is only an outline: its pack has no written scenes."


@dataclass(frozen=True, slots=True)
class PackEntry:
    """Pack as a row of a list. `broken` says why it cannot be played, or is None."""

    id: str
    folder: Path
    title: str
    description: str = ""
    broken: str | None = None
    shipped: bool = False
    replaces_shipped: bool = False
    cast: tuple[tuple[str, str], ...] = ()
    """Name and role of each character."""
    player: tuple[str, str] = ("", "")
    chapters: tuple[str, ...] = ()
    memory: str = ""
    keeper: str = ""
    plays_offline: bool = False


def shipped_folder() -> Path:
    """Return the folder of shipped packs: inside the wheel, or `content/` of the source tree."""
    package = Path(theact_tui.__file__).parent
    inside = package / "_content"
    return inside if inside.is_dir() else package.parent / "content"
