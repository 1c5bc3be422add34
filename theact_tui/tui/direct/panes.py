"""The three tabs of direct mode: setup, scene and chapter. They show values, and tell what was typed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Button, Static, TextArea

from theact_tui.agents.direct_notes import notes_text
from theact_tui.engine.direct.session import DirectSession
from theact_tui.story.direct.log import BREAK, LogPassage, LogTranscript, span_text
from theact_tui.story.direct.models import (
    ChapterDraft,
    MemoryBlock,
    SessionRecord,
    Setup,
    roster,
    slot,
)
from theact_tui.story.direct.state import Changed, set_chapter, set_identity, set_name, set_world
from theact_tui.text import clean, counted, one_line, words
from theact_tui.tui.direct.cells import (
    AgentCount,
    NameCell,
    NumberedChoice,
    NumberedChoices,
    PromptCell,
    TextCell,
    agent_panel,
)
from theact_tui.tui.widgets.containers import Follower

SetupChange = Callable[[SessionRecord, Setup], Changed]
"""A rule of `story.direct.state`, with what was typed."""


class SetupPane(Vertical):
    """Shows a Setup; while it is locked a veil lies over it, and its text can only be read and copied."""

    def __init__(self, session: DirectSession, *, id: str) -> None:
        super().__init__(id=id)
        self._session = session
        self.slot = 1
        """Whose panel is open."""

    def compose(self) -> ComposeResult:
        yield TextCell(id="world", placeholder="What kind of world is it, and what is its tone?")
        yield TextCell(id="scene", placeholder="Where does this chapter start, and what is at stake?")
        with Horizontal(id="agents"):
            yield Static("Agents", markup=False)
            yield AgentCount(id="count")
        with Vertical(id="agent", classes="cell"):
            yield NameCell(id="name")
            yield TextCell(
                id="identity", placeholder="Who is this? What do they want? What would they never do?"
            )
            yield NumberedChoices(id="setup-panels")
        with Horizontal(id="reset-row", classes="acts"):
            yield Button(Content("Reset Chapter"), id="reset", classes="act", compact=True)

    def on_mount(self) -> None:
        self.query_one("#world").border_title = Content("World, genre and tone")
        self.query_one("#scene").border_title = Content("Chapter and immediate scene")
        self.show()

    # --- showing --------------------------------------------------------------------------------------------------

    def show(self) -> None:
        """Show Setup as it is now, every text of it."""
        setup = self._session.setup
        if self.slot > setup.count:
            self.slot = setup.count
        self.query_one("#world", TextCell).fill(setup.world)
        self.query_one("#scene", TextCell).fill(setup.chapter)
        agent = setup.agents[self.slot - 1]
        self.query_one("#name", TextCell).fill(agent.name)
        self.query_one("#identity", TextCell).fill(agent.identity)
        self.show_counters()

    def show_counters(self) -> None:
        """Show counters, names and outlines again; the texts stay as they are typed."""
        setup = self._session.setup
        for outline, cell in (("#world", "#world"), ("#scene", "#scene"), ("#agent", "#identity")):
            self.query_one(outline).border_subtitle = Content(self.query_one(cell, TextCell).counter)
        self.query_one(AgentCount).active = setup.count
        panels = self.query_one("#setup-panels", NumberedChoices)
        panels.choices = tuple(agent_panel(n, setup.name_of(n)) for n in roster(setup.count))
        panels.active = self.slot
        here = slot(self.slot)
        frame = self.query_one("#agent")
        frame.set_classes(f"cell -slot-{self.slot}")
        frame.border_title = Content(f"{self.slot} · {here.color}")
        self.query_one("#name", TextCell).placeholder = here.default_name

    def set_closed(self, locked: bool, resettable: bool) -> None:
        """Lay the veil over it, or take it away."""
        self.set_class(locked, "-locked")
        count = self.query_one(AgentCount)
        count.locked = locked
        count.note = "" if locked else "tab: next cell"
        for cell in self.query(TextCell):
            cell.read_only = locked
        self.query_one("#reset-row").display = resettable

    def open_panel(self, number: int) -> None:
        """Show another agent's panel. What was typed must have been told before."""
        if number in roster(self._session.setup.count):
            self.slot = number
            self.show()

    # --- telling --------------------------------------------------------------------------------------------------

    def typed(self) -> Iterator[SetupChange]:
        """All that stands in the cells, as changes of Setup."""
        yield partial(set_world, text=self.query_one("#world", TextCell).text)
        yield partial(set_chapter, text=self.query_one("#scene", TextCell).text)
        yield partial(set_name, slot=self.slot, name=self.query_one("#name", TextCell).text)
        yield partial(set_identity, slot=self.slot, identity=self.query_one("#identity", TextCell).text)

    def focus_first(self) -> None:
        """Give the keys to the first cell."""
        self.query_one("#world", TextArea).focus()


