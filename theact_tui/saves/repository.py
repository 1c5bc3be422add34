"""Objects and refs of a `.git` folder through dulwich, which is slow to import. Config, hooks, alternates and work
tree of a foreign repository are ignored.
"""

from __future__ import annotations

import os
import shutil
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from datetime import datetime
from functools import lru_cache
from hashlib import sha1
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, TypeVar

from dulwich.errors import FileFormatException
from dulwich.index import SerializedIndexEntry, write_index
from dulwich.midx import MultiPackIndex
from dulwich.object_store import BaseObjectStore, DiskObjectStore, MissingObjectFinder
from dulwich.objects import Blob, Commit, ObjectID, RawObjectID, ShaFile, Tree, object_header
from dulwich.pack import write_pack, write_pack_from_container
from dulwich.refs import Ref, check_ref_format

from theact_tui.errors import SaveDamaged, SaveError
from theact_tui.saves.atomic import Folder
from theact_tui.saves.git_objects import FILE_MODE, Link, TreeEntry, head_ref, is_id

_AUTHOR = b"theact_tui <save@theact-tui.invalid>"
MAX_OBJECT_BYTES = 16_000_000
_OBJECTS_PER_PACK = 4_000
_TREES = 1_000
_MAX_PACK = 1_000_000_000
_MAX_INDEX_BYTES = 200_000_000
_MAX_REF_BYTES = 4_096
_CONFIG = "[core]\n\trepositoryformatversion = 0\n\tfilemode = false\n\tbare = false\n[gc]\n\tauto = 0\n"

_FOLDERS = ". objects objects/info objects/pack refs refs/heads refs/theact theact theact/calls".split()
_PRIVATE = "heads shown clean in-use spoken.json typed.json doing".split()
Kind = TypeVar("Kind", Blob, Commit, Tree)


class _Store(DiskObjectStore):
    """Objects of this folder only; every write is on disk before its call returns."""

    def __init__(self, objects: Path) -> None:
        super().__init__(objects, fsync_object_files=True, loose_object_size_limit=MAX_OBJECT_BYTES)
        self._files = Folder(objects)
        self._index: MultiPackIndex | None = None
        self._is_index_read = False

    @property
    def alternates(self) -> list[BaseObjectStore]:
        return []

    def get_commit_graph(self) -> None: ...

    def contains_loose(self, sha: ObjectID) -> bool:
        return self._files.is_file(_loose(_text(sha)))

    def get_raw(self, name: RawObjectID | ObjectID) -> tuple[int, bytes]:
        """Return type and content of an object, checked against its id."""
        id = ObjectID(name if len(name) == 40 else name.hex().encode())
        try:
            content = self._files.read(_loose(_text(id)), MAX_OBJECT_BYTES)
            loose = ShaFile.from_file(BytesIO(content), id, max_size=MAX_OBJECT_BYTES)
        except (OSError, ValueError, zlib.error, FileFormatException):
            loose = None
        kind, content = (loose.type_num, loose.as_raw_string()) if loose else super().get_raw(name)
        raw = object_header(kind, len(content)) + content
        if sha1(raw, usedforsecurity=False).hexdigest().encode() != id:
            raise ValueError("its checksum does not match")
        return kind, content

    def get_midx(self) -> MultiPackIndex | None:
        if not self._is_index_read:  # from memory: Windows replaces no file that somebody has mapped
            try:
                content = self._files.read("pack/multi-pack-index", _MAX_INDEX_BYTES)
            except FileNotFoundError:
                content = b""
            is_whole = sha1(content[:-20], usedforsecurity=False).digest() == content[-20:]
            self._index = MultiPackIndex("multi-pack-index", contents=content) if is_whole else None
            self._is_index_read = True
        return self._index

    def add_object(self, obj: ShaFile) -> None:
        """Write a loose object durably, without a lock that a kill would leave."""
        name = _loose(_text(obj.id))
        if not self._files.is_file(name):
            self._files.replace(name, obj.as_legacy_object(), sync="file")

    def pack_loose_objects(self, progress: Callable[[str], None] | None = None) -> int:
        folders = [name for name, kind in self._files.names(".") if kind == "folder"]
        files = [name for folder in folders for name, kind in self._files.names(folder) if kind == "file"]
        loose = [ObjectID(id.encode()) for name in files if is_id(id := name[2:].replace("/", ""))]
        self.add_objects([(self[id], None) for id in loose])
        for name in loose:
            # another packer, such as git's own, was quicker; Windows keeps a file that is read just now, until next time
            with suppress(FileNotFoundError, PermissionError):
                self.delete_loose_object(name)
        return len(loose)


