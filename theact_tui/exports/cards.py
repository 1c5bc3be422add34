"""Export characters as cards, and lore as a lorebook. Only what the character knows goes out; its secret on request."""

import base64
import json
import re
import struct
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from theact_tui.errors import UsageError
from theact_tui.importing.card_to_character import character_from, expansion_of, read_card
from theact_tui.importing.lorebooks import LOGIC, OURS
from theact_tui.importing.pictures import PNG
from theact_tui.story.character_view import may_know, witnessed
from theact_tui.story.forgetting_and_recall import archived_lines
from theact_tui.story.game import Game
from theact_tui.story.lore import EVERYONE, LoreEntry
from theact_tui.story.memory import lines_of
from theact_tui.story.pack import Character, Pack, unaddressed
from theact_tui.text import one_line


@dataclass(frozen=True, slots=True)
class CardFile:
    name: str
    ending: str
    contents: bytes


def character_of(pack: Pack, wanted: str) -> str:
    """Return the id of a character by id or name, or the only character. Raises UsageError."""
    ids = {name: id for id, card in pack.characters.items() for name in (id, card.name.casefold())}
    id = ids.get(wanted) or ids.get(wanted.casefold())
    if not wanted and len(pack.characters) == 1:
        return next(iter(pack.characters))
    if id is None:
        asked = f"There is no character '{one_line(wanted, 40)}'."
        problem = asked if wanted else "Name a character with --character."
        raise UsageError(f"{problem} Characters: {', '.join(pack.characters)}.")
    return id


def export_card(
    pack: Pack, id: str, *, folder: Path | None = None, game: Game | None = None, secret: bool = False
) -> CardFile:
    """Make a character's card, in `game` with its memories. The pack's `folder` may have the original card and picture."""
    raw, picture = _original(folder, id)
    card = card_of(pack, id, raw, game=game, secret=secret)
    contents = with_card(picture, card) if picture else json.dumps(card, indent=1).encode()
    return CardFile(pack.characters[id].name, "png" if picture else "json", contents)


def card_of(
    pack: Pack, id: str, original: Any = None, *, game: Game | None = None, secret: bool = False
) -> dict[str, Any]:
    """Make a V3 card, or update the `original` where the character changed."""
    pack = unaddressed(pack, game.info.player) if game else pack
    character = pack.characters[id]
    raw = original if isinstance(original, dict) else {}
    inside = raw["data"] if isinstance(raw.get("data"), dict) else raw if "first_mes" in raw else {}
    fields: dict[str, Any] = inside
    data = {**_empty(), **fields}
    if not (fields and _is_same(raw, character)):
        data |= {"description": _macro(character.personality), "personality": _macro(character.role)}
        data |= {"name": character.name, "nickname": ""} if not fields else {}
    if not fields:
        script = pack.script.chapters.get(pack.first_chapter.id)
        written = pack.first_chapter.openings or ((script.opening,) if script and not game else ())
        pages = [_macro(page) for page in written]
        data |= {"first_mes": pages[0] if pages else "", "alternate_greetings": pages[1:]}
        data["mes_example"] = "".join(
            f"<START>\n{{{{char}}}}: {_macro(line)}\n" for line in character.examples
        )
        data["scenario"] = _macro(pack.first_chapter.summary or pack.world.setting)
        data["creator_notes"] = f"From “{pack.game.title}”."
        data["creator"] = pack.game.credits.split("\n")[0][:200]
    entries = [*_lore(pack, id, game, has_card=bool(fields)), *_about(pack, id, secret)]
    if game:
        entries += _remembered(game, id)
        note = f"As of turn {game.state.turn} of “{game.info.title}”."
        data["creator_notes"] = "\n".join(part for part in (str(data["creator_notes"] or ""), note) if part)
        data["first_mes"] = data["first_mes"] or _macro(_last_heard(game, id))
    spec = raw.get("spec") if raw.get("spec") == "chara_card_v2" else "chara_card_v3"
    book = data.get("character_book")
    if entries or (isinstance(book, dict) and spec == "chara_card_v3"):
        complete = _with_required(book if isinstance(book, dict) else {"name": character.name})
        complete["entries"] += [_entry(entry, pack.names) for entry in entries]
        data["character_book"] = complete
    elif book is None:
        data.pop("character_book", None)
    outside = {key: value for key, value in raw.items() if key not in ("data", "spec", "spec_version")}
    version = raw.get("spec_version") or ("2.0" if spec == "chara_card_v2" else "3.0")
    return {**(outside if "data" in raw else {}), "spec": spec, "spec_version": version, "data": data}


