"""Which turns the transcript holds: reads them from the save as the reader moves, a dozen at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from theact_tui.story.game import Game
from theact_tui.story.turn import Turn
from theact_tui.tui.typeset import Cast, turn_blocks
from theact_tui.tui.widgets.leaf import Leaf
from theact_tui.tui.widgets.transcript import WINDOW, Transcript


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
        last = self._book.game.state.turn
        number = max(1, min(number, last))
        if self._transcript.window.leaf(number) is None:
            turns = await self._read(number - WINDOW // 2, number + WINDOW // 2)
            self._transcript.show(self._leaves(turns), max(last, self._transcript.window.newest))
        self._transcript.go_to(number)

    async def seek(self, term: str, step: int) -> str:
        """Go to the next place of `term`, reading on in the save where the window ends. Returns what was found."""
        while True:
            place, count = self._transcript.seek(term, step)
            if place:
                return f"{place} of {count}"
            first, last = self._transcript.window.first, self._transcript.window.last
            if step < 0 and first > 1:
                await self.older()
            elif step > 0 and last < self._transcript.window.newest:
                await self.newer()
            else:
                return "no more" if count else "not found"
            if (first, last) == (self._transcript.window.first, self._transcript.window.last):
                return "not found"

    async def _read(self, first: int, last: int) -> tuple[Turn, ...]:
        last = min(last, self._book.game.state.turn)
        first = max(1, first)
        return await self._book.turns(first, last) if first <= last else ()
