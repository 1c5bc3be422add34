"""Going back, forward and aside on the direct screen: undo, takes, branches. The session has the rules."""

from __future__ import annotations

from textual import work

from theact_tui.engine.direct import DirectSession
from theact_tui.tui.screens.direct_asks import branch_question, go_to_branch
from theact_tui.tui.screens.direct_doing import DoingPage


class WaysPage(DoingPage):
    """A page of a chapter that can be moved to what was saved before, or beside."""

    session: DirectSession

    def absorb(self) -> None:
        """Give the session everything that stands in the cells of Setup and voice."""
        raise NotImplementedError

    def action_undo(self) -> None:
        self.absorb()
        self.do(self.session.undo(1))

    def action_redo(self) -> None:
        self.do(self.session.redo(1))

    def action_retry(self) -> None:
        """Give the last prompt again."""
        self.absorb()
        self.show.scene.close(True)
        self.do(self.session.retry())

    def action_reword(self) -> None:
        """Bring the last prompt back into its cell, to be given in other words."""
        self.absorb()
        self.do(self._reword())

    async def _reword(self) -> None:
        slot, text = await self.session.take_back()
        self.show.scene.bring_back(slot, text)

    def action_next_take(self) -> None:
        current, count = self.session.takes
        self.absorb()
        self.do(self.session.take(current % count + 1))

    @work(group="asking", exclusive=True)
    async def action_branch(self) -> None:
        """Name a branch at a prompt, and go on with it."""
        if wanted := await self.app.push_screen_wait(branch_question(self.session.session.prompt_index)):
            await self.guard(go_to_branch(self.session, wanted))

    def action_branches(self) -> None:
        """Show the tree: go anywhere in it, name, compare and delete branches."""
        from theact_tui.tui.screens.direct_tree import DirectTree

        self.absorb()
        self.app.push_screen(DirectTree(self.session))
