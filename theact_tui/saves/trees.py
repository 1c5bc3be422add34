"""Trees by hand: reading a version of a save, and making the next one from what changed.

Only the folders on the way to a changed file are rewritten, so the cost of a commit does not grow with the story.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

from theact_tui.errors import SaveDamaged
from theact_tui.saves.objects import FILE, FOLDER, TreeEntry
from theact_tui.text import is_slug

if TYPE_CHECKING:
    from theact_tui.saves.repository import Repository

Changes: TypeAlias = Mapping[str, bytes | None]
"""New contents by path; None removes the file."""

MAX_DEPTH = 6
MAX_ENTRIES = 200_000
_PART = re.compile(r"[a-z0-9_][a-z0-9_-]{0,80}(?:\.[a-z0-9_-]{1,16}){0,3}")


def is_safe(path: str) -> bool:
    """True if `path` may become a file of a save: relative, lower case, no reserved or hidden names."""
    parts = path.split("/")
    return len(parts) <= MAX_DEPTH and all(is_safe_name(part) for part in parts)


@lru_cache(1_000)
def is_safe_name(name: str) -> bool:
    """True if `name` may be a file or folder of a save."""
    return bool(_PART.fullmatch(name)) and is_slug(name.split(".")[0].strip("_-"))


@dataclass(frozen=True, slots=True)
class Version:
    """The files of one commit. Reading costs the same however many there are."""

    repository: Repository
    tree: str

    def id(self, path: str) -> str | None:
        """The id of a file's content; None if there is no such file."""
        *folders, name = path.split("/")
        entries = self.repository.tree(self.tree)
        for folder in folders:
            entry = entries.get(folder)
            if entry is None or not entry.is_folder:
                return None
            entries = self.repository.tree(entry.id)
        entry = entries.get(name)
        return entry.id if entry and entry.is_file else None

    def folder(self, path: str) -> str | None:
        """The id of a folder's tree; None if there is no such folder."""
        tree = self.tree
        for part in path.split("/"):
            entry = self.repository.tree(tree).get(part)
            if entry is None or not entry.is_folder:
                return None
            tree = entry.id
        return tree

    def names(self, folder: str) -> tuple[str, ...]:
        """The names in a folder, sorted; none if there is no such folder."""
        tree = self.folder(folder)
        return tuple(sorted(self.repository.tree(tree))) if tree else ()

    def read(self, path: str) -> bytes | None:
        """A file's content; None if there is no such file."""
        id = self.id(path)
        return self.repository.blob(id) if id else None

    def need(self, path: str) -> bytes:
        """A file's content; SaveDamaged if there is no such file."""
        data = self.read(path)
        if data is None:
            raise SaveDamaged(f"{path} is missing in {self.repository.git.parent.name}.")
        return data


@dataclass(frozen=True, slots=True)
class Overlay:
    """A version with some contents replaced, to look at before they are committed."""

    version: Version
    contents: Changes

    def read(self, path: str) -> bytes | None:
        """A file's content; None if there is no such file."""
        return self.contents[path] if path in self.contents else self.version.read(path)

    def need(self, path: str) -> bytes:
        """A file's content; SaveDamaged if there is no such file."""
        data = self.read(path)
        return self.version.need(path) if data is None else data

    def names(self, folder: str) -> tuple[str, ...]:
        """The names in a folder, sorted."""
        return self.version.names(folder)

    def folder(self, path: str) -> str | None:
        """The id of a folder's tree; None also if contents in it are replaced."""
        return (
            None if any(name.startswith(path + "/") for name in self.contents) else self.version.folder(path)
        )


def write(repository: Repository, tree: str | None, changes: Changes) -> str:
    """Store what changed over `tree` and return the id of the new root. Nothing that exists is touched."""
    entries = dict(repository.tree(tree)) if tree else {}
    inside: dict[str, dict[str, bytes | None]] = {}
    for path, data in changes.items():
        first, slash, rest = path.partition("/")
        if slash:
            inside.setdefault(first, {})[rest] = data
        elif data is None:
            entries.pop(first, None)
        else:
            entries[first] = TreeEntry(FILE, repository.add_blob(data))
    for name, below in inside.items():
        old = entries.get(name)
        new = write(repository, old.id if old and old.is_folder else None, below)
        if repository.tree(new):
            entries[name] = TreeEntry(FOLDER, new)
        else:
            entries.pop(name, None)
    return repository.add_tree(entries)


def differences(
    repository: Repository, before: str | None, after: str | None
) -> Iterator[tuple[str, str | None, str | None]]:
    """Files that differ between two trees, as path and both content ids; equal folders are not entered.

    SaveDamaged if there are more than a save can have.
    """
    return _differences(repository, before, after, "", Budget())


@dataclass(slots=True)
class Budget:
    """How much of a tree may still be looked at: a hostile one can hold itself a million times over."""

    entries: int = MAX_ENTRIES

    def spend(self, entries: int) -> None:
        """SaveDamaged if nothing is left."""
        self.entries -= entries
        if self.entries < 0:
            raise SaveDamaged("This save contains too many files.")


def _differences(
    repository: Repository, before: str | None, after: str | None, under: str, budget: Budget
) -> Iterator[tuple[str, str | None, str | None]]:
    if before == after or under.count("/") > MAX_DEPTH:
        return
    old = repository.tree(before) if before else {}
    new = repository.tree(after) if after else {}
    budget.spend(len(old) + len(new))
    for name in sorted({*old, *new}):
        a, b = old.get(name), new.get(name)
        if a == b:
            continue
        folders = [entry.id if entry and entry.is_folder else None for entry in (a, b)]
        files = [entry.id if entry and entry.is_file else None for entry in (a, b)]
        if any(folders):
            yield from _differences(repository, folders[0], folders[1], f"{under}{name}/", budget)
        if any(files):
            yield f"{under}{name}", files[0], files[1]
