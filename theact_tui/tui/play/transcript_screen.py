"""Base of the play and direct screens."""

from collections.abc import Awaitable, Callable, Iterable
from typing import Any, ClassVar, TypeVar

from textual import on, work
from textual.actions import parse
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Center, Horizontal, Vertical
from textual.widget import Widget

from theact_tui.engine.base_session import BaseSession
from theact_tui.tui.actions import LEADER_NAME, Action
from theact_tui.tui.play.find_bar import FindBar
from theact_tui.tui.play.loader import TranscriptLoader
from theact_tui.tui.play.transcript import Transcript
from theact_tui.tui.play.writing_box import PromptInput
from theact_tui.tui.widgets.base_screen import BaseScreen
from theact_tui.tui.widgets.external_edits import (
    SAVE_EDITED,
    Editable,
    EditsQuestion,
    ask_about_edits,
    ask_about_new_edits,
)
from theact_tui.tui.widgets.inputs import LineField
from theact_tui.tui.widgets.menus import LeaderMenu
from theact_tui.tui.widgets.status_line import StatusLine, show_message

T = TypeVar("T")
WAY_OUT = Binding("escape", "way_out", show=False)
"""Last meaning of its key: nothing to stop or close."""
HOW_TO_LEAVE = f"{LEADER_NAME} h returns to your stories. Everything is saved."


class TranscriptScreen(BaseScreen[None]):
    """Set `transcript`, `prompt` and `loader` before it is composed or mounted."""

    ACTIONS: ClassVar[tuple[Action, ...]]
    session: BaseSession[Any]
    transcript: Transcript
    prompt: PromptInput
    loader: TranscriptLoader

    def __init__(self) -> None:
        super().__init__()
        self.status_line = StatusLine(id="status")

    def compose_body(self, stage: Widget, foot: Iterable[Widget], panel: Widget) -> ComposeResult:
        with Horizontal(id="body"):
            with Vertical(id="stage"):
                yield stage
                with Center(id="foot-row"), Vertical(id="foot"):
                    yield self.status_line
                    yield FindBar(id="find")
                    yield from foot
            yield panel

    def begin_reading(self, *, cursor_blink: bool) -> None:
        """Connect search and status with the transcript, once all is mounted."""
        find = self.query_one(FindBar)
        find.loader = self.loader
        self.prompt.writing.cursor_blink = find.query_one(LineField).cursor_blink = cursor_blink
        self.watch(self.transcript, "following", self.following_changed)

    @property
    def main(self) -> Widget:
        return self.prompt.writing

    # --- reading ----------------------------------------------------------------------------------------------------

    def following_changed(self, following: bool) -> None:
        self.status.more = not following
        self.refresh_bindings()

    @on(Transcript.TurnsWanted)
    @work(group="loading")
    async def turns_wanted(self, event: Transcript.TurnsWanted) -> None:
        await self.guarded(self.loader.load(event.which))

    @work(group="pages", exclusive=True)
    async def go_to_turn(self, number: int) -> None:
        await self.guarded(self.loader.jump(number))

    @on(FindBar.Failed)
    def search_failed(self, event: FindBar.Failed) -> None:
        self.show_error(event.error)

    @on(FindBar.Closed)
    def search_closed(self) -> None:
        self.main.focus()

    def action_find(self) -> None:
        self.query_one(FindBar).open()

    def action_page(self, pages: int) -> None:
        self.transcript.page(pages)

    def action_back(self) -> None:
        self.remove_class("-panel")
        self.transcript.follow()
        self.main.focus()

    # --- edits outside the program ----------------------------------------------------------------------------------

    @work(group="edits")
    async def ask_about_edits(self, edited: Editable, question: EditsQuestion = SAVE_EDITED) -> None:
        if await ask_about_edits(self.app, edited, question):
            self.edits_adopted()

    async def ask_first(self, act: Callable[[], Awaitable[T]]) -> T:
        """Ask about new outside edits, then move the story, which may put them aside."""
        if await ask_about_new_edits(self.app, self.session):
            self.edits_adopted()
        return await act()

    def edits_adopted(self) -> None: ...

    # --- leaving ----------------------------------------------------------------------------------------------------

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

    def action_way_out(self) -> None:
        if self.session.read_only:
            self.action_home()
        else:
            show_message(self.app, HOW_TO_LEAVE)

    # --- leader menu ------------------------------------------------------------------------------------------------

    def action_leader(self) -> None:
        """Open the leader menu before the next key is handled."""
        self.app.push_screen(LeaderMenu(self.possible_actions), self._led)

    def possible_actions(self) -> list[Action]:
        return [act for act in self.ACTIONS if self._can(act.action)]

    async def _led(self, letter: str | None) -> None:
        act = next((act for act in self.ACTIONS if letter and act.letter == letter), None)
        if act and self._can(act.action):
            await self.run_action(act.action)
        elif act:
            self.action_refuse(act.action, act.why)
        elif letter:
            show_message(
                self.app, f"{LEADER_NAME} {letter} does nothing. Press {LEADER_NAME} to see the keys."
            )

    def _can(self, action: str) -> bool:
        name, parameters = parse(action)[1:]
        return bool(self.check_action(name, parameters))
