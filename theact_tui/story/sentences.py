"""A text of a turn in sentences, as turns of earlier versions count what was heard of it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_BREAK = re.compile(
    r"(?P<paragraph>\s*\n\s*\n\s*|(?<=[.!?…\"”»])[ \t]*\n\s*)"
    r"|(?:(?<=[.!?…])|(?<=[.!?…][\"”’»')]))\s+(?=[\"“«‘'(]?[^\Wa-z_])"
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a narration: its text, and if a paragraph ends with it."""

    text: str
    last: bool


def sentences(text: str) -> list[Sentence]:
    """The sentences of a text as `Heard` counts them: saves hold these numbers, so it may never split otherwise."""
    text = text.strip()
    made, start = list[Sentence](), 0
    for found in _BREAK.finditer(text):
        made.append(Sentence(text[start : found.start()], found["paragraph"] is not None))
        start = found.end()
    return [*made, Sentence(text[start:], True)] if text else []


def portion(text: str, start: int, end: int | None) -> str:
    """The sentences from `start` to before `end` of a text, in their paragraphs."""
    return joined(sentences(text)[start:end])


def joined(told: Iterable[Sentence]) -> str:
    """These sentences as one text, in their paragraphs."""
    return "".join(f"{one.text}\n\n" if one.last else f"{one.text} " for one in told).strip()
