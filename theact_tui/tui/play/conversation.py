"""The column of the story: transcript, status, search and prompt. It loads turns as the reader moves."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass

from textual import on, work
from textual.app import ComposeResult
from textual.containers import Center, Vertical
from textual.message import Message
from textual.widgets import TextArea

from theact_tui.engine.session import StorySession
from theact_tui.tui.play.completion import CompletionMenu, completions
from theact_tui.tui.play.loader import TranscriptLoader
from theact_tui.tui.play.prompt import PromptInput, PromptTextArea
from theact_tui.tui.play.search import FindBar
from theact_tui.tui.play.transcript import Transcript
from theact_tui.tui.widgets.status_line import StatusLine

TYPING = 0.15
"""Seconds after a letter before a search is counted."""


class ConversationPane(Vertical):
    """Transcript above, prompt below; reading errors are posted as `LoadFailed`."""

    @dataclass
    class LoadFailed(Message):
        """Turns could not be read."""

        error: Exception

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.loader: TranscriptLoader | None = None
        """Where turns are read from; set once the story is open."""
        self.session: StorySession | None = None
        """What commands are about; set once the story is open."""
        self._branches: dict[str, str] | None = None
        """Titles of the other branches by name, while they are to be completed."""
        self._reading = asyncio.Lock()

    def compose(self) -> ComposeResult:
        yield Transcript(id="transcript")
        with Center(id="foot-row"), Vertical(id="foot"):
            yield StatusLine(id="status")
            yield FindBar(id="find")
            yield CompletionMenu(id="completions")
            yield PromptInput(id="prompt")

    @property
    def transcript(self) -> Transcript:
        return self.query_one(Transcript)

    @on(PromptTextArea.PageRequested)
    def page_requested(self, event: PromptTextArea.PageRequested) -> None:
        self.transcript.page(event.pages)

    @on(TextArea.Changed, "#writing")
    def complete(self) -> None:
        """Offer what a command that is being written can become; branches are read once for each `/switch`."""
        text = self.query_one(PromptTextArea).text
        if not text.startswith("/switch"):
            self._branches = None
        elif self._branches is None:
            self._branches = {}
            self._read_branches()
        if self.session:
            entries = completions(text, self.session.game, self.session.profiles, self._branches)
            self.query_one(CompletionMenu).entries = entries

    @work(group="branches", exit_on_error=False)
    async def _read_branches(self) -> None:
        if session := self.session:
            found = await session.run(session.save.branches)
            self._branches = {each.name: each.title for each in found if each.name != session.branch}
            self.complete()

    @on(Transcript.FollowingChanged)
    def following_changed(self, event: Transcript.FollowingChanged) -> None:
        self.query_one(StatusLine).more = not event.following
        self.screen.refresh_bindings()

    @on(Transcript.NewestWanted)
    def newest_wanted(self) -> None:
        if self.loader:
            self._load(self.loader.show_newest())

    @on(Transcript.TurnsWanted)
    def turns_wanted(self, event: Transcript.TurnsWanted) -> None:
        if self.loader:
            self._load(self.loader.load_older() if event.older else self.loader.load_newer())

    @work(group="pages")
    async def _load(self, reading: Awaitable[None]) -> None:
        try:
            async with self._reading:
                await reading
        except Exception as error:
            self.post_message(self.LoadFailed(error))

    @on(FindBar.TermChanged)
    @work(group="count", exclusive=True)
    async def term_changed(self, event: FindBar.TermChanged) -> None:
        """Mark the places of what is being typed, and count them."""
        bar = self.query_one(FindBar)
        if not event.term or not self.loader:
            bar.say("")
            self.transcript.show_term("")
            return
        await asyncio.sleep(TYPING)
        self.transcript.show_term(event.term)
        try:
            await self.loader.count(event.term)
        except Exception as error:
            self.post_message(self.LoadFailed(error))
        else:
            bar.say(self.loader.where(event.term))

    @on(FindBar.SearchRequested)
    def search_requested(self, event: FindBar.SearchRequested) -> None:
        if self.loader:
            self.query_one(FindBar).say("…")
            self._seek(self.loader, event)

    @work(group="search")
    async def _seek(self, loader: TranscriptLoader, event: FindBar.SearchRequested) -> None:
        try:
            async with self._reading:
                bar = self.query_one(FindBar)
                bar.say(await loader.seek(event.term, event.step))
        except Exception as error:
            self.post_message(self.LoadFailed(error))

    @on(FindBar.Closed)
    def search_closed(self) -> None:
        for group in ("search", "count"):
            self.workers.cancel_group(self, group)
        self.transcript.show_term("")
        self.query_one(PromptTextArea).focus()
