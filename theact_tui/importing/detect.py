"""Detect a file's kind by content, never by name, and parse its value."""

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from theact_tui.errors import SaveError, UsageError
from theact_tui.importing.card_to_character import (
    AGNAI,
    BACKYARD,
    CARD_FIELDS,
    DUNGEON,
    NOVELAI,
    PYGMALION,
    TALEMATE,
    TEXTGEN,
    V1,
    V2,
    Json,
)
from theact_tui.importing.lorebooks import is_entry
from theact_tui.importing.pictures import hidden_text, is_picture
from theact_tui.importing.read_untrusted import (
    MAX_FILE_BYTES,
    ZIP,
    Archive,
    decode,
    items,
    json_in,
    parse_json,
    table,
)
from theact_tui.importing.report import words_left_out
from theact_tui.text import counted

CardKind = Literal["card", "scenario", "lorebook", "backyard", "talemate-scene"]
"""Imported as a pack or part of one; Backyard files may hold chats too."""
ChatKind = Literal[
    "chat", "textgen-chat", "agnai-chat", "cai-chat", "risu-chat", "kobold", "kobold-share", "talemate",
    "novelai-story", "backyard-chat", "role-chat",
]  # fmt: skip
Kind = CardKind | ChatKind | Literal["group", "pack", "story", "archive"]
CARD_KINDS: tuple[CardKind, ...] = get_args(CardKind)
BUNDLE, RISU_MODULE = b"# v2 git bundle", b"o\0"


@dataclass(frozen=True, slots=True)
class Payload:
    """Detected file. `value` is its JSON or YAML, or the text of line-based and shared chats."""

    kind: Kind
    value: Any = None
    archive: Archive | None = None
    picture: bool = False
    is_doubtful: bool = False
    """It has fields that no card has."""
    notes: tuple[str, ...] = ()
    """Sentences about parts that are left out."""


def unpack(data: bytes, name: str) -> Payload:
    """Detect and parse `data`. Raises UsageError, starting with `name`."""
    try:
        if len(data) > MAX_FILE_BYTES:
            raise UsageError("It is larger than 64 MB.")
        return _unpack(data)
    except UsageError as error:
        raise UsageError(f"{name} cannot be imported. {error.message}") from None


def _unpack(data: bytes) -> Payload:
    if data.startswith(BUNDLE):
        return Payload("story")
    if data.startswith(ZIP):
        return _archive(data)
    if is_picture(data):
        return replace(_picture(data), picture=True)
    if data.startswith(RISU_MODULE):
        raise UsageError("It is a RisuAI module in an unsupported format. Export its lorebook there.")
    return _text(decode(data))


def _picture(data: bytes) -> Payload:
    if (hidden := hidden_text(data)) is not None:
        keyword, text = hidden
        value = _json(json_in(text))
        if keyword != "naidata" and value.kind not in CARD_KINDS:
            raise UsageError("The data in the picture is not a card.")
        return value
    if data.startswith(b"\xff\xd8") and ZIP in data:
        return _archive(data)
    raise UsageError(
        "The picture contains no card. Editing a picture or sending it by chat removes its card."
    )


def _archive(data: bytes) -> Payload:
    archive = Archive(data)
    own = [name for name in archive.names if not name.startswith("__MACOSX")]
    by_name = {name.rsplit("/", 1)[-1]: name for name in reversed(own)}
    if "game.yaml" in by_name:
        return Payload("pack", archive=archive)
    notes: tuple[str, ...] = ()
    cards = [name for name in own if name == "card.json" or name.endswith("/card.json")]
    cards = cards or [name for name in own if "/" not in name and name.endswith("card.json")]
    if cards:
        if "module.risum" in by_name:
            notes = ("The RisuAI module in the archive (its scripts and lore): its format is not supported.",)
        value = json_in(archive.read(cards[0]))
        if _kind(value) != "card":
            raise UsageError(f"{cards[0]} in the archive is not a card.")
        pictures = sum(name.startswith("assets/") for name in own)
        if pictures:
            notes += (f"{counted(pictures, 'file')} of the archive's assets (pictures, sounds).",)
        return Payload("card", value, archive, notes=notes)
    if "manifest.json" in own:
        manifest = table(json_in(archive.read("manifest.json")))
        if manifest.get("characters"):
            parts = {
                part: [
                    table(json_in(archive.read(file))) for file in items(manifest.get(part)) if file in own
                ]
                for part in ("characters", "scenarios")
            }
            return Payload("backyard", parts, archive)
    if "story.json" in by_name:
        return _json(json_in(archive.read(by_name["story.json"])))
    if any(name.endswith((".png", ".webp", ".json", ".jsonl", ".yaml")) for name in own):
        return Payload("archive", archive=archive)
    raise UsageError("The archive contains no card, story or pack.")


