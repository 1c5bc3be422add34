"""Going back, forward and aside in a direct session: undo, redo, takes, and branches of its save (D10)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ParamSpec

from theact_tui.engine.bus import Bus
from theact_tui.engine.direct_prompts import Prompts
from theact_tui.engine.direct_sums import Sums
from theact_tui.engine.direct_work import Work, allow
from theact_tui.engine.events import BranchSwitched, Redone, Undone
from theact_tui.errors import UsageError
from theact_tui.story.direct.moves import refuse_prompt
from theact_tui.story.direct.records import Event
from theact_tui.text import clean

if TYPE_CHECKING:
    from theact_tui.saves.branches import BranchInfo

P = ParamSpec("P")


class Ways:
    """The part of a session that moves it to what was saved before, or beside. Refused while a call runs."""

    bus: Bus
    _work: Work
    _prompts: Prompts
    _sums: Sums

    @property
    def branch(self) -> str:
        """The plain name of the branch."""
        return self._work.save.branch

    @property
    def branch_title(self) -> str:
        """What people call the branch."""
        return self._work.branch_title

    @property
    def takes(self) -> tuple[int, int]:
        """Which take of the last prompt is current, and how many there are; both from 1."""
        return self._work.takes

    async def undo(self, prompts: int = 1) -> None:
        """Go back so many prompts, to what stood before them: indexes, blocks and drafts as they were then. Raises
        `UsageError` when there are not as many."""
        await self._go(self._work.save.back, prompts)
        self.bus.publish(Undone(turns=prompts))

    async def redo(self, prompts: int = 1) -> None:
        """Go forward again so many undone prompts."""
        await self._go(self._work.save.forward, prompts)
        self.bus.publish(Redone(turns=prompts))

    async def retry(self, text: str | None = None) -> Event | None:
        """Give the last prompt again, with the same or other words; what was answered before stays as a take. A refusal
        or a call that fails leaves everything as it was."""
        work, last = self._work, self._work.game.last_prompt
        work.check_free()
        if last is None:
            raise UsageError("There is no prompt to give again yet.")
        slot, text = last[0], clean(last[1] if text is None else text).strip()
        allow(refuse_prompt(work.game.session, slot, text))
        if not text:
            return None
        await self._go(work.save.leave_take)
        try:
            reply = await self._prompts.give(slot, text, take=work.takes[1])
        except BaseException:
            await self._go(work.save.to_take, None)
            raise
        await self._sums.make(ending=False)
        return reply

    async def take(self, number: int) -> None:
        """Make a take of the last prompt the current one, from 1. Raises `UsageError` when there is none."""
        await self._go(self._work.save.to_take, number)
        self.bus.publish(Redone(turns=0))

    async def take_back(self) -> tuple[int, str]:
        """Go back before the last prompt to give it in other words: whose it was, and its words. It stays as a take."""
        work, last = self._work, self._work.game.last_prompt
        work.check_free()
        if last is None:
            raise UsageError("There is no prompt to take back yet.")
        await work.keep()
        await work.run(work.save.keep_take)
        await self.undo()
        return last

    async def branches(self) -> tuple[BranchInfo, ...]:
        """All branches, the current one first."""
        return await self._work.run(self._work.save.branches)

    async def branch_at(self, name: str, prompt: int | None = None, of: str | None = None) -> str:
        """Make a branch at a prompt (by default here) of this branch or of the branch or commit `of`, without switching
        to it; its plain name."""
        self._work.check_free()
        await self._work.keep()
        return await self._work.run(self._work.save.branch_at, name, prompt, of)

    async def rename_branch(self, name: str, title: str) -> str:
        """Give a branch another name; its new plain name."""
        work = self._work
        work.check_free()
        previous, called = work.save.branch, work.branch_title
        renamed = await work.run(work.save.rename_branch, name, title)
        await work.look_around()
        if (work.save.branch, work.branch_title) != (previous, called):
            self.bus.branch = work.save.branch
            self.bus.publish(BranchSwitched(previous=previous))
        return renamed

    async def settle(self) -> None:
        """Wait until nothing is being done."""
        await self._work.settled()

    async def switch(self, name: str) -> None:
        """Go on with another branch."""
        previous = self._work.save.branch
        await self._go(self._work.save.go_to, name)
        self.bus.publish(BranchSwitched(previous=previous))

    async def _go(self, move: Callable[P, None], *arguments: P.args, **named: P.kwargs) -> None:
        work = self._work
        work.check_free()
        await work.keep()
        await work.run(move, *arguments, **named)
        await work.reload()
        self._sums.trouble = ""
