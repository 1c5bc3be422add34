import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from theact_tui.importing.card_to_character import MAX_GREETINGS, Card, character_from, expansion_of
from theact_tui.importing.chat import Chat
from theact_tui.importing.lorebooks import read_lorebook
from theact_tui.importing.macros import Expansion
from theact_tui.importing.plain import plain_text
from theact_tui.importing.report import LeftOut, words_left_out
from theact_tui.packs.listing import PackEntry
from theact_tui.packs.loader import load_pack
from theact_tui.story.cast import MAX_CAST
from theact_tui.story.lore import EVERYONE, NARRATOR, NO_PERSON, LoreEntry, shared_lore
from theact_tui.story.pack import Chapter, Character, GameInfo, Pack, PlayerInfo, World
from theact_tui.text import counted, estimate_tokens, one_line, slug, unique_slug, words

SHORT_CARD_WORDS = 80
"""Small models play shorter characters well."""
BOOK_BYTES = 1_000_000
"""Per lore file; longer books are split."""
_CHAPTER = "01"
STAND_IN = "Stranger"
"""Character for a story that names none; a pack needs one."""


@dataclass(slots=True)
class PackMaker:
    """Collects characters, lore and report sentences for a new or existing pack."""

    before: Pack | None = None
    people: dict[str, Character] = field(default_factory=dict)
    """New or replaced characters."""
    lore: dict[str, tuple[LoreEntry, ...]] = field(default_factory=dict)
    openings: list[str] = field(default_factory=list)
    cards: list[tuple[Card, Expansion]] = field(default_factory=list)
    taken: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    pack_texts: list[str] = field(default_factory=list)
    reported_texts: list[str] = field(default_factory=list)
    """Texts mentioned in `left_out`."""
    speakers: list[str] = field(default_factory=list)
    """Speaker labels in examples."""
    _books: list[tuple[str, Card, Expansion, tuple[str, ...], bool]] = field(default_factory=list)

    @property
    def everyone(self) -> dict[str, Character]:
        return {**(self.before.characters if self.before else {}), **self.people}

    @property
    def books(self) -> dict[str, tuple[LoreEntry, ...]]:
        return {**(self.before.lore if self.before else {}), **self.lore}

    def add_card(
        self,
        card: Card,
        cast: Sequence[str] = (),
        *,
        replaced_id: str = "",
        has_begun: bool = False,
        waits: bool = False,
    ) -> str:
        """Add a card as a new character, as the replacement of `replaced_id`, or as a scenario; returns its id.
        `cast`: all names of the import. `has_begun`: no first page. `waits`: its lore comes with `add_books`.
        """
        expand = expansion_of(card, cast)
        id = replaced_id or unique_slug(
            card.name or card.title or "", {*self.everyone, *NO_PERSON}, "character"
        )
        if card.name:
            self._add_person(id, card, expand, replaced_id)
            knowing: tuple[str, ...] = (id, NARRATOR)
        else:
            self.taken.append(f"The scenario {card.title}, of {card.form}")
            knowing = (EVERYONE,)
        name = card.called or card.title
        pages = [card.first_mes, *card.greetings, *(card.group_greetings if len(cast) > 1 else ())]
        self._add_openings([expand(page).strip() for page in pages], name, has_begun)
        if len(cast) < 2:
            self.lose(f"The greetings of {name} for groups", "\n".join(map(expand, card.group_greetings)))
        self.cards.append((card, expand))
        if self.before is not None:
            self.lose(f"The scenario of {name}, for the pack has a world of its own", expand(card.scenario))
            self.lose(f"The author's note of {name}", expand(card.tone))
        self.leave_out(card.left_out)
        self.changed += card.changed
        self.pack_texts += card.changed
        self._books.append((id, card, expand, knowing, bool(replaced_id)))
        if not waits:
            self.add_books()
        return id

    def add_books(self) -> None:
        for id, card, expand, knowing, replaced_id in self._books:
            self.add_lore(id, card.book, expand, knowing, is_replacing=replaced_id)
            self.left_out += expand.left_out
        self._books.clear()

    def _add_person(self, id: str, card: Card, expand: Expansion, replaced_id: str) -> None:
        person, left_out = character_from(card, expand)
        size, tokens = words(person.personality), round(estimate_tokens(person.personality))
        if card.form:
            size_note = f"{counted(size, 'word')}, about {tokens} tokens in its prompts"
            self.taken.append(f"{card.name}, a {card.form} card: {size_note}")
        if replaced_id and self.before:
            news = {"name": person.name, "personality": person.personality, "examples": person.examples}
            person = self.before.characters[replaced_id].model_copy(update=news)
            self.changed.append(
                f"{card.called} is in the pack already: text, examples and lore are replaced by those of this card. "
                "The pack as it was is in the trash."
            )
        if size > SHORT_CARD_WORDS:
            self.changed.append(
                f"{card.name} is long: small models do best with {SHORT_CARD_WORDS} words. Nothing was cut."
            )
        if person.examples:
            self.taken.append(f"{counted(len(person.examples), 'sample line')} of {card.called}")
        self.people[id] = person
        self.pack_texts += (person.name, person.personality, *person.examples)
        self.speakers += (card.name, card.called, *card.called.split()[:1])
        self.leave_out(left_out)

    def _add_openings(self, pages: Sequence[str], name: str, has_begun: bool) -> None:
        filled = [page for page in dict.fromkeys(pages) if page]
        room = 0 if self.before or has_begun else MAX_GREETINGS - len(self.openings)
        self.openings += filled[:room]
        self.pack_texts += filled[:room]
        if filled[:room]:
            self.taken.append(f"{counted(len(filled[:room]), 'greeting')} of {name} (first page)")
        why = f"beyond {MAX_GREETINGS} in all" if room else "for there is a first page already"
        self.lose(f"{counted(len(filled[room:]), 'greeting')} of {name}, {why}", "\n".join(filled[room:]))

    def lose(self, label: str, text: str) -> None:
        if words(text):
            self.leave_out([LeftOut.counted(label, text)])

    def leave_out(self, texts: Iterable[LeftOut]) -> None:
        self.left_out += [left_text.sentence for left_text in texts]
        self.reported_texts += [left_text.text for left_text in texts]

    def count_words(self, documents: Iterable[Any], speakers: Iterable[str] = ()) -> None:
        """Report fields with words that are neither in the pack nor reported."""
        self.left_out += words_left_out(
            documents, self.pack_texts, self.reported_texts, {*self.speakers, *speakers}
        )

    def add_lore(
        self,
        book: str,
        value: Any,
        expand: Expansion,
        known_by: Sequence[str] = (EVERYONE,),
        *,
        is_replacing: bool = False,
    ) -> str:
        """Add a lorebook and return its name, "" if it is empty; `is_replacing` replaces the existing one."""
        replaced = [name for name in self.books if is_replacing and _is_part(name, book)]
        before = {**self.books, **{name: _of_others(self.books[name], book) for name in replaced}}
        taken = {entry.id for entries in before.values() for entry in entries}
        people = {id: person.name for id, person in self.everyone.items()}
        book_lore = read_lorebook(value, expand, known_by=known_by, taken=taken, people=people)
        self.pack_texts += [book_lore.name] if book_lore.entries else []
        for entry in book_lore.entries:
            self.pack_texts += (
                entry.title,
                entry.text,
                *entry.keys,
                *entry.all_of,
                *entry.any_of,
                *entry.none_of,
            )
        shared, entries = shared_lore(before, book_lore.entries)
        name = (
            book
            if is_replacing or book in self.people
            else unique_slug(book_lore.name or book, self.books, "lore")
        )
        if double := len(book_lore.entries) - len(entries):
            now = f", now also known to {self.people[name].name}" if shared and name in self.people else ""
            self.changed.append(f"{counted(double, 'entry', 'entries')} of lore: in the pack already{now}")
        of_others = [entry for old in replaced for entry in shared.get(old, before[old])]
        parts = enumerate(_parts([*of_others, *entries]), 1)
        self.lore |= shared | dict.fromkeys(replaced, ())
        self.lore |= {name if number == 1 else f"{name}-{number}": part for number, part in parts}
        note = (
            f" that {self.people[name].name} and the narrator know"
            if name in self.people
            else ", known to everyone"
        )
        if count := len(entries):
            of = f" of “{book_lore.name}”" if book_lore.name and name in self.people else ""
            self.taken.append(f"{counted(count, 'entry', 'entries')} of lore{of}{note}")
        self.left_out += book_lore.left_out
        self.changed += book_lore.changed
        return name if book_lore.entries else ""

    def pack(self, id: str, player: str = "", title: str = "", *, has_begun: bool = False) -> Pack:
        """Return the new or extended pack. `has_begun`: its first page was already played."""
        if self.before is not None:
            return self._joined(self.before)
        people = self.people or {"stranger": Character(name=STAND_IN, role="", personality="")}
        names = [person.name for person in self.people.values()]
        scenario = next((card.title for card, _ in self.cards if card.title), "")
        title = title or scenario or " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
        if not self.people:
            self.changed.append(f"The file names no character, so a “{STAND_IN}” was added, off stage.")
        if not (self.openings or has_begun):
            self.changed.append("There is no greeting, so the narrator writes the first page.")
        chapter = Chapter(
            id=_CHAPTER,
            title="Chapter one",
            summary="",
            beats=(),
            characters=tuple(people),
            openings=tuple(dict.fromkeys(self.openings)),
            present=None if self.people else (),
        )
        of = f" of {', '.join(names)}" if names else ""
        notes = [expand(card.notes) for card, expand in self.cards if card.notes]
        credits = [*(card.credits for card, _ in self.cards if card.credits), *notes]
        self.pack_texts += (
            title,
            player,
            self._joined_field("scenario"),
            self._joined_field("tone"),
            *credits,
        )
        return Pack(
            game=GameInfo(
                id=id,
                title=one_line(title, 80) or "A story",
                description=one_line(_as_sentences(notes[0]), 300) if notes else f"A story{of}.",
                characters=tuple(people),
                chapters=(_CHAPTER,),
                player=PlayerInfo(name=one_line(player, 60)) if player.strip() else PlayerInfo(),
                credits="\n".join(credits),
            ),
            world=World(
                setting=self._joined_field("scenario") or f"The world{of}, as the first page shows it.",
                tone=self._joined_field("tone") or "As the first page sets it.",
                rules="What was told stays true.",
            ),
            characters=people,
            chapters={_CHAPTER: chapter},
            lore=self.lore,
        )

    def _joined_field(self, field: str) -> str:
        texts = (expand(getattr(card, field)).strip() for card, expand in self.cards)
        return "\n\n".join(filter(None, dict.fromkeys(texts)))

    def _joined(self, before: Pack) -> Pack:
        new = [id for id in self.people if id not in before.characters]
        first = before.first_chapter
        present = first.present if first.present is None else (*first.present, *new)
        chapter = first.model_copy(update={"characters": (*first.characters, *new), "present": present})
        return before.model_copy(
            update={
                "game": before.game.model_copy(update={"characters": (*before.characters, *new)}),
                "characters": self.everyone,
                "chapters": {**before.chapters, first.id: chapter},
                "lore": {book: entries for book, entries in self.books.items() if entries},
            }
        )


