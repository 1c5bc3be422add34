"""Base of the play and direct screens: leader menu, and saving on leaving."""

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
"""Last meaning of its key: nothing to stop or close."""
HOW_TO_LEAVE = f"{LEADER_NAME} h returns to your stories. Everything is saved."


class SessionScreen(BaseScreen[None]):
    """Screen of something that is saved and released on leaving."""

    ACTIONS: ClassVar[tuple[Action, ...]]
    session: BaseSession[Any]

    async def release(self) -> None:
        """Save, and let other programs open it."""
        raise NotImplementedError

    async def leave(self) -> None:
        """Save; the app waits for this before it ends."""
        self.status.warning = "Saving…"
        await self.release()

    @work(group="leaving", exclusive=True)
    async def action_home(self) -> None:
        if await self.may_leave():
            await self.leave()
            self.dismiss()

    @work(group="edits")
    async def ask_about_edits(self, edited: Editable, question: EditsQuestion = SAVE_EDITED) -> None:
        if not await edited.hand_edits():
            return
        if await self.app.push_screen_wait(ExternalEditsDialog(edited, question)):
            self.edits_adopted()

    async def ask_first(self, session: BaseSession[Any], act: Callable[[], Awaitable[T]]) -> T:
        """Ask about new outside edits, then move the story, which may put them aside."""
        if await ask_about_new_edits(self.app, session):
            self.edits_adopted()
        return await act()

    def edits_adopted(self) -> None: ...

    def action_way_out(self) -> None:
        """Leave if read-only; else explain how."""
        if self.session.read_only:
            self.action_home()
        else:
            say(self.app, HOW_TO_LEAVE)

    def action_leader(self) -> None:
        """Open the leader menu before the next key is handled."""
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