def _with_required(book: Mapping[str, Any]) -> dict[str, Any]:
    listed = book.get("entries")
    entries = (
        list(listed.values()) if isinstance(listed, dict) else listed if isinstance(listed, list) else []
    )
    complete = [{**_REQUIRED, **entry} for entry in entries if isinstance(entry, dict)]
    return {"extensions": {}, **book, "entries": complete}


def lorebook(pack: Pack, game: Game | None = None) -> bytes:
    """Export all lore as a V3 lorebook, with `known_by` in the extensions. Raises UsageError without lore."""
    pack = unaddressed(pack, game.info.player) if game else pack
    revealed = game.state.lore_known if game else {}
    entries = [
        _entry(
            entry.model_copy(update={"known_by": (*entry.known_by, *revealed.get(entry.id, ()))}), pack.names
        )
        for entries in pack.lore.values()
        for entry in entries
    ]
    if not entries:
        raise UsageError(f"{(game.info.title if game else pack.game.title)} has no lore.")
    data = {"name": pack.game.title, "extensions": {}, "entries": entries}
    return json.dumps({"spec": "lorebook_v3", "data": data}, indent=1).encode()


def _original(folder: Path | None, id: str) -> tuple[Any, bytes]:
    if folder is None:
        return None, b""
    card, picture = folder / "imported" / f"{id}.json", folder / "imported" / f"{id}.png"
    try:
        raw = json.loads(card.read_text("utf-8")) if card.is_file() else None
        return raw, picture.read_bytes() if picture.is_file() else b""
    except (OSError, ValueError, RecursionError):
        return None, b""


def _empty() -> dict[str, Any]:
    texts = (
        "name", "description", "personality", "scenario", "first_mes", "mes_example", "creator_notes",
        "system_prompt", "post_history_instructions", "creator", "character_version",
    )  # fmt: skip
    lists = ("alternate_greetings", "tags", "group_only_greetings")
    return {**dict.fromkeys(texts, ""), **{name: [] for name in lists}, "extensions": {}}


def _is_same(raw: dict[str, Any], character: Character) -> bool:
    card = read_card(raw, character.name)
    return character_from(card, expansion_of(card))[0].personality == character.personality


def _macro(text: str) -> str:
    return text.replace("{player}", "{{user}}")


def _lore(pack: Pack, id: str, game: Game | None, *, has_card: bool) -> Iterable[LoreEntry]:
    for book, entries in pack.lore.items():
        if not (has_card and (book == id or book.startswith(f"{id}-"))):
            for entry in entries:
                if may_know(game, entry, id) if game else {EVERYONE, id} & set(entry.known_by):
                    yield entry


_REQUIRED: dict[str, Any] = {
    "keys": [], "content": "", "extensions": {}, "enabled": True, "insertion_order": 100, "use_regex": False,
}  # fmt: skip
"""Fields that strict readers require."""
_NO_FIELDS = ("text", "title", "keys", "enabled", "always", "weight", "probability")
"""The other fields go into extensions."""