def _as_sentences(text: str) -> str:
    lines = [line for line in map(str.strip, text.split("\n")) if line]
    ended = [line if re.search(r"[^\w\s]\Z", line) else f"{line}." for line in lines[:-1]]
    return " ".join([*ended, *lines[-1:]])


def _is_part(name: str, book: str) -> bool:
    return name == book or (name.startswith(f"{book}-") and name[len(book) + 1 :].isdecimal())


def _of_others(entries: Iterable[LoreEntry], id: str) -> tuple[LoreEntry, ...]:
    """Return what other characters know of the lore that came with the card of `id`."""
    knowers = ((entry, tuple(name for name in entry.known_by if name != id)) for entry in entries)
    return tuple(
        entry.model_copy(update={"known_by": known_by})
        for entry, known_by in knowers
        if {*known_by} - {NARRATOR}
    )


def _parts(entries: Sequence[LoreEntry]) -> Iterator[tuple[LoreEntry, ...]]:
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


# --- the pack of a chat ----------------------------------------------------------------------------------------------


def pack_with(names: Sequence[str], own: Iterable[PackEntry]) -> Pack | None:
    """Return the only own pack with all these characters, else None."""
    wanted = {name.casefold() for name in names}
    fitting = [entry for entry in own if wanted and wanted <= {name.casefold() for name, _ in entry.cast}]
    return load_pack(fitting[0].folder) if len(fitting) == 1 else None


