"""Read conversations: messages with a role, one after another or in a tree, several in a file."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from theact_tui.importing.chat import MAX_MESSAGES, MAX_TAKES, Chat, ChatMessage, iso_date, name_of
from theact_tui.importing.plain import plain_text
from theact_tui.importing.read_untrusted import items, table
from theact_tui.importing.report import LeftOut
from theact_tui.text import counted

ROLES = {"user": "player", "human": "player"} | dict.fromkeys(
    ("assistant", "gpt", "chatgpt", "bing", "bard", "model", "bot"), "character"
)
"""Roles of those who talk; all others are programs."""
_NAMES = {
    "messages": "messages chat_messages conversations items responses chunks",
    "role": "role sender from",
    "text": "content text value message",
    "id": "id uuid response_id",
    "parent": "parent parentId parent_message_uuid parent_response_id",
    "at": "timestamp created_at create_time createdAt",
    "last": "currNode currentId current_node current_leaf_message_uuid leaf_response_id",
}
"""Fields of messages and of what holds them: llama-server, Open WebUI, ShareGPT; Claude; Grok; AI Studio."""
_INSIDE = "conv chat conversation history chunkedPrompt"
"""Tables in a conversation that may hold its messages, title or last message."""


@dataclass(frozen=True, slots=True)
class Line:
    """A message before it is known whether it belongs to the story; `parent` is the id of the one before."""

    id: str
    parent: str
    role: str
    text: str
    name: str = ""
    at: object = None


def conversations_in(value: Any) -> list[Any]:
    """List the conversations of a file; a list of messages is one."""
    if _is_session(first := _first(value)):
        return _sessions(value)
    many = table(value).get("conversations")
    if isinstance(many, list) and any(map(is_conversation, many)):
        return many
    return value if isinstance(value, list) and not _is_message(first) else [value]


def is_conversation(value: Any) -> bool:
    return isinstance(value, dict) and any(form.tells(value) for form in _FORMS)


def holds_conversations(value: Any) -> bool:
    if isinstance(value, list):
        return _is_session(first := _first(value)) or _is_message(first) or any(map(is_conversation, value))
    return is_conversation(value) or any(map(is_conversation, items(table(value).get("conversations"))))


def read_conversations(value: Any, source: str) -> Iterator[Chat]:
    for place, conversation in enumerate(conversations_in(value), 1):
        yield from _read(conversation, f"{source} {place}" if place > 1 else source)


def _read(value: Any, source: str) -> Iterator[Chat]:
    whole = table(value) or {"messages": value}
    form = next((form for form in _FORMS if form.tells(whole)), _FORMS[-1])
    lines = list(form.lines(whole))
    parts = _parts(whole)
    is_plain = form is _FORMS[-1] and "messages" in whole and not parts[1:]
    named = whole.get("character") or whole.get("character_name") or (whole.get("name") if is_plain else "")
    card = re.sub(r"\.(?:png|json)\Z", "", named) if isinstance(named, str) else ""
    titles = (part.get(field) for field in ("title", *(() if is_plain else ("name",))) for part in parts)
    title = next(filter(None, map(name_of, titles)), "")
    programs = [text for line in lines if line.role not in ROLES and (text := plain_text(line.text))]
    note = (
        f"{counted(len(programs), 'message')} of the system, of tools or of thoughts: not part of the story"
    )
    left_out = (LeftOut.counted(note, "\n".join(programs)),) if programs else ()
    last = next(filter(None, (_id(part, "last") for part in parts)), "")
    for place, messages in enumerate(_paths(lines, last, name_of(card, "Assistant")), 1):
        yield Chat(
            f"{source} branch {place}" if place > 1 else source,
            messages,
            player=name_of(whole.get("user_name")),
            title=title,
            left_out=left_out if place == 1 else (),
        )


def _paths(lines: Sequence[Line], last: str, character: str) -> Iterator[tuple[ChatMessage, ...]]:
    """Yield the messages up to `last`, then those of each other end. Replies side by side are versions of each other."""
    parents = {line.id: line.parent for line in lines}
    told = {line.id: message for line in lines if (message := _message(line, character))}
    children: dict[str, list[str]] = {}
    for id in told:
        children.setdefault(_told_before(parents[id], parents, told), []).append(id)
    replies = {
        parent: tuple((told[id],) for id in ids if told[id].role == "character")[-MAX_TAKES:]
        for parent, ids in children.items()
    }
    current = last if last in told else _told_before(last, parents, told)
    ends = [id for id in reversed(told) if id not in children]
    shown: set[str] = set()
    size = 0
    for end in dict.fromkeys([*([current] if current else []), *ends, *reversed(told)]):
        if end in shown:
            continue
        path = {end: None}
        parent = _told_before(parents[end], parents, told)
        while parent and parent not in path:
            path[parent] = None
            parent = _told_before(parents[parent], parents, told)
        size += len(path)
        if size > MAX_MESSAGES and shown:  # paths share their beginning, which would be copied for each end
            return
        messages: list[ChatMessage] = []
        for before, id in pairwise([parent, *reversed(path)]):
            takes = replies[before] if told[id].role == "character" else ()
            messages.append(replace(told[id], takes=takes if len(takes) > 1 else ()))
            shown |= {id, *(other for other in children[before] if takes and other not in children)}
        yield tuple(messages)


def _told_before(id: str, parents: Mapping[str, str], told: Mapping[str, ChatMessage]) -> str:
    """Return the nearest line from `id` on up that belongs to the story; "" without one, also in a circle."""
    seen: set[str] = set()
    while id and id not in told and id not in seen:
        seen.add(id)
        id = parents.get(id, "")
    return id if id in told else ""


def _message(line: Line, character: str) -> ChatMessage | None:
    if line.role not in ROLES or not (text := plain_text(line.text)):
        return None
    is_player = ROLES[line.role] == "player"
    name = "" if is_player else name_of(line.name, character)
    return ChatMessage("player" if is_player else "character", text, name, at=iso_date(line.at))


# --- the programs -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Form:
    """A program's way to write messages."""

    tells: Callable[[Mapping[str, Any]], object]
    lines: Callable[[Mapping[str, Any]], Iterator[Line]]


