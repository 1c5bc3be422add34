"""Fitting a prompt into a window: oldest turns go first, then the beginning of the last page, then summaries,
pages and memory are cut, fixed parts never."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from theact_tui.errors import CallError
from theact_tui.prompting.sections import Priority, Prompt, Section

Count = Callable[[str], int]
"""Tokens of a text."""

FRAME_TOKENS = 12
"""What chat templates put around a system and a user message."""
LEAST_REPLY = 120
"""A reply allowance is never squeezed below this."""
PAGES_SHARE = 3
"""One in so many tokens that the fixed parts leave is for pages, however long the reply may be."""

PINNED = "pinned memory"
"""The section that holds what the player pinned; it is fixed."""


def fit(
    sections: Sequence[Section],
    *,
    window: int,
    reply: int,
    count: Count,
    reserve: int = 0,
    least_turns: int = 0,
) -> tuple[Prompt, int]:
    """The prompt that fits, and the reply allowance left for it, both in tokens.

    `reserve` is what is kept free for the error of counting; `least_turns` newest turns are kept as
    long as summaries can still be cut. Raises `CallError("overflow")` when the fixed parts alone do not fit.
    """
    counted = [replace(section, tokens=count(section.text) + 1) for section in sections if section.text]
    usable = window - reserve - FRAME_TOKENS
    fixed = sum(section.tokens for section in counted if section.priority == "fixed")
    left = usable - fixed
    reply = min(reply, max(LEAST_REPLY, left - left // PAGES_SHARE))
    room = usable - reply
    if fixed > room:
        raise CallError(
            "overflow",
            f"The prompt needs {fixed + reply} tokens, but the model's window is {window}. {_advice(counted)}",
        )
    counted = _drop_turns(counted, room, keep=least_turns)
    counted = _halve_turns(counted, room, count)
    counted = _cut(counted, "summary", room, count)
    counted = _drop_turns(counted, room, keep=0)
    counted = _cut(counted, "pages", room, count)
    counted = _cut(counted, "lore", room, count)
    counted = _cut(counted, "memory", room, count)
    used = _total(counted) + FRAME_TOKENS
    return Prompt(sections=tuple(counted), tokens=used, limit=window), reply


def _advice(sections: Sequence[Section]) -> str:
    pinned = sum(section.tokens for section in sections if section.name == PINNED)
    if pinned:
        return f"Pinned lines take {pinned} of them: unpin one, or give the model a larger context."
    return "Give the model a larger context, or shorten the pack's texts."


def _total(sections: Sequence[Section]) -> int:
    return sum(section.tokens for section in sections if section.kept != "dropped")


def _drop_turns(sections: list[Section], room: int, keep: int) -> list[Section]:
    """Drop turn sections from the oldest until the rest fits or `keep` are left."""
    over = _total(sections) - room
    turns = [i for i, s in enumerate(sections) if s.priority == "turn" and s.kept != "dropped"]
    fitted = list(sections)
    for i in turns[: len(turns) - keep] if keep else turns:
        if over <= 0:
            break
        over -= fitted[i].tokens
        fitted[i] = replace(fitted[i], kept="dropped", why="did not fit; it will go into the summary")
    return fitted


def _halve_turns(sections: list[Section], room: int, count: Count) -> list[Section]:
    """Leave out the beginnings of turns, oldest first, until the rest fits: what continues is how a page ends. At least
    half of each stays."""
    fitted = list(sections)
    for i, section in enumerate(sections):
        over = _total(fitted) - room
        if over <= 0:
            break
        if section.priority == "turn" and section.kept == "whole":
            text = ending(section.text, max(section.tokens - over, section.tokens // 2), count)
            fitted[i] = replace(
                section, text=text, tokens=count(text) + 1, kept="trimmed", why="its beginning did not fit"
            )
    return fitted


def _cut(sections: list[Section], priority: Priority, room: int, count: Count) -> list[Section]:
    """Cut the sections of a priority at a sentence, first ones first, until the rest fits."""
    fitted = list(sections)
    for i, section in enumerate(sections):
        over = _total(fitted) - room
        if over <= 0:
            break
        if section.priority != priority or section.kept == "dropped":
            continue
        text = shorten(section.text, section.tokens - over, count)
        if text:
            fitted[i] = replace(
                section, text=text, tokens=count(text) + 1, kept="trimmed", why="did not fit completely"
            )
        else:
            fitted[i] = replace(section, kept="dropped", why="did not fit")
    return fitted


def shorten(text: str, tokens: int, count: Count) -> str:
    """The beginning of `text` that has at most `tokens` tokens, ending at a sentence where there is one."""
    if tokens <= 8:
        return ""
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if count(text[:middle]) < tokens:
            low = middle
        else:
            high = middle - 1
    cut = text[:low]
    end = max(cut.rfind(mark) for mark in (". ", "! ", "? ", ".\n", "\n"))
    return cut[: end + 1].rstrip() if end > low // 2 else cut.rstrip()


def ending(text: str, tokens: int, count: Count) -> str:
    """The end of `text` that has at most `tokens` tokens, beginning with a sentence where there is one."""
    low, high = 0, len(text)
    while low < high:
        middle = (low + high) // 2
        if count(text[middle:]) < tokens:
            high = middle
        else:
            low = middle + 1
    cut = text[low:]
    begins = min(
        (at + len(mark) for mark in (". ", "! ", "? ", "\n") if (at := cut.find(mark)) >= 0), default=0
    )
    return cut[begins if begins < len(cut) // 2 else 0 :].lstrip()
