"""Files and folders of chats: which of them are chats, and the chats in them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from theact_tui.errors import UsageError
from theact_tui.importing.chat import Chat, name_of
from theact_tui.importing.detect import CHAT_KINDS, Payload, unpack
from theact_tui.importing.kobold import read_kobold, unpack_share
from theact_tui.importing.logs import read_log
from theact_tui.importing.reading import decode, items, read_file
from theact_tui.importing.sillytavern import read_sillytavern
from theact_tui.text import slug

_KEPT = tuple(kind for kind in CHAT_KINDS if not kind.startswith("kobold"))
"""Files that are kept as they came; what is kept of others their reader says."""
MAX_FILES = 1_000
"""Files of one folder."""


def read_chats(paths: Iterable[Path]) -> tuple[list[Chat], tuple[str, ...]]:
    """The chats in files, and in the files of folders; and what in a folder is no chat, in sentences. A file that names
    a group brings the chats of the group with it, and says who is away.

    UsageError for a file that is none, and for a folder without any.
    """
    chats: list[Chat] = []
    left: list[str] = []
    groups: list[dict[str, Any]] = []

    def read(path: Path) -> list[Chat]:
        data = read_file(path)
        payload = unpack(data, path.name)
        if payload.kind != "group":
            return chats_in(payload, path, data)
        groups.append(payload.value)
        return []

    for path in paths:
        if not path.is_dir():
            found = read(path)
            chats += found or [chat for file in _chats_of(groups[-1], path) for chat in read(file)]
            continue
        found = []
        for file in files_in(path):
            try:
                found += read(file)
            except UsageError as error:
                left.append(error.message)
        if not found:
            raise UsageError(f"There is nothing to import in the folder {path.absolute().name}.")
        chats += found
    unique = {(chat.source, chat.original): chat for chat in chats}
    return _numbered([_with_group(chat, groups) for chat in unique.values()]), tuple(left)


def _chats_of(group: dict[str, Any], path: Path) -> list[Path]:
    """The files of a group's chats, from the folder where SillyTavern has them, or beside it. UsageError without any."""
    names = {f"{name}.jsonl" for name in items(group.get("chats")) if isinstance(name, str)}
    folders = [path.absolute().parent.parent / "group chats", path.absolute().parent]
    found = [file for folder in folders if folder.is_dir() for file in files_in(folder) if file.name in names]
    if not found:
        raise UsageError(
            f"{path.name} only lists the chats of a group. Import those from the folder 'group chats'."
        )
    return found


def _with_group(chat: Chat, groups: Iterable[dict[str, Any]]) -> Chat:
    """A chat with what its group says: who is muted is away when the story goes on."""
    stem = chat.source.removesuffix(".jsonl")
    for group in groups:
        if stem in items(group.get("chats")):
            muted = {slug(str(each).rsplit(".", 1)[0]) for each in items(group.get("disabled_members"))}
            away = tuple(name for name in chat.cast if slug(name) in muted)
            return replace(chat, away=away, title=chat.title or name_of(group.get("name")))
    return chat


def chats_in(payload: Payload, path: Path, data: bytes) -> list[Chat]:
    """The chats in a file. UsageError if it has none."""
    try:
        match payload.kind:
            case "chat":
                found = [read_sillytavern(payload.value, path.name)]
            case "kobold":
                found = read_kobold(payload.value, path.name)
            case "kobold-share":
                found = read_kobold(unpack_share(payload.value), path.name)
            case kind if kind in CHAT_KINDS:
                found = read_log(kind, payload.value, path.name)
            case kind:
                raise UsageError(f"It is a {kind}, not a chat.")
    except UsageError as error:
        raise UsageError(f"{path.name} cannot be imported. {error.message}") from None
    kept, written = decode(data), path.stat().st_mtime
    return [
        replace(
            chat,
            written=written - place,
            original=chat.original or (kept if payload.kind in _KEPT and not place else ""),
        )
        for place, chat in enumerate(found)
    ]


def files_in(folder: Path) -> list[Path]:
    """The files in a folder, without hidden ones, by name. UsageError if it cannot be read or has too many."""
    try:
        found = sorted(path for path in folder.iterdir() if path.is_file() and not path.name.startswith("."))
    except OSError as error:
        raise UsageError(f"{folder} could not be read: {error.strerror or error}.") from error
    if len(found) > MAX_FILES:
        raise UsageError(f"There are more than {MAX_FILES:,} files in the folder {folder.name}.")
    return found


def _numbered(chats: list[Chat]) -> list[Chat]:
    """The chats, each under another name."""
    made: dict[str, Chat] = {}
    for chat in chats:
        name = chat.source
        while name in made:
            name += "'"
        made[name] = chat if name == chat.source else replace(chat, source=name)
    return list(made.values())
