"""Findings about a pack, with file, line and field (S2)."""

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import islice
from typing import Literal

from theact_tui.errors import UsageError
from theact_tui.text import one_line

MAX_FINDINGS = 100
MAX_NAME, MAX_KNOWN = 80, 500
"""Characters, and names compared."""
MIN_BEGINNING = 3  # characters that may stand for a whole name


@dataclass(frozen=True, slots=True)
class Finding:
    """Mistake in a pack. An error keeps the pack from loading; a warning does not."""

    level: Literal["error", "warning"]
    file: str
    """Path inside the pack, or "" for the whole pack."""
    line: int | None
    """Counted from 1; None for the whole file."""
    field: str
    """Such as `beats` or `chapters.01.scenes.2.moment`; "" for none."""
    message: str

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}, line {self.line}"
        return f"{place}: {self.message}" if place else self.message


class PackError(UsageError):
    def __init__(self, finding: Finding, *others: Finding) -> None:
        more = {0: "", 1: " (and 1 more error)"}.get(len(others), f" (and {len(others)} more errors)")
        super().__init__(f"{finding}{more}")
        self.findings = (finding, *others)


def did_you_mean(name: str, candidates: Iterable[str]) -> str:
    near = nearest(name, candidates)
    return f"; did you mean '{near}'?" if near else ""


def nearest(name: str, candidates: Iterable[str]) -> str | None:
    """Return the most similar candidate, in any case."""
    if len(name) > MAX_NAME:
        return None
    by_folded = {
        candidate.casefold(): candidate
        for candidate in islice(candidates, MAX_KNOWN)
        if len(candidate) <= MAX_NAME
    }
    folded = name.casefold()
    begun = [
        candidate for candidate in by_folded if len(folded) >= MIN_BEGINNING and candidate.startswith(folded)
    ]
    near = get_close_matches(folded, by_folded, n=1, cutoff=0.6) or begun[:1]
    return by_folded[near[0]] if near else None


def quoted(text: object) -> str:
    return f"'{one_line(str(text), 40)}'"
