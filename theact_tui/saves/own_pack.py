"""The pack inside a save, after somebody changed it by hand: whether the story can go on with it (S2, S9)."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

from theact_tui.errors import SaveError
from theact_tui.packs.findings import Finding
from theact_tui.packs.load import check_pack
from theact_tui.saves import files
from theact_tui.saves.files import Files
from theact_tui.story.pack import Pack

FOLDERS = ("pack", "pack/characters", "pack/chapters", "pack/prompts")


class UnfitPack(SaveError):
    """The pack does not fit itself or the story; `path` is the file at fault."""

    def __init__(self, path: str, message: str) -> None:
        super().__init__(f"{path}{message}")
        self.path = path


def check_own_pack(before: Files, edited: Files) -> None:
    """UnfitPack unless the pack in `edited` is sound and has everything that the story of `before` speaks of."""
    old, new = files.read_pack(before), files.read_pack(edited)
    if old.id != new.id:
        raise UnfitPack("pack/game.yaml", f" must keep the id '{old.id}'.")
    for kind, lost in (("chapter", _lost(old.chapters, new)), ("character", _lost(old.characters, new))):
        if lost:
            raise UnfitPack("pack/game.yaml", f" must keep the {kind} '{lost[0]}': the story speaks of it.")
    if errors := _errors(edited):
        known = {(error.file, error.message) for error in _errors(before)}
        for error in errors:
            if (error.file, error.message) not in known:
                path = f"pack/{error.file}"
                raise UnfitPack(path, f"{str(error).removeprefix(error.file)}.")


def _errors(version: Files) -> list[Finding]:
    """What the check of packs has against the pack in these files."""
    with TemporaryDirectory() as scratch:
        folder = Path(scratch) / "pack"
        for path in _paths(version):
            file = Path(scratch) / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(version.need(path))
        return [finding for finding in check_pack(folder) if finding.level == "error"]


def _lost(ids: Iterable[str], pack: Pack) -> list[str]:
    return [id for id in ids if id not in pack.chapters and id not in pack.characters]


def _paths(edited: Files) -> list[str]:
    """The files of the pack."""
    return [
        f"{folder}/{name}"
        for folder in FOLDERS
        for name in edited.names(folder)
        if name.endswith((".yaml", ".txt"))
    ]
