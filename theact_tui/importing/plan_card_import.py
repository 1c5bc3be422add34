import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from theact_tui import yaml
from theact_tui.errors import SaveError, UsageError
from theact_tui.importing.card_to_character import (
    BACKYARD,
    TALEMATE,
    Card,
    expansion_of,
    read_card,
    with_settled_names,
)
from theact_tui.importing.chat import name_of
from theact_tui.importing.detect import Payload, unpack
from theact_tui.importing.json_chats import read_backyard, scene_setting, talemate_people
from theact_tui.importing.lorebooks import read_lorebook
from theact_tui.importing.macros import Expansion
from theact_tui.importing.pack_file import PackPlan
from theact_tui.importing.pack_maker import SHORT_CARD_WORDS, PackMaker
from theact_tui.importing.plain import plain_text
from theact_tui.importing.read_untrusted import items, read_limited, table
from theact_tui.importing.report import (
    KEPT_IN_IMPORTED,
    ImportQuestion,
    ImportReport,
    LeftOut,
    document_words,
)
from theact_tui.packs.files import GAME, chapter_file, character_file, lore_file
from theact_tui.packs.library import pack_folder
from theact_tui.packs.listing import shipped_folder
from theact_tui.packs.loader import load_pack
from theact_tui.saves.codec import data_of, pack_files
from theact_tui.story.cast import MAX_CAST, Newcomer
from theact_tui.story.lore import LoreEntry
from theact_tui.story.pack import Pack
from theact_tui.text import counted, is_slug, one_line, slug, unique_slug, words


@dataclass(frozen=True, slots=True)
class SourceFile:
    path: Path
    data: bytes
    payload: Payload


def source_file(path: Path) -> SourceFile:
    data = read_limited(path)
    return SourceFile(path, data, unpack(data, path.name))


def plan_pack(
    files: Sequence[SourceFile],
    packs: Path,
    *,
    into: str = "",
    id: str = "",
    player: str = "",
    fill: Iterable[str] = (),
    taken: Collection[str] = (),
) -> PackPlan:
    """Plan the pack; a new id is not in `taken`. `fill` answers scenario questions in order. Raises UsageError."""
    answers = iter(fill)
    cards = [(file, with_settled_names(card, player)) for file in files for card in cards_in(file, answers)]
    base = pack_folder(packs, into) if into else None
    before = load_pack(base) if base else None
    make, originals = PackMaker(before), dict[str, bytes]()
    replaced_ids = {card.name: _earlier_id(card, before, base) for _, card in cards}
    people = sum(bool(card.name) and not replaced_ids[card.name] for _, card in cards)
    people += len(before.characters) if before else 0
    if people > MAX_CAST:
        raise UsageError(f"A story has at most {MAX_CAST} characters; these are {people}. Import fewer.")
    if not cards and before is None:
        raise ImportQuestion("This is a lorebook. Which story is it for?", "into")
    cast = [card.called for _, card in cards if card.name]
    card_ids = [
        make.add_card(card, cast, replaced_id=replaced_ids[card.name], waits=True) for _, card in cards
    ]
    make.add_books()
    for name, (file, card) in zip(card_ids, cards, strict=True):
        originals |= _original(name, file, card.raw)
    for file in (file for file in files if file.payload.kind == "lorebook"):
        everyone = [person.name for person in make.everyone.values()]
        expand = Expansion(
            everyone[0] if len(everyone) == 1 else "", ", ".join(everyone), seed=file.path.name
        )
        if not (book := make.add_lore(file.path.stem, file.payload.value, expand)):
            raise UsageError(f"{file.path.name} cannot be imported. It contains no lore.")
        make.left_out += expand.left_out
        originals |= _original(f"lore-{book}"[:60], file, file.payload.value)
    for file in files:
        make.left_out += file.payload.notes
    if any(name.endswith(".png") for name in originals):
        make.taken.append("The picture, kept in imported/")
    if before is None:
        titles = [card.title for _, card in cards if card.title]
        wanted = id or " and ".join([*titles[:1], *(card.name for _, card in cards)][: 1 if titles else 2])
        player = player or next((card.player for _, card in cards if card.player), "")
        pack = make.pack(_free(packs, wanted, make, taken, chosen=bool(id)), player)
        contents = _new_files(pack)
    else:
        assert base is not None
        pack = make.pack(before.id)
        contents = _joined(base, before, make)
    kind = "lorebook" if not cards else "card" if cast else "scenario"
    long = tuple(id for id, person in make.people.items() if words(person.personality) > SHORT_CARD_WORDS)
    for file in (file for file in files if file.payload.kind == "backyard"):
        for chat in read_backyard(file.payload.value, file.path.stem):
            make.pack_texts += chat.texts()
    make.count_words(file.payload.value for file in files)
    report = ImportReport(kind, pack=pack.id, long=long).adding(
        taken=make.taken, changed=make.changed, left_out=make.left_out
    )
    names = {
        name: id
        for id, (file, card) in zip(card_ids, cards, strict=True)
        if card.name
        for name in (card.name, file.path.name)
    }
    first = next(iter((*make.people, *make.lore)), "nothing")
    last = f"imported/report{f'-{first}' if before else ''}.yaml"
    contents |= originals | {last: yaml.dump(report.as_json())}
    return PackPlan(
        packs, pack.id, base, contents, report, pack, names, is_replacing=any(replaced_ids.values())
    )


