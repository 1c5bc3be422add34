"""The log of a session: its order, its exchanges, and which part of it each agent is given."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import chain, groupby
from typing import Literal

from theact_tui.story.direct.chunks import CHUNK
from theact_tui.story.direct.models import TRANSCRIPT_LIMIT, LogEvent, MemoryBlock, SessionRecord

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


DASHES = "-" * 13
BREAK = "\n\n"
CUT_NOTE = f"(Only the newest {TRANSCRIPT_LIMIT:,} characters are shown; everything before is kept.)"
_MANY_BLANK_LINES = re.compile(r"\n(?:[^\S\n]*\n){3,}")

Kind = Literal["prompt", "reply", "system", "dashes", "note"]


@dataclass(frozen=True, slots=True)
class LogPassage:
    """One piece of the transcript. `slot` is the agent's whose colour it has; None is drawn white or dim."""

    kind: Kind
    text: str
    slot: int | None = None


@dataclass(frozen=True, slots=True)
class LogTranscript:
    """What is shown, in order. Passages are two newlines apart."""

    passages: tuple[LogPassage, ...]

    @property
    def text(self) -> str:
        """As plain text, which reads well without colour."""
        return BREAK.join(passage.text for passage in self.passages)

    @property
    def length(self) -> int:
        """Characters as rendered, with separators, dashes and notes."""
        return len(self.text)

    @property
    def counter(self) -> str:
        """What stands under it: `0/60,000` to `60,000/60,000`."""
        return f"{self.length:,}/{TRANSCRIPT_LIMIT:,}"


def tidy(text: str) -> str:
    """`text` with three or more blank lines made two, and none around it."""
    return _MANY_BLANK_LINES.sub("\n\n\n", text).strip("\n").rstrip()


def passage(session: SessionRecord, event: LogEvent) -> LogPassage:
    """One event as shown: a numbered prompt, or a reply after its agent's name."""
    body = tidy(event.text)
    if event.role == "user":
        return LogPassage("prompt", f"{event.prompt_index}) {body}")
    if event.role == "system" or event.agent_slot is None:
        return LogPassage("system", body)
    return LogPassage("reply", f"{session.name_of(event.agent_slot)}: {body}", event.agent_slot)


def streamed(session: SessionRecord, slot: int, prompt: str, reply: str) -> tuple[LogPassage, ...]:
    """A prompt that is being answered, and the reply so far, as the transcript will show them."""
    return (
        LogPassage("prompt", f"{session.prompt_index + 1}) {tidy(prompt)}"),
        LogPassage("reply", f"{session.name_of(slot)}: {tidy(reply)}", slot),
    )


def transcript(
    session: SessionRecord, events: Iterable[LogEvent], *, limit: int = TRANSCRIPT_LIMIT, more: bool = False
) -> LogTranscript:
    """The newest events that fit into `limit` characters, oldest first, with dashes after the boundary.

    `more`: there are older events than those given, so the window is cut in any case.
    """
    groups: list[list[LogPassage]] = []
    boundary = session.last_summarized_prompt_index
    for exchange in exchanges(events):
        groups += [[passage(session, event)] for event in exchange.events]
        if exchange.index == boundary > 0:
            groups[-1].append(LogPassage("dashes", DASHES))
    whole = LogTranscript(tuple(chain(*groups)))
    if not more and whole.length <= limit:
        return whole
    note = LogPassage("note", CUT_NOTE[:limit])
    room = limit - len(note.text)
    shown: list[LogPassage] = []
    for group in reversed(groups):
        size = sum(len(piece.text) + len(BREAK) for piece in group)
        if size > room:
            break
        room -= size
        shown[:0] = group
    if groups and not shown:
        newest, *dashes = groups[-1]
        room -= sum(len(piece.text) + len(BREAK) for piece in dashes) + len(BREAK)
        shown = [replace(newest, text=newest.text[-room:] if room > 0 else ""), *dashes]
    return LogTranscript((note, *shown))
