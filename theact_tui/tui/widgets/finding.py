"""Finding words in the turns of a window, whatever rows they are wrapped over. Pure, but for the place last found."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from textual.content import Content

from theact_tui.tui.widgets.leaf import Leaf


def highlighted(content: Content, term: str, ink: str = ".found") -> Content:
    """`content` with every occurrence of `term`, in any case, set in `ink`."""
    for match in re.finditer(re.escape(term), content.plain, re.IGNORECASE):
        content = content.stylize(ink, match.start(), match.end())
    return content


def places(leaf: Leaf, term: str) -> list[int]:
    """The rows of a leaf in which an occurrence of `term` begins, in any case; one may run over rows."""
    found: list[int] = []
    text, starts = "", []
    for row in leaf.rows:
        starts.append(len(text))
        text += row.text.rstrip() + (" " if row.runs_on else "\n")
    for match in re.finditer(re.escape(term), text, re.IGNORECASE):
        found.append(bisect_right(starts, match.start()) - 1)
    return list(dict.fromkeys(found))


@dataclass
class Finder:
    """A search: the words, and the place last found as turn and row."""

    term: str = ""
    found: tuple[int, int] | None = None

    def begin(self, term: str) -> bool:
        """Search for `term` from now on; True if it is another one than before."""
        changed = term != self.term
        if changed:
            self.term, self.found = term, None
        return changed

    def step(self, leaves: Sequence[Leaf], step: int) -> tuple[int, int]:
        """Go to the next place, older (-1) or newer (1). Returns which one it is and how many there are; 0 and the
        number when there is no further one in that direction."""
        hits = [
            (leaf.number, row) for leaf in leaves for row in (places(leaf, self.term) if self.term else ())
        ]
        if step < 0:
            known = self.found or (leaves[-1].number + 1 if leaves else 0, 0)
            at = max((n for n, hit in enumerate(hits) if hit < known), default=-1)
        else:
            at = min((n for n, hit in enumerate(hits) if hit > (self.found or (0, 0))), default=-1)
        if at >= 0:
            self.found = hits[at]
        return at + 1, len(hits)
