"""A pack as far as it can be read: what is there, and what is wrong with each file taken by itself (S2)."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel

from theact_tui.packs.document import Document, Where, broken, read_document, read_text
from theact_tui.packs.findings import BrokenPack, Finding, did_you_mean, quoted
from theact_tui.packs.schema import validated
from theact_tui.story.pack import Chapter, Character, GameInfo, World
from theact_tui.story.script import Script
from theact_tui.text import clean, is_slug

GAME, WORLD, STORYTELLER = "game.yaml", "world.yaml", "storyteller.yaml"
MAX_PROMPT_BYTES = 20_000

Part = TypeVar("Part", bound=BaseModel)


@dataclass
class Draft:
    """What could be read of a pack. A part that is missing or broken is None or left out, and has a finding."""

    folder: Path
    game: GameInfo | None = None
    world: World | None = None
    characters: dict[str, Character] = field(default_factory=dict)
    chapters: dict[str, Chapter] = field(default_factory=dict)
    script: Script | None = None
    prompts: dict[str, str] = field(default_factory=dict)
    known: dict[str, list[str]] = field(default_factory=dict)
    """Ids of `characters` and `chapters` that are listed or have a file; what else is named is unknown."""
    documents: dict[str, Document] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)

    def error(self, file: str, where: Where, message: str) -> None:
        """Notes an error at a value of a file."""
        self.findings.append(Finding("error", file, self._line(file, where), _dotted(where), message))

    def warn(self, file: str, where: Where, message: str) -> None:
        """Notes a warning at a value of a file."""
        self.findings.append(Finding("warning", file, self._line(file, where), _dotted(where), message))

    def error_at(self, file: str, line: int | None, message: str) -> None:
        """Notes an error at a line, counted from 1, of a file that holds no fields."""
        self.findings.append(Finding("error", file, line, "", message))

    def _line(self, file: str, where: Where) -> int | None:
        document = self.documents.get(file)
        return document.line(where) if document else None

    def read(self, model: type[Part], file: str) -> Part | None:
        """The part of the pack in `file`, or None with findings."""
        try:
            document = self.documents[file] = read_document(self.folder, file)
        except BrokenPack as error:
            self.findings.append(error.finding)
            return None
        match validated(model, document):
            case list() as findings:
                self.findings.extend(findings)
                return None
            case part:
                return part


def read_draft(folder: Path) -> Draft:
    """Reads every file of the pack in `folder`. Never raises."""
    draft = Draft(folder)
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
    if _exists(folder / STORYTELLER):
        draft.script = draft.read(Script, STORYTELLER)
    _read_prompts(draft)
    return draft


def character_file(id: str) -> str:
    """Where a character's card is, inside the pack."""
    return f"characters/{id}.yaml"


def chapter_file(id: str) -> str:
    """Where a chapter is, inside the pack."""
    return f"chapters/{id}.yaml"


def _ids(draft: Draft, kind: str, listed: tuple[str, ...] | None) -> list[str]:
    """The ids to read: those `game.yaml` lists, or, without it, those of the files. Only ids that are safe names."""
    stems = _stems(draft, kind)
    draft.known[kind] = list(dict.fromkeys((*(listed or ()), *stems)))
    if listed is None:
        return [stem for stem in stems if is_slug(stem)]
    good: list[str] = []
    for position, id in enumerate(listed):
        where = (kind, position)
        if not is_slug(id):
            draft.error(
                GAME, where, f"{quoted(id)} cannot be an id; use lower-case letters, digits, '-' and '_'"
            )
        elif id in good:
            draft.error(GAME, where, f"{quoted(id)} is listed twice")
        elif id not in stems:
            near = did_you_mean(id, (stem for stem in stems if stem not in listed))
            draft.error(GAME, where, f"the file {kind}/{id}.yaml is missing{near}")
        else:
            good.append(id)
    for stem in stems:
        if stem not in listed:
            draft.error(f"{kind}/{stem}.yaml", (), f"is not listed under '{kind}' in {GAME}")
    return good


def _stems(draft: Draft, kind: str) -> list[str]:
    """Names of the YAML files in a subfolder of the pack, without their ending."""
    folder = draft.folder / kind
    try:
        if not folder.resolve().is_relative_to(draft.folder.resolve()):
            raise broken(kind, None, "leads out of the pack; a pack may only use its own files")
        names = sorted(clean(path.name) for path in folder.iterdir()) if folder.is_dir() else []
    except BrokenPack as error:
        draft.findings.append(error.finding)
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


def _read_prompts(draft: Draft) -> None:
    folder = draft.folder / "prompts"
    if not _exists(folder):
        return
    try:
        names = sorted(path.name for path in folder.iterdir())
        for name in names:
            if name.endswith(".txt"):
                text = read_text(draft.folder, f"prompts/{name}", MAX_PROMPT_BYTES)
                draft.prompts[clean(name.removesuffix(".txt"))] = clean(text)
    except BrokenPack as error:
        draft.findings.append(error.finding)
    except OSError as error:
        draft.error_at("prompts", None, f"cannot be read: {error}")


def _exists(path: Path) -> bool:
    """True if something of that name is there, be it a link to nowhere."""
    return path.is_symlink() or path.exists()


def _dotted(where: Where) -> str:
    return ".".join(str(step) for step in where)
