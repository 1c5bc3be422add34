"""Group files and folders into parts. A SillyTavern data folder has `characters` and `chats`, up to two levels down."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from theact_tui.errors import UsageError
from theact_tui.importing.chat import Chat, name_of
from theact_tui.importing.chat_files import MAX_FILES_PER_FOLDER, chats_in, files_in, inside, links_out
from theact_tui.importing.conversations import conversations_in
from theact_tui.importing.detect import CARD_KINDS, Payload
from theact_tui.importing.json_chats import read_backyard
from theact_tui.importing.plan_card_import import SourceFile, questions_of, source_file
from theact_tui.importing.read_untrusted import items, json_in, read_limited, table
from theact_tui.story.cast import MAX_CAST
from theact_tui.text import clean, counted, one_line


@dataclass(frozen=True, slots=True)
class FilePart:
    title: str
    files: tuple[Path, ...] = ()
    chats: tuple[Path, ...] = ()
    worlds: Mapping[str, Path] = field(default_factory=dict)
    """Lorebooks by the name in cards."""
    place: int | None = None
    """Index among a file's scenarios."""
    questions: tuple[str, ...] = ()
    conversation: tuple[Chat, ...] = ()
    """One of several in its file, read already."""

    def sources(self) -> list[SourceFile]:
        """Read the files, with lorebooks named by cards."""
        sources = [source_file(path) for path in self.files]
        if self.place is not None:
            scene = sources[0].payload.value[self.place]
            sources = [replace(sources[0], payload=replace(sources[0].payload, value=[scene]))]
        cards = (table(file.payload.value) for file in sources if file.payload.kind == "card")
        inside = (table(table(card.get("data")).get("extensions")) for card in cards)
        named = dict.fromkeys(str(extensions.get("world")) for extensions in inside)
        return [*sources, *(source_file(self.worlds[name]) for name in named if name in self.worlds)]


@dataclass(frozen=True, slots=True)
class GroupedFiles:
    parts: tuple[FilePart, ...]
    left_out: tuple[str, ...] = ()
    books: tuple[Path, ...] = ()
    """Used only if a card names them."""
    personas: Mapping[str, str] = field(default_factory=dict)
    """Descriptions by name."""

    @property
    def counts(self) -> tuple[tuple[str, int], ...]:
        cards = {file for part in self.parts for file in part.files}
        chats = {chat for part in self.parts for chat in part.chats}
        logs = sum(len(files_in(chat)) if chat.is_dir() else 1 for chat in chats)
        return ("card", len(cards)), ("chat", logs), ("lorebook", len(self.books))


def find_parts(paths: Sequence[Path]) -> GroupedFiles:
    """Raises UsageError for an unusable file or an empty folder."""
    if len(paths) == 1 and (folders := _data_folders(paths[0])):
        return _joined([_in_data_folder(folder) for folder in folders])
    if len(paths) == 1 and paths[0].is_dir() and _folders_in(paths[0]):
        return _in_folders(paths[0])
    return _sorted(paths)


def _joined(groups: Sequence[GroupedFiles], left_out: Sequence[str] = ()) -> GroupedFiles:
    return GroupedFiles(
        tuple(part for group in groups for part in group.parts),
        (*left_out, *(line for group in groups for line in group.left_out)),
        tuple(book for group in groups for book in group.books),
        {name: text for group in reversed(groups) for name, text in group.personas.items()},
    )


def _in_folders(top: Path) -> GroupedFiles:
    """Read the files of a folder, and each folder in it."""
    groups, left_out = list[GroupedFiles](), list[str]()
    for folder in [*([top] if files_in(top) else []), *_folders_in(top)[:MAX_FILES_PER_FOLDER]]:
        try:
            groups.append(_sorted([folder]))
            below = _folders_in(folder) if folder != top else []
            left_out += [
                f"{folder.name}/{path.name}: a folder further down; import it by itself." for path in below
            ]
        except UsageError as error:
            left_out.append(error.message)
    if not groups:
        raise UsageError(f"There is nothing to import in the folder {top.absolute().name}.")
    return _joined(groups, left_out)


