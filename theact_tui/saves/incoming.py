"""Saves that come from elsewhere: a pack of objects and a list of refs, checked before anything is believed (S13).

Only objects and known kinds of refs are taken over. Config, hooks and paths of the other side never come along.
"""

from __future__ import annotations

import mmap
import re
import shutil
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from theact_tui.errors import SaveDamaged
from theact_tui.saves import recovery
from theact_tui.saves.names import NAMES
from theact_tui.saves.objects import MAIN, head_ref, is_id
from theact_tui.text import is_slug

if TYPE_CHECKING:
    from theact_tui.saves.repository import Repository

MAX_FILE = 1_000_000_000
"""Bytes of a file or a transfer."""
MAX_OBJECTS = 5_000_000
MAX_CONTENT = 20_000_000_000
"""Bytes of all objects, unpacked."""
MAX_REFS = 20_000
_TAKE = re.compile(r"refs/theact/takes/\d{1,9}/\d{1,9}")
_NAMED = re.compile(r"refs/(?:heads|theact/undone|theact/trash)/([^/]+)")
_KEPT = re.compile(r"refs/theact/kept/[0-9a-f]{40}")


def receive(folder: Path, pack: Path, refs: Mapping[str, str], head: str) -> None:
    """Make the save in `folder`, which must not exist, from what came: refs by name, and the branch to be on.

    SaveDamaged if it is not a save or not whole; then nothing is left of it.
    """
    from theact_tui.saves.repository import Repository

    known = {name: id for name, id in refs.items() if is_known(name) and is_id(id)}
    branches = [name.removeprefix("refs/heads/") for name in known if name.startswith("refs/heads/")]
    if not branches or len(known) > MAX_REFS:
        raise SaveDamaged("This is not a save: it has no branches that can be used.")
    branch = head if head in branches else MAIN if MAIN in branches else branches[0]
    check_pack(pack)
    folder.mkdir(parents=True, mode=0o700)
    try:
        repository = Repository.init(folder / ".git", branch)
        try:
            _take_over(repository, pack, known, branch)
        finally:
            repository.close()
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def is_known(ref: str) -> bool:
    """True if a save has refs of this name. Branches must have plain names, for they become part of paths."""
    named = _NAMED.fullmatch(ref)
    return (
        bool(named and is_slug(named[1]))
        or bool(_TAKE.fullmatch(ref) or _KEPT.fullmatch(ref))
        or ref == NAMES
    )


def _take_over(repository: Repository, pack: Path, refs: Mapping[str, str], branch: str) -> None:
    try:
        repository.add_pack(pack)
    except Exception as error:  # a hostile pack can fail in any way
        raise SaveDamaged(f"This save is not whole: {error}") from error
    for name, id in refs.items():
        if name == NAMES or recovery.is_whole(repository, id):
            repository.put(name, id)
    if repository.ref(head_ref(branch)) is None:
        raise SaveDamaged(f"This save is not whole: branch '{branch}' cannot be read.")
    recovery.newest_readable(repository, branch)


# --- what a pack may hold ---------------------------------------------------------------------------------------


def check_pack(path: Path) -> None:
    """SaveDamaged unless the file is a git pack whose objects are all of a bearable size, unpacked too."""
    from theact_tui.saves.repository import MAX_OBJECT

    if not 32 <= path.stat().st_size <= MAX_FILE:
        raise SaveDamaged("This save is empty or too large.")
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        count = int.from_bytes(data[8:12], "big")
        if data[:4] != b"PACK" or data[4:8] not in (b"\0\0\0\2", b"\0\0\0\3") or count > MAX_OBJECTS:
            raise SaveDamaged("This is not a save: it holds no pack of objects.")
        at, total = 12, 0
        for _ in range(count):
            kind, size, at = _header(data, at)
            head, at = _inflate(data, at, min(size, MAX_OBJECT))
            grown = _delta_result(head) if kind in (6, 7) else size
            total += size + grown
            if max(size, grown) > MAX_OBJECT or total > MAX_CONTENT:
                raise SaveDamaged("This save holds something too large to be part of a story.")


def _header(data: mmap.mmap, at: int) -> tuple[int, int, int]:
    """Kind and size of the object at `at`, and where its compressed content begins."""
    byte = _byte(data, at)
    kind, size, shift = byte >> 4 & 7, byte & 15, 4
    while byte & 128:
        at += 1
        byte = _byte(data, at)
        size |= (byte & 127) << shift
        shift += 7
    at += 1
    if kind == 7:
        at += 20
    if kind == 6:
        while _byte(data, at) & 128:
            at += 1
        at += 1
    if kind in (0, 5):
        raise SaveDamaged("This save holds an object of an unknown kind.")
    return kind, size, at


def _inflate(data: mmap.mmap, at: int, size: int) -> tuple[bytes, int]:
    """The first bytes of a compressed content, and where it ends. SaveDamaged if it is longer than `size`."""
    stream, head, length = zlib.decompressobj(), b"", 0
    try:
        while not stream.eof:
            piece = stream.unconsumed_tail or data[at : at + 4_096]
            at += 0 if stream.unconsumed_tail else len(piece)
            made = stream.decompress(piece, 65_536)
            head = head or made[:32]
            length += len(made)
            if length > size or not piece:
                raise SaveDamaged("This save holds an object that is not what it says.")
    except zlib.error as error:
        raise SaveDamaged(f"This save holds an object that cannot be read: {error}") from error
    return head, at - len(stream.unused_data)


def _delta_result(head: bytes) -> int:
    """The size a delta says its result will have; the second number at its beginning."""
    numbers: list[int] = []
    value = shift = 0
    for byte in head:
        value |= (byte & 127) << shift
        shift += 7
        if not byte & 128:
            numbers.append(value)
            value = shift = 0
        if len(numbers) == 2:
            return numbers[1]
    raise SaveDamaged("This save holds an object that is not what it says.")


def _byte(data: mmap.mmap, at: int) -> int:
    if at >= len(data):
        raise SaveDamaged("This save breaks off in the middle.")
    return data[at]