class Repository:
    """Objects and refs of one `.git` folder. Raises SaveDamaged for anything unreadable."""

    def __init__(self, git: Path) -> None:
        if not all((git / part).is_dir() for part in ("objects", "refs")) or (git / "commondir").exists():
            raise SaveDamaged(f"There is no save in {git.parent}.")
        self.git = git
        self._files = Folder(git)
        _check(self._files)
        self.store: DiskObjectStore = _Store(git / "objects")
        self._gathered: dict[str, ShaFile] | None = None
        self._trees: dict[str, Mapping[str, TreeEntry]] = {}
        self.link = lru_cache(5_000)(self._link)

    @classmethod
    def init(cls, git: Path, branch: str) -> Repository:
        """Create an empty repository with HEAD on `branch`."""
        git.mkdir(mode=0o700)
        for part in ("objects/info", "objects/pack", "refs/heads", "refs/tags", "theact"):
            (git / part).mkdir(parents=True)
        (git / "config").write_text(_CONFIG, encoding="utf-8")
        (git / "HEAD").write_text(f"ref: refs/heads/{branch}\n", encoding="utf-8")
        return cls(git)

    def close(self) -> None:
        self.store.close()

    # --- objects ---

    def blob(self, id: str) -> bytes:
        return self._read(id, Blob).data

    def tree(self, id: str) -> Mapping[str, TreeEntry]:
        if (entries := self._trees.get(id)) is None:
            items = self._read(id, Tree).items()
            entries = {
                os.fsdecode(item.path or b""): TreeEntry(item.mode or 0, _text(item.sha or b""))
                for item in items
            }
            self._remember_tree(id, entries)
        return entries

    def _remember_tree(self, id: str, entries: Mapping[str, TreeEntry]) -> None:
        if len(self._trees) >= _TREES:
            self._trees.clear()
        self._trees[id] = entries

    def _link(self, id: str) -> Link:
        commit = self._read(id, Commit)
        parents = commit.parents
        message = commit.message.decode(errors="replace")
        parent = _text(parents[0]) if parents else None
        return Link(id, _text(commit.tree), parent, message, int(commit.commit_time))

    def _read(self, id: str, kind: type[Kind]) -> Kind:
        gathered = self._gathered or {}
        with self._reading(f"Object {id[:10]}"):
            stored = gathered[id] if id in gathered else self.store[ObjectID(id.encode())]
        if not isinstance(stored, kind):
            raise SaveDamaged(f"Object {id[:10]} of {self.git.parent.name} is not a {kind.__name__.lower()}.")
        return stored

    def has(self, id: str) -> bool:
        with self._reading("An index"):
            return ObjectID(id.encode()) in self.store

    def ids(self) -> Iterator[str]:
        with self._reading("An index"):
            yield from (_text(id) for id in self.store)

    @contextmanager
    def _reading(self, label: str, passed: type[Exception] = SaveDamaged) -> Iterator[None]:
        """Turn errors of reading into SaveDamaged, except those `passed` on."""
        try:
            yield
        except (SaveDamaged, passed):
            raise
        except Exception as error:  # a damaged object or pack can fail in any way
            raise SaveDamaged(f"{label} of {self.git.parent.name} cannot be read: {error!r}") from error

    def add_blob(self, data: bytes) -> str:
        if len(data) > MAX_OBJECT_BYTES:
            raise SaveError("A save cannot contain files larger than 16 MB.")
        return self._add(Blob.from_string(data))

    def mend_blob(self, id: str, data: bytes) -> None:
        self._files.remove(f"objects/{id[:2]}/{id[2:]}")
        self.add_blob(data)

    def add_tree(self, entries: Mapping[str, TreeEntry]) -> str:
        content = b"".join(row for _, row in sorted(_tree_row(*item) for item in entries.items()))
        id = self._add(ShaFile.from_raw_string(Tree.type_num, content))
        self._remember_tree(id, entries)
        return id

    def add_commit(self, tree: str, parent: str | None, message: str, at: datetime) -> str:
        """Store a commit. Equal arguments make equal ids."""
        commit = Commit()
        commit.tree = ObjectID(tree.encode())
        commit.parents = [ObjectID(parent.encode())] if parent else []
        commit.author = commit.committer = _AUTHOR
        commit.author_time = commit.commit_time = max(0, int(at.timestamp()))
        commit.author_timezone = commit.commit_timezone = 0
        commit.message = message.encode(errors="replace")
        return self._add(commit)

    def _add(self, item: ShaFile) -> str:
        id = _text(item.id)
        if self._gathered is None:
            self.store.add_object(item)
        else:
            self._gathered[id] = item
            if len(self._gathered) >= _OBJECTS_PER_PACK:
                self._put_down()
        return id

    @contextmanager
    def gathered(self) -> Iterator[None]:
        """Write new objects as packs. Make refs after it."""
        self._gathered = {}
        try:
            yield
            self._put_down()
            self.store.write_midx()
        finally:
            self._gathered = None

    def _put_down(self) -> None:
        if self._gathered:
            name = sha1("".join(sorted(self._gathered)).encode(), usedforsecurity=False).hexdigest()
            file, objects = self.git / "objects" / "pack" / f"pack-{name}", list(self._gathered.values())
            write_pack(str(file), objects, self.store.object_format, compression_level=zlib.Z_BEST_SPEED)
            self.store.close()  # each pack that is open keeps what was read of it
        self._gathered = {}

    def add_pack(self, path: Path) -> None:
        """Take over a pack file. Raises any exception if it is not one."""
        out, commit, abort = self.store.add_pack()
        with out:  # also if it is no pack: Windows removes no folder with an open file
            try:
                with path.open("rb") as file:
                    shutil.copyfileobj(file, out)
            except BaseException:
                abort()
                raise
            commit()

    def take_over(self, other: Repository, tips: Iterable[str], base: str) -> None:
        wants = [ObjectID(id.encode()) for id in tips]
        for id, _ in MissingObjectFinder(other.store, haves=[ObjectID(base.encode())], wants=wants):
            self._add(other.store[id])

    def write_pack(self, out: BinaryIO, tips: Iterable[str]) -> None:
        """Write everything reachable from `tips` as one pack."""
        wants = [ObjectID(id.encode()) for id in tips]
        with self._reading("An object", OSError):
            ids = list(MissingObjectFinder(self.store, haves=(), wants=wants))
            write_pack_from_container(out.write, self.store, ids, object_format=self.store.object_format)

    # --- refs ---

    def head(self) -> str | None:
        """Return HEAD's branch, if it names one."""
        value = self._loose("HEAD")
        name = value.removeprefix("ref: refs/heads/")
        return name if name != value and _is_ref(head_ref(name)) else None

    def set_head(self, branch: str) -> None:
        self._files.replace_locked("HEAD", f"ref: {head_ref(branch)}\n".encode())

    def ref(self, name: str) -> str | None:
        id = self._loose(name) or self._packed().get(name, "")
        return id if is_id(id) else None

    def move(self, name: str, new: str, old: str | None) -> bool:
        """Move a ref to `new` if it is still at `old` (None: missing); durable on return."""
        return self._files.replace_locked(name, f"{new}\n".encode(), unless=lambda: self.ref(name) != old)

    def put(self, name: str, new: str) -> None:
        self._files.replace_locked(name, f"{new}\n".encode())

    def put_all(self, refs: Mapping[str, str]) -> None:
        """Add refs in one file: each file waits for the disk."""
        packed = {**self._packed(), **refs}
        lines = "".join(f"{packed[name]} {name}\n" for name in sorted(packed))
        self._files.replace_locked("packed-refs", lines.encode())

    def drop(self, name: str) -> None:
        """Remove a ref. Raises BlockingIOError if locked."""
        packed = self._packed()
        if packed.pop(name, None):
            lines = "".join(f"{id} {other}\n" for other, id in packed.items())
            self._files.replace_locked("packed-refs", lines.encode())
        if self._files.is_file(name):
            self._files.replace_locked(name, None)

    def refs(self, under: str) -> dict[str, str]:
        """Return refs by their name after `under`, sorted."""
        packed = self._packed()
        names = {*self._files.below(under.rstrip("/")), *(name for name in packed if name.startswith(under))}
        refs = ((name, self._loose(name) or packed.get(name, "")) for name in sorted(names) if _is_ref(name))
        return {name.removeprefix(under): id for name, id in refs if is_id(id)}

    # --- git's own view of the work tree ---

    def write_index(self, files: Iterable[tuple[str, str]]) -> None:
        """Let git see these files, by path and id, as the work tree."""
        entries = [
            SerializedIndexEntry(
                os.fsencode(path), 0, 0, 0, 0, FILE_MODE, 0, 0, 0, ObjectID(id.encode()), 0, 0
            )
            for path, id in files
        ]
        content = BytesIO()
        write_index(content, sorted(entries, key=lambda entry: entry.name))
        self._files.replace(
            "index", content.getvalue() + sha1(content.getvalue(), usedforsecurity=False).digest()
        )

    def drop_index(self) -> None:
        self._files.remove("index")

    def _loose(self, name: str) -> str:
        try:
            return os.fsdecode(self._files.read(name, _MAX_REF_BYTES)).partition("\n")[0].strip()
        except FileNotFoundError:
            return ""

    def _packed(self) -> dict[str, str]:
        try:
            lines = os.fsdecode(self._files.read("packed-refs")).splitlines()
        except FileNotFoundError:
            return {}
        pairs = (line.partition(" ") for line in lines)
        return {name: id for id, _, name in pairs if is_id(id)}


