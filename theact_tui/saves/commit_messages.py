"""Messages of a save's commits: one line for a turn or an edit, and the trailer of the commit to skip to."""

from __future__ import annotations

import re

from theact_tui.saves.objects import Link
from theact_tui.text import one_line

SUBJECT = re.compile(r"[A-Z][a-z]+ (\d{1,9}): ?(.*)")
"""The number and the words of a subject."""
NAMED = "named "
"""Begins what an edit says that only names the save."""
SKIP = re.compile(r"^Skip: ([0-9a-f]{40})$", re.MULTILINE)


def message_of(word: str, number: int, line: str, skip: str | None) -> str:
    """The message of the commit that makes turn `number`: one clean line, and the trailer."""
    subject = f"{word} {number}: {one_line(line, len(line) + 1)[:60].rstrip()}"
    return f"{subject}\n\nSkip: {skip}\n" if skip else f"{subject}\n"


def number_of(link: Link) -> int | None:
    """The number in a turn's commit; None for every other commit."""
    found = SUBJECT.match(link.message)
    return int(found[1]) if found else None
