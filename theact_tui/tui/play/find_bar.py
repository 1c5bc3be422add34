import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Input, Static

from theact_tui.tui.play.loader import TranscriptLoader
from theact_tui.tui.widgets.inputs import LineField

TYPING_SECONDS = 0.15
"""After a letter before matches are counted."""


class FindBar(Horizontal):
    """Search line; enter finds older places, down newer ones, escape closes."""

    DEFAULT_CSS = """
    FindBar {
        height: 1; display: none; background: $surface;
        & > #find-mark { width: auto; color: $primary; text-style: bold; padding: 0 1 0 0; }
        & > #find-term { width: 1fr; background: $surface; }
        & > #find-count { width: auto; color: $quiet; padding: 0 0 0 1; }
        &.-open { display: block; }
    }
    """
    BINDINGS = [
        Binding(
            "enter,up", "step(-1)", "older", key_display="enter", priority=True, group=Binding.Group("find")
        ),
        Binding("down", "step(1)", "newer", key_display="↓", priority=True, group=Binding.Group("find")),
        Binding("escape", "close", "close", priority=True, group=Binding.Group("find")),
    ]
    loader: TranscriptLoader
    """Set before opening."""

    @dataclass
    class Failed(Message):
        error: Exception

    class Closed(Message):
        pass

    def compose(self) -> ComposeResult:
        yield Static("find", id="find-mark", markup=False)
        yield LineField(id="find-term", placeholder="search the story; matches word beginnings")
        yield Static("", id="find-count", markup=False)

    @property
    def _term(self) -> str:
        return self.query_one(Input).value.strip()

    def open(self) -> None:
        self.add_class("-open")
        self.query_one(Input).focus()
        self._count()

    def _say(self, text: str) -> None:
        self.query_one("#find-count", Static).update(text)

    @on(Input.Changed)
    @work(group="count", exclusive=True)
    async def _count(self) -> None:
        if not (term := self._term):
            self._say("")
            self.loader.transcript.show_term("")
            return
        await asyncio.sleep(TYPING_SECONDS)
        self.loader.transcript.show_term(term)
        await self._show_answer(self.loader.count(term))

    @work(group="search")
    async def action_step(self, step: int) -> None:
        if term := self._term:
            self._say("…")
            await self._show_answer(self.loader.seek(term, step))

    async def _show_answer(self, answer: Awaitable[str]) -> None:
        try:
            self._say(await answer)
        except Exception as error:
            self.post_message(self.Failed(error))

    def action_close(self) -> None:
        for group in ("search", "count"):
            self.workers.cancel_group(self, group)
        self.remove_class("-open")
        self._say("")
        self.loader.transcript.show_term("")
        self.post_message(self.Closed())
