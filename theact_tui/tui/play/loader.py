"""Load turns from the save into the transcript as the reader moves."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from theact_tui.tui.play.transcript import WINDOW_TURNS, Transcript, Wanted
from theact_tui.tui.play.transcript_search import occurrences
from theact_tui.tui.play.transcript_window import TurnLayout

READ_AHEAD = 24


Read = Callable[[int, int], Awaitable[Sequence[TurnLayout]]]
"""Loads the layouts of a range of turns, inclusive."""


@dataclass(eq=False)
class TranscriptLoader:
    read: Read
    newest: Callable[[], int]
    """Number of the last turn."""
    transcript: Transcript
    live: Callable[[], TurnLayout | None] = lambda: None
    """The last turn, perhaps not saved yet."""
    _counted: tuple[str, dict[int, int]] = field(default_factory=lambda: ("", {}))
    _reading: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def show_newest(self) -> None:
        newest = self.newest()
        layouts = await self._layouts(newest - WINDOW_TURNS + 1, newest)
        live = self.live()
        if live and (live.live or live.number > newest):
            layouts = [*(layout for layout in layouts if layout.number < live.number), live]
        self.transcript.show(layouts, layouts[-1].number if layouts else 0)

    async def reload_turn(self, number: int) -> None:
        layout = self.transcript.window.find(number)
        turns = await self._layouts(number, number)
        if layout and turns:
            layout.blocks = turns[0].blocks
            self.transcript.changed(layout)

    async def load(self, wanted: Wanted) -> None:
        """Load turns before or after the window, or the end of the story."""
        async with self._reading:
            window = self.transcript.window
            match wanted:
                case "older":
                    self.transcript.prepend(
                        await self._layouts(window.first - WINDOW_TURNS, window.first - 1)
                    )
                case "newer":
                    self.transcript.append(await self._layouts(window.last + 1, window.last + WINDOW_TURNS))
                case "newest":
                    await self.show_newest()

    async def jump(self, number: int) -> None:
        number = max(1, min(number, self.newest()))
        await self._load_around(number)
        self.transcript.go_to(number)

    async def _load_around(self, number: int) -> None:
        if self.transcript.window.find(number) is None:
            layouts = await self._layouts(number - WINDOW_TURNS // 2, number + WINDOW_TURNS // 2)
            newest = max(self.newest(), self.transcript.window.newest)
            self.transcript.show(layouts, newest)

    async def seek(self, term: str, step: int) -> str:
        """Go to the next occurrence in the whole story. Returns a description; without a match the reader stays."""
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
        """Return the count, or the position of the last match."""
        counts: dict[int, int] = {}
        for first in range(1, self.newest() + 1, READ_AHEAD):
            for turn in await self._layouts(first, first + READ_AHEAD - 1):
                counts[turn.number] = occurrences(turn, term)
        self._counted = (term, counts)
        return self._where(term)

    def _where(self, term: str) -> str:
        match, (counted, counts) = self.transcript.search.found, self._counted
        if counted != term:
            return f"turn {match[0]}" if match else ""
        total = sum(counts.values())
        if not match:
            return f"{total:,} found" if total else "not found"
        place = sum(n for turn, n in counts.items() if turn < match[0]) + match[1] + 1
        return f"{place:,} of {max(place, total):,}"

    async def _layouts(self, first: int, last: int) -> list[TurnLayout]:
        first, last = max(1, first), min(last, self.newest())
        return list(await self.read(first, last)) if first <= last else []
