"""Create and open a save: lock, repair after a crash, newest readable commit."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from theact_tui.errors import SaveDamaged, SaveError, SaveInUse, SaveUnwritable, TheActError, UsageError
from theact_tui.paths import incoming_folder
from theact_tui.saves.atomic import Folder
from theact_tui.saves.branches import NAMES
from theact_tui.saves.codec import TooNew, read_info, read_turn
from theact_tui.saves.direct_codec import codec_of
from theact_tui.saves.git_objects import (
    KEPT_REFS,
    MAIN,
    Clock,
    append_reflog,
    blob_id,
    head_ref,
    read_reflog,
    trim_reflog,
)
from theact_tui.saves.history import CommitChain, Timeline, message_of
from theact_tui.saves.lock import SaveLock
from theact_tui.saves.takes import Takes
from theact_tui.saves.trees import Changes, Version, differences, is_safe, write
from theact_tui.saves.unfinished import journal
from theact_tui.story.game import Spoken
from theact_tui.yaml import MAX_BYTES

if TYPE_CHECKING:
    from theact_tui.saves.repository import Repository

_TRIES = 500
"""Commits tried on the way back."""


def sweep(git: Path) -> bool:
    """Remove leftovers of a killed writer: locks, temporary files, empty objects. True if an object was lost."""
    lost = False
    for folder, folders, names in os.walk(git):
        where = Path(folder)
        folders[:] = [name for name in folders if where / name != git / "theact" / "calls"]
        is_objects = where.is_relative_to(git / "objects")
        for name in names:
            path = where / name
            empty = is_objects and path.lstat().st_size == 0
            orphan = is_objects and name.endswith(".pack") and not path.with_suffix(".idx").exists()
            temporary = name.startswith("tmp") and (is_objects or where == git / "theact")
            if empty or orphan or temporary or name.endswith(".lock"):
                path.unlink(missing_ok=True)
            lost = lost or empty
    return lost


def read(repository: Repository, commit: str) -> Any:
    """Read a commit's state. Raises SaveDamaged or SaveError."""
    version = Version(repository, repository.link(commit).tree)
    codec = codec_of(read_info(version))
    state = codec.read(version)
    number, turn = codec.turn(state), CommitChain(repository).turn(commit)
    if number != turn:
        file = "state.yaml" if codec.mode == "play" else "session.yaml"
        raise SaveDamaged(f"{file} belongs to turn {number}, but the save is at turn {turn}.")
    return state


def bring_back(repository: Repository, branch: str) -> list[str]:
    """Restore unreadable objects of the newest commit from visible files; returns their paths."""
    visible, restored = Folder(repository.git.parent), []
    try:
        tree = repository.link(repository.ref(head_ref(branch)) or "").tree
        files = [(path, id) for path, _, id in differences(repository, None, tree) if id and is_safe(path)]
    except SaveError:
        return []
    for path, id in files:
        with suppress(SaveError):
            repository.blob(id)
            continue
        try:
            content = visible.read(path, MAX_BYTES)
        except (OSError, SaveDamaged):
            continue
        if blob_id(content) == id:
            repository.mend_blob(id, content)
            restored.append(path)
    return restored


def newest_readable(repository: Repository, branch: str) -> tuple[str, Any, str]:
    """Return the commit for the branch, its state, and why it is not the ref's, if so. Raises SaveDamaged."""
    head = repository.ref(head_ref(branch))
    reason = "its newest commit is missing"
    tried: set[str] = set()
    ways = (_back_from(repository, head), read_reflog(repository.git, branch), _all_commits(repository))
    for commit in chain.from_iterable(islice(way, _TRIES) for way in ways):
        if commit in tried:
            continue
        tried.add(commit)
        try:
            return commit, read(repository, commit), "" if commit == head else reason
        except TooNew:
            raise
        except TheActError as error:
            reason = error.message if commit == head else reason
    raise SaveDamaged(f"'{repository.git.parent.name}' cannot be opened: {reason}")


def step_back(repository: Repository, branch: str, commit: str, reason: str) -> str:
    """Move the branch to the newest readable commit; a whole former tip stays reachable. Returns a sentence."""
    old = repository.ref(head_ref(branch))
    repository.put(head_ref(branch), commit)
    append_reflog(repository.git, branch, commit)
    if old and is_whole(repository, old):
        repository.put(KEPT_REFS + old, old)
    turn = CommitChain(repository).turn(commit)
    return (
        f"The newest state of '{branch}' could not be read ({reason.rstrip('.')}); restored to turn {turn}."
    )


