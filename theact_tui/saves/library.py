"""The user's saves: the folders below `<home>/saves`, found, named and listed (S9, S10).

Listing opens every save for a moment, so call it in a thread.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from theact_tui.errors import TheActError, UsageError
from theact_tui.saves import files
from theact_tui.saves.branches import describe
from theact_tui.saves.names import checked_title, free_name, given_name
from theact_tui.saves.objects import MAIN, Clock, head_ref, now
from theact_tui.saves.store import Save
from theact_tui.saves.timeline import Timeline
from theact_tui.story.game import Game
from theact_tui.text import one_line, slug

if TYPE_CHECKING:
    from theact_tui.saves.repository import Repository


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
    branch: str = MAIN
    line: str = ""
    """The last thing told."""
    at: str = ""
    """Time of the newest commit, ISO 8601, UTC."""
    broken: str = ""


class Library:
    """The saves of one user. `home` holds `saves/` and `trash/`, private to the user."""

    def __init__(self, home: Path) -> None:
        self.folder = home / "saves"

    def saves(self) -> list[SaveLine]:
        """All saves, the one played last first. Broken ones come last, with the reason."""
        lines = [line_of(folder) for folder in self._folders()]
        return sorted(lines, key=lambda line: (not line.broken, line.at, line.name), reverse=True)

    def names(self) -> list[str]:
        """The names of the folders of all saves, sorted."""
        return sorted(folder.name for folder in self._folders())

    def path(self, name: str) -> Path:
        """The folder of a save, by its name or title. UsageError, naming what there is, if it is unknown."""
        folder = self._find(name)
        if folder:
            return folder
        known = ", ".join(self.names()) or "none yet"
        raise UsageError(f"There is no save '{one_line(name)}'. Saves: {known}.")

    def has(self, name: str) -> bool:
        """True if there is a save of this name or title."""
        return self._find(name) is not None

    def create(self, game: Game, *, clock: Clock = now) -> Save:
        """A new save in a folder named after the title of `game`. UsageError if the name is taken or no name."""
        return Save.create(self.new_folder(game.info.title), game, clock=clock)

    def new_folder(self, title: str) -> Path:
        """Where a save of this title is to be made. UsageError if the name is taken or cannot be one."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        taken = [path.name for path in self.folder.iterdir()]
        return self.folder / free_name(checked_title(title, "save"), taken, "save")

    def _find(self, name: str) -> Path | None:
        named = slug(name, fallback="")
        if named:
            return next((folder for folder in self._folders() if folder.name == named), None)
        titled = (line for line in self.saves() if line.title.casefold() == " ".join(name.split()).casefold())
        return next((self.folder / line.name for line in titled), None)

    def _folders(self) -> list[Path]:
        if not self.folder.is_dir():
            return []
        found = (path for path in self.folder.iterdir() if not path.name.startswith("."))
        return [path for path in found if (path / ".git").is_dir() and not path.is_symlink()]


def line_of(folder: Path) -> SaveLine:
    """What the list says about the save in `folder`, whatever its condition."""
    from theact_tui.saves.repository import Repository

    try:
        repository = Repository(folder / ".git")
        try:
            return _line(folder.name, repository)
        finally:
            repository.close()
    except (TheActError, OSError) as error:
        return SaveLine(name=folder.name, title=folder.name, broken=str(error))


def _line(name: str, repository: Repository) -> SaveLine:
    branch = repository.head() or MAIN
    timeline = Timeline(repository, branch, repository.ref(head_ref(branch)) or "", now)
    info = given_name(repository.git, files.read_info(timeline.version, files.read_format(timeline.version)))
    chapter, line, at = describe(timeline, timeline.head)
    return SaveLine(
        name=name,
        title=info.title,
        mode=info.mode,
        pack=info.pack,
        player=info.player.name,
        chapter=chapter,
        turn=timeline.turn,
        branch=branch,
        line=line,
        at=at,
    )
