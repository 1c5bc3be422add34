"""One `.git` folder as objects and refs, by way of dulwich's stores (S9).

Its config, hooks, alternates and work tree are never read, so a repository made elsewhere can do nothing but hold
data (S13). Importing this module loads dulwich: the rest of the program imports it only when a save is opened.
"""

from __future__ import annotations

import errno
import os
import shutil
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from functools import lru_cache
from hashlib import sha1
from pathlib import Path
from typing import BinaryIO, TypeVar

from dulwich.errors import FileFormatException
from dulwich.file import FileLocked
from dulwich.midx import MultiPackIndex
from dulwich.object_store import BaseObjectStore, DiskObjectStore, MissingObjectFinder
from dulwich.objects import Blob, Commit, ObjectID, RawObjectID, ShaFile, Tree, object_header
from dulwich.pack import write_pack_from_container
from dulwich.refs import DiskRefsContainer, Ref

from theact_tui.errors import SaveDamaged, SaveError
from theact_tui.saves.disk import replace_file, replace_locked
from theact_tui.saves.objects import Entry, Link, head_ref, is_id

AUTHOR = b"theact_tui <save@theact-tui.invalid>"
MAX_OBJECT = 16_000_000
"""Bytes of the largest object that is read or written."""
CONFIG = "[core]\n\trepositoryformatversion = 0\n\tfilemode = false\n\tbare = false\n[gc]\n\tauto = 0\n"

_FOLDERS = (
    ".",
    "objects",
    "objects/info",
    "objects/pack",
    "refs",
    "refs/heads",
    "refs/theact",
    "theact",
    "theact/calls",
)
Kind = TypeVar("Kind", Blob, Commit, Tree)


class _Store(DiskObjectStore):
    """Objects of this folder and of no other."""

    @property
    def alternates(self) -> list[BaseObjectStore]:
        return []

    def get_raw(self, name: RawObjectID | ObjectID) -> tuple[int, bytes]:
        """Type and content of an object, checked against its id. New objects are loose, so there is looked first."""
        id = name if len(name) == 40 else name.hex().encode()
        try:
            loose = self._get_loose_object(ObjectID(id))
        except (OSError, ValueError, zlib.error, FileFormatException):
            loose = None
        kind, content = (loose.type_num, loose.as_raw_string()) if loose else super().get_raw(name)
        if (
            sha1(object_header(kind, len(content)) + content, usedforsecurity=False).hexdigest().encode()
            != id
        ):
            raise ValueError("its content is not what it was")
        return kind, content

    def get_midx(self) -> MultiPackIndex | None:
        """The index over all packs, if it is whole; everything can be found without it."""
        if self._midx is None and self._use_midx:
            path = Path(self.pack_dir) / "multi-pack-index"
            content = path.read_bytes() if path.exists() else b""
            self._use_midx = sha1(content[:-20], usedforsecurity=False).digest() == content[-20:]
        return super().get_midx()

    def add_object(self, obj: ShaFile) -> None:
        """Write a loose object, durably; without a lock, which a killed writer would leave behind."""
        id = _text(obj.id)
        path = Path(self.path) / id[:2] / id[2:]
        if not path.exists():
            path.parent.mkdir(exist_ok=True)
            replace_file(path, obj.as_legacy_object(), sync="file")


