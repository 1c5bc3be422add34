"""Loads turns from the save into the transcript as the reader moves, a dozen at a time."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from theact_tui.tui.play.search import occurrences
from theact_tui.tui.play.transcript import WINDOW, Transcript, Wanted
from theact_tui.tui.play.transcript_window import TurnLayout

READ_AHEAD = 24
"""Turns that are read in one go, to be counted in."""


Read = Callable[[int, int], Awaitable[Sequence[TurnLayout]]]
"""The layouts of the turns from one number to another, inclusive."""


class TranscriptLoader:
    """Fills a transcript from a save."""

    def __init__(
        self,
        read: Read,
        newest: Callable[[], int],
        transcript: Transcript,
        live: Callable[[], TurnLayout | None] = lambda: None,
    ) -> None:
        """`newest` is the number of the last turn there is; `live` the turn told last, which the save may not hold yet."""
        self._live = live
        self._read = read
        self._newest = newest
        self.transcript = transcript
        self._counted = ("", dict[int, int]())
        """How often a term stands in each turn."""
        self._reading = asyncio.Lock()

    async def show_newest(self) -> None:
        """Show the end of the story."""
        newest = self._newest()
        layouts = await self._layouts(newest - WINDOW + 1, newest)
        live = self._live()
        if live and (live.live or live.number > newest):
            layouts = [*(layout for layout in layouts if layout.number < live.number), live]
        self.transcript.show(layouts, layouts[-1].number if layouts else 0)

    async def reload_turn(self, number: int) -> None:
        """Show a turn anew whose words were changed by hand."""
        layout = self.transcript.window.find(number)
        turns = await self._layouts(number, number)
        if layout and turns:
            layout.blocks = turns[0].blocks
            self.transcript.changed(layout)

    async def load(self, wanted: Wanted) -> None:
        """Load the turns before the window or after it, or show the end of the story instead."""
        async with self._reading:
            window = self.transcript.window
            match wanted:
                case "older":
                    self.transcript.prepend(await self._layouts(window.first - WINDOW, window.first - 1))
                case "newer":
                    self.transcript.append(await self._layouts(window.last + 1, window.last + WINDOW))
                case "newest":
                    await self.show_newest()

    async def jump(self, number: int) -> None:
        """Bring a turn to the top of the view."""
        number = max(1, min(number, self._newest()))
        await self._load_around(number)
        self.transcript.go_to(number)

    async def _load_around(self, number: int) -> None:
        if self.transcript.window.find(number) is None:
            layouts = await self._layouts(number - WINDOW // 2, number + WINDOW // 2)
            newest = max(self._newest(), self.transcript.window.newest)
            self.transcript.show(layouts, newest)

    async def seek(self, term: str, step: int) -> str:
        """Go to the next place of `term`, wherever in the story it is. Returns what was found; where there is nothing
        the reader stays."""
        async with self._reading:
            if self.transcript.seek(term, step):
                return self._where(term)
            if self._counted[0] != term:
                await self.count(term)
            counts, window = self._counted[1], self.transcript.window
            for turn in sorted((turn for turn in counts if counts[turn]), reverse=step < 0):
                if turn < window.first if step < 0 else turn > window.last:
                    await self._load_around(turn)
                    if self.transcript.seek(term, step):
                        return self._where(term)
            return "no more" if any(counts.values()) else "not found"

    async def count(self, term: str) -> str:
        """Count where `term` stands in the whole story; returns how often, or which place was found last."""
        counts: dict[int, int] = {}
        for first in range(1, self._newest() + 1, READ_AHEAD):
            for turn in await self._layouts(first, first + READ_AHEAD - 1):
                counts[turn.number] = occurrences(turn, term)
        self._counted = (term, counts)
        return self._where(term)

    def _where(self, term: str) -> str:
        """Which of how many places was found last, or only how many there are; its turn where they are not counted."""
        place_found, (counted, counts) = self.transcript.search.found, self._counted
        if counted != term:
            return f"turn {place_found[0]}" if place_found else ""
        total = sum(counts.values())
        if not place_found:
            return f"{total:,} found" if total else "not found"
        place = sum(n for turn, n in counts.items() if turn < place_found[0]) + place_found[1] + 1
        return f"{place:,} of {max(place, total):,}"

    async def _layouts(self, first: int, last: int) -> list[TurnLayout]:
        """The turns of the story from `first` to `last`, those that there are."""
        first, last = max(1, first), min(last, self._newest())
        return list(await self._read(first, last)) if first <= last else []
