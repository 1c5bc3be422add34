"""What can be done with the last prompt: undo, redo, retry, edit, another take, a branch."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial

from textual import work

from theact_tui.engine.direct.session import DirectSession
from theact_tui.errors import CallError, SaveError, UsageError
from theact_tui.tui.actions import LEADER_NAME
from theact_tui.tui.direct.dialogs import ask_branch
from theact_tui.tui.direct.fields import AskingBox
from theact_tui.tui.direct.presenter import DirectPresenter
from theact_tui.tui.play.transcript_screen import TranscriptScreen


class PromptHistoryScreen(TranscriptScreen):
    """Base of the direct screen."""

    session: DirectSession
    prompt: AskingBox
    presenter: DirectPresenter

    def __init__(self) -> None:
        super().__init__()
        self.performing = 0
        """Number of running deeds."""
        self.set_aside: str | None = None
        """Text of the box while the last prompt is edited there; else None."""

    @work(group="deeds")
    async def perform(self, act: Callable[[], Awaitable[object]]) -> None:
        """Do something in the background."""
        self.absorb()
        await self.carry_out(self.ask_first(self.session, act))

    async def carry_out(self, act: Awaitable[object]) -> bool:
        """Do something and show its error; true if it worked."""
        self.performing += 1
        self.status.warning = self.status.hint = ""
        try:
            return await self.guarded(act)
        finally:
            self.performing -= 1
            self.renew_soon()

    def absorb(self) -> None:
        """Take over what is typed."""
        raise NotImplementedError

    def renew_soon(self) -> None:
        """Draw everything once waiting events are handled."""
        raise NotImplementedError

    async def ask(self, slot: int, text: str) -> None:
        """Ask a character, or retry the edited last prompt. Events show errors."""
        try:
            await (self.session.prompt(slot, text) if self.set_aside is None else self._retry(slot, text))
        except UsageError:
            self.presenter.chosen, self.presenter.sent = slot, (0, "")
            raise
        except (CallError, SaveError):
            pass

    def action_undo(self) -> None:
        self.perform(self._undo)

    async def _undo(self) -> None:
        """Undo the last prompt with the chapter's end, or the lock."""
        last, ending = self.session.game.last_prompt, self.session.game.ending
        await self.session.undo(1)
        if last:
            self.presenter.undone(*last)
        if self.session.session.state == "DRAFT":
            self.status.say("Setup is unlocked again.")
        else:
            gone, them = (f", {ending}", "them") if ending else ("", "it")
            self.status.say(f"Undone: the last prompt{gone}. {LEADER_NAME} r brings {them} back.")

    def action_redo(self) -> None:
        self.perform(self._redo)

    async def _redo(self) -> None:
        await self.session.redo(1)
        self.presenter.redone()

    def action_command(self, line: str) -> None:
        """Undo a prompt by the undo key of an empty box."""
        if line == "/undo" and not self.why_not("undo", ()):
            self.action_undo()

    def action_retry(self) -> None:
        self.perform(self._retry)

    async def _retry(self, slot: int | None = None, text: str | None = None) -> None:
        """Retry the last prompt; a failure shows the earlier reply again."""
        try:
            await self.session.retry(text, slot)
        except (CallError, SaveError):
            await self.presenter.reload()  # why is told by its event

    def action_reword(self) -> None:
        """Put the last prompt into the box; enter retries it as it is edited there."""
        if last := self.session.game.last_prompt:
            self.set_aside = self.prompt.text
            self.presenter.chosen = last[0]
            self.prompt.replace(last[1])
            self.presenter.say("Edit the prompt: enter retries it as another take, esc leaves it as it was.")
            self.renew_soon()

    def action_restore(self) -> None:
        """Put back the text from before the edit."""
        self.prompt.write(self.set_aside or "")
        self.presenter.chosen, self.set_aside = 0, None
        self.presenter.say("")
        self.renew_soon()

    def action_take(self, by: int) -> None:
        current, count = self.session.takes
        self.perform(lambda: self.session.select_take((current - 1 + by) % count + 1))

    def action_branch(self) -> None:
        self.perform(partial(ask_branch, self.app, self.session))
