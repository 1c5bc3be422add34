"""Saves on their way: as one file (a git bundle), from and to other git repositories, and the checks of what comes in.

Only what the player named is contacted. A folder is read and written like a save; servers are spoken to by dulwich's
clients. Only objects and known kinds of refs are taken over; config, hooks and paths of the other side never come along.
"""

from __future__ import annotations

import re
import shutil
import tempfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from io import SEEK_CUR, BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from dulwich.objects import ObjectID
from dulwich.pack import OFS_DELTA, REF_DELTA, take_msb_bytes
from dulwich.refs import Ref

from theact_tui.errors import SaveDamaged, SaveError, TheActError, UsageError
from theact_tui.paths import typed_path
from theact_tui.saves import recovery
from theact_tui.saves.branches import NAMES
from theact_tui.saves.history import CommitChain
from theact_tui.saves.objects import MAIN, head_ref, is_id
from theact_tui.saves.repository import MAX_OBJECT, Repository
from theact_tui.text import is_slug, one_line

if TYPE_CHECKING:
    from dulwich.client import GitClient

FIRST_LINE = b"# v2 git bundle\n"


def write_bundle(repository: Repository, file: Path) -> None:
    """Write all branches, takes and undone turns into a new file. UsageError if it exists."""
    refs = own_refs(repository)
    try:
        with file.open("xb") as out:
            out.write(FIRST_LINE)
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


def own_refs(repository: Repository) -> dict[str, str]:
    """All refs that belong to the story, by full name."""
    return {f"refs/{name}": id for name, id in repository.refs("refs/").items() if is_known(f"refs/{name}")}


def read_bundle(file: Path, folder: Path) -> None:
    """Make a save in the new `folder` from a file made by `write_bundle`. SaveDamaged if it is none or not whole."""
    try:
        if file.stat().st_size > MAX_FILE:
            raise SaveDamaged("It is too large for a save.")
        with file.open("rb") as stream, tempfile.TemporaryDirectory() as scratch:
            refs = _bundle_header(stream)
            pack = Path(scratch) / "pack"
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
    if stream.readline(64) != FIRST_LINE:
        raise SaveDamaged("It is not an export in the format 'save'.")
    refs: dict[str, str] = {}
    for _ in range(MAX_REFS):
        line = stream.readline(400)
        if line == b"\n":
            return refs
        id, _, name = line.decode(errors="replace").rstrip("\n").partition(" ")
        if id.startswith("-") or not line.endswith(b"\n"):
            break
        refs[name] = id
    raise SaveDamaged("The file is incomplete or not an export.")


MAX_FILE = 1_000_000_000
"""Bytes of a file or a transfer."""
MAX_OBJECTS = 5_000_000
MAX_CONTENT = 20_000_000_000
"""Bytes of all objects, unpacked."""
MAX_REFS = 20_000
_KNOWN = re.compile(
    rf"refs/(?:heads|theact/undone|theact/trash)/([^/]+)|refs/theact/takes/\d{{1,9}}/\d{{1,9}}"
    rf"|refs/theact/kept/[0-9a-f]{{40}}|{NAMES}"
)


def receive(folder: Path, pack: Path, refs: Mapping[str, str], head: str) -> None:
    """Make the save in `folder`, which must not exist, from what came: refs by name, and the branch to be on.

    SaveDamaged if it is not a save or not whole; then nothing is left of it.
    """
    known = {name: id for name, id in refs.items() if is_known(name) and is_id(id)}
    branches = [name.removeprefix("refs/heads/") for name in known if name.startswith("refs/heads/")]
    if not branches or len(known) > MAX_REFS:
        raise SaveDamaged("This is not a save: it has no valid branches.")
    branch = head if head in branches else MAIN if MAIN in branches else branches[0]
    check_pack(pack)
    folder.mkdir(parents=True, mode=0o700)
    try:
        with closing(Repository.init(folder / ".git", branch)) as repository:
            _take_over(repository, pack, known, branch)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def is_known(ref: str) -> bool:
    """True if a save has refs of this name. Branches must have plain names, for they become part of paths."""
    found = _KNOWN.fullmatch(ref)
    return found is not None and (found[1] is None or is_slug(found[1]))


def _take_over(repository: Repository, pack: Path, refs: Mapping[str, str], branch: str) -> None:
    try:
        repository.add_pack(pack)
    except Exception as error:  # a hostile pack can fail in any way
        raise SaveDamaged(f"This save is incomplete: {error}") from error
    for name, id in refs.items():
        if name == NAMES or recovery.is_whole(repository, id):
            repository.put(name, id)
    if repository.ref(head_ref(branch)) is None:
        raise SaveDamaged(f"This save is incomplete: branch '{branch}' cannot be read.")
    recovery.newest_readable(repository, branch)


