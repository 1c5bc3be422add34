"""Chapter tab: the newest draft set as a page of a story, and the writer's voice below it, behind a key."""

from textual.app import ComposeResult
from textual.containers import Center, Vertical
from textual.content import Content

from theact_tui.engine.direct.session import DirectSession
from theact_tui.story.direct.records import ChapterDraft
from theact_tui.storyteller.direct import BREAK
from theact_tui.text import clean, counted, flat, words
from theact_tui.tui.actions import LEADER_NAME
from theact_tui.tui.blocks import Block, prose_blocks, title_blocks
from theact_tui.tui.direct.fields import LimitedField, NumberedChoice, NumberedChoices
from theact_tui.tui.play.transcript import Transcript
from theact_tui.tui.play.transcript_window import TurnLayout
from theact_tui.tui.visuals import faint, quiet

VOICE = "How should it be written? Default: third person, past tense."
NO_VOICE = "No voice without a model."
_OFFLINE = "F10 sets what was played as prose; no model is needed."
NOT_ENDED = "The chapter is written once it has ended: F10 in Direct."
_SHOWN = 6
"""Number of drafts in the row; F8 reaches older ones."""


def draft_blocks(text: str, slots: dict[str, int]) -> list[Block]:
    """Set a draft: a paragraph that is only a character's name (`slots` by name) becomes a small heading."""
    blocks: list[Block] = []
    is_below_name = False
    for part in clean(text).replace("\t", "    ").split("\n\n"):
        name = part.strip()
        if name in slots:
            blocks.append(Block(Content.styled(flat(name).upper(), f".slot-{slots[name]}")))
        elif name == BREAK:
            blocks.append(Block(faint(BREAK), centred=True))
        else:
            first, *others = prose_blocks(part) or [Block(Content(""))]
            blocks += [Block(first.text, space=0) if is_below_name else first, *others]
        is_below_name = name in slots
    return blocks


class ChapterPane(Vertical):
    """Drafts and voice; `number` is that of the shown draft, 0 for none."""

    def __init__(self, session: DirectSession, *, id: str) -> None:
        super().__init__(id=id)
        self._session = session
        self.number = 0
        self._drafts: tuple[ChapterDraft, ...] = ()
        self._writing: str | None = None
        """Text of the draft in the making; None between builds."""
        self.voice = LimitedField(id="voice", placeholder=VOICE)
        self.pages = Transcript(id="pages")
        self._layout = TurnLayout(1, numbered=False)
        self._numbers = NumberedChoices(id="drafts")

    def compose(self) -> ComposeResult:
        yield self.pages
        yield Center(Vertical(self._numbers, self.voice, id="chapter-foot"), id="chapter-foot-row")

    def on_mount(self) -> None:
        self.voice.border_title = Content("The writer's voice and rules")
        self.set_class(not self._is_offline, "-voice")
        self.pages.show([self._layout], 1)

    def renew(self) -> None:
        session, state = self._session, self._session.session.state
        idle = not session.busy and not session.read_only
        self.show_drafts()
        self.voice.placeholder = NO_VOICE if self._is_offline else VOICE
        self.voice.read_only = not idle or state not in ("ACTIVE", "ENDED")
        self.voice.set_class(self.voice.read_only, "-closed")
        if not self.numbers:
            self._draw()

    @property
    def _is_offline(self) -> bool:
        return self._session.agents.is_scripted("chapter")

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
        last = len(self.numbers)
        self.number = min(max(number, 0), last)
        self._draw()
        self.pages.show([self._layout], 1)
        first = max(1, min(self.number - _SHOWN // 2, last - _SHOWN + 1))
        shown = range(first, min(last, first + _SHOWN - 1) + 1)
        self._numbers.choices = tuple(
            NumberedChoice(n, f"Draft {n}{'' if n <= len(self._drafts) else ' …'}") for n in shown
        )
        self._numbers.active = self.number
        self._numbers.display = last > 1

    def _draw(self) -> None:
        text = self.text or self._writing or ""
        record = self._session.session
        slots = {record.name_of(slot): slot for slot in record.selected_agent_slots}
        count = counted(words(text), "word")
        over = f"draft {self.number} · {count}" if len(self.numbers) > 1 else count
        title = title_blocks(over if text else "the chapter", self._session.name)
        hints = [] if self.numbers else self._hints()
        self._layout.blocks = [*title, *(draft_blocks(text, slots) if text else hints)]
        self.pages.changed(self._layout)

    def _hints(self) -> list[Block]:
        has_ended = self._session.session.state in ("ENDED", "NARRATING")
        steps = [
            (_OFFLINE if self._is_offline else "F10 writes it in the voice below.")
            if has_ended
            else NOT_ENDED,
            f"{LEADER_NAME} m shows the notes it is written from"
            + ("." if self._is_offline else f", {LEADER_NAME} v the writer's voice."),
        ]
        return [Block(quiet(step), centred=True) for step in steps]

    def begin_draft(self) -> None:
        self._writing = ""
        self.set_class(False, "-voice")
        self.choose(len(self.numbers))

    def stream_draft(self, text: str) -> None:
        self._writing = text
        if not self.draft_on_show:
            self._draw()

    def end_draft(self) -> None:
        self._writing = None
        self.show_drafts()
        self.choose(self.number)

    def open_voice(self) -> None:
        self.add_class("-voice")
        self.voice.focus()

    def focus_first(self) -> None:
        """Focus the draft, or the voice where one is wanted before it."""
        (self.pages if self.numbers or not self.has_class("-voice") else self.voice).focus()
