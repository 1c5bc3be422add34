"""Base of the play and direct screens."""

from __future__ import annotations

from collections.abc import Iterable

from textual import on, work
from textual.app import ComposeResult
from textual.containers import Center, Horizontal, Vertical
from textual.widget import Widget

from theact_tui.tui.play.find_bar import FindBar
from theact_tui.tui.play.loader import TranscriptLoader
from theact_tui.tui.play.transcript import Transcript
from theact_tui.tui.play.writing_box import PromptInput
from theact_tui.tui.widgets.inputs import LineField
from theact_tui.tui.widgets.session_screen import SessionScreen
from theact_tui.tui.widgets.status_line import StatusLine


class TranscriptScreen(SessionScreen):
    """Set `transcript`, `prompt` and `loader` before it is composed or mounted."""

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
