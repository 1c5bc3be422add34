"""Chapter tab: notes, the writer's voice, drafts."""

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from theact_tui.engine.direct.session import DirectSession
from theact_tui.story.direct.records import ChapterDraft, MemoryBlock
from theact_tui.text import clean, counted, words
from theact_tui.tui.direct.fields import LimitedField, NumberedChoice, NumberedChoices, act_button
from theact_tui.tui.direct.notes import note_rows
from theact_tui.tui.visuals import page

VOICE = "How should it be written? Default: third person, past tense."
NO_VOICE = "No voice without a model."
OFFLINE = "Without a model: what was played, as prose."
SHOWN = 6
"""Number of drafts in the row; F8 reaches older ones."""


class ChapterPane(Vertical):
    """Notes, voice and drafts; `number` is that of the shown draft, 0 for none."""

    def __init__(self, session: DirectSession, *, id: str) -> None:
        super().__init__(id=id)
        self._session = session
        self.number = 0
        self._drafts: tuple[ChapterDraft, ...] = ()
        self._writing: str | None = None
        """Text of the draft in the making; None between builds."""
        self._notes: tuple[MemoryBlock, ...] | None = None
        self._notes_field = VerticalScroll(Static(id="all-notes"), id="notes-field", classes="field")
        self.voice = LimitedField(id="voice", placeholder=VOICE)
        self._build = act_button("Build Narrative", "build")
        self._pages = VerticalScroll(Static(id="prose", markup=False), id="pages")
        self._numbers = NumberedChoices(id="drafts")
        self._read = act_button("Read", "read", disabled=True)
        self._download = act_button("Download Chapter", "download", disabled=True)
        foot = Horizontal(self._numbers, self._read, self._download, id="draft-foot")
        self._chapter = Vertical(self._pages, foot, id="draft", classes="field")

    def compose(self) -> ComposeResult:
        yield self._notes_field
        yield self.voice
        yield Horizontal(self._build, Static("", id="hint", markup=False), classes="acts")
        yield self._chapter

    def on_mount(self) -> None:
        self._notes_field.border_title = Content("Notes")
        self.voice.border_title = Content("The writer's voice and rules")
        self._chapter.border_title = Content("Chapter")

    def renew(self) -> None:
        """Draw notes and drafts, and open or close voice and Build Narrative."""
        session, state = self._session, self._session.session.state
        idle, notes = not session.busy and not session.read_only, session.game.blocks
        if notes != self._notes:
            self._notes = notes
            self.query_one("#all-notes", Static).update(page(*map(note_rows, notes)))
        self.show_drafts()
        offline = session.agents.model("chapter").provider == "storyteller"
        self.voice.placeholder = NO_VOICE if offline else VOICE
        self.voice.read_only = not idle or state not in ("ACTIVE", "ENDED")
        self.voice.set_class(self.voice.read_only, "-closed")
        self._build.disabled = not idle or state != "ENDED"
        why = OFFLINE if offline else ""
        why = why if state in ("ENDED", "NARRATING") else "first end the chapter, in Direct with F10"
        self.query_one("#hint", Static).update(Content(why))

    # --- drafts -----------------------------------------------------------------------------------------------------

    @property
    def numbers(self) -> tuple[int, ...]:
        """Numbers of the drafts; the last may be in the making."""
        return tuple(range(1, len(self._drafts) + (self._writing is not None) + 1))

    @property
    def draft_on_show(self) -> int:
        """Number of the shown draft, 0 for none or one in the making."""
        return self.number if self.number <= len(self._drafts) else 0

    @property
    def text(self) -> str:
        """Text of the shown draft, if it is finished."""
        return self._drafts[self.number - 1].chapter_text if self.draft_on_show else ""

    def show_drafts(self) -> None:
        """Show the newest draft, unless it is shown already."""
        drafts = self._session.game.drafts
        if drafts == self._drafts and self.number <= len(self.numbers):
            return
        self._drafts = drafts
        self.choose(len(drafts))

    def choose(self, number: int) -> None:
        """Show a draft by its number."""
        last = len(self.numbers)
        self.number = min(max(number, 0), last)
        self._show_text(self.text or self._writing or "")
        if self.draft_on_show:
            self._pages.scroll_home(animate=False)
        else:
            self._pages.scroll_end(animate=False)
        first = max(1, min(self.number - SHOWN // 2, last - SHOWN + 1))
        shown = range(first, min(last, first + SHOWN - 1) + 1)
        self._numbers.choices = tuple(
            NumberedChoice(n, f"Draft {n}{'' if n <= len(self._drafts) else ' …'}") for n in shown
        )
        self._numbers.active = self.number
        self._download.disabled = self._read.disabled = not self.draft_on_show

    def _show_text(self, text: str) -> None:
        self.query_one("#prose", Static).update(Content(clean(text).replace("\t", "    ")))
        self._chapter.border_subtitle = Content(counted(words(text), "word") if text else "")

    def focus_draft(self) -> None:
        """Focus the draft, which then has more room."""
        self._pages.focus()

    def page_down(self) -> None:
        self._pages.scroll_page_down(animate=False)

    def begin_draft(self) -> None:
        self._writing = ""
        self.choose(len(self.numbers))

    def stream_draft(self, text: str) -> None:
        self._writing = text
        if self.draft_on_show:
            return
        at_end = self._pages.scroll_offset.y >= self._pages.max_scroll_y
        self._show_text(text)
        if at_end:
            self._pages.scroll_end(animate=False)

    def end_draft(self) -> None:
        self._writing = None
        self.show_drafts()
        self.choose(self.number)

    def focus_first(self) -> None:
        """Focus the voice."""
        self.voice.focus()
