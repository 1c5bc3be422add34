"""The third tab: structured memory, the writer's voice, and the chapter in its drafts."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Button, Static

from theact_tui.story.direct.records import Block, Draft
from theact_tui.text import words
from theact_tui.tui.widgets.direct_bars import Choice, Choices
from theact_tui.tui.widgets.direct_cell import Cell
from theact_tui.tui.widgets.direct_script import memory, prose

SHOWN = 6
"""Drafts whose panels are named; older ones are reached by going on from there."""


class ChapterPane(Vertical):
    """Memory blocks, voice, drafts. `draft` is the number of the one shown, 0 while there is none."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.draft = 0
        self._drafts: tuple[Draft, ...] = ()
        self._blocks: tuple[Block, ...] | None = None

    def compose(self) -> ComposeResult:
        with VerticalScroll(id="memory", classes="cell"):
            yield Static(id="blocks", markup=False)
        yield Cell(id="voice", placeholder="How is it to be written? Empty: third person, past tense.")
        with Horizontal(classes="acts"):
            yield Button(Content("Build Narrative"), id="build", classes="act", compact=True)
            yield Static("", id="hint", markup=False)
        with Vertical(id="draft", classes="cell"):
            with VerticalScroll(id="pages"):
                yield Static(id="prose", markup=False)
            with Horizontal(id="draft-foot"):
                yield Choices(id="drafts")
                yield Button(Content("Download Chapter"), id="download", classes="act", compact=True)

    def on_mount(self) -> None:
        self.query_one("#memory").border_title = Content("Memory")
        self.query_one("#voice").border_title = Content("Voice and rules of the writer")
        self.query_one("#draft").border_title = Content("Chapter")

    @property
    def voice(self) -> Cell:
        """Where the writer's voice and rules are written."""
        return self.query_one("#voice", Cell)

    def remember(self, blocks: tuple[Block, ...]) -> None:
        """Show all memory blocks in order."""
        if blocks == self._blocks:
            return
        self._blocks = blocks
        count = f"{len(blocks)} block{'' if len(blocks) == 1 else 's'}" if blocks else ""
        self.query_one("#memory").border_subtitle = Content(count)
        self.query_one("#blocks", Static).update(memory(blocks))

    def count(self) -> None:
        """Show how long the voice is."""
        self.voice.border_subtitle = Content(self.voice.counter)

    # --- drafts -----------------------------------------------------------------------------------------------------

    def keep(self, drafts: tuple[Draft, ...]) -> None:
        """Show the newest draft if there is a new one, or none."""
        if drafts == self._drafts and self.draft == min(self.draft, len(drafts)):
            return
        self._drafts = drafts
        self.open_panel(len(drafts))

    def open_panel(self, number: int) -> None:
        """Show a draft by its number."""
        self.draft = min(max(number, 0), len(self._drafts))
        text = self._drafts[self.draft - 1].chapter_text if self.draft else ""
        self.query_one("#prose", Static).update(prose(text))
        self.query_one("#pages", VerticalScroll).scroll_home(animate=False)
        bar = self.query_one("#drafts", Choices)
        first = max(1, min(self.draft - SHOWN // 2, len(self._drafts) - SHOWN + 1))
        last = min(len(self._drafts), first + SHOWN - 1)
        bar.choices = tuple(Choice(n, f"Draft {n}") for n in range(first, last + 1))
        bar.active = self.draft
        count = f"{words(text):,} words" if text else ""
        self.query_one("#draft").border_subtitle = Content(count)

    def focus_draft(self) -> None:
        """Give the keys to the chapter, so that one can read on; it has more room then."""
        self.query_one("#pages", VerticalScroll).focus()

    def stream(self, text: str) -> None:
        """Show a chapter that is being written."""
        pages = self.query_one("#pages", VerticalScroll)
        at_end = pages.scroll_offset.y >= pages.max_scroll_y
        self.query_one("#prose", Static).update(prose(text))
        self.query_one("#draft").border_subtitle = Content(f"{words(text):,} words")
        if at_end:
            pages.scroll_end(animate=False)

    def shown_again(self) -> None:
        """Show the draft again after something was streamed over it."""
        self.open_panel(self.draft)

    def close(self, *, voice: bool, build: bool, why: str) -> None:
        """Open or close the voice and Build Narrative; `why` stands beside it."""
        self.voice.read_only = not voice
        self.voice.set_class(not voice, "-closed")
        self.query_one("#build", Button).disabled = not build
        self.query_one("#download", Button).disabled = not self.draft
        self.query_one("#hint", Static).update(Content(why))

    def focus_first(self) -> None:
        """Give the keys to the voice."""
        self.voice.focus()