def _first(value: Any) -> Any:
    return next(iter(value), None) if isinstance(value, list) else None


def _named(value: Mapping[str, Any], field: str) -> Any:
    return next((value[name] for name in _NAMES[field].split() if value.get(name) not in (None, "")), None)


def _id(value: Mapping[str, Any], field: str) -> str:
    id = _named(value, field)
    return "" if id is None else str(id)


def _parts(whole: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return a conversation and the tables inside it, the innermost last."""
    parts = [whole]
    for part in parts:
        parts += filter(None, (table(part.get(name)) for name in _INSIDE.split()))
    return parts


def _is_session(value: Any) -> bool:
    return table(value).get("type") == "session" and "harness" in value


def _sessions(records: Iterable[Any]) -> list[Any]:
    """Gather what llama-server writes a record a line: a session, then its messages."""
    sessions: list[dict[str, Any]] = []
    for record in map(table, records):
        if _is_session(record):
            sessions.append({"conv": record, "messages": []})
        else:
            sessions[-1]["messages"].append(record.get("message"))
    return sessions


def _is_message(value: Any) -> bool:
    line = _unwrapped(value)
    has_text = any(name in line for name in _NAMES["text"].split())
    return {"role", "content"} <= line.keys() or (str(_named(line, "role")).lower() in ROLES and has_text)


def _unwrapped(value: Any) -> Mapping[str, Any]:
    return table(table(value).get("response")) or table(value)


def _text(content: Any) -> str:
    """Return a message's text: a string, or the texts of its parts."""
    if isinstance(content, list):
        texts = (part.get("text") if isinstance(part, dict) else part for part in content)
        return "\n".join(text for text in texts if isinstance(text, str))
    return content if isinstance(content, str) else ""


def _messages(whole: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return the messages of a conversation by id or place, from its innermost table that has any."""
    for part in reversed(_parts(whole)):
        for name in _NAMES["messages"].split():
            held = part.get(name)
            lines = held if isinstance(held, dict) else dict(enumerate(items(held), 1))
            if any(map(_is_message, lines.values())):
                return {str(id): _unwrapped(line) for id, line in lines.items()}
    return {}


def _lines(whole: Mapping[str, Any]) -> Iterator[Line]:
    messages = _messages(whole)
    is_tree = any(name in line for line in messages.values() for name in _NAMES["parent"].split())
    before = ""
    for place, line in messages.items():
        texts = map(_text, (line.get(name) for name in _NAMES["text"].split()))
        yield Line(
            id=(_id(line, "id") if is_tree else "") or place,
            parent=_id(line, "parent") if is_tree else before,
            role="thought" if line.get("isThought") else str(_named(line, "role")).lower(),
            text=next(filter(None, texts), ""),
            name=name_of(line.get("name")),
            at=_named(line, "at"),
        )
        before = place


def _chatgpt(value: Mapping[str, Any]) -> Iterator[Line]:
    for id, node in table(value.get("mapping")).items():
        message = table(table(node).get("message"))
        content = table(message.get("content"))
        is_text = content.get("content_type", "text") in ("text", "multimodal_text")
        is_spoken = is_text and message.get("recipient") in (None, "all")
        role = table(message.get("author")).get("role") if is_spoken else "tool"
        text = next(filter(None, (_text(content.get(name)) for name in ("parts", "text", "content"))), "")
        yield Line(
            id, str(table(node).get("parent") or ""), str(role).lower(), text, at=message.get("create_time")
        )


def _lm_studio(value: Mapping[str, Any]) -> Iterator[Line]:
    before = ""
    for place, line in enumerate(map(table, items(value.get("messages"))), 1):
        versions = [*map(table, items(line.get("versions")))]
        chosen = line.get("currentlySelected")
        for number, version in enumerate(versions):
            steps = [*map(table, items(version.get("steps")))]
            spoken = (step for step in steps if not table(step.get("style")).get("type"))
            content = [part for step in spoken for part in items(step.get("content"))] or version.get(
                "content"
            )
            role = str(version.get("role")).lower()
            yield Line(f"{place}.{number}", before, role, _text(content), at=value.get("createdAt"))
        if versions:
            is_valid = isinstance(chosen, int) and 0 <= chosen < len(versions)
            before = f"{place}.{chosen if is_valid else len(versions) - 1}"


_FORMS = (
    _Form(lambda v: isinstance(v.get("mapping"), dict), _chatgpt),
    _Form(lambda v: "versions" in table(_first(v.get("messages"))), _lm_studio),
    _Form(_messages, _lines),
)
