"""The base of every screen: the inks a story is set in, as component classes any widget can name (`.quiet`)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import ClassVar, Protocol, TypeVar, cast

from textual import events
from textual._styles_cache import StylesCache
from textual.await_complete import AwaitComplete
from textual.screen import ModalScreen, Screen

from theact_tui.tui.themes import MOODS, VOICES

Answer = TypeVar("Answer")
Read = TypeVar("Read")

SOON = 0.1
"""Seconds the first frame of a page waits for what it is to show; the page before it is seen until then."""

INKS = frozenset(
    {"quiet", "faint", "line", "strong", "accent", "good", "bad", "warn", "glow", "found", "heading"}
    | {f"{kind}-{n}" for kind in ("voice", "words") for n in range(1, VOICES + 1)}
    | {f"mood-{mood}" for mood in MOODS}
)

_VOICES = "".join(
    f".voice-{n} {{ color: $voice-{n}; text-style: bold; }} .words-{n} {{ color: $words-{n}; }}"
    for n in range(1, VOICES + 1)
)
_MOODS = "".join(f".mood-{mood} {{ color: $mood-{mood}; }}" for mood in MOODS)
INK_CSS = f"""
    .quiet {{ color: $quiet; }}
    .faint {{ color: $faint; }}
    .line {{ color: $line; }}
    .strong {{ text-style: bold; }}
    .accent {{ color: $primary; text-style: bold; }}
    .good {{ color: $success; }}
    .bad {{ color: $error; }}
    .warn {{ color: $warning; }}
    .glow {{ text-style: bold; }}
    .found {{ text-style: underline; color: $primary; }}
    .heading {{ color: $primary; text-style: bold; }}
    {_VOICES} {_MOODS}
    &:ansi {{
        .quiet {{ text-style: dim; }}
        .faint {{ text-style: dim; }}
        .line {{ text-style: dim; }}
        .glow {{ text-style: bold underline; }}
    }}
"""


def forget_rows() -> None:
    """Let go of the rows of widgets that are gone: Textual's cache of colours keeps those of its last 1,024 alive."""
    StylesCache.get_inner_outer.cache_clear()


class Reporter(Protocol):
    """An app that keeps a log of what broke."""

    def report(self, error: Exception) -> str: ...


class Leaving(Screen[Answer]):
    """A screen that is left once, whatever lies on it: keys that still wait for it do not close the one below."""

    def dismiss(self, result: Answer | None = None) -> AwaitComplete:
        """Close what lies on it, then itself."""
        if self not in self.app.screen_stack:
            return AwaitComplete()
        while self.app.screen is not self:
            self.app.screen.dismiss()
        return super().dismiss(result)


class Page(Leaving[None]):
    """A full screen of the app."""

    COMPONENT_CLASSES: ClassVar[set[str]] = set(INKS)
    DEFAULT_CSS = f"Page {{ {INK_CSS} }}"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide"), (160, "-vast")]
    VERTICAL_BREAKPOINTS = [(0, "-low"), (30, "-tall")]
    HELP: ClassVar[str] = ""
    """What F1 says about this screen: a few plain paragraphs."""
    HELP_TITLE: ClassVar[str] = ""

    fresh = True
    """It has not been shown yet."""

    async def on_compose(self) -> None:
        """Know the breakpoints before the widgets are there: set by the first resize, they would all be styled again."""
        width, height = self.app.size
        sides = ((width, self.HORIZONTAL_BREAKPOINTS), (height, self.VERTICAL_BREAKPOINTS))
        self.add_class(
            *(next(name for least, name in reversed(marks) if size >= least) for size, marks in sides)
        )

    def on_screen_resume(self, event: events.ScreenResume) -> None:
        """What was mounted just now is styled already."""
        event.refresh_styles = event.refresh_styles and not self.fresh
        self.fresh = False

    async def early(self, reading: Awaitable[Read]) -> asyncio.Future[Read]:
        """Begin to read what the first frame shows; returns when it is there, or `SOON` at the latest."""
        future = asyncio.ensure_future(reading)
        await asyncio.wait({future}, timeout=SOON)
        return future

    def help_commands(self) -> tuple[tuple[str, str], ...]:
        """What can be typed on this screen, and what it does."""
        return ()

    def report(self, error: Exception) -> str:
        """Write an unexpected error down; returns where."""
        return cast(Reporter, self.app).report(error)

    def on_unmount(self) -> None:
        forget_rows()


class Sheet(Leaving[Answer], ModalScreen[Answer]):
    """Something laid over a screen until it is answered or dismissed."""

    COMPONENT_CLASSES: ClassVar[set[str]] = set(INKS)
    DEFAULT_CSS = f"Sheet {{ {INK_CSS} }}"
    HELP: ClassVar[str] = ""

    def on_unmount(self) -> None:
        forget_rows()
