"""A save as one file, a git bundle. Of an incoming one only objects and own refs are taken over."""

import re
import shutil
import zlib
from collections.abc import Mapping
from contextlib import closing
from io import SEEK_CUR, BytesIO
from pathlib import Path
from typing import BinaryIO

from dulwich.pack import OFS_DELTA, REF_DELTA, take_msb_bytes

from theact_tui.errors import SaveDamaged, SaveError, UsageError
from theact_tui.paths import incoming_folder
from theact_tui.saves import open_and_repair
from theact_tui.saves.branches import NAMES
from theact_tui.saves.git_objects import MAIN, head_ref, is_id
from theact_tui.saves.repository import MAX_OBJECT_BYTES, Repository
from theact_tui.text import is_slug

_FIRST_LINE = b"# v2 git bundle\n"


def write_bundle(repository: Repository, file: Path) -> None:
    """Write all branches, takes and undone turns into a new file. Raises UsageError if it exists."""
    every = {f"refs/{name}": id for name, id in repository.refs("refs/").items()}
    refs = {name: id for name, id in every.items() if is_own_ref(name)}
    try:
        with file.open("xb") as out:
            out.write(_FIRST_LINE)
            head = refs.get(head_ref(repository.head() or MAIN))
            for name, id in (("HEAD", head), *refs.items()):
                out.write(f"{id} {name}\n".encode() if id else b"")
            out.write(b"\n")
            repository.write_pack(out, refs.values())
    except FileExistsError:
        raise UsageError(f"{file} exists already. Choose another name.") from None
    except OSError as error:
        file.unlink(missing_ok=True)
        raise SaveError(f"{file} could not be written: {error.strerror or error}.") from error


def read_bundle(file: Path, folder: Path) -> None:
    """Make a save in the new `folder` from a bundle. Raises SaveDamaged."""
    try:
        if file.stat().st_size > _MAX_FILE:
            raise SaveDamaged("It is too large for a save.")
        with file.open("rb") as stream, incoming_folder(folder.parent) as scratch:
            refs = _bundle_header(stream)
            pack = scratch / "pack"
            with pack.open("wb") as out:
                shutil.copyfileobj(stream, out)
            current = (
                name for name in refs if name.startswith("refs/heads/") and refs[name] == refs.get("HEAD")
            )
            receive(folder, pack, refs, next(current, "").removeprefix("refs/heads/"))
    except SaveDamaged as error:
        raise SaveDamaged(f"{file.name} could not be imported. {error.message}") from error
    except OSError as error:
        raise SaveError(f"{file} could not be read: {error.strerror or error}.") from error


def _bundle_header(stream: BinaryIO) -> dict[str, str]:
    if stream.readline(64) != _FIRST_LINE:
        raise SaveDamaged("It is not an export in the format 'save'.")
    refs: dict[str, str] = {}
    for _ in range(_MAX_REFS):
        line = stream.readline(400)
        if line == b"\n":
            return refs
        id, _, name = line.decode(errors="replace").rstrip("\n").partition(" ")
        if id.startswith("-") or not line.endswith(b"\n"):
            break
        refs[name] = id
    raise SaveDamaged("The file is incomplete or not an export.")


_MAX_FILE = 1_000_000_000
_MAX_OBJECTS = 5_000_000
_MAX_UNPACKED_BYTES = 20_000_000_000
SPARE_CONTENT, PACKED = 100_000_000, 100
"""Unpacked bytes allowed to any save, and more for each byte of its file."""
_MAX_REFS = 20_000
_KNOWN = re.compile(
    rf"refs/(?:heads|theact/undone|theact/trash)/([^/]+)|refs/theact/takes/\d{{1,9}}/\d{{1,9}}"
    rf"|refs/theact/kept/[0-9a-f]{{40}}|{NAMES}"
)


