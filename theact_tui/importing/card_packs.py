"""Packs made of character cards and lorebooks: a new one, or people and lore that join one. Whole or not there."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from theact_tui import yaml
from theact_tui.errors import SaveError, UsageError
from theact_tui.importing.cards import Card, backyard_card, example_lines, read_card, without_wpp
from theact_tui.importing.detect import Payload, unpack
from theact_tui.importing.lorebooks import LoreFound, read_lorebook
from theact_tui.importing.macros import Expansion
from theact_tui.importing.pack_file import PackPlan
from theact_tui.importing.reading import items, json_in, read_file, table
from theact_tui.importing.report import ImportQuestion, ImportReport
from theact_tui.packs.files import GAME, chapter_file, character_file, lore_file
from theact_tui.packs.library import pack_folder
from theact_tui.packs.listing import shipped_folder
from theact_tui.packs.loader import load_pack
from theact_tui.saves.codec import data_of, pack_files
from theact_tui.story.cast import MAX_CAST
from theact_tui.story.lore import EVERYONE, NARRATOR, LoreEntry
from theact_tui.story.pack import Chapter, Character, GameInfo, Pack, PlayerInfo, World
from theact_tui.text import counted, is_slug, one_line, slug, unique_slug, words

MOST_EXAMPLES, SHORT_CARD = 4, 80
BOOK_BYTES = 1_000_000
"""Text of one file of lore; longer books are several files."""
CHAPTER = "01"


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file that was read."""

    path: Path
    data: bytes
    payload: Payload


def source_file(path: Path) -> SourceFile:
    """A file, read and told what it is. UsageError, one sentence, if it is nothing that can be read."""
    data = read_file(path)
    return SourceFile(path, data, unpack(data, path.name))


def plan_pack(
    files: Sequence[SourceFile], packs: Path, *, into: str = "", id: str = "", player: str = ""
) -> PackPlan:
    """The pack that these cards and lorebooks make, or join. UsageError, one sentence, if they make none."""
    cards = [(file, card) for file in files for card in _cards_in(file)]
    books = [file for file in files if file.payload.kind not in ("card", "backyard")]
    base = pack_folder(packs, into) if into else None
    before = load_pack(base) if base else None
    make = _Maker(before, base)
    new = [card for _, card in cards if not make.known(card)]
    people = len(new) + (len(before.characters) if before else 0)
    if people > MAX_CAST:
        raise UsageError(f"A story has at most {MAX_CAST} characters; these are {people}. Import fewer.")
    if not cards and before is None:
        raise ImportQuestion(
            "A lorebook is added to a pack. Choose the pack, or import a card with it.", "into"
        )
    for file, card in cards:
        make.add_card(file, card, [card.called for _, card in cards])
    for file in books:
        make.add_book(file)
    if before is None:
        name = _free(packs, id or " and ".join(card.name for _, card in cards[:2]), make, chosen=bool(id))
        contents = _new_files(make.new_pack(name, player))
    else:
        assert base is not None
        name = before.id
        contents = _joined(base, before, make)
    long = tuple(id for id, person in make.people.items() if words(person.personality) > SHORT_CARD)
    report = ImportReport("card" if cards else "lorebook", pack=name, long=long).adding(
        taken=make.taken, changed=make.changed, left_out=make.left_out
    )
    first = next(iter((*make.people, *make.updated, *make.lore)), "nothing")
    last = f"imported/report{f'-{first}' if before else ''}.yaml"
    contents |= make.originals | {last: yaml.dump(report.as_json())}
    return PackPlan(packs, name, base, contents, report)


def card_character(path: Path, taken: Iterable[str] = ()) -> tuple[Character, tuple[LoreEntry, ...]]:
    """The character of a card and its lore, whose ids are none of those `taken`. UsageError for anything else."""
    cards = list(_cards_in(source_file(path)))
    if len(cards) != 1:
        raise UsageError(f"{path.name} is not the card of one character.")
    card = cards[0]
    expand = _expansion(card, [card.called])
    return _character(card, expand), read_lorebook(card.book, expand, taken=taken).entries


