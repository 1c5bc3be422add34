"""Transcript of a directed chapter: the newest part of its log."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain

from theact_tui.story.direct.log import Events, exchanges
from theact_tui.story.direct.records import TRANSCRIPT_LIMIT, LogEvent, SessionRecord

DASHES = "-" * 13

_BREAK = "\n\n"

CUT_NOTE = f"(Only the newest {TRANSCRIPT_LIMIT:,} characters are shown; everything before is kept.)"

_MANY_BLANK_LINES = re.compile(r"\n(?:[^\S\n]*\n){3,}")


@dataclass(frozen=True, slots=True)
class LogTranscript:
    """Passages in order, two newlines apart."""

    passages: tuple[str, ...]
    events: Events
    """Visible events; of a single one that is too long only the end."""
    is_cut: bool = False

    @property
    def text(self) -> str:
        return _BREAK.join(self.passages)

    @property
    def length(self) -> int:
        return len(self.text)

    @property
    def counter(self) -> str:
        return f"{self.length:,}/{TRANSCRIPT_LIMIT:,}"


def tidy(text: str) -> str:
    """Reduce three or more blank lines to two; strip blank lines around."""
    return _MANY_BLANK_LINES.sub("\n\n\n", text).strip("\n").rstrip()


def passage(session: SessionRecord, event: LogEvent) -> str:
    body = tidy(event.text)
    if event.role == "user":
        return f"{event.prompt_index}) {body}"
    return f"{session.name_of(event.agent_slot)}: {body}" if event.agent_slot else body


def transcript(
    session: SessionRecord, events: Iterable[LogEvent], *, limit: int = TRANSCRIPT_LIMIT, more: bool = False
) -> LogTranscript:
    """Select the newest events that fit `limit` characters, oldest first, with dashes after the boundary. `more`:
    older events exist.
    """
    boundary = session.last_summarized_prompt_index
    groups: list[tuple[LogEvent, list[str]]] = []
    for exchange in exchanges(events):
        groups += [(event, [passage(session, event)]) for event in exchange.events]
        if exchange.index == boundary > 0:
            groups[-1][1].append(DASHES)
    whole = _shown(groups)
    if not more and whole.length <= limit:
        return whole
    note = CUT_NOTE[:limit]
    room = limit - len(note)
    window: list[tuple[LogEvent, list[str]]] = []
    for event, pieces in reversed(groups):
        size = sum(len(piece) + len(_BREAK) for piece in pieces)
        if size > room:
            break
        room -= size
        window.insert(0, (event, pieces))
    if groups and not window:
        event, (newest, *dashes) = groups[-1]
        room -= sum(len(piece) + len(_BREAK) for piece in dashes) + len(_BREAK)
        tail = newest[-room:] if room > 0 else ""
        window = [(event.model_copy(update={"text": tail}), [tail, *dashes])]
    return _shown(window, note)


def _shown(groups: Iterable[tuple[LogEvent, list[str]]], *note: str) -> LogTranscript:
    pairs = tuple(groups)
    passages = chain(note, *(pieces for _, pieces in pairs))
    return LogTranscript(tuple(passages), tuple(event for event, _ in pairs), is_cut=bool(note))
