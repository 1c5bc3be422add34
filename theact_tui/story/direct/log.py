"""The log of a session: its order, its exchanges, and which part of it each agent is given (D6, D7)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from theact_tui.story.direct.limits import CHUNK
from theact_tui.story.direct.records import Block, Event, Session

Events = tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class Exchange:
    """One prompt and everything that was answered to it."""

    index: int
    prompt: Event | None
    replies: Events

    @property
    def events(self) -> Events:
        return ((self.prompt,) if self.prompt else ()) + self.replies

    @property
    def completed(self) -> bool:
        """It was asked and answered."""
        return self.prompt is not None and any(event.role == "agent" for event in self.replies)


def in_order(events: Iterable[Event]) -> Events:
    """By prompt, then time, then sequence."""
    return tuple(sorted(events, key=lambda event: (event.prompt_index, event.created_at, event.sequence)))


def exchanges(events: Iterable[Event]) -> tuple[Exchange, ...]:
    """The log by prompts, in order."""
    made: list[Exchange] = []
    for index, group in groupby(in_order(events), key=lambda event: event.prompt_index):
        members = tuple(group)
        prompt = next((event for event in members if event.role == "user"), None)
        made.append(Exchange(index, prompt, tuple(event for event in members if event is not prompt)))
    return tuple(made)


def recent(events: Iterable[Event], count: int = CHUNK) -> tuple[Exchange, ...]:
    """What an actor is reminded of: the last completed prompts with their replies, across boundaries."""
    return tuple(exchange for exchange in exchanges(events) if exchange.completed)[-count:]


def between(events: Iterable[Event], first: int, last: int) -> Events:
    """The events of prompts `first` to `last`, inclusive, in order."""
    return in_order(event for event in events if first <= event.prompt_index <= last)


def after(events: Iterable[Event], boundary: int) -> Events:
    """Everything that follows the boundary, in order."""
    return in_order(event for event in events if event.prompt_index > boundary)


def next_chunk(session: Session, *, ending: bool = False) -> tuple[int, int] | None:
    """The next range of prompts to summarise, inclusive: a full chunk, or when the chapter ends what is left of one.

    None when nothing is due. A backlog is done chunk by chunk: ask again after each.
    """
    if session.pending == 0 or not (ending or session.overdue):
        return None
    first = session.last_summarized_prompt_index + 1
    return first, min(first + CHUNK - 1, session.prompt_index)


def span_text(first: int, last: int) -> str:
    """A range of prompts in words: `prompts 1 to 7`, or `prompt 8`."""
    return f"prompts {first} to {last}" if first != last else f"prompt {first}"


def deltas(blocks: Iterable[Block]) -> tuple[Block, ...]:
    """The blocks that tell what happened, oldest first."""
    return tuple(block for block in blocks if block.type == "turn_delta")


def lock_of(blocks: Iterable[Block]) -> Block | None:
    """The block the chapter began with."""
    return next((block for block in blocks if block.type == "world_chapter_lock"), None)


def last_words(text: str, limit: int) -> str:
    """The end of `text`, at most `limit` characters, beginning with a whole word."""
    if len(text) <= limit:
        return text
    tail = text[-limit:]
    cut = tail.find(" ")
    return tail[cut + 1 :] if 0 <= cut < limit // 2 else tail


def halves(exchanges: tuple[Exchange, ...], least: int = 400) -> tuple[tuple[Exchange, ...], ...]:
    """Exchanges in two parts: by number, or one long one by its text. One part when it cannot be divided."""
    if len(exchanges) > 1:
        middle = len(exchanges) // 2
        return exchanges[:middle], exchanges[middle:]
    pieces = [
        event.model_copy(update={"text": text})
        for exchange in exchanges
        for event in exchange.events
        for text in part(event.text, max(least, (len(event.text) + 1) // 2))
    ]
    if len(pieces) < 2:
        return (exchanges,)
    middle = len(pieces) // 2
    return _again(pieces[:middle]), _again(pieces[middle:])


def _again(pieces: list[Event]) -> tuple[Exchange, ...]:
    """Pieces of one exchange, as exchanges of at most one prompt each."""
    made: list[Exchange] = []
    for event in pieces:
        if event.role == "user" or not made:
            asked = event.role == "user"
            made.append(Exchange(event.prompt_index, event if asked else None, () if asked else (event,)))
        else:
            made[-1] = Exchange(event.prompt_index, made[-1].prompt, (*made[-1].replies, event))
    return tuple(made)


def part(text: str, limit: int) -> tuple[str, ...]:
    """`text` in pieces of at most `limit` characters, cut at line ends or blanks where there are any."""
    pieces: list[str] = []
    rest = text.strip()
    while len(rest) > limit:
        cut = max(rest.rfind("\n", 0, limit), rest.rfind(" ", 0, limit))
        cut = cut if cut > limit // 2 else limit
        pieces.append(rest[:cut].rstrip())
        rest = rest[cut:].lstrip()
    return (*pieces, rest) if rest else tuple(pieces)
