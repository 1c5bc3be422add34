"""The user's saves: the folders below `<home>/saves`, found, named and listed (S9, S10).

Listing opens every save for a moment, so call it in a thread.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha1
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from theact_tui.errors import SaveError, TheActError, UsageError
from theact_tui.saves.branches import describe
from theact_tui.saves.lock import SaveLock
from theact_tui.saves.names import checked_title, free_name, numbered
from theact_tui.saves.objects import MAIN, Clock, head_ref, now
from theact_tui.saves.reading import Reader
from theact_tui.saves.store import Save
from theact_tui.saves.succession import take_places
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
    branch_title: str = ""
    """What it was called, where that is more than its plain name."""
    finished: bool = False
    """The story, or the chapter, has come to its end; a story may be played on."""
    line: str = ""
    """The last thing told."""
    at: str = ""
    """When that was told, or was changed by hand; ISO 8601, UTC."""
    broken: str = ""


class Library:
    """The saves of one user. `home` holds `saves/` and `trash/`, private to the user."""

    def __init__(self, home: Path) -> None:
        self.folder = home / "saves"
        self.trash_folder = home / "trash"

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

    # --- copying, naming, deleting ---

    def copy(self, name: str, title: str) -> Path:
        """Copy a save with its whole history and all branches; the new folder. SaveInUse while it is open."""
        source, folder = self.path(name), self.new_folder(title)
        with _held(source):
            try:
                shutil.copytree(source / ".git", folder / ".git", symlinks=True, ignore=_left_behind)
                folder.chmod(0o700)
            except OSError as error:
                shutil.rmtree(folder, ignore_errors=True)
                raise SaveError(f"'{name}' could not be copied: {error}.") from error
        self._entitle(folder, title)
        return folder

    def rename(self, name: str, title: str) -> Path:
        """Give a save another name; its folder follows. SaveInUse while it is open."""
        folder = self.path(name)
        title = checked_title(title, "save")
        same = slug(title, fallback="") == folder.name
        target = folder if same else self.new_folder(title)
        self._entitle(folder, title)
        if not same:
            folder.rename(target)
        return target

    def _entitle(self, folder: Path, title: str = "") -> None:
        """Give a save a title (default: its own), and another id if a save of the list has the same."""
        id = self._other_id(folder)
        if title or id:
            with Save.open(folder) as save:
                save.rename(checked_title(title, "save") if title else save.info.title, id=id)

    def _other_id(self, folder: Path) -> str:
        taken = {_id_of(other) for other in self._folders() if other != folder}
        id = _id_of(folder)
        made = (sha1(f"{id} {number}".encode()).hexdigest()[:12] for number in count(2))
        return next(other for other in made if other not in taken) if id and id in taken else ""

    def delete(self, name: str) -> Path:
        """Move a save to the trash; its folder there. SaveInUse while it is open."""
        folder = self.path(name)
        self.trash_folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with _held(folder):
            pass
        target = self.trash_folder / numbered(
            folder.name, [path.name for path in self.trash_folder.iterdir()]
        )
        folder.rename(target)
        return target

    def trashed(self) -> list[SaveLine]:
        """The saves in the trash; `name` is what `restore` wants."""
        return [line_of(folder) for folder in sorted(_saves_in(self.trash_folder))]

    def restore(self, name: str) -> Path:
        """Take a save out of the trash again, by its name there or, for the last one deleted of that name, the name it
        had; its folder. It is numbered if its name is taken by now."""
        gone = {folder.name: folder for folder in _saves_in(self.trash_folder)}
        had = [folder for folder in gone.values() if folder.name.rpartition("-")[0] == slug(name)]
        source = gone.get(slug(name)) or max(had, key=lambda folder: folder.stat().st_ctime_ns, default=None)
        if source is None:
            names = ", ".join(sorted(gone)) or "nothing"
            raise UsageError(f"There is no save '{one_line(name)}' in the trash. In it: {names}.")
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        taken = [path.name for path in self.folder.iterdir()]
        plain = source.name.rpartition("-")[0]
        target = self.folder / (plain if plain and plain not in taken else numbered(plain or "story", taken))
        source.rename(target)
        self._entitle(target)
        return target

    def empty_trash(self) -> int:
        """Delete the saves in the trash for good; how many they were."""
        folders = _saves_in(self.trash_folder)
        for folder in folders:
            shutil.rmtree(folder)
        return len(folders)

    # --- other places ---

    def import_file(self, file: Path, title: str = "") -> Path:
        """Make a save of a file by `write_bundle`; its folder. Without a `title` it keeps its own, numbered if taken."""
        from theact_tui.saves.bundle import read_bundle

        return self._adopt(lambda folder: read_bundle(file, folder), title)

    def clone(self, source: str, title: str = "") -> Path:
        """Make a save from another git repository, a folder or an address; its folder."""
        from theact_tui.saves.remote import clone

        return self._adopt(lambda folder: clone(source, folder), title)

    def push(self, name: str, target: str, *, force: bool = False) -> tuple[str, ...]:
        """Bring a save to another git repository; the refs that changed there. UsageError if turns would be lost."""
        from theact_tui.saves.remote import push

        with Save.open(self.path(name), write=False) as save:
            return push(save.repository, target, force=force)

    def _adopt(self, make: Callable[[Path], None], title: str) -> Path:
        """A save that `make` puts into a folder out of sight, brought to its place once it is whole."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        target = self.new_folder(title) if title else None
        scratch = Path(tempfile.mkdtemp(prefix=".incoming-", dir=self.folder))
        try:
            make(scratch / "save")
            self._entitle(scratch / "save", title)
            Save.open(scratch / "save").close()
            target = target or self._place(line_of(scratch / "save").title)
            (scratch / "save").rename(target)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
        return target

    def _place(self, title: str) -> Path:
        taken = [path.name for path in self.folder.iterdir()]
        name = slug(title, fallback="")
        return self.folder / (name if name and name not in taken else numbered(name or "save", taken))

    def _find(self, name: str) -> Path | None:
        named = slug(name, fallback="")
        if named:
            return next((folder for folder in self._folders() if folder.name == named), None)
        titled = (line for line in self.saves() if line.title.casefold() == " ".join(name.split()).casefold())
        return next((self.folder / line.name for line in titled), None)

    def _folders(self) -> list[Path]:
        take_places(self.folder)
        return _saves_in(self.folder)


