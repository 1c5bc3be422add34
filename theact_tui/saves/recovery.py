"""What a crash can leave behind, and the way back to the newest commit that reads (S9)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

from theact_tui.errors import SaveDamaged, SaveError, TheActError
from theact_tui.saves.files import read_format, read_game, read_info
from theact_tui.saves.heads import note_head, noted_heads
from theact_tui.saves.history import History
from theact_tui.saves.migrate import TooNew
from theact_tui.saves.names import NAMES
from theact_tui.saves.objects import KEPT, blob_id, head_ref
from theact_tui.saves.trees import Version, differences, is_safe
from theact_tui.saves.yaml import MAX_BYTES
from theact_tui.story.game import Game

if TYPE_CHECKING:
    from theact_tui.saves.repository import Repository

TRIES = 500
"""Commits that are tried on the way back."""


def sweep(git: Path) -> bool:
    """Remove what a killed writer left: locks, temporary files, empty objects. True if an object was lost.

    To be called by the only writer.
    """
    lost = False
    for folder, folders, names in os.walk(git):
        where = Path(folder)
        folders[:] = [name for name in folders if where / name != git / "theact" / "calls"]
        is_objects = where.is_relative_to(git / "objects")
        for name in names:
            path = where / name
            empty = is_objects and path.stat().st_size == 0
            orphan = is_objects and name.endswith(".pack") and not path.with_suffix(".idx").exists()
            temporary = name.startswith("tmp") and (is_objects or where == git / "theact")
            if empty or orphan or temporary or name.endswith(".lock"):
                path.unlink()
            lost = lost or empty
    return lost


def read(repository: Repository, commit: str) -> Game | None:
    """The game of a commit, or None if it holds none. SaveDamaged or SaveError if any part cannot be read."""
    turn = History(repository).turn(commit)
    version = Version(repository, repository.link(commit).tree)
    info = read_info(version, read_format(version))
    if info.mode != "play":
        if not is_whole(repository, commit):
            raise SaveDamaged("a file of its newest commit is missing")
        return None
    game = read_game(version)
    if game.state.turn != turn:
        raise SaveDamaged(f"state.yaml belongs to turn {game.state.turn}, but the save is at turn {turn}.")
    return game


def bring_back(repository: Repository, branch: str) -> list[str]:
    """Store files of the newest commit anew that cannot be read, as far as the visible ones still hold them; which."""
    found: list[str] = []
    try:
        tree = repository.link(repository.ref(head_ref(branch)) or "").tree
        files = [(path, id) for path, _, id in differences(repository, None, tree) if id and is_safe(path)]
    except SaveError:
        return found
    for path, id in files:
        file = repository.git.parent / path
        if _can_be_read(repository, id) or not file.is_file() or file.stat().st_size > MAX_BYTES:
            continue
        content = file.read_bytes()
        if blob_id(content) == id:
            repository.mend_blob(id, content)
            found.append(path)
    return found


def _can_be_read(repository: Repository, id: str) -> bool:
    try:
        repository.blob(id)
    except SaveError:
        return False
    return True


def newest_readable(repository: Repository, branch: str) -> tuple[str, str]:
    """The commit the branch should be at, and why not at the one its ref names. SaveDamaged if there is none."""
    head = repository.ref(head_ref(branch))
    reason = "its newest commit is missing"
    tried: set[str] = set()
    ways = (_back_from(repository, head), noted_heads(repository.git, branch), _all_commits(repository))
    for commit in chain.from_iterable(islice(way, TRIES) for way in ways):
        if commit in tried:
            continue
        tried.add(commit)
        try:
            read(repository, commit)
        except TooNew:
            raise
        except TheActError as error:
            reason = error.message if commit == head else reason
        else:
            return commit, reason
    raise SaveDamaged(f"'{repository.git.parent.name}' cannot be opened: {reason}")


def step_back(repository: Repository, branch: str) -> str:
    """Put the branch to the newest commit that reads; what it pointed to stays reachable if it is whole."""
    commit, reason = newest_readable(repository, branch)
    old = repository.ref(head_ref(branch))
    repository.put(head_ref(branch), commit)
    note_head(repository.git, branch, commit)
    if old and is_whole(repository, old):
        repository.put(KEPT + old, old)
    turn = History(repository).turn(commit)
    return (
        f"The newest state of '{branch}' could not be read ({reason.rstrip('.')}); it is back at turn {turn}."
    )


def drop_lost_refs(repository: Repository) -> None:
    """Remove refs of the program's own whose commits are gone, and put back branches in the same way."""
    for name, commit in repository.refs("refs/theact/").items():
        if f"refs/theact/{name}" != NAMES and not is_whole(repository, commit):
            repository.drop(f"refs/theact/{name}")
    for branch, commit in repository.refs("refs/heads/").items():
        if not is_whole(repository, commit):
            step_back(repository, branch)


def is_whole(repository: Repository, commit: str) -> bool:
    """True if a commit belongs to a turn and all that it brought can be read."""
    try:
        History(repository).turn(commit)
        link = repository.link(commit)
        before = repository.link(link.parent).tree if link.parent else None
        return all(
            repository.blob(id) is not None for _, _, id in differences(repository, before, link.tree) if id
        )
    except SaveError:
        return False


def _back_from(repository: Repository, commit: str | None) -> Iterator[str]:
    while commit:
        yield commit
        try:
            commit = repository.link(commit).parent
        except SaveDamaged:
            return


def _all_commits(repository: Repository) -> Iterator[str]:
    """Every commit there is, the newest first."""
    found = []
    for id in repository.ids():
        try:
            found.append((repository.link(id).at, id))
        except SaveDamaged:
            continue
    return (id for _, id in sorted(found, reverse=True))
