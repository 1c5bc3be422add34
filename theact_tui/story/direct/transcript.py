"""The transcript as people read it (D6): a window on the log, for a screen line by line or as plain text.

It is only ever rendered, never parsed: logic reads the log.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from theact_tui.story.direct.limits import TRANSCRIPT_LIMIT
from theact_tui.story.direct.log import in_order
from theact_tui.story.direct.records import Event, Session

DASHES = "-" * 13
BREAK = "\n\n"
CUT_NOTE = f"(Only the newest {TRANSCRIPT_LIMIT:,} characters are shown; everything before is kept.)"
_MANY_BLANK_LINES = re.compile(r"\n(?:[^\S\n]*\n){3,}")

Kind = Literal["prompt", "reply", "system", "dashes", "note"]


@dataclass(frozen=True, slots=True)
class Passage:
    """One piece of the transcript. `slot` is the agent's whose colour it has; None is drawn white or dim."""

    kind: Kind
    text: str
    slot: int | None = None
    event_id: str = ""


@dataclass(frozen=True, slots=True)
class Transcript:
    """What is shown, in order. Passages are two newlines apart."""

    passages: tuple[Passage, ...]

    @property
    def text(self) -> str:
        """As plain text, which reads well without colour."""
        return BREAK.join(passage.text for passage in self.passages)

    @property
    def length(self) -> int:
        """Characters as rendered, with separators, dashes and notes."""
        return sum(len(passage.text) for passage in self.passages) + len(BREAK) * max(
            len(self.passages) - 1, 0
        )

    @property
    def counter(self) -> str:
        """What stands under it: `0/60,000` to `60,000/60,000`."""
        return f"{self.length:,}/{TRANSCRIPT_LIMIT:,}"


def tidy(text: str) -> str:
    """`text` with three or more blank lines made two, and none around it."""
    return _MANY_BLANK_LINES.sub("\n\n\n", text).strip("\n").rstrip()


def passage(session: Session, event: Event) -> Passage:
    """One event as shown: a numbered prompt, or a reply after its agent's name."""
    body = tidy(event.text)
    if event.role == "user":
        return Passage("prompt", f"{event.prompt_index}) {body}", None, event.event_id)
    if event.role == "system" or event.agent_slot is None:
        return Passage("system", body, None, event.event_id)
    name = session.name_of(event.agent_slot)
    return Passage("reply", f"{name}: {body}", event.agent_slot, event.event_id)


def transcript(
    session: Session, events: Iterable[Event], *, limit: int = TRANSCRIPT_LIMIT, more: bool = False
) -> Transcript:
    """The newest events that fit into `limit` characters, oldest first.

    `more`: there are older events than those given, so the window is cut in any case.
    """
    ordered = in_order(events)
    boundary = _last_of(ordered, session.last_summarized_prompt_index)
    shown, whole = _fill(session, ordered, boundary, limit)
    if not more and whole:
        return Transcript(tuple(shown))
    note = Passage("note", CUT_NOTE[:limit])
    room = limit - len(note.text) - len(BREAK)
    shown, _ = _fill(session, ordered, boundary, room)
    if not shown and ordered:
        shown = _tail(session, ordered[-1], ordered[-1] is boundary, room)
    return Transcript((note, *shown))


def _last_of(ordered: tuple[Event, ...], index: int) -> Event | None:
    """The event the dashes follow: the newest with this prompt's index; none while it is 0."""
    if index == 0:
        return None
    return next((event for event in reversed(ordered) if event.prompt_index == index), None)


def _fill(
    session: Session, ordered: tuple[Event, ...], boundary: Event | None, room: int
) -> tuple[list[Passage], bool]:
    """Whole events from the newest back as far as they fit, and whether all did."""
    shown: list[Passage] = []
    used = -len(BREAK)
    for event in reversed(ordered):
        group = [passage(session, event)]
        if event is boundary:
            group.append(Passage("dashes", DASHES))
        used += sum(len(piece.text) + len(BREAK) for piece in group)
        if used > room:
            return shown, False
        shown[:0] = group
    return shown, True


def _tail(session: Session, event: Event, is_boundary: bool, room: int) -> list[Passage]:
    """The end of an event that is larger than the window by itself."""
    dashes = [Passage("dashes", DASHES)] if is_boundary else []
    room -= sum(len(piece.text) + len(BREAK) for piece in dashes)
    whole = passage(session, event)
    text = whole.text[-room:] if room > 0 else ""
    return [Passage(whole.kind, text, whole.slot, whole.event_id), *dashes]
