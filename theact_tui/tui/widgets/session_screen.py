"""What the pages of an open story and of an open chapter share: the leader, and leaving with everything saved."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from textual import work
from textual.actions import parse
from textual.binding import Binding

from theact_tui.tui.actions import LEADER_NAME, Action
from theact_tui.tui.widgets.base_screen import BaseScreen
from theact_tui.tui.widgets.external_edits import (
    SAVE_EDITED,
    EditsQuestion,
    ExternalEditsDialog,
    ask_about_new_edits,
)
from theact_tui.tui.widgets.menus import LeaderMenu
from theact_tui.tui.widgets.status_line import say

if TYPE_CHECKING:
    from theact_tui.engine.base_session import BaseSession
    from theact_tui.tui.widgets.external_edits import Editable

T = TypeVar("T")
WAY_OUT = Binding("escape", "way_out", show=False)
"""Stands last among the meanings of its key: what it does when there is nothing to stop or to close."""
HOW_TO_LEAVE = f"{LEADER_NAME} h returns to your stories. Everything is saved."


class SessionScreen(BaseScreen[None]):
    """A page of something that is saved and let go of when one leaves."""

    ACTIONS: ClassVar[tuple[Action, ...]]
    """What one can do here."""
    session: BaseSession[Any]

    async def release(self) -> None:
        """Save, and let others open it."""
        raise NotImplementedError

    async def leave(self) -> None:
        """Save what is open; the app waits for this before it ends."""
        self.status.warning = "Saving…"
        await self.release()

    @work(group="leaving", exclusive=True)
    async def action_home(self) -> None:
        if await self.may_leave():
            await self.leave()
            self.dismiss()

    @work(group="edits")
    async def ask_about_edits(self, edited: Editable, question: EditsQuestion = SAVE_EDITED) -> None:
        """If files were changed by hand outside: ask what becomes of them."""
        if not await edited.hand_edits():
            return
        if await self.app.push_screen_wait(ExternalEditsDialog(edited, question)):
            self.edits_adopted()

    async def ask_first(self, session: BaseSession[Any], act: Callable[[], Awaitable[T]]) -> T:
        """Do something that moves the story, after the question about files edited meanwhile: it may put them aside."""
        if await ask_about_new_edits(self.app, session):
            self.edits_adopted()
        return await act()

    def edits_adopted(self) -> None:
        """They are part of it now."""

    def action_way_out(self) -> None:
        """Leave what can only be read; for anything else say how."""
        if self.session.read_only:
            self.action_home()
        else:
            say(self.app, HOW_TO_LEAVE)

    def action_leader(self) -> None:
        """Offer everything that can be done now by one letter; it is there before the next key is looked at."""
        self.app.push_screen(
            LeaderMenu(lambda: [act for act in self.ACTIONS if self._can(act.action)]), self._led
        )

    async def _led(self, letter: str | None) -> None:
        act = next((act for act in self.ACTIONS if letter and act.letter == letter), None)
        if act and self._can(act.action):
            await self.run_action(act.action)
        elif act:
            self.action_refuse(act.action, act.why)
        elif letter:
            say(self.app, f"{LEADER_NAME} {letter} does nothing. Press {LEADER_NAME} to see the keys.")

    def _can(self, action: str) -> bool:
        name, parameters = parse(action)[1:]
        return bool(self.check_action(name, parameters))
