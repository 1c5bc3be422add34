"""What a file is, told by its content and never by its name, and the value that it carries."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from theact_tui.errors import UsageError
from theact_tui.importing.reading import (
    MAX_FILE,
    PNG,
    ZIP,
    Archive,
    decode,
    exif_comment,
    from_base64,
    parse_json,
    png_texts,
    table,
)
from theact_tui.text import counted

Kind = Literal[
    "card",
    "lorebook",
    "chat",
    "group",
    "textgen-chat",
    "agnai-chat",
    "cai-chat",
    "risu-chat",
    "kobold",
    "kobold-share",
    "talemate",
    "novelai",
    "ai-dungeon",
    "backyard",
    "pack",
    "story",
]
RISU_MODULE = b"o\0"


@dataclass(frozen=True, slots=True)
class Payload:
    """A file as far as it is understood. `value` is that of its JSON or YAML; the text itself of chats in lines and share
    texts."""

    kind: Kind
    value: Any = None
    archive: Archive | None = None
    picture: bool = False
    notes: tuple[str, ...] = field(default=())
    """What of the file is left out whatever becomes of it."""


def unpack(data: bytes, name: str) -> Payload:
    """What `data` is, with the value it carries. UsageError, one sentence beginning with `name`, if it is nothing that
    can be read, or is not within limits."""
    try:
        if len(data) > MAX_FILE:
            raise UsageError("It is larger than 64 MB.")
        return _unpack(data)
    except UsageError as error:
        raise UsageError(f"{name} cannot be imported. {error.message}") from None


def _unpack(data: bytes) -> Payload:
    if data.startswith(b"# v2 git bundle"):
        return Payload("story")
    if data.startswith(PNG):
        return _png(data)
    if data.startswith(ZIP):
        return _archive(data, picture=False)
    if data[:3] == b"\xff\xd8\xff" or (data[:4] == b"RIFF" and data[8:12] == b"WEBP"):
        if (comment := exif_comment(data)) is not None:
            return _card_value(_comment_value(comment), picture=True)
        if data[:2] == b"\xff\xd8" and ZIP in data:
            return _archive(data, picture=True)
        raise UsageError(
            "The picture contains no card. Editing a picture or sending it by chat removes its card."
        )
    if data.startswith(RISU_MODULE):
        raise UsageError("It is a RisuAI module in an unsupported format. Export its lorebook there.")
    return _text(decode(data))


def _png(data: bytes) -> Payload:
    texts = png_texts(data)
    for keyword in ("ccv3", "chara"):
        if keyword in texts:
            return _card_value(parse_json(decode(from_base64(texts[keyword]))), picture=True)
    if "naidata" in texts:
        return _json(parse_json(decode(from_base64(texts["naidata"]))), picture=True)
    if (comment := exif_comment(data)) is not None:
        return _card_value(_comment_value(comment), picture=True)
    raise UsageError(
        "The picture contains no card. Editing a picture or sending it by chat removes its card."
    )


def _comment_value(comment: bytes) -> Any:
    """The card in a picture's user comment: JSON, base64 of JSON, or its bytes as decimals joined by commas."""
    flat = comment.strip(b"\0 \r\n\t")
    if flat[:1].isdigit() and b"," in flat[:5]:
        try:
            flat = bytes(int(part) for part in flat.split(b","))
        except ValueError:
            raise UsageError("The card in the picture is damaged.") from None
    return parse_json(decode(from_base64(flat)))


def _card_value(value: Any, picture: bool) -> Payload:
    found = _json(value, picture)
    if found.kind not in ("card", "lorebook"):
        raise UsageError("The data in the picture is not a card.")
    return found


