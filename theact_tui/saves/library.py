"""Saves of a user, below `<home>/saves`. Listing opens every save for a moment, so call it in a thread."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import closing, suppress
from functools import lru_cache
from hashlib import sha1
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from theact_tui.errors import SaveError, SaveInUse, TheActError, UsageError
from theact_tui.paths import incoming_folder, replace_file
from theact_tui.saves.branches import Branches, checked_title, free_name, names_of, numbered, progress_at
from theact_tui.saves.codec import read_info
from theact_tui.saves.git_objects import Clock, now
from theact_tui.saves.history import Timeline
from theact_tui.saves.listing import (
    SaveEntry,
    finish_replacement,
    list_folders,
    newest_first,
    pending_replacement,
    saves_in,
)
from theact_tui.saves.lock import SaveLock
from theact_tui.saves.personas import Personas
from theact_tui.saves.save import Save
from theact_tui.story.direct.records import SessionRecord, Setup
from theact_tui.story.direct.state import DirectGame, unlocked
from theact_tui.story.game import Game, SaveInfo
from theact_tui.text import one_line, slug
from theact_tui.trash import deleted_folder

if TYPE_CHECKING:
    from theact_tui.saves.repository import Repository

_NAME_LENGTH = 48


class Library:
    """Saves of one user. `home` holds `saves/` and `trash/`."""

    def __init__(self, home: Path) -> None:
        self.folder = home / "saves"
        self.trash_folder = home / "trash"
        self.personas = Personas(home / "personas.yaml")

    def saves(self) -> list[SaveEntry]:
        """List all saves, last played first, broken ones last."""
        return newest_first(entry_of(folder) for folder in list_folders(self.folder))

    def names(self) -> list[str]:
        return sorted(folder.name for folder in list_folders(self.folder))

    def path(self, name: str) -> Path:
        """Return the folder of a save by name or title. Raises UsageError."""
        folder = self._find(name)
        if folder:
            return folder
        names = ", ".join(self.names()) or "none yet"
        raise UsageError(f"There is no save '{one_line(name)}'. Saves: {names}.")

    def has(self, name: str) -> bool:
        return self._find(name) is not None

    def create(self, game: Game, *, clock: Clock = now) -> Save[Game]:
        return Save.create(self.new_folder(game.info.title), game, clock=clock)

    def create_chapter(self, title: str, id: str, *, clock: Clock = now) -> Save[DirectGame]:
        chapter = _new_chapter(checked_title(title, "story"), id, clock)
        return Save.create(self.new_folder(title), chapter, clock=clock)

    def new_folder(self, title: str) -> Path:
        """Raises UsageError for a bad or taken name."""
        return self.folder / free_name(checked_title(title, "story"), _names_in(self.folder), "save")

    # --- copying, naming, deleting ---

    def copy(self, name: str, title: str) -> Path:
        """Copy a save with all branches. Raises SaveInUse."""
        git = self.path(name) / ".git"

        def duplicate(folder: Path) -> None:
            try:
                folder.mkdir(mode=0o700)
                shutil.copytree(git, folder / ".git", symlinks=True, ignore=_left_behind)
            except OSError as error:
                why = error.strerror or "not all of its files; the disk may be full"
                raise SaveError(f"'{name}' could not be copied: {why}.") from error

        with SaveLock(git):
            return self.adopt(duplicate, title)

    def rename(self, name: str, title: str) -> Path:
        """Raises SaveInUse."""
        folder = self.path(name)
        title = checked_title(title, "story")
        same = slug(title, fallback="") == folder.name
        target = folder if same else self.new_folder(title)
        self._entitle(folder, title)
        if not same:
            _move(folder, target)
        return target

    def _entitle(self, folder: Path, title: str = "") -> None:
        taken = {_id_of(other) for other in list_folders(self.folder) if other != folder}
        id, own = "", _id_of(folder)
        if own and own in taken:
            new_ids = (sha1(f"{own} {number}".encode()).hexdigest()[:12] for number in count(2))
            id = next(other for other in new_ids if other not in taken)
        if title or id:
            with Save.open(folder) as save:
                save.rename(checked_title(title, "story") if title else save.info.title, id=id)
            _read_id.cache_clear()

    def delete(self, name: str) -> Path:
        """Move a save to the trash. Raises SaveInUse."""
        folder = self.path(name)
        target = self.trash_folder / numbered(folder.name, _names_in(self.trash_folder))
        with SaveLock(folder / ".git"):
            pass
        _move(folder, target)
        target.touch()  # when it was deleted
        return target

    def trashed(self) -> list[SaveEntry]:
        """List deleted saves; `restore` takes their `name`."""
        return [entry_of(folder) for folder in sorted(self._deleted())]

    def restore(self, name: str) -> Path:
        """Restore a save by its name in the trash, or the last deleted one by its former name."""
        deleted = {folder.name: folder for folder in self._deleted()}
        had = [folder for folder in deleted.values() if folder.name.rpartition("-")[0] == slug(name)]
        source = deleted.get(slug(name)) or max(
            had, key=lambda folder: folder.stat().st_mtime_ns, default=None
        )
        if source is None:
            names = ", ".join(sorted(deleted)) or "nothing"
            raise UsageError(f"There is no save '{one_line(name)}' in the trash. It contains: {names}.")
        target = self._place(source.name.rpartition("-")[0], "story")
        source.rename(target)
        self._entitle(target)
        return target

    def empty_trash(self) -> int:
        """Delete everything in the trash and return the count."""
        others = [folder for folder in self.trash_folder.glob("*") if deleted_folder(folder)]
        folders = [*self._deleted(), *others]
        for folder in folders:
            folder.unlink() if folder.is_symlink() else shutil.rmtree(folder)
        return len(folders)

    def _deleted(self) -> list[Path]:
        return [folder for folder in saves_in(self.trash_folder) if not deleted_folder(folder)]

    # --- other places ---

    def import_file(self, file: Path, title: str = "") -> Path:
        """Make a save from a file by `write_bundle`; see `adopt`."""
        from theact_tui.saves.transfer import read_bundle

        return self.adopt(lambda folder: read_bundle(file, folder), title)

    def bring(self, source: Path) -> Path:
        """Copy a save from another folder, which may be in use."""
        from theact_tui.saves.transfer import write_bundle

        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with incoming_folder(self.folder) as scratch:
            file = scratch / "save"
            with Save.open(source, write=False) as save:
                write_bundle(save.repository, file)
            return self.import_file(file)

    def adopt(self, make: Callable[[Path], None], title: str = "") -> Path:
        """Let `make` fill a hidden folder, then move it to its place. Without `title` it keeps its own."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        target = self.new_folder(title) if title else None
        with incoming_folder(self.folder) as scratch:
            make(scratch / "save")
            self._entitle(scratch / "save", title)
            Save.open(scratch / "save").close()
            target = target or self._place(slug(entry_of(scratch / "save").title, fallback=""), "save")
            (scratch / "save").rename(target)
        return target

    def _place(self, name: str, fallback: str) -> Path:
        taken = _names_in(self.folder)
        return self.folder / (name if name and name not in taken else numbered(name or fallback, taken))

    def _find(self, name: str) -> Path | None:
        """Find a folder of this name, else the one save with this title, else the folder such a title would get."""
        folders = {folder.name: folder for folder in list_folders(self.folder)}
        if name in folders:
            return folders[name]
        title = " ".join(name.split()).casefold()
        titled = [line.name for line in self.saves() if line.title.casefold() == title]
        if len(titled) > 1:
            raise UsageError(
                f"Several saves are called '{one_line(name)}': {', '.join(titled)}. Use one of these."
            )
        return folders.get(titled[0] if titled else slug(name, fallback=""))