def pack_of(
    title: str,
    names: Sequence[str],
    chats: Sequence[Chat],
    before: Pack | None,
    also: Mapping[str, str] = MappingProxyType({}),
) -> tuple[Pack, dict[str, str], PackMaker]:
    """Build a pack, or extend `before`; return it, ids by chat name, and a report. `also`: further names by id of
    characters in `before`.
    """
    make = PackMaker(before)
    ids_by_name = {person.name.casefold(): id for id, person in make.everyone.items()}
    ids_by_name |= {name.casefold(): id for name, id in also.items()}
    ids = {name: ids_by_name[name.casefold()] for name in names if name.casefold() in ids_by_name}
    about = {name: card for chat in reversed(chats) for name, card in chat.people.items()}
    pages = {message.text for chat in chats for message in chat.messages[:1]}
    about = {
        name: replace(card, first_mes="") if plain_text(card.first_mes) in pages else card
        for name, card in about.items()
    }
    for name in [name for name in names if name not in ids][: MAX_CAST - len(make.everyone)]:
        ids[name] = make.add_card(about.get(name) or Card(name=name), has_begun=True)
    for name, card in about.items():
        if ids.get(name) in ids_by_name.values():
            make.lose(
                f"What the file says of {name}, who is in the pack", f"{card.description} {card.personality}"
            )
    for chat in chats:
        if chat.book:
            make.add_lore(slug(title, "lore", 40), chat.book, Expansion(seed=chat.source))
    settings = [*dict.fromkeys(filter(None, (chat.setting for chat in chats)))]
    make.cards += [(Card(scenario=setting), Expansion()) for setting in settings[:1]]
    rest = [text for text in settings if text not in before.world.setting] if before else settings[1:]
    make.lose("What the files say of the world", " ".join(rest))
    if before is None:
        return make.pack(slug(title), title=title, has_begun=True), ids, make
    pack = make.pack(before.id)
    first = pack.first_chapter
    on_stage = tuple(dict.fromkeys((*first.characters, *ids.values())))
    chapters = {**pack.chapters, first.id: first.model_copy(update={"characters": on_stage})}
    return pack.model_copy(update={"chapters": chapters}), ids, make