class Repository:
    """Objects and refs of one `.git` folder. Ids are hexadecimal text. SaveDamaged where one cannot be read."""

    def __init__(self, git: Path) -> None:
        if not all((git / part).is_dir() for part in ("objects", "refs")) or (git / "commondir").exists():
            raise SaveDamaged(f"{git.parent} holds no save.")
        if any((git / part).is_symlink() for part in _FOLDERS):
            raise SaveDamaged(f"{git.parent} cannot be trusted as a save: folders of it lead elsewhere.")
        self.git = git
        self.store = open_store(git / "objects")
        self._refs = DiskRefsContainer(git)
        self.tree = lru_cache(1_000)(self._tree)
        self.link = lru_cache(5_000)(self._link)

    @classmethod
    def init(cls, git: Path, branch: str) -> Repository:
        """A new, empty repository whose HEAD is `branch`; its folders are private to the user."""
        git.mkdir(mode=0o700)
        for part in ("objects/info", "objects/pack", "refs/heads", "refs/tags", "theact"):
            (git / part).mkdir(parents=True)
        (git / "config").write_text(CONFIG, encoding="utf-8")
        (git / "HEAD").write_text(f"ref: refs/heads/{branch}\n", encoding="utf-8")
        return cls(git)

    def close(self) -> None:
        """Let go of all files."""
        self.store.close()

    # --- objects ---

    def blob(self, id: str) -> bytes:
        """The content of a file."""
        return self._read(id, Blob).data

    def _tree(self, id: str) -> Mapping[str, Entry]:
        items = self._read(id, Tree).items()
        return {
            os.fsdecode(item.path or b""): Entry(item.mode or 0, _text(item.sha or b"")) for item in items
        }

    def _link(self, id: str) -> Link:
        commit = self._read(id, Commit)
        parents = commit.parents
        message = commit.message.decode(errors="replace")
        parent = _text(parents[0]) if parents else None
        return Link(id, _text(commit.tree), parent, message, int(commit.commit_time))

    def _read(self, id: str, kind: type[Kind]) -> Kind:
        try:
            found = self.store[ObjectID(id.encode())]
            if isinstance(found, kind):
                return found
        except Exception as error:  # a damaged object can fail in any way
            raise SaveDamaged(
                f"Object {id[:10]} of {self.git.parent.name} cannot be read: {error!r}"
            ) from error
        raise SaveDamaged(f"Object {id[:10]} of {self.git.parent.name} is not a {kind.__name__.lower()}.")

    def has(self, id: str) -> bool:
        """True if there is an object of this id, readable or not."""
        return ObjectID(id.encode()) in self.store

    def ids(self) -> Iterator[str]:
        """The ids of all objects."""
        return (_text(id) for id in self.store)

    def add_blob(self, data: bytes) -> str:
        """Store a file's content."""
        if len(data) > MAX_OBJECT:
            raise SaveError("A file of more than 16 MB cannot be kept in a save.")
        return self._add(Blob.from_string(data))

    def mend_blob(self, id: str, data: bytes) -> None:
        """Store the content of a file whose object is lost or broken."""
        (Path(self.store.path) / id[:2] / id[2:]).unlink(missing_ok=True)
        self.add_blob(data)

    def add_tree(self, entries: Mapping[str, Entry]) -> str:
        """Store a folder."""
        tree = Tree()
        for name, entry in entries.items():
            tree.add(os.fsencode(name), entry.mode, ObjectID(entry.id.encode()))
        return self._add(tree)

    def add_commit(self, tree: str, parent: str | None, message: str, at: datetime) -> str:
        """Store a commit. The same arguments make the same id."""
        commit = Commit()
        commit.tree = ObjectID(tree.encode())
        commit.parents = [ObjectID(parent.encode())] if parent else []
        commit.author = commit.committer = AUTHOR
        commit.author_time = commit.commit_time = max(0, int(at.timestamp()))
        commit.author_timezone = commit.commit_timezone = 0
        commit.message = message.encode(errors="replace")
        return self._add(commit)

    def _add(self, item: ShaFile) -> str:
        self.store.add_object(item)
        return _text(item.id)

    def add_pack(self, path: Path) -> None:
        """Take over all objects of a pack file. Any exception if it is not one."""
        out, commit, abort = self.store.add_pack()
        try:
            with path.open("rb") as file:
                shutil.copyfileobj(file, out)
        except BaseException:
            abort()
            raise
        commit()

    def write_pack(self, out: BinaryIO, tips: Iterable[str], known: Iterable[str] = ()) -> None:
        """Write everything that leads to `tips` as one pack, without what leads to `known`."""
        wants, haves = ([ObjectID(id.encode()) for id in ids] for ids in (tips, known))
        ids = list(MissingObjectFinder(self.store, haves=haves, wants=wants))
        write_pack_from_container(out.write, self.store, ids, object_format=self.store.object_format)

    # --- refs ---

    def head(self) -> str | None:
        """The branch HEAD names; None when HEAD names no branch."""
        value = self._refs.read_loose_ref(Ref(b"HEAD")) or b""
        name = value.removeprefix(b"ref: refs/heads/")
        return os.fsdecode(name) if name != value and self._valid(name) else None

    def set_head(self, branch: str) -> None:
        """Make `branch` the current one."""
        replace_locked(self.git / "HEAD", f"ref: {head_ref(branch)}\n".encode(), unless=lambda: False)

    def ref(self, name: str) -> str | None:
        """The commit a ref points to; None if it does not exist or holds no id."""
        ref = Ref(name.encode())
        value = self._refs.read_loose_ref(ref) or self._refs.get_packed_refs().get(ref) or b""
        id = value.decode(errors="replace")
        return id if is_id(id) else None

    def move(self, name: str, new: str, old: str | None) -> bool:
        """Point the ref to `new` if it still points to `old` (None: does not exist yet); durable on return."""
        return self._set(name, new, unless=lambda: self.ref(name) != old)

    def put(self, name: str, new: str) -> None:
        """Point the ref to `new`, whatever it held."""
        self._set(name, new, unless=lambda: False)

    def drop(self, name: str) -> None:
        """Remove a ref, if it is there."""
        ref = Ref(name.encode())
        if not (self.git / name).exists() and ref not in self._refs.get_packed_refs():
            return
        try:
            self._refs.remove_if_equals(ref, None)
        except FileLocked as error:
            raise BlockingIOError(errno.EAGAIN, "another program is writing there", name) from error

    def refs(self, under: str) -> dict[str, str]:
        """Refs by what follows `under` (which ends with a slash), sorted by name."""
        names = sorted(key.decode(errors="replace") for key in self._refs.subkeys(Ref(under.encode())))
        found = ((name, self.ref(under + name)) for name in names)
        return {name: id for name, id in found if id}

    def _set(self, name: str, new: str, unless: Callable[[], bool]) -> bool:
        path = self.git / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return replace_locked(path, f"{new}\n".encode(), unless)

    def _valid(self, name: bytes) -> bool:
        try:
            self._refs._check_refname(Ref(b"refs/heads/" + name))
        except ValueError:
            return False
        return True


def open_store(objects: Path) -> DiskObjectStore:
    """The objects in a folder; every write is on the disk before its call returns."""
    return _Store(objects, fsync_object_files=True, loose_object_size_limit=MAX_OBJECT)


def _text(id: bytes) -> str:
    return id.decode("ascii")
