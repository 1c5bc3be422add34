"""The story and the line one writes: page, status, search and writing box in one column. It turns the pages itself."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass

from textual import on, work
from textual.app import ComposeResult
from textual.containers import Center
from textual.message import Message

from theact_tui.tui.pages import Pages
from theact_tui.tui.widgets.bare import Column
from theact_tui.tui.widgets.findbar import FindBar
from theact_tui.tui.widgets.prompt import Prompt, Writing
from theact_tui.tui.widgets.statusline import StatusLine
from theact_tui.tui.widgets.transcript import Transcript


class Stage(Column):
    """Reading: scrolling by pages from the writing box, older and newer turns as they are wanted, searching."""

    @dataclass
    class Troubled(Message):
        """Turning the pages went wrong."""

        error: Exception

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.pages: Pages | None = None
        """Where turns are read from; set once the story is open."""
        self._turning = asyncio.Lock()

    def compose(self) -> ComposeResult:
        yield Transcript(id="transcript")
        with Center(id="foot-row"), Column(id="foot"):
            yield StatusLine(id="status")
            yield FindBar(id="find")
            yield Prompt(id="prompt")

    @property
    def transcript(self) -> Transcript:
        return self.query_one(Transcript)

    @on(Writing.Paged)
    def scrolled(self, event: Writing.Paged) -> None:
        self.transcript.page(event.pages)

    @on(Transcript.Moved)
    def moved(self, event: Transcript.Moved) -> None:
        self.query_one(StatusLine).more = not event.following
        self.screen.refresh_bindings()

    @on(Transcript.Returned)
    def returned(self) -> None:
        if self.pages:
            self._turn(self.pages.newest())

    @on(Transcript.Wanted)
    def wanted(self, event: Transcript.Wanted) -> None:
        if self.pages:
            self._turn(self.pages.older() if event.older else self.pages.newer())

    @work(group="pages")
    async def _turn(self, reading: Awaitable[None]) -> None:
        try:
            async with self._turning:
                await reading
        except Exception as error:
            self.post_message(self.Troubled(error))

    @on(FindBar.Sought)
    def sought(self, event: FindBar.Sought) -> None:
        if self.pages:
            self.query_one(FindBar).say("…")
            self._seek(self.pages, event)

    @work(group="search")
    async def _seek(self, pages: Pages, event: FindBar.Sought) -> None:
        try:
            async with self._turning:
                bar = self.query_one(FindBar)
                bar.say(await pages.seek(event.term, event.step, bar.say))
        except Exception as error:
            self.post_message(self.Troubled(error))

    @on(FindBar.Closed)
    def found(self) -> None:
        self.workers.cancel_group(self, "search")
        self.transcript.end_search()
        self.query_one(Writing).focus()
