"""The pack that cards, lorebooks and chats make, or join: its people, its lore, its first page, and what is said of them."""

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
from theact_tui.story.lore import EVERYONE, NARRATOR, NO_PERSON, LoreEntry
from theact_tui.story.pack import Chapter, Character, GameInfo, Pack, PlayerInfo, World
from theact_tui.text import counted, estimate_tokens, one_line, slug, unique_slug, words

SHORT_CARD = 80
"""Words of a character that small models play well."""
BOOK_BYTES = 1_000_000
"""Text of one file of lore; longer books are several files."""
CHAPTER = "01"
STAND_IN = "Stranger"
"""The character of a story that names none; a pack needs one."""


@dataclass(slots=True)
class PackMaker:
    """Gathers people, lore and words about them, for a new pack or for one that is there."""

    before: Pack | None = None
    """The pack that is joined."""
    people: dict[str, Character] = field(default_factory=dict)
    """Who came, new or in the place of somebody who was there."""
    lore: dict[str, tuple[LoreEntry, ...]] = field(default_factory=dict)
    openings: list[str] = field(default_factory=list)
    cards: list[tuple[Card, Expansion]] = field(default_factory=list)
    taken: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    """The texts that are in the pack now."""
    named: list[str] = field(default_factory=list)
    """The texts of which `left_out` speaks."""
    speakers: list[str] = field(default_factory=list)
    """The names before what somebody says in the examples of cards."""
    _books: list[tuple[str, Card, Expansion, tuple[str, ...], bool]] = field(default_factory=list)
    """Those of cards, which are to be added."""

    @property
    def everyone(self) -> dict[str, Character]:
        """The people of the pack that is joined, and those that came."""
        return {**(self.before.characters if self.before else {}), **self.people}

    @property
    def books(self) -> dict[str, tuple[LoreEntry, ...]]:
        """The lore of the pack that is joined, and what came."""
        return {**(self.before.lore if self.before else {}), **self.lore}

    def add_card(
        self,
        card: Card,
        cast: Sequence[str] = (),
        *,
        known: str = "",
        is_told: bool = False,
        waits: bool = False,
    ) -> str:
        """Take in a card: as a new character, in the place of the one whose id is `known`, or as a scenario. `cast` are
        the names of all that come together; `is_told`: the story has begun, so there is no first page; `waits`: its
        lore comes with `add_books`, once all are there whom that may name. The id under which it is kept."""
        expand = expansion_of(card, cast)
        id = known or unique_slug(card.name or card.title or "", {*self.everyone, *NO_PERSON}, "character")
        if card.name:
            self._add_person(id, card, expand, known)
            knowing: tuple[str, ...] = (id, NARRATOR)
        else:
            self.taken.append(f"The scenario {card.title}, of {card.form}")
            knowing = (EVERYONE,)
        who = card.called or card.title
        pages = [card.first_mes, *card.greetings, *(card.group_greetings if len(cast) > 1 else ())]
        self._add_first_page([expand(page).strip() for page in pages], who, is_told)
        if len(cast) < 2:
            self.lose(f"The greetings of {who} for groups", "\n".join(map(expand, card.group_greetings)))
        self.cards.append((card, expand))
        if self.before is not None:
            self.lose(f"The scenario of {who}, for the pack has a world of its own", expand(card.scenario))
            self.lose(f"The author's note of {who}", expand(card.tone))
        self.leave_out(card.left_out)
        self.changed += card.changed
        self.kept += card.changed
        self._books.append((id, card, expand, knowing, bool(known)))
        if not waits:
            self.add_books()
        return id

    def add_books(self) -> None:
        """Take in the lore of the cards that were added."""
        for id, card, expand, knowing, known in self._books:
            self.add_lore(id, card.book, expand, knowing, known=known)
            self.left_out += expand.left_out
        self._books.clear()

    def _add_person(self, id: str, card: Card, expand: Expansion, known: str) -> None:
        person, left_out = character_from(card, expand)
        size, tokens = words(person.personality), round(estimate_tokens(person.personality))
        if card.form:
            told = f"{counted(size, 'word')}, about {tokens} tokens in its prompts"
            self.taken.append(f"{card.name}, a {card.form} card: {told}")
        if known and self.before:
            news = {"name": person.name, "personality": person.personality, "examples": person.examples}
            person = self.before.characters[known].model_copy(update=news)
            self.changed.append(
                f"{card.called} is in the pack already: text, examples and lore are replaced by those of this card. "
                "The pack as it was is in the trash."
            )
        if size > SHORT_CARD:
            self.changed.append(
                f"{card.name} is long: small models do best with {SHORT_CARD} words. Nothing was cut."
            )
        if person.examples:
            self.taken.append(f"{counted(len(person.examples), 'example')} of how {card.called} talks")
        self.people[id] = person
        self.kept += (person.name, person.personality, *person.examples)
        self.speakers += (card.name, card.called, *card.called.split()[:1])
        self.leave_out(left_out)

    def _add_first_page(self, pages: Sequence[str], who: str, is_told: bool) -> None:
        told = [page for page in dict.fromkeys(pages) if page]
        room = 0 if self.before or is_told else MAX_GREETINGS - len(self.openings)
        self.openings += told[:room]
        self.kept += told[:room]
        if told[:room]:
            self.taken.append(f"{counted(len(told[:room]), 'greeting')} of {who}, as first page")
        why = f"beyond {MAX_GREETINGS} in all" if room else "for there is a first page already"
        self.lose(f"{counted(len(told[room:]), 'greeting')} of {who}, {why}", "\n".join(told[room:]))

    def lose(self, what: str, text: str) -> None:
        """Say of a text that it is left out, if it says anything."""
        if words(text):
            self.leave_out([LeftOut.counted(what, text)])

    def leave_out(self, texts: Iterable[LeftOut]) -> None:
        """Say of texts that they are left out."""
        self.left_out += [each.sentence for each in texts]
        self.named += [each.text for each in texts]

    def count_words(self, documents: Iterable[Any], speakers: Iterable[str] = ()) -> None:
        """Say which fields of the documents that the pack comes from hold words that are neither kept nor named."""
        self.left_out += words_left_out(documents, self.kept, self.named, {*self.speakers, *speakers})

    def add_lore(
        self,
        book: str,
        value: Any,
        expand: Expansion,
        known_by: Sequence[str] = (EVERYONE,),
        *,
        known: bool = False,
    ) -> bool:
        """Take in a lorebook under a name; `known` in the place of the one that has this name. False if it holds nothing."""
        before = {
            name: entries for name, entries in self.books.items() if not (known and _is_part(name, book))
        }
        taken = {entry.id for entries in before.values() for entry in entries}
        people = {id: person.name for id, person in self.everyone.items()}
        found = read_lorebook(value, expand, known_by=known_by, taken=taken, people=people)
        self.kept += [found.name] if found.entries else []
        for entry in found.entries:
            self.kept += (entry.title, entry.text, *entry.keys, *entry.all_of, *entry.any_of, *entry.none_of)
        texts = {entry.text for entries in before.values() for entry in entries}
        entries = [entry for entry in found.entries if entry.text not in texts]
        if double := len(found.entries) - len(entries):
            self.changed.append(f"{counted(double, 'entry', 'entries')} of lore: in the pack already")
        name = book if known or book in self.people else unique_slug(found.name or book, self.books, "lore")
        gone = {old: () for old in self.books if known and _is_part(old, book)}
        parts = {name if n == 1 else f"{name}-{n}": part for n, part in enumerate(_parts(entries), 1)}
        self.lore |= gone | parts
        who = (
            f" that {self.people[name].name} and the narrator know"
            if name in self.people
            else ", known to everyone"
        )
        if count := len(entries):
            of = f" of “{found.name}”" if found.name and name in self.people else ""
            self.taken.append(f"{counted(count, 'entry', 'entries')} of lore{of}{who}")
        self.left_out += found.left_out
        self.changed += found.changed
        return bool(found.entries)

    def pack(self, id: str, player: str = "", title: str = "", *, told: bool = False) -> Pack:
        """The pack of all that was added, or the one that was there with it. `told`: its first page was told already."""
        if self.before is not None:
            return self._joined(self.before)
        people = self.people or {"stranger": Character(name=STAND_IN, role="", personality="")}
        names = [person.name for person in self.people.values()]
        scenario = next((card.title for card, _ in self.cards if card.title), "")
        title = title or scenario or " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
        if not self.people:
            self.changed.append(
                f"No character is named; {STAND_IN} was added, off stage, because a story needs one."
            )
        if not (self.openings or told):
            self.changed.append("There is no greeting, so the narrator writes the first page.")
        chapter = Chapter(
            id=CHAPTER,
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
        self.kept += (title, player, self._told("scenario"), self._told("tone"), *credits)
        return Pack(
            game=GameInfo(
                id=id,
                title=one_line(title, 80) or "A story",
                description=one_line(_as_sentences(notes[0]), 300) if notes else f"A story{of}.",
                characters=tuple(people),
                chapters=(CHAPTER,),
                player=PlayerInfo(name=one_line(player, 60)) if player.strip() else PlayerInfo(),
                credits="\n".join(credits),
            ),
            world=World(
                setting=self._told("scenario") or f"The world{of}, as the first page shows it.",
                tone=self._told("tone") or "As the first page sets it.",
                rules="What was told stays true.",
            ),
            characters=people,
            chapters={CHAPTER: chapter},
            lore=self.lore,
        )

    def _told(self, field: str) -> str:
        """What all cards say in a field, each text once."""
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
    """A text of several lines as one line, in which each of them is a sentence."""
    lines = [line for line in map(str.strip, text.split("\n")) if line]
    ended = [line if re.search(r"[^\w\s]\Z", line) else f"{line}." for line in lines[:-1]]
    return " ".join([*ended, *lines[-1:]])


def _is_part(name: str, book: str) -> bool:
    """True if lore of this name is that of a book, or a further file of it."""
    return name == book or (name.startswith(f"{book}-") and name[len(book) + 1 :].isdecimal())


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


# --- the pack of a chat ----------------------------------------------------------------------------------------------


def pack_with(names: Sequence[str], own: Iterable[PackEntry]) -> Pack | None:
    """The one of the user's `own` packs that has all these characters; None unless there is exactly one."""
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
    """A pack, or `before`, with those who speak most as far as there is room, and with the lore of the chats; the ids of
    its characters by the name they have in the chats; and what is to be said of it. `also` are further names of
    characters of `before`, with their ids."""
    make = PackMaker(before)
    there = {person.name.casefold(): id for id, person in make.everyone.items()}
    there |= {name.casefold(): id for name, id in also.items()}
    ids = {name: there[name.casefold()] for name in names if name.casefold() in there}
    about = {name: card for chat in reversed(chats) for name, card in chat.people.items()}
    pages = {message.text for chat in chats for message in chat.messages[:1]}
    about = {
        name: replace(card, first_mes="") if plain_text(card.first_mes) in pages else card
        for name, card in about.items()
    }
    for name in [name for name in names if name not in ids][: MAX_CAST - len(make.everyone)]:
        ids[name] = make.add_card(about.get(name) or Card(name=name), is_told=True)
    for name, card in about.items():
        if ids.get(name) in there.values():
            make.lose(
                f"What the file says of {name}, who is in the pack", f"{card.description} {card.personality}"
            )
    for chat in chats:
        if chat.book:
            make.add_lore(slug(title, "lore", 40), chat.book, Expansion(seed=chat.source))
    settings = [*dict.fromkeys(filter(None, (chat.setting for chat in chats)))]
    make.cards += [(Card(scenario=setting), Expansion()) for setting in settings[:1]]
    rest = [each for each in settings if each not in before.world.setting] if before else settings[1:]
    make.lose("What the files say of the world", " ".join(rest))
    if before is None:
        return make.pack(slug(title), title=title, told=True), ids, make
    pack = make.pack(before.id)
    first = pack.first_chapter
    on_stage = tuple(dict.fromkeys((*first.characters, *ids.values())))
    chapters = {**pack.chapters, first.id: first.model_copy(update={"characters": on_stage})}
    return pack.model_copy(update={"chapters": chapters}), ids, make
