"""Direct screen: three tabs over one directed chapter, their fields and keys."""

from collections.abc import Awaitable, Callable
from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.content import Content
from textual.timer import Timer
from textual.widgets import ContentSwitcher, Static, TextArea

from theact_tui.engine import events as e
from theact_tui.engine.direct.example import example
from theact_tui.engine.direct.session import DirectSession
from theact_tui.errors import CallError, SaveError, UsageError
from theact_tui.story.direct.records import AGENTS_MAX
from theact_tui.story.direct.state import DirectGame, fill_setup, set_count, set_voice
from theact_tui.story.direct.transcript import DASHES
from theact_tui.text import clean, one_line
from theact_tui.tui.actions import LEADER_NAME, Action, bindings
from theact_tui.tui.direct.asking import AskingPane
from theact_tui.tui.direct.chapter import ChapterPane
from theact_tui.tui.direct.dialogs import (
    END_QUESTION,
    LEAVE,
    RESET_QUESTION,
    ask_export,
    ask_prompt_branch,
    confirm,
    lock_question,
)
from theact_tui.tui.direct.fields import CharacterCount, DirectTabs, LimitedField, NumberedChoices
from theact_tui.tui.direct.keys import (
    CHAPTER_TAB,
    DIRECT_ACTIONS,
    DIRECT_TAB,
    HELP,
    SETUP_TAB,
    TAB_NAMES,
    WHO,
    DirectStanding,
    why_closed,
    why_not,
)
from theact_tui.tui.direct.notes import NotesPanel
from theact_tui.tui.direct.presenter import SUMMARISED, DirectPresenter
from theact_tui.tui.direct.setup import SetupPane
from theact_tui.tui.play.transcript import Transcript
from theact_tui.tui.play.transcript_screen import WAY_OUT, TranscriptScreen
from theact_tui.tui.play.writing_box import PromptTextArea
from theact_tui.tui.widgets.base_screen import COPY
from theact_tui.tui.widgets.dialogs import GrowingTextDialog, ask_to_grow
from theact_tui.tui.widgets.export_dialog import exported
from theact_tui.tui.widgets.footer import Footer
from theact_tui.tui.widgets.header import Rule

KEEP_SECONDS = 2.0
"""Seconds after the last key before Setup and voice are committed."""