# --- what a pack may hold ---------------------------------------------------------------------------------------


def check_pack(path: Path) -> None:
    """SaveDamaged unless the file is a git pack whose objects are all of a bearable size, unpacked too."""
    if not 32 <= path.stat().st_size <= MAX_FILE:
        raise SaveDamaged("This save is empty or too large.")
    with path.open("rb") as file:
        kind, count = file.read(8), int.from_bytes(file.read(4), "big")
        if kind not in (b"PACK\0\0\0\2", b"PACK\0\0\0\3") or count > MAX_OBJECTS:
            raise SaveDamaged("This is not a save: it has no git objects.")
        total = 0
        for _ in range(count):
            size, grown = _object_sizes(file)
            total += size + grown
            if max(size, grown) > MAX_OBJECT or total > MAX_CONTENT:
                raise SaveDamaged("This save contains an object that is too large.")
        if len(file.read(21)) != 20:  # the checksum, which dulwich writes anew where a part of it is missing
            raise SaveDamaged("This save is incomplete.")


def _object_sizes(file: BinaryIO) -> tuple[int, int]:
    """The size of the next object of a pack, and of what it makes if it is a delta."""
    try:
        first, *rest = take_msb_bytes(file.read)[0]
        kind, size = first >> 4 & 7, first & 15 | _number(rest) << 4
        if kind in (0, 5):
            raise SaveDamaged("This save contains an object of an unknown type.")
        if kind == OFS_DELTA:
            take_msb_bytes(file.read)
        if kind == REF_DELTA:
            file.read(20)
        content = BytesIO(_inflate(file, min(size, MAX_OBJECT)))
        if kind not in (OFS_DELTA, REF_DELTA):
            return size, size
        take_msb_bytes(content.read)
        return size, _number(take_msb_bytes(content.read)[0])
    except (zlib.error, TypeError) as error:  # dulwich's answer to the end of a file is a TypeError
        raise SaveDamaged(f"This save contains an unreadable object: {error}") from error


def _number(bits: list[int]) -> int:
    """What is written seven bits at a time, the lowest first."""
    return sum((byte & 127) << 7 * place for place, byte in enumerate(bits))


def _inflate(file: BinaryIO, size: int) -> bytes:
    """The first bytes of a compressed content, read to its end. SaveDamaged if it is longer than `size`."""
    stream, head, length = zlib.decompressobj(), b"", 0
    while not stream.eof:
        piece = stream.unconsumed_tail or file.read(4_096)
        made = stream.decompress(piece, 65_536)
        head = head or made[:32]
        length += len(made)
        if length > size or not piece:
            raise SaveDamaged("This save contains a corrupt object.")
    file.seek(-len(stream.unused_data), SEEK_CUR)
    return head


SCHEMES = ("https://", "http://", "ssh://", "git://")
PUSHED = ("refs/heads/", "refs/theact/takes/", NAMES)


def clone(source: str, folder: Path) -> None:
    """Make a save in the new `folder` from another repository. SaveError if that cannot be read or is no save."""
    with tempfile.TemporaryDirectory() as scratch:
        pack = Path(scratch) / "pack"
        with pack.open("wb") as out:
            git = _local(source)
            refs, head = _fetch_local(git, out) if git else _fetch(source, out)
        receive(folder, pack, refs, head)


def push(repository: Repository, target: str, *, force: bool = False) -> tuple[str, ...]:
    """Bring branches and takes to another repository; the names of the refs that changed there.

    Branches that have other turns there are overwritten only with `force`; without it, UsageError and nothing done.
    """
    git = _local(target)
    return _push_local(repository, git, force) if git else _push(repository, target, force)


def _local(place: str) -> Path | None:
    """The git folder at a local place; None for the address of a server. UsageError for anything else."""
    path = typed_path(place.removeprefix("file://"))
    for git in (path / ".git", path):
        if place.strip() and (git / "objects").is_dir():
            return git
    is_remote = place.startswith(SCHEMES) or ("@" in place.split("/")[0] and ":" in place)
    if is_remote and not place.startswith("-"):
        return None
    raise UsageError(f"{place} is not a git repository (a folder or a URL).")


