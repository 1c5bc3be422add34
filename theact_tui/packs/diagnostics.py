"""What is wrong with a pack, said for people: file, line, field, what was expected, the nearest known name (S2).

Found by `reader` in one file (its YAML and fields; the line of each value), by `files` where one is missing or not listed,
and by `checks` where the parts do not fit each other.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import islice
from typing import Literal

from theact_tui.errors import UsageError
from theact_tui.text import one_line

MAX_FINDINGS = 100
"""Findings that are collected for one pack."""
MAX_NAME, MAX_KNOWN = 80, 500
"""Characters of a name, and names, beyond which no likeness is looked for."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing wrong with a pack. An error keeps it from loading; a warning does not."""

    level: Literal["error", "warning"]
    file: str
    """Path inside the pack, or "" for the pack as a whole."""
    line: int | None
    """Counted from 1; None when the whole file is meant."""
    field: str
    """Such as `beats` or `chapters.01.scenes.2.moment`; "" when no field is meant."""
    message: str

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}, line {self.line}"
        return f"{place}: {self.message}" if place else self.message


class PackError(UsageError):
    """A pack that does not load, with the findings that say why."""

    def __init__(self, finding: Finding, *others: Finding) -> None:
        more = {0: "", 1: " (and 1 more error)"}.get(len(others), f" (and {len(others)} more errors)")
        super().__init__(f"{finding}{more}")
        self.findings = (finding, *others)


def did_you_mean(name: str, candidates: Iterable[str]) -> str:
    """A clause with the nearest known name, such as "; did you mean 'beats'?", or "" when nothing is near."""
    near = nearest(name, candidates)
    return f"; did you mean '{near}'?" if near else ""


def nearest(name: str, candidates: Iterable[str]) -> str | None:
    """The known name most like `name`, ignoring case, or None when none is near."""
    if len(name) > MAX_NAME:
        return None
    by_folded = {
        candidate.casefold(): candidate
        for candidate in islice(candidates, MAX_KNOWN)
        if len(candidate) <= MAX_NAME
    }
    near = get_close_matches(name.casefold(), by_folded, n=1, cutoff=0.6)
    return by_folded[near[0]] if near else None


def quoted(text: object) -> str:
    """`text` in quotes and short enough for a message."""
    return f"'{one_line(str(text), 40)}'"