def _saves_in(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    found = (path for path in folder.iterdir() if not path.name.startswith("."))
    return [path for path in found if (path / ".git").is_dir() and not path.is_symlink()]


def _id_of(folder: Path) -> str:
    """The id of the save in `folder`; nothing if it cannot be read."""
    try:
        with Save.open(folder, write=False) as save:
            return save.info.id
    except SaveError:
        return ""


@contextmanager
def _held(folder: Path) -> Iterator[None]:
    """While nobody else can write the save. SaveInUse if somebody can."""
    (folder / ".git" / "theact").mkdir(exist_ok=True)
    lock = SaveLock(folder / ".git")
    lock.take()
    try:
        yield
    finally:
        lock.release()


def _left_behind(folder: str, names: list[str]) -> set[str]:
    """What is not copied: locks, temporary files, hooks and everything git keeps for a work tree."""
    left = {name for name in names if name.endswith(".lock")}
    match Path(folder).name:
        case ".git":
            left |= {"hooks", "index", "logs"}
        case "theact":
            left |= {"in-use", "shown", "clean"}
    return left & set(names)


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
    reader = Reader(repository.git.parent, timeline)
    info, branch_title, told = reader.info, reader.title_of(), describe(timeline, timeline.head)
    return SaveLine(
        name=name,
        title=info.title,
        mode=info.mode,
        pack=info.pack,
        player=info.player.name,
        chapter=told.chapter,
        turn=timeline.turn,
        branch=branch,
        branch_title="" if branch_title == branch else branch_title,
        finished=told.finished,
        line=told.line,
        at=told.at,
    )
