"""Direct mode on three tabs (S11): Setup, Direct, Chapter. Every step goes through the session, which has the rules."""

from __future__ import annotations

from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.widgets import Button, ContentSwitcher, Static, TextArea

from theact_tui.engine.direct import DirectSession
from theact_tui.engine.direct_example import example
from theact_tui.engine.events import Notice, SaveOpened
from theact_tui.errors import TheActError, UsageError
from theact_tui.story.direct.moves import RESET_WARNING
from theact_tui.story.direct.setup import fill, set_count
from theact_tui.story.direct.slots import following
from theact_tui.text import one_line
from theact_tui.tui.acts import bindings
from theact_tui.tui.screens.direct_acts import DIRECT_ACTS, HELP
from theact_tui.tui.screens.direct_asks import LOCK_QUESTION, Consent
from theact_tui.tui.screens.direct_can import CHAPTER, DIRECT, NAMES, SETUP, can
from theact_tui.tui.screens.direct_closed import TypingPage
from theact_tui.tui.screens.direct_inks import DIRECT_INKS
from theact_tui.tui.screens.direct_show import Show
from theact_tui.tui.screens.direct_typed import take_over
from theact_tui.tui.screens.edits import EditsSheet
from theact_tui.tui.screens.opened import WAY_OUT
from theact_tui.tui.widgets.direct_bars import Choices, Tabs
from theact_tui.tui.widgets.direct_cell import Cell, PromptCell
from theact_tui.tui.widgets.direct_chapter import ChapterPane
from theact_tui.tui.widgets.direct_scene import ScenePane
from theact_tui.tui.widgets.direct_setup import SetupPane
from theact_tui.tui.widgets.keyline import KeyLine
from theact_tui.tui.widgets.masthead import Rule
from theact_tui.tui.widgets.statusline import StatusLine


