"""What the narrator's summary once said and has left out since, and moments that gave way to others (S5.1, S5.4)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from theact_tui.story.knowing import says_the_same
from theact_tui.story.older import Older, older_lines, with_older
from theact_tui.story.turn import Moment

_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"”’')]*\s+|(?<=[。！？])(?=\S)")


def with_left_out(chronicle: str, before: str, after: str, turn: int) -> str:
    """The chronicle with the sentences of a summary that the next one, made after `turn`, does not hold any more."""
    kept = sentences(after)
    said = [line.text for line in older_lines(chronicle)]
    left = [line for line in sentences(before) if not says_the_same(line, [*kept, *said])]
    return with_older(chronicle, [Older(turn, line) for line in left])


def with_gone(chronicle: str, before: Sequence[Moment], after: Sequence[Moment]) -> str:
    """The chronicle with the moments that are not kept any more."""
    gone = [moment for moment in before if moment not in after]
    return with_older(chronicle, [Older(moment.turn, moment.summary, important=True) for moment in gone])


def sentences(text: str) -> list[str]:
    """The sentences of a text, in any script."""
    return [part for part in _SENTENCE_END.split(text.strip()) if part]
