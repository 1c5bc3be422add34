import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from typing import Any, ClassVar, TypeVar, cast

from textual import events, getters, work
from textual.actions import parse
from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.binding import Binding
from textual.content import Content
from textual.screen import Screen
from textual.style import Style

from theact_tui.errors import TheActError
from theact_tui.models.environment import unexpected
from theact_tui.tui.textual_patches import ReportingApp
from theact_tui.tui.themes import ANSI_TEXT_STYLES, TEXT_STYLES
from theact_tui.tui.visuals import SplitLine
from theact_tui.tui.widgets.footer import Footer
from theact_tui.tui.widgets.header import HeaderLine, Rule
from theact_tui.tui.widgets.status_line import StatusLine, copied, show_message

Act = Callable[[], Awaitable[Any]]
Acts = dict[str, Act]
Answer = TypeVar("Answer")

COPY = Binding("ctrl+c,super+c", "screen.copy_text", "copy", show=False)
"""For screens that do not inherit it, or whose widget takes its key."""
FIRST_FRAME_SECONDS = 0.1
"""The first frame waits for content, the previous screen still visible."""


class BaseScreen(Screen[Answer]):
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide"), (160, "-vast")]
    VERTICAL_BREAKPOINTS = [(0, "-low"), (30, "-tall")]
    HELP: ClassVar[str] = ""
    HELP_TITLE: ClassVar[str] = ""
    status = getters.query_one(StatusLine)

    @property
    def help_text(self) -> str:
        return self.HELP

    def get_visual_style(self, *component_classes: str, partial: bool = False) -> Style:
        if partial and len(component_classes) == 1 and component_classes[0] in TEXT_STYLES:
            styles = ANSI_TEXT_STYLES if self.app.native_ansi_color else TEXT_STYLES
            return Style.parse(styles[component_classes[0]])
        return super().get_visual_style(*component_classes, partial=partial)

    def dismiss(self, result: Answer | None = None) -> AwaitComplete:
        """Close everything on top, then the screen. A second call does nothing: queued keys must not close the
        screen below.
        """
        if self not in self.app.screen_stack:
            return AwaitComplete()
        while self.app.screen is not self:
            self.app.screen.dismiss()
        return super().dismiss(result)

    async def load_early(self, load: Coroutine[None, None, None], group: str) -> None:
        """Load and show content before the first frame, unless it takes longer."""
        ended = asyncio.Event()

        async def loading() -> None:
            try:
                await load
            finally:
                ended.set()

        self.run_worker(loading(), group=group, exclusive=True)
        with suppress(TimeoutError):
            await asyncio.wait_for(ended.wait(), FIRST_FRAME_SECONDS)

    async def may_leave(self) -> bool:
        """False if the player chooses to stay because leaving would lose something."""
        return True

    def help_commands(self) -> tuple[tuple[str, str], ...]:
        return ()

    def write_command(self, usage: str) -> None: ...

    def why_not(self, action: str, parameters: tuple[object, ...]) -> str:
        """Return the reason for a refusal; "" to use the action's own."""
        return ""

    def on_click(self, event: events.Click) -> None:
        if key := event.style.meta.get("key"):
            self.app.simulate_key(key)

    def action_refuse(self, action: str, why: str) -> None:
        show_message(self.app, self.why_not(*parse(action)[1:]) or why)

    def action_copy_text(self) -> None:
        super().action_copy_text()
        show_message(self.app, copied(self.get_selected_text() or ""))

    def report(self, error: Exception) -> str:
        return cast(ReportingApp, self.app).report(error)

    def fault(self, error: Exception) -> str:
        """Return an error's sentence; log unexpected ones."""
        if isinstance(error, TheActError):
            return error.message
        return f"Internal error: {unexpected(error)}. See {self.report(error)}"

    async def guarded(self, act: Awaitable[object]) -> bool:
        """Await something and show its error. True without error."""
        try:
            await act
        except Exception as error:
            self.show_error(error)
            return False
        return True

    def show_error(self, error: Exception) -> None:
        for status in self.query(StatusLine):
            status.warning = self.fault(error)


class PageScreen(BaseScreen[Answer]):
    def compose(self) -> ComposeResult:
        yield HeaderLine(id="head")
        yield Rule(id="rule")
        yield from self.compose_page()
        yield StatusLine(id="status")
        yield Footer()

    def compose_page(self) -> ComposeResult:
        raise NotImplementedError

    def show_head(self, *parts: Content) -> None:
        self.query_one("#head", HeaderLine).parts = SplitLine(*parts)

    def acts(self) -> Acts:
        """Possible actions, by their name in `act('...')`."""
        return {}

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return action != "act" or parameters[0] in self.acts()

    def action_act(self, name: str) -> None:
        if act := self.acts().get(name):
            self._perform(act)

    @work(group="acts", exclusive=True)
    async def _perform(self, act: Act) -> None:
        self.status.warning = self.status.hint = ""
        await self.guarded(act())
