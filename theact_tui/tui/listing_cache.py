import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, fields
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import theact_tui
from theact_tui.packs.listing import PackEntry, shipped_folder
from theact_tui.paths import Home, Remembered
from theact_tui.saves.listing import SaveEntry, list_folders, newest_first


class ListingCache:
    def __init__(self, home: Home) -> None:
        self._home = home
        self._memory = Remembered(home.cache / "listing.json")
        names = (field.name for kind in (SaveEntry, PackEntry) for field in fields(kind))
        self._program = [*names, _fact(Path(theact_tui.__file__))]
        """Changes with each installed version."""

    def saves(self) -> list[SaveEntry]:
        """Last played first, broken ones last."""
        folders = list_folders(self._home.saves)
        cached = self._memory.get("saves") if folders else {}
        rows = {
            folder.name: self._row(cached.get(folder.name), [folder / ".git"], partial(_read_save, folder))
            for folder in folders
        }
        self._memory.put("saves", {name: row for name, row in rows.items() if not row["value"]["broken"]})
        return newest_first(SaveEntry(**row["value"]) for row in rows.values())

    def packs(self) -> list[PackEntry]:
        """By title, broken ones last; the user's own replace shipped ones of the same id."""
        own = self._home.packs
        folders = [*sorted(shipped_folder().glob("*")), *sorted(own.glob("*"))]
        row = self._row(self._memory.get("packs"), folders, partial(_read_packs, own))
        packs = [_pack(value) for value in row["value"]]
        if not any(pack.broken for pack in packs):
            self._memory.put("packs", row)
        return packs

    def _row(self, cached: Any, folders: Iterable[Path], read: Callable[[], Any]) -> dict[str, Any]:
        """Return `cached` if program, files and seal are unchanged, else a new row."""
        files = [*self._program, *(fact for folder in folders for fact in _files(folder))]
        if isinstance(cached, dict) and cached.get("seal") == _seal(files, cached.get("value")):
            return cached
        value = read()
        return {"value": value, "seal": _seal(files, value)}


def _files(folder: Path) -> Iterator[str]:
    for root, folders, names in os.walk(folder):
        folders.sort()
        yield root
        for name in sorted(names):
            with suppress(OSError):
                yield _fact(Path(root, name))


def _fact(path: Path) -> str:
    file = path.lstat()
    return f"{path.name} {file.st_mode} {file.st_ino} {file.st_size} {file.st_mtime_ns}"


def _seal(files: list[str], value: Any) -> str:
    return sha256(json.dumps([files, value], sort_keys=True).encode()).hexdigest()


def _read_save(folder: Path) -> dict[str, Any]:
    from theact_tui.saves.library import entry_of

    return asdict(entry_of(folder))


def _read_packs(own: Path) -> list[dict[str, Any]]:
    shipped = shipped_folder()
    if not any(own.glob("*")):
        with suppress(OSError, ValueError, KeyError, TypeError):
            listing = json.loads((shipped / "listing.json").read_text("utf-8"))
            if listing["seal"] == content_seal():
                return [{**pack, "folder": str(shipped / pack["id"])} for pack in listing["packs"]]
    from theact_tui.packs.library import find_packs

    return [{**asdict(pack), "folder": str(pack.folder)} for pack in find_packs(own)]


def content_seal() -> str:
    """Seal of all shipped packs; while it holds, the first start reads `listing.json` instead."""
    files = sorted(shipped_folder().glob("*/**/*.yaml"))
    return sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


def _pack(value: dict[str, Any]) -> PackEntry:
    lists = {name: tuple(value[name]) for name in ("chapters", "player")}
    cast = tuple((name, role) for name, role in value["cast"])
    return PackEntry(**{**value, **lists, "cast": cast, "folder": Path(value["folder"])})
