"""What the pages of an open story and of an open chapter share: the leader, and leaving with everything saved."""

from __future__ import annotations

from typing import ClassVar

from textual import work
from textual.actions import parse
from textual.binding import Binding

from theact_tui.tui.acts import LEADER_NAME, Act
from theact_tui.tui.screens.leader import LeaderSheet
from theact_tui.tui.widgets.page import Page
from theact_tui.tui.widgets.statusline import StatusLine

WAY_OUT = Binding("escape", "way_out", show=False)
"""Stands last among the meanings of its key: what it does when there is nothing to stop or to close."""
HOW_TO_LEAVE = f"{LEADER_NAME} h goes back to your stories. All is saved."
SAID = 8.0
"""Seconds for which it is said."""


class OpenedPage(Page):
    """A page of something that is saved and let go of when one leaves."""

    ACTS: ClassVar[tuple[Act, ...]]
    """What one can do here."""

    async def release(self) -> None:
        """Save, and let others open it."""
        raise NotImplementedError

    async def leave(self) -> None:
        """Save what is open; the app waits for this before it ends."""
        self.query_one(StatusLine).warning = "Saving…"
        await self.release()

    @work(group="leaving", exclusive=True)
    async def action_home(self) -> None:
        """Save, and go back to the list of stories."""
        await self.leave()
        self.dismiss()

    def action_way_out(self) -> None:
        """Say how to leave."""
        status = self.query_one(StatusLine)
        status.hint = HOW_TO_LEAVE
        self.set_timer(SAID, lambda: status.unsay(HOW_TO_LEAVE))

    def action_leader(self) -> None:
        """Offer everything that can be done now by one letter; it is there before the next key is looked at."""
        acts = [act for act in self.ACTS if self._can(act.action)]
        self.app.push_screen(LeaderSheet(acts), self._led)

    async def _led(self, action: str | None) -> None:
        if action:
            await self.run_action(action)

    def _can(self, action: str) -> bool:
        name, parameters = parse(action)[1:]
        return bool(self.check_action(name, parameters))