def _move(folder: Path, target: Path) -> None:
    """Raises SaveInUse on Windows, which moves no folder while another program, such as `watch`, has a file of it open."""
    try:
        replace_file(folder, target)
    except PermissionError as error:
        if not hasattr(error, "winerror"):
            raise
        raise SaveInUse(f"'{folder.name}' is open in another window. Close it there first.") from error


def _names_in(folder: Path) -> list[str]:
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return [path.name for path in folder.iterdir()]


def archive_name(name: str, short_id: str) -> str:
    name = name.removesuffix(f"-{short_id}")
    return f"{name[: _NAME_LENGTH - len(short_id) - 1].rstrip(' -')}-{short_id}"


def restart(save: Save[DirectGame], id: str, clock: Clock = now) -> tuple[Save[DirectGame], str]:
    """Archive the chapter and start a new one under its name; close `save`. Returns the new save and the archive's
    name. After a crash half-way, the next listing finishes the work. Raises UsageError.
    """
    folder, chapter = save.folder, save.load()
    short_id = chapter.session.short_id
    title = chapter.info.title.removesuffix(f"-{short_id}")
    archived = archive_name(title, short_id)
    archive = folder.with_name(archive_name(folder.name, short_id))
    if archive.exists():
        raise UsageError(f"There is already a save '{archive.name}'. Rename it, then reset again.")
    shutil.rmtree(pending_replacement(folder), ignore_errors=True)
    Save.create(pending_replacement(folder), _new_chapter(title, id, clock), clock=clock).close()
    save.rename(archived)
    save.close()
    try:
        _move(folder, archive)
    except SaveInUse:
        shutil.rmtree(pending_replacement(folder), ignore_errors=True)
        with Save.open(folder) as again:
            again.rename(chapter.info.title)
        raise
    finish_replacement(folder)
    return Save.open(folder, clock=clock), archived


