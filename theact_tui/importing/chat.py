"""Chats of any program: messages, rounds, and the tree that several chats share. A round becomes a turn."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from theact_tui.errors import UsageError
from theact_tui.importing.card_to_character import Card
from theact_tui.importing.plain import plain_text
from theact_tui.importing.report import LeftOut
from theact_tui.story.names import Names
from theact_tui.story.turn import Role

MAX_MESSAGES = 100_000
MAX_TAKES = 200
MAX_MESSAGES_PER_TURN = 10
"""In some groups the player never speaks."""
UNNAMED_PLAYER = "You"


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """A narrator has no name."""

    role: Role
    text: str
    name: str = ""
    avatar: str = field(default="", compare=False)
    """File of the speaker's card, in groups."""
    takes: tuple[tuple[ChatMessage, ...], ...] = ()
    """All versions in order, each with its parts."""
    hidden: bool = False
    """Hidden from the characters by the user."""
    at: str = ""
    """ISO 8601, or ""."""
    summary: str = ""
    turn: int | None = None
    """In our own export."""
    witnesses: tuple[str, ...] | None = None
    """Names of those present, in our own export."""
    facts: Mapping[str, Any] = field(default_factory=dict, compare=False)
    """Other fields of its turn, in our own export."""
    hearers: tuple[str, ...] | None = None
    """Guessed names; None: everybody."""


@dataclass(frozen=True, slots=True)
class Chat:
    source: str
    messages: tuple[ChatMessage, ...]
    player: str = ""
    title: str = ""
    setting: str = ""
    note: str = ""
    """Author's note for every turn."""
    people: dict[str, Card] = field(default_factory=dict)
    """Descriptions by name."""
    book: Any = None
    away: tuple[str, ...] = ()
    """Names that have left by the end."""
    left_out: tuple[LeftOut, ...] = ()
    original: str = ""
    """Original text to keep; "" if nothing would be lost."""
    written: float = 0.0
    """File time in seconds."""

    @property
    def cast(self) -> dict[str, int]:
        """Message counts by character, in order of appearance."""
        counts: dict[str, int] = {}
        for message in self.messages:
            if message.role == "character":
                counts[message.name] = counts.get(message.name, 0) + 1
        return counts

    def texts(self) -> Iterator[str]:
        yield from (self.source, self.player, self.title)
        for message in self.messages:
            for one in (message, *(part for take in message.takes for part in take)):
                yield from (one.text, one.name, one.summary)


Round = tuple[ChatMessage, ...]
"""Player's line, narration, replies; in this order, each optional."""

Said = tuple[tuple[Role, str, str], ...]


def rounds_of(messages: Sequence[ChatMessage]) -> Iterator[Round]:
    order = {"player": 0, "narrator": 1, "character": 2, "system": 3}
    group: list[ChatMessage] = []
    for message in messages:
        last = group[-1] if group else None
        if last and (
            order[message.role] < order[last.role]
            or (message.role == last.role and message.role in ("player", "narrator"))
            or message.hidden != last.hidden
            or message.turn != last.turn
            or len(group) == MAX_MESSAGES_PER_TURN
        ):
            yield tuple(group)
            group = []
        group.append(message)
    if group:
        yield tuple(group)


def spoken_by(round: Iterable[ChatMessage]) -> Said:
    return tuple(
        (message.role, message.name if message.role == "character" else "", message.text) for message in round
    )


@dataclass(eq=False, slots=True)
class ChatNode:
    """A round in the tree of all chats."""

    round: Round
    children: dict[Said, ChatNode] = field(default_factory=dict)
    takes: list[ChatNode] = field(default_factory=list)
    """Children that are versions of one another, in order."""
    cast: dict[str, None] = field(default_factory=dict)
    is_told: bool = False
    """A chat passes through or ends here; else it is only a version."""

    def below(self) -> list[ChatNode]:
        nodes, left = list[ChatNode](), [*self.children.values()]
        while left:
            nodes.append(left.pop())
            left += nodes[-1].children.values()
        return nodes

    def _child(self, round: Round) -> ChatNode:
        return self.children.setdefault(spoken_by(round), ChatNode(round))

    def grow(self, round: Round, *, is_last: bool) -> ChatNode:
        """Add a round with its versions. A chat's last round may be the beginning of an existing one."""
        spoken = spoken_by(round)
        begun = [key for key in self.children if key[: len(spoken)] == spoken]
        if is_last and begun and spoken not in self.children:
            return self.children[begun[0]]
        child = self._child(round)
        for version in _versions(round):
            if (node := self._child(version)) not in self.takes:
                self.takes.append(node)
        return child


def _versions(round: Round) -> list[Round]:
    versions: dict[Said, Round] = {}
    last = len(round) - 1
    for place in (last, *range(last)):
        for take in round[place].takes:
            is_this = spoken_by(take) == spoken_by([round[place]])
            version = round if is_this else (*round[:place], *take)
            versions.setdefault(spoken_by(version), version)
    return list(versions.values())


