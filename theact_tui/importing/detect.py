"""Detect a file's kind by content, never by name, and parse its value."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Literal, get_args

from theact_tui.errors import SaveError, UsageError
from theact_tui.importing.card_to_character import (
    AGNAI,
    BACKYARD,
    CARD_FIELDS,
    CHUNGUS,
    DUNGEON,
    NOVELAI,
    PYGMALION,
    TALEMATE,
    TEXTGEN,
    V1,
    V2,
    Json,
)
from theact_tui.importing.conversations import holds_conversations
from theact_tui.importing.lorebooks import is_entry
from theact_tui.importing.pictures import hidden_text, is_picture
from theact_tui.importing.read_untrusted import (
    MAX_FILE_BYTES,
    UNPACK,
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
    "novelai-story", "backyard-chat", "conversations",
]  # fmt: skip
Kind = CardKind | ChatKind | Literal["group", "pack", "story", "archive"]
CARD_KINDS: tuple[CardKind, ...] = get_args(CardKind)
MOST_NAMED = 10
BUNDLE = b"# v2 git bundle"
_OTHER_FILES = {
    b"o\0": "It is a RisuAI module in an unsupported format. Export its lorebook there.",
    b"Rar!": f"It is a RAR archive. {UNPACK}",
    b"7z\xbc\xaf\x27\x1c": f"It is a 7-Zip archive. {UNPACK}",
    b"\x1f\x8b": f"It is packed with gzip. {UNPACK}",
    b"%PDF": "It is a PDF. Copy its text into a card or a chat.",
}
"""Why a file with this beginning is refused."""
_OTHER_JSON = (
    ({"prompts", "prompt_order"}, "a preset of SillyTavern"),
    ({"temperature", "top_p"}, "a preset of samplers"),
    ({"input_sequence"}, "a template for models"),
    ({"story_string"}, "a template for models"),
    ({"scriptName", "findRegex"}, "a script of regular expressions"),
    ({"qrList"}, "quick replies of SillyTavern"),
    ({"blur_tint_color"}, "a theme of SillyTavern"),
    ({"power_user"}, "the settings of SillyTavern"),
)
"""What JSON with these fields is; none of it is a story."""


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
    for signature, name in _OTHER_FILES.items():
        if data.startswith(signature):
            raise UsageError(name)
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
    own = [name for name in archive.names if not name.startswith("__MACOSX") and not name.endswith("/")]
    by_name = {name.rsplit("/", 1)[-1]: name for name in reversed(own)}
    if "game.yaml" in by_name:
        return Payload("pack", archive=archive)
    at_top = [name for name in own if "/" not in name and name.endswith("card.json")]
    card = "card.json" if "card.json" in own else _alone(own, "card.json")
    if card or len(at_top) == 1:
        return _charx(archive, own, card or at_top[0])
    if manifest := "manifest.json" if "manifest.json" in own else _alone(own, "manifest.json"):
        root, value = manifest.removesuffix("manifest.json"), table(json_in(archive.read(manifest)))
        if value.get("characters"):
            files = {
                part: [f"{root}{file}" for file in items(value.get(part)) if f"{root}{file}" in own]
                for part in ("characters", "scenarios")
            }
            parts = {
                part: [table(json_in(archive.read(file))) for file in read] for part, read in files.items()
            }
            return Payload(
                "backyard", parts, archive, notes=_others(own, [manifest, *chain(*files.values())])
            )
    if story := _alone(own, "story.json"):
        payload = _json(json_in(archive.read(story)))
        return replace(payload, notes=(*payload.notes, *_others(own, [story])))
    if any(name.endswith((".png", ".webp", ".json", ".jsonl", ".yaml")) for name in own):
        return Payload("archive", archive=archive)
    raise UsageError("The archive contains no card, story or pack.")


def _charx(archive: Archive, own: Sequence[str], card: str) -> Payload:
    value = json_in(archive.read(card))
    if _kind(value) != "card":
        raise UsageError(f"{card} in the archive is not a card.")
    root = card.rpartition("/")[0]
    module = [name for name in own if name.endswith("module.risum")]
    assets = [name for name in own if name.startswith(f"{root}/assets/".lstrip("/"))]
    notes: tuple[str, ...] = ()
    if module:
        notes += ("The RisuAI module in the archive (its scripts and lore): its format is not supported.",)
    if assets:
        notes += (f"{counted(len(assets), 'file')} of the archive's assets (pictures, sounds).",)
    return Payload("card", value, archive, notes=(*notes, *_others(own, [card, *module, *assets])))


def _alone(names: Sequence[str], last: str) -> str:
    """Return the only file called `last`, if all others are beside or below it; else ""."""
    found = [name for name in names if name == last or name.endswith(f"/{last}")]
    root = found[0].removesuffix(last) if found else ""
    return found[0] if len(found) == 1 and all(name.startswith(root) for name in names) else ""


def _others(names: Sequence[str], used: Iterable[str]) -> tuple[str, ...]:
    others = sorted({*names}.difference(used))
    if not others:
        return ()
    shown = ", ".join(name[:60] for name in others[:MOST_NAMED]) + (", ..." if others[MOST_NAMED:] else "")
    return (f"{counted(len(others), 'other file')} of the archive: {shown}.",)


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
        value = _lines(text) or parse_json(text)
        return Payload("chat", text) if _is_message(value) else _json(value)
    return _yaml(text)


def _lines(text: str) -> list[Any]:
    """Return the values of a text with one per line; none if it is anything else."""
    lines = [line for line in text.split("\n") if line.strip()]
    if len(lines) < 2 or not all(line.rstrip().endswith("}") for line in lines[:2]):
        return []
    try:
        return [parse_json(line) for line in lines]
    except UsageError:
        return []


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
        first = table(next(iter(value), None) if isinstance(value, list) else value)
        for fields, name in _OTHER_JSON:
            if fields <= first.keys():
                raise UsageError(f"It is {name}, which this program does not use.")
        raise UsageError("It is JSON, but not a card, lorebook, chat or story that this program can read.")
    is_sure = kind != "card" or any(tells(value) for of, tells in _TELLS[:-1] if of == "card")
    return Payload(kind, value, is_doubtful=not (is_sure or value.keys() <= CARD_FIELDS))


def _kind(value: Any) -> Kind | None:
    if isinstance(value, list):
        first = table(value[0]) if value else {}
        if DUNGEON.tells(first):
            return "scenario"
        return "lorebook" if is_entry(first) else "conversations" if holds_conversations(value) else None
    return next((kind for kind, tells in _TELLS if isinstance(value, dict) and tells(value)), None)


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
    ("conversations", holds_conversations),
    ("card", V2.tells),
    ("card", CHUNGUS.tells),
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
    ("agnai-chat", lambda v: isinstance(v.get("messages"), list)),
    ("group", lambda v: "members" in v and "chats" in v),
    ("lorebook", lambda v: isinstance(v.get("entries"), (dict, list))),
    ("scenario", DUNGEON.tells),
    ("card", TEXTGEN.tells),
    ("card", lambda v: "name" in v and ("description" in v or "personality" in v)),
)
