"""Read the files of a pack (S2)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from theact_tui.field_errors import did_you_mean, nearest, quoted
from theact_tui.packs.diagnostics import MAX_FINDINGS, Finding, PackError
from theact_tui.packs.reader import Document, Part, broken, read_document, read_text, validated
from theact_tui.story.lore import LoreEntry
from theact_tui.story.pack import Chapter, Character, GameInfo, World
from theact_tui.story.script import Script
from theact_tui.story.value import Value
from theact_tui.text import clean, is_slug
from theact_tui.yaml import Where

_MORE = f"more than {MAX_FINDINGS} findings; the rest is omitted"
GAME, WORLD, STORYTELLER = "game.yaml", "world.yaml", "storyteller.yaml"
GENERATED_HEAD = "# Made by theact-tui from the pack's other files"
"""Head of a `storyteller.yaml` that the program may write again."""
_MAX_PROMPT_BYTES = 20_000
_MAX_LISTED = 200


class LoreBook(Value):
    entries: tuple[LoreEntry, ...]


@dataclass
class PackDraft:
    """Readable parts of a pack. A missing or broken part is None or left out, and has a finding."""

    folder: Path
    game: GameInfo | None = None
    world: World | None = None
    characters: dict[str, Character] = field(default_factory=dict)
    chapters: dict[str, Chapter] = field(default_factory=dict)
    script: Script | None = None
    prompts: dict[str, str] = field(default_factory=dict)
    known: dict[str, list[str]] = field(default_factory=dict)
    """Listed or existing ids of `characters` and `chapters`."""
    documents: dict[str, Document] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    lore: dict[str, tuple[LoreEntry, ...]] = field(default_factory=dict)
    _invalid: set[tuple[str, str]] = field(default_factory=set)
    """Files and fields left out."""

    def error(self, file: str, where: Where, message: str) -> None:
        """Add an error at a value, unless its field is invalid anyway."""
        self._judge("error", file, where, message)

    def warn(self, file: str, where: Where, message: str) -> None:
        self._judge("warning", file, where, message)

    def error_at(self, file: str, line: int | None, message: str) -> None:
        """Add an error at a line, from 1, of a file without fields."""
        self.note(Finding("error", file, line, "", message))

    def note(self, *findings: Finding) -> None:
        room = MAX_FINDINGS - len(self.findings)
        self.findings.extend(findings[: max(0, room)])
        if len(findings) > room and self.findings[-1].message != _MORE:
            self.findings.append(Finding("error", "", None, "", _MORE))

    def _judge(self, level: Literal["error", "warning"], file: str, where: Where, message: str) -> None:
        if not where or (file, str(where[0])) not in self._invalid:
            line = self.documents[file].line(where) if file in self.documents else None
            self.note(Finding(level, file, line, ".".join(map(str, where)), message))

    def read(self, model: type[Part], file: str) -> Part | None:
        """Read the valid part of `file`; add its findings."""
        try:
            document = _as_book(read_document(self.folder, file))
        except PackError as error:
            self.note(*error.findings)
            return None
        self.documents[file] = document
        part, findings = validated(model, document)
        self.note(*findings)
        self._invalid |= {(file, finding.field.partition(".")[0]) for finding in findings}
        return part


def read_draft(folder: Path) -> PackDraft:
    """Read every file of the pack in `folder`. Never raises."""
    draft = PackDraft(folder)
    if not folder.is_dir():
        draft.error_at("", None, f"there is no folder {quoted(folder)}")
        return draft
    draft.game = draft.read(GameInfo, GAME)
    draft.world = draft.read(World, WORLD)
    listed = draft.game
    for id in _ids(draft, "characters", listed.characters if listed else None):
        if character := draft.read(Character, character_file(id)):
            draft.characters[id] = character
    for id in _ids(draft, "chapters", listed.chapters if listed else None):
        if chapter := draft.read(Chapter, chapter_file(id)):
            draft.chapters[id] = chapter
    for book in _stems(draft, "lore")[:_MAX_LISTED]:
        if not is_slug(book):
            draft.error(lore_file(book), (), "must be named with lower-case letters, digits, '-' and '_'")
        elif lore_book := draft.read(LoreBook, lore_file(book)):
            draft.lore[book] = lore_book.entries
    if _exists(folder / STORYTELLER) and not has_generated_script(folder):
        draft.script = draft.read(Script, STORYTELLER)
    _read_prompts(draft)
    return draft


def has_generated_script(folder: Path) -> bool:
    """True if the program wrote `storyteller.yaml` from the other files."""
    try:
        return read_text(folder, STORYTELLER).startswith(GENERATED_HEAD)
    except PackError:
        return False


def character_file(id: str) -> str:
    return f"characters/{id}.yaml"


def chapter_file(id: str) -> str:
    return f"chapters/{id}.yaml"


def lore_file(book: str) -> str:
    return f"lore/{book}.yaml"


def write_files(folder: Path, contents: Mapping[str, bytes]) -> None:
    for name, data in contents.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)


def _as_book(document: Document) -> Document:
    if not isinstance(document.value, list):
        return document
    lines = {("entries", *where): line for where, line in document.lines.items()}
    return Document(document.file, {"entries": document.value}, lines, document.slips)


def _ids(draft: PackDraft, kind: str, listed: tuple[str, ...] | None) -> list[str]:
    """Return the safe ids to read: those in `game.yaml`, or without it those of the files."""
    stems = _stems(draft, kind)
    if max(len(stems), len(listed or ())) > _MAX_LISTED:
        draft.error(GAME, (kind,), f"more than {_MAX_LISTED} {kind}, which is more than a pack may have")
        stems, listed = stems[:_MAX_LISTED], listed and listed[:_MAX_LISTED]
    draft.known[kind] = list(dict.fromkeys((*(listed or ()), *stems)))
    if listed is None:
        return [stem for stem in stems if is_slug(stem)]
    good: list[str] = []
    suggested: set[str | None] = set()
    for position, id in enumerate(listed):
        where = (kind, position)
        if not is_slug(id):
            draft.error(
                GAME, where, f"{quoted(id)} cannot be an id; use lower-case letters, digits, '-' and '_'"
            )
        elif id in good:
            draft.error(GAME, where, f"{quoted(id)} is listed twice")
        elif id not in stems:
            unlisted = [stem for stem in stems if stem not in listed]
            suggested.add(nearest(id, unlisted))
            draft.error(GAME, where, f"the file {kind}/{id}.yaml is missing{did_you_mean(id, unlisted)}")
        else:
            good.append(id)
    for stem in stems:
        if stem not in listed and stem not in suggested:
            draft.error(f"{kind}/{stem}.yaml", (), f"is not listed under '{kind}' in {GAME}")
    return good


def _stems(draft: PackDraft, kind: str) -> list[str]:
    folder = draft.folder / kind
    try:
        if not folder.resolve().is_relative_to(draft.folder.resolve()):
            raise broken(kind, None, "is outside the pack; a pack may only use its own files")
        names = sorted(clean(path.name) for path in folder.iterdir()) if folder.is_dir() else []
    except PackError as error:
        draft.note(*error.findings)
        return []
    except (OSError, RuntimeError) as error:
        draft.error_at(kind, None, f"cannot be read: {error}")
        return []
    for name in names:
        if name.endswith(".yml"):
            draft.error(f"{kind}/{name}", (), "must end in .yaml to be found")
    return [
        name.removesuffix(".yaml") for name in names if name.endswith(".yaml") and not name.startswith(".")
    ]


def _read_prompts(draft: PackDraft) -> None:
    folder = draft.folder / "prompts"
    if not _exists(folder):
        return
    try:
        names = sorted(path.name for path in folder.iterdir())
        for name in names:
            if name.endswith(".txt"):
                text = read_text(draft.folder, f"prompts/{name}", _MAX_PROMPT_BYTES)
                draft.prompts[clean(name.removesuffix(".txt"))] = clean(text)
    except PackError as error:
        draft.note(*error.findings)
    except OSError as error:
        draft.error_at("prompts", None, f"cannot be read: {error}")


def _exists(path: Path) -> bool:
    """True also for a dangling link."""
    return path.is_symlink() or path.exists()
