"""Making and opening the folder of a save: lock, repair, and the way back to the newest commit that reads (S9)."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from theact_tui.errors import SaveDamaged, SaveError, SaveInUse, SaveUnwritable, UsageError
from theact_tui.saves import migrate, recovery
from theact_tui.saves.files import read_format
from theact_tui.saves.heads import trim_heads
from theact_tui.saves.history import edit_message
from theact_tui.saves.journal import journal
from theact_tui.saves.lock import SaveLock
from theact_tui.saves.objects import MAIN, Clock, head_ref
from theact_tui.saves.trees import Changes, differences
from theact_tui.story.game import Game

if TYPE_CHECKING:
    from theact_tui.saves.repository import Repository
    from theact_tui.saves.timeline import Timeline


@dataclass(frozen=True, slots=True)
class Opened:
    """What opening a save found."""

    timeline: Timeline
    lock: SaveLock | None
    head: str
    """The commit that `game` was read from."""
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
    except OSError as error:
        raise SaveError(f"{folder} could not be made: {error.strerror or error}.") from error
    repository, lock = None, SaveLock(folder / ".git")
    try:
        repository = Repository.init(folder / ".git", MAIN)
        lock.take()
        return begin(repository, MAIN, contents, line, clock, word), lock
    except BaseException as error:
        if repository:
            repository.close()
        lock.release()
        shutil.rmtree(folder, ignore_errors=True)
        if isinstance(error, OSError):
            raise SaveError(f"{folder} could not be made: {error.strerror or error}.") from error
        raise


def open(folder: Path, write: bool, clock: Clock) -> Opened:
    """The save in `folder`; with `write` it is locked and repaired. SaveError if that cannot be done."""
    from theact_tui.saves.repository import Repository

    lock = _locked(folder) if write else None
    try:
        repository = Repository(folder / ".git")
        try:
            return _writing(repository, clock, lock) if lock else _reading(repository, clock)
        except BaseException:
            repository.close()
            raise
    except BaseException:
        if lock:
            lock.release()
        raise


def mark_clean(folder: Path) -> None:
    """Note that the save was closed in order, so that the next opening need not look for leftovers."""
    _clean(folder / ".git").touch()


def tidy(folder: Path) -> None:
    """Remove what a write that failed left behind."""
    recovery.sweep(folder / ".git")


def _clean(git: Path) -> Path:
    return git / "theact" / "clean"


def _locked(folder: Path) -> SaveLock:
    git = folder / ".git"
    if not git.is_dir() or git.is_symlink() or (git / "theact").is_symlink():
        raise SaveDamaged(f"{folder} holds no save.")
    lock = SaveLock(git)
    try:
        (git / "theact").mkdir(exist_ok=True)
        lock.take()
        _writable(git)
    except SaveInUse:
        raise
    except OSError as error:
        lock.release()
        reason = error.strerror or error
        raise SaveUnwritable(
            f"'{folder.name}' cannot be written ({reason}); it can still be opened for reading."
        ) from error
    return lock


def _writable(git: Path) -> None:
    probe = git / "theact" / "tmp-probe"
    probe.touch()
    probe.unlink()


def _writing(repository: Repository, clock: Clock, lock: SaveLock) -> Opened:
    from theact_tui.saves.takes import Takes
    from theact_tui.saves.timeline import Timeline

    git = repository.git
    sentences = []
    is_clean = _clean(git).exists()
    _clean(git).unlink(missing_ok=True)
    lost = not is_clean and recovery.sweep(git)
    branch, moved = _branch(repository)
    if moved:
        repository.set_head(branch)
        sentences.append(f"No branch was current; it is '{branch}' again.")
    game, problem = _game(repository, branch)
    broken = bool(problem)
    if broken:
        recovery.sweep(git)
        if found := recovery.bring_back(repository, branch):
            sentences.append(
                f"Lost from the save, and brought back from its visible files: {', '.join(found)}."
            )
            game, problem = _game(repository, branch)
    if problem:
        sentences.append(recovery.step_back(repository, branch))
        game, _ = _game(repository, branch)
    if broken or lost:
        recovery.drop_lost_refs(repository)
    timeline = Timeline(repository, branch, repository.ref(head_ref(branch)) or "", clock)
    spoken = journal(git).read()
    if spoken is None or (spoken.parent, spoken.branch) != (timeline.head, branch):
        journal(git).drop()
        if Takes(timeline).restore():
            game, _ = _game(repository, branch)
    trim_heads(git)
    head = timeline.head
    _migrate(timeline)
    return Opened(timeline, lock, head, game, " ".join(sentences))


def _migrate(timeline: Timeline) -> None:
    """Rewrite the newest files in the present format, as an edit."""
    version = timeline.version
    format = read_format(version)
    if format < migrate.FORMAT:
        found = differences(timeline.repository, None, version.tree)
        contents = ((path, timeline.repository.blob(id)) for path, _, id in found if id)
        timeline.add_edit(
            migrate.rewritten(contents, format), edit_message(f"brought to format {migrate.FORMAT}")
        )


def _reading(repository: Repository, clock: Clock) -> Opened:
    from theact_tui.saves.timeline import Timeline

    branch, _ = _branch(repository)
    head, recovered = repository.ref(head_ref(branch)) or "", ""
    game, problem = _game(repository, branch)
    if problem:
        head, _ = recovery.newest_readable(repository, branch)
        game = recovery.read(repository, head)
        recovered = f"The newest state could not be read ({problem}); this is an older one."
    return Opened(Timeline(repository, branch, head, clock), None, head, game, recovered)


def _branch(repository: Repository) -> tuple[str, bool]:
    """The current branch, and whether HEAD has to be put to it."""
    branch = repository.head()
    names = list(repository.refs("refs/heads/"))
    if branch in names or (branch and not names):
        return branch, False
    return (MAIN if MAIN in names or not names else names[0]), True


def _game(repository: Repository, branch: str) -> tuple[Game | None, str]:
    """The game at the head of a branch, or why it cannot be read."""
    head = repository.ref(head_ref(branch))
    if head is None:
        return None, "its newest commit is missing"
    try:
        game = recovery.read(repository, head)
    except migrate.TooNew:
        raise
    except SaveError as error:
        return None, error.message
    return game, ""