def chat_tree(
    chats: Iterable[Chat], people: Container[str] | None = None
) -> tuple[ChatNode, dict[str, ChatNode]]:
    """Build the tree of chats and each chat's last node by source. `people` (default: all) limits the names in nodes."""
    root, ends = ChatNode(()), {}
    for chat in sorted(chats, key=lambda chat: len(chat.messages), reverse=True):
        named = [name for name in chat.cast or chat.people if people is None or name in people]
        node, rounds, cast = root, list(rounds_of(chat.messages)), dict.fromkeys(named)
        for place, round in enumerate(rounds, 1):
            before, node = node, node.grow(round, is_last=place == len(rounds))
            node.is_told = True
            for version in {node, *before.takes}:
                version.cast |= cast
        ends[chat.source] = node
    return root, ends


def one_story(chats: Sequence[Chat]) -> None:
    """Raise UsageError if the chats share no person."""
    casts = [set(chat.cast) for chat in chats]
    joined, left = set[str]().union(*casts[:1]), [cast for cast in casts[1:] if cast]
    while near := [cast for cast in left if cast & joined]:
        joined = joined.union(*near)
        left = [cast for cast in left if cast not in near]
    if left:
        some, other = ", ".join(sorted(casts[0])[:3]), ", ".join(sorted(left[0])[:3])
        raise UsageError(
            f"These chats belong to different stories ({some}; {other}). Import each story separately."
        )


# --- text ---------------------------------------------------------------------------------------------------------


def name_of(text: object, default: str = "") -> str:
    return (" ".join(plain_text(text).split())[:60].strip() if isinstance(text, str) else "") or default


_DATES = ("%B %d, %Y %I:%M%p", "%Y-%m-%d @%Hh %Mm %Ss %fms", "%Y-%m-%d@%Hh%Mm%Ss", "%Y-%m-%d @%Hh %Mm %Ss")


def iso_date(value: object) -> str:
    """Parse any date of a chat to ISO 8601; "" if unreadable."""
    text = value.strip() if isinstance(value, str) else ""
    with suppress(ValueError, OverflowError, OSError):
        number = int(text[:16]) if text.isdigit() else value
        if isinstance(number, int | float) and not isinstance(number, bool):
            return datetime.fromtimestamp(number / (1_000 if number > 1e11 else 1), UTC).isoformat()
        date = datetime.fromisoformat(text)
        return (date if date.tzinfo else date.replace(tzinfo=UTC)).astimezone(UTC).isoformat()
    for form in _DATES:
        with suppress(ValueError):
            return datetime.strptime(text, form).replace(tzinfo=UTC).isoformat()
    return ""


# --- who heard which message -----------------------------------------------------------------------------------------

LEAST_BACK = 3
"""Messages back within which a speaker counts as a hearer; in a larger group, the number of people."""
AWAY = 2
"""Multiple of that: after such a silence a character was away and arrives with its next word."""


def with_hearers(chat: Chat, people: Container[str]) -> Chat:
    """Guess the hearers of each message, if several characters speak and none are recorded: recent speakers, the
    next speaker unless away until then, and anybody called by name.
    """
    if len(chat.cast) < 2 or any(message.witnesses is not None for message in chat.messages):
        return chat
    spoken = [(_speaker(message), message.text) for message in chat.messages]
    speakers = dict.fromkeys(name for name, _ in spoken if name in people or name == "\0")
    heard = guessed(spoken, [*speakers])
    messages = [
        message if message.hidden else _heard_by(message, names)
        for message, names in zip(chat.messages, heard, strict=True)
    ]
    return replace(chat, messages=tuple(messages))


def _speaker(message: ChatMessage) -> str:
    return {"character": message.name, "player": "\0"}.get(message.role, "")


def _heard_by(message: ChatMessage, names: Sequence[str]) -> ChatMessage:
    takes = tuple(tuple(replace(one, hearers=tuple(names)) for one in take) for take in message.takes)
    return replace(message, hearers=tuple(names), takes=takes)


def guessed(
    messages: Sequence[tuple[str, str]], people: Sequence[str] | None = None
) -> list[tuple[str, ...]]:
    """Guess which `people` (default: all speakers) hear each message, speakers included. An empty name is the
    narrator's.
    """
    people = people or list(dict.fromkeys(speaker for speaker, _ in messages if speaker))
    present = frozenset(people)
    names, back = Names({name: name for name in people}), max(LEAST_BACK, len(people))
    spoken: list[str] = []
    hearers: list[set[str]] = []
    waiting: list[int] = []
    for place, (speaker, text) in enumerate(messages):
        if speaker in present:
            if speaker in spoken[-AWAY * back :] or len(spoken) < len(people):
                for before in waiting:
                    hearers[before].add(speaker)
            waiting.clear()
        hearers.append({*present.intersection({speaker, *spoken[-back:], *names.called(text)})})
        waiting.append(place)
        if speaker:
            spoken.append(speaker)
    return [tuple(name for name in people if name in heard) for heard in hearers]
