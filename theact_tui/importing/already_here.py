"""Find the user's packs and saves made from the same files, by their stored originals."""

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
from theact_tui.saves.git_objects import blob_id
from theact_tui.saves.history import Timeline
from theact_tui.saves.library import Library

_PASSING = ("chat", "avatar", "create_date", "modification_date", "fav", "talkativeness")
"""Card fields that SillyTavern changes while playing."""


@dataclass(frozen=True)
class AlreadyHere:
    """State before an import, read on first use."""

    library: Library
    own: Iterable[PackEntry]

    def pack(self, plan: PackPlan) -> str:
        """Return the pack made from these files and the fewest others, or ""."""
        wanted = {digest for name, data in plan.contents.items() if (digest := _digest(name, data))}
        fitting = [id for id, originals in self._packs.items() if wanted and wanted <= originals]
        return min(fitting, key=lambda id: len(self._packs[id]), default="")

    def saves(self, chats: Iterable[Chat]) -> dict[str, str]:
        wanted = {chat.source: {*map(blob_id, original_parts(chat))} for chat in chats}
        matches = {
            source: next((name for name, originals in self._saves.items() if ids <= originals), "")
            for source, ids in wanted.items()
            if ids
        }
        if matches and all(matches.values()):  # further chats of a file keep no original of their own
            matches |= {source: next(iter(matches.values())) for source in wanted if source not in matches}
        return {source: name for source, name in matches.items() if name}

    @cached_property
    def _packs(self) -> dict[str, set[str]]:
        originals: dict[str, set[str]] = {}
        for entry in self.own:
            files = sorted((entry.folder / "imported").glob("*.json"))
            originals[entry.id] = {_digest(f"imported/{file.name}", _read(file)) for file in files}
        return originals

    @cached_property
    def _saves(self) -> dict[str, set[str]]:
        return {name: _originals(self.library.folder / name) for name in self.library.names()}


def _digest(name: str, data: bytes) -> str:
    if not (name.startswith("imported/") and name.endswith(".json")):
        return ""
    try:
        value: Any = json_in(data)
    except UsageError:
        value = None
    content = table(value).get("data") or value
    if isinstance(content, Mapping):
        extensions = {**table(content.get("extensions"))}
        extensions = {key: field_value for key, field_value in extensions.items() if key not in _PASSING}
        content = {key: field_value for key, field_value in content.items() if key not in _PASSING} | {
            "extensions": extensions
        }
    return sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _read(file: Path) -> bytes:
    with suppress(OSError):
        return file.read_bytes()
    return b""


def _originals(folder: Path) -> set[str]:
    from theact_tui.saves.repository import Repository

    try:
        with closing(Repository(folder / ".git")) as repository:
            version = Timeline.current(repository).version
            ids = (version.id(f"imported/{name}") for name in version.names("imported"))
            return {id for id in ids if id}
    except Exception:  # a hostile save can fail in any way, and is not what is imported
        return set()
