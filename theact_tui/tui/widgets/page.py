"""The base of every screen: how it is shown for the first time, and left once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, ClassVar, Protocol, TypeVar, cast

from textual import events
from textual._styles_cache import StylesCache
from textual.await_complete import AwaitComplete
from textual.screen import ModalScreen, Screen
from textual.widget import Widget
from textual.widgets import OptionList

from theact_tui.tui.inks import Inked
from theact_tui.tui.lasting import tidy

Answer = TypeVar("Answer")
Read = TypeVar("Read")

SOON = 0.1
"""Seconds the first frame of a page waits for what it is to show; the page before it is seen until then."""


REST = 0.4
"""Seconds after which a change has been drawn and a player is reading."""


def forget_rows(screen: Screen[Any]) -> None:
    """Let go of the rows a screen has drawn: most of what the collector would have to find, or Textual's cache of colours
    would keep."""
    for widget in screen.walk_children(Widget):
        widget._styles_cache.clear()
        widget._render_cache = widget._render_cache._replace(lines=[])
        if isinstance(widget, OptionList):
            widget._clear_caches()
    StylesCache.get_inner_outer.cache_clear()


class Reporter(Protocol):
    """An app that keeps a log of what broke."""

    def report(self, error: Exception) -> str: ...


class Leaving(Inked[Answer]):
    """A screen that is left once, whatever lies on it: keys that still wait for it do not close the one below."""

    def dismiss(self, result: Answer | None = None) -> AwaitComplete:
        """Close what lies on it, then itself."""
        if self not in self.app.screen_stack:
            return AwaitComplete()
        while self.app.screen is not self:
            self.app.screen.dismiss()
        leaving = super().dismiss(result)
        forget_rows(self)
        return leaving


class Page(Leaving[None]):
    """A full screen of the app."""

    BLANK: ClassVar[bool] = True

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide"), (160, "-vast")]
    VERTICAL_BREAKPOINTS = [(0, "-low"), (30, "-tall")]
    HELP: ClassVar[str] = ""
    """What F1 says about this screen: a few plain paragraphs."""
    HELP_TITLE: ClassVar[str] = ""

    LASTING: ClassVar[bool] = False
    """What it shows is there for long, and the collector may pass over it."""

    fresh = True
    """It has not been shown yet."""
    _resting = False

    def __init__(self) -> None:
        super().__init__()
        self._waiting: list[Callable[[], object]] | None = []
        """What waits for the first frame; None once it is painted."""

    def once_shown(self, act: Callable[[], object]) -> None:
        """Do something as soon as the first frame is painted, or after the next one if it is."""
        if self._waiting is None:
            self.call_after_refresh(act)
        else:
            self._waiting.append(act)

    async def on_compose(self) -> None:
        """Know the breakpoints before the widgets are there: set by the first resize, they would all be styled again."""
        width, height = self.app.size
        sides = ((width, self.HORIZONTAL_BREAKPOINTS), (height, self.VERTICAL_BREAKPOINTS))
        self.add_class(
            *(next(name for least, name in reversed(marks) if size >= least) for size, marks in sides)
        )

    def on_screen_resume(self, event: events.ScreenResume) -> None:
        """Lay a new page out once its widgets have asked for all they need, not before as well; it is styled already."""
        if not self.fresh:
            waiting, self._waiting = self._waiting or [], None
            for act in waiting:
                self.call_after_refresh(act)
            return
        self.fresh = False
        event.prevent_default()
        ready = events.ScreenResume()
        ready.refresh_styles = False
        self.call_after_refresh(self.post_message, ready)

    async def early(
        self,
        reading: Awaitable[Read],
        show: Callable[[Awaitable[Read]], Coroutine[None, None, None]],
        group: str,
    ) -> None:
        """Read something and show it: with the first frame when it is there within `SOON`, else as soon as it comes."""
        future = asyncio.ensure_future(reading)
        await asyncio.wait({future}, timeout=SOON)
        if future.done():
            await show(future)
        else:
            self.run_worker(show(future), group=group, exclusive=True)

    def rest(self) -> None:
        """Tidy up in a while, unless something else lies over this page by then."""
        if not self._resting:
            self._resting = True
            self.set_timer(REST, self._tidy)

    def _tidy(self) -> None:
        self._resting = False
        if self.app.screen is self:
            tidy(self.LASTING)

    def help_commands(self) -> tuple[tuple[str, str], ...]:
        """What can be typed on this screen, and what it does."""
        return ()

    def report(self, error: Exception) -> str:
        """Write an unexpected error down; returns where."""
        return cast(Reporter, self.app).report(error)


class Sheet(Leaving[Answer], ModalScreen[Answer]):
    """Something laid over a screen until it is answered or dismissed."""

    DEFAULT_CSS = "Sheet:ansi { background: transparent; }"
    VERTICAL_BREAKPOINTS = [(0, "-tiny"), (16, "-low"), (30, "-tall")]
    HELP: ClassVar[str] = ""