def _free(packs: Path, wanted: str, make: _Maker, *, chosen: bool) -> str:
    """An id that no pack has. A chosen one must be free."""
    taken = {path.name for folder in (packs, shipped_folder()) for path in folder.glob("*")}
    name = slug(wanted, "card", 40)
    if name not in taken:
        return name
    if chosen or not is_slug(name):
        raise ImportQuestion(f"There is already a pack '{name}'. Choose another id for this one.", "id")
    free = unique_slug(wanted, taken, "card")
    make.changed.append(f"There is already a pack '{name}', so this one is called '{free}'.")
    return free


def _cards_in(file: SourceFile) -> Iterator[Card]:
    payload, name = file.payload, file.path.stem
    if payload.kind == "card":
        yield read_card(payload.value, name)
    elif payload.kind == "backyard" and payload.archive:

        def member(where: str) -> dict[str, Any]:
            assert payload.archive
            return table(json_in(payload.archive.read(where)))

        def listed(key: str) -> list[str]:
            return [each for each in items(payload.value.get(key)) if isinstance(each, str)]

        scenario = next((member(where) for where in listed("scenarios")), {})
        talk = scenario.get("exampleMessages")
        scene = {
            "narrative": scenario.get("narrative"),
            "firstMessage": next(map(_said, items(scenario.get("firstMessages"))), ""),
            "exampleMessages": "\n".join(map(_said, talk)) if isinstance(talk, list) else talk,
        }
        for where in listed("characters")[:MAX_CAST]:
            raw = member(where)
            yield backyard_card(raw, scene, raw, wants=str(scenario.get("formattingInstructions") or ""))


def _said(message: Any) -> str:
    text = message.get("text") if isinstance(message, dict) else message
    return text if isinstance(text, str) else ""


def _book_value(payload: Payload) -> Any:
    """The lorebook in a file that may hold more."""
    value = payload.value
    if payload.kind == "novelai":
        return value.get("lorebook") or table(value.get("content")).get("lorebook") or {}
    if payload.kind == "ai-dungeon":
        first = value[0] if isinstance(value, list) else value
        return first.get("worldInfo") or []
    return value


