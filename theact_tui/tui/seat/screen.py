from time import monotonic
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Center, Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from theact_tui.engine.seat_files import GIVEN, SeatFiles
from theact_tui.story.seat import SeatAnswer, SeatView
from theact_tui.story.typed import LINE_LIMIT
from theact_tui.tui.actions import bindings
from theact_tui.tui.play.loader import TranscriptLoader
from theact_tui.tui.play.transcript import Transcript
from theact_tui.tui.play.transcript_window import TurnLayout
from theact_tui.tui.play.writing_box import SAY, PromptInput, PromptTextArea
from theact_tui.tui.seat.keys import HELP, SEAT_ACTIONS
from theact_tui.tui.seat.page import panel, seat_layouts
from theact_tui.tui.visuals import SplitLine, quiet
from theact_tui.tui.widgets.base_screen import BaseScreen
from theact_tui.tui.widgets.footer import Footer
from theact_tui.tui.widgets.header import HeaderLine, Rule
from theact_tui.tui.widgets.status_line import StatusLine, ring_if_away

VIEW_POLL_SECONDS = 0.2
NOT_ASKED = "The others play. Your box opens at your turn."
TOO_LATE = "The time is over: the model answered. Your words stay in the box for your next turn."
GONE = (
    "The hero's window is closed, or took the seat back. You go on when it gives the seat again; ^q leaves."
)
_SENT = "Sent."


class WordsInput(PromptInput):
    """Box for what a character says and does; it takes no commands."""

    def mark_of(self, text: str) -> str | Content:
        return SAY

    def address(self, name: str) -> None:
        self.writing.placeholder = Content(f"What do you say or do, {name}?")


class SeatScreen(BaseScreen[None]):
    """One character's window. The seat is held already; leaving gives it back."""

    CSS_PATH = ["../play/screen.tcss", "screen.tcss"]
    ACTIONS = SEAT_ACTIONS
    BINDINGS = [
        *bindings(SEAT_ACTIONS),
        Binding("ctrl+q", "app.quit", "give back", group=Binding.Group("leave"), priority=True),
    ]
    HELP: ClassVar[str] = HELP
    HELP_TITLE: ClassVar[str] = "At a seat"

    def __init__(self, files: SeatFiles, person: str) -> None:
        super().__init__()
        self._files, self._person = files, person
        self._view: SeatView | None = None
        self._layouts: list[TurnLayout] = []
        self._ends = 0.0
        """When the model answers, by the monotonic clock."""
        self._sent = ""
        """Question that was answered last."""

    def compose(self) -> ComposeResult:
        self.transcript, self.prompt = Transcript(id="transcript"), WordsInput(id="prompt")
        yield HeaderLine(id="head")
        yield Rule(id="rule")
        with Horizontal(id="body"):
            with Vertical(id="stage"):
                yield self.transcript
                with Center(id="foot-row"), Vertical(id="foot"):
                    yield StatusLine(id="status")
                    yield self.prompt
            with VerticalScroll(id="panel", can_focus=False):
                yield Static(id="self")
        yield Footer()

    def on_mount(self) -> None:
        self.loader = TranscriptLoader(self._read, lambda: len(self._layouts), self.transcript)
        self.watch(self.transcript, "following", self._following_changed)
        self.prompt.display = False
        self.transcript.focus()
        self.set_interval(VIEW_POLL_SECONDS, self.look)
        self.look()

    async def _read(self, first: int, last: int) -> list[TurnLayout]:
        return self._layouts[first - 1 : last]

    def look(self) -> None:
        """Look for what the hero's window wrote, and count the seconds."""
        if view := self._files.new_view():
            self._show(view)
        if not self._files.is_held(GIVEN):
            self.prompt.display, self.status.hint = False, GONE
            # a hero's program that was killed leaves its question behind, which the next one does not ask
            self._view = self._view and self._view.model_copy(update={"asked": None})
            return
        asked = self._view.asked if self._view else None
        if asked and self._sent != asked.id:
            left = max(0, round(self._ends - monotonic()))
            name = self._view.hero if self._view else ""
            self.status.hint = f"{name} waits for you: {left} s until the model answers."
        elif self.status.hint != TOO_LATE or asked:
            self.status.hint = _SENT if asked else NOT_ASKED

    def _show(self, view: SeatView) -> None:
        before, self._view = self._view, view
        if before is None or (before.turns, before.now, before.ended) != (view.turns, view.now, view.ended):
            self._draw(seat_layouts(view))
        self.query_one("#self", Static).update(panel(view))
        head = SplitLine(Content(f"{view.story} · {view.chapter}" if view.chapter else view.story),
            quiet(f"{self._person} plays {view.name}"))  # fmt: skip
        self.query_one("#head", HeaderLine).parts = head
        self._heed_question(before, view)

    def _heed_question(self, before: SeatView | None, view: SeatView) -> None:
        asked = view.asked
        is_new = asked and asked != (before.asked if before else None)
        self.prompt.address(view.name)
        if self._sent and view.taken == self._sent:
            self.prompt.write("")
            self._sent = ""
        elif before and before.asked and asked is None and self.prompt.text.strip():
            self.status.hint, self._sent = TOO_LATE, ""
        if asked and is_new:
            self._ends = monotonic() + asked.seconds
            self.status.warning = asked.refused
            self.prompt.offer(asked.draft)
            self.prompt.display = True
            self.remove_class("-panel")
            self.prompt.writing.focus()
            ring_if_away(self.app)
        elif asked is None:
            self.prompt.display, self.status.warning = False, ""
            self.transcript.focus()

    def _draw(self, drawn: list[TurnLayout]) -> None:
        """Show a page from the beginning of its last turn; where only that one grew, from where it is read."""
        before, self._layouts = self._layouts, drawn
        if before and [turn.blocks for turn in before[:-1]] == [turn.blocks for turn in drawn[:-1]]:
            last = before[-1]
            last.blocks = drawn[-1].blocks
            self._layouts = [*drawn[:-1], last]
            self.transcript.changed(last)
        else:
            self._show_newest()

    @work(group="pages", exclusive=True)
    async def _show_newest(self) -> None:
        await self.loader.show_newest()

    @on(Transcript.TurnsWanted)
    @work(group="loading")
    async def turns_wanted(self, event: Transcript.TurnsWanted) -> None:
        await self.loader.load(event.which)

    def _following_changed(self, following: bool) -> None:
        self.status.more = not following

    @on(PromptTextArea.Submitted)
    def submitted(self, event: PromptTextArea.Submitted) -> None:
        asked = self._view.asked if self._view else None
        if not event.text.strip():
            self.transcript.page(1)
        elif len(event.text) > LINE_LIMIT:
            self.status.warning = f"Too long: {len(event.text):,} characters; the limit is {LINE_LIMIT:,}."
        elif asked and self._sent != asked.id:
            self.status.warning, self._sent = "", asked.id
            self._files.send(SeatAnswer(name=self._person, question=asked.id, text=event.text))

    # --- keys -----------------------------------------------------------------------------------------------------

    def action_page(self, pages: int) -> None:
        self.transcript.page(pages)

    def action_newest(self) -> None:
        self.remove_class("-panel")
        self.transcript.follow()
        (self.prompt.writing if self.prompt.display else self.transcript).focus()

    def action_panel(self) -> None:
        self.toggle_class("-panel" if self.has_class("-narrow") else "-no-panel")

    async def leave(self) -> None:
        """Give the seat back; the app waits for this before it ends."""
        self._files.release()
