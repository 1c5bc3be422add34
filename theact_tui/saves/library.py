"""The user's saves: the folders below `<home>/saves`, found, named and listed (S9, S10).

Listing opens every save for a moment, so call it in a thread.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from theact_tui.errors import TheActError, UsageError
from theact_tui.saves import files
from theact_tui.saves.history import History, number_of
from theact_tui.saves.objects import MAIN, Clock, head_ref, now
from theact_tui.saves.store import Save
from theact_tui.saves.trees import Version
from theact_tui.story.game import Game
from theact_tui.story.pack import Chapter
from theact_tui.text import clean, one_line, slug

MAX_TITLE = 120


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
        folder = self.folder / slug(name)
        if (folder / ".git").is_dir():
            return folder
        known = ", ".join(self.names()) or "none yet"
        raise UsageError(f"There is no save '{one_line(name)}'. Saves: {known}.")

    def has(self, name: str) -> bool:
        """True if there is a save of this name or title."""
        return (self.folder / slug(name)).exists()

    def create(self, game: Game, *, clock: Clock = now) -> Save:
        """A new save in a folder named after the title of `game`. UsageError if the name is taken or no name."""
        return Save.create(self.new_folder(game.info.title), game, clock=clock)

    def new_folder(self, title: str) -> Path:
        """Where a save of this title is to be made. UsageError if the name is taken or cannot be one."""
        title = checked_title(title)
        folder = self.folder / slug(title)
        if folder.exists():
            raise UsageError(
                f"There is already a save '{folder.name}'. Choose another name, or go on with that one."
            )
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        return folder

    def _folders(self) -> list[Path]:
        if not self.folder.is_dir():
            return []
        return [path for path in self.folder.iterdir() if (path / ".git").is_dir() and not path.is_symlink()]


def checked_title(title: str) -> str:
    """`title` as it may be used. UsageError if it is blank or too long."""
    plain = " ".join(clean(title).split())
    if not plain:
        raise UsageError("A save needs a name.")
    if len(plain) > MAX_TITLE:
        raise UsageError(f"A name has at most {MAX_TITLE} characters; this one has {len(plain)}.")
    return plain


def line_of(folder: Path) -> SaveLine:
    """What the list says about the save in `folder`, whatever its condition."""
    from theact_tui.saves.repository import Repository

    try:
        repository = Repository(folder / ".git")
        try:
            branch = repository.head() or MAIN
            commit = repository.ref(head_ref(branch)) or ""
            history = History(repository)
            return _line(
                folder.name, branch, commit, history, Version(repository, repository.link(commit).tree)
            )
        finally:
            repository.close()
    except (TheActError, OSError) as error:
        return SaveLine(name=folder.name, title=folder.name, broken=str(error))


def _line(name: str, branch: str, commit: str, history: History, version: Version) -> SaveLine:
    format = files.read_format(version)
    info = files.read_info(version, format)
    link = version.repository.link(commit)
    made = history.turn_commit(commit)
    turn = number_of(made) or 0
    chapter, line = "", made.message.split("\n")[0].partition(": ")[2]
    if info.mode == "play":
        state = files.read_state(version, format)
        path = f"pack/chapters/{state.chapter}.yaml"
        chapter = files.parse(path, version.need(path), Chapter, format).title
        told = files.read_turn(version, turn, format).told if turn else ()
        line = one_line(told[-1].text, 200) if told else line
    at = datetime.fromtimestamp(link.at, UTC).isoformat()
    return SaveLine(
        name=name,
        title=info.title,
        mode=info.mode,
        pack=info.pack,
        player=info.player.name,
        chapter=chapter,
        turn=turn,
        branch=branch,
        line=line,
        at=at,
    )
