"""The three tabs of direct mode: setup, scene and chapter. They show a session, and give it what is typed."""

from collections.abc import Iterable

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Button, Static

from theact_tui.agents.direct import notes_text
from theact_tui.engine.direct.session import DirectSession
from theact_tui.story.direct.log import span_text
from theact_tui.story.direct.models import COLORS, ChapterDraft, MemoryBlock, default_name, following, roster
from theact_tui.story.direct.state import NOW, set_chapter, set_identity, set_name, set_world
from theact_tui.story.direct.transcript import BREAK, LogPassage
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


def act_button(label: str, action: str, *, disabled: bool = False) -> Button:
    """A button that does one of the screen's actions."""
    return Button(Content(label), id=action, classes="act", compact=True, disabled=disabled)


class SetupPane(Vertical):
    """Shows a Setup; while it is locked a veil lies over it, and its text can only be read and copied."""

    def __init__(self, session: DirectSession, *, id: str) -> None:
        super().__init__(id=id)
        self._session = session
        self.slot = 1
        """Whose panel is open."""
        self._world = TextCell(id="world", placeholder="What kind of world is it, and what is its tone?")
        self._scene = TextCell(id="scene", placeholder="Where does this chapter start, and what is at stake?")
        self._agent_name = NameCell(id="name")
        self._identity = TextCell(
            id="identity", placeholder="Who is this? What do they want? What would they never do?"
        )
        self._count = AgentCount(id="count")
        self._panels = NumberedChoices(id="setup-panels")
        self._agent = Vertical(self._agent_name, self._identity, self._panels, id="agent", classes="cell")
        self._identity.box = self._agent

    def compose(self) -> ComposeResult:
        yield self._world
        yield self._scene
        yield Horizontal(Static("Characters", markup=False), self._count, id="agents")
        yield self._agent
        yield Horizontal(act_button("Reset Chapter", "reset"), id="reset-row", classes="acts")

    def on_mount(self) -> None:
        self._world.border_title = Content("World, genre and tone")
        self._scene.border_title = Content("Chapter and immediate scene")
        self.fill()

    def fill(self) -> None:
        """Show every text of Setup as it is now."""
        setup = self._session.setup
        self.slot = min(self.slot, setup.count)
        agent = setup.agents[self.slot - 1]
        self._world.fill(setup.world)
        self._scene.fill(setup.chapter)
        self._agent_name.fill(agent.name)
        self._identity.fill(agent.identity)
        self.renew()

    def renew(self) -> None:
        """Show names and outlines again; the texts stay as they are typed."""
        setup = self._session.setup
        self._count.active = setup.count
        self._panels.choices = tuple(agent_panel(n, setup.name_of(n)) for n in roster(setup.count))
        self._panels.active = self.slot
        self._agent.set_classes(f"cell -slot-{self.slot}")
        self._agent.border_title = Content(f"{self.slot} · {COLORS[self.slot - 1]}")
        self._agent_name.placeholder = default_name(self.slot)

    def set_closed(self, locked: bool) -> None:
        """Lay the veil over it, or take it away."""
        self.set_class(locked, "-locked")
        self._count.locked = locked
        self._count.note = "" if locked else "tab: next cell"
        for cell in self.query(TextCell):
            cell.read_only = locked
        self.query_one("#reset-row").display = self._session.session.tab1_locked

    def open_panel(self, number: int) -> None:
        """Show another agent's panel. What was typed must have been told before."""
        if number in roster(self._session.setup.count):
            self.slot = number
            self.fill()

    def store(self) -> None:
        """Let Setup be what stands in the cells. Raises `UsageError`."""
        edit = self._session.edit
        edit(set_world, self._world.text)
        edit(set_chapter, self._scene.text)
        edit(set_name, self.slot, self._agent_name.text)
        edit(set_identity, self.slot, self._identity.text)

    def focus_first(self) -> None:
        """Give the keys to the first cell; to the end of the scene, where that is what is left to write."""
        cell = self._scene if self._session.setup.chapter.endswith(f"{NOW}\n") else self._world
        cell.move_cursor(cell.document.end if cell is self._scene else (0, 0))
        cell.focus()


