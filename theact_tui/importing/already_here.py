"""Which packs and saves of the user came of the same cards and chats: packs and saves keep the originals they are made of."""

import json
from collections.abc import Iterable, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

from theact_tui.errors import UsageError
from theact_tui.importing.chat import Chat
from theact_tui.importing.pack_file import PackPlan
from theact_tui.importing.read_untrusted import json_in, table
from theact_tui.importing.save_chats import original_parts
from theact_tui.packs.listing import PackEntry
from theact_tui.saves.git_objects import MAIN, blob_id, head_ref, now
from theact_tui.saves.history import Timeline
from theact_tui.saves.library import Library

_PASSING = ("chat", "avatar", "create_date", "modification_date", "fav", "talkativeness")
"""What SillyTavern writes into a card whenever it is played."""


@dataclass(frozen=True)
class AlreadyHere:
    """What was there before an import; read when it is first asked for."""

    library: Library
    own: Iterable[PackEntry]
    """The user's packs."""

    def pack(self, plan: PackPlan) -> str:
        """The pack that was made of the same cards and lorebooks and fewest others; empty if there is none."""
        wanted = {digest for name, data in plan.contents.items() if (digest := _digest(name, data))}
        fitting = [id for id, kept in self._packs.items() if wanted and wanted <= kept]
        return min(fitting, key=lambda id: len(self._packs[id]), default="")

    def saves(self, chats: Iterable[Chat]) -> dict[str, str]:
        """The saves that hold these chats, by the chats' sources."""
        wanted = {chat.source: {*map(blob_id, original_parts(chat))} for chat in chats}
        found = {
            source: next((name for name, kept in self._saves.items() if ids <= kept), "")
            for source, ids in wanted.items()
            if ids
        }
        if found and all(found.values()):  # further chats of a file keep no original of their own
            found |= {source: next(iter(found.values())) for source in wanted if source not in found}
        return {source: name for source, name in found.items() if name}

    @cached_property
    def _packs(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for entry in self.own:
            files = sorted((entry.folder / "imported").glob("*.json"))
            found[entry.id] = {_digest(f"imported/{file.name}", _read(file)) for file in files}
        return found

    @cached_property
    def _saves(self) -> dict[str, set[str]]:
        return {name: _originals(self.library.folder / name) for name in self.library.names()}


def _digest(name: str, data: bytes) -> str:
    """What an original says, whatever its program notes beside that; empty for other files."""
    if not (name.startswith("imported/") and name.endswith(".json")):
        return ""
    try:
        value: Any = json_in(data)
    except UsageError:
        value = None
    said = table(value).get("data") or value
    if isinstance(said, Mapping):
        extensions = {**table(said.get("extensions"))}
        extensions = {key: each for key, each in extensions.items() if key not in _PASSING}
        said = {key: each for key, each in said.items() if key not in _PASSING} | {"extensions": extensions}
    return sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


def _read(file: Path) -> bytes:
    with suppress(OSError):
        return file.read_bytes()
    return b""


def _originals(folder: Path) -> set[str]:
    """The ids of the originals that a save keeps."""
    from theact_tui.saves.repository import Repository

    try:
        with closing(Repository(folder / ".git")) as repository:
            branch = repository.head() or MAIN
            version = Timeline(repository, branch, repository.ref(head_ref(branch)) or "", now).version
            ids = (version.id(f"imported/{name}") for name in version.names("imported"))
            return {id for id in ids if id}
    except Exception:  # a hostile save can fail in any way, and is not what is imported
        return set()
