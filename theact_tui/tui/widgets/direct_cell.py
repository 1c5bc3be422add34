"""A text cell of a directed chapter: it takes no more than it may hold, and nothing that a screen cannot show."""

from __future__ import annotations

from dataclasses import dataclass, replace

from textual import events
from textual.document._document import EditResult
from textual.document._edit import Edit
from textual.message import Message
from textual.widgets import TextArea

from theact_tui.story.direct.limits import NAME_LIMIT, TEXT_LIMIT
from theact_tui.text import clean


class Cell(TextArea):
    """Holds at most `limit` characters; the one after it is refused as it is typed."""

    @dataclass
    class Full(Message):
        """So many characters were refused."""

        refused: int
        limit: int

    def __init__(self, *, id: str, placeholder: str = "", limit: int = TEXT_LIMIT) -> None:
        super().__init__(
            id=id, compact=True, soft_wrap=True, highlight_cursor_line=False, placeholder=placeholder
        )
        self.limit = limit

    @property
    def counter(self) -> str:
        """Such as `12/5,000`."""
        return f"{len(self.text):,}/{self.limit:,}"

    def edit(self, edit: Edit) -> EditResult:
        """Make an edit as far as there is room; `Full` tells what was refused."""
        wanted = self.cleaned(edit.text)
        room = self.limit - len(self.text) + len(self.get_text_range(edit.top, edit.bottom))
        taken = wanted[: max(0, room)]
        if len(taken) < len(wanted):
            self.post_message(self.Full(len(wanted) - len(taken), self.limit))
            if not taken:
                return EditResult(self.cursor_location, "")
        return super().edit(replace(edit, text=taken))

    def cleaned(self, text: str) -> str:
        """`text` as this cell can hold it."""
        return clean(text)

    def fill(self, text: str) -> None:
        """Show another text, from its beginning."""
        if (cleaned := self.cleaned(text)) != self.text:
            self.text = cleaned


class NameCell(Cell):
    """A single line; enter goes on to the next cell."""

    def __init__(self, *, id: str, placeholder: str = "") -> None:
        super().__init__(id=id, placeholder=placeholder, limit=NAME_LIMIT)

    def cleaned(self, text: str) -> str:
        return " ".join(clean(text).split("\n"))

    async def _on_key(self, event: events.Key) -> None:
        if event.key == "enter":
            event.stop()
            event.prevent_default()
            self.screen.focus_next()


class PromptCell(Cell):
    """Where a prompt is written: enter gives it, ctrl+j begins a new line."""

    @dataclass
    class Given(Message):
        """The game master pressed enter."""

    @dataclass
    class Paged(Message):
        """They want to move in the transcript, by pages."""

        pages: int

    async def _on_key(self, event: events.Key) -> None:
        match event.key:
            case "enter":
                self.post_message(self.Given())
            case "ctrl+j" | "shift+enter":
                if not self.read_only:
                    self.insert("\n")
            case "pageup" | "pagedown":
                self.post_message(self.Paged(-1 if event.key == "pageup" else 1))
            case _:
                return
        event.stop()
        event.prevent_default()
