"""Packs made of character cards, scenarios and lorebooks: a new one, or people and lore that join one. Whole or not there."""

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from theact_tui import yaml
from theact_tui.errors import SaveError, UsageError
from theact_tui.importing.card_to_character import BACKYARD, TALEMATE, Card, expansion_of, read_card
from theact_tui.importing.chat import name_of
from theact_tui.importing.detect import Payload, unpack
from theact_tui.importing.json_chats import read_backyard, scene_setting, talemate_people
from theact_tui.importing.lorebooks import read_lorebook
from theact_tui.importing.macros import Expansion
from theact_tui.importing.pack_file import PackPlan
from theact_tui.importing.pack_maker import SHORT_CARD, PackMaker
from theact_tui.importing.plain import plain_text
from theact_tui.importing.read_untrusted import items, read_file, table
from theact_tui.importing.report import KEPT, ImportQuestion, ImportReport, LeftOut, words_in
from theact_tui.packs.files import GAME, chapter_file, character_file, lore_file
from theact_tui.packs.library import pack_folder
from theact_tui.packs.listing import shipped_folder
from theact_tui.packs.loader import load_pack
from theact_tui.saves.codec import data_of, pack_files
from theact_tui.story.cast import MAX_CAST, Newcomer
from theact_tui.story.pack import Pack
from theact_tui.text import counted, is_slug, one_line, slug, unique_slug, words


@dataclass(frozen=True, slots=True)
class SourceFile:
    path: Path
    data: bytes
    payload: Payload


def source_file(path: Path) -> SourceFile:
    """A file, read and told what it is. UsageError, one sentence, if it is nothing that can be read."""
    data = read_file(path)
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
    """The pack that these cards, scenarios and lorebooks make, or join; a new one has an id that is not `taken`. `fill`
    answers the questions of scenarios, in their order. UsageError, one sentence, if they make none."""
    answers = iter(fill)
    cards = [(file, card) for file in files for card in cards_in(file, answers)]
    base = pack_folder(packs, into) if into else None
    before = load_pack(base) if base else None
    make, originals = PackMaker(before), dict[str, bytes]()
    known = {card.name: _known(card, before, base) for _, card in cards}
    people = sum(bool(card.name) and not known[card.name] for _, card in cards)
    people += len(before.characters) if before else 0
    if people > MAX_CAST:
        raise UsageError(f"A story has at most {MAX_CAST} characters; these are {people}. Import fewer.")
    if not cards and before is None:
        raise ImportQuestion("This is a lorebook. Which story is it for?", "into")
    cast = [card.called for _, card in cards if card.name]
    kept = [make.add_card(card, cast, known=known[card.name], waits=True) for _, card in cards]
    make.add_books()
    for name, (file, card) in zip(kept, cards, strict=True):
        originals |= _original(name, file, card.raw)
    for file in (file for file in files if file.payload.kind == "lorebook"):
        expand = Expansion(seed=file.path.name)
        if not make.add_lore(file.path.stem, file.payload.value, expand):
            raise UsageError(f"{file.path.name} cannot be imported. It contains no lore.")
        make.left_out += expand.left_out
        originals |= _original(f"lore-{[*make.lore][-1]}"[:60], file, file.payload.value)
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
    long = tuple(id for id, person in make.people.items() if words(person.personality) > SHORT_CARD)
    make.kept += [text for file in files if file.payload.kind == "backyard" for text in _chats_of(file)]
    make.count_words(file.payload.value for file in files)
    report = ImportReport(kind, pack=pack.id, long=long).adding(
        taken=make.taken, changed=make.changed, left_out=make.left_out
    )
    names = {card.name: id for id, (_, card) in zip(kept, cards, strict=True) if card.name}
    first = next(iter((*make.people, *make.lore)), "nothing")
    last = f"imported/report{f'-{first}' if before else ''}.yaml"
    contents |= originals | {last: yaml.dump(report.as_json())}
    return PackPlan(packs, pack.id, base, contents, report, pack, names, is_replacing=any(known.values()))


