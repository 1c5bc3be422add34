"""Where packs are: the shipped ones and the user's own, which win (S2). A broken pack is listed with its reason."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import theact_tui
from theact_tui.errors import UsageError
from theact_tui.packs.draft import GAME, Draft
from theact_tui.packs.findings import did_you_mean, quoted
from theact_tui.packs.load import examined
from theact_tui.story.pack import GameInfo
from theact_tui.text import is_slug, one_line


@dataclass(frozen=True, slots=True)
class PackEntry:
    """One pack as a list shows it. `broken` is the reason why it cannot be played, or None."""

    id: str
    folder: Path
    title: str
    description: str = ""
    broken: str | None = None
    shipped: bool = False
    cast: tuple[tuple[str, str], ...] = ()
    """Name and role of each character."""
    chapters: tuple[str, ...] = ()
    """Titles."""
    memory: str = ""
    keeper: str = ""
    plays_offline: bool = False


def shipped_folder() -> Path:
    """The folder of the packs that come with the program: inside the wheel, or `content/` of the source tree."""
    package = Path(theact_tui.__file__).parent
    inside = package / "_content"
    return inside if inside.is_dir() else package.parent / "content"


def find_packs(home_packs: Path) -> list[PackEntry]:
    """All packs by title, broken ones last; the user's own instead of shipped ones of the same id. Never raises."""
    own = _by_id(home_packs)
    entries = [entry for id, entry in _shipped(shipped_folder()).items() if id not in own]
    for id, folder in own.items():
        entry = _entry(folder, shipped=False)
        if entry.id != id:
            reason = f"has the same id as the pack in the folder {quoted(own[entry.id].name)}"
            entry = replace(entry, id=id, broken=reason)
        entries.append(entry)
    return sorted(entries, key=_place)


def pack_folder(home_packs: Path, pack: str) -> Path:
    """The folder of a pack named by its id, or by a path. UsageError, with the nearest known id, if there is none."""
    folders = _by_id(shipped_folder()) | _by_id(home_packs)
    if pack in folders:
        return folders[pack]
    folder = Path(pack)
    if pack and "\0" not in pack and folder.is_dir():
        return folder.resolve()
    raise UsageError(
        f"There is no pack {quoted(pack)}{did_you_mean(pack, folders)}. `theact-tui packs` lists them."
    )


@cache
def _shipped(folder: Path) -> dict[str, PackEntry]:
    """What comes with the program does not change while it runs: examined once, however often packs are listed."""
    return {id: _entry(path, shipped=True) for id, path in _by_id(folder).items()}


def _by_id(folder: Path) -> dict[str, Path]:
    """The folders of packs in a folder; a second one of an id goes by its own name. Only their `game.yaml` is read."""
    try:
        paths = sorted(
            path for path in folder.iterdir() if path.is_dir() and not path.name.startswith((".", "_"))
        )
    except OSError:
        return {}
    found: dict[str, Path] = {}
    for path in paths:
        id = _id_of(path, Draft(path).read(GameInfo, GAME))
        found.setdefault(path.name if id in found else id, path)
    return found


def _id_of(folder: Path, game: GameInfo | None) -> str:
    return game.id if game and is_slug(game.id) else one_line(folder.name)


def _place(entry: PackEntry) -> tuple[bool, str, str]:
    return entry.broken is not None, entry.title.casefold(), entry.id


def _entry(folder: Path, shipped: bool) -> PackEntry:
    draft = examined(folder)
    name = _id_of(folder, draft.game)
    broken = next((str(finding) for finding in draft.findings if finding.level == "error"), None)
    game = draft.game
    if game is None:
        return PackEntry(name, folder, name, broken=broken, shipped=shipped)
    return PackEntry(
        id=name,
        folder=folder,
        title=game.title or name,
        description=game.description,
        broken=broken,
        shipped=shipped,
        cast=tuple((character.name, character.role) for character in draft.characters.values()),
        chapters=tuple(chapter.title for chapter in draft.chapters.values()),
        memory=game.memory,
        keeper=game.keeper,
        plays_offline=draft.script is not None,
    )
