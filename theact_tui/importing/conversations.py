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


@dataclass(frozen=True, slots=True)
class Line:
    """A message before it is known whether it belongs to the story; `parent` is the id of the one before."""

    id: str
    parent: str
    role: str
    text: str
    name: str = ""
    at: object = None


@dataclass(frozen=True, slots=True)
class _Form:
    """A program's way to write a conversation."""

    tells: Callable[[Mapping[str, Any]], object]
    lines: Callable[[Mapping[str, Any]], Iterator[Line]]
    last: Callable[[Mapping[str, Any]], object] = lambda _: ""
    """Id of the line at which the conversation stands."""


def conversations_in(value: Any) -> list[Any]:
    """List the conversations of a file; a list of messages is one."""
    is_many = isinstance(value, list) and not _is_message(next(iter(value), None))
    return value if is_many else [value]


def is_conversation(value: Any) -> bool:
    return any(isinstance(value, dict) and form.tells(value) for form in _FORMS)


def holds_conversations(value: Any) -> bool:
    first = next(iter(value), None) if isinstance(value, list) else value
    return is_conversation(first) or (isinstance(value, list) and _is_message(first))


def read_conversations(value: Any, source: str) -> Iterator[Chat]:
    for place, conversation in enumerate(conversations_in(value), 1):
        yield from _read(conversation, f"{source} {place}" if place > 1 else source)


def _read(value: Any, source: str) -> Iterator[Chat]:
    whole = table(value) or {"messages": value}
    form = next((form for form in _FORMS if form.tells(whole)), _MESSAGES)
    lines = list(form.lines(whole))
    inner = table(whole.get("chat")) or table(whole.get("conv"))
    named = whole.get("character") or whole.get("character_name") or whole.get("name")
    is_title = form is not _MESSAGES
    card = re.sub(r"\.(?:png|json)\Z", "", named) if isinstance(named, str) and not is_title else ""
    title = name_of(
        whole.get("title") or inner.get("title") or inner.get("name") or (named if is_title else "")
    )
    programs = [text for line in lines if line.role not in ROLES and (text := plain_text(line.text))]
    note = f"{counted(len(programs), 'message')} of the system: instructions to programs are not used"
    left_out = (LeftOut.counted(note, "\n".join(programs)),) if programs else ()
    for place, messages in enumerate(
        _paths(lines, str(form.last(whole) or ""), name_of(card, "Assistant")), 1
    ):
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


def _is_message(value: Any) -> bool:
    return {"role", "content"} <= table(value).keys()


def _text(content: Any) -> str:
    """Return a message's text: a string, or the texts of its parts."""
    if isinstance(content, list):
        texts = (part.get("text") if isinstance(part, dict) else part for part in content)
        return "\n".join(text for text in texts if isinstance(text, str))
    return content if isinstance(content, str) else ""


def _in_order(lines: Iterable[tuple[object, Any, object, object]]) -> Iterator[Line]:
    """Make each line the parent of the next; a line is role, content, name and time."""
    for number, (role, content, name, at) in enumerate(lines, 1):
        before = str(number - 1) if number > 1 else ""
        yield Line(str(number), before, str(role).lower(), _text(content), name_of(name), at)


def _messages(value: Mapping[str, Any]) -> Iterator[Line]:
    lines = map(table, items(value.get("messages")))
    yield from _in_order(
        (
            line.get("role"),
            line.get("content"),
            line.get("name"),
            line.get("created_at") or line.get("timestamp"),
        )
        for line in lines
    )


def _sharegpt(value: Mapping[str, Any]) -> Iterator[Line]:
    lines = map(table, items(value.get("conversations") or value.get("items")))
    yield from _in_order((line.get("from"), line.get("value"), "", None) for line in lines)


def _llama(value: Mapping[str, Any]) -> Iterator[Line]:
    for line in map(table, items(value.get("messages"))):
        yield _node(line, line.get("parent"), line.get("role"), line.get("content"), line.get("timestamp"))


def _webui(value: Mapping[str, Any]) -> Iterator[Line]:
    inner = table(value.get("chat")) or value
    tree = table(table(inner.get("history")).get("messages"))
    if not tree:
        yield from _messages(inner)
    for id, line in tree.items():
        line = {"id": id, **table(line)}
        yield _node(line, line.get("parentId"), line.get("role"), line.get("content"), line.get("timestamp"))


def _chatgpt(value: Mapping[str, Any]) -> Iterator[Line]:
    for id, node in table(value.get("mapping")).items():
        message = table(table(node).get("message"))
        content = table(message.get("content"))
        is_text = content.get("content_type", "text") in ("text", "multimodal_text")
        is_spoken = is_text and message.get("recipient") in (None, "all")
        role = table(message.get("author")).get("role") if is_spoken else "tool"
        text = _text(content.get("parts")) or _text(content.get("text")) or _text(content.get("content"))
        yield _node({"id": id}, table(node).get("parent"), role, text, message.get("create_time"))


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
            yield _node(
                {"id": f"{place}.{number}"}, before, version.get("role"), content, value.get("createdAt")
            )
        if versions:
            is_valid = isinstance(chosen, int) and 0 <= chosen < len(versions)
            before = f"{place}.{chosen if is_valid else len(versions) - 1}"


def _node(line: Mapping[str, Any], parent: object, role: object, content: Any, at: object) -> Line:
    before = "" if parent is None else str(parent)
    return Line(str(line.get("id")), before, str(role).lower(), _text(content), at=at)


_MESSAGES = _Form(lambda v: _is_message(next(iter(items(v.get("messages"))), None)), _messages)
_FORMS = (
    _Form(lambda v: "conv" in v and "messages" in v, _llama, lambda v: table(v.get("conv")).get("currNode")),
    _Form(lambda v: isinstance(v.get("mapping"), dict), _chatgpt, lambda v: v.get("current_node")),
    _Form(
        lambda v: (
            any("messages" in table(part) for part in (v.get("chat"), v.get("history")))
            or "history" in table(v.get("chat"))
        ),
        _webui,
        lambda v: table((table(v.get("chat")) or v).get("history")).get("currentId"),
    ),
    _Form(lambda v: "versions" in table(next(iter(items(v.get("messages"))), None)), _lm_studio),
    _Form(
        lambda v: any(
            {"from", "value"} <= table(next(iter(items(v.get(name))), None)).keys()
            for name in ("conversations", "items")
        ),
        _sharegpt,
    ),
    _MESSAGES,
)
