"""The log of a session: its order, its exchanges, and which part of it each agent is given: not thoughts in (parentheses)
of others, nor words to one alone, `→ Name: ...`."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import groupby

from theact_tui.sentences import paragraph_texts
from theact_tui.story.direct.models import CHUNK, LogEvent, MemoryBlock
from theact_tui.story.names import Names
from theact_tui.story.speech import spoken, unsaid
from theact_tui.story.turn import Entry, Turn
from theact_tui.story.who_hears_and_answers import whispered

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


def as_turn(exchange: Exchange) -> Turn:
    """The exchange as a turn of a story: the prompt is the player's line; ids of characters are their slots."""
    events = exchange.events
    return Turn(
        number=exchange.index, chapter="", entries=tuple(map(_entry, events)), at=events[-1].created_at
    )


def _entry(event: LogEvent) -> Entry:
    if event.role == "agent" and event.agent_slot:
        return Entry(role="character", character=str(event.agent_slot), text=event.text)
    return Entry(role="player" if event.role == "user" else "system", text=event.text)


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


# --- what is not for all ---------------------------------------------------------------------------------------------


def known_to(
    slot: int | None, exchanges: Iterable[Exchange], cast: Mapping[int, str]
) -> tuple[Exchange, ...]:
    """The exchanges as the actor in `slot` knows them, or, with None, what all may know of them. `cast`: names by slot.

    A thought is known to whoever has it and to the game master; so is what is said to one alone, and to that one. Who is
    asked knows all of what they are asked. Of an answer to what was asked in private only what is done is seen.
    """
    people = Names({str(each): name for each, name in cast.items()})
    found = (_known(slot, exchange, people) for exchange in exchanges)
    return tuple(exchange for exchange in found if exchange.events)


def _known(slot: int | None, exchange: Exchange, people: Names) -> Exchange:
    if slot is not None and any(reply.agent_slot == slot for reply in exchange.replies):
        return exchange
    prompt = _heard(slot, exchange.prompt, people) if exchange.prompt else None
    is_private = exchange.prompt is not None and prompt is None
    replies = [_heard(slot, reply, people) for reply in exchange.replies]
    if is_private:
        replies = [_with_text(reply, unsaid(reply.text)) for reply in replies if reply]
    return replace(exchange, prompt=prompt, replies=tuple(filter(None, replies)))


def _heard(slot: int | None, event: LogEvent, people: Names) -> LogEvent | None:
    """What somebody hears of an event; None: nothing. An arrow holds up to the next one."""
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
