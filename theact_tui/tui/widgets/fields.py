"""Text boxes that take only text: what is put or pasted into them is cleaned first (S13)."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from textual import events
from textual.widget import Widget
from textual.widgets import Input, TextArea

from theact_tui.text import clean, one_line

CATCH_UP = 0.5
"""Seconds after which keys are no longer held back for a box that does not answer."""


class Box(Widget):
    """A box that can be asked to take the letters it was sent."""

    async def catch_up(self) -> None:
        """Wait until they are taken: a key that acts at once would else overtake them."""
        taken = asyncio.Event()
        if self.is_running and self.call_later(taken.set):
            with suppress(TimeoutError):
                await asyncio.wait_for(taken.wait(), CATCH_UP)


class LineField(Input, Box):
    """A box of one line."""

    def __init__(self, value: str = "", *, placeholder: str = "", id: str | None = None) -> None:
        super().__init__(one_line(value, 500), placeholder=placeholder, id=id, compact=True)

    def _on_paste(self, event: events.Paste) -> None:
        event.text = clean(event.text)


class TextField(TextArea, Box):
    """A box of several lines."""

    def write(self, text: str) -> None:
        """Replace the text; the cursor goes to its end."""
        self.text = clean(text)
        self.move_cursor(self.document.end)

    async def _on_paste(self, event: events.Paste) -> None:
        event.text = clean(event.text)