class DirectScreen(TypingPage):
    """One open direct session, which is closed when the screen is left."""

    CSS_PATH = "direct.tcss"
    inks = DIRECT_INKS
    ACTS = DIRECT_ACTS
    BINDINGS = [
        *bindings(DIRECT_ACTS),
        WAY_OUT,
        Binding("ctrl+c,super+c", "screen.copy_text", "copy", show=False),
    ]
    HELP: ClassVar[str] = HELP
    HELP_TITLE: ClassVar[str] = "Directing a chapter"

    def __init__(self, session: DirectSession, *, cursor_blink: bool = True) -> None:
        super().__init__()
        self.add_class("directed")
        self.session = session
        self.tab = SETUP
        """The tab one sees, from 1."""
        self._cursor_blink = cursor_blink

    def compose(self) -> ComposeResult:
        yield Tabs(id="tabs")
        yield Rule(id="rule")
        yield Static(id="banner", markup=False)
        with ContentSwitcher(id="panes", initial="setup"):
            yield SetupPane(lambda: self.session.setup, id="setup")
            yield ScenePane(lambda: self.session.session, self.session.unsent.texts, id="direct")
            yield ChapterPane(id="chapter")
        yield Static(id="trouble", markup=False)
        yield StatusLine(id="status")
        yield KeyLine()

    def on_mount(self) -> None:
        self.show = Show(self)
        for cell in self.query(Cell):
            cell.cursor_blink = self._cursor_blink
        self.show.refill()
        self.show.scene.open_panel(self.session.focus)
        state = self.session.session.state
        self.turn_to(SETUP if state == "DRAFT" else CHAPTER if state == "ENDED" else DIRECT)
        self._follow()
        self._ask_about_edits()
        self._tell_of_words()

    def on_resize(self) -> None:
        self.show.soon()

    def _tell_of_words(self) -> None:
        """Say where what was typed before waits, if it is not in sight."""
        session = self.session.session
        slots = sorted(slot for slot, text in self.session.unsent.texts.items() if text)
        hidden = [slot for slot in slots if slot != self.show.scene.slot]
        if slots and session.state == "DRAFT":
            self.tell("What you typed before is kept for your first prompt.")
        elif hidden and session.state == "ACTIVE":
            names = " and ".join(one_line(session.name_of(slot), 40) for slot in hidden)
            self.tell(f"What you typed before waits in the panel of {names}.")

    @work(group="asking")
    async def _ask_about_edits(self) -> None:
        """Files changed by hand outside: ask what becomes of them."""
        if await self.session.hand_edits():
            await self.app.push_screen_wait(EditsSheet(self.session))

    @work(group="events")
    async def _follow(self) -> None:
        """Show what the session tells; of the past, only what was said while it was being opened."""
        here = self.session.bus.newest
        unlisten = self.session.bus.listen(self.show.at_once)
        stream = self.session.bus.stream(backlog=True)
        try:
            async for event in stream:
                if event.seq > here or isinstance(event, SaveOpened | Notice):
                    self.show.take(event)
        finally:
            unlisten()
            stream.close()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what can be done now."""
        return can(action, parameters, self)

    # --- what is typed ----------------------------------------------------------------------------------------------

    @on(TextArea.Changed)
    def typed(self, event: TextArea.Changed) -> None:
        self.absorb()

    def absorb(self) -> None:
        """Give the session everything that stands in the cells of Setup and voice."""
        show = self.show
        try:
            take_over(self.session, show.setup.typed(), show.chapter.voice)
        except UsageError as error:
            show.trouble = error.message
            show.renew()
        show.setup.count()
        show.scene.count()
        show.chapter.count()
        self.remember()
        self.refresh_bindings()

    @property
    def next_asked(self) -> int:
        """Whose is what is typed while the input is closed."""
        live = self.session.live
        return (
            following(self.session.session.selected_agent_slots, live.slot) if live else self.show.scene.slot
        )

    def remember(self) -> None:
        """Let what is typed and not given outlive the program."""
        scene = self.show.scene
        self.session.unsent.keep(scene.standing(self.next_asked), scene.given)

    @on(Cell.Full)
    def refused(self, event: Cell.Full) -> None:
        self.show.status.warning = (
            f"This cell holds {event.limit:,} characters; {event.refused:,} more did not go in."
        )
        self.app.bell()

    def on_descendant_blur(self) -> None:
        """Commit what was typed when the cell is left."""
        if self.session.phase == "idle" and not self.busy:
            self.run_worker(self._keep(), group="keep", exclusive=False)

    async def _keep(self) -> None:
        try:
            await self.session.keep()
        except TheActError as error:
            self.show.trouble = error.message
            self.show.renew()

    # --- tabs and panels --------------------------------------------------------------------------------------------

    def action_tab(self, number: int) -> None:
        """Go to a tab; while Setup is open this asks to lock it first."""
        self.absorb()
        if NAMES[number] in self.session.tabs:
            self.turn_to(number)
        elif number == CHAPTER or self.session.phase != "idle":
            self.typed_aside(tab=number)
        else:
            self.action_lock()

    def turn_to(self, number: int) -> None:
        """Show a tab, and give the keys to its cell."""
        self.tab = number
        self.query_one(ContentSwitcher).current = NAMES[number]
        pane = (self.show.setup, self.show.scene, self.show.chapter)[number - 1]
        pane.focus_first()
        self.show.renew()

    def action_turn_tab(self, by: int) -> None:
        self.action_tab((self.tab - 1 + by) % 3 + 1)

    @work(group="asking", exclusive=True)
    async def action_lock(self) -> None:
        """Ask, then let the play begin."""
        if not await self.app.push_screen_wait(Consent("Lock Setup and begin to direct?", LOCK_QUESTION)):
            return
        self.show.setup.close(True, resettable=False)
        if await self.guard(self.session.lock()):
            self.show.refill()
            self.turn_to(DIRECT)
        else:
            self.show.setup.focus_first()

    @property
    def panels(self) -> tuple[int, ...]:
        """Numbers of the panels of this tab."""
        match self.tab:
            case 3:
                return self.show.chapter.numbers
            case _:
                return self.session.session.selected_agent_slots

    def action_panel(self, number: int) -> None:
        """Open a panel of this tab's cell."""
        self.absorb()
        pane = (self.show.setup, self.show.scene, self.show.chapter)[self.tab - 1]
        pane.open_panel(number)
        if self.tab == DIRECT:
            pane.focus_first()
        self.refresh_bindings()

    def action_turn_panel(self, by: int) -> None:
        """Open the next panel, after the last the first."""
        here = (self.show.setup.slot, self.show.scene.slot, self.show.chapter.draft)[self.tab - 1]
        panels = self.panels
        self.action_panel(panels[(panels.index(here) + by) % len(panels)])

    @on(Choices.Chosen)
    def chosen(self, event: Choices.Chosen) -> None:
        match event.bar.id:
            case "tabs":
                self.action_tab(event.number)
            case "count":
                self.absorb()
                self.session.edit(set_count, event.number)
                self.show.setup.show()
                self.show.scene.panels()
                self.refresh_bindings()
            case _:
                self.action_panel(event.number)

    # --- acts -------------------------------------------------------------------------------------------------------

    @on(Button.Pressed)
    async def pressed(self, event: Button.Pressed) -> None:
        await self.run_action(str(event.button.id))

    @on(PromptCell.Given)
    def action_give(self) -> None:
        """Prompt the agent whose panel is open; its text stays until it is answered."""
        scene = self.show.scene
        if scene.query_one(PromptCell).read_only:
            self.typed_aside()
        elif self.session.phase == "idle" and not self.busy and scene.text.strip():
            scene.given = scene.slot
            scene.close(True)
            self.remember()
            self.do(self.session.prompt(scene.slot, scene.text))

    def action_stop(self) -> None:
        self.run_worker(self.session.stop(), group="stopping")

    def action_example(self) -> None:
        self.session.edit(fill, example().setup)
        self.show.refill()

    def action_end(self) -> None:
        self.do(self._end())

    async def _end(self) -> None:
        await self.session.end()
        self.turn_to(CHAPTER)

    def action_build(self) -> None:
        self.absorb()
        self.do(self.session.build())

    def action_download(self) -> None:
        self.do(self._download())

    async def _download(self) -> None:
        path = await self.session.download(number=self.show.chapter.kept or None)
        self.tell(f"Written to {path}")

    @work(group="asking", exclusive=True)
    async def action_reset(self) -> None:
        """Warn, then empty all three tabs."""
        if await self.app.push_screen_wait(Consent("Reset Chapter", RESET_WARNING, safe=True)):
            await self.guard(self.session.reset())

    async def release(self) -> None:
        """Stop what runs, commit what was typed and let the save go."""
        self.absorb()
        self.show.scene.put_by(self.next_asked)
        self.show.scene.note()
        await self.guard(self.session.close())