def receive(folder: Path, pack: Path, refs: Mapping[str, str], head: str) -> None:
    """Make a save in the new `folder`. Raises SaveDamaged, leaving nothing."""
    safe_refs = {name: id for name, id in refs.items() if is_own_ref(name) and is_id(id)}
    branches = [name.removeprefix("refs/heads/") for name in safe_refs if name.startswith("refs/heads/")]
    if not branches or len(safe_refs) > _MAX_REFS:
        raise SaveDamaged("This is not a save: it has no valid branches.")
    branch = head if head in branches else MAIN if MAIN in branches else branches[0]
    check_git_pack(pack)
    folder.mkdir(parents=True, mode=0o700)
    try:
        with closing(Repository.init(folder / ".git", branch)) as repository:
            _take_over(repository, pack, safe_refs, branch)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def is_own_ref(ref: str) -> bool:
    """True for the name of a save's ref, with a plain branch name: it becomes part of a path."""
    match = _KNOWN.fullmatch(ref)
    return match is not None and (match[1] is None or is_slug(match[1]))


def _take_over(repository: Repository, pack: Path, refs: Mapping[str, str], branch: str) -> None:
    try:
        repository.add_pack(pack)
    except Exception as error:  # a hostile pack can fail in any way
        raise SaveDamaged(f"This save is incomplete: {error}") from error
    for name, id in refs.items():
        if name == NAMES or open_and_repair.is_whole(repository, id):
            repository.put(name, id)
    if repository.ref(head_ref(branch)) is None:
        raise SaveDamaged(f"This save is incomplete: branch '{branch}' cannot be read.")
    open_and_repair.newest_readable(repository, branch)


# --- what a pack may hold ---------------------------------------------------------------------------------------


def check_git_pack(path: Path) -> None:
    """Raise SaveDamaged unless the file is a git pack of objects of bearable size, unpacked too."""
    length = path.stat().st_size
    if not 32 <= length <= _MAX_FILE:
        raise SaveDamaged("This save is empty or too large.")
    with path.open("rb") as file:
        kind, count = file.read(8), int.from_bytes(file.read(4), "big")
        if kind not in (b"PACK\0\0\0\2", b"PACK\0\0\0\3") or count > _MAX_OBJECTS:
            raise SaveDamaged("This is not a save: it has no git objects.")
        total, most = 0, min(_MAX_UNPACKED_BYTES, SPARE_CONTENT + PACKED * length)
        for _ in range(count):
            size, grown = _object_sizes(file)
            total += size + grown
            if max(size, grown) > MAX_OBJECT_BYTES:
                raise SaveDamaged("This save contains an object that is too large.")
            if total > most:
                raise SaveDamaged("This save unpacks to far more than a story holds.")
        if len(file.read(21)) != 20:  # the checksum, which dulwich writes anew where a part of it is missing
            raise SaveDamaged("This save is incomplete.")


def _object_sizes(file: BinaryIO) -> tuple[int, int]:
    try:
        first, *rest = take_msb_bytes(file.read)[0]
        kind, size = first >> 4 & 7, first & 15 | _number(rest) << 4
        if kind in (0, 5):
            raise SaveDamaged("This save contains an object of an unknown type.")
        if kind == OFS_DELTA:
            take_msb_bytes(file.read)
        if kind == REF_DELTA:
            file.read(20)
        content = BytesIO(_inflate(file, min(size, MAX_OBJECT_BYTES)))
        if kind not in (OFS_DELTA, REF_DELTA):
            return size, size
        take_msb_bytes(content.read)
        return size, _number(take_msb_bytes(content.read)[0])
    except (zlib.error, TypeError) as error:  # dulwich's answer to the end of a file is a TypeError
        raise SaveDamaged(f"This save contains an unreadable object: {error}") from error


def _number(bits: list[int]) -> int:
    return sum((byte & 127) << 7 * place for place, byte in enumerate(bits))


def _inflate(file: BinaryIO, size: int) -> bytes:
    """Return the start of a compressed content, read to its end. Raises SaveDamaged beyond `size`."""
    stream, head, length = zlib.decompressobj(), b"", 0
    while not stream.eof:
        piece = stream.unconsumed_tail or file.read(4_096)
        content = stream.decompress(piece, 65_536)
        head = head or content[:32]
        length += len(content)
        if length > size or not piece:
            raise SaveDamaged("This save contains a corrupt object.")
    file.seek(-len(stream.unused_data), SEEK_CUR)
    return head
