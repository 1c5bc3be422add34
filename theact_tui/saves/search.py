import re
from collections.abc import Iterator
from dataclasses import dataclass

from theact_tui.errors import SaveError
from theact_tui.saves.library import Library
from theact_tui.saves.listing import SaveEntry
from theact_tui.saves.save import Save
from theact_tui.text import search_pattern

_MARGIN = 60  # characters shown on each side of a match


@dataclass(frozen=True, slots=True)
class Match:
    save: SaveEntry
    turn: int
    text: str

    @property
    def place(self) -> str:
        return f"{'prompt' if self.save.mode == 'direct' else 'turn'} {self.turn}"


def search_stories(library: Library, words: str) -> Iterator[Match]:
    """Yield each turn with `words`, on the current branches of stories and directed chapters."""
    pattern = search_pattern(words)
    for entry in library.saves():
        if entry.broken:
            continue
        try:
            with Save.open(library.path(entry.name), write=False) as opened:
                turns = opened.turns(1, entry.turn)
        except SaveError:
            continue  # the list of stories says so
        for turn in turns:
            texts = (" ".join(part.text.split()) for part in turn.ordered_entries)
            if match := next(filter(None, map(pattern.search, texts)), None):
                yield Match(entry, turn.number, _around(match))


def _around(match: re.Match[str]) -> str:
    """Return the match with whole words on both sides."""
    text, start, end = match.string, max(0, match.start() - _MARGIN), match.end() + _MARGIN
    before = text[start : match.start()]
    after = text[match.end() : end]
    before = f"…{before[before.find(' ') + 1 :]}" if start else before
    after = f"{after[: after.rfind(' ')]}…" if end < len(text) else after
    return f"{before}{match[0]}{after}"
