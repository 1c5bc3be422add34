"""Findings about a pack, with file, line and field (S2)."""

from dataclasses import dataclass
from typing import Literal

from theact_tui.errors import UsageError

MAX_FINDINGS = 100


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
