"""A pack as lists show it, and where those are that come with the program. Nothing here reads a pack."""

from dataclasses import dataclass
from pathlib import Path

import theact_tui

OUTLINE = "Without a model this story is only an outline: its pack has no written scenes."
"""Said of a pack whose author wrote nothing for the offline storyteller."""


@dataclass(frozen=True, slots=True)
class PackEntry:
    """One pack as a list shows it. `broken` is the reason why it cannot be played, or None."""

    id: str
    folder: Path
    title: str
    description: str = ""
    broken: str | None = None
    shipped: bool = False
    replaces_shipped: bool = False
    """An own pack with the id of a shipped one, which is not listed."""
    cast: tuple[tuple[str, str], ...] = ()
    """Name and role of each character."""
    player: tuple[str, str] = ("", "")
    """Name and description of the player's part."""
    chapters: tuple[str, ...] = ()
    """Titles."""
    memory: str = ""
    keeper: str = ""
    plays_offline: bool = False


def shipped_folder() -> Path:
    """The folder of the packs that come with the program: inside the wheel, or `content/` of the source tree."""
    package = Path(theact_tui.__file__).parent
    inside = package / "_content"
    return inside if inside.is_dir() else package.parent / "content"