@dataclass(slots=True)
class _Maker:
    """Gathers people, lore and words about them."""

    before: Pack | None
    base: Path | None
    """The folder of `before`."""
    people: dict[str, Character] = field(default_factory=dict)
    cards: list[tuple[Card, Expansion]] = field(default_factory=list)
    """Those of `people`."""
    updated: dict[str, Character] = field(default_factory=dict)
    """People of the pack whose cards are newer."""
    lore: dict[str, tuple[LoreEntry, ...]] = field(default_factory=dict)
    originals: dict[str, bytes] = field(default_factory=dict)
    openings: list[str] = field(default_factory=list)
    taken: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    @property
    def everyone(self) -> dict[str, Character]:
        """The people of the pack that is joined, and those that came."""
        return {**(self.before.characters if self.before else {}), **self.people}

    @property
    def books(self) -> dict[str, tuple[LoreEntry, ...]]:
        """The lore of the pack that is joined, and what came."""
        return {**(self.before.lore if self.before else {}), **self.lore}

    def add_card(self, file: SourceFile, card: Card, cast: Sequence[str]) -> None:
        """Take a card in as a character, or as the newer version of one."""
        self._keep(self._update(card, cast) or self._add(file, card, cast), file, card.raw)

    def _add(self, file: SourceFile, card: Card, cast: Sequence[str]) -> str:
        id = unique_slug(card.name, self.everyone, "character")
        expand = _expansion(card, cast)
        examples = len(example_lines(card, expand(card.mes_example)))
        person = self.people[id] = _character(card, expand)
        self.cards.append((card, expand))
        size, tokens = words(person.personality), len(person.personality) // 4
        self.taken.append(
            f"{card.name}, a {card.form} card: {counted(size, 'word')}, about {tokens} tokens in its prompts"
        )
        if size > SHORT_CARD:
            self.changed.append(
                f"{card.name} is long: small models do best with {SHORT_CARD} words. Nothing was cut."
            )
        if examples:
            lines = counted(min(examples, MOST_EXAMPLES), "example line")
            self.taken.append(f"{lines} of how {card.called} talks")
        if examples > MOST_EXAMPLES:
            self.left_out.append(
                f"{examples - MOST_EXAMPLES} more example lines of {card.called}: kept in imported/."
            )
        pages = [card.first_mes, *card.greetings, *(card.group_greetings if len(cast) > 1 else ())]
        told = [page for page in (expand(page).strip() for page in pages) if page]
        if told and self.before is None:
            self.openings += told
            self.taken.append(f"{counted(len(told), 'greeting')} of {card.called}, as first page")
        elif told:
            self.left_out.append(
                f"The greetings of {card.called}: the pack already has a first page. Kept in imported/."
            )
        self.left_out += [
            f"The {name} of {card.name}: instructions to programs are kept in imported/, but not used."
            for name in card.instructions
        ]
        if card.scripts:
            self.left_out.append(f"Scripts of {card.name}, which are never run: {', '.join(card.scripts)}.")
        self._add_lore(id, self._read_lore(card.book, expand, known_by=(id, NARRATOR)))
        self.left_out += [*file.payload.notes, *expand.left_out]
        return id

    def known(self, card: Card) -> str:
        """The id of the character that came of an earlier version of this card; empty if none did."""
        people = self.before.characters if self.before and self.base else {}
        named = (id for id, person in people.items() if person.name == card.called)
        return next((id for id in named if self._imported(id).is_file()), "")

    def _imported(self, id: str) -> Path:
        return (self.base or Path()) / "imported" / f"{id}.json"

    def _update(self, card: Card, cast: Sequence[str]) -> str:
        """Take over what changed since the card came in. The id of its character; empty if it did not come before."""
        id = self.known(card)
        if not id or self.before is None:
            return ""
        old = read_card(json_in(read_file(self._imported(id))), id)
        expand, expand_old, update = _expansion(card, cast), _expansion(old, cast), Update()
        person = self.before.characters[id]
        self.updated[id] = update.character(person, _character(old, expand_old), _character(card, expand))
        mine = self.before.lore.get(id, ())
        before, now = (
            self._read_lore(book, expansion, known_by=(id, NARRATOR), own=mine).entries
            for book, expansion in ((old.book, expand_old), (card.book, expand))
        )
        if len(lore := update.lore(mine, before, now)) or mine:
            self.lore[id] = lore
        self.taken.append(f"A newer version of {card.called}, who is in the pack")
        self.changed += update.changed or ["It changes nothing that the pack uses."]
        self.left_out += update.left_out
        return id

    def add_book(self, file: SourceFile) -> None:
        """Take in a lorebook that belongs to no card: everyone knows it."""
        expand = Expansion(seed=file.path.name)
        found = self._read_lore(_book_value(file.payload), expand)
        if not found.entries:
            raise UsageError(f"{file.path.name} cannot be imported. It contains no lore.")
        name = unique_slug(found.name or file.path.stem, self.books, "lore")
        self._add_lore(name, found)
        self._keep(f"lore-{name}"[:60], file, file.payload.value)
        self.left_out += [*file.payload.notes, *expand.left_out]
        if file.payload.kind in ("novelai", "ai-dungeon"):
            self.left_out.append("The text of the story: only its lore is read.")

    def _read_lore(
        self,
        book: Any,
        expand: Expansion,
        *,
        known_by: Sequence[str] = (EVERYONE,),
        own: Sequence[LoreEntry] = (),
    ) -> LoreFound:
        """The lore of a book, whose ids may be those of `own` entries and of no others."""
        taken = {entry.id for entries in self.books.values() for entry in entries} - {
            entry.id for entry in own
        }
        people = {id: person.name for id, person in self.everyone.items()}
        return read_lorebook(book, expand, known_by=known_by, taken=taken, people=people)

    def _add_lore(self, book: str, found: LoreFound) -> None:
        for number, part in enumerate(_parts(found.entries), 1):
            self.lore[book if number == 1 else f"{book}-{number}"] = part
        person = self.people.get(book)
        who = f" that {person.name} and the narrator know" if person else ", known to everyone"
        if count := len(found.entries):
            self.taken.append(f"{counted(count, 'entry', 'entries')} of lore{who}")
        if off := sum(not entry.enabled for entry in found.entries):
            self.changed.append(f"{off} of them are off: they were off before, or have no key")
        self.left_out += found.left_out
        self.changed += found.changed

    def _keep(self, name: str, file: SourceFile, value: Any) -> None:
        """Keep the original, and what it says as JSON: nothing that is not understood is lost."""
        indent = 1 if len(file.data) < 100_000 else None  # json is ten times as slow with indents
        self.originals[f"imported/{name}.json"] = json.dumps(value, indent=indent).encode()
        ending = _ending(file.data)
        if ending != "json":
            self.originals[f"imported/{name}.{ending}"] = file.data
        if file.payload.picture and ending == "png":
            self.taken.append("The picture, kept in imported/")

    def new_pack(self, id: str, player: str) -> Pack:
        """The pack of all that was added."""
        names = [person.name for person in self.people.values()]
        scenes = [expand(card.scenario).strip() for card, expand in self.cards]
        setting = "\n\n".join(dict.fromkeys(scene for scene in scenes if scene))
        notes = [expand(card.notes) for card, expand in self.cards if card.notes]
        chapter = Chapter(
            id=CHAPTER,
            title="Chapter one",
            summary="",
            beats=(),
            characters=tuple(self.people),
            openings=tuple(dict.fromkeys(self.openings))[:100],
        )
        if not self.openings:
            self.changed.append("There is no greeting, so the narrator writes the first page.")
        return Pack(
            game=GameInfo(
                id=id,
                title=one_line(" and ".join(filter(None, (", ".join(names[:-1]), names[-1]))), 80),
                description=one_line(notes[0], 300) if notes else f"A story with {', '.join(names)}.",
                characters=tuple(self.people),
                chapters=(CHAPTER,),
                player=PlayerInfo(name=one_line(player, 60)) if player.strip() else PlayerInfo(),
                credits="\n".join([*(card.credits for card, _ in self.cards if card.credits), *notes]),
            ),
            world=World(
                setting=setting or f"The world of {', '.join(names)}, as the first page shows it.",
                tone="As the first page sets it.",
                rules="What was told stays true.",
            ),
            characters=self.people,
            chapters={CHAPTER: chapter},
            lore=self.lore,
        )


