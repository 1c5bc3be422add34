"""The base of every screen and of every dialog: size classes, text styles, help, what goes wrong, and being left once."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
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
from theact_tui.tui.widgets.status_line import StatusLine, copied, say

Act = Callable[[], Awaitable[Any]]
Acts = dict[str, Act]
Answer = TypeVar("Answer")
Read = TypeVar("Read")

COPY = Binding("ctrl+c,super+c", "screen.copy_text", "copy", show=False)
"""On screens that do not inherit it, or where a widget takes its key."""
FIRST_FRAME_WAIT = 0.1
"""Seconds the first frame of a screen waits for what it is to show; the screen before it is seen until then."""


class BaseScreen(Screen[Answer]):
    """A screen whose texts may name the app's text styles, and which is left once."""

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide"), (160, "-vast")]
    VERTICAL_BREAKPOINTS = [(0, "-low"), (30, "-tall")]
    HELP: ClassVar[str] = ""
    HELP_TITLE: ClassVar[str] = ""
    status = getters.query_one(StatusLine)

    @property
    def help_text(self) -> str:
        """What F1 says about this screen: a few plain paragraphs."""
        return self.HELP

    def get_visual_style(self, *component_classes: str, partial: bool = False) -> Style:
        if partial and len(component_classes) == 1 and component_classes[0] in TEXT_STYLES:
            styles = ANSI_TEXT_STYLES if self.app.native_ansi_color else TEXT_STYLES
            return Style.parse(styles[component_classes[0]])
        return super().get_visual_style(*component_classes, partial=partial)

    def dismiss(self, result: Answer | None = None) -> AwaitComplete:
        """Close what lies on this screen, then the screen itself. Nothing happens when it was left already:
        keys that still wait for it do not close the one below."""
        if self not in self.app.screen_stack:
            return AwaitComplete()
        while self.app.screen is not self:
            self.app.screen.dismiss()
        return super().dismiss(result)

    async def load_early(
        self,
        reading: Awaitable[Read],
        show: Callable[[Awaitable[Read]], Coroutine[None, None, None]],
        group: str,
    ) -> None:
        """Read something and show it: with the first frame when it is there within `FIRST_FRAME_WAIT`, else later."""
        future = asyncio.ensure_future(reading)
        await asyncio.wait({future}, timeout=FIRST_FRAME_WAIT)
        if future.done():
            await show(future)
        else:
            self.run_worker(show(future), group=group, exclusive=True)

    async def may_leave(self) -> bool:
        """False if the player, asked from within a worker, stays because leaving would lose what is being done."""
        return True

    def help_commands(self) -> tuple[tuple[str, str], ...]:
        """What can be typed on this screen, and what it does."""
        return ()

    def write_command(self, usage: str) -> None:
        """Begin to type one of them."""

    def why_not(self, action: str, parameters: tuple[object, ...]) -> str:
        """Why an action cannot be done now; empty where only its own `refusal` is known."""
        return ""

    def on_click(self, event: events.Click) -> None:
        if key := event.style.meta.get("key"):
            self.app.simulate_key(key)

    def action_refuse(self, action: str, why: str) -> None:
        say(self.app, self.why_not(*parse(action)[1:]) or why)

    def action_copy_text(self) -> None:
        super().action_copy_text()
        say(self.app, copied(self.get_selected_text() or ""))

    def report(self, error: Exception) -> str:
        return cast(ReportingApp, self.app).report(error)

    def fault(self, error: Exception) -> str:
        """What is said of an error; one that nobody expected is written down."""
        if isinstance(error, TheActError):
            return error.message
        return f"Internal error: {unexpected(error)}. See {self.report(error)}"

    async def guarded(self, act: Awaitable[object]) -> bool:
        """Do something, and say what went wrong; true if nothing did."""
        try:
            await act
        except Exception as error:
            self.show_error(error)
            return False
        return True

    def show_error(self, error: Exception) -> None:
        """Say what went wrong; a screen being taken down says nothing more."""
        for status in self.query(StatusLine):
            status.warning = self.fault(error)


class PageScreen(BaseScreen[Answer]):
    """A page between a line about it and the keys that work on it."""

    def compose(self) -> ComposeResult:
        yield HeaderLine(id="head")
        yield Rule(id="rule")
        yield from self.compose_page()
        yield StatusLine(id="status")
        yield Footer()

    def compose_page(self) -> ComposeResult:
        """What stands between them."""
        raise NotImplementedError

    def show_head(self, *parts: Content) -> None:
        """Show a line above the page: a title, and what is to be said on the right."""
        self.query_one("#head", HeaderLine).parts = SplitLine(*parts)

    def acts(self) -> Acts:
        """What can be done now, by the names in the screen's actions `act('...')`."""
        return {}

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return action != "act" or parameters[0] in self.acts()

    def action_act(self, name: str) -> None:
        if act := self.acts().get(name):
            self._perform(act)

    @work(group="acts", exclusive=True)
    async def _perform(self, act: Act) -> None:
        """Do one of them; what goes wrong is said, and what was said before it goes."""
        self.status.warning = self.status.hint = ""
        try:
            await act()
        except Exception as error:
            self.show_error(error)
