"""Reads and draws what the inspector looks at: when somebody looks elsewhere, and while the story goes on."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TYPE_CHECKING

from textual.widget import Widget

from theact_tui.engine import events as e
from theact_tui.tui.screens.inspector_book import Book, Frame
from theact_tui.tui.widgets.inspect_events import EventLog

if TYPE_CHECKING:
    from theact_tui.tui.screens.inspector import InspectorScreen

REDRAW_SECONDS = 0.1
"""How long the tokens of a running turn are gathered before its words are set again."""

BATCH = 50
"""Events of the past that are taken in one go, when the inspector is opened."""


class Reading:
    """What one inspector reads. However often it is asked to, one reading runs at a time."""

    def __init__(self, screen: InspectorScreen) -> None:
        self._screen = screen
        self.book = Book(screen.session)
        self.frame: Frame | None = None
        """What is shown; None until it is read."""
        self._stale = True
        """Somebody looks elsewhere, or the story went on."""
        self._running = self._due = False
        self._opened = screen.session.bus.newest

    @property
    def settled(self) -> bool:
        """All that was asked for is read and drawn."""
        return not (self._stale or self._running or self._due) and self.frame is not None

    async def first(self) -> Frame:
        """What is looked at first."""
        return await self.book.frame(self._screen.number, self._screen.live)

    async def begin(self, reading: Awaitable[Frame]) -> None:
        """List the memories in the first frame, and read and draw the desk after it: both at once would hold up the
        keys."""
        self._desk.visible = False
        await self._screen.guarded(self._memories(reading))
        self._screen.once_shown(self.renew)

    async def _memories(self, reading: Awaitable[Frame]) -> None:
        self.frame = await reading
        self._screen.drawing.head()
        self._screen.drawing.memory(self.frame)

    @property
    def _desk(self) -> Widget:
        return self._screen.query_one("#desk")

    def renew(self) -> None:
        """Read and draw what one looks at now."""
        self._stale = True
        self._screen.drawing.head()
        if not self._running:
            self._running = True
            self._screen.run_worker(self._read(), group="reading")

    async def _read(self) -> None:
        try:
            while self._stale:
                self._stale = False
                await self._screen.guarded(self._frame())
        finally:
            self._running = False

    async def _frame(self) -> None:
        screen, drawing = self._screen, self._screen.drawing
        try:
            frame = self.frame = await self.book.frame(screen.number, screen.live)
        finally:
            self._desk.visible = True
        drawing.turn(frame)
        await self._history(frame)
        drawing.history(frame)
        if not self._stale and screen.source:
            await self.book.read([screen.source.turn])
            drawing.words(frame)

    async def _history(self, frame: Frame) -> None:
        """Read the turns that a frame's table is made of, while nobody looks elsewhere."""
        while not self._stale and await self.book.read(self._screen.drawing.wanted(frame)):
            pass

    async def follow(self) -> None:
        """Follow the engine, from what the bus still knows of the past on."""
        stream = self._screen.session.bus.stream(backlog=True)
        log = self._screen.query_one(EventLog)
        try:
            async for event in stream:
                log.take(event)
                self._take(event)
                if log.heard % BATCH == 0:
                    await asyncio.sleep(0)
        finally:
            stream.close()

    def _take(self, event: e.Event) -> None:
        screen, live = self._screen, self._screen.live
        live.take(event)
        self.book.take(event)
        screen.status.doing = live.doing.sentence
        if event.seq <= self._opened and live.speaker and live.turn == screen.newest:
            screen.person = live.speaker
        if event.seq == self._opened and (live.turn or live.speaker):
            self.renew()
        elif event.seq > self._opened:
            self._soon()

    def _soon(self) -> None:
        """Draw anew in a moment, once for all that happens until then."""
        if not self._due:
            self._due = True
            self._screen.set_timer(REDRAW_SECONDS, self._now)

    def _now(self) -> None:
        self._due = False
        self.renew()