def _entry(entry: LoreEntry, names: Mapping[str, str]) -> dict[str, Any]:
    """Knowers are also listed by name, because ids differ between packs."""
    logic, others = next(
        ((number, getattr(entry, name)) for number, name in reversed(LOGIC.items()) if getattr(entry, name)),
        (0, ()),
    )
    ours = entry.model_dump(mode="json", exclude_defaults=True, exclude={*_NO_FIELDS})
    if people := {id: names[id] for id in entry.known_by if id in names}:
        ours["names"] = people
    extensions = {
        "probability": entry.probability,
        "useProbability": True,
        "selectiveLogic": logic,
        "position": 0,
    }
    return {
        **_REQUIRED,
        "keys": list(entry.keys),
        "content": _macro(entry.text),
        "extensions": {**extensions, OURS: {**ours, "known_by": list(entry.known_by), "title": entry.title}},
        "enabled": entry.enabled,
        "insertion_order": entry.weight,
        "constant": entry.always,
        "name": entry.name,
        "comment": entry.name,
        "position": "before_char",
        "selective": bool(others),
        "secondary_keys": list(others),
    }


def _about(pack: Pack, id: str, secret: bool) -> Iterable[LoreEntry]:
    character, own = pack.characters[id], (id,)
    for other, text in character.relationships.items():
        name = pack.name_of(other)
        yield LoreEntry(id=other, title=f"About {name}", text=text, keys=(name,), known_by=own)
    for title, text in (("What it wants", character.want), ("Secret", character.secret if secret else "")):
        if text:
            yield LoreEntry(id="own", title=title, text=text, always=True, known_by=own)


def _last_heard(game: Game, id: str) -> str:
    for number in sorted(game.turns, reverse=True):
        entries = witnessed(game.turns[number], id).entries
        heard = [entry.text for entry in entries if entry.role == "narrator" or entry.character == id]
        if heard:
            return "\n\n".join(heard)
    return ""


def _remembered(game: Game, id: str) -> list[LoreEntry]:
    memory = game.memories.get(id)
    if memory is None:
        return []
    recent = sorted(lines_of(memory), key=lambda line: line.turn)
    older = [(line, keys) for line in archived_lines(memory.older) if (keys := _keys(line.text))]
    lines: list[tuple[str, str, tuple[str, ...]]] = [
        (f"What {game.pack.name_of(id)} remembers, to turn {memory.summary_turn}", memory.summary, ()),
        *((f"turn {line.turn}", line.text, ()) for line in recent),
        *((f"turn {line.turn}", line.text, keys) for line, keys in older),
    ]
    return [
        LoreEntry(id="m", title=title, text=text, keys=keys, always=not keys, known_by=(id,))
        for title, text, keys in lines
        if text
    ]


def _keys(text: str) -> tuple[str, ...]:
    long_words = dict.fromkeys(word for word in re.findall(r"\w+", text) if len(word) > 4)
    return tuple(sorted(long_words, key=len, reverse=True)[:4])


# --- pictures -----------------------------------------------------------------------------------------------------


def with_card(picture: bytes, card: dict[str, Any]) -> bytes:
    """Return the PNG with the card for readers of V2 and V3 in place of older ones."""
    chunks, tail = [], b""
    at = len(PNG)
    while at + 8 <= len(picture):
        size, kind = struct.unpack_from(">I4s", picture, at)
        chunk = picture[at : at + 12 + size]
        keyword = chunk[8:].partition(b"\0")[0].lower()
        if kind == b"IEND":
            tail = picture[at:]
            break
        if not (kind in (b"tEXt", b"zTXt", b"iTXt") and keyword in (b"chara", b"ccv3")):
            chunks.append(chunk)
        at += 12 + size
    versions = ((b"chara", "v2", "2.0"), (b"ccv3", "v3", "3.0"))
    for keyword, spec, version in versions:
        data = card["data"]
        if spec == "v3" and isinstance(data.get("character_book"), dict):
            data = {**data, "character_book": _with_required(data["character_book"])}
        head = {"spec": f"chara_card_{spec}", "spec_version": version}
        document = json.dumps({**card, **head, "data": data}).encode()
        chunks.append(_sealed(b"tEXt", keyword + b"\0" + base64.b64encode(document)))
    return PNG + b"".join(chunks) + (tail or _sealed(b"IEND", b""))


def _sealed(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