PROMPT_HINT = "What happens? Enter sends it to this character."
KEPT_SHOWN = 24
"""Characters of the kept words that are shown."""
NOTHING = "Nothing here yet. Type below what happens; the character whose box is open answers."
NOTED = "── notes are taken up to here ──"
"""In place of an empty transcript."""


class ScenePane(Vertical):
    """Transcript and prompt. What is typed for one agent stays while another one's panel is open."""

    def __init__(self, session: DirectSession, *, id: str) -> None:
        super().__init__(id=id)
        self._session = session
        self._told, self._live, self._length = (
            Static(id=id, markup=False) for id in ("told", "live", "length")
        )
        self._transcript = VerticalScroll(self._told, self._live, id="transcript")
        self.cell = PromptCell(id="prompt", placeholder=PROMPT_HINT)
        self._panels = NumberedChoices(id="scene-panels")
        self._end = act_button("End Chapter", "end")
        foot = Horizontal(self._panels, self._end, id="desk-foot")
        self._desk = self.cell.box = Vertical(self.cell, foot, id="desk", classes="cell")
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
        yield self._transcript
        yield self._length
        yield self._desk

    def on_mount(self) -> None:
        self._transcript.anchor()
        self.cell.fill(self.unsent.get(self.slot, ""))
        self.renew()

    # --- transcript -----------------------------------------------------------------------------------------------

    def show_live(self) -> None:
        """Show what follows the transcript: a reply as it comes."""
        passages = self._session.streaming
        lead = BREAK if passages and self._passages else ""
        self._live.update(Content.assemble(lead, script(passages)))
        self._live.display = bool(passages)
        self._told.display = bool(self._passages or not passages)

    @on(PromptCell.LogPaged)
    def paged(self, event: PromptCell.LogPaged) -> None:
        self._transcript.scroll_relative(y=event.pages * (self._transcript.size.height - 1), animate=False)

    # --- panels -----------------------------------------------------------------------------------------------------

    def renew(self) -> None:
        """Show the transcript, and names, outline and colour of the open panel again."""
        session, transcript = self._session.session, self._session.transcript
        if transcript.passages != self._passages:
            self._passages = transcript.passages
            told = script(transcript.passages) if transcript.passages else Content.styled(NOTHING, ".quiet")
            self._told.update(told)
        self._length.update(Content(transcript.counter))
        self.show_live()
        slots = session.selected_agent_slots
        if self.slot not in slots:
            self.slot = slots[0]
        self._panels.choices = tuple(agent_panel(n, session.name_of(n)) for n in slots)
        self._panels.active = self.slot
        self._desk.set_classes(f"cell -slot-{self.slot}")
        name = one_line(session.name_of(self.slot), 50)
        self._desk.border_title = Content(f"{self.slot} · {name} ({COLORS[self.slot - 1]})")

    def open_panel(self, number: int) -> None:
        """Show another agent's panel with what was typed there."""
        if number not in self._session.session.selected_agent_slots:
            return
        self.note()
        self.slot = number
        self.cell.fill(self.unsent.get(number, ""))
        self.cell.move_cursor(self.cell.document.end)
        self.renew()

    def typed_for(self, slot: int) -> str:
        return self.cell.text if slot == self.slot else self.unsent.get(slot, "")

    def write(self, slot: int, text: str) -> None:
        """Replace what is typed for an agent."""
        self.unsent[slot] = text
        if slot == self.slot:
            self.cell.fill(text)

    def note(self) -> None:
        """Keep what is typed for the agent whose panel is open."""
        self.unsent[self.slot] = self.cell.text

    @property
    def next_slot(self) -> int:
        """The agent for whom is kept what is typed while the input is closed."""
        live = self._session.live
        return following(self._session.session.selected_agent_slots, live.slot) if live else self.slot

    def keep_unsent(self) -> None:
        """Let what is typed and not given outlive the program."""
        texts = {**self.unsent, self.slot: self.cell.text}
        if self.kept:
            texts[self.next_slot] = _joined(texts.get(self.next_slot, ""), self.kept)
        self._session.keep_unsent({slot: text for slot, text in texts.items() if text}, self.given)

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
        if self.kept:
            self.cell.move_cursor(self.cell.document.end)
            self.cell.insert(_joined(self.cell.text, self.kept)[len(self.cell.text) :])
            self.kept = ""

    def answered(self, focus: int) -> None:
        """A prompt is in the log: its text goes, and the panel of `focus` opens."""
        given, self.given = self.given, 0
        self.write(given, "")
        self.open_panel(focus)

    def bring_back(self, slot: int, text: str) -> None:
        """Let a prompt stand in its panel again, before what was typed there since."""
        self.open_panel(slot)
        lines = text.split("\n")
        self.cell.fill("\n".join([*lines, self.cell.text] if self.cell.text else lines))
        self.cell.move_cursor((len(lines) - 1, len(lines[-1])))

    def empty(self) -> None:
        """Forget all that was typed."""
        self.unsent.clear()
        self.kept = ""
        self.slot = 1
        self.cell.fill("")
        self.renew()

    def set_closed(self, closed: bool) -> None:
        """Close the input, or open it, with what was typed meanwhile."""
        ended = self._session.session.state in ("ENDED", "NARRATING")
        self._end.disabled = closed
        self.cell.read_only = closed
        self.cell.placeholder = "The chapter has ended." if ended else PROMPT_HINT
        self._desk.set_class(closed, "-closed")
        if not closed:
            self._type_kept()

    def focus_first(self) -> None:
        """Give the keys to the prompt."""
        self.cell.focus()
        self.call_after_refresh(self._transcript.scroll_end, animate=False)