PROMPT_HINT = "What happens? Enter sends it to this agent."
KEPT_SHOWN = 24
"""Characters of the kept words that are shown."""
NOTHING = "Nothing here yet. Type below what happens; the agent whose panel is open answers."
"""In place of an empty transcript."""


class ScenePane(Vertical):
    """Transcript and prompt. What is typed for one agent stays while another one's panel is open."""

    def __init__(self, session: DirectSession, *, id: str) -> None:
        super().__init__(id=id)
        self._session = session
        self.slot = 1
        """Whose panel is open."""
        self.unsent = session.unsent.texts
        """What was typed for whom, kept up to date by `note`."""
        self.given = 0
        """Whose text is being answered; 0 while nothing that stands here is."""
        self.kept = ""
        """What was typed while the input was closed; it is there when the input opens again."""
        self._passages: tuple[LogPassage, ...] | None = None

    def compose(self) -> ComposeResult:
        with Follower(id="transcript"):
            yield Static(id="told", markup=False)
            yield Static(id="live", markup=False)
        yield Static("0/60,000", id="length", markup=False)
        with Vertical(id="desk", classes="cell"):
            yield PromptCell(id="prompt", placeholder=PROMPT_HINT)
            with Horizontal(id="desk-foot"):
                yield NumberedChoices(id="scene-panels")
                yield Button(Content("End Chapter"), id="end", classes="act", compact=True)

    def on_mount(self) -> None:
        self.query_one("#prompt", TextCell).fill(self.unsent.get(self.slot, ""))
        self.show_panels()

    @property
    def text(self) -> str:
        """What is typed for the agent whose panel is open."""
        return self.query_one("#prompt", TextCell).text

    # --- transcript -----------------------------------------------------------------------------------------------

    def show_log(self, transcript: LogTranscript) -> None:
        """Show the transcript and its length."""
        if transcript.passages != self._passages:
            self._passages = transcript.passages
            told = script(transcript.passages) if transcript.passages else Content.styled(NOTHING, ".quiet")
            self.query_one("#told", Static).update(told)
        self.query_one("#length", Static).update(Content(transcript.counter))

    def show_live(self, passages: Iterable[LogPassage], trouble: str = "") -> None:
        """Show what follows the transcript: a reply as it comes, or why there is none."""
        parts = [script(passages)] if passages else []
        parts += [Content.styled(f"! {one_line(trouble, 600)}", ".bad")] if trouble else []
        lead = Content(BREAK if self._passages else "")
        live = self.query_one("#live", Static)
        live.update(Content.assemble(lead, Content(BREAK).join(parts)) if parts else Content(""))
        live.display = bool(parts)
        self.query_one("#told").display = bool(self._passages) or not parts

    @on(PromptCell.LogPaged)
    def paged(self, event: PromptCell.LogPaged) -> None:
        scroll = self.query_one(Follower)
        scroll.scroll_relative(y=event.pages * (scroll.size.height - 1), animate=False)

    # --- panels -----------------------------------------------------------------------------------------------------

    def show_panels(self) -> None:
        """Show names, outline and colour of the open panel again."""
        session = self._session.session
        slots = session.selected_agent_slots
        if self.slot not in slots:
            self.slot = slots[0]
        bar = self.query_one("#scene-panels", NumberedChoices)
        bar.choices = tuple(agent_panel(n, session.name_of(n)) for n in slots)
        bar.active = self.slot
        desk = self.query_one("#desk")
        desk.set_classes(f"cell -slot-{self.slot}")
        name = one_line(session.name_of(self.slot), 50)
        desk.border_title = Content(f"{self.slot} · {name} ({slot(self.slot).color})")
        self.show_counters()

    def show_counters(self) -> None:
        """Show how long the prompt is."""
        self.query_one("#desk").border_subtitle = Content(self.query_one("#prompt", TextCell).counter)

    def open_panel(self, number: int) -> None:
        """Show another agent's panel with what was typed there."""
        if number not in self._session.session.selected_agent_slots:
            return
        self.note()
        cell = self.query_one("#prompt", TextCell)
        self.slot = number
        cell.fill(self.unsent.get(number, ""))
        cell.move_cursor(cell.document.end)
        self.show_panels()

    def typed_for(self, slot: int) -> str:
        """What is typed for an agent."""
        return self.text if slot == self.slot else self.unsent.get(slot, "")

    def write(self, slot: int, text: str) -> None:
        """Replace what is typed for an agent."""
        self.unsent[slot] = text
        if slot == self.slot:
            self.query_one("#prompt", TextCell).fill(text)

    def note(self) -> None:
        """Keep what is typed for the agent whose panel is open."""
        self.unsent[self.slot] = self.text

    def standing(self, slot: int) -> dict[int, str]:
        """All that is typed and not given; what was typed while the input was closed is for `slot`."""
        texts = {**self.unsent, self.slot: self.text}
        if self.kept:
            texts[slot] = _joined(texts.get(slot, ""), self.kept)
        return {number: text for number, text in texts.items() if text}

    def put_by(self, slot: int) -> bool:
        """Let what was typed while the input was closed wait in this panel; True if that is not the open one."""
        if slot == self.slot:
            self._type_kept()
        elif self.kept:
            self.unsent[slot] = _joined(self.unsent.get(slot, ""), self.kept)
            self.kept = ""
            return True
        return False

    def keep(self, text: str, *, erase: bool = False) -> str:
        """Keep what is typed while the input is closed, or take back its last letter; what is to be said of it."""
        self.kept = self.kept[:-1] if erase else self.kept + text
        tail = self.kept if len(self.kept) <= KEPT_SHOWN else f"…{self.kept[-KEPT_SHOWN:]}"
        return f"kept: {tail}" if self.kept else "your text is kept"

    def _type_kept(self) -> None:
        cell = self.query_one("#prompt", TextCell)
        if self.kept:
            cell.move_cursor(cell.document.end)
            cell.insert(_joined(self.text, self.kept)[len(self.text) :])
            self.kept = ""

    def answered(self, focus: int) -> None:
        """A prompt is in the log: its text goes, and the panel of `focus` opens."""
        given, self.given = self.given, 0
        self.write(given, "")
        self.open_panel(focus)

    def bring_back(self, slot: int, text: str) -> None:
        """Let a prompt stand in its panel again, before what was typed there since."""
        self.open_panel(slot)
        cell = self.query_one("#prompt", TextCell)
        lines = text.split("\n")
        cell.fill("\n".join([*lines, cell.text] if cell.text else lines))
        cell.move_cursor((len(lines) - 1, len(lines[-1])))

    def empty(self) -> None:
        """Forget all that was typed."""
        self.unsent.clear()
        self.kept = ""
        self.slot = 1
        self.query_one("#prompt", TextCell).fill("")
        self.show_panels()

    def set_closed(self, closed: bool, *, ended: bool = False) -> None:
        """Close the input, or open it, with what was typed meanwhile."""
        prompt = self.query_one("#prompt", TextCell)
        prompt.read_only = closed
        prompt.placeholder = "The chapter has ended." if ended else PROMPT_HINT
        self.query_one("#desk").set_class(closed, "-closed")
        if not closed:
            self._type_kept()

    def focus_first(self) -> None:
        """Give the keys to the prompt."""
        self.query_one("#prompt").focus()
        self.call_after_refresh(self.query_one(Follower).scroll_end, animate=False)


