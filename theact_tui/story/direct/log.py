"""The log of a session: its order, its exchanges, and which part of it each agent is given."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from theact_tui.story.direct.chunks import CHUNK
from theact_tui.story.direct.models import LogEvent, MemoryBlock

Events = tuple[LogEvent, ...]


@dataclass(frozen=True, slots=True)
class Exchange:
    """One prompt and everything that was answered to it."""

    index: int
    prompt: LogEvent | None
    replies: Events

    @property
    def events(self) -> Events:
        return ((self.prompt,) if self.prompt else ()) + self.replies

    @property
    def completed(self) -> bool:
        """It was asked and answered."""
        return self.prompt is not None and any(event.role == "agent" for event in self.replies)


def in_order(events: Iterable[LogEvent]) -> Events:
    """By prompt, then time, then sequence."""
    return tuple(sorted(events, key=lambda event: (event.prompt_index, event.created_at, event.sequence)))


def exchanges(events: Iterable[LogEvent]) -> tuple[Exchange, ...]:
    """The log by prompts, in order."""
    made: list[Exchange] = []
    for index, group in groupby(in_order(events), key=lambda event: event.prompt_index):
        members = tuple(group)
        prompt = next((event for event in members if event.role == "user"), None)
        made.append(Exchange(index, prompt, tuple(event for event in members if event is not prompt)))
    return tuple(made)


def recent(events: Iterable[LogEvent]) -> tuple[Exchange, ...]:
    """What an actor is reminded of: the last completed prompts with their replies, across boundaries."""
    return tuple(exchange for exchange in exchanges(events) if exchange.completed)[-CHUNK:]


def between(events: Iterable[LogEvent], first: int, last: int) -> Events:
    """The events of prompts `first` to `last`, inclusive, in order."""
    return in_order(event for event in events if first <= event.prompt_index <= last)


def span_text(first: int, last: int) -> str:
    """A range of prompts in words: `prompts 1 to 7`, or `prompt 8`."""
    return f"prompts {first} to {last}" if first != last else f"prompt {first}"


def deltas(blocks: Iterable[MemoryBlock]) -> tuple[MemoryBlock, ...]:
    """The blocks that tell what happened, oldest first."""
    return tuple(block for block in blocks if block.type == "turn_delta")


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


def _again(pieces: list[LogEvent]) -> tuple[Exchange, ...]:
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
