"""Draft of a pack: a folder like the finished pack's, plus `draft.yaml`."""

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from threading import RLock
from typing import Any, Literal, Self

from pydantic import ValidationError

from theact_tui import yaml
from theact_tui.errors import SaveError, UsageError
from theact_tui.field_errors import quoted
from theact_tui.importing.read_untrusted import items
from theact_tui.packs.diagnostics import Finding, PackError
from theact_tui.packs.files import (
    GAME,
    GENERATED_HEAD,
    STORYTELLER,
    WORLD,
    chapter_file,
    character_file,
    has_generated_script,
    lore_file,
    read_draft,
)
from theact_tui.packs.library import pack_folder
from theact_tui.packs.loader import check_pack, load_pack
from theact_tui.packs.reader import read_document, read_text
from theact_tui.parsing.name_matching import find_id
from theact_tui.paths import Home, private_folder, write_private
from theact_tui.saves.codec import data_of
from theact_tui.sentences import clip
from theact_tui.story.edits import OWN_BOOK
from theact_tui.story.game import Game
from theact_tui.story.lore import NO_PERSON, LoreEntry
from theact_tui.story.names import short_name
from theact_tui.story.pack import Pack
from theact_tui.story.value import Value
from theact_tui.storyteller.stock import complete
from theact_tui.text import flat, is_slug, one_line, slug, unique_slug
from theact_tui.trash import DRAFT, move_to_trash

MOST_CHARACTERS, MOST_CHAPTERS = 7, 12
_HEAD = f"""\
{GENERATED_HEAD}, and again when you change them in the Write screen.
# While the line above stands, nothing here is read. Remove it, and this is what is told without a model.
"""
_SUMMARY_LENGTH = 500
"""Characters."""
_MUST_BE_THERE = {
    GAME: ("title", "description"),
    WORLD: ("setting", "tone", "rules"),
    "characters": ("name", "role", "personality"),
    "chapters": ("summary", "completion"),
}
"""Required fields, though they may be empty."""
Kind = Literal["concept", "setting", "character", "chapter"]


class DraftInfo(Value):
    """`draft.yaml`; the finished pack does not keep it."""

    premise: str = ""
    talk: tuple[str, ...] = ()
    """Lines about the idea, by the user and the model in turn."""
    characters: int = 3
    """Number requested."""
    chapters: int = 3
    notes: dict[str, tuple[str, ...]] = {}
    """Missing answers by file."""
    named: bool = True
    """The id was chosen. If not, the finished pack is named after its title."""
    own_script: bool = False
    """The pack has a `storyteller.yaml` written by hand; it stays."""


@dataclass(frozen=True, slots=True)
class Part:
    kind: Kind
    id: str
    file: str
    title: str

    @property
    def key(self) -> str:
        return f"{self.kind}:{self.id}"


