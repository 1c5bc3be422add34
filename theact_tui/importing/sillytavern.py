"""Chats of SillyTavern and similar programs: `.jsonl`, a message a line."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, cast, get_args

from theact_tui.errors import UsageError
from theact_tui.importing.card_to_character import Card
from theact_tui.importing.chat import MAX_TAKES, Chat, ChatMessage, iso_date, name_of
from theact_tui.importing.plain import plain_text
from theact_tui.importing.read_untrusted import items, parse_json, table
from theact_tui.importing.report import LeftOut
from theact_tui.story.turn import Role
from theact_tui.text import counted, words

MAX_MESSAGE_LETTERS = 4_000_000
Lost = defaultdict[tuple[str, str], list[str]]
"""Texts of left-out messages, by their kind in singular and plural."""
_OWN = "message of the program itself", "messages of the program itself"
_FILE = "attachment", "attachments"
_EMPTY = "message without text", "messages without text"
OUR_EXTRA = "theact"
"""Field of a message's `extra` for our own data: turn, role, witnesses, speakers in a take."""
_PROGRAM = "SillyTavern System"
_PROGRAM_TYPES = frozenset(
    "help welcome group empty generic comment slash_commands formatting hotkeys macros welcome_prompt "
    "assistant_note".split()
)


def read_sillytavern(text: str, source: str) -> Iterator[Chat]:
    """Yield the chat in a `.jsonl` file; it may have no messages."""
    lines, broken = json_lines(text)
    head = lines.pop(0) if lines and "mes" not in lines[0] else {}
    lost: Lost = defaultdict(list)
    messages = tuple(message for line in lines if (message := read_message(line, lost)))
    metadata = table(head.get("chat_metadata"))
    players = Counter(name_of(line.get("name")) for line in lines if line.get("is_user") is True)
    user, character = (name_of(head.get(key)) for key in ("user_name", "character_name"))
    named = [name for name, _ in players.most_common() if name]
    others = [name_of(name) for name in items(head.get("character_names"))]
    people = [name for name in (character, *others) if name and name != "unused"]
    damaged = LeftOut.counted(counted(len(broken), "damaged line"), "\n".join(broken))
    left_out = [LeftOut(damaged.sentence)] if broken else []
    for names, texts in lost.items():
        label, lost_text = counted(len(texts), *names), "\n".join(texts)
        sentence = LeftOut.counted(label, lost_text).sentence if words(lost_text) else label
        left_out.append(LeftOut(sentence, f"{_PROGRAM}\n{lost_text}"))
    yield Chat(
        source=source,
        messages=messages,
        player=next((name for name in (*named, user) if name and name != "unused"), ""),
        setting=plain_text(metadata.get("scenario")),
        people={name: Card(name=name) for name in people},
        note=plain_text(metadata.get("note_prompt")),
        left_out=tuple(left_out),
        original=text,
    )


def json_lines(text: str) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the objects in a text with one per line, and the broken lines."""
    objects: list[dict[str, Any]] = []
    broken: list[str] = []
    for line in text.split("\n"):
        if not line.strip():
            continue
        try:
            value = parse_json(line, MAX_MESSAGE_LETTERS)
        except UsageError:
            value = None
        if isinstance(value, dict):
            objects.append(value)
        else:
            broken.append(line)
    return objects, broken


def _swipe_text(value: object) -> str:
    """Return the text of a `mes` or a swipe, which some programs put into an object."""
    return plain_text(value.get("message") if isinstance(value, dict) else value)


def read_message(line: dict[str, Any], lost: Lost) -> ChatMessage | None:
    """Return a message; None for a program's own or an empty one, which is added to `lost`."""
    extra = table(line.get("extra"))
    ours = table(extra.get(OUR_EXTRA))
    is_hidden = line.get("is_system") is True
    if is_hidden and (line.get("name") == _PROGRAM or extra.get("type") in _PROGRAM_TYPES):
        lost[_OWN].append(_swipe_text(line.get("mes")))
        return None
    files = [key for key in ("image", "media", "files", "file") if extra.get(key)]
    if files:
        lost[_FILE] += [""] * len(files)
    role = _role(line, extra, ours)
    name = name_of(line.get("name"), "Somebody") if role == "character" else ""
    text = _swipe_text(line.get("mes"))
    avatar = plain_text(line.get("original_avatar")) if name else ""
    takes = _takes(line, ChatMessage(role, text, name, avatar))
    if not text and not takes:
        lost[_EMPTY].append("")
        return None
    if not text:
        text = takes[-1][0].text
    witnesses = ours.get("witnesses")
    turn = ours.get("turn")
    return ChatMessage(
        role=role,
        text=text,
        name=name,
        avatar=avatar,
        takes=takes if len(takes) > 1 else (),
        hidden=is_hidden,
        at=iso_date(line.get("send_date")),
        summary=plain_text(extra.get("memory")),
        turn=turn if isinstance(turn, int) else None,
        witnesses=tuple(map(name_of, witnesses)) if isinstance(witnesses, list) else None,
        facts=ours if isinstance(witnesses, list) else {},
    )


def _role(line: dict[str, Any], extra: dict[str, Any], ours: dict[str, Any]) -> Role:
    if ours.get("role") in get_args(Role):
        return cast("Role", ours["role"])
    if line.get("is_user") is True:
        return "player"
    return "narrator" if extra.get("type") == "narrator" else "character"


def _takes(line: dict[str, Any], message: ChatMessage) -> tuple[tuple[ChatMessage, ...], ...]:
    """Return the swipes, each with its data; `mes` wins over the swipe marked as current."""
    swipes, infos = items(line.get("swipes"))[:MAX_TAKES], items(line.get("swipe_info"))
    current = line.get("swipe_id")
    takes: dict[tuple[str, ...], tuple[ChatMessage, ...]] = {}
    for place, swipe in enumerate(swipes):
        text = _swipe_text(swipe)
        if place == current and message.text:
            text = message.text
        info = table(infos[place]) if place < len(infos) else {}
        tail = _tail(table(table(info.get("extra")).get(OUR_EXTRA)).get("entries"))
        take = tail or ((replace(message, text=text),) if text else ())
        if take:
            takes.setdefault(tuple(f"{one.role} {one.name} {one.text}" for one in take), take)
    if message.text and (message,) not in takes.values():
        takes[message.text,] = (message,)
    return tuple(takes.values())


def _tail(entries: object) -> tuple[ChatMessage, ...]:
    return tuple(
        ChatMessage(cast("Role", entry["role"]), text, name_of(entry.get("name")))
        for entry in map(table, items(entries))
        if entry.get("role") in get_args(Role) and (text := plain_text(entry.get("text")))
    )
