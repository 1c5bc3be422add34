"""A save as one file: a git bundle, which `git clone` reads as well (S9)."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import BinaryIO

from theact_tui.errors import SaveDamaged, SaveError, UsageError
from theact_tui.saves.incoming import MAX_FILE, MAX_REFS, is_known, receive
from theact_tui.saves.objects import MAIN, head_ref
from theact_tui.saves.repository import Repository

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
    heads = {head_ref(name): id for name, id in repository.refs("refs/heads/").items()}
    others = {f"refs/theact/{name}": id for name, id in repository.refs("refs/theact/").items()}
    return {name: id for name, id in (heads | others).items() if is_known(name)}


def read_bundle(file: Path, folder: Path) -> None:
    """Make a save in the new `folder` from a file made by `write_bundle`. SaveDamaged if it is none or not whole."""
    try:
        if file.stat().st_size > MAX_FILE:
            raise SaveDamaged("It is too large for a save.")
        with file.open("rb") as stream, tempfile.TemporaryDirectory() as scratch:
            refs = _header(stream)
            pack = Path(scratch) / "pack"
            with pack.open("wb") as out:
                shutil.copyfileobj(stream, out)
            receive(folder, pack, refs, _current(refs))
    except SaveDamaged as error:
        raise SaveDamaged(f"{file.name} cannot be brought in. {error.message}") from error
    except OSError as error:
        raise SaveError(f"{file} could not be read: {error.strerror or error}.") from error


def _header(stream: BinaryIO) -> dict[str, str]:
    if stream.readline(64) != FIRST_LINE:
        raise SaveDamaged("It is not a whole story, as export writes it in the format 'save'.")
    refs: dict[str, str] = {}
    for _ in range(MAX_REFS):
        line = stream.readline(400)
        if line == b"\n":
            return refs
        id, _, name = line.decode(errors="replace").rstrip("\n").partition(" ")
        if id.startswith("-") or not line.endswith(b"\n"):
            break
        refs[name] = id
    raise SaveDamaged("It is not a whole story, or not all of it.")


def _current(refs: dict[str, str]) -> str:
    """The branch that was the current one."""
    heads = [name for name, id in refs.items() if id == refs.get("HEAD") and name.startswith("refs/heads/")]
    return heads[0].removeprefix("refs/heads/") if heads else MAIN
