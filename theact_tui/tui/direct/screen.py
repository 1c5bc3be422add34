"""The direct screen: three tabs over one directed chapter, what is typed into them, and what the keys do."""

from collections.abc import Awaitable, Callable
from contextlib import closing
from functools import partial
from typing import ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.containers import Center, Horizontal, Vertical
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Button, ContentSwitcher, Static, TextArea

from theact_tui.engine import events as e
from theact_tui.engine.direct.example import example
from theact_tui.engine.direct.session import DirectSession
from theact_tui.errors import CallError, SaveError, UsageError
from theact_tui.exports.write_file import export_save
from theact_tui.story.direct.models import AGENTS_MAX, roster
from theact_tui.story.direct.state import RESET_WARNING, DirectGame, fill, set_count, set_voice
from theact_tui.story.direct.transcript import DASHES
from theact_tui.text import clean, one_line
from theact_tui.tui.actions import LEADER_NAME, bindings
from theact_tui.tui.branches.screen import BranchesScreen
from theact_tui.tui.direct.chapter import ChapterPane, ReadingScreen
from theact_tui.tui.direct.chapter_source import ChapterSource
from theact_tui.tui.direct.fields import (
    AskingBox,
    CharacterCount,
    DirectTabs,
    LimitedField,
    NumberedChoice,
    NumberedChoices,
    character_choice,
)
from theact_tui.tui.direct.keys import (
    CHAPTER_TAB,
    DIRECT_ACTIONS,
    DIRECT_TAB,
    HELP,
    NEEDS,
    SETUP_TAB,
    TAB_NAMES,
    why_closed,
    why_no_reset,
    why_no_tab,
    why_not,
)
from theact_tui.tui.direct.notes import NotesPanel
from theact_tui.tui.direct.presenter import DirectPresenter
from theact_tui.tui.direct.script import SUMMARISED
from theact_tui.tui.direct.setup import SetupPane, act_button
from theact_tui.tui.play.find_bar import FindBar
from theact_tui.tui.play.transcript import Transcript
from theact_tui.tui.play.writing_box import PromptTextArea
from theact_tui.tui.widgets.base_screen import COPY
from theact_tui.tui.widgets.dialogs import ConfirmDialog, FormDialog, FormField, ask_format, exported
from theact_tui.tui.widgets.footer import Footer
from theact_tui.tui.widgets.header import Rule
from theact_tui.tui.widgets.inputs import LineField
from theact_tui.tui.widgets.session_screen import WAY_OUT, SessionScreen
from theact_tui.tui.widgets.status_line import StatusLine

KEEP_SECONDS = 2.0
"""So long after the last key what was typed into Setup or voice is committed."""
TABS_CELLS, NAME_CELLS = 34, 8
"""Cells that the tabs take with the space around them; a name that would have fewer than the second is left out."""
LOCK_QUESTION = (
    "World, scene and characters cannot be edited afterwards. Until the first prompt, undo unlocks them."
)
END_QUESTION = "The chapter closes: no more prompts. Undo reopens it."
LEAVE_QUESTION = "Leaving stops the writing, and this draft is lost."
STATES = {"DRAFT": "not locked yet", "ENDED": "ended", "NARRATING": "ended"}
"""What is said of a state above the page; of the others nothing."""