def _is_ref(name: str) -> bool:
    return check_ref_format(Ref(os.fsencode(name)))


def _check(files: Folder) -> None:
    for name in _FOLDERS:
        files.is_folder(name)
    for name in ("HEAD", "packed-refs"):
        files.is_file(name)
    for name, kind in files.names("theact"):
        if kind != "file" and name.removeprefix("theact/") in _PRIVATE:
            files.is_file(name)
    for name, kind in files.names("objects"):
        if kind != "folder" and len(name) == len("objects/00"):
            files.is_folder(name)
    for name, _ in files.names("objects/pack"):
        files.is_file(name, _MAX_PACK)


@lru_cache(2_000)
def _tree_row(name: str, entry: TreeEntry) -> tuple[bytes, bytes]:
    path = os.fsencode(name)
    return path + b"/" * entry.is_folder, b"%o %s\0%s" % (entry.mode, path, bytes.fromhex(entry.id))


def _loose(id: str) -> str:
    return f"{id[:2]}/{id[2:]}"


def _text(id: bytes) -> str:
    return id.decode("ascii")


def pack(git: Path) -> int:
    """Pack all loose objects while the save is in use; return their number."""
    with closing(_Store(git / "objects")) as store:
        count = store.pack_loose_objects()
        store.write_midx()
        return count