def _character(card: Card, expand: Expansion) -> Character:
    texts = (without_wpp(expand(text)).strip() for text in (card.description, card.personality))
    examples = example_lines(card, expand(card.mes_example))[:40]
    return Character(
        name=card.called,
        role="",
        personality="\n\n".join(text for text in texts if text),
        examples=tuple(sorted(examples, key=len)[-MOST_EXAMPLES:]),
    )


def _expansion(card: Card, cast: Sequence[str]) -> Expansion:
    """The macros of a card. Its own fields may be named in its texts."""

    def own(fields: Mapping[str, str]) -> Expansion:
        group = ", ".join(cast)
        return Expansion(card.called, group, card.name, card.single_braces, fields)

    names = ("description", "personality", "scenario", "first_mes", "mes_example")
    texts = {name: getattr(card, name) for name in names}
    if any("{{" in text for text in texts.values()):
        texts = {name: own({})(text) for name, text in texts.items()}
    return own(texts)


def _parts(entries: Sequence[LoreEntry]) -> Iterator[tuple[LoreEntry, ...]]:
    """Entries in parts that each fit a file."""
    part: list[LoreEntry] = []
    size = 0
    for entry in entries:
        size += len(entry.text.encode(errors="replace")) + 500
        if part and size > BOOK_BYTES:
            yield tuple(part)
            part, size = [], 0
        part.append(entry)
    if part:
        yield tuple(part)