def _sorted(paths: Sequence[Path]) -> GroupedFiles:
    cards, books, chats, left = list[Path](), list[Path](), list[Path](), list[str]()
    asked: dict[Path, tuple[str, ...]] = {}
    scenes: list[FilePart] = []
    talks: list[Path] = []
    is_folder = any(path.is_dir() for path in paths)
    left += [line for top in paths if top.is_dir() for line in _left_links(top)]
    for path, payload in _readable(paths, is_folder, left):
        if payload.kind == "conversations" and len(values := conversations_in(payload.value)) > 1:
            parts, empty = _conversations(path, payload, values[:MAX_FILES_PER_FOLDER])
            scenes += parts
            left += [f"{path.name}: {counted(empty, 'conversation')} without messages."] if empty else []
            if (more := len(values) - MAX_FILES_PER_FOLDER) > 0:
                left.append(f"{path.name}: {counted(more, 'conversation')} beyond {MAX_FILES_PER_FOLDER:,}.")
            continue
        if payload.kind == "scenario" and len(items(payload.value)) > 1:
            scenes += _scenes(path, payload.value)
            if (more := len(payload.value) - MAX_FILES_PER_FOLDER) > 0:
                left.append(f"{path.name}: {counted(more, 'scenario')} beyond {MAX_FILES_PER_FOLDER:,}.")
            continue
        if payload.kind == "scenario":
            asked[path] = questions_of(next(iter(items(payload.value)), payload.value))
        talks += [path] if payload.kind == "conversations" else []
        target = chats if payload.kind not in CARD_KINDS else books if payload.kind == "lorebook" else cards
        target.append(path)
        if payload.kind == "backyard" and any(read_backyard(payload.value, path.stem)):
            chats.append(path)
    if len(talks) > 1 and not cards:  # unlike chats with one character they do not belong together
        chats = [chat for chat in chats if chat not in talks]
        for talk in talks:
            payload = source_file(talk).payload
            scenes += _conversations(talk, payload, conversations_in(payload.value))[0]
    title = one_line(paths[0].stem)
    if is_folder and len(cards) > MAX_CAST:
        parts = [FilePart(card.stem, (card,), questions=asked.get(card, ())) for card in cards]
        parts += [FilePart(title, chats=tuple(chats))] if chats else []
        return GroupedFiles((*parts, *scenes), tuple(left), tuple(books))
    if scenes and not (cards or chats):
        return GroupedFiles(tuple(scenes), tuple(left), tuple(books))
    if not (cards or books or chats):
        raise UsageError(f"There is nothing to import in the folder {paths[0].absolute().name}.")
    if books and chats and not cards:
        return GroupedFiles((FilePart(title, chats=tuple(chats)), *scenes), tuple(left), tuple(books))
    questions = tuple(question for card in cards for question in asked.get(card, ()))
    whole = FilePart(title, (*cards, *books), tuple(chats), questions=questions)
    return GroupedFiles((whole, *scenes), tuple(left))


def _readable(paths: Sequence[Path], is_folder: bool, left: list[str]) -> Iterator[tuple[Path, Payload]]:
    """Yield files with their payloads; of a folder, `left` gets a sentence on each that cannot be imported."""
    for path in (file for top in paths for file in (files_in(top) if top.is_dir() else [top])):
        try:
            payload = source_file(path).payload
            if payload.kind in ("pack", "story", "archive"):
                raise UsageError(f"{path.name} is a whole {payload.kind}. Import it alone.")
            if is_folder and payload.is_doubtful:
                raise UsageError(
                    f"{path.name} may be something else than a card. Import it alone if it is one."
                )
        except UsageError as error:
            if not is_folder:
                raise
            left.append(error.message)
            continue
        yield path, payload


def _conversations(path: Path, payload: Payload, values: Sequence[Any]) -> tuple[list[FilePart], int]:
    """Return a part for each conversation of a file, and how many have no messages."""
    parts, empty = list[FilePart](), 0
    for place, value in enumerate(values, 1):
        try:
            chats = chats_in(replace(payload, value=value), path, json.dumps(value).encode())
        except UsageError:
            empty += 1
            continue
        title = chats[0].title or (f"{path.stem} {place}" if len(values) > 1 else path.stem)
        parts.append(
            FilePart(title, chats=(path,), conversation=tuple(replace(one, title=title) for one in chats))
        )
    return parts, empty


