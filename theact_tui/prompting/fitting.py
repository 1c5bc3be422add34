"""Fit a prompt into a context window. Fixed sections are never cut."""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby

from theact_tui.errors import CallError
from theact_tui.prompting.sections import Priority, Prompt, Section
from theact_tui.sentences import clip, sentence_spans

Count = Callable[[str], int]

FRAME_TOKENS = 12
"""Tokens that chat templates put around a system and a user message."""
ROOMY = 6144
"""Tokens of a window with room for calls behind its prompt."""
_LEAST_REPLY = 120
"""Tokens."""
_LATE_TOKENS = 300
"""Tokens reserved for sections after the player's line: a longer line must not move those before it."""
_PAGES_SHARE = 3
"""One in so many tokens beside the fixed sections is for pages."""

PINNED = "pinned memory"
"""Name of the fixed section with the player's pins."""


def fit(
    sections: Sequence[Section],
    *,
    window: int,
    reply: int,
    count: Count,
    reserve: int = 0,
    spare: int = 0,
    least_turns: int = 0,
) -> tuple[Prompt, int]:
    """Return the prompt that fits and the tokens left for the reply.

    `reserve` is kept free for counting errors, `spare` for a question asked after this prompt in a roomy window. The
    newest `least_turns` stay while summaries can be cut. Raises `CallError("overflow")` if the fixed parts alone do
    not fit.
    """
    counted = [replace(section, tokens=count(section.text) + 1) for section in sections if section.text]
    usable = window - reserve - FRAME_TOKENS
    if window >= ROOMY and (late := sum(section.tokens for section in counted if section.late)):
        usable -= spare + max(0, _LATE_TOKENS - late)
    fixed = sum(section.tokens for section in counted if section.priority == "fixed")
    left = usable - fixed
    reply = min(reply, max(_LEAST_REPLY, left - left // _PAGES_SHARE))
    room = usable - reply
    if fixed > room:
        raise CallError(
            "overflow",
            f"The prompt and its reply need {fixed + reply:,} tokens; the model has room for {usable:,}. "
            f"{_advice(counted)}",
        )
    halve, cut = partial(_halved, count=count), partial(_cut, count=count)
    steps: tuple[tuple[Priority, Change, int], ...] = (
        ("spare", cut, 0),
        ("turn", _left_out, least_turns),
        ("turn", halve, 0),
        ("summary", cut, 0),
        ("turn", _left_out, 0),
        ("pages", cut, 0),
        ("lore", cut, 0),
        ("memory", cut, 0),
    )
    for priority, change, keep in steps:
        groups = _groups(counted, priority)
        for group in groups[: max(0, len(groups) - keep)]:
            if _total(counted) <= room:
                break
            for place in group:
                if change is _left_out or _total(counted) > room:
                    counted[place] = change(counted[place], _total(counted) - room)
    return Prompt(sections=tuple(counted), tokens=_total(counted) + FRAME_TOKENS, limit=window), reply


def _groups(sections: Sequence[Section], priority: Priority) -> list[list[int]]:
    places = [
        place
        for place, section in enumerate(sections)
        if section.priority == priority and section.kept != "dropped"
    ]
    return [list(group) for _, group in groupby(places, key=lambda place: sections[place].name)]


def _advice(sections: Sequence[Section]) -> str:
    pinned = sum(section.tokens for section in sections if section.name == PINNED)
    if pinned:
        return f"Pinned lines take {pinned} of them: unpin one, or give the model a larger context."
    return "Give the model a larger context, or shorten the pack's texts."


def _total(sections: Sequence[Section]) -> int:
    return sum(section.tokens for section in sections if section.kept != "dropped")


Change = Callable[[Section, int], Section]
"""Shorten a section by about so many tokens."""


def _left_out(section: Section, over: int) -> Section:
    return replace(section, kept="dropped", why="did not fit; it will go into the summary")


def _halved(section: Section, over: int, *, count: Count) -> Section:
    """Drop the start of a turn, at most half: the end matters for what follows."""
    text = ending(section.text, max(section.tokens - over, section.tokens // 2), count)
    return replace(
        section, text=text, tokens=count(text) + 1, kept="trimmed", why="its beginning did not fit"
    )


def _cut(section: Section, over: int, *, count: Count) -> Section:
    text = shorten_to(section.text, section.tokens - over, count)
    if not text:
        return replace(section, kept="dropped", why="did not fit")
    return replace(section, text=text, tokens=count(text) + 1, kept="trimmed", why="did not fit completely")


def shorten_to(text: str, tokens: int, count: Count) -> str:
    """Return the start of `text`, at most `tokens` long, up to the end of a sentence if possible."""
    if tokens <= 8:
        return ""
    length = bisect_left(range(1, len(text) + 1), tokens, key=lambda length: count(text[:length]))
    return clip(text, length)


def ending(text: str, tokens: int, count: Count) -> str:
    """Return the end of `text`, at most `tokens` long, from the start of a sentence if possible."""
    start = bisect_left(range(len(text)), -tokens + 1, key=lambda start: -count(text[start:]))
    sentence = next((begin for begin, _ in sentence_spans(text) if begin >= start), start)
    return text[sentence if sentence - start < (len(text) - start) // 2 else start :].lstrip()
