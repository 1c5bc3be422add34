"""What the acts of the play screen do. Which keys they have is in `play_acts`, how a story is told in `play`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from theact_tui.engine.commands import run_command
from theact_tui.engine.session import Session
from theact_tui.tui import doors
from theact_tui.tui.screens import play_asks as asks
from theact_tui.tui.screens.opened import OpenedPage
from theact_tui.tui.screens.play_desk import PlayDesk
from theact_tui.tui.widgets.castlist import CastList
from theact_tui.tui.widgets.findbar import FindBar
from theact_tui.tui.widgets.panel import Panel
from theact_tui.tui.widgets.prompt import Writing
from theact_tui.tui.widgets.transcript import Transcript


class PlayHands(OpenedPage):
    """The acts of one open story."""

    session: Session
    desk: PlayDesk

    def tell(self, act: Callable[[], Awaitable[object]]) -> object:
        """Do something that tells or moves the story; what goes wrong becomes a card or a line."""
        raise NotImplementedError

    async def command(self, line: str) -> None:
        """Run a typed command."""
        raise NotImplementedError

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Hide what cannot be done now: a key in the footer always works."""
        match action:
            case "open":
                return doors.there(str(parameters[0]))
            case "stop":
                return self.speaking
            case "back":
                return not self.speaking and self.is_mounted and self.away
            case "next_take" | "take_before":
                return self.desk.takes[1] > 1 if self.is_mounted else False
            case "retry" | "retry_edited" | "undo" | "edit" | "branch":
                return not self.session.read_only
            case _:
                return True

    @property
    def speaking(self) -> bool:
        """A turn is being told."""
        return self.session.phase in ("narrating", "replying")

    @property
    def away(self) -> bool:
        """The reader is somewhere else than at the newest line and the writing box."""
        return not isinstance(self.focused, Writing) or not self.query_one(Transcript).following

    async def action_stop(self) -> None:
        await self.session.stop()

    def action_back(self) -> None:
        self.remove_class("-panel")
        self.desk.parts.transcript.follow()
        self.desk.parts.prompt.writing.focus()

    def action_retry(self) -> None:
        begun = self.session.game.state.turn > 0
        self.tell(self.session.retry if begun else self.session.open_story)

    def action_retry_edited(self) -> None:
        last = self.session.game.last_turn
        if last and last.player_text:
            self.desk.parts.prompt.write(f"/retry {last.player_text}")

    def action_next_take(self) -> None:
        self._step_take(1)

    def action_take_before(self) -> None:
        self._step_take(-1)

    def _step_take(self, by: int) -> None:
        """Go on to another take; after the last one comes the first."""
        current, count = self.desk.takes
        self.tell(lambda: self.session.take((current - 1 + by) % count + 1))

    def action_undo(self) -> None:
        self.tell(lambda: self._step("/undo"))

    def action_redo(self) -> None:
        self.tell(lambda: self._step("/redo"))

    async def _step(self, line: str) -> None:
        """Go back or forward, and say where that led."""
        self.desk.parts.status.hint = (await run_command(self.session, line)).text

    def action_panel(self) -> None:
        narrow = self.has_class("-narrow")
        self.toggle_class("-panel" if narrow else "-no-panel")
        if narrow and self.has_class("-panel"):
            self.query_one(CastList).focus()
        elif not self.query_one(Panel).display or narrow:
            self.desk.parts.prompt.writing.focus()

    def action_thoughts(self) -> None:
        shown = self.desk.telling.show_thoughts()
        self.desk.parts.status.hint = (
            f"A model's thoughts are {'shown' if shown else 'hidden'} until you leave."
        )

    def action_find(self) -> None:
        self.query_one(FindBar).open()

    def action_jump(self) -> None:
        self.tell(lambda: asks.jump(self))

    def action_branch(self) -> None:
        self.tell(lambda: asks.branch(self))

    def action_edit(self) -> None:
        self.tell(lambda: asks.edit(self))

    def action_export(self) -> None:
        self.tell(lambda: asks.export(self))

    def action_open(self, name: str) -> None:
        self.app.push_screen(doors.made(name, self.session))
