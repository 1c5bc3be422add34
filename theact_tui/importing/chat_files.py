import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from theact_tui.errors import UsageError
from theact_tui.importing import json_chats
from theact_tui.importing.chat import MAX_MESSAGES, UNNAMED_PLAYER, Chat, name_of
from theact_tui.importing.conversations import read_conversations
from theact_tui.importing.detect import Payload, unpack
from theact_tui.importing.read_untrusted import decode, items, read_limited
from theact_tui.importing.report import LeftOut, document_words, words_left_out
from theact_tui.importing.sillytavern import read_sillytavern
from theact_tui.text import slug

_READERS: dict[str, Callable[[Any, str], Iterator[Chat]]] = {
    "chat": read_sillytavern,
    "textgen-chat": json_chats.read_textgen,
    "agnai-chat": json_chats.read_agnai,
    "cai-chat": json_chats.read_cai,
    "risu-chat": json_chats.read_risu,
    "conversations": read_conversations,
    "talemate": json_chats.read_talemate,
    "kobold": json_chats.read_kobold,
    "kobold-share": json_chats.read_share,
    "backyard": json_chats.read_backyard,
    "backyard-chat": json_chats.read_backyard,
    "novelai-story": json_chats.read_novelai,
}
"""Kobold's decide themselves which files to keep."""
MAX_FILES_PER_FOLDER = 20_000


def read_chats(paths: Iterable[Path]) -> tuple[list[Chat], tuple[str, ...]]:
    """Read the chats in files and folders; also return sentences about other files. Raises UsageError."""
    chats: list[Chat] = []
    left: list[str] = []
    groups: list[dict[str, Any]] = []

    def read(path: Path) -> list[Chat]:
        data = read_limited(path)
        payload = unpack(data, path.name)
        if payload.kind != "group":
            return chats_in(payload, path, data)
        groups.append(payload.value)
        return []

    for path in paths:
        if not path.is_dir():
            file_chats = read(path)
            chats += file_chats or [chat for file in _chats_of(groups[-1], path) for chat in read(file)]
            continue
        file_chats = []
        for file in files_in(path):
            try:
                file_chats += read(file)
            except UsageError as error:
                left.append(error.message)
        if not file_chats:
            raise UsageError(f"There is nothing to import in the folder {path.absolute().name}.")
        chats += file_chats
    used = ("name", "members", "disabled_members", "chats")
    left += words_left_out(
        groups, (document_words({"": group.get(field)}) for group in groups for field in used)
    )
    unique = {(chat.source, chat.original, chat.messages): chat for chat in chats}
    return _numbered([_with_group(chat, groups) for chat in unique.values()]), tuple(left)


def _chats_of(group: dict[str, Any], path: Path) -> list[Path]:
    """Find a group's chat files in SillyTavern's folder, or beside it. Raises UsageError without any."""
    names = {f"{name}.jsonl" for name in items(group.get("chats")) if isinstance(name, str)}
    folders = [path.absolute().parent.parent / "group chats", path.absolute().parent]
    files = [file for folder in folders if folder.is_dir() for file in files_in(folder) if file.name in names]
    if not files:
        raise UsageError(
            f"{path.name} only lists the chats of a group. Import those from the folder 'group chats'."
        )
    return files


def _with_group(chat: Chat, groups: Iterable[dict[str, Any]]) -> Chat:
    stem = chat.source.removesuffix(".jsonl")
    for group in groups:
        if stem in items(group.get("chats")):
            members = {str(member) for member in items(group.get("disabled_members"))}
            muted = {slug(member.rsplit(".", 1)[0]) for member in members}
            muted |= {slug(message.name) for message in chat.messages if message.avatar in members}
            away = tuple(name for name in chat.cast if slug(name) in muted)
            return replace(chat, away=away, title=chat.title or name_of(group.get("name")))
    return chat


def chats_in(payload: Payload, path: Path, data: bytes) -> list[Chat]:
    """Raises UsageError without chats, or for one that is too long."""
    try:
        if payload.kind not in _READERS:
            raise UsageError(f"It is a {payload.kind}, not a chat.")
        chats = [chat for chat in _READERS[payload.kind](payload.value, path.name) if chat.messages]
        if not chats:
            raise UsageError("It is a chat without any messages.")
        for chat in chats:
            if len(chat.messages) > MAX_MESSAGES:
                raise UsageError(f"{chat.source} has more than {MAX_MESSAGES:,} messages.")
    except UsageError as error:
        raise UsageError(f"{path.name} cannot be imported. {error.message}") from None
    is_text = not (payload.archive or payload.picture)
    original = (
        "" if payload.kind.startswith("kobold") else decode(data) if is_text else json.dumps(payload.value)
    )
    written = path.stat().st_mtime
    notes = tuple(map(LeftOut, payload.notes))
    return [
        replace(
            chat,
            player=chat.player or UNNAMED_PLAYER,
            left_out=chat.left_out if place else (*chat.left_out, *notes),
            written=written - place,
            original=chat.original or ("" if place else original),
        )
        for place, chat in enumerate(chats)
    ]


def documents_in(original: str) -> Iterator[Any]:
    """Yield one document, or one per line."""
    try:
        yield json.loads(original)
    except (ValueError, RecursionError):
        for line in original.split("\n"):
            with suppress(ValueError, RecursionError):
                yield json.loads(line)


def inside(folder: Path) -> Iterator[Path]:
    """List a folder without hidden names and links that lead out."""
    links = {*links_out(folder)}
    return (path for path in folder.iterdir() if not path.name.startswith(".") and path not in links)


def links_out(folder: Path) -> list[Path]:
    top = folder.resolve()
    links = (path for path in folder.iterdir() if path.is_symlink())
    return sorted(path for path in links if not path.resolve().is_relative_to(top))


def files_in(folder: Path) -> list[Path]:
    """List visible files by name. Raises UsageError if unreadable or too many."""
    try:
        files = sorted(path for path in inside(folder) if path.is_file())
    except OSError as error:
        raise UsageError(f"{folder} could not be read: {error.strerror or error}.") from error
    if len(files) > MAX_FILES_PER_FOLDER:
        raise UsageError(
            f"There are more than {MAX_FILES_PER_FOLDER:,} files in the folder {folder.name}. Import it in parts, a "
            "folder each."
        )
    return files


def _numbered(chats: list[Chat]) -> list[Chat]:
    chats_by_name: dict[str, Chat] = {}
    for chat in chats:
        name = chat.source
        while name in chats_by_name:
            name += "'"
        chats_by_name[name] = chat if name == chat.source else replace(chat, source=name)
    return list(chats_by_name.values())