class DirectScreen(TranscriptScreen):
    """One open session, closed when the screen is left. Typed text survives failed actions."""

    CSS_PATH = "screen.tcss"
    ACTIONS = DIRECT_ACTIONS
    BINDINGS = [*bindings(DIRECT_ACTIONS), WAY_OUT, COPY]
    HELP: ClassVar[str] = HELP
    HELP_TITLE: ClassVar[str] = "Directing a chapter"

    def __init__(
        self, session: DirectSession, *, open_screen: Callable[[str], object], cursor_blink: bool = True
    ) -> None:
        """`open_screen` lays another screen over this one by its name: `inspector` or `branches`."""
        super().__init__()
        self._open_screen = open_screen
        self.session: DirectSession = session
        self.performing = 0
        """Number of running deeds."""
        self.tab = SETUP_TAB
        self._cursor_blink = cursor_blink
        self._tabs = DirectTabs(id="tabs")
        self._banner = Static(id="banner", markup=False)
        self.setup = SetupPane(session, id="setup")
        self.transcript = Transcript(id="direct")
        self.chapter = ChapterPane(session, id="chapter")
        self._switcher = ContentSwitcher(
            self.setup, self.transcript, self.chapter, id="panes", initial="setup"
        )
        self.asking = AskingPane(session, id="foot-direct")
        self.prompt = self.asking.box
        self.panel = NotesPanel(session, id="panel")
        self.presenter = DirectPresenter(
            session, self.transcript, self.panel, self.status_line, self.asking, self.chapter
        )
        self.loader = self.presenter.loader
        self.is_stale = False
        self._pause: Timer | None = None
        """Runs until typed text is committed."""
        self.followed: DirectGame | None = None
        """This chapter, if the next one follows when the screen is left."""

    def compose(self) -> ComposeResult:
        yield self._tabs
        yield Rule(id="rule")
        yield self._banner
        yield from self.compose_body(self._switcher, (self.asking,), self.panel)
        yield Footer()

    def on_mount(self) -> None:
        self.begin_reading(cursor_blink=self._cursor_blink)
        for field in self.query(TextArea):
            field.cursor_blink = self._cursor_blink
        self.prompt.remember(event.text for event in self.session.game.events if event.role == "user")
        if self.asking.offer_typed():
            self.presenter.say("↑ brings back what else you typed.")
        self.refill()
        tabs = {"DRAFT": SETUP_TAB, "ENDED": CHAPTER_TAB}
        self.open_tab(tabs.get(self.session.session.state, DIRECT_TAB))
        self._begin()
        self.ask_about_edits(self.session)

    def following_changed(self, following: bool) -> None:
        super().following_changed(following or self.tab != DIRECT_TAB)

    def get_selected_text(self) -> str | None:
        """Copy dashes for the line of the last notes."""
        text = super().get_selected_text()
        return text.replace(SUMMARISED, DASHES) if text else text

    # --- the session ------------------------------------------------------------------------------------------------

    @work(group="events")
    async def _begin(self) -> None:
        """Follow events; of earlier ones show notices."""
        opened = self.session.bus.newest
        with closing(self.session.bus.stream(backlog=True)) as stream:
            await self.presenter.reload()
            async for event in stream:
                if event.seq > opened or isinstance(event, e.SaveOpened | e.Notice):
                    await self.guarded(self._show(event))  # a widget's fault must not end the following

    async def _show(self, event: e.Event) -> None:
        self.presenter.show(event)
        match event:
            case e.ActorToken() | e.ChapterToken():
                return
            case e.BuildStarted() if self.tab == CHAPTER_TAB:
                self.remove_class("-panel")
                self.chapter.pages.focus()
            case e.SessionReset(archived=archived):
                self.prompt.write("")
                self.open_tab(SETUP_TAB)
                self.status.hint = f"New chapter. The old one is kept as {archived}."
            case e.Undone() | e.Redone() | e.BranchSwitched() | e.Edited():
                if self.session.session.state == "DRAFT":
                    self.open_tab(SETUP_TAB)
                elif self.tab == CHAPTER_TAB and self.session.session.state == "ACTIVE":
                    self.open_tab(DIRECT_TAB)
        if isinstance(event, e.Undone | e.Redone | e.BranchSwitched | e.Edited | e.SessionReset):
            self.refill()
            await self.presenter.reload()
        await self.presenter.mark_reach()
        self.renew_soon()

    def show_error(self, error: Exception) -> None:
        if isinstance(error, CallError) and error.kind == "stopped":  # as it was asked for
            self.presenter.say(error.message)
        else:
            super().show_error(error)

    def edits_adopted(self) -> None:
        self.refill()

    async def may_leave(self) -> bool:
        return self.session.session.state != "NARRATING" or await confirm(self.app, LEAVE)

    async def release(self) -> None:
        self.absorb()
        await self.carry_out(self.session.close())

    # --- drawing ----------------------------------------------------------------------------------------------------

    def renew_soon(self) -> None:
        if not self.is_stale:
            self.is_stale = True
            self.call_later(self._renew_stale)

    def _renew_stale(self) -> None:
        if self.is_stale and self in self.app.screen_stack:
            self.renew()

    def renew(self) -> None:
        self.is_stale = False
        session, is_idle = self.session, not self.session.busy and not self.session.read_only
        self._tabs.show(session, self.tab)
        self._banner.set_class(bool(session.banner), "-on")
        self._banner.update(Content(f"! {one_line(session.banner, 500)}"))
        self.setup.set_closed(session.session.state != "DRAFT" or not is_idle)
        self.setup.renew()
        self.chapter.renew()
        self.panel.in_order = self.tab == CHAPTER_TAB
        self.panel.draw()
        self.asking.renew()
        self.presenter.draw_status()
        self.refresh_bindings()

    def refill(self) -> None:
        self.setup.fill()
        self.chapter.voice.fill(self.session.game.voice)
        self.renew()

    def on_resize(self) -> None:
        self.renew_soon()

    # --- what is typed ----------------------------------------------------------------------------------------------

    @on(TextArea.Changed)
    def absorb(self) -> None:
        session, voice = self.session, self.chapter.voice
        try:
            if session.session.state == "DRAFT" and not session.save.read_only:
                self.setup.store()
            if voice.text != session.game.voice and not voice.read_only:
                session.edit(set_voice, voice.text)
        except UsageError as error:
            self.show_error(error)
        self.setup.renew()
        self.asking.keep_typed()
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
        """Commit typed text, when its field is left or after a pause."""
        if not (self.session.busy or self.performing):
            self.run_worker(self.guarded(self.session.commit_waiting_changes()), group="keep")

    def on_key(self, event: events.Key) -> None:
        """Type a stray letter into the main field."""
        self.status.warning = ""
        is_reading = self.tab == CHAPTER_TAB and not self.chapter.has_class("-voice")
        if is_reading and event.key == "space":
            self.chapter.pages.page(1)
        elif event.character and event.is_printable and event.key not in self.active_bindings:
            event.stop()
            self._type(event.character)

    def on_paste(self, event: events.Paste) -> None:
        if not isinstance(self.focused, TextArea) or self.focused.read_only:
            self._type(clean(event.text))

    def _type(self, text: str) -> None:
        field = {DIRECT_TAB: self.prompt.writing, CHAPTER_TAB: self.chapter.voice}.get(self.tab)
        if self.tab == CHAPTER_TAB:
            self.chapter.open_voice()
        if field and not field.read_only:
            field.focus()
            field.move_cursor(field.document.end)
            field.insert(text)
        else:
            self.status.warning = why_closed(self.session, self.tab)

    # --- tabs and characters ----------------------------------------------------------------------------------------

    def open_tab(self, number: int) -> None:
        self.tab = number
        self.remove_class("-panel")
        self._switcher.current = TAB_NAMES[number]
        for tab, name in TAB_NAMES.items():
            self.set_class(tab == number, f"-{name}")
        self.pane.focus_first()
        if number == DIRECT_TAB:
            self.call_after_refresh(self.transcript.follow)
        self.renew()

    @property
    def pane(self) -> SetupPane | AskingPane | ChapterPane:
        """Fields and choices of the open tab."""
        match self.tab:
            case 1:
                return self.setup
            case 2:
                return self.asking
            case _:
                return self.chapter

    def action_tab(self, number: int) -> None:
        self.absorb()
        if TAB_NAMES[number] in self.session.tabs:
            self.status.hint = ""
            self.open_tab(number)
        elif number == CHAPTER_TAB or self.session.busy:
            self.status.warning = why_closed(self.session, number)
        else:
            self.action_lock()

    def action_turn_tab(self, by: int) -> None:
        self.action_tab((self.tab - 1 + by) % 3 + 1)

    def action_panel(self, number: int) -> None:
        """Choose a character, or on the Chapter tab a draft."""
        self.absorb()
        self.keep_typed()
        self.status.hint = ""
        self.pane.choose(number)
        self.renew()

    def action_turn_panel(self, by: int) -> None:
        numbers = self.pane.numbers
        self.action_panel(numbers[(numbers.index(self.pane.number) + by) % len(numbers)])

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

    # --- deeds ------------------------------------------------------------------------------------------------------

    @work(group="deeds")
    async def perform(self, act: Callable[[], Awaitable[object]]) -> None:
        self.absorb()
        await self.carry_out(self.ask_first(act))

    async def carry_out(self, act: Awaitable[object]) -> bool:
        """Do something and show its error; true if it worked."""
        self.performing += 1
        self.status.warning = self.status.hint = ""
        try:
            return await self.guarded(act)
        finally:
            self.performing -= 1
            self.renew_soon()

    # --- keys -------------------------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "back" and self.tab == CHAPTER_TAB:
            return bool(self.chapter.numbers) and (
                self.chapter.has_class("-voice") or self.has_class("-panel")
            )
        if action == "back" and self.is_mounted:
            is_away = self.focused is not self.prompt.writing or not self.transcript.following
            return self.tab == DIRECT_TAB and is_away and not self.session.busy
        return action != "back" and not self.why_not(action, parameters)

    def why_not(self, action: str, parameters: tuple[object, ...]) -> str:
        return why_not(self.standing, action, parameters)

    def possible_actions(self) -> list[Action]:
        drafts = self.tab == CHAPTER_TAB
        names = {
            f"panel({n})": f"draft {n}" if drafts else self.session.setup.name_of(n)
            for n in self.pane.numbers
        }
        return [
            replace(act, label=names.get(act.action, act.label), group="drafts" if drafts else WHO)
            if act.group == WHO
            else act
            for act in super().possible_actions()
        ]

    @property
    def standing(self) -> DirectStanding:
        return DirectStanding(
            session=self.session,
            tab=self.tab,
            doing=self.presenter.doing,
            numbers=self.pane.numbers,
            has_finished_draft=bool(self.chapter.draft_on_show),
            is_editing=self.asking.is_editing,
        )

    @on(PromptTextArea.Submitted)
    def submitted(self, event: PromptTextArea.Submitted) -> None:
        """Ask the next character, or turn the page on an empty line."""
        if not event.text.strip():
            self.transcript.page(1)
        elif why := why_not(self.standing, "say"):
            self.status.warning = why
        elif not self.performing:
            self.perform(partial(self.ask, self.asking.send(event.text), event.text))

    async def action_stop(self) -> None:
        self.presenter.is_stopping = True
        await self.session.stop()

    def action_back(self) -> None:
        if self.tab == CHAPTER_TAB:
            self.chapter.remove_class("-voice")
            self.remove_class("-panel")
            self.chapter.pages.focus()
            self.refresh_bindings()
        else:
            super().action_back()

    def action_notes(self) -> None:
        is_hidden_first = self.has_class("-narrow") or self.tab == CHAPTER_TAB
        self.toggle_class("-panel" if is_hidden_first else "-no-panel")
        page = self.chapter.pages if self.tab == CHAPTER_TAB else self.prompt.writing
        (self.panel if is_hidden_first and self.has_class("-panel") else page).focus()
        self.refresh_bindings()

    def action_voice(self) -> None:
        if self.chapter.has_class("-voice") and self.focused is self.chapter.voice:
            self.action_back()
        else:
            self.chapter.open_voice()
        self.refresh_bindings()

    def action_example(self) -> None:
        self.session.edit(fill_setup, example().setup)
        self.refill()

    @work(group="asking", exclusive=True)
    async def action_lock(self) -> None:
        """Lock Setup. Text typed meanwhile is for the first prompt."""
        if await confirm(self.app, lock_question(self.session)):
            self.open_tab(DIRECT_TAB)
            if not await self.carry_out(self.session.lock()):
                self.open_tab(SETUP_TAB)

    @work(group="asking", exclusive=True)
    async def action_end(self) -> None:
        if await confirm(self.app, END_QUESTION):
            self.perform(self._end)

    async def _end(self) -> None:
        await self.session.end()
        self.open_tab(CHAPTER_TAB)

    def action_next_chapter(self) -> None:
        self.followed = self.session.game
        self.action_home()

    def action_build(self) -> None:
        self.perform(self.session.build)

    def action_download(self) -> None:
        self.perform(self._download)

    async def _download(self) -> None:
        if file := await ask_export(self.app, self.session, self.chapter.draft_on_show):
            self.presenter.say(exported(self.app, file))

    @work(group="asking", exclusive=True)
    async def action_reset(self) -> None:
        if await confirm(self.app, RESET_QUESTION):
            await self.carry_out(self.session.reset())

    def action_open(self, name: str) -> None:
        self.absorb()
        self._open_screen(name)

    # --- the last prompt ---------------------------------------------------------------------------------------------

    async def ask(self, slot: int, text: str) -> None:
        """Ask a character, or retry the edited last prompt. Events show errors."""
        try:
            await (self._retry(slot, text) if self.asking.is_editing else self.session.prompt(slot, text))
        except UsageError:
            self.asking.refused()
            raise
        except (CallError, SaveError):
            pass

    def action_undo(self) -> None:
        self.perform(self._undo)

    async def _undo(self) -> None:
        """Undo the last prompt with the chapter's end, or the lock."""
        last, ending = self.session.game.last_prompt, self.session.game.ending
        await self.session.undo(1)
        if last:
            self.asking.undone(*last)
        if self.session.session.state == "DRAFT":
            self.status.say("Setup is unlocked again.")
        else:
            also, pronoun = (f", {ending}", "them") if ending else ("", "it")
            self.status.say(f"Undone: the last prompt{also}. {LEADER_NAME} r brings {pronoun} back.")

    def action_redo(self) -> None:
        self.perform(self._redo)

    async def _redo(self) -> None:
        await self.session.redo(1)
        self.asking.redone()

    def action_command(self, line: str) -> None:
        """Undo a prompt by the undo key of an empty box."""
        if line == "/undo" and not self.why_not("undo", ()):
            self.action_undo()

    def action_retry(self) -> None:
        self.perform(self._retry)

    async def _retry(self, slot: int | None = None, text: str | None = None) -> None:
        """Retry the last prompt; a failure shows the earlier reply again."""
        try:
            await self.session.retry(text, slot)
        except (CallError, SaveError):
            await self.presenter.reload_after_failure()

    def action_reword(self) -> None:
        if last := self.session.game.last_prompt:
            self.asking.edit_last(*last)
            self.presenter.say("Edit the prompt: enter retries it as another take, esc leaves it as it was.")
            self.renew_soon()

    def action_write_on(self) -> None:
        self.perform(self._write_on)

    async def _write_on(self) -> None:
        reply = self.session.game.events[-1]
        title = f"Prompt {reply.prompt_index}: {self.session.session.name_of(reply.agent_slot or 0)}"
        dialog = GrowingTextDialog(one_line(title), reply.text, is_saved=False)
        await ask_to_grow(self.app, dialog, self._write_on_reply)

    async def _write_on_reply(self, text: str) -> None:
        try:
            await self.session.write_on_reply(text)
        except (CallError, SaveError):
            await self.presenter.reload_after_failure()
            raise

    def action_write_on_draft(self) -> None:
        self.perform(self._write_on_draft)

    async def _write_on_draft(self) -> None:
        number = self.chapter.draft_on_show
        dialog = GrowingTextDialog(f"Draft {number}", self.chapter.text, is_saved=False)
        await ask_to_grow(self.app, dialog, partial(self.session.write_on_draft, number=number))

    def action_restore(self) -> None:
        self.asking.stop_editing()
        self.presenter.say("")
        self.renew_soon()

    def action_take(self, by: int) -> None:
        current, count = self.session.takes
        self.perform(lambda: self.session.select_take((current - 1 + by) % count + 1))

    def action_branch(self) -> None:
        self.perform(partial(ask_prompt_branch, self.app, self.session))
