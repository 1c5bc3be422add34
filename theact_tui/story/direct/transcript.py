"""The transcript of a directed chapter: the newest part of its log, as it is shown."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import chain
from typing import Literal

from theact_tui.story.direct.log import exchanges
from theact_tui.story.direct.models import TRANSCRIPT_LIMIT, LogEvent, SessionRecord

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


@dataclass(frozen=True, slots=True)
class StreamedReply:
    """A prompt that is being answered, and what was streamed of the reply so far."""

    slot: int
    prompt: str
    reply: str = ""

    def passages(self, session: SessionRecord) -> tuple[LogPassage, ...]:
        """As the transcript will show them."""
        return (
            LogPassage("prompt", f"{session.prompt_index + 1}) {tidy(self.prompt)}"),
            LogPassage("reply", f"{session.name_of(self.slot)}: {tidy(self.reply)}", self.slot),
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