def card_newcomer(path: Path, taken: Iterable[str] = ()) -> Newcomer:
    """The character of a card for a story that has begun, with its lore, whose ids are none of those `taken`. UsageError
    for anything else."""
    cards = [card for card in cards_in(source_file(path)) if card.name]
    if len(cards) != 1:
        raise UsageError(f"{path.name} is not the card of one character.")
    (card,), make = cards, PackMaker()
    expand = expansion_of(card, [card.called])
    id = make.add_card(card, [card.called], is_told=True)
    make.lose(f"The scenario of {card.called}, for the story has a world of its own", expand(card.scenario))
    lore = read_lorebook(card.book, expand, taken=taken).entries
    make.kept += card.credits, expand(card.notes)
    make.count_words([card.raw])
    left_out = tuple(line.removesuffix(KEPT) for line in make.left_out)
    return Newcomer(make.people[id], lore, "card", left_out)


def _free(packs: Path, wanted: str, make: PackMaker, planned: Collection[str] = (), *, chosen: bool) -> str:
    """An id that no pack has. A chosen one must be free."""
    taken = {path.name for folder in (packs, shipped_folder()) for path in folder.glob("*")} | {*planned}
    name = slug(wanted, "card", 40)
    if name not in taken:
        return name
    if chosen or not is_slug(name):
        raise ImportQuestion(f"There is already a pack '{name}'. Choose another id for this one.", "id")
    free = unique_slug(wanted, taken, "card")
    make.changed.append(f"There is already a pack '{name}', so this one is called '{free}'.")
    return free


def _known(card: Card, before: Pack | None, base: Path | None) -> str:
    """The id of the character that came of an earlier version of this card; empty if none did."""
    people = before.characters if before else {}
    named = (id for id, person in people.items() if person.name == card.called)
    return next((id for id in named if base and (base / "imported" / f"{id}.json").is_file()), "")


# --- the cards of a file ------------------------------------------------------------------------------------------


def cards_in(file: SourceFile, fill: Iterable[str] = ()) -> Iterator[Card]:
    """The cards and scenarios in a file; `fill` answers what a scenario asks for."""
    value, name, answers = file.payload.value, file.path.stem, iter(fill)
    match file.payload.kind:
        case "scenario":
            for scenario in value if isinstance(value, list) else [value]:
                filled, told = _filled_in(table(scenario), lambda _: next(answers, ""))
                yield replace(read_card(filled, name), changed=tuple(told))
        case "backyard" if "characters" in value:
            yield from _backyard_cards(value, name)
        case "talemate-scene":
            yield from _scene_cards(value, name)
        case "card" | "backyard":
            yield read_card(value, name)


def _scene_cards(scene: dict[str, Any], name: str) -> Iterator[Card]:
    """The world of a scene of Talemate that has not begun, and its people."""
    people = talemate_people(scene)
    player = next((name for name, card in people.items() if card.get("is_player") is True), "")
    about = words_in({**people[player], "name": ""}) if player else ""
    what = f"What the file says of {player}, who is the player: say it when you begin a story"
    yield Card(
        form=TALEMATE.name,
        title=name_of(scene.get("title") or scene.get("name"), name),
        scenario=scene_setting(scene),
        first_mes=plain_text(scene.get("intro")),
        player=player,
        left_out=(LeftOut.counted(what, about),) if words(about) else (),
        raw=scene,
    )
    for other in [name for name in people if name != player]:
        yield read_card(people[other], other, TALEMATE)


def _backyard_cards(value: Mapping[str, Any], name: str) -> Iterator[Card]:
    first, *others = value["scenarios"] or [{}]
    talk = [_said(each) for each in items(first.get("exampleMessages"))]
    greetings = [[*map(_said, items(scene.get("firstMessages")))] for scene in (first, *others)]
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


