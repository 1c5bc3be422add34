from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

from theact_tui.errors import SaveDamaged
from theact_tui.saves.git_objects import FILE_MODE, FOLDER, TreeEntry
from theact_tui.text import is_slug

if TYPE_CHECKING:
    from theact_tui.saves.repository import Repository

Changes: TypeAlias = Mapping[str, bytes | None]
"""New contents by path; None removes the file."""

_MAX_DEPTH = 6
_MAX_ENTRIES = 200_000
_PART = re.compile(r"[a-z0-9_][a-z0-9_-]{0,80}(?:\.[a-z0-9_-]{1,16}){0,3}")


def is_safe(path: str) -> bool:
    """True if `path` may be a file of a save: relative, lower case, no reserved or hidden names."""
    parts = path.split("/")
    return len(parts) <= _MAX_DEPTH and all(is_safe_name(part) for part in parts)


@lru_cache(1_000)
def is_safe_name(name: str) -> bool:
    return bool(_PART.fullmatch(name)) and is_slug(name.split(".")[0].strip("_-"))


@dataclass(frozen=True, slots=True)
class Version:
    repository: Repository
    tree: str
    contents: Changes = field(default_factory=dict)
    """Uncommitted replacements."""

    def _entry(self, path: str) -> TreeEntry | None:
        entry: TreeEntry | None = TreeEntry(FOLDER, self.tree)
        for part in path.split("/"):
            if entry is None or not entry.is_folder:
                return None
            entry = self.repository.tree(entry.id).get(part)
        return entry

    def id(self, path: str) -> str | None:
        entry = self._entry(path)
        return entry.id if entry and entry.is_file else None

    def folder(self, path: str) -> str | None:
        """Return the id of a folder's tree; None if there is none or `contents` change it."""
        entry = self._entry(path)
        is_replaced = any(name.startswith(f"{path}/") for name in self.contents)
        return entry.id if entry and entry.is_folder and not is_replaced else None

    def names(self, folder: str) -> tuple[str, ...]:
        entry = self._entry(folder)
        return tuple(sorted(self.repository.tree(entry.id))) if entry and entry.is_folder else ()

    def read(self, path: str) -> bytes | None:
        if path in self.contents:
            return self.contents[path]
        id = self.id(path)
        return self.repository.blob(id) if id else None

    def need(self, path: str) -> bytes:
        """Return a file's content. Raises SaveDamaged if there is none."""
        data = self.read(path)
        if data is None:
            raise SaveDamaged(f"{path} is missing in {self.repository.git.parent.name}.")
        return data


def write(repository: Repository, tree: str | None, changes: Changes) -> str:
    """Store changes over `tree` and return the new root's id."""
    entries = dict(repository.tree(tree)) if tree else {}
    inside: dict[str, dict[str, bytes | None]] = {}
    for path, data in changes.items():
        first, slash, rest = path.partition("/")
        if slash:
            inside.setdefault(first, {})[rest] = data
        elif data is None:
            entries.pop(first, None)
        else:
            entries[first] = TreeEntry(FILE_MODE, repository.add_blob(data))
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
    """Yield files that differ between two trees, as path and both content ids. Raises SaveDamaged above a save's size."""
    return _differences(repository, before, after, "", Budget())


@dataclass(slots=True)
class Budget:
    """Limit of entries read from a tree: a hostile one can contain itself a million times."""

    entries: int = _MAX_ENTRIES

    def spend(self, entries: int) -> None:
        self.entries -= entries
        if self.entries < 0:
            raise SaveDamaged("This save contains too many files.")


def _differences(
    repository: Repository, before: str | None, after: str | None, under: str, budget: Budget
) -> Iterator[tuple[str, str | None, str | None]]:
    if before == after or under.count("/") > _MAX_DEPTH:
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
