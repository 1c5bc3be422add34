"""Small tools of the offline storyteller's note-taking: sentences, phrases to look for, short forms."""

from __future__ import annotations

import re

from theact_tui.models.storyteller.find import sentences
from theact_tui.models.storyteller.plain import ended

LABEL = re.compile(r"^\s*(?:[-*•#]+\s*)?([A-Za-z][A-Za-z ]{2,24}):\s+(\S.*)$")
PLACE = re.compile(
    r"\b(?:in|at|on|aboard|inside|beneath|under|outside)\s+(the\s+[A-Za-z' -]{3,40}?)"
    r"(?=[,.;:!?]|\s+(?:and|where|when|while|with|as|that|is|are|was|at|in|on|to)\b|$)",
    re.I,
)
MANY = 8
"""Items of a list."""
_LONG = 160


def any_of(phrases: str) -> re.Pattern[str]:
    """A pattern for any of the phrases, which commas part; a star stands for the rest of a word."""
    made = "|".join(re.escape(phrase.strip()).replace(r"\*", r"\w*") for phrase in phrases.split(","))
    return re.compile(rf"(?<!\w)(?:{made})(?!\w)", re.I)


def lines_of(text: str) -> list[str]:
    """Sentences of a text without labelled lines."""
    kept = [line for line in text.splitlines() if not LABEL.match(line)]
    return [ended(line.lstrip("-*• ")) for part in kept for line in sentences(part) if len(line.split()) > 1]


def short(line: str) -> str:
    return line if len(line) <= _LONG else line[: line.rfind(" ", 0, _LONG)].rstrip(" ,;:") + "…"
