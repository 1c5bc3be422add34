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
        self._writing: str | None = None
        """The draft in the making, as far as it is written."""
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
                yield Button(
                    Content("Download Chapter"), id="download", classes="act", compact=True, disabled=True
                )

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

    @property
    def numbers(self) -> tuple[int, ...]:
        """The drafts that can be looked at; the last one may be in the making."""
        return tuple(range(1, len(self._drafts) + (self._writing is not None) + 1))

    @property
    def kept(self) -> int:
        """The number of the draft that is shown, 0 for none or one in the making."""
        return self.draft if self.draft <= len(self._drafts) else 0

    def keep(self, drafts: tuple[Draft, ...]) -> None:
        """Show the newest draft if there is a new one, or none."""
        if drafts == self._drafts and self.draft <= len(self.numbers):
            return
        self._drafts = drafts
        self.open_panel(len(drafts))

    def open_panel(self, number: int) -> None:
        """Show a draft by its number."""
        last = len(self.numbers)
        self.draft = min(max(number, 0), last)
        self._tell(self._drafts[self.draft - 1].chapter_text if self.kept else self._writing or "")
        pages = self.query_one("#pages", VerticalScroll)
        if self.kept:
            pages.scroll_home(animate=False)
        else:
            pages.scroll_end(animate=False)
        bar = self.query_one("#drafts", Choices)
        first = max(1, min(self.draft - SHOWN // 2, last - SHOWN + 1))
        shown = range(first, min(last, first + SHOWN - 1) + 1)
        bar.choices = tuple(Choice(n, f"Draft {n}{'' if n <= len(self._drafts) else ' …'}") for n in shown)
        bar.active = self.draft
        self.query_one("#download", Button).disabled = not self.kept

    def _tell(self, text: str) -> None:
        self.query_one("#prose", Static).update(prose(text))
        self.query_one("#draft").border_subtitle = Content(f"{words(text):,} words" if text else "")

    def focus_draft(self) -> None:
        """Give the keys to the chapter, so that one can read on; it has more room then."""
        self.query_one("#pages", VerticalScroll).focus()

    def begin(self) -> None:
        """A draft is being written: show it, until another one is chosen."""
        self._writing = ""
        self.open_panel(len(self.numbers))

    def stream(self, text: str) -> None:
        """The draft in the making reads like this by now."""
        self._writing = text
        if self.kept:
            return
        pages = self.query_one("#pages", VerticalScroll)
        at_end = pages.scroll_offset.y >= pages.max_scroll_y
        self._tell(text)
        if at_end:
            pages.scroll_end(animate=False)

    def end(self, drafts: tuple[Draft, ...]) -> None:
        """It is written, or will not be."""
        self._writing = None
        self.keep(drafts)
        self.open_panel(self.draft)

    def close(self, *, voice: bool, build: bool, why: str) -> None:
        """Open or close the voice and Build Narrative; `why` stands beside it."""
        self.voice.read_only = not voice
        self.voice.set_class(not voice, "-closed")
        self.query_one("#build", Button).disabled = not build
        self.query_one("#hint", Static).update(Content(why))

    def focus_first(self) -> None:
        """Give the keys to the voice."""
        self.voice.focus()
