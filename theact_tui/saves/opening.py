"""Making and opening the folder of a save: lock, repair, and the way back to the newest commit that reads (S9)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from theact_tui.errors import SaveDamaged, UsageError
from theact_tui.saves.files import read_format, read_game, read_info
from theact_tui.saves.lock import SaveLock
from theact_tui.saves.objects import MAIN, Clock, head_ref
from theact_tui.saves.trees import Changes
from theact_tui.story.game import Game

if TYPE_CHECKING:
    from theact_tui.saves.timeline import Timeline


@dataclass(frozen=True, slots=True)
class Opened:
    """What opening a save found."""

    timeline: Timeline
    lock: SaveLock | None
    game: Game | None
    recovered: str


def create(folder: Path, contents: Changes, line: str, clock: Clock, word: str) -> tuple[Timeline, SaveLock]:
    """A new save with its first commit. UsageError if the folder is there already."""
    from theact_tui.saves.repository import Repository
    from theact_tui.saves.timeline import begin

    try:
        folder.mkdir(parents=True, mode=0o700)
    except FileExistsError:
        raise UsageError(f"There is already a save in {folder}.") from None
    repository = Repository.init(folder / ".git", MAIN)
    lock = SaveLock(folder / ".git")
    lock.take()
    return begin(repository, MAIN, contents, line, clock, word), lock


def open(folder: Path, write: bool, clock: Clock) -> Opened:
    """The save in `folder`; with `write` it is locked and repaired."""
    from theact_tui.saves.repository import Repository
    from theact_tui.saves.timeline import Timeline

    repository = Repository(folder / ".git")
    lock = None
    if write:
        lock = SaveLock(folder / ".git")
        lock.take()
    branch = repository.head() or MAIN
    head = repository.ref(head_ref(branch))
    if head is None:
        raise SaveDamaged("no head")
    timeline = Timeline(repository, branch, head, clock)
    info = read_info(timeline.version, read_format(timeline.version))
    game = read_game(timeline.version) if info.mode == "play" else None
    return Opened(timeline, lock, game, "")


def mark_clean(folder: Path) -> None:
    """Note that the save was closed in order, so that the next opening need not look for leftovers."""
    (folder / ".git" / "theact" / "clean").touch()
