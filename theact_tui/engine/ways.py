"""Going back, forward and aside in a story: undo, redo, takes, and the branches of its save (S3, S9)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from theact_tui.engine.events import BranchSwitched, Redone, Undone
from theact_tui.engine.work import Work
from theact_tui.story.game import Game

T = TypeVar("T")


class Ways:
    """The part of a session that moves it to what was saved before, or beside. Refused while a turn is told."""

    _work: Work

    async def undo(self, turns: int = 1) -> None:
        """Go back n turns. Raises `UsageError` when there are not as many."""
        await self._go(self._work.save.undo, turns)
        self._work.bus.publish(Undone(turns=turns))

    async def redo(self, turns: int = 1) -> None:
        """Go forward again n undone turns."""
        await self._go(self._work.save.redo, turns)
        self._work.bus.publish(Redone(turns=turns))

    async def take(self, number: int) -> None:
        """Make a take of the last turn the current one."""
        await self._go(self._work.save.take, number)
        self._work.bus.publish(Redone(turns=0))

    async def takes(self) -> tuple[int, int]:
        """Which take of the last turn is current, and how many there are; both from 1."""
        return await self._work.run(self._work.save.takes)

    async def branch_at(self, name: str, turn: int | None = None, of: str | None = None) -> str:
        """Create a branch at a turn (by default the last one) of this branch or of the branch or commit `of`, without
        switching to it; its plain name."""
        await self._work.keep()
        return await self._work.run(self._work.save.branch_at, name, turn, of)

    async def rename_branch(self, name: str, title: str) -> str:
        """Give a branch another name; its new plain name."""
        work = self._work
        async with work.still():
            previous, called = work.save.branch, work.branch_title
            renamed = await work.run(work.save.rename_branch, name, title)
            await work.call_branch()
            work.bus.branch = work.save.branch
        if (work.save.branch, work.branch_title) != (previous, called):
            work.bus.publish(BranchSwitched(previous=previous))
        return renamed

    async def switch(self, name: str) -> None:
        """Go on with another branch."""
        previous = self._work.save.branch
        await self._go(self._work.save.switch, name)
        self._work.bus.publish(BranchSwitched(previous=previous))

    async def _go(self, move: Callable[[T], Game], argument: T) -> None:
        work = self._work
        async with work.still():
            await work.keep()
            work.become(await work.run(move, argument))
            await work.call_branch()
            await work.suit(work.game.pack)
            work.bus.branch, work.bus.turn = work.save.branch, work.game.state.turn
