"""How finished chapters are told to the narrator (S5.3): the last two as they were recapped, those before in a sentence.

So a long game does not fill its prompts with its own past. What is not told can come to mind again.
"""

from __future__ import annotations

from collections.abc import Sequence

from theact_tui.story.chronicle import sentences
from theact_tui.story.game import PastChapter, Recap
from theact_tui.story.older import Older
from theact_tui.text import clip

WHOLE = 2
"""Recaps that are told whole."""
BRIEF = 160
"""Characters of each before them."""
EARLIER = 8
"""How many of those are told."""


def told_recaps(recaps: Sequence[Recap]) -> tuple[Recap, ...]:
    """The recaps as a prompt tells them, oldest first."""
    earlier = recaps[:-WHOLE][-EARLIER:]
    brief = (recap.model_copy(update={"text": _first(recap)}) for recap in earlier)
    return (*brief, *recaps[-WHOLE:])


def untold(recaps: Sequence[Recap], history: Sequence[PastChapter]) -> list[Older]:
    """The sentences of the recaps that `told_recaps` leaves out, as of the last turns of their chapters."""
    ended = {past.chapter: past.last_turn for past in history}
    told = {recap.chapter: recap.text for recap in told_recaps(recaps)}
    return [
        Older(ended.get(recap.chapter, 0), f"{recap.title}: {line}")
        for recap in recaps
        for line in sentences(recap.text)
        if line not in told.get(recap.chapter, "")
    ]


def _first(recap: Recap) -> str:
    return clip((sentences(recap.text) or [""])[0], BRIEF)
