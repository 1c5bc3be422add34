"""A save as lists show it. Nothing here opens a save."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class SaveEntry:
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


def in_order(lines: Iterable[SaveEntry]) -> list[SaveEntry]:
    """The one played last first, broken ones last."""
    return sorted(lines, key=lambda line: (not line.broken, line.at, line.name), reverse=True)
