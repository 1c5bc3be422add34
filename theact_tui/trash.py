"""Trash for packs, drafts and runs of the lab."""

import re
from pathlib import Path
from typing import NamedTuple

from theact_tui.errors import UsageError
from theact_tui.paths import Home, private_folder
from theact_tui.text import one_line

DRAFT = "draft.yaml"
"""Marks the folder of a pack that is being written."""
_NAME = re.compile(r"(pack|draft|run)-(.+)-\d+")


class DeletedFolder(NamedTuple):
    name: str
    kind: str
    id: str


def move_to_trash(home: Home, folder: Path) -> str:
    """Move a pack, draft or run and return its name in the trash."""
    kind = next((kind for kind, place in _places(home).items() if folder.parent == place), "pack")
    private_folder(home.trash)
    targets = (home.trash / f"{kind}-{folder.name}-{n}" for n in range(1, 10_000))
    target = next(target for target in targets if not target.exists())
    folder.rename(target)
    target.touch()  # when it was deleted
    return target.name


def deleted_folder(folder: Path) -> DeletedFolder | None:
    """Return None for a save."""
    name_match, is_draft = _NAME.fullmatch(folder.name), (folder / DRAFT).exists()
    is_save = (folder / ".git").exists() and not is_draft and not (folder / "game.yaml").exists()
    if not name_match or is_save or not folder.is_dir():
        return None
    return DeletedFolder(folder.name, "draft" if is_draft else name_match[1], name_match[2])


def deleted_folders(home: Home) -> list[DeletedFolder]:
    folders = sorted(home.trash.iterdir()) if home.trash.is_dir() else []
    return [deleted for folder in folders if (deleted := deleted_folder(folder))]


def restore_folder(home: Home, name: str) -> DeletedFolder | None:
    """Restore the folder with this name, or with this name before it was deleted. Raises UsageError if its place is
    taken.
    """
    wanted = name.casefold()
    candidates = [
        entry for entry in deleted_folders(home) if wanted in (entry.name.casefold(), entry.id.casefold())
    ]
    restored = max(
        candidates,
        key=lambda entry: (entry.name == name, (home.trash / entry.name).stat().st_mtime_ns),
        default=None,
    )
    if restored:
        target = private_folder(_places(home)[restored.kind]) / restored.id
        existing = [
            entry.name for entry in target.parent.iterdir() if entry.name.casefold() == restored.id.casefold()
        ]
        if existing:
            label = f"{restored.kind} '{one_line(existing[0])}'"
            raise UsageError(f"There is already a {label}. Move that one to the trash first.")
        (home.trash / restored.name).rename(target)
    return restored


def _places(home: Home) -> dict[str, Path]:
    return {"pack": home.packs, "draft": home.drafts, "run": home.lab}
