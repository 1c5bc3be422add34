"""Loads turns from the save into the transcript as the reader moves, a dozen at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from theact_tui.story.game import Game
from theact_tui.story.turn import Turn
from theact_tui.tui.blocks import Cast, turn_blocks
from theact_tui.tui.play.search import occurrences
from theact_tui.tui.play.transcript import WINDOW, Transcript
from theact_tui.tui.play.transcript_window import TurnLayout

READ_AHEAD = 24
"""Turns that are read in one go, to be counted in."""


class TurnSource(Protocol):
    """What turns are read from: a session."""

    @property
    def game(self) -> Game: ...

    async def turns(self, first: int, last: int) -> tuple[Turn, ...]: ...


class TranscriptLoader:
    """Fills a transcript from a save."""

    def __init__(
        self,
        source: TurnSource,
        transcript: Transcript,
        cast: Cast,
        live: Callable[[], TurnLayout | None] = lambda: None,
    ) -> None:
        """`live` is the turn told last, which the save may not hold yet."""
        self._live = live
        self._source = source
        self._transcript = transcript
        self.cast = cast
        self._counted = ("", dict[int, int]())
        """How often a term stands in each turn."""

    def lay_out(self, turn: Turn) -> TurnLayout:
        """A saved turn as blocks."""
        game = self._source.game
        return TurnLayout(turn.number, turn_blocks(game.pack, self.cast, turn, game.moments))

    def _lay_out_all(self, turns: Sequence[Turn]) -> list[TurnLayout]:
        return [self.lay_out(turn) for turn in turns if turn.number > 0]

    async def show_newest(self) -> None:
        """Show the end of the story."""
        last = self._source.game.state.turn
        turns = await self._read(last - WINDOW + 1, last)
        self._transcript.boundary(self._source.game.state.last_summarized_turn)
        layouts = self._lay_out_all(turns)
        live = self._live()
        if live and (live.live or live.number > last):
            layouts = [*(layout for layout in layouts if layout.number < live.number), live]
        self._transcript.show(layouts, layouts[-1].number if layouts else 0)

    async def reload_turn(self, number: int) -> None:
        """Show a turn anew whose words were changed by hand."""
        layout = self._transcript.window.find(number)
        turns = await self._read(number, number)
        if layout and turns:
            layout.blocks = self.lay_out(turns[0]).blocks
            self._transcript.changed(layout)

    async def load_older(self) -> None:
        """Put the turns before the window in front of it."""
        first = self._transcript.window.first
        self._transcript.prepend(self._lay_out_all(await self._read(first - WINDOW, first - 1)))

    async def load_newer(self) -> None:
        """Put the turns after the window behind it."""
        last = self._transcript.window.last
        self._transcript.append(self._lay_out_all(await self._read(last + 1, last + WINDOW)))

    async def jump(self, number: int) -> None:
        """Bring a turn to the top of the view."""
        number = max(1, min(number, self._source.game.state.turn))
        await self._load_around(number)
        self._transcript.go_to(number)

    async def _load_around(self, number: int) -> None:
        """Let the window hold a turn."""
        if self._transcript.window.find(number) is None:
            turns = await self._read(number - WINDOW // 2, number + WINDOW // 2)
            newest = max(self._source.game.state.turn, self._transcript.window.newest)
            self._transcript.show(self._lay_out_all(turns), newest)

    async def seek(self, term: str, step: int) -> str:
        """Go to the next place of `term`, wherever in the story it is. Returns what was found; where there is nothing
        the reader stays."""
        if self._transcript.seek(term, step):
            return self.where(term)
        if self._counted[0] != term:
            await self.count(term)
        counts, window = self._counted[1], self._transcript.window
        for turn in sorted((turn for turn in counts if counts[turn]), reverse=step < 0):
            if turn < window.first if step < 0 else turn > window.last:
                await self._load_around(turn)
                if self._transcript.seek(term, step):
                    return self.where(term)
        return "no more" if any(counts.values()) else "not found"

    async def count(self, term: str) -> None:
        """Count where `term` stands in the whole story; `where` knows it then."""
        counts: dict[int, int] = {}
        for first in range(1, self._source.game.state.turn + 1, READ_AHEAD):
            for turn in await self._read(first, first + READ_AHEAD - 1):
                counts[turn.number] = occurrences(self.lay_out(turn), term)
        self._counted = (term, counts)

    def where(self, term: str) -> str:
        """Which of how many places was found last, or only how many there are; its turn where they are not counted."""
        found, (counted, counts) = self._transcript.found, self._counted
        if counted != term:
            return f"turn {found[0]}" if found else ""
        total = sum(counts.values())
        if not found:
            return f"{total:,} found" if total else "not found"
        place = sum(n for turn, n in counts.items() if turn < found[0]) + found[1] + 1
        return f"{place:,} of {max(place, total):,}"

    async def _read(self, first: int, last: int) -> tuple[Turn, ...]:
        last = min(last, self._source.game.state.turn)
        first = max(1, first)
        return await self._source.turns(first, last) if first <= last else ()
