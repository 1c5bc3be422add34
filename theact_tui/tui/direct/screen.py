"""The direct screen: three tabs over one directed chapter, what is typed into them, and what the keys do."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.timer import Timer
from textual.widgets import Button, TextArea

from theact_tui.engine.direct.example import example
from theact_tui.engine.direct.session import DirectSession
from theact_tui.engine.events import Notice, SaveOpened
from theact_tui.errors import CallError, UsageError
from theact_tui.exports.write_file import export_save
from theact_tui.story.direct.models import AGENTS_MAX, roster
from theact_tui.story.direct.state import RESET_WARNING, DirectGame, fill, set_count, set_voice
from theact_tui.text import clean
from theact_tui.tui.actions import LEADER_NAME, bindings
from theact_tui.tui.branches.screen import BranchesScreen
from theact_tui.tui.direct.actions import (
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
from theact_tui.tui.direct.cells import AgentCount, NumberedChoices, PromptCell, TextCell
from theact_tui.tui.direct.chapter_source import ChapterSource
from theact_tui.tui.direct.view import DirectView, ReadingScreen
from theact_tui.tui.widgets.base_screen import COPY
from theact_tui.tui.widgets.dialogs import ConfirmDialog, FormDialog, FormField, ask_format, exported
from theact_tui.tui.widgets.footer import Footer
from theact_tui.tui.widgets.session_screen import WAY_OUT, SessionScreen

KEEP_SECONDS = 2.0
"""So long after the last key what was typed into Setup or voice is committed."""
LOCK_QUESTION = (
    "World, scene and characters cannot be edited afterwards. Until the first prompt, undo unlocks them."
)
END_QUESTION = "The chapter closes: no more prompts. Undo reopens it."

LEAVE_QUESTION = "Leaving stops the writing, and this draft is lost."


class DirectScreen(SessionScreen):
    """One open direct session, which is closed when the screen is left. Nothing typed is lost when an action fails."""

    CSS_PATH = "screen.tcss"
    ACTIONS = DIRECT_ACTIONS
    BINDINGS = [*bindings(DIRECT_ACTIONS), WAY_OUT, COPY]
    HELP: ClassVar[str] = HELP
    HELP_TITLE: ClassVar[str] = "Directing a chapter"

    def __init__(self, session: DirectSession, *, cursor_blink: bool = True) -> None:
        super().__init__()
        self.session: DirectSession = session
        self.view = DirectView(session)
        self.setup, self.scene, self.chapter = self.view.setup, self.view.scene, self.view.chapter
        self._cursor_blink = cursor_blink
        self._performing = 0
        self._pause: Timer | None = None
        """Runs while something typed waits to be committed."""
        self.followed: DirectGame | None = None
        """The chapter that the next one is to follow, once the screen is left."""

    def compose(self) -> ComposeResult:
        yield self.view
        yield Footer()

    def on_mount(self) -> None:
        for cell in self.query(TextCell):
            cell.cursor_blink = self._cursor_blink
        self.view.refill()
        self.scene.open_panel(self.session.game.focus)
        tabs = {"DRAFT": SETUP_TAB, "ENDED": CHAPTER_TAB}
        self.view.open_tab(tabs.get(self.session.session.state, DIRECT_TAB))
        self._follow()
        self.ask_about_edits(self.session)
        self.view.tell_of_unsent()

    def on_resize(self) -> None:
        self.view.renew_soon()

    @property
    def tab(self) -> int:
        """The tab one sees, from 1."""
        return self.view.tab

    # --- the session ------------------------------------------------------------------------------------------------

    @property
    def busy(self) -> bool:
        """Something that was asked for is being done."""
        return self._performing > 0

    @work(group="deeds")
    async def perform(self, act: Callable[[], Awaitable[object]]) -> None:
        """Do something in the background."""
        await self.guarded(self.ask_first(self.session, act))

    async def guarded(self, act: Awaitable[object]) -> bool:
        """Do something and say what went wrong; true if nothing did."""
        self._performing += 1
        self.view.trouble = self.status.hint = ""
        try:
            return await super().guarded(act)
        finally:
            self._performing -= 1
            self.view.renew_soon()

    def show_error(self, error: Exception) -> None:
        if isinstance(error, CallError) and error.kind == "stopped":  # as it was asked for
            self.view.say(f"{error.message} {self.status.hint}".rstrip())
        else:
            self.view.trouble = self.fault(error)
        self.view.renew_soon()

    @work(group="events")
    async def _follow(self) -> None:
        """Show what the session tells; of the past, only what was said while it was being opened."""
        here = self.session.bus.newest
        unlisten = self.session.bus.listen(self.view.apply_now)
        stream = self.session.bus.stream(backlog=True)
        try:
            async for event in stream:
                if event.seq > here or isinstance(event, SaveOpened | Notice):
                    self.view.show_event(event)
        finally:
            unlisten()
            stream.close()

    async def may_leave(self) -> bool:
        building = self.session.session.state == "NARRATING"
        return not building or await self._confirmed(
            "Leave while the chapter is being written?", LEAVE_QUESTION
        )

    async def release(self) -> None:
        """Stop what runs, commit what was typed and let the save go."""
        self.absorb()
        self.scene.put_by(self.scene.next_slot)
        self.scene.note()
        await self.guarded(self.session.close())

    # --- what is typed ----------------------------------------------------------------------------------------------

    @on(TextArea.Changed)
    def absorb(self) -> None:
        """Give the session everything that stands in the cells of Setup and voice, as far as they are open."""
        session, voice = self.session, self.chapter.voice
        try:
            if session.session.state == "DRAFT" and not session.save.read_only:
                self.setup.store()
            if voice.text != session.game.voice and not voice.read_only:
                session.edit(set_voice, voice.text)
        except UsageError as error:
            self.show_error(error)
        self.setup.renew()
        self.scene.keep_unsent()
        self.refresh_bindings()
        if self._pause:
            self._pause.stop()
        self._pause = self.set_timer(KEEP_SECONDS, self.keep_typed)

    @on(TextCell.Full)
    def text_refused(self, event: TextCell.Full) -> None:
        self.status.warning = f"The limit is {event.limit:,} characters; {event.refused:,} were dropped."
        self.app.bell()

    @on(events.DescendantBlur)
    def keep_typed(self) -> None:
        """Commit what was typed: when its cell or panel is left, and soon after the last key."""
        if not self.session.busy and not self.busy:
            self.run_worker(super().guarded(self.session.commit_pending_edits()), group="keep")

    def on_key(self, event: events.Key) -> None:
        """A key that the focused cell did not take."""
        self.status.warning = ""
        letter = event.character if event.is_printable and event.key not in self.active_bindings else ""
        if letter or (event.key == "backspace" and not self._is_open):
            event.stop()
            self._type_beside(letter or "")

    def on_paste(self, event: events.Paste) -> None:
        """What the focused cell takes it has taken already."""
        if not self._is_open:
            self._type_beside(clean(event.text))

    @property
    def _is_open(self) -> bool:
        """The focused cell takes what is typed."""
        return isinstance(self.focused, TextCell) and not self.focused.read_only

    def _type_beside(self, text: str) -> None:
        """`text`, or backspace where it is empty, came to no open cell; it is meant for the main one of its tab."""
        cells = {DIRECT_TAB: self.scene.cell, CHAPTER_TAB: self.chapter.voice}
        cell = self.focused if isinstance(self.focused, TextCell) else cells.get(self.tab)
        if self.session.session.state == "LOCKING" or (cell and cell.read_only):
            self._type_closed(text, erase=not text)
        elif cell:
            if cell is not self.focused:
                cell.focus()
                cell.move_cursor(cell.document.end)
            cell.insert(text)
        elif self.session.session.state == "DRAFT":
            self.status.warning = f"Choose 1 to {AGENTS_MAX} characters, or press tab for the next cell."
        else:
            self._type_closed()

    def _type_closed(self, text: str = "", *, erase: bool = False, tab: int = 0) -> None:
        """Keep `text`, or take back its last letter, where the cells are closed; with neither, say how it stands."""
        state = self.session.session.state
        waits = self.session.live or state == "SUMMARIZING" or (self.busy and self.scene.given > 0)
        if not (waits and self.tab == DIRECT_TAB) and state != "LOCKING":
            self.view.refusal = self.status.warning = why_closed(self.session, tab or self.tab)
            return
        kept = self.scene.keep(text, erase=erase)
        self.scene.keep_unsent()
        self.view.refusal = self.status.warning = f"{self.view.doing or 'Sending the prompt'}; {kept}"

    # --- tabs and panels --------------------------------------------------------------------------------------------

    def action_tab(self, number: int) -> None:
        """Go to a tab; while Setup is open this asks to lock it first."""
        self.absorb()
        if TAB_NAMES[number] in self.session.tabs:
            self.view.open_tab(number)
        elif number == CHAPTER_TAB or self.session.busy:
            self._type_closed(tab=number)
        else:
            self.action_lock()

    def action_turn_tab(self, by: int) -> None:
        self.action_tab((self.tab - 1 + by) % 3 + 1)

    @property
    def panels(self) -> tuple[int, ...]:
        """Numbers of the panels of this tab."""
        if self.tab == CHAPTER_TAB:
            return self.chapter.numbers
        return self.session.session.selected_agent_slots

    def action_panel(self, number: int) -> None:
        self.absorb()
        self.keep_typed()
        self.view.pane.open_panel(number)
        if self.tab == DIRECT_TAB:
            self.scene.focus_first()
        elif self.tab == SETUP_TAB:
            self.setup.query_one("#name").focus()
        self.refresh_bindings()

    def action_turn_panel(self, by: int) -> None:
        here = (self.setup.slot, self.scene.slot, self.chapter.draft)[self.tab - 1]
        panels = self.panels
        self.action_panel(panels[(panels.index(here) + by) % len(panels)])

    @on(NumberedChoices.Picked, "#tabs")
    def tab_picked(self, event: NumberedChoices.Picked) -> None:
        self.action_tab(int(event.key))

    @on(AgentCount.Picked, "#count")
    def count_picked(self, event: AgentCount.Picked) -> None:
        self.absorb()
        self.session.edit(set_count, int(event.key))
        self.setup.fill()
        self.scene.renew()
        self.refresh_bindings()

    @on(NumberedChoices.Picked, "#setup-panels,#scene-panels,#drafts")
    def panel_picked(self, event: NumberedChoices.Picked) -> None:
        self.action_panel(int(event.key))

    # --- keys -------------------------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what can be done on this tab, in this state."""
        return not self.why_not(action, parameters)

    def why_not(self, action: str, parameters: tuple[object, ...]) -> str:
        """Why something cannot be done here now; empty where it can be."""
        session, tab = self.session, self.tab
        doing = self.view.doing
        match action:
            case "stop":
                return "" if session.busy else "Nothing is running."
            case "panel":
                return "" if parameters[0] in self.panels else f"There is no box {parameters[0]} here."
            case "turn_panel":
                return "" if len(self.panels) > 1 else "There are no other boxes here."
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
                return "" if self.view.reworded else "There is no prompt to restore."
            case _:
                return ""

    def action_refuse(self, action: str, why: str) -> None:
        super().action_refuse(action, why)
        self.view.refusal = self.status.hint

    @on(Button.Pressed)
    async def button_pressed(self, event: Button.Pressed) -> None:
        await self.run_action(str(event.button.id))

    @on(PromptCell.PromptGiven)
    def action_give(self) -> None:
        """Prompt the agent whose panel is open; its text stays until it is answered."""
        scene = self.scene
        if scene.cell.read_only:
            self._type_closed()
        elif not self.session.busy and not self.busy and scene.cell.text.strip():
            scene.given = scene.slot
            scene.set_closed(True)
            self.scene.keep_unsent()
            self.perform(lambda: self.session.prompt(scene.slot, scene.cell.text))

    def action_stop(self) -> None:
        self.run_worker(self.session.stop(), group="stopping")

    def action_example(self) -> None:
        self.session.edit(fill, example().setup)
        self.view.refill()

    async def _confirmed(self, title: str, note: str) -> bool:
        dialog = ConfirmDialog(title, note, yes="confirm", no="cancel")
        return await self.app.push_screen_wait(dialog)

    @work(group="asking", exclusive=True)
    async def action_lock(self) -> None:
        setup = self.session.setup
        cells = [("the world", setup.world), ("the scene", setup.chapter)]
        cells += [(setup.name_of(slot), setup.agents[slot - 1].identity) for slot in roster(setup.count)]
        empty = ", ".join(name for name, text in cells if not text.strip())
        note = f"{LOCK_QUESTION} Nothing is written for: {empty}." if empty else LOCK_QUESTION
        if not await self._confirmed("Lock Setup and start directing?", note):
            return
        self.setup.set_closed(True)
        if await self.guarded(self.session.lock()):
            self.view.refill()
            self.view.open_tab(DIRECT_TAB)
        else:
            self.setup.focus_first()

    @work(group="asking", exclusive=True)
    async def action_end(self) -> None:
        if await self._confirmed("End this chapter?", END_QUESTION):
            self.perform(self._end)

    async def _end(self) -> None:
        await self.session.end()
        self.view.open_tab(CHAPTER_TAB)

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
        self.view.say(exported(self.app, file))

    def action_read(self) -> None:
        self.app.push_screen(ReadingScreen(self.session.name, self.chapter.text))

    @work(group="asking", exclusive=True)
    async def action_reset(self) -> None:
        if await self._confirmed("Reset Chapter", RESET_WARNING):
            await self.guarded(self.session.reset())

    # --- takes and branches -----------------------------------------------------------------------------------------

    def action_undo(self) -> None:
        self.absorb()
        self.perform(self._undo)

    async def _undo(self) -> None:
        """Undo the last prompt, with the chapter's end, or the lock, and say so; the words of the prompt stand in its panel
        again, if nothing does."""
        last, ending = self.session.game.last_prompt, self.session.game.ending
        await self.session.undo(1)
        if last and not self.scene.typed_for(last[0]).strip():
            self.scene.bring_back(*last)
        if self.session.session.state == "DRAFT":
            self.status.say("Undone: the lock. Setup can be edited again.")
        else:
            gone, them = (f", {ending}", "them") if ending else ("", "it")
            self.status.say(f"Undone: the last prompt{gone}. {LEADER_NAME} r brings {them} back.")

    def action_redo(self) -> None:
        self.absorb()
        self.perform(self._redo)

    async def _redo(self) -> None:
        await self.session.redo(1)
        last = self.session.game.last_prompt
        if last and self.scene.typed_for(last[0]) == last[1]:
            self.scene.write(last[0], "")

    def action_retry(self) -> None:
        self.absorb()
        self.scene.set_closed(True)
        self.perform(self.session.retry)

    def action_reword(self) -> None:
        self.absorb()
        self.perform(self._reword)

    async def _reword(self) -> None:
        slot, text = await self.session.withdraw_prompt()
        self.view.reworded = (slot, self.scene.typed_for(slot))
        self.scene.bring_back(slot, text)

    def action_restore(self) -> None:
        if self.view.reworded:
            self.scene.write(*self.view.reworded)
            self.perform(lambda: self.session.redo(1))

    def action_next_take(self) -> None:
        current, count = self.session.takes
        self.absorb()
        self.perform(lambda: self.session.select_take(current % count + 1))

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
