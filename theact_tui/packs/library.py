"""Find packs. The user's own replace shipped ones of the same id (S2)."""

import re
from dataclasses import replace
from functools import cache
from itertools import chain, count
from pathlib import Path

from theact_tui.errors import UsageError
from theact_tui.field_errors import nearest, quoted
from theact_tui.packs.files import GAME, PackDraft
from theact_tui.packs.listing import PackEntry, shipped_folder
from theact_tui.packs.loader import examine_pack
from theact_tui.paths import incoming_folder
from theact_tui.story.pack import GameInfo
from theact_tui.text import is_slug, one_line

_FIRST = ("lost-island", "horsell-pit", "salt-road", "guest-in-nine")
"""Shipped packs in the order for a newcomer."""


def find_packs(home_packs: Path) -> list[PackEntry]:
    """List the shipped packs, then the user's own by title, broken ones last. Never raises."""
    own, shipped = _by_id(home_packs), _shipped(shipped_folder())
    entries = [entry for id, entry in shipped.items() if id not in own]
    for id, folder in own.items():
        entry = replace(_entry(folder, shipped=False), replaces_shipped=id in shipped)
        if entry.id != id:
            reason = f"has the same id as the pack in the folder {quoted(own[entry.id].name)}"
            entry = replace(entry, id=id, broken=reason)
        entries.append(entry)
    return sorted(entries, key=_place)


def pack_folder(home_packs: Path, pack: str) -> Path:
    """Return a pack's folder by id, path or title. Raises UsageError."""
    folders = _by_id(shipped_folder()) | _by_id(home_packs)
    if pack in folders:
        return folders[pack]
    folder = Path(pack)
    if pack and "\0" not in pack and folder.is_dir():
        return folder.resolve()
    games = {id: PackDraft(path).read(GameInfo, GAME) for id, path in folders.items()}
    titles = {id: one_line(game.title) for id, game in games.items() if game and one_line(game.title)}
    titled = [id for id, title in titles.items() if title.casefold() == one_line(pack).casefold()]
    if len(titled) == 1:
        return folders[titled[0]]
    if titled:
        raise UsageError(f"Several packs are called {quoted(pack)}: {', '.join(sorted(titled))}. Use an id.")
    near = nearest(pack, folders) or nearest(pack, titles.values())
    hint = f" Did you mean '{near}'?" if near else ""
    raise UsageError(f"There is no pack {quoted(pack)}.{hint} `theact-tui packs` lists them.")


@cache
def _shipped(folder: Path) -> dict[str, PackEntry]:
    return {id: _entry(path, shipped=True) for id, path in _by_id(folder).items()}


def _by_id(folder: Path) -> dict[str, Path]:
    """Return pack folders by id, from `game.yaml`. Of several with the same id, all but one go by their folder's name."""
    try:
        paths = sorted(
            path for path in folder.iterdir() if path.is_dir() and not path.name.startswith((".", "_"))
        )
    except OSError:
        return {}
    ids = {path: _id_of(path, PackDraft(path).read(GameInfo, GAME)) for path in paths}
    folders: dict[str, Path] = {}
    for path in sorted(paths, key=lambda path: (path.name != ids[path], path)):
        names = chain((ids[path], path.name), (f"{path.name}-{n}" for n in count(2)))
        folders[next(name for name in names if name not in folders)] = path
    return folders


def _id_of(folder: Path, game: GameInfo | None) -> str:
    return game.id if game and is_slug(game.id) else one_line(folder.name)


def _place(entry: PackEntry) -> tuple[bool, int, str, str]:
    shipped = _FIRST.index(entry.id) if entry.id in _FIRST else len(_FIRST)
    return entry.broken is not None, shipped, entry.title.casefold(), entry.id


def _entry(folder: Path, shipped: bool) -> PackEntry:
    draft = examine_pack(folder)
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
        player=(game.player.name, game.player.description),
        chapters=tuple(chapter.title for chapter in draft.chapters.values()),
        memory=game.memory,
        keeper=game.keeper,
        plays_offline=draft.script is not None,
    )


_STARTER = Path(__file__).parent / "starter"


def create_pack(packs: Path, id: str) -> Path:
    """Raises UsageError for a bad or taken id."""
    if not is_slug(id):
        raise UsageError(f"{quoted(id)} cannot be an id. Use lower-case letters, digits, '-' and '_'.")
    folder = packs / id
    if folder.exists() or folder.is_symlink():
        raise UsageError(f"There is already a folder {folder}. Choose another id, or remove it first.")
    title = re.sub("[-_]+", " ", id).capitalize()
    if len(title) < 6 or not title.replace(" ", "").isalpha():
        title = f'"{title}"'  # numbers, and words such as no and true, are not text in YAML
    packs.mkdir(parents=True, exist_ok=True, mode=0o700)
    with incoming_folder(packs) as scratch:
        starter = scratch / id
        for source in sorted(_STARTER.rglob("*.yaml")):
            target = starter / source.relative_to(_STARTER)
            target.parent.mkdir(parents=True, exist_ok=True)
            text = source.read_text("utf-8")
            text = text.replace("starter-id", id).replace("title: Halfway", f"title: {title}")
            target.write_text(text, "utf-8")
        return starter.rename(folder)