def _archive(data: bytes, picture: bool) -> Payload:
    archive = Archive(data)
    own = [name for name in archive.names if not name.startswith("__MACOSX")]
    by_name = {name.rsplit("/", 1)[-1]: name for name in reversed(own)}
    if "game.yaml" in by_name:
        return Payload("pack", archive=archive)
    notes: tuple[str, ...] = ()
    cards = [name for name in own if name.endswith("card.json")]
    if cards:
        if "module.risum" in by_name:
            notes = ("The RisuAI module in the archive (its scripts and lore): its format is not supported.",)
        value = parse_json(decode(archive.read(cards[0])))
        if _kind(value) != "card":
            raise UsageError(f"{cards[0]} in the archive is not a card.")
        pictures = sum(name.startswith("assets/") for name in own)
        if pictures:
            notes += (f"{counted(pictures, 'file')} of the archive's assets (pictures, sounds).",)
        return Payload("card", value, archive, picture, notes)
    if "manifest.json" in own:
        manifest = parse_json(decode(archive.read("manifest.json")))
        if table(manifest).get("characters"):
            return Payload("backyard", manifest, archive, picture)
    if "story.json" in by_name:
        return _json(parse_json(decode(archive.read(by_name["story.json"]))), picture)
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
        first = start.split("\n", 1)[0]
        if "\n" in start.rstrip() and first.rstrip().endswith("}") and _is_chat_line(first):
            return Payload("chat", text)
        value = parse_json(text)
        return Payload("chat", text) if _is_message(value) else _json(value, picture=False)
    return _yaml(text)


def _yaml(text: str) -> Payload:
    from theact_tui.errors import SaveError
    from theact_tui.yaml import load

    refusal = UsageError("Its format is not supported.")
    if len(text) > 1_000_000 or ":" not in text:
        raise refusal
    try:
        value = load(text.encode(errors="replace"), "it")
    except SaveError:
        raise refusal from None
    if _kind(value) is None:
        raise refusal
    return _json(value, picture=False)


def _is_chat_line(line: str) -> bool:
    try:
        return _is_message(parse_json(line))
    except UsageError:
        return False


def _is_message(value: Any) -> bool:
    return isinstance(value, dict) and (
        "mes" in value
        or ("user_name" in value and "character_name" in value)
        or ("character_names" in value and "chat_metadata" in value)
    )


def _json(value: Any, picture: bool) -> Payload:
    kind = _kind(value)
    if kind is None:
        raise UsageError("It is JSON, but not a card, lorebook, chat or story that this program can read.")
    return Payload(kind, value, None, picture)


def _kind(value: Any) -> Kind | None:
    if isinstance(value, list):
        return _kind_of_list(value)
    if not isinstance(value, dict):
        return None
    for kind, tells in _TELLS:
        if tells(value):
            return kind
    return None


def _kind_of_list(value: list[Any]) -> Kind | None:
    first = value[0] if value else None
    if not isinstance(first, dict):
        return None
    if "keys" in first and ("value" in first or "entry" in first):
        return "lorebook"
    return "ai-dungeon" if "worldInfo" in first or "authorsNote" in first else None


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
    ("card", lambda v: bool({"first_mes", "name"} & table(v.get("data")).keys())),
    ("card", lambda v: "first_mes" in v or "mes_example" in v or "char_name" in v),
    ("card", lambda v: "aiPersona" in table(v.get("character"))),
    ("card", lambda v: v.get("kind") == "character" or {"persona", "greeting", "sampleChat"} <= v.keys()),
    ("novelai", lambda v: "scenarioVersion" in v or "storyContainerVersion" in v),
    ("talemate", lambda v: "character_data" in v or ("history" in v and "world_state" in v)),
    ("kobold", lambda v: ("prompt" in v and ("actions" in v or "gamestarted" in v)) or "savedsettings" in v),
    ("kobold", lambda v: "ga" in v and "ca" in v),
    ("agnai-chat", lambda v: isinstance(v.get("messages"), list)),
    ("group", lambda v: "members" in v and "chats" in v),
    ("lorebook", lambda v: isinstance(v.get("entries"), (dict, list))),
    ("ai-dungeon", lambda v: "worldInfo" in v and "prompt" in v),
    ("card", lambda v: "greeting" in v and bool({"context", "name", "bot", "<|bot|>"} & v.keys())),
    ("card", lambda v: "name" in v and ("description" in v or "personality" in v)),
)
"""How each kind is told, in the order of trial."""