class DirectScreen(SessionScreen):
    """One open direct session, which is closed when the screen is left. Nothing typed is lost when an action fails."""

    CSS_PATH = "screen.tcss"
    ACTIONS = DIRECT_ACTIONS
    BINDINGS = [*bindings(DIRECT_ACTIONS), WAY_OUT, COPY]
    HELP: ClassVar[str] = HELP
    HELP_TITLE: ClassVar[str] = "Directing a chapter"

    def __init__(
        self, session: DirectSession, *, cursor_blink: bool = True, glow_seconds: float = 4.0
    ) -> None:
        super().__init__()
        self.session: DirectSession = session
        self.tab = SETUP_TAB
        """The tab one sees, from 1."""
        self._cursor_blink = cursor_blink
        self._tabs = DirectTabs(id="tabs")
        self._banner = Static(id="banner", markup=False)
        self.setup = SetupPane(session, id="setup")
        self.transcript = Transcript(id="direct")
        self.chapter = ChapterPane(session, id="chapter")
        self._switcher = ContentSwitcher(
            self.setup, self.transcript, self.chapter, id="panes", initial="setup"
        )
        self._characters = NumberedChoices(id="characters")
        self._length = Static(id="length", markup=False)
        self._end_button = act_button("End Chapter", "end")
        self._find = FindBar(id="find")
        self.prompt = AskingBox(id="prompt")
        self.panel = NotesPanel(session, glow_seconds, id="panel")
        self._status = StatusLine(id="status")
        self.presenter = DirectPresenter(
            session, self.transcript, self.panel, self._status, self.prompt, self.chapter
        )
        self._performing = 0
        self.is_stale = False
        """Something changed that is not drawn yet."""
        self._pause: Timer | None = None
        """Runs while something typed waits to be committed."""
        self._reworded: tuple[int, str] | None = None
        """The slot whose last prompt was taken back to be edited, and what stood in the box before."""
        self.followed: DirectGame | None = None
        """The chapter that the next one is to follow, once the screen is left."""

    def compose(self) -> ComposeResult:
        yield self._tabs
        yield Rule(id="rule")
        yield self._banner
        with Horizontal(id="body"):
            with Vertical(id="stage"):
                yield self._switcher
                with Center(id="foot-row"), Vertical(id="foot"):
                    yield self._status
                    yield self._find
                    yield Horizontal(self._characters, self._length, self._end_button, id="asking")
                    yield self.prompt
            yield self.panel
        yield Footer()

    def on_mount(self) -> None:
        for field in self.query(TextArea):
            field.cursor_blink = self._cursor_blink
        self._find.query_one(LineField).cursor_blink = self._cursor_blink
        self._find.loader = self.presenter.loader
        self.prompt.remember(event.text for event in self.session.game.events if event.role == "user")
        self.offer_unsent()
        self.refill()
        tabs = {"DRAFT": SETUP_TAB, "ENDED": CHAPTER_TAB}
        self.open_tab(tabs.get(self.session.session.state, DIRECT_TAB))
        self.watch(self.transcript, "following", self._following_changed)
        self._begin()
        self.ask_about_edits(self.session)

    def _following_changed(self, following: bool) -> None:
        self.status.more = not following and self.tab == DIRECT_TAB
        self.refresh_bindings()

    def get_selected_text(self) -> str | None:
        """What is copied; the line up to which notes were taken is the dashes of the log there."""
        text = super().get_selected_text()
        return text.replace(SUMMARISED, DASHES) if text else text

    # --- the session ------------------------------------------------------------------------------------------------

    @property
    def busy(self) -> bool:
        """Something that was asked for is being done."""
        return self._performing > 0

    @work(group="events")
    async def _begin(self) -> None:
        """Show the log, and what the session tells; of the past, only what was said while it was being opened."""
        here = self.session.bus.newest
        with closing(self.session.bus.stream(backlog=True)) as stream:
            await self.presenter.reload()
            async for event in stream:
                if event.seq > here or isinstance(event, e.SaveOpened | e.Notice):
                    await self._show(event)

    async def _show(self, event: e.Event) -> None:
        self.presenter.show(event)
        match event:
            case e.ActorToken() | e.ChapterToken():
                return
            case e.BuildStarted() if self.tab == CHAPTER_TAB:
                self.chapter.focus_draft()
            case e.SessionReset(archived=archived):
                self.prompt.write("")
                self.open_tab(SETUP_TAB)
                self.status.hint = f"New chapter. The old one is kept as {archived}."
            case e.Undone() | e.Redone() | e.BranchSwitched() | e.Edited():
                if self.session.session.state == "DRAFT":
                    self.open_tab(SETUP_TAB)
                elif self.tab == CHAPTER_TAB and self.session.session.state == "ACTIVE":
                    self.open_tab(DIRECT_TAB)
        if isinstance(event, e.PromptSaved | e.PromptFailed):
            self.keep_unsent()
        if isinstance(event, e.PromptSaved | e.BranchSwitched | e.SessionReset):
            self._reworded = None
        if isinstance(event, e.Undone | e.Redone | e.BranchSwitched | e.Edited | e.SessionReset):
            self.refill()
            await self.presenter.reload()
        await self.presenter.mark_reach()
        self.renew_soon()

    @work(group="deeds")
    async def perform(self, act: Callable[[], Awaitable[object]]) -> None:
        """Do something in the background."""
        await self.guarded(self.ask_first(self.session, act))

    async def guarded(self, act: Awaitable[object]) -> bool:
        """Do something and say what went wrong; true if nothing did."""
        self._performing += 1
        self.status.warning = self.status.hint = ""
        try:
            return await super().guarded(act)
        finally:
            self._performing -= 1
            self.renew_soon()

    def show_error(self, error: Exception) -> None:
        if isinstance(error, CallError) and error.kind == "stopped":  # as it was asked for
            self.presenter.say(error.message)
        else:
            super().show_error(error)

    def edits_adopted(self) -> None:
        self.refill()

    async def may_leave(self) -> bool:
        building = self.session.session.state == "NARRATING"
        return not building or await self._confirmed(
            "Leave while the chapter is being written?", LEAVE_QUESTION
        )

    async def release(self) -> None:
        """Stop what runs, commit what was typed and let the save go."""
        self.absorb()
        await self.guarded(self.session.close())

    # --- drawing ----------------------------------------------------------------------------------------------------

    def renew_soon(self) -> None:
        """Draw everything when the events that are waiting were taken."""
        if not self.is_stale:
            self.is_stale = True
            self.call_later(self._renew_stale)

    def _renew_stale(self) -> None:
        if self.is_stale and self in self.app.screen_stack:
            self.renew()

    def renew(self) -> None:
        """Draw everything that depends on the session's state."""
        self.is_stale = False
        session, record = self.session, self.session.session
        is_idle = not session.busy and not session.read_only
        self._draw_tabs()
        self._banner.set_class(bool(session.banner), "-on")
        self._banner.update(Content(f"! {one_line(session.banner, 500)}"))
        self.setup.set_closed(record.state != "DRAFT" or not is_idle)
        self.setup.renew()
        self.chapter.renew()
        self.panel.draw()
        slot, slots = self.presenter.slot, record.selected_agent_slots
        self._characters.choices = tuple(character_choice(n, record.name_of(n)) for n in slots)
        self._characters.active = slot
        self.prompt.ask(slot, record.name_of(slot))
        has_ended = record.state in ("ENDED", "NARRATING")
        self.prompt.writing.read_only = has_ended or session.read_only
        self.prompt.writing.placeholder = Content("The chapter has ended." if has_ended else "What happens?")
        self._length.update(Content(session.transcript.counter))
        self._end_button.disabled = not is_idle or record.state != "ACTIVE"
        self.presenter.draw_status()
        self.refresh_bindings()

    def refill(self) -> None:
        """Show the session's texts again: it is another one now, or an older one."""
        self.setup.fill()
        self.chapter.voice.fill(self.session.game.voice)
        self.renew()

    def on_resize(self) -> None:
        self.renew_soon()

    def _draw_tabs(self) -> None:
        session = self.session
        names = ((SETUP_TAB, "Setup"), (DIRECT_TAB, "Direct"), (CHAPTER_TAB, "Chapter"))
        self._tabs.choices = tuple(
            NumberedChoice(n, name, open=TAB_NAMES[n] in session.tabs) for n, name in names
        )
        self._tabs.active = self.tab
        facts = (
            STATES.get(session.session.state, ""),
            f"prompt {session.session.prompt_index}" if session.session.tab1_locked else "",
            "read only" if session.read_only else "",
        )
        note = " · ".join(fact for fact in facts if fact)
        branch = "" if session.branch_title == "main" else one_line(session.branch_title, 24)
        for name in (branch, one_line(session.name, 200)):
            room = self.app.size.width - TABS_CELLS - Content(note).cell_length
            if name and room >= NAME_CELLS:
                note = f"{Content(name).truncate(room, ellipsis=True)} · {note}"
        self._tabs.note = note

    # --- what is typed ----------------------------------------------------------------------------------------------

    @on(TextArea.Changed)
    def absorb(self) -> None:
        """Give the session everything that stands in the fields of Setup and voice, as far as they are open."""
        session, voice = self.session, self.chapter.voice
        try:
            if session.session.state == "DRAFT" and not session.save.read_only:
                self.setup.store()
            if voice.text != session.game.voice and not voice.read_only:
                session.edit(set_voice, voice.text)
        except UsageError as error:
            self.show_error(error)
        self.setup.renew()
        self.keep_unsent()
        self.refresh_bindings()
        if self._pause:
            self._pause.stop()
        self._pause = self.set_timer(KEEP_SECONDS, self.keep_typed)

    @on(LimitedField.Full)
    def text_refused(self, event: LimitedField.Full) -> None:
        self.status.warning = f"The limit is {event.limit:,} characters; {event.refused:,} were dropped."
        self.app.bell()

    @on(events.DescendantBlur)
    def keep_typed(self) -> None:
        """Commit what was typed: when its field or character is left, and soon after the last key."""
        if not self.session.busy and not self.busy:
            self.run_worker(super().guarded(self.session.commit_pending_edits()), group="keep")

    def keep_unsent(self) -> None:
        """Let what is typed and not answered outlive the program."""
        asked, text = self.presenter.sent
        texts = {asked: text, self.presenter.slot: self.prompt.text}
        if asked == self.presenter.slot and text not in texts[asked]:
            texts[asked] = f"{text}\n{texts[asked]}".strip()
        self.session.keep_unsent({slot: text for slot, text in texts.items() if text}, asked)

    def offer_unsent(self) -> None:
        """Put back what was typed before the program ended; of several texts ↑ brings the others."""
        texts = {slot: text for slot, text in self.session.unsent.texts.items() if text}
        if not texts:
            return
        slot = self.presenter.slot if self.presenter.slot in texts else min(texts)
        self.presenter.chosen = slot
        self.prompt.remember(text for other, text in texts.items() if other != slot)
        self.prompt.offer(texts[slot])
        if len(texts) > 1:
            self.presenter.say("↑ brings back what else you typed.")

    def on_key(self, event: events.Key) -> None:
        """A letter that the focused field did not take is meant for the main field of its tab."""
        self.status.warning = ""
        if event.character and event.is_printable and event.key not in self.active_bindings:
            event.stop()
            self._type(event.character)

    def on_paste(self, event: events.Paste) -> None:
        """What the focused field takes it has taken already."""
        if not isinstance(self.focused, TextArea) or self.focused.read_only:
            self._type(clean(event.text))

    def _type(self, text: str) -> None:
        fields = {DIRECT_TAB: self.prompt.writing, CHAPTER_TAB: self.chapter.voice}
        field = fields.get(self.tab)
        if field and not field.read_only:
            field.focus()
            field.move_cursor(field.document.end)
            field.insert(text)
        elif self.tab == SETUP_TAB and self.session.session.state == "DRAFT":
            self.status.warning = f"Choose 1 to {AGENTS_MAX} characters, or press tab for the next field."
        else:
            self.status.warning = why_closed(self.session, self.tab)

    # --- tabs and characters ----------------------------------------------------------------------------------------

    def open_tab(self, number: int) -> None:
        """Show a tab, and give the keys to its main field."""
        self.tab = number
        self._switcher.current = TAB_NAMES[number]
        for tab, name in TAB_NAMES.items():
            self.set_class(tab == number, f"-{name}")
        if number == DIRECT_TAB:
            self.prompt.writing.focus()
            self.call_after_refresh(self.transcript.follow)
        else:
            (self.setup if number == SETUP_TAB else self.chapter).focus_first()
        self.renew()

    def action_tab(self, number: int) -> None:
        """Go to a tab; while Setup is open this asks to lock it first."""
        self.absorb()
        if TAB_NAMES[number] in self.session.tabs:
            self.open_tab(number)
        elif number == CHAPTER_TAB or self.session.busy:
            self.status.warning = why_closed(self.session, number)
        else:
            self.action_lock()

    def action_turn_tab(self, by: int) -> None:
        self.action_tab((self.tab - 1 + by) % 3 + 1)

    @property
    def choices(self) -> tuple[int, ...]:
        """Numbers of what can be chosen on this tab: characters, or drafts."""
        return self.chapter.numbers if self.tab == CHAPTER_TAB else self.session.session.selected_agent_slots

    def action_panel(self, number: int) -> None:
        """Choose a character, or a draft."""
        self.absorb()
        self.keep_typed()
        match self.tab:
            case 1:
                self.setup.choose(number)
            case 2:
                self.presenter.chosen = number
                self.prompt.writing.focus()
                self.keep_unsent()
            case _:
                self.chapter.choose(number)
        self.renew()

    def action_turn_panel(self, by: int) -> None:
        here = (self.setup.slot, self.presenter.slot, self.chapter.draft)[self.tab - 1]
        self.action_panel(self.choices[(self.choices.index(here) + by) % len(self.choices)])

    @on(NumberedChoices.Picked)
    def choice_picked(self, event: NumberedChoices.Picked) -> None:
        match event.line:
            case DirectTabs():
                self.action_tab(int(event.key))
            case CharacterCount():
                self._set_count(int(event.key))
            case _:
                self.action_panel(int(event.key))

    def _set_count(self, number: int) -> None:
        if 1 <= number <= AGENTS_MAX and self.session.session.state == "DRAFT":
            self.absorb()
            self.session.edit(set_count, number)
            self.refill()

    # --- keys -------------------------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what can be done on this tab, in this state."""
        if action == "back" and self.is_mounted:
            is_away = self.focused is not self.prompt.writing or not self.transcript.following
            return self.tab == DIRECT_TAB and is_away and not self.session.busy
        return action != "back" and not self.why_not(action, parameters)

    def why_not(self, action: str, parameters: tuple[object, ...]) -> str:
        """Why something cannot be done here now; empty where it can be."""
        session, tab, doing = self.session, self.tab, self.presenter.doing
        match action:
            case "stop":
                return "" if session.busy else "Nothing is running."
            case "panel":
                return "" if parameters[0] in self.choices else f"There is no character {parameters[0]} here."
            case "turn_panel":
                return "" if len(self.choices) > 1 else "There is nobody else here."
            case "notes" | "find" | "page":
                return "" if tab == DIRECT_TAB else "Go to Direct first."
            case "tab" if parameters[0] == tab:
                return f"{TAB_NAMES[tab].capitalize()} is already open."
            case "tab":
                return why_no_tab(session, int(str(parameters[0])), tab, doing)
            case "download" | "read":
                if tab == CHAPTER_TAB and self.chapter.numbers:
                    return "" if self.chapter.kept else "This draft is still being written."
                return "There is no draft here. In Chapter, F10 writes one."
            case "reset":
                return why_no_reset(session, tab)
            case _ if action in NEEDS:
                if (why := why_not(session, action, tab, doing)) or action != "restore":
                    return why
                return "" if self._reworded else "There is no prompt to restore."
            case _:
                return ""

    @on(Button.Pressed)
    async def button_pressed(self, event: Button.Pressed) -> None:
        await self.run_action(str(event.button.id))

    @on(PromptTextArea.Submitted)
    def submitted(self, event: PromptTextArea.Submitted) -> None:
        """Enter: ask the character that is named before the line. On an empty line it turns the page."""
        slot, text = self.presenter.slot, event.text
        if not text.strip():
            self.transcript.page(1)
        elif why := why_not(self.session, "say", self.tab, self.presenter.doing):
            self.status.warning = why
        elif not self.busy:
            self.presenter.sent, self.presenter.chosen = (slot, text), 0
            self.keep_unsent()
            self.perform(partial(self._ask, slot, text))

    async def _ask(self, slot: int, text: str) -> None:
        try:
            await self.session.prompt(slot, text)
        except UsageError:
            self.presenter.chosen, self.presenter.sent = slot, (0, "")
            raise
        except (CallError, SaveError):
            pass  # told by its event

    async def action_stop(self) -> None:
        self.presenter.is_stopping = True
        await self.session.stop()

    def action_back(self) -> None:
        self.remove_class("-panel")
        self.transcript.follow()
        self.prompt.writing.focus()

    def action_page(self, pages: int) -> None:
        self.transcript.page(pages)

    def action_notes(self) -> None:
        is_narrow = self.has_class("-narrow")
        self.toggle_class("-panel" if is_narrow else "-no-panel")
        (self.panel if is_narrow and self.has_class("-panel") else self.prompt.writing).focus()

    def action_find(self) -> None:
        self._find.open()

    @on(FindBar.Failed)
    def search_failed(self, event: FindBar.Failed) -> None:
        self.show_error(event.error)

    @on(FindBar.Closed)
    def search_closed(self) -> None:
        self.prompt.writing.focus()

    @on(Transcript.TurnsWanted)
    @work(group="loading")
    async def turns_wanted(self, event: Transcript.TurnsWanted) -> None:
        await super().guarded(self.presenter.loader.load(event.which))

    def action_example(self) -> None:
        self.session.edit(fill, example().setup)
        self.refill()

    async def _confirmed(self, title: str, note: str) -> bool:
        dialog = ConfirmDialog(title, note, yes="confirm", no="cancel")
        return await self.app.push_screen_wait(dialog)

    @work(group="asking", exclusive=True)
    async def action_lock(self) -> None:
        """Lock Setup; what is typed meanwhile is for the first prompt."""
        setup = self.session.setup
        fields = [("the world", setup.world), ("the scene", setup.chapter)]
        fields += [(setup.name_of(slot), setup.agents[slot - 1].identity) for slot in roster(setup.count)]
        empty = ", ".join(name for name, text in fields if not text.strip())
        note = f"{LOCK_QUESTION} Nothing is written for: {empty}." if empty else LOCK_QUESTION
        if not await self._confirmed("Lock Setup and start directing?", note):
            return
        self.open_tab(DIRECT_TAB)
        if not await self.guarded(self.session.lock()):
            self.open_tab(SETUP_TAB)

    @work(group="asking", exclusive=True)
    async def action_end(self) -> None:
        if await self._confirmed("End this chapter?", END_QUESTION):
            self.perform(self._end)

    async def _end(self) -> None:
        await self.session.end()
        self.open_tab(CHAPTER_TAB)

    def action_next_chapter(self) -> None:
        """Leave this chapter, for one that begins with what stands here."""
        self.followed = self.session.game
        self.action_home()

    def action_build(self) -> None:
        self.absorb()
        self.perform(self.session.build)

    def action_download(self) -> None:
        self.perform(self._download)

    async def _download(self) -> None:
        """The draft that is shown, as a text or a book, or the whole save."""
        draft = self.chapter.kept
        if not (format := await ask_format(self.app, self.session.branch_title, without=("jsonl",))):
            return
        if format == "txt":
            file = await self.session.download(None, draft or None)
        else:
            await self.session.settle()
            file = await self.session.run(partial(export_save, self.session.save, format, draft=draft))
        self.presenter.say(exported(self.app, file))

    def action_read(self) -> None:
        self.app.push_screen(ReadingScreen(self.session.name, self.chapter.text))

    @work(group="asking", exclusive=True)
    async def action_reset(self) -> None:
        if await self._confirmed("Reset Chapter", RESET_WARNING):
            await self.guarded(self.session.reset())

    # --- takes and branches -----------------------------------------------------------------------------------------

    def action_undo(self) -> None:
        self.absorb()
        self._reworded = None
        self.perform(self._undo)

    async def _undo(self) -> None:
        """Undo the last prompt, with the chapter's end, or the lock, and say so; the words of the prompt are in the box
        again, if that is empty."""
        last, ending = self.session.game.last_prompt, self.session.game.ending
        await self.session.undo(1)
        if last:
            self.presenter.chosen = last[0]
            self.prompt.offer(last[1], selected=True)
        if self.session.session.state == "DRAFT":
            self.status.say("Setup is unlocked again.")
        else:
            gone, them = (f", {ending}", "them") if ending else ("", "it")
            self.status.say(f"Undone: the last prompt{gone}. {LEADER_NAME} r brings {them} back.")

    def action_redo(self) -> None:
        self.absorb()
        self.perform(self._redo)

    async def _redo(self) -> None:
        await self.session.redo(1)
        self.presenter.chosen, last = 0, self.session.game.last_prompt
        if last and self.prompt.text == last[1]:
            self.prompt.write("")

    def action_command(self, line: str) -> None:
        """What an empty writing box does with the key that undoes typing."""
        if line == "/undo" and not self.why_not("undo", ()):
            self.action_undo()

    def action_retry(self) -> None:
        self.absorb()
        self.perform(self._retry)

    async def _retry(self) -> None:
        try:
            await self.session.retry()
        except (CallError, SaveError):
            await self.presenter.reload()  # why is told by its event

    def action_reword(self) -> None:
        self.absorb()
        self.perform(self._reword)

    async def _reword(self) -> None:
        slot, text = await self.session.withdraw_prompt()
        self._reworded = (slot, self.prompt.text)
        self.presenter.chosen = slot
        self.prompt.replace(text)

    def action_restore(self) -> None:
        if self._reworded:
            self.prompt.write(self._reworded[1])
            self.presenter.chosen, self._reworded = 0, None
            self.perform(lambda: self.session.redo(1))

    def action_take(self, by: int) -> None:
        current, count = self.session.takes
        self.absorb()
        self.perform(lambda: self.session.select_take((current - 1 + by) % count + 1))

    @work(group="asking", exclusive=True)
    async def action_branch(self) -> None:
        prompts = self.session.session.prompt_index
        fields = (FormField("Name"), FormField(f"After which prompt, 0 to {prompts}", str(prompts)))
        title = "New branch of this chapter"
        form = FormDialog(title, *fields, note="Both versions are kept.", yes="create")
        if wanted := await self.app.push_screen_wait(form):
            await self.guarded(self._begin_branch(*wanted))

    async def _begin_branch(self, name: str, prompt: str) -> None:
        if not prompt.isdecimal():
            raise UsageError("Enter the number of a prompt.")
        await self.session.switch(await self.session.branch_at(name, int(prompt)))

    def action_branches(self) -> None:
        """Show the tree: go anywhere in it, name, compare and delete branches."""
        self.absorb()
        self.app.push_screen(BranchesScreen(ChapterSource(self.session)))