def _chats_of(file: SourceFile) -> Iterator[str]:
    """What is said in the chats of a file that holds a character as well."""
    for chat in read_backyard(file.payload.value, file.path.stem):
        yield from chat.texts()


def _said(message: Any) -> str:
    text = message.get("text") if isinstance(message, dict) else message
    return text if isinstance(text, str) else ""


_BLANK = re.compile(r"\$\{([^{}]{1,300})\}")
_NOVELAI_BLANK = re.compile(r"(?:\d+#)?([^\[\]:#]+)(?:\[([^\]]*)\])?(?::([^:]*).*)?", re.DOTALL)


def questions_of(scenario: Any) -> tuple[str, ...]:
    """What a scenario asks for, in the order of its blanks."""
    questions: list[str] = []

    def answer(question: str) -> str:
        questions.append(question)
        return "…"

    _filled_in(table(scenario), answer)
    return tuple(questions)


def _filled_in(document: dict[str, Any], answer: Callable[[str], str]) -> tuple[Any, list[str]]:
    """A scenario with its blanks filled in, such as `${What is your name?}` or `${place[the pier]:Where?}`, and what they
    became. An ImportQuestion for the first one that has no default and no `answer`."""
    asked = {str(each.get("key")): each for each in map(table, items(document.get("placeholders")))}
    known: dict[str, str] = {"character.name": "{player}"}
    told: list[str] = []

    def word(found: re.Match[str]) -> str:
        parts = _NOVELAI_BLANK.fullmatch(found[1].strip()) if set(found[1]) & set("[#") else None
        key, default, question = parts.groups() if parts else (found[1].strip(), "", "")
        if key not in known:
            question = one_line(str(question or asked.get(key, {}).get("description") or key), 80)
            default = default or asked.get(key, {}).get("defaultValue")
            known[key] = one_line(str(default or answer(question)), 200)
            if not known[key]:
                raise ImportQuestion(f"The scenario asks: “{question}”", "fill")
            told.append(f"The scenario asks “{question}”; the answer is “{known[key]}”.")
        return known[key]

    def walk(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: walk(each) for key, each in value.items() if key != "placeholders"}
        if isinstance(value, list):
            return [*map(walk, value)]
        return _BLANK.sub(word, value) if isinstance(value, str) else value

    return walk(document), told


# --- files --------------------------------------------------------------------------------------------------------


def _original(name: str, file: SourceFile, value: Any) -> dict[str, bytes]:
    """The original, and what it says as JSON: nothing that is not understood is lost."""
    indent = 1 if len(file.data) < 100_000 else None  # json is ten times as slow with indents
    kept = {f"imported/{name}.json": json.dumps(value, indent=indent).encode()}
    ending = _ending(file.data)
    return kept if ending == "json" else {**kept, f"imported/{name}.{ending}": file.data}


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


def _joined(base: Path, before: Pack, make: PackMaker) -> dict[str, bytes]:
    """The files that change when people and lore join a pack; comments in its files stay."""
    contents = {character_file(id): yaml.dump(data_of(person)) for id, person in make.people.items()}
    contents |= {
        lore_file(book): yaml.dump([data_of(entry) for entry in entries])
        for book, entries in make.lore.items()
    }
    if new := [id for id in make.people if id not in before.characters]:
        first = before.first_chapter
        fields = ("characters", *(("present",) if first.present is not None else ()))
        contents[GAME] = _with_names(base / GAME, ("characters",), new)
        contents[chapter_file(first.id)] = _with_names(base / chapter_file(first.id), fields, new)
    return contents


def _with_names(file: Path, fields: Iterable[str], names: Iterable[str]) -> bytes:
    """A file of a pack whose lists in `fields` have more names."""

    def add(document: Any) -> Any:
        for name in fields:
            document[name].extend(names)
        return document

    return yaml.edited(file.read_text("utf-8"), add).encode()