def drop_lost_refs(repository: Repository) -> None:
    """Remove refs to lost commits; step lost branches back."""
    for name, commit in repository.refs("refs/theact/").items():
        if f"refs/theact/{name}" != NAMES and not is_whole(repository, commit):
            repository.drop(f"refs/theact/{name}")
    for branch, commit in repository.refs("refs/heads/").items():
        if not is_whole(repository, commit):
            newest, _, reason = newest_readable(repository, branch)
            step_back(repository, branch, newest, reason)


def is_whole(repository: Repository, commit: str) -> bool:
    """True if a commit belongs to a turn and its new objects are readable."""
    try:
        CommitChain(repository).turn(commit)
        link = repository.link(commit)
        before = repository.link(link.parent).tree if link.parent else None
        return all(
            repository.blob(id) is not None for _, _, id in differences(repository, before, link.tree) if id
        )
    except SaveError:
        return False


def _back_from(repository: Repository, commit: str | None) -> Iterator[str]:
    with suppress(SaveDamaged):
        while commit:
            yield commit
            commit = repository.link(commit).parent


def _all_commits(repository: Repository) -> Iterator[str]:
    commits = []
    for id in repository.ids():
        with suppress(SaveDamaged):
            commits.append((repository.link(id).at, id))
    yield from (id for _, id in sorted(commits, reverse=True))


_CLEAN = "theact/clean"
"""File that exists while a save is cleanly closed."""
_PROBE = "theact/tmp-probe"


@dataclass(frozen=True, slots=True)
class Opened:
    timeline: Timeline
    lock: SaveLock | None
    state: Any
    recovered: str
    """Sentences about repairs."""
    is_repaired: bool = False
    """Visible files may show another commit."""


def create_save(
    folder: Path, contents: Changes, line: str, clock: Clock, word: str
) -> tuple[Timeline, SaveLock]:
    """Raises UsageError if the folder exists."""
    from theact_tui.saves.repository import Repository

    if folder.exists():
        raise UsageError(f"There is already a save in {folder}.")
    with _closed_on_error(f"Cannot create {folder}") as undone:
        folder.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with incoming_folder(folder.parent) as scratch:  # a kill leaves nothing in the list
            growing = scratch / folder.name
            growing.mkdir(mode=0o700)
            with closing(Repository.init(growing / ".git", MAIN)) as first:
                tree = write(first, None, contents)
                commit = first.add_commit(tree, None, message_of(word, 0, line, None), clock())
                first.move(head_ref(MAIN), commit, None)
                append_reflog(first.git, MAIN, commit)
            growing.rename(folder)
        lock = SaveLock(folder / ".git")
        lock.take()
        undone.callback(lock.release)
        return Timeline(Repository(folder / ".git"), MAIN, commit, clock), lock


def open_save(folder: Path, write: bool, clock: Clock) -> Opened:
    """Open a save; with `write`, lock and repair it. Raises SaveError."""
    from theact_tui.saves.repository import Repository

    lock = _locked(folder) if write else None
    with _closed_on_error(f"{folder} cannot be opened") as undone:
        if lock:
            undone.callback(lock.release)
        repository = Repository(folder / ".git")
        undone.callback(repository.close)
        return _open_for_writing(repository, clock, lock) if lock else _open_for_reading(repository, clock)


@contextmanager
def _closed_on_error(failed: str) -> Iterator[ExitStack]:
    """Run what was pushed on the stack only after an error; an OSError becomes a SaveError that begins with `failed`."""
    with ExitStack() as undone:
        try:
            yield undone
        except OSError as error:
            raise SaveError(f"{failed}: {error.strerror or error}.") from error
        undone.pop_all()


def mark_clean(folder: Path) -> None:
    Folder(folder / ".git").replace(_CLEAN, b"")