def card_newcomer(path: Path, taken: Iterable[str] = ()) -> Newcomer:
    """Return a card's character and lore for a running story, with lore ids not in `taken`. Raises UsageError."""
    cards = [with_settled_names(card) for card in cards_in(source_file(path)) if card.name]
    if len(cards) != 1:
        raise UsageError(f"{path.name} is not the card of one character.")
    (card,), make = cards, PackMaker()
    expand = expansion_of(card, [card.called])
    id = make.add_card(card, [card.called], has_begun=True)
    make.lose(f"The scenario of {card.called}, for the story has a world of its own", expand(card.scenario))
    lore = read_lorebook(card.book, expand, taken=taken).entries
    make.pack_texts += card.credits, expand(card.notes)
    make.count_words([card.raw])
    left_out = tuple(line.removesuffix(KEPT_IN_IMPORTED) for line in make.left_out)
    return Newcomer(make.people[id], lore, "card", left_out)


def _free(packs: Path, wanted: str, make: PackMaker, planned: Collection[str] = (), *, chosen: bool) -> str:
    taken = {path.name for folder in (packs, shipped_folder()) for path in folder.glob("*")} | {*planned}
    name = slug(wanted, "card", 40)
    if name not in taken:
        return name
    if chosen or not is_slug(name):
        raise ImportQuestion(f"There is already a pack '{name}'. Choose another id for this one.", "id")
    free = unique_slug(wanted, taken, "card")
    make.changed.append(f"There is already a pack '{name}', so this one is called '{free}'.")
    return free


def _earlier_id(card: Card, before: Pack | None, base: Path | None) -> str:
    people = before.characters if before else {}
    named = (id for id, person in people.items() if person.name == card.called)
    return next((id for id in named if base and (base / "imported" / f"{id}.json").is_file()), "")


# --- the cards of a file ------------------------------------------------------------------------------------------


def cards_in(file: SourceFile, fill: Iterable[str] = ()) -> Iterator[Card]:
    value, name, answers = file.payload.value, file.path.stem, iter(fill)
    match file.payload.kind:
        case "scenario":
            for scenario in value if isinstance(value, list) else [value]:
                filled, answered = _filled_in(table(scenario), lambda _: next(answers, ""))
                yield replace(read_card(filled, name), changed=tuple(answered))
        case "backyard" if "characters" in value:
            yield from _backyard_cards(value, name)
        case "talemate-scene":
            yield from _scene_cards(value, name)
        case "card" | "backyard":
            yield read_card(value, name)


def _scene_cards(scene: dict[str, Any], name: str) -> Iterator[Card]:
    people = talemate_people(scene)
    player = next((name for name, card in people.items() if card.get("is_player") is True), "")
    about = document_words({**people[player], "name": ""}) if player else ""
    note = f"What the file says of {player}, who is the player: say it when you begin a story"
    yield Card(
        form=TALEMATE.name,
        title=name_of(scene.get("title") or scene.get("name"), name),
        scenario=scene_setting(scene),
        first_mes=plain_text(scene.get("intro")),
        player=player,
        left_out=(LeftOut.counted(note, about),) if words(about) else (),
        raw=scene,
    )
    for other in [name for name in people if name != player]:
        yield read_card(people[other], other, TALEMATE)


def _backyard_cards(value: Mapping[str, Any], name: str) -> Iterator[Card]:
    first, *others = value["scenarios"] or [{}]
    talk = [_labelled(message) for message in items(first.get("exampleMessages"))]
    greetings = [[*map(_labelled, items(scene.get("firstMessages")))] for scene in (first, *others)]
    shared = {
        "scenario": first.get("narrative"),
        "firstMessage": next(iter(greetings[0]), ""),
        "greetings": [page for pages in greetings[1:] for page in pages],
        "customDialogue": "<START>".join(talk) or first.get("exampleMessages"),
        "basePrompt": first.get("formattingInstructions"),
    }
    text = "\n".join(str(scene.get("narrative") or "") for scene in others)
    left = LeftOut.counted(f"The descriptions of {counted(len(others), 'more scenario')}", text)
    for character in value["characters"][:MAX_CAST]:
        card = read_card({"character": {**character, **shared}}, name, BACKYARD)
        yield replace(card, left_out=(*card.left_out, left) if words(text) else card.left_out)


def _labelled(message: Any) -> str:
    text = message.get("text") if isinstance(message, dict) else message
    return text if isinstance(text, str) else ""