def _scenes(path: Path, scenarios: Sequence[Any]) -> Iterator[FilePart]:
    for place, scenario in enumerate(scenarios[:MAX_FILES_PER_FOLDER]):
        name = name_of(table(scenario).get("title"), f"{path.stem} {place + 1}")
        yield FilePart(name, (path,), place=place, questions=questions_of(scenario))


# --- data folders -------------------------------------------------------------------------------------------------


def _data_folders(top: Path) -> list[Path]:
    level = [top] if top.is_dir() else []
    for _ in range(3):
        data_folders = [folder for folder in level if _is_data_folder(folder)]
        if data_folders:
            return data_folders
        level = [folder for parent in level for folder in _folders_in(parent)][:MAX_FILES_PER_FOLDER]
    return []


def _is_data_folder(folder: Path) -> bool:
    expected = ("characters", "chats", "worlds", "groups")
    present = {path.name for path in _folders_in(folder)}
    return len(present.intersection(expected)) > 1 and not (folder / "game.yaml").exists()


def _folders_in(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in inside(folder) if path.is_dir())
    except OSError:
        return []


def _left_links(folder: Path) -> list[str]:
    return [f"{path.name}: a link that leads out of the folder {folder.name}." for path in links_out(folder)]


def _in_data_folder(folder: Path) -> GroupedFiles:
    folders = {path.name: path for path in _folders_in(folder)}
    left = _left_links(folder)

    def listed(name: str) -> dict[str, Path]:
        if name in folders:
            left.extend(_left_links(folders[name]))
        files: dict[str, Path] = {}
        for path in files_in(folders[name]) if name in folders else ():
            files[path.name if path.stem in files else path.stem] = path
        return files

    cards, worlds, groups, shared = map(listed, ("characters", "worlds", "groups", "group chats"))
    chats = _folders_in(folders["chats"])[:MAX_FILES_PER_FOLDER] if "chats" in folders else []
    logs = {path.name: path for path in chats if any(files_in(path))}
    parts = [
        FilePart(name, (card,), (logs.pop(name),) if name in logs else (), worlds)
        for name, card in cards.items()
    ]
    parts += [FilePart(name, chats=(log,)) for name, log in logs.items()]
    for file in groups.values():
        try:
            group = table(json_in(read_limited(file)))
        except UsageError as error:
            left.append(f"{file.name} cannot be imported. {error.message}")
            continue
        own = [shared.pop(name) for name in _names(group.get("chats")) if name in shared]
        members = [
            cards[name] for member in _names(group.get("members")) if (name := Path(member).stem) in cards
        ]
        if own:
            people = tuple(members) if len(members) <= MAX_CAST else ()
            parts.append(FilePart(name_of(group.get("name"), file.stem), people, (file,), worlds))
    parts += [FilePart(path.stem, chats=(path,)) for path in (*shared.values(), *listed("rooms").values())]
    if pictures := len(listed("User Avatars")):
        left.append(f"{counted(pictures, 'persona picture')} (personas have no pictures here).")
    settings = next((file for file in files_in(folder) if file.name == "settings.json"), None)
    personas = _personas(settings) if settings else {}
    return GroupedFiles(tuple(parts), tuple(left), tuple(worlds.values()), personas)


def _names(value: Any) -> Iterator[str]:
    return (name for name in items(value) if isinstance(name, str))


def _personas(file: Path) -> dict[str, str]:
    try:
        power = table(table(json_in(read_limited(file))).get("power_user"))
    except UsageError:
        return {}
    descriptions, personas = table(power.get("persona_descriptions")), dict[str, str]()
    for avatar, typed_name in table(power.get("personas")).items():
        text = table(descriptions.get(avatar)).get("description")
        name = one_line(typed_name if isinstance(typed_name, str) else "")
        if isinstance(text, str) and name:
            personas[name] = clean(text).replace("{{user}}", name).strip()
    return personas
