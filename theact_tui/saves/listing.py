from collections.abc import Iterable
from dataclasses import dataclass


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


def in_order(lines: Iterable[SaveEntry]) -> list[SaveEntry]:
    """Sort by last played, broken ones last."""
    return sorted(lines, key=lambda line: (not line.broken, line.at, line.name), reverse=True)