_BLANK = re.compile(r"\$\{([^{}]{1,300})\}")
_NOVELAI_BLANK = re.compile(r"(?:\d+#)?([^\[\]:#]+)(?:\[([^\]]*)\])?(?::([^:]*).*)?", re.DOTALL)


def questions_of(scenario: Any) -> tuple[str, ...]:
    questions: list[str] = []

    def answer(question: str) -> str:
        questions.append(question)
        return "…"

    _filled_in(table(scenario), answer)
    return tuple(questions)


def _filled_in(document: dict[str, Any], answer: Callable[[str], str]) -> tuple[Any, list[str]]:
    """Fill blanks such as `${What is your name?}` or `${place[the pier]:Where?}`; return scenario and answers.
    Raises ImportQuestion for the first without an answer.
    """
    asked = {
        str(placeholder.get("key")): placeholder
        for placeholder in map(table, items(document.get("placeholders")))
    }
    values: dict[str, str] = {"character.name": "{player}"}
    notes: list[str] = []

    def word(match: re.Match[str]) -> str:
        parts = _NOVELAI_BLANK.fullmatch(match[1].strip()) if set(match[1]) & set("[#") else None
        key, default, question = parts.groups() if parts else (match[1].strip(), "", "")
        if key not in values:
            question = one_line(str(question or asked.get(key, {}).get("description") or key), 80)
            default = default or asked.get(key, {}).get("defaultValue")
            values[key] = one_line(str(default or answer(question)), 200)
            if not values[key]:
                raise ImportQuestion(f"The scenario asks: “{question}”", "fill")
            notes.append(f"The scenario asks “{question}”; the answer is “{values[key]}”.")
        return values[key]

    def walk(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: walk(placeholder) for key, placeholder in value.items() if key != "placeholders"}
        if isinstance(value, list):
            return [*map(walk, value)]
        return _BLANK.sub(word, value) if isinstance(value, str) else value

    return walk(document), notes


# --- files --------------------------------------------------------------------------------------------------------


def _original(name: str, file: SourceFile, value: Any) -> dict[str, bytes]:
    """The original and its JSON, so that nothing is lost."""
    indent = 1 if len(file.data) < 100_000 else None  # json is ten times as slow with indents
    files = {f"imported/{name}.json": json.dumps(value, indent=indent).encode()}
    ending = _ending(file.data)
    return files if ending == "json" else {**files, f"imported/{name}.{ending}": file.data}


def _ending(data: bytes) -> str:
    signatures = ((b"\x89PNG", "png"), (b"PK\3\4", "zip"), (b"\xff\xd8", "jpg"), (b"RIFF", "webp"))
    plain = "json" if data.lstrip(b"\xef\xbb\xbf \r\n\t")[:1] in (b"{", b"[") else "txt"
    return next((ending for magic, ending in signatures if data.startswith(magic)), plain)


def _new_files(pack: Pack) -> dict[str, bytes]:
    try:
        files = pack_files(pack, check=False)
    except (ValueError, SaveError) as error:
        raise UsageError(f"Its texts cannot be kept in a pack: {error}") from error
    return {path.removeprefix("pack/"): data for path, data in files.items() if data is not None}


def _joined(base: Path, before: Pack, make: PackMaker) -> dict[str, bytes]:
    contents = {character_file(id): yaml.dump(data_of(person)) for id, person in make.people.items()}
    contents |= {
        lore_file(book): _with_entries(base / lore_file(book), before.lore.get(book, ()), entries)
        for book, entries in make.lore.items()
    }
    if new := [id for id in make.people if id not in before.characters]:
        first = before.first_chapter
        fields = ("characters", *(("present",) if first.present is not None else ()))
        contents[GAME] = _with_names(base / GAME, ("characters",), new)
        contents[chapter_file(first.id)] = _with_names(base / chapter_file(first.id), fields, new)
    return contents


def _with_entries(file: Path, before: Sequence[LoreEntry], after: Sequence[LoreEntry]) -> bytes:
    """Write the entries of a book; if only keys and knowers differ, its remarks stay."""
    unkeyed = [
        [entry.model_copy(update={"keys": (), "known_by": ()}) for entry in entries]
        for entries in (before, after)
    ]
    if unkeyed[0] != unkeyed[1]:
        return yaml.dump([data_of(entry) for entry in after])

    def change(document: Any) -> Any:
        for data, old, new in zip(document, before, after, strict=True):
            data.update({"keys": [*new.keys], "known_by": [*new.known_by]} if old != new else {})
        return document

    return yaml.edited(file.read_text("utf-8"), change).encode()


def _with_names(file: Path, fields: Iterable[str], names: Iterable[str]) -> bytes:
    def add(document: Any) -> Any:
        for name in fields:
            document[name].extend(names)
        return document

    return yaml.edited(file.read_text("utf-8"), add).encode()