def _locked(folder: Path) -> SaveLock:
    git = folder / ".git"
    if not git.is_dir() or git.is_symlink() or (git / "theact").is_symlink():
        raise SaveDamaged(f"There is no save in {folder}.")
    lock = SaveLock(git)
    try:
        lock.take()
        Folder(git).replace(_PROBE, b"")
        Folder(git).remove(_PROBE)
    except SaveInUse:
        raise
    except OSError as error:
        lock.release()
        reason = error.strerror or error
        raise SaveUnwritable(f"'{folder.name}' cannot be written ({reason}). It opens read-only.") from error
    return lock


def _open_for_writing(repository: Repository, clock: Clock, lock: SaveLock) -> Opened:
    git = repository.git
    sentences = []
    is_clean = Folder(git).is_file(_CLEAN)
    Folder(git).remove(_CLEAN)
    repository.drop_index()
    lost = not is_clean and sweep(git)
    branch, moved = _current_branch(repository)
    if moved:
        repository.set_head(branch)
        sentences.append(f"The current branch was missing; it is '{branch}' again.")
    state = _state_of(repository, branch)
    is_broken = state is None
    if is_broken:
        sweep(git)
        if restored := bring_back(repository, branch):
            sentences.append(f"Restored from the save's visible files: {', '.join(restored)}.")
        commit, state, problem = newest_readable(repository, branch)
        if problem:
            sentences.append(step_back(repository, branch, commit, problem))
    if is_broken or lost:
        drop_lost_refs(repository)
    timeline = Timeline(repository, branch, repository.ref(head_ref(branch)) or "", clock)
    is_repaired, head = bool(sentences), timeline.head
    sentences += place_journal(timeline)
    if journal(git).read() is None:
        Takes(timeline).restore()
    if timeline.head != head:
        state = read(repository, timeline.head)
    trim_reflog(git)
    return Opened(timeline, lock, state, " ".join(sentences), is_repaired)


def place_journal(timeline: Timeline) -> list[str]:
    """Let the journalled turn follow the head, if that belongs to it still; drop a committed one, put any other
    aside. Returns sentences for the player.
    """
    git, takes = timeline.repository.git, Takes(timeline)
    note = journal(git)
    spoken = note.read()
    if spoken and _is_committed(timeline, spoken):
        note.drop()
        return []
    if spoken and spoken.branch == timeline.branch:
        if _is_take_of_the_last_turn(timeline, spoken):
            takes.retake(spoken.parent)
        if spoken.turn.number == timeline.turn + 1:
            if spoken.parent != timeline.head:
                note.write(spoken.model_copy(update={"parent": timeline.head}))
            return []
    name = note.put_aside()
    if name is None:
        return []
    subject = (
        f"Turn {spoken.turn.number} was told and not saved" if spoken else "A turn was told and not saved"
    )
    return [
        f"{subject}, and the story stands elsewhere now, so it is not part of it. It is kept in .git/{name}."
    ]


def _is_take_of_the_last_turn(timeline: Timeline, spoken: Spoken) -> bool:
    history = timeline.history
    if spoken.turn.number == timeline.turn and timeline.repository.has(spoken.parent):
        with suppress(SaveError):
            return history.turn_commit(spoken.parent).id == history.turn_before(timeline.head)
    return False


def _is_committed(timeline: Timeline, spoken: Spoken) -> bool:
    number = spoken.turn.number
    with suppress(SaveError, UsageError):
        if tip := timeline.repository.ref(head_ref(spoken.branch)):
            turn = read_turn(timeline.version_of(timeline.history.at(tip, number)), number)
            return (turn.at, turn.player_text) == (spoken.turn.at, spoken.turn.player_text)
    return False


def _open_for_reading(repository: Repository, clock: Clock) -> Opened:
    branch, _ = _current_branch(repository)
    head, state, problem = newest_readable(repository, branch)
    recovered = f"The newest state is unreadable ({problem}). This is an older one." if problem else ""
    return Opened(Timeline(repository, branch, head, clock), None, state, recovered)


def _current_branch(repository: Repository) -> tuple[str, bool]:
    branch = repository.head()
    names = list(repository.refs("refs/heads/"))
    if branch in names or (branch and not names):
        return branch, False
    return (MAIN if MAIN in names or not names else names[0]), True


def _state_of(repository: Repository, branch: str) -> Any:
    head = repository.ref(head_ref(branch))
    try:
        return read(repository, head) if head else None
    except TooNew:
        raise
    except SaveError:
        return None