def _joined(text: str, more: str) -> str:
    """Words after others, a blank between them."""
    return text + (" " if text and not text[-1].isspace() else "") + more


SHOWN = 6
"""Drafts whose panels are named; older ones are reached by going on from there."""


class ChapterPane(Vertical):
    """Memory blocks, voice, drafts. `draft` is the number of the one shown, 0 while there is none."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.draft = 0
        self._drafts: tuple[ChapterDraft, ...] = ()
        self._writing: str | None = None
        """The draft in the making, as far as it is written."""
        self._blocks: tuple[MemoryBlock, ...] | None = None

    def compose(self) -> ComposeResult:
        with VerticalScroll(id="memory", classes="cell"):
            yield Static(id="blocks", markup=False)
        yield TextCell(id="voice", placeholder="How should it be written? Default: third person, past tense.")
        with Horizontal(classes="acts"):
            yield Button(Content("Build Narrative"), id="build", classes="act", compact=True)
            yield Static("", id="hint", markup=False)
        with Vertical(id="draft", classes="cell"):
            with VerticalScroll(id="pages"):
                yield Static(id="prose", markup=False)
            with Horizontal(id="draft-foot"):
                yield NumberedChoices(id="drafts")
                yield Button(
                    Content("Download Chapter"), id="download", classes="act", compact=True, disabled=True
                )

    def on_mount(self) -> None:
        self.query_one("#memory").border_title = Content("Memory")
        self.query_one("#voice").border_title = Content("The writer's voice and rules")
        self.query_one("#draft").border_title = Content("Chapter")

    @property
    def voice(self) -> TextCell:
        """Where the writer's voice and rules are written."""
        return self.query_one("#voice", TextCell)

    def show_blocks(self, blocks: tuple[MemoryBlock, ...]) -> None:
        """Show all memory blocks in order."""
        if blocks == self._blocks:
            return
        self._blocks = blocks
        count = counted(len(blocks), "block") if blocks else ""
        self.query_one("#memory").border_subtitle = Content(count)
        self.query_one("#blocks", Static).update(memory(blocks))

    def show_counters(self) -> None:
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

    def show_drafts(self, drafts: tuple[ChapterDraft, ...]) -> None:
        """Show the newest draft if there is a new one, or none."""
        if drafts == self._drafts and self.draft <= len(self.numbers):
            return
        self._drafts = drafts
        self.open_panel(len(drafts))

    def open_panel(self, number: int) -> None:
        """Show a draft by its number."""
        last = len(self.numbers)
        self.draft = min(max(number, 0), last)
        self._show_text(self._drafts[self.draft - 1].chapter_text if self.kept else self._writing or "")
        pages = self.query_one("#pages", VerticalScroll)
        if self.kept:
            pages.scroll_home(animate=False)
        else:
            pages.scroll_end(animate=False)
        bar = self.query_one("#drafts", NumberedChoices)
        first = max(1, min(self.draft - SHOWN // 2, last - SHOWN + 1))
        shown = range(first, min(last, first + SHOWN - 1) + 1)
        bar.choices = tuple(
            NumberedChoice(n, f"Draft {n}{'' if n <= len(self._drafts) else ' …'}") for n in shown
        )
        bar.active = self.draft
        self.query_one("#download", Button).disabled = not self.kept

    def _show_text(self, text: str) -> None:
        self.query_one("#prose", Static).update(prose(text))
        self.query_one("#draft").border_subtitle = Content(counted(words(text), "word") if text else "")

    def focus_draft(self) -> None:
        """Give the keys to the chapter, so that one can read on; it has more room then."""
        self.query_one("#pages", VerticalScroll).focus()

    def begin_draft(self) -> None:
        """A draft is being written: show it, until another one is chosen."""
        self._writing = ""
        self.open_panel(len(self.numbers))

    def stream_draft(self, text: str) -> None:
        """The draft in the making reads like this by now."""
        self._writing = text
        if self.kept:
            return
        pages = self.query_one("#pages", VerticalScroll)
        at_end = pages.scroll_offset.y >= pages.max_scroll_y
        self._show_text(text)
        if at_end:
            pages.scroll_end(animate=False)

    def end_draft(self, drafts: tuple[ChapterDraft, ...]) -> None:
        """It is written, or will not be."""
        self._writing = None
        self.show_drafts(drafts)
        self.open_panel(self.draft)

    def set_closed(self, *, voice: bool, build: bool, why: str) -> None:
        """Open or close the voice and Build Narrative; `why` stands beside it."""
        self.voice.read_only = not voice
        self.voice.set_class(not voice, "-closed")
        self.query_one("#build", Button).disabled = not build
        self.query_one("#hint", Static).update(Content(why))

    def focus_first(self) -> None:
        """Give the keys to the voice."""
        self.voice.focus()


def script(passages: Iterable[LogPassage]) -> Content:
    """Passages two newlines apart: prompts white, replies in their slot's colour. Copied, it is the plain transcript."""
    return Content(BREAK).join(_passage(passage) for passage in passages)


def _passage(passage: LogPassage) -> Content:
    text = clean(passage.text).replace("\t", "    ")
    if passage.slot is not None:
        return Content.styled(text, f".slot-{passage.slot}")
    return Content.styled(text, ".typed" if passage.kind == "prompt" else ".quiet")


def memory(blocks: Iterable[MemoryBlock]) -> Content:
    """All blocks in order, the lock first; what is empty in them is left out."""
    return Content(BREAK).join(_block(number, block) for number, block in enumerate(blocks, 1))


def _block(number: int, block: MemoryBlock) -> Content:
    is_lock = block.type == "world_chapter_lock"
    about = "world and chapter" if is_lock else span_text(block.from_prompt_index, block.to_prompt_index)
    text = clean(notes_text(block.json_payload)).replace("\t", "    ")
    return Content.assemble((f"Block {number} · {about}\n", ".strong"), (text, ".typed"))


def prose(text: str) -> Content:
    """A chapter, word for word."""
    return Content.styled(clean(text).replace("\t", "    "), ".typed")
