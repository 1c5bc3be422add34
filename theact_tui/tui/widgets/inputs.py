"""Text boxes that take only text: what is put or pasted into them is cleaned first."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from textual import events
from textual.app import App
from textual.binding import Binding
from textual.content import Content
from textual.reactive import reactive
from textual.suggester import Suggester
from textual.widget import Widget
from textual.widgets import Input, TextArea

from theact_tui.text import clean, one_line

CATCH_UP = 0.5
"""Seconds after which keys are no longer held back for a box that does not answer."""


class TypedInput(Widget):
    """A box that can be asked to take the letters it was sent."""

    async def catch_up(self) -> None:
        """Wait until they are taken: a key that acts at once would else overtake them."""
        taken = asyncio.Event()
        if self.is_running and self.call_later(taken.set):
            with suppress(TimeoutError):
                await asyncio.wait_for(taken.wait(), CATCH_UP)


class LineField(Input, TypedInput):
    """A box of one line."""

    def __init__(
        self,
        value: str = "",
        *,
        placeholder: str = "",
        suggester: Suggester | None = None,
        id: str | None = None,
        password: bool = False,
    ) -> None:
        super().__init__(
            one_line(value, 500),
            placeholder=placeholder,
            suggester=suggester,
            id=id,
            compact=True,
            password=password,
        )

    def on_paste(self, event: events.Paste) -> None:
        event.text = clean(event.text)


class TextField(TextArea, TypedInput):
    """A box of several lines."""

    def write(self, text: str) -> None:
        """Replace the text; the cursor goes to its end."""
        self.text = clean(text)
        self.move_cursor(self.document.end)

    def on_paste(self, event: events.Paste) -> None:
        event.text = clean(event.text)


class ChoiceField(Widget, can_focus=True):
    """Shows the word chosen between two marks; left, right and space change it."""

    DEFAULT_CSS = """
    ChoiceField {
        height: 1; width: 1fr; background: $panel;
        &:focus { background: $glow; }
        &:ansi:focus { text-style: reverse; }
    }
    """
    BINDINGS = [
        Binding("left", "turn(-1)", "before", show=False),
        Binding("right,space", "turn(1)", "next", show=False),
    ]
    at: reactive[int] = reactive(0)

    def __init__(self, words: Sequence[str], word: str, *, id: str | None = None) -> None:
        """`word` is chosen at first; one that is not among `words` is added."""
        super().__init__(id=id)
        self.words = tuple(words) if word in words else (*words, word)
        self.set_reactive(ChoiceField.at, self.words.index(word))

    @property
    def value(self) -> str:
        """The word chosen."""
        return self.words[self.at]

    def action_turn(self, step: int) -> None:
        self.at = (self.at + step) % len(self.words)

    def render(self) -> Content:
        shown = one_line(self.value, 60) or "–"
        return Content.assemble(("‹ ", ".faint"), shown, (" ›", ".faint"))


LOOK, LOOKS = 0.01, 100
"""Seconds between two looks whether the question is there, and how often it is looked: the app hears no key meanwhile."""


async def forward_typed_ahead(app: App[Any], event: events.Key) -> bool:
    """Give a letter that nobody took to the box it was meant for, once that is open; False if there is none."""
    if not event.is_forwarded or not event.is_printable:
        return False
    below = app.screen
    for _ in range(LOOKS):
        if not getattr(below, "opening", False) or not (app.screen is below or app.focused is None):
            break
        await asyncio.sleep(LOOK)
    box = app.focused
    if not isinstance(box, TypedInput) or getattr(box, "read_only", False):
        return False
    return box.post_message(events.Key(event.key, event.character))