class Draft:
    """Draft on disk; only `info` is held in memory."""

    def __init__(self, folder: Path, info: DraftInfo) -> None:
        self.folder = folder
        self.info = info
        self._changing = RLock()

    # --- beginning and opening --------------------------------------------------------------------------------------

    @classmethod
    def begin(cls, home: Home, premise: str, id: str = "", *, characters: int = 3, chapters: int = 3) -> Self:
        """Raises UsageError for a bad or taken id and for numbers out of range."""
        if not 1 <= characters <= MOST_CHARACTERS:
            raise UsageError(f"A story has 1 to {MOST_CHARACTERS} characters, not {characters}.")
        if not 1 <= chapters <= MOST_CHAPTERS:
            raise UsageError(f"A story begins with 1 to {MOST_CHAPTERS} chapters, not {chapters}.")
        chosen = id or free_id(home, premise)
        if not is_slug(chosen):
            raise UsageError(
                f"{quoted(chosen)} cannot be an id. Use lower-case letters, digits, '-' and '_'."
            )
        for taken in (home.packs / chosen, home.drafts / chosen):
            if taken.exists():
                raise UsageError(f"There is already a folder {taken}. Choose another id.")
        info = DraftInfo(premise=premise.strip(), characters=characters, chapters=chapters, named=bool(id))
        draft = cls(private_folder(home.drafts / chosen), info)
        draft.keep()
        return draft

    @classmethod
    def of_story(cls, home: Home, game: Game, id: str = "") -> Self:
        """Create a draft that continues `game`, first with the beats not reached yet. Raises UsageError."""
        pack, state = game.pack, game.state
        summary_text = " ".join(
            " ".join((*(recap.text for recap in game.recaps), state.rolling_summary)).split()
        )
        title = one_line(f"After {game.info.title}", 80)
        premise = f"{title}. {clip(summary_text, 2 * _SUMMARY_LENGTH)}".strip()
        people = list(pack.characters)
        draft = cls.begin(home, premise, id or free_id(home, title), characters=len(people), chapters=1)
        draft.write(WORLD, pack.world.model_dump(mode="json", exclude_defaults=True))
        for name, card in pack.characters.items():
            fields = card.model_dump(mode="json", exclude_defaults=True, exclude={"reveal"})
            draft.write(character_file(name), fields)
        left = () if state.game_complete else game.unmet_beats
        chapter = f"01-{slug(game.chapter.title if left else 'afterwards', 'chapter', 30)}"
        last = game.last_turn
        draft.write(
            chapter_file(chapter),
            {
                "id": chapter,
                "next": None,
                "title": game.chapter.title if left else "Afterwards",
                "summary": " ".join(
                    filter(None, (clip(summary_text, _SUMMARY_LENGTH), game.chapter.summary if left else ""))
                ),
                "beats": [game.chapter.beat_in_file(beat) for beat in left],
                "clues": list(game.chapter.clues) or None,
                "completion": game.chapter.completion if left else "",
                "characters": list(game.chapter.characters) if left else people,
                "openings": [last.narration] if last and last.narration else None,
                "present": [name for name in state.present if name in game.chapter.characters] or None,
            },
        )
        info = pack.game.model_dump(mode="json", exclude_defaults=True)
        info |= {"id": draft.id, "title": title, "characters": people, "chapters": [chapter]}
        if player := game.info.player.model_dump(exclude_defaults=True):
            info["player"] = player
        draft.write(GAME, info)
        return draft

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Raises UsageError if there is no readable draft."""
        try:
            raw = yaml.load((folder / DRAFT).read_bytes(), DRAFT)
            return cls(folder, DraftInfo.model_validate(raw))
        except (OSError, SaveError, ValidationError) as error:
            raise UsageError(f"There is no draft {quoted(folder.name)} that can be read.") from error

    @classmethod
    def of_pack(cls, home: Home, pack: Path, id: str) -> Self:
        """Copy a pack into a draft, or reopen the draft that was already begun."""
        folder = home.drafts / id
        if not (folder / DRAFT).exists():
            making = home.drafts / f".{id}"
            shutil.rmtree(making, ignore_errors=True)
            private_folder(home.drafts)
            shutil.copytree(pack, making, symlinks=True)
            script = making / STORYTELLER
            if has_generated_script(pack):
                script.unlink()
            cls(making, DraftInfo(own_script=script.exists())).keep()
            making.replace(folder)
        return cls.open(folder)

    @property
    def id(self) -> str:
        return self.folder.name.removeprefix(".")

    # --- files ------------------------------------------------------------------------------------------------------

    def keep(self, **changed: Any) -> None:
        with self._changing:
            self.info = self.info.model_copy(update=changed)
            write_private(self.folder / DRAFT, yaml.dump(self.info.model_dump(mode="json")).decode())

    def read(self, file: str) -> dict[str, Any]:
        """Return the fields of a file; {} if it is missing or unreadable."""
        try:
            value = read_document(self.folder, file).value
        except PackError:
            return {}
        return value if isinstance(value, dict) else {}

    def unreadable(self, file: str) -> str:
        """Explain why an existing file cannot be read; "" if it can."""
        try:
            slips = read_document(self.folder, file).slips
        except PackError as error:
            slips = error.findings if (self.folder / file).exists() else ()
        return str(slips[0]) if slips else ""

    def _refuse_unreadable(self, file: str) -> None:
        if problem := self.unreadable(file):
            raise UsageError(f"{problem}. Fix {self.folder / file} in an editor first.")

    def write(self, file: str, changed: Mapping[str, Any]) -> None:
        """Set fields of a file; None removes one. Raises UsageError for an unreadable file."""
        self._refuse_unreadable(file)
        with self._changing:
            before = self.read(file)
            must = (*_MUST_BE_THERE.get(file, ()), *_MUST_BE_THERE.get(file.partition("/")[0], ()))
            own = {"id": self.id} if file == GAME else {}
            changed = {**{name: "" for name in must if name not in before}, **own, **changed}
            changed = {name: value for name, value in changed.items() if before.get(name) != value}
            if not changed:
                return
            if "#" in (text := read_text(self.folder, file) if before else ""):
                write_private(self.folder / file, with_fields(text, changed))
                return
            after = {name: value for name, value in {**before, **changed}.items() if value is not None}
            write_private(self.folder / file, yaml.dump(after).decode())

    @property
    def game(self) -> dict[str, Any]:
        return self.read(GAME)

    @property
    def player(self) -> dict[str, Any]:
        held = self.game.get("player")
        return held if isinstance(held, dict) else {}

    @property
    def cast(self) -> dict[str, str]:
        return {
            id: str(self.read(character_file(id)).get("name") or id) for id in _ids(self.game, "characters")
        }

    @property
    def chapters(self) -> tuple[str, ...]:
        return _ids(self.game, "chapters")

    @property
    def title(self) -> str:
        return one_line(str(self.game.get("title") or self.info.premise or self.id))

    def parts(self) -> list[Part]:
        parts = [Part("concept", "", GAME, "Story"), Part("setting", "", WORLD, "World")]
        parts += [Part("character", id, character_file(id), name) for id, name in self.cast.items()]
        for id in self.chapters:
            file = chapter_file(id)
            parts.append(Part("chapter", id, file, str(self.read(file).get("title") or id)))
        return parts

    def findings(self) -> list[Finding]:
        return check_pack(self.folder, advice=False)

    def lore(self) -> list[LoreEntry]:
        return [entry for entries in read_draft(self.folder).lore.values() for entry in entries]

    def put_lore(self, entry: LoreEntry) -> None:
        """Replace or add an entry; see `write`."""
        data = data_of(entry)

        def change(entries: Any) -> None:
            if row := next((row_entry for row_entry in entries if row_entry.get("id") == entry.id), None):
                for name in set(row) - set(data):
                    del row[name]
                row.update(data)
            else:
                entries.append(data)

        self._change_lore(entry.id, change)

    def drop_lore(self, id: str) -> None:
        def change(entries: Any) -> None:
            for at in [n for n, row in enumerate(entries) if row.get("id") == id][::-1]:
                del entries[at]

        self._change_lore(id, change)

    def _change_lore(self, id: str, change: Callable[[Any], None]) -> None:
        lore = read_draft(self.folder).lore
        books = (book for book, book_entries in lore.items() if id in [entry.id for entry in book_entries])
        file = lore_file(next(books, OWN_BOOK))
        self._refuse_unreadable(file)

        def changed(rows: Any) -> Any:
            rows = rows or []
            entries = rows.get("entries") if isinstance(rows, dict) else rows
            if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
                raise UsageError(
                    f"{file} is not a list of entries. Fix {self.folder / file} in an editor first."
                )
            change(entries)
            return rows

        with self._changing:
            path = private_folder((self.folder / file).parent) / Path(file).name
            text = path.read_text("utf-8") if path.exists() else ""
            write_private(path, yaml.edited(text, changed))

    # --- ids, order and references ----------------------------------------------------------------------------------

    def set_cast(self, people: Sequence[Mapping[str, str]], *, renames: bool = False) -> None:
        """Set the cast from `name` and `text`, the role. Known cards stay, others move to `removed`. `renames`: a
        new name in the place of a missing one is the same character.
        """
        old_cast, ids = self.cast, list[str]()
        for person, id in _matched(people, old_cast, renames=renames):
            name = flat(person["name"])
            id = self._take_id(id, slug(short_name(name), "somebody", 24), old_cast, ids, character_file)
            role = flat(person["text"]) or self.read(character_file(id)).get("role", "")
            self.write(character_file(id), {"name": name, "role": role})
        chapters = {
            id: [*map(str, items(self.read(chapter_file(id)).get("characters")))] for id in self.chapters
        }
        self.write(GAME, {"characters": ids})
        for id, chapter_cast in chapters.items():
            if set(chapter_cast) == set(old_cast):
                self.write(chapter_file(id), {"characters": ids})
            elif set(chapter_cast) - set(ids):
                self.write(chapter_file(id), {"characters": [one for one in chapter_cast if one in ids]})
        self._put_aside("characters", ids)
        self._forget(set(old_cast) - set(ids))

    def set_outline(self, outline: Sequence[Mapping[str, str]], *, renames: bool = False) -> None:
        """Set the chapters from `name`, the title, and `text`, the summary; otherwise like `set_cast`."""
        titles = {id: str(self.read(chapter_file(id)).get("title") or "") for id in self.chapters}
        ids: list[str] = []
        matched = _matched(outline, titles, renames=renames)
        for number, (chapter, id) in enumerate(matched, 1):
            title = flat(chapter["name"])
            id = self._take_id(id, f"{number:02}-{slug(title, 'chapter', 30)}", titles, ids, chapter_file)
            before = self.read(chapter_file(id))
            summary = chapter["text"].strip() or before.get("summary", "")
            new = {} if before else {"beats": [], "characters": list(self.cast)}
            self.write(chapter_file(id), {"id": id, "title": title, "summary": summary, **new})
        for id, following in zip(ids, (*ids, None)[1:], strict=True):
            self.write(chapter_file(id), {"next": following})
        self.write(GAME, {"chapters": ids})
        self._put_aside("chapters", ids)
        self._forget(set(titles) - set(ids))

    def clamp_reveals(self, chapter: str, beats: int) -> None:
        """Move secrets that wait for a beat the chapter lost to its last beat."""
        for id in self.cast:
            where, _, number = str(self.read(character_file(id)).get("reveal") or "").partition("/")
            if where == chapter and number.isdecimal() and int(number) > beats:
                self.write(character_file(id), {"reveal": f"{chapter}/{beats}"})

    def _forget(self, removed: set[str]) -> None:
        if not removed:
            return
        for id in self.cast:
            card = self.read(character_file(id))
            relations = card.get("relationships")
            if isinstance(relations, dict) and removed & set(relations):
                remaining = {other: text for other, text in relations.items() if other not in removed}
                self.write(character_file(id), {"relationships": remaining or None})
            if str(card.get("reveal")).partition("/")[0] in removed:
                self.write(character_file(id), {"reveal": None})
        for id in self.chapters:
            chapter, changed = self.read(chapter_file(id)), dict[str, Any]()
            if beats := items(chapter.get("beats")):
                changed["beats"] = [_without_owner(item, removed) for item in beats]
            if present := items(chapter.get("present")):
                changed["present"] = [item for item in present if str(item) not in removed] or None
            self.write(chapter_file(id), changed)

    def id_of(self, name: str) -> str | None:
        return find_id(name, self.cast)

    def _take_id(
        self,
        id: str,
        wanted: str,
        taken_ids: Mapping[str, str],
        ids: list[str],
        file_of: Callable[[str], str],
    ) -> str:
        """Add an id, or a new one if empty, to `ids`; bring its file back from `removed`."""
        id = id or unique_slug(wanted, {*ids, *taken_ids, *NO_PERSON})
        ids.append(id)
        file = self.folder / file_of(id)
        aside = self.folder / "removed" / file_of(id)
        if aside.exists() and not file.exists():
            private_folder(file.parent)
            aside.replace(file)
        return id

    def _put_aside(self, kind: str, listed: Sequence[str]) -> None:
        for path in (self.folder / kind).glob("*.yaml"):
            if path.stem not in listed:
                aside = self.folder / "removed" / kind
                path.replace(private_folder(aside) / path.name)

    def pack(self) -> Pack:
        """Raises PackError if the checks find errors."""
        return load_pack(self.folder)

    # --- the finished pack ------------------------------------------------------------------------------------------

    def finish(self, home: Home) -> Path:
        """Turn the draft into a pack. An old pack of that id goes to the trash. Raises UsageError."""
        for kind, listed in (("characters", tuple(self.cast)), ("chapters", self.chapters)):
            self._put_aside(kind, listed)
        if error := next((finding for finding in self.findings() if finding.level == "error"), None):
            raise UsageError(f"The pack cannot be made yet: {error}.")
        if not self.info.own_script:
            write_private(self.folder / STORYTELLER, _first_script(load_pack(self.folder)))
        title = str(self.game.get("title") or "")
        keeps_id = self.info.named or slug(title, "", 40) in ("", self.id)
        id = self.id if keeps_id else free_id(home, title)
        if id != self.id:
            self.write(GAME, {"id": id})
        target = home.packs / id
        if target.exists():
            move_to_trash(home, target)
        self.folder.replace(private_folder(home.packs) / id)
        shutil.rmtree(target / "removed", ignore_errors=True)
        (target / DRAFT).unlink()
        self.folder = target
        return target

    def drop_unchanged(self, home: Home) -> bool:
        """Delete a draft that equals its pack; True if it did."""
        try:
            draft_files, pack = _contents(self.folder), _contents(pack_folder(home.packs, self.id))
        except (UsageError, OSError):
            return False
        if not self.info.own_script:
            pack.pop(Path(STORYTELLER), None)
        if is_same := draft_files == pack and self.info == DraftInfo(own_script=self.info.own_script):
            shutil.rmtree(self.folder)
        return is_same

    def discard(self, home: Home) -> None:
        move_to_trash(home, self.folder)


def _first_script(pack: Pack) -> str:
    script = complete(pack)
    chapters = {
        id: chapter_script.model_copy(update={"opening": ""})
        for id, chapter_script in script.chapters.items()
    }
    filled = script.model_copy(update={"chapters": chapters}).model_dump(mode="json", exclude_defaults=True)
    return _HEAD + yaml.dump(filled).decode()


def _contents(folder: Path) -> dict[Path, bytes]:
    files = (file for file in folder.rglob("*") if file.is_file() and file.name != DRAFT)
    return {file.relative_to(folder): file.read_bytes() for file in files}


def drafts_of(home: Home) -> list[Draft]:
    drafts: list[Draft] = []
    for folder in sorted(home.drafts.glob("*")) if home.drafts.is_dir() else ():
        if not folder.name.startswith(".") and (folder / DRAFT).exists():
            try:
                drafts.append(Draft.open(folder))
            except UsageError:
                continue
    return sorted(drafts, key=lambda draft: draft.title.casefold())


def free_id(home: Home, text: str) -> str:
    base = slug(" ".join(text.split()[:5]), "my-story", 40)
    taken = {
        path.name for folder in (home.packs, home.drafts) if folder.is_dir() for path in folder.iterdir()
    }
    return unique_slug(base, taken)


def _ids(game: Mapping[str, Any], kind: str) -> tuple[str, ...]:
    return tuple(id for id in items(game.get(kind)) if isinstance(id, str) and is_slug(id))


def _matched(
    listed: Sequence[Mapping[str, str]], old_names: Mapping[str, str], *, renames: bool
) -> list[tuple[Mapping[str, str], str]]:
    """Pair each entry with the id of its name among `old_names`, or ""."""
    names, matched_ids = [flat(entry["name"]) for entry in listed], list[str]()
    for name in names:
        matched_ids.append(
            next((id for id, own in old_names.items() if own == name and id not in matched_ids), "")
        )
    ids, before = list(old_names), SequenceMatcher(None, list(old_names.values()), names)
    for kind, start, end, at, until in before.get_opcodes() if renames else ():
        for id, n in zip(ids[start:end], range(at, until), strict=False) if kind == "replace" else ():
            if not matched_ids[n] and id not in matched_ids:
                matched_ids[n] = id
    return list(zip(listed, matched_ids, strict=True))


def with_fields(text: str, changed: Mapping[str, Any]) -> str:
    """Return YAML with fields changed, or removed by None; comments stay."""

    def change(fields: Any) -> Any:
        for name, value in changed.items():
            if value is None:
                fields.pop(name, None)
            else:
                fields[name] = value
        return fields

    return yaml.edited(text, change)


def _without_owner(beat: Any, removed: set[str]) -> Any:
    """Return a beat as a file has it, without an owner that is removed, and without the offer to that one."""
    if not isinstance(beat, dict) or str(beat.get("by")) not in removed:
        return beat
    left = {key: value for key, value in beat.items() if key not in ("by", "offer")}
    return left if len(left) > 1 else left.get("text")