def unlock(save: Save[DirectGame], clock: Clock = now) -> DirectGame:
    """Raises UsageError if Setup is not locked or has prompts."""
    chapter = unlocked(save.load(), clock().isoformat(timespec="milliseconds"))
    save.commit_edit(chapter, "Setup is unlocked")
    return chapter


def _new_chapter(title: str, id: str, clock: Clock) -> DirectGame:
    at = clock().isoformat(timespec="milliseconds")
    info = SaveInfo(id=id, title=title, pack="", seed=0, created=at, mode="direct")
    return DirectGame(info, SessionRecord(session_id=id, created_at=at, updated_at=at), Setup())


def _id_of(folder: Path) -> str:
    try:
        git = (folder / ".git").stat()
    except OSError:
        return ""
    return _read_id(folder, git.st_ino, git.st_mtime_ns)


@lru_cache(maxsize=4_096)
def _read_id(folder: Path, inode: int, changed: int) -> str:
    from theact_tui.saves.repository import Repository

    try:
        with suppress(SaveError, OSError), closing(Repository(folder / ".git")) as repository:
            return names_of(repository).of(read_info(Timeline.current(repository).version)).id
        with Save.open(folder, write=False) as save:
            return save.info.id
    except SaveError:
        return ""


def _left_behind(folder: str, names: list[str]) -> set[str]:
    left = {name for name in names if name.endswith(".lock")}
    match Path(folder).name:
        case ".git":
            left |= {"hooks", "index", "logs"}
        case "theact":
            left |= {"in-use", "shown", "clean", "live.jsonl"}
    return left & set(names)


def entry_of(folder: Path) -> SaveEntry:
    from theact_tui.saves.repository import Repository

    try:
        with closing(Repository(folder / ".git")) as repository:
            return _line(folder.name, repository)
    except (TheActError, OSError) as error:
        return SaveEntry(name=folder.name, title=folder.name, broken=str(error))
    except Exception as error:  # a hostile save can fail in any way, and the others are listed all the same
        return SaveEntry(name=folder.name, title=folder.name, broken=f"It cannot be read: {error!r}")


def _line(name: str, repository: Repository) -> SaveEntry:
    timeline = Timeline.current(repository)
    branch, info = timeline.branch, names_of(repository).of(read_info(timeline.version))
    branch_title = Branches(timeline).title(branch)
    reached, at = progress_at(timeline, timeline.head)
    return SaveEntry(
        name=name,
        title=info.title,
        mode=info.mode,
        pack=info.pack,
        player=info.player.name,
        chapter=reached.chapter,
        turn=timeline.turn,
        branch=branch,
        branch_title="" if branch_title == branch else branch_title,
        finished=reached.finished,
        line=reached.line,
        at=at,
    )