def _fetch_local(git: Path, out: BinaryIO) -> tuple[dict[str, str], str]:
    with closing(Repository(git)) as source:
        refs = own_refs(source)
        source.write_pack(out, refs.values())
        return refs, source.head() or MAIN


def _push_local(repository: Repository, git: Path, force: bool) -> tuple[str, ...]:
    if git.name == ".git":
        raise UsageError(f"{git.parent} has a work tree. Push to a bare repository: git init --bare FOLDER.")
    try:
        with closing(Repository(git)) as target, tempfile.TemporaryDirectory() as scratch:
            there = own_refs(target)
            wanted = _updates(repository, there, force)
            if wanted:
                pack = Path(scratch) / "pack"
                with pack.open("wb") as out:
                    known = [id for id in there.values() if repository.has(id)]
                    repository.write_pack(out, wanted.values(), known)
                target.add_pack(pack)
            for name, id in wanted.items():
                target.put(name, id)
            return tuple(wanted)
    except OSError as error:
        raise SaveError(f"{git} could not be written: {error.strerror or error}.") from error


def _updates(repository: Repository, there: Mapping[str, str], force: bool) -> dict[str, str]:
    """The refs that must change on the other side. UsageError if turns would be lost there."""
    history = CommitChain(repository)
    wanted = {
        name: id
        for name, id in own_refs(repository).items()
        if name.startswith(PUSHED) and there.get(name) != id
    }
    for name, id in wanted.items():
        old = there.get(name)
        is_branch = old is not None and name.startswith("refs/heads/")
        if old and is_branch and not force and not (repository.has(old) and history.leads_to(old, id)):
            branch = name.removeprefix("refs/heads/")
            raise UsageError(f"Branch '{branch}' has diverged there. Use --force to overwrite it.")
    return wanted


# --- servers ----------------------------------------------------------------------------------------------------


def _fetch(url: str, out: BinaryIO) -> tuple[dict[str, str], str]:
    size = 0

    def keep(data: bytes) -> int:
        nonlocal size
        size += len(data)
        if size > MAX_FILE:
            raise SaveDamaged("The server's data is too large for a save.")
        return out.write(data)

    def wanted(refs: Mapping[Ref, ObjectID], depth: int | None = None) -> list[ObjectID]:
        return list({id for name, id in refs.items() if is_known(name.decode(errors="replace"))})

    from dulwich.object_store import ObjectStoreGraphWalker

    with _server(url, "read") as (client, path):
        result = client.fetch_pack(path, wanted, ObjectStoreGraphWalker([], lambda _: []), keep)
    refs = {
        name.decode(errors="replace"): (id or b"").decode(errors="replace")
        for name, id in result.refs.items()
    }
    head = result.symrefs.get(Ref(b"HEAD"), Ref(b"")).decode(errors="replace").removeprefix("refs/heads/")
    return refs, head or MAIN


def _push(repository: Repository, url: str, force: bool) -> tuple[str, ...]:
    changed: dict[str, str] = {}

    def updates(refs: dict[Ref, ObjectID]) -> dict[Ref, ObjectID]:
        there = {name.decode(errors="replace"): id.decode() for name, id in refs.items()}
        changed.update(_updates(repository, {name: id for name, id in there.items() if is_id(id)}, force))
        return {Ref(name.encode()): ObjectID(id.encode()) for name, id in changed.items()}

    with _server(url, "written") as (client, path):
        result = client.send_pack(path.encode(), updates, repository.store.generate_pack_data)
    refused = {name: reason for name, reason in (result.ref_status or {}).items() if reason}
    if any(name.startswith(b"refs/heads/") for name in refused):
        name, reason = next(iter(refused.items()))
        raise SaveError(f"{url} refused {name.decode(errors='replace')}: {reason}.")
    return tuple(name for name in changed if name.encode() not in refused)


@contextmanager
def _server(url: str, wanted: str) -> Iterator[tuple[GitClient, str]]:
    """The client for an address, and the path there. SaveError if it could not be `wanted`."""
    from dulwich.client import get_transport_and_path

    client, path = get_transport_and_path(url, quiet=True)
    try:
        yield client, path
    except TheActError:
        raise
    except Exception as error:  # networks and servers can fail in any way
        cause: BaseException = error
        while below := cause.__cause__ or cause.__context__:
            cause = below
        reason = one_line(getattr(cause, "strerror", "") or str(error) or "no answer", 120).rstrip(".")
        raise SaveError(
            f"{url} could not be {wanted}: {reason}. Check that it is a git repository."
        ) from error
    finally:
        client.close()
