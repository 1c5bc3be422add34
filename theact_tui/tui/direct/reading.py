"""A written chapter on a page of its own, set as a story is."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Center, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from theact_tui.text import counted, one_line, words
from theact_tui.tui.blocks import block_rows, prose_blocks
from theact_tui.tui.visuals import Stack
from theact_tui.tui.widgets.base_screen import COPY, PageScreen


class ReadingScreen(PageScreen[None], inherit_bindings=False):
    """Shows a text to be read; arrows and page keys scroll, escape leaves."""

    DEFAULT_CSS = """
    ReadingScreen {
        background: $background; color: $foreground;
        #head { padding: 0 1; }
        #chapter-page { height: 1fr; scrollbar-size-vertical: 1; padding: 1 2; }
        #chapter-page Center { height: auto; }
        #chapter-page Static { width: 100%; max-width: 76; height: auto; }
    }
    """
    BINDINGS = [
        Binding("space", "page", "next page"),
        Binding("escape,q", "dismiss(None)", "back", key_display="esc"),
        COPY,
    ]
    HELP: ClassVar[str] = (
        "The chapter as it was written. Arrows, page keys and space scroll, escape goes back."
    )
    HELP_TITLE: ClassVar[str] = "Reading"

    def __init__(self, title: str, text: str) -> None:
        super().__init__()
        self._title, self._text = title, text

    def compose_page(self) -> ComposeResult:
        with VerticalScroll(id="chapter-page"), Center():
            yield Static(Stack(*block_rows(list(prose_blocks(self._text)))))

    def on_mount(self) -> None:
        count = counted(words(self._text), "word")
        self.show_head(Content.styled(one_line(self._title, 80), ".strong"), Content.styled(count, ".quiet"))
        self.query_one(VerticalScroll).focus()

    def action_page(self) -> None:
        self.query_one(VerticalScroll).scroll_page_down(animate=False)