def _text(text: str) -> Payload:
    start = text.lstrip()
    if start[:5].lower() in ("<!doc", "<html"):
        raise UsageError("It is a web page. Download the card or the chat itself from that page.")
    if start.startswith("rcc||"):
        raise UsageError("It is protected with a RisuAI password. Export it there without one.")
    if start.startswith("XQAAAQ"):
        return Payload("kobold-share", start)
    if start.startswith(("{", "[")):
        lines = start.split("\n", 2)
        if "\n" in start.rstrip() and lines[0].rstrip().endswith("}"):
            with suppress(UsageError):
                if any(_is_message(parse_json(line)) for line in lines[:2] if line.strip()):
                    return Payload("chat", text)
        value = parse_json(text)
        return Payload("chat", text) if _is_message(value) else _json(value)
    return _yaml(text)


def _yaml(text: str) -> Payload:
    from theact_tui.yaml import load

    value = None
    if len(text) <= 1_000_000 and ":" in text:
        with suppress(SaveError):
            value = load(text.encode(errors="replace"), "it")
    if _kind(value) is None:
        raise UsageError("Its format is not supported.")
    return _json(value)


def _is_message(value: Any) -> bool:
    return isinstance(value, dict) and (
        "mes" in value
        or ("user_name" in value and "character_name" in value)
        or ("character_names" in value and ("chat_metadata" in value or "user_name" in value))
    )


def _json(value: Any) -> Payload:
    kind = _kind(value)
    inside = value.get("data") if isinstance(value, dict) else None
    if kind is None and (inner := _kind(inside)):
        notes = words_left_out([{**value, "data": None}], ())
        return Payload(inner, inside, notes=notes)
    if kind is None:
        raise UsageError("It is JSON, but not a card, lorebook, chat or story that this program can read.")
    return Payload(kind, value, is_doubtful=kind == "card" and _is_doubtful(value))


def _is_doubtful(value: Json) -> bool:
    is_sure = any(tells(value) for kind, tells in _TELLS[:-1] if kind == "card")
    return not (is_sure or value.keys() <= CARD_FIELDS)


def _kind(value: Any) -> Kind | None:
    if isinstance(value, list):
        first = table(value[0]) if value else {}
        if DUNGEON.tells(first):
            return "scenario"
        return "lorebook" if is_entry(first) else "role-chat" if _is_role_chat(value) else None
    return next((kind for kind, tells in _TELLS if isinstance(value, dict) and tells(value)), None)


def _is_role_chat(messages: Any) -> bool:
    return {"role", "content"} <= table(next(iter(items(messages)), None)).keys()


def _is_scene(value: Json) -> bool:
    people = {"world_state", "characters"} & value.keys()
    return "character_data" in value or ("history" in value and bool(people))


def _has_text(story: Any) -> bool:
    return bool({"text", "fragments"} & table(table(story.get("content")).get("story")).keys())


_TELLS: tuple[tuple[Kind, Any], ...] = (
    ("card", lambda v: v.get("spec") in ("chara_card_v2", "chara_card_v3")),
    (
        "lorebook",
        lambda v: v.get("spec") == "lorebook_v3" or v.get("kind") == "memory" or v.get("type") == "risu",
    ),
    ("lorebook", lambda v: "lorebookVersion" in v),
    ("risu-chat", lambda v: v.get("type") in ("risuChat", "risuAllChats")),
    ("cai-chat", lambda v: "histories" in table(v.get("histories"))),
    ("textgen-chat", lambda v: "internal" in v or ("data" in v and "data_visible" in v)),
    ("card", V2.tells),
    ("card", V1.tells),
    ("card", PYGMALION.tells),
    ("card", TALEMATE.tells),
    ("backyard", BACKYARD.tells),
    ("backyard-chat", lambda v: "ChatItems" in table(v.get("chat"))),
    ("card", AGNAI.tells),
    ("novelai-story", lambda v: "storyContainerVersion" in v and _has_text(v)),
    ("scenario", NOVELAI.tells),
    ("talemate-scene", lambda v: _is_scene(v) and not items(v.get("history"))),
    ("talemate", lambda v: _is_scene(v)),
    ("kobold", lambda v: ("prompt" in v and ("actions" in v or "gamestarted" in v)) or "savedsettings" in v),
    ("kobold", lambda v: "ga" in v and "ca" in v),
    ("role-chat", lambda v: _is_role_chat(v.get("messages"))),
    ("agnai-chat", lambda v: isinstance(v.get("messages"), list)),
    ("group", lambda v: "members" in v and "chats" in v),
    ("lorebook", lambda v: isinstance(v.get("entries"), (dict, list))),
    ("scenario", DUNGEON.tells),
    ("card", TEXTGEN.tells),
    ("card", lambda v: "name" in v and ("description" in v or "personality" in v)),
)
