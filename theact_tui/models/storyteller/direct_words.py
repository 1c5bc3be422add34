"""Small tools of the offline storyteller's note-taking: sentences, phrases to look for, short forms."""

from __future__ import annotations

import re

from theact_tui.models.storyteller.find import sentences
from theact_tui.models.storyteller.plain import ended

LABEL = re.compile(
    r"^(?:[-*•#]+\s*)?(name|age|role|looks?|appearance|goal|wants?|fears?|voice|secrets?|taboos?|limits?|genre|type|tone"
    r"|location|place|time|year)\s*:\s*(.*)$",
    re.I,
)
"""A line such as `Tone: wry`, or the beginning of a part such as `Secret: ...`."""
_ONE_LINE = re.compile(r"(?:genre|type|tone|location|place|time|year)\s*:", re.I)
PLACE = re.compile(
    r"\b(?:in|at|on|aboard|inside|beneath|under|outside)\s+(the\s+[A-Za-z' -]{3,40}?)"
    r"(?=[,.;:!?]|\s+(?:and|where|when|while|with|as|that|is|are|was|at|in|on|to)\b|$)",
    re.I,
)
_ITEM = re.compile(r"[-*•#]\s")
MANY = 8
"""Items of a list."""
_LONG = 160


def any_of(phrases: str) -> re.Pattern[str]:
    """A pattern for any of the phrases, which commas part; a star stands for the rest of a word."""
    made = "|".join(re.escape(phrase.strip()).replace(r"\*", r"\w*") for phrase in phrases.split(","))
    return re.compile(rf"(?<!\w)(?:{made})(?!\w)", re.I)


def lines_of(text: str) -> list[str]:
    """Sentences of a text, however its lines are broken, without labelled parts."""
    parts = [part for part in parts_of(text) if not LABEL.match(part)]
    return [ended(line) for part in parts for line in sentences(part) if len(line.split()) > 1]


def parts_of(text: str) -> list[str]:
    """Paragraphs, list items and labelled parts of a text, each on one line."""
    made: list[str] = []
    goes_on = False
    for line in map(str.strip, text.splitlines()):
        if not line:
            goes_on = False
        elif goes_on and not _ITEM.match(line) and not LABEL.match(line):
            made[-1] += f" {line}"
        else:
            made.append(line.lstrip("-*•# "))
            goes_on = not _ONE_LINE.match(made[-1])
    return made


def short(line: str) -> str:
    return line if len(line) <= _LONG else line[: line.rfind(" ", 0, _LONG)].rstrip(" ,;:") + "…"