def _joined(text: str, more: str) -> str:
    """Words after others, a blank between them."""
    return text + (" " if text and not text[-1].isspace() else "") + more


VOICE = "How should it be written? Default: third person, past tense."
SHOWN = 6
"""Drafts whose panels are named; older ones are reached by going on from there."""


class ChapterPane(Vertical):
    """Memory blocks, voice, drafts. `draft` is the number of the one shown, 0 while there is none."""

    def __init__(self, session: DirectSession, *, id: str) -> None:
        super().__init__(id=id)
        self._session = session
        self.draft = 0
        self._drafts: tuple[ChapterDraft, ...] = ()
        self._writing: str | None = None
        """The draft in the making, as far as it is written."""
        self._blocks: tuple[MemoryBlock, ...] | None = None
        self._memory = VerticalScroll(Static(id="blocks", markup=False), id="memory", classes="cell")
        self.voice = TextCell(id="voice", placeholder=VOICE)
        self._build = act_button("Build Narrative", "build")
        self._pages = VerticalScroll(Static(id="prose", markup=False), id="pages")
        self._panels = NumberedChoices(id="drafts")
        self._read = act_button("Read", "read", disabled=True)
        self._download = act_button("Download Chapter", "download", disabled=True)
        foot = Horizontal(self._panels, self._read, self._download, id="draft-foot")
        self._box = Vertical(self._pages, foot, id="draft", classes="cell")

    def compose(self) -> ComposeResult:
        yield self._memory
        yield self.voice
        yield Horizontal(self._build, Static("", id="hint", markup=False), classes="acts")
        yield self._box

    def on_mount(self) -> None:
        self._memory.border_title = Content("Notes")
        self.voice.border_title = Content("The writer's voice and rules")
        self._box.border_title = Content("Chapter")

    def renew(self) -> None:
        """Show memory blocks and drafts, whether voice and Build Narrative are open, and what is to be said of it."""
        session, state = self._session, self._session.session.state
        idle, blocks = not session.busy and not session.read_only, session.game.blocks
        if blocks != self._blocks:
            self._blocks = blocks
            count = counted(len(blocks), "note") if blocks else ""
            self._memory.border_subtitle = Content(count)
            self.query_one("#blocks", Static).update(memory(blocks))
        self.show_drafts()
        offline = session.agents.model("chapter").provider == "storyteller"
        self.voice.placeholder = "The offline storyteller uses no voice." if offline else VOICE
        self.voice.read_only = not idle or state not in ("ACTIVE", "ENDED", "SUMMARIZING")
        self.voice.set_class(self.voice.read_only, "-closed")
        self._build.disabled = not idle or state != "ENDED"
        why = "Offline: scenes, in your characters' words." if offline else ""
        why = why if state in ("ENDED", "NARRATING") else "first end the chapter, in Direct with F10"
        self.query_one("#hint", Static).update(Content(why))

    # --- drafts -----------------------------------------------------------------------------------------------------

    @property
    def numbers(self) -> tuple[int, ...]:
        """The drafts that can be looked at; the last one may be in the making."""
        return tuple(range(1, len(self._drafts) + (self._writing is not None) + 1))

    @property
    def kept(self) -> int:
        """The number of the draft that is shown, 0 for none or one in the making."""
        return self.draft if self.draft <= len(self._drafts) else 0

    @property
    def text(self) -> str:
        """The draft that is shown, if it is written."""
        return self._drafts[self.draft - 1].chapter_text if self.kept else ""

    def show_drafts(self) -> None:
        """Show the newest draft if there is a new one, or none."""
        drafts = self._session.game.drafts
        if drafts == self._drafts and self.draft <= len(self.numbers):
            return
        self._drafts = drafts
        self.open_panel(len(drafts))

    def open_panel(self, number: int) -> None:
        """Show a draft by its number."""
        last = len(self.numbers)
        self.draft = min(max(number, 0), last)
        self._show_text(self.text or self._writing or "")
        if self.kept:
            self._pages.scroll_home(animate=False)
        else:
            self._pages.scroll_end(animate=False)
        first = max(1, min(self.draft - SHOWN // 2, last - SHOWN + 1))
        shown = range(first, min(last, first + SHOWN - 1) + 1)
        self._panels.choices = tuple(
            NumberedChoice(n, f"Draft {n}{'' if n <= len(self._drafts) else ' …'}") for n in shown
        )
        self._panels.active = self.draft
        self._download.disabled = self._read.disabled = not self.kept

    def _show_text(self, text: str) -> None:
        self.query_one("#prose", Static).update(prose(text))
        self._box.border_subtitle = Content(counted(words(text), "word") if text else "")

    def focus_draft(self) -> None:
        """Give the keys to the chapter, so that one can read on; it has more room then."""
        self._pages.focus()

    def begin_draft(self) -> None:
        """A draft is being written: show it, until another one is chosen."""
        self._writing = ""
        self.open_panel(len(self.numbers))

    def stream_draft(self, text: str) -> None:
        """The draft in the making reads like this by now."""
        self._writing = text
        if self.kept:
            return
        at_end = self._pages.scroll_offset.y >= self._pages.max_scroll_y
        self._show_text(text)
        if at_end:
            self._pages.scroll_end(animate=False)

    def end_draft(self) -> None:
        """It is written, or will not be."""
        self._writing = None
        self.show_drafts()
        self.open_panel(self.draft)

    def focus_first(self) -> None:
        """Give the keys to the voice."""
        self.voice.focus()


def script(passages: Iterable[LogPassage]) -> Content:
    """Passages two newlines apart: prompts white, replies in their slot's colour."""
    inks = {"prompt": ".typed"}
    return Content(BREAK).join(
        prose(
            NOTED if passage.kind == "dashes" else passage.text,
            f".slot-{passage.slot}" if passage.slot else inks.get(passage.kind, ".quiet"),
        )
        for passage in passages
    )


def memory(blocks: Iterable[MemoryBlock]) -> Content:
    """All blocks in order, the lock first; what is empty in them is left out."""
    parts: list[Content] = []
    for number, block in enumerate(blocks, 1):
        span = span_text(block.from_prompt_index, block.to_prompt_index)
        about = "world and chapter" if block.type == "world_chapter_lock" else span
        text = prose(notes_text(block.json_payload))
        parts.append(Content.assemble((f"Note {number} · {about}\n", ".strong"), text))
    return Content(BREAK).join(parts)


def prose(text: str, ink: str = ".typed") -> Content:
    """A text, word for word."""
    return Content.styled(clean(text).replace("\t", "    "), ink)
