"""Which turns the transcript holds: reads them from the save as the reader moves, a dozen at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from theact_tui.story.game import Game
from theact_tui.story.turn import Turn
from theact_tui.tui.typeset import Cast, turn_blocks
from theact_tui.tui.widgets.leaf import Leaf
from theact_tui.tui.widgets.transcript import WINDOW, Transcript

READ_AHEAD = 24
"""Turns that are looked through in one go."""


class Book(Protocol):
    """What is read from: a session."""

    @property
    def game(self) -> Game: ...

    async def turns(self, first: int, last: int) -> tuple[Turn, ...]: ...


class Pages:
    """Fills a transcript from a save."""

    def __init__(
        self, book: Book, transcript: Transcript, cast: Cast, live: Callable[[], Leaf | None] = lambda: None
    ) -> None:
        """`live` is the turn told last, which the save may not hold yet."""
        self._live = live
        self._book = book
        self._transcript = transcript
        self.cast = cast

    def leaf(self, turn: Turn) -> Leaf:
        """A saved turn, set."""
        game = self._book.game
        return Leaf(turn.number, turn_blocks(game.pack, self.cast, turn, game.moments))

    def _leaves(self, turns: Sequence[Turn]) -> list[Leaf]:
        return [self.leaf(turn) for turn in turns if turn.number > 0]

    async def newest(self) -> None:
        """Show the end of the story."""
        last = self._book.game.state.turn
        turns = await self._read(last - WINDOW + 1, last)
        self._transcript.boundary(self._book.game.state.last_summarized_turn)
        leaves = self._leaves(turns)
        live = self._live()
        if live and (live.live or live.number > last):
            leaves = [*(leaf for leaf in leaves if leaf.number < live.number), live]
        self._transcript.show(leaves, leaves[-1].number if leaves else 0)

    async def anew(self, number: int) -> None:
        """Set a turn again whose words were changed by hand."""
        leaf = self._transcript.window.leaf(number)
        turns = await self._read(number, number)
        if leaf and turns:
            leaf.blocks = self.leaf(turns[0]).blocks
            self._transcript.changed(leaf)

    async def older(self) -> None:
        """Put the turns before the window in front of it."""
        first = self._transcript.window.first
        self._transcript.prepend(self._leaves(await self._read(first - WINDOW, first - 1)))

    async def newer(self) -> None:
        """Put the turns after the window behind it."""
        last = self._transcript.window.last
        self._transcript.append(self._leaves(await self._read(last + 1, last + WINDOW)))

    async def jump(self, number: int) -> None:
        """Bring a turn to the top of the view."""
        number = max(1, min(number, self._book.game.state.turn))
        await self._around(number)
        self._transcript.go_to(number)

    async def _around(self, number: int) -> None:
        """Let the window hold a turn."""
        if self._transcript.window.leaf(number) is None:
            turns = await self._read(number - WINDOW // 2, number + WINDOW // 2)
            newest = max(self._book.game.state.turn, self._transcript.window.newest)
            self._transcript.show(self._leaves(turns), newest)

    async def seek(self, term: str, step: int, progress: Callable[[str], None] = lambda _: None) -> str:
        """Go to the next place of `term`, wherever in the story it is. Returns what was found; where there is nothing
        the reader stays. `progress` is told where it looks."""
        place, count = self._transcript.seek(term, step)
        if place:
            return self._found(place, count)
        window = self._transcript.window
        at = window.first if step < 0 else window.last
        while at := await self._turn_with(term, step, at, progress):
            await self._around(at)
            place, count = self._transcript.seek(term, step)
            if place:
                return self._found(place, count)
        return "no more" if count else "not found"

    def _found(self, place: int, count: int) -> str:
        window = self._transcript.window
        whole = window.first <= 1 and window.at_the_end
        found = self._transcript.found
        return f"{place} of {count}" if whole or found is None else f"turn {found[0]}"

    async def _turn_with(self, term: str, step: int, at: int, progress: Callable[[str], None]) -> int:
        """The next turn before or after `at` in which `term` stands; 0 when there is none."""
        while True:
            first, last = (at - READ_AHEAD, at - 1) if step < 0 else (at + 1, at + READ_AHEAD)
            turns = await self._read(first, last)
            if not turns:
                return 0
            for turn in turns[::step]:
                at = turn.number
                if at > 0 and self.leaf(turn).holds(term):
                    return at
            progress(f"turn {at}…")

    async def _read(self, first: int, last: int) -> tuple[Turn, ...]:
        last = min(last, self._book.game.state.turn)
        first = max(1, first)
        return await self._book.turns(first, last) if first <= last else ()
