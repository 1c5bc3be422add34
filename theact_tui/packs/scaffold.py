"""Starting a pack of one's own: a small complete one that plays offline, with comments that teach (S12)."""

from __future__ import annotations

from pathlib import Path

from theact_tui.errors import UsageError
from theact_tui.packs.findings import quoted
from theact_tui.text import is_slug

_STARTER = Path(__file__).parent / "starter"


def new_pack(packs: Path, id: str) -> Path:
    """The folder of a new pack `id` among `packs`. UsageError if the id is none, or is taken there."""
    if not is_slug(id):
        raise UsageError(f"{quoted(id)} cannot be an id. Use lower-case letters, digits, '-' and '_'.")
    folder = packs / id
    if folder.exists() or folder.is_symlink():
        raise UsageError(f"There is already a folder {folder}. Choose another id, or remove it first.")
    for source in sorted(_STARTER.rglob("*.yaml")):
        target = folder / source.relative_to(_STARTER)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(source.read_text("utf-8").replace("starter-id", id), "utf-8")
    return folder
