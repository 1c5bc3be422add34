"""Log of a session, and the part of it each agent may read."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import groupby

from theact_tui.sentences import paragraph_texts
from theact_tui.story.direct.notes_due import CHUNK
from theact_tui.story.direct.records import LogEvent, MemoryBlock
from theact_tui.story.names import Names
from theact_tui.story.scene import whispered
from theact_tui.story.speech import spoken, without_speech

Events = tuple[LogEvent, ...]


@dataclass(frozen=True, slots=True)
class Exchange:
    index: int
    prompt: LogEvent | None
    replies: Events

    @property
    def events(self) -> Events:
        return ((self.prompt,) if self.prompt else ()) + self.replies

    @property
    def completed(self) -> bool:
        return self.prompt is not None and any(event.role == "agent" for event in self.replies)


def in_order(events: Iterable[LogEvent]) -> Events:
    """Sort by prompt, then time, then sequence."""
    return tuple(sorted(events, key=lambda event: (event.prompt_index, event.created_at, event.sequence)))


def exchanges(events: Iterable[LogEvent]) -> tuple[Exchange, ...]:
    """Group the log by prompts, in order."""
    grouped: list[Exchange] = []
    for index, group in groupby(in_order(events), key=lambda event: event.prompt_index):
        members = tuple(group)
        prompt = next((event for event in members if event.role == "user"), None)
        grouped.append(Exchange(index, prompt, tuple(event for event in members if event is not prompt)))
    return tuple(grouped)


def recent(events: Iterable[LogEvent]) -> tuple[Exchange, ...]:
    return tuple(exchange for exchange in exchanges(events) if exchange.completed)[-CHUNK:]


def between(events: Iterable[LogEvent], first: int, last: int) -> Events:
    """Return events of prompts `first` to `last`, inclusive, in order."""
    return in_order(event for event in events if first <= event.prompt_index <= last)


def span_text(first: int, last: int) -> str:
    """Format a range: `prompts 1 to 7`, or `prompt 8`."""
    return f"prompts {first} to {last}" if first != last else f"prompt {first}"


def deltas(blocks: Iterable[MemoryBlock]) -> tuple[MemoryBlock, ...]:
    return tuple(block for block in blocks if block.type == "turn_delta")


def last_words(text: str, limit: int) -> str:
    """Return the end of `text`, at most `limit` characters, from a whole word on."""
    if len(text) <= limit:
        return text
    tail = text[-limit:]
    cut = tail.find(" ")
    return tail[cut + 1 :] if 0 <= cut < limit // 2 else tail


def halves(exchanges: tuple[Exchange, ...], least: int = 400) -> tuple[tuple[Exchange, ...], ...]:
    """Divide exchanges in two by number, or a long one by its text. One part if indivisible."""
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
    """Rebuild exchanges from pieces of one, each with at most one prompt."""
    parts: list[Exchange] = []
    for event in pieces:
        if event.role == "user" or not parts:
            asked = event.role == "user"
            parts.append(Exchange(event.prompt_index, event if asked else None, () if asked else (event,)))
        else:
            parts[-1] = Exchange(event.prompt_index, parts[-1].prompt, (*parts[-1].replies, event))
    return tuple(parts)


def part(text: str, limit: int) -> tuple[str, ...]:
    """Cut `text` into pieces of at most `limit` characters, at line ends or blanks if possible."""
    pieces: list[str] = []
    rest = text.strip()
    while len(rest) > limit:
        cut = max(rest.rfind("\n", 0, limit), rest.rfind(" ", 0, limit))
        cut = cut if cut > limit // 2 else limit
        pieces.append(rest[:cut].rstrip())
        rest = rest[cut:].lstrip()
    return (*pieces, rest) if rest else tuple(pieces)


# --- private words ---------------------------------------------------------------------------------------------------


def visible_to(
    slot: int | None, exchanges: Iterable[Exchange], cast: Mapping[int, str]
) -> tuple[Exchange, ...]:
    """Return exchanges as the character in `slot` may read them; None: as all may. `cast` holds names by slot.

    Hidden from others: thoughts in (parentheses), words to one character (`→ Name: ...`), and speech in a reply to a
    private prompt. Those asked read the whole prompt.
    """
    people = Names({str(number): name for number, name in cast.items()})
    readable = (_readable(slot, exchange, people) for exchange in exchanges)
    return tuple(exchange for exchange in readable if exchange.events)


def _readable(slot: int | None, exchange: Exchange, people: Names) -> Exchange:
    if slot is not None and any(reply.agent_slot == slot for reply in exchange.replies):
        return exchange
    prompt = _heard(slot, exchange.prompt, people) if exchange.prompt else None
    is_private = exchange.prompt is not None and prompt is None
    replies = [_heard(slot, reply, people) for reply in exchange.replies]
    if is_private:
        replies = [_with_text(reply, without_speech(reply.text)) for reply in replies if reply]
    return replace(exchange, prompt=prompt, replies=tuple(filter(None, replies)))


def _heard(slot: int | None, event: LogEvent, people: Names) -> LogEvent | None:
    """Return the event as heard by a character, or None. An arrow holds up to the next one."""
    heard: list[str] = []
    hears = True
    for paragraph in paragraph_texts(spoken(event.text)):
        if to := whispered(paragraph, people):
            hears = to.hearers is None or str(slot) in to.hearers
        if hears:
            heard.append(paragraph)
    return _with_text(event, "\n\n".join(heard))


def _with_text(event: LogEvent, text: str) -> LogEvent | None:
    return event.model_copy(update={"text": text}) if text else None
