"""A chat of any program as plain values: messages, rounds, and the tree that several chats share. A round becomes a
turn: a line of the player with all that follows. Readers of formats make `Chat`s; nothing here knows a format or a
save. Hearers of a message in a group are guessed unless written down."""

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
"""Versions of one message."""
MOST_IN_A_ROUND = 10
"""Messages of one turn: in some groups the player never speaks."""
PLAYER = "You"
"""The player's name if a chat has none."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message. A narrator has no name."""

    role: Role
    text: str
    name: str = ""
    takes: tuple[tuple[Message, ...], ...] = ()
    """Versions of this message in order, itself among them, each with its parts."""
    hidden: bool = False
    """The user hid it from the characters."""
    at: str = ""
    """ISO 8601, or nothing."""
    summary: str = ""
    """A summary of the chat up to here."""
    turn: int | None = None
    """Its turn, in an export of ours."""
    witnesses: tuple[str, ...] | None = None
    """Names of those present, in an export of ours."""
    facts: Mapping[str, Any] = field(default_factory=dict, compare=False)
    """Other facts of the turn that it begins, in an export of ours."""
    hearers: tuple[str, ...] | None = None
    """Names of hearers as guessed; None: all who take part."""


@dataclass(frozen=True, slots=True)
class Chat:
    """One chat. Its messages are clean and not empty."""

    source: str
    """Its file's name."""
    messages: tuple[Message, ...]
    player: str = ""
    title: str = ""
    setting: str = ""
    note: str = ""
    """Its author's instruction to the model for every turn."""
    people: dict[str, Card] = field(default_factory=dict)
    """Named people, with their descriptions."""
    book: Any = None
    """The lorebook in the same file."""
    away: tuple[str, ...] = ()
    """Names of those who no longer take part at its end."""
    left_out: tuple[LeftOut, ...] = ()
    original: str = ""
    """Its original text, to be kept; empty if nothing would be lost."""
    written: float = 0.0
    """Time of the file's last change, in seconds."""

    @property
    def cast(self) -> dict[str, int]:
        """Names of speaking characters, with counts, in order of appearance."""
        counts: dict[str, int] = {}
        for message in self.messages:
            if message.role == "character":
                counts[message.name] = counts.get(message.name, 0) + 1
        return counts

    def texts(self) -> Iterator[str]:
        """All messages' texts and speakers' names."""
        yield from (self.source, self.player, self.title)
        for message in self.messages:
            for one in (message, *(part for take in message.takes for part in take)):
                yield from (one.text, one.name, one.summary)


Round = tuple[Message, ...]
"""One turn: player's line, narration, replies; in this order, each optional."""

Said = tuple[tuple[Role, str, str], ...]
"""Speakers and texts: equal for equal rounds."""


def rounds_of(messages: Sequence[Message]) -> Iterator[Round]:
    """Group messages by turns. A round's order is that of a turn."""
    order = {"player": 0, "narrator": 1, "character": 2, "system": 3}
    group: list[Message] = []
    for message in messages:
        last = group[-1] if group else None
        if last and (
            order[message.role] < order[last.role]
            or (message.role == last.role and message.role in ("player", "narrator"))
            or message.hidden != last.hidden
            or message.turn != last.turn
            or len(group) == MOST_IN_A_ROUND
        ):
            yield tuple(group)
            group = []
        group.append(message)
    if group:
        yield tuple(group)


def spoken_by(round: Iterable[Message]) -> Said:
    """Return speakers and texts of a round."""
    return tuple(
        (message.role, message.name if message.role == "character" else "", message.text) for message in round
    )


@dataclass(eq=False, slots=True)
class Node:
    """A round in the tree of all chats, and its successors."""

    round: Round
    children: dict[Said, Node] = field(default_factory=dict)
    takes: list[Node] = field(default_factory=list)
    """Versions of one another among `children`, in order."""
    cast: dict[str, None] = field(default_factory=dict)
    """Names of the characters of its chats."""
    is_told: bool = False
    """A chat continues or ends with it; else it is only a version."""

    def below(self) -> list[Node]:
        """All nodes below."""
        nodes, left = list[Node](), [*self.children.values()]
        while left:
            nodes.append(left.pop())
            left += nodes[-1].children.values()
        return nodes

    def _child(self, round: Round) -> Node:
        return self.children.setdefault(spoken_by(round), Node(round))

    def grow(self, round: Round, *, is_last: bool) -> Node:
        """Add a round below, with its versions. A chat's last round may be the beginning of an existing one."""
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
    """All versions of a round, itself among them; [] for only one. A version of an earlier message ends there, as later
    messages answered another one."""
    versions: dict[Said, Round] = {}
    last = len(round) - 1
    for place in (last, *range(last)):
        for take in round[place].takes:
            is_this = spoken_by(take) == spoken_by([round[place]])
            version = round if is_this else (*round[:place], *take)
            versions.setdefault(spoken_by(version), version)
    return list(versions.values())


def tree_of(chats: Iterable[Chat], people: Container[str] | None = None) -> tuple[Node, dict[str, Node]]:
    """The root of the tree of chats, without a round, and each chat's last node by source. A chat inside another ends
    there. Nodes name `people` who take part (default: all)."""
    root, ends = Node(()), {}
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
    """Raise UsageError if the chats share no person, so cannot be branches of one story."""
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
    """A name on one line, of at most 60 characters."""
    return (" ".join(plain_text(text).split())[:60].strip() if isinstance(text, str) else "") or default


_DATES = (
    "%B %d, %Y %I:%M%p",
    "%Y-%m-%d @%Hh %Mm %Ss %fms",
    "%Y-%m-%d@%Hh%Mm%Ss",
    "%Y-%m-%d @%Hh %Mm %Ss",
)


def iso_date(value: object) -> str:
    """A date in any format of chats, as ISO 8601; "" if unreadable."""
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
"""Messages back from one to those whose speakers hear it; in a larger group as many as there are people."""
AWAY = 2
"""Times as many messages without a word of somebody after whom they were away: their next word says that they came."""


def with_hearers(chat: Chat, people: Container[str]) -> Chat:
    """The chat with the names of those of some people who heard each message, where several characters speak and it does
    not say.

    A message is heard by who spoke in one of the last messages, by who speaks next unless they were away until then, and by
    whom it calls by name. `tests/benchmarks/percept.py` measures it on conversations with marked hearers.
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


def _speaker(message: Message) -> str:
    return {"character": message.name, "player": "\0"}.get(message.role, "")


def _heard_by(message: Message, names: Sequence[str]) -> Message:
    takes = tuple(tuple(replace(one, hearers=tuple(names)) for one in take) for take in message.takes)
    return replace(message, hearers=tuple(names), takes=takes)


def guessed(
    messages: Sequence[tuple[str, str]], people: Sequence[str] | None = None
) -> list[tuple[str, ...]]:
    """Which people (default: all who speak) hear each of some messages, given who says what; a speaker hears what they
    say. No name: nobody's message."""
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
