"""Going back, forward and aside in a direct session: undo, redo, and branches of its save (D10)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from theact_tui.engine.bus import Bus
from theact_tui.engine.direct_store import load
from theact_tui.engine.direct_sums import Sums
from theact_tui.engine.direct_work import Work
from theact_tui.engine.events import BranchSwitched, Redone, Undone

if TYPE_CHECKING:
    from theact_tui.saves.branches import BranchInfo

T = TypeVar("T")


class Ways:
    """The part of a session that moves it to what was saved before, or beside. Refused while a call runs."""

    bus: Bus
    _work: Work
    _sums: Sums

    async def undo(self, prompts: int = 1) -> None:
        """Go back so many prompts, to what stood before them: indexes, blocks and drafts as they were then. Raises
        `UsageError` when there are not as many."""
        await self._go(self._work.save.back, prompts)
        self.bus.publish(Undone(turns=prompts))

    async def redo(self, prompts: int = 1) -> None:
        """Go forward again so many undone prompts."""
        await self._go(self._work.save.forward, prompts)
        self.bus.publish(Redone(turns=prompts))

    async def branches(self) -> tuple[BranchInfo, ...]:
        """All branches, the current one first."""
        return await self._work.run(self._work.save.branches)

    async def branch_at(self, name: str, prompt: int | None = None) -> str:
        """Make a branch at a prompt (by default here) without switching to it; its plain name."""
        self._work.check_free()
        await self._work.keep()
        return await self._work.run(self._work.save.branch_at, name, prompt)

    async def switch(self, name: str) -> None:
        """Go on with another branch."""
        previous = self._work.save.branch
        await self._go(self._work.save.go_to, name)
        self.bus.publish(BranchSwitched(previous=previous))

    async def _go(self, move: Callable[[T], None], argument: T) -> None:
        work = self._work
        work.check_free()
        await work.keep()
        await work.run(move, argument)
        work.take_over(work.save, await work.run(load, work.save))
        self._sums.trouble = ""
