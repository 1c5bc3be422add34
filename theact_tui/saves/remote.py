"""Copies of a save in other git repositories: a folder, or a server (S9). Only what the player named is contacted.

A folder is read and written like a save, without its config and hooks; servers are spoken to by dulwich's clients.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO

from dulwich.client import GitClient, get_transport_and_path
from dulwich.object_store import ObjectStoreGraphWalker
from dulwich.objects import ObjectID
from dulwich.refs import Ref

from theact_tui.errors import SaveDamaged, SaveError, TheActError, UsageError
from theact_tui.saves.bundle import own_refs
from theact_tui.saves.history import History
from theact_tui.saves.incoming import MAX_FILE, is_known, receive
from theact_tui.saves.names import NAMES
from theact_tui.saves.objects import MAIN, is_id
from theact_tui.saves.repository import Repository

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
    path = Path(place.removeprefix("file://")).expanduser()
    for git in (path / ".git", path):
        if place.strip() and (git / "objects").is_dir():
            return git
    is_remote = place.startswith(SCHEMES) or ("@" in place.split("/")[0] and ":" in place)
    if is_remote and not place.startswith("-"):
        return None
    raise UsageError(f"{place} is neither the folder of a git repository nor the address of one.")


def _fetch_local(git: Path, out: BinaryIO) -> tuple[dict[str, str], str]:
    source = Repository(git)
    try:
        refs = own_refs(source)
        source.write_pack(out, refs.values())
        return refs, source.head() or MAIN
    finally:
        source.close()


def _push_local(repository: Repository, git: Path, force: bool) -> tuple[str, ...]:
    if git.name == ".git":
        raise UsageError(f"{git.parent} has a work tree. Push to a bare repository: git init --bare FOLDER.")
    target = Repository(git)
    try:
        there = own_refs(target)
        wanted = _updates(repository, there, force)
        if wanted:
            with tempfile.TemporaryDirectory() as scratch:
                pack = Path(scratch) / "pack"
                with pack.open("wb") as out:
                    repository.write_pack(
                        out, wanted.values(), [id for id in there.values() if repository.has(id)]
                    )
                target.add_pack(pack)
        for name, id in wanted.items():
            target.put(name, id)
        return tuple(wanted)
    except OSError as error:
        raise SaveError(f"{git} could not be written: {error.strerror or error}.") from error
    finally:
        target.close()


def _updates(repository: Repository, there: Mapping[str, str], force: bool) -> dict[str, str]:
    """The refs that must change on the other side. UsageError if turns would be lost there."""
    history = History(repository)
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
            raise UsageError(f"Branch '{branch}' has other turns there. Push with force to overwrite them.")
    return wanted


# --- servers ----------------------------------------------------------------------------------------------------


def _fetch(url: str, out: BinaryIO) -> tuple[dict[str, str], str]:
    size = 0

    def keep(data: bytes) -> int:
        nonlocal size
        size += len(data)
        if size > MAX_FILE:
            raise SaveDamaged("What the server sends is too large for a save.")
        return out.write(data)

    def wanted(refs: Mapping[Ref, ObjectID], depth: int | None = None) -> list[ObjectID]:
        return list({id for name, id in refs.items() if is_known(name.decode(errors="replace"))})

    client, path = _client(url)
    try:
        result = client.fetch_pack(path, wanted, ObjectStoreGraphWalker([], lambda _: []), keep)
    except TheActError:
        raise
    except Exception as error:  # networks and servers can fail in any way
        raise SaveError(f"{url} could not be read: {error}") from error
    finally:
        client.close()
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

    client, path = _client(url)
    try:
        result = client.send_pack(path.encode(), updates, repository.store.generate_pack_data)
    except TheActError:
        raise
    except Exception as error:  # networks and servers can fail in any way
        raise SaveError(f"{url} could not be written: {error}") from error
    finally:
        client.close()
    refused = {name: reason for name, reason in (result.ref_status or {}).items() if reason}
    if any(name.startswith(b"refs/heads/") for name in refused):
        name, reason = next(iter(refused.items()))
        raise SaveError(f"{url} refused {name.decode(errors='replace')}: {reason}.")
    return tuple(name for name in changed if name.encode() not in refused)


def _client(url: str) -> tuple[GitClient, str]:
    return get_transport_and_path(url, quiet=True)