def _ending(data: bytes) -> str:
    """The ending of the name under which an original is kept, by what it is."""
    known = ((b"\x89PNG", "png"), (b"PK\3\4", "zip"), (b"\xff\xd8", "jpg"), (b"RIFF", "webp"))
    plain = "json" if data.lstrip(b"\xef\xbb\xbf \r\n\t")[:1] in (b"{", b"[") else "txt"
    return next((ending for magic, ending in known if data.startswith(magic)), plain)


def _new_files(pack: Pack) -> dict[str, bytes]:
    try:
        made = pack_files(pack, check=False)
    except (ValueError, SaveError) as error:
        raise UsageError(f"Its texts cannot be kept in a pack: {error}") from error
    return {path.removeprefix("pack/"): data for path, data in made.items() if data is not None}


def _joined(base: Path, before: Pack, make: _Maker) -> dict[str, bytes]:
    """The files that change when people and lore join a pack; comments in its files stay."""
    people = make.people | make.updated
    contents = {character_file(id): yaml.dump(data_of(person)) for id, person in people.items()}
    contents |= {
        lore_file(book): yaml.dump([data_of(entry) for entry in entries])
        for book, entries in make.lore.items()
    }
    if make.people:
        first = before.first_chapter
        fields = ("characters", *(("present",) if first.present is not None else ()))
        contents[GAME] = _with_names(base / GAME, ("characters",), make.people)
        contents[chapter_file(first.id)] = _with_names(base / chapter_file(first.id), fields, make.people)
    return contents


def _with_names(file: Path, fields: Iterable[str], names: Mapping[str, Any]) -> bytes:
    """A file of a pack whose lists in `fields` have more names."""

    def add(document: Any) -> Any:
        for name in fields:
            document[name].extend(names)
        return document

    return yaml.edited(file.read_text("utf-8"), add).encode()


# --- a newer version of a card ---------------------------------------------------------------------------------------


T = TypeVar("T")


@dataclass(slots=True)
class Update:
    """Merges three versions: the pack's, the card as it came in before, and the card as it is now."""

    changed: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    def character(self, mine: Character, before: Character, now: Character) -> Character:
        """The character of the pack with what changed in its card."""
        merged = {
            name: self._one(name, getattr(mine, name), getattr(before, name), getattr(now, name))
            for name in ("name", "personality", "examples")
        }
        return mine.model_copy(update=merged)

    def lore(
        self, mine: Sequence[LoreEntry], before: Sequence[LoreEntry], now: Sequence[LoreEntry]
    ) -> tuple[LoreEntry, ...]:
        """The pack's entries with what changed in those of the card; own ones stay."""
        ours, old, new = ({entry.id: entry for entry in entries} for entries in (mine, before, now))
        merged = {
            id: self._one(f"lore '{id}'", ours.get(id), old.get(id), new.get(id))
            for id in dict.fromkeys((*ours, *new))
        }
        return tuple(entry for entry in merged.values() if entry is not None)

    def _one(self, what: str, mine: T, before: T, now: T) -> T:
        if now in (before, mine):
            return mine
        difference = f"{what}: {_shown(before)} → {_shown(now)}"
        if mine == before:
            self.changed.append(difference)
            return now
        self.left_out.append(f"{difference}: the pack's own text was kept.")
        return mine


def _shown(value: object) -> str:
    match value:
        case None:
            return "nothing"
        case LoreEntry():
            return _shown(value.text)
        case tuple():
            return f"{counted(len(value), 'line')}"
    return f"“{one_line(str(value), 60)}”"
