from collections.abc import Awaitable, Callable
from contextlib import closing
from functools import partial
from typing import ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.widget import Widget
from textual.widgets import TextArea

from theact_tui.engine import commands
from theact_tui.engine import events as e
from theact_tui.engine.session import StorySession
from theact_tui.errors import TheActError, TurnError, UsageError
from theact_tui.models.environment import unexpected
from theact_tui.models.settings import Ui
from theact_tui.story.edits import hold
from theact_tui.story.turn import Turn
from theact_tui.story.typed import LINE_LIMIT, as_text, is_command
from theact_tui.tui.actions import LEADER_NAME, READ_ONLY, bindings
from theact_tui.tui.blocks import aside_blocks
from theact_tui.tui.play import dialogs
from theact_tui.tui.play.completion import CompletionMenu
from theact_tui.tui.play.hearer_question import HearerQuestion
from theact_tui.tui.play.keys import CHANGING, HELP, PLAY_ACTIONS
from theact_tui.tui.play.presenter import PACK_CHANGED, QUEUED_IN_PAST, WAITS, PlayPresenter
from theact_tui.tui.play.side_panel import CastList, SidePanel, SummarySection
from theact_tui.tui.play.transcript import Transcript
from theact_tui.tui.play.transcript_screen import WAY_OUT, TranscriptScreen
from theact_tui.tui.play.writing_box import PromptInput, PromptTextArea
from theact_tui.tui.widgets.export_dialog import ask_format, exported
from theact_tui.tui.widgets.external_edits import PACK_EDITED
from theact_tui.tui.widgets.footer import Footer
from theact_tui.tui.widgets.header import HeaderLine, Rule
from theact_tui.tui.widgets.inputs import edited_outside
from theact_tui.tui.widgets.status_line import show_message

DIRECTING = "Enter tells the narrator; F9 switches back."
UNDIRECTED = "The offline storyteller follows its script, whatever you tell it. F9 switches back."
_STALE = "The memories of this turn no longer match the text. ^g v updates them, ^g u undoes the edit."
SAYING = "Enter says your line in the story."
GOING_ON = "Press enter again to let the story continue. ^o suggests things to do."
WATCHING = "You are watching this story; it is played in another window."
UNWRITABLE = "Nothing can be written here. esc leaves."
OPENED_TO_READ = "Read-only: this story was opened to read."
FREE = "This story is free now. At its end, enter plays it here."
_LOOK_SECONDS = 2.0
_READING = (Transcript, CastList, SummarySection, PromptTextArea, HearerQuestion)
"""Widgets from which typed letters go to the writing box."""


class PlayScreen(TranscriptScreen):
    """One open story; leaving closes `session`."""

    CSS_PATH = "screen.tcss"
    ACTIONS = PLAY_ACTIONS
    BINDINGS = [
        *bindings(PLAY_ACTIONS),
        Binding("escape", "stop_watching", "leave", group=Binding.Group("leave")),
        WAY_OUT,
    ]
    HELP: ClassVar[str] = HELP
    HELP_TITLE: ClassVar[str] = "Playing"

    def __init__(self, session: StorySession, *, open_screen: Callable[[str], object], ui: Ui) -> None:
        """`open_screen` opens `inspector`, `branches`, `write` or `settings` over this screen."""
        super().__init__()
        self.session: StorySession = session
        self._open_screen = open_screen
        self._ui = ui
        self._looks_for_ideas = False
        self.plays_here = False
        """A watched story is to be reopened for playing."""
        self._is_watching = self._is_free = False
        """Another program played this read-only story, and has closed it."""
        self._knows_going_on = False

    def compose(self) -> ComposeResult:
        self.transcript, self.prompt = Transcript(id="transcript"), PromptInput(id="prompt")
        foot = (HearerQuestion(id="hearers"), CompletionMenu(self.session, id="completions"), self.prompt)
        yield HeaderLine(id="head")
        yield Rule(id="rule")
        yield from self.compose_body(self.transcript, foot, SidePanel(id="panel"))
        yield Footer()

    def on_mount(self) -> None:
        panel = self.query_one(SidePanel)
        head, rule = self.query_one("#head", HeaderLine), self.query_one(Rule)
        self.presenter = PlayPresenter(
            self.session, self.transcript, panel, head, rule, self.status, self.prompt
        )
        self.presenter.live_turn.show_thoughts = self._ui.reasoning
        self.loader = self.presenter.loader
        self.begin_reading(cursor_blink=self._ui.cursor_blink)
        panel.show_beats = self._ui.show_beats
        self.prompt.writing.menu = self.query_one(CompletionMenu)
        self.prompt.display = not self.session.read_only
        self.main.focus()
        self.prompt.remember(turn.player_text for turn in self.session.game.turns.values())
        self.presenter.offer_typed()
        self._begin()
        if self.session.read_only:
            self._look_if_free()
            self.set_interval(_LOOK_SECONDS, self._look_if_free)

    @property
    def main(self) -> Widget:
        """The widget with the focus: the writing box, or the story if read-only."""
        return self.transcript if self.session.read_only else self.prompt.writing

    def help_commands(self) -> tuple[tuple[str, str], ...]:
        usable = () if self.session.read_only else commands.COMMANDS.values()
        return tuple((command.usage, command.help) for command in usable)

    def write_command(self, usage: str) -> None:
        self.prompt.replace(f"{usage.split()[0]} ")
        self.prompt.writing.focus()

    # --- the story ------------------------------------------------------------------------------------------------

    @work(group="story")
    async def _begin(self) -> None:
        """Show the story, follow its events, and open it if it has no turn."""
        self.presenter.state_changed()
        await self._show_newest()
        self.presenter.show_told()
        self._listen()
        session = self.session
        session.read_ahead()
        self.presenter.say_missing()
        fresh = session.game.state.turn == 0 and not session.typed.sent
        if fresh and session.phase == "idle" and not session.read_only:
            self.perform(session.open_story)

    @work(group="free", exclusive=True, exit_on_error=False)
    async def _look_if_free(self) -> None:
        is_free = await self.session.is_free()
        self._is_watching = self._is_watching or not is_free
        self._is_free = is_free and self._is_watching
        if self._is_watching and self.status.hint in ("", WATCHING, FREE):
            self.status.hint = FREE if is_free else WATCHING

    @work(group="events")
    async def _listen(self) -> None:
        with closing(self.session.bus.stream(backlog=True)) as stream:
            async for event in stream:
                try:
                    self.presenter.show(event)
                    self._follow_up(event)
                except Exception as error:  # a widget's fault must not end the story
                    self.presenter.card(
                        "A display error occurred", unexpected(error), "The story is not affected."
                    )

    def _follow_up(self, event: e.Event) -> None:
        match event:
            case e.TurnSpoken():
                if line := self.presenter.entered:
                    self._send(line)
                self._ask_who_heard()
            case e.TurnStarted():
                self._put_question_off()
                self._keep_typed()
            case e.Edited():
                self._put_question_off()
            case e.TurnSaved():
                self.presenter.count_takes()
                if self.session.wants_memories:
                    self.action_renew()
            case e.EditsFound():
                self.ask_about_edits(self.session)
            case e.BranchSwitched() | e.Undone() | e.Redone():
                self._put_question_off()
                self._keep_typed()
                self._reload()

    def _ask_who_heard(self) -> None:
        """Ask below a turn, but never take the cursor from a line that is being written or waits."""
        last = self.session.last_turn
        is_writing = self._draft.strip() or self.session.read_only
        if last and last.is_pending and not is_writing and self.focused is self.main:
            question = self.query_one(HearerQuestion)
            question.display = True
            question.focus()

    def _put_question_off(self) -> None:
        question = self.query_one(HearerQuestion)
        had_cursor, question.display = question.has_focus, False
        if had_cursor:
            self.main.focus()

    @on(HearerQuestion.Chosen)
    def hearers_chosen(self, event: HearerQuestion.Chosen) -> None:
        self._put_question_off()
        if event.choice == "these":
            self.write_command("/heard")
        elif event.choice != "later":
            self.action_command(f"/heard {event.choice}")

    @work(group="turn")
    async def perform(
        self, act: Callable[[], Awaitable[object]], *, moves: bool = False, sends: str = ""
    ) -> None:
        """Run something and show its error. `moves`: ask about outside edits first. `sends`: the line it plays."""
        self.status.warning = ""
        doing = self.ask_first(act) if moves else act()
        await self.guarded(self._await_turn(sends, doing) if sends else doing)
        if self.session.phase == "idle":  # else the last turn is the one before, until this one is saved
            self.presenter.count_takes()
        else:
            self.presenter.show_facts()

    def show_error(self, error: Exception) -> None:
        match error:
            case TurnError():  # told by its event
                if isinstance(error.__cause__, Exception) and not isinstance(error.__cause__, TheActError):
                    self.report(error.__cause__)
            case UsageError():
                self.status.warn(error.message)
            case TheActError():
                self.presenter.card("The command failed", error.message, "Nothing was changed.")
            case _:
                advice = f"Your story is safe. Details are in {self.report(error)}"
                self.presenter.card("Internal error", unexpected(error), advice)

    @work(group="pages", exclusive=True)
    async def _reload(self) -> None:
        await self._show_newest()

    async def _show_newest(self) -> None:
        await self.guarded(self.presenter.loader.show_newest())
        self.presenter.count_takes()

    def edits_adopted(self) -> None:
        self.presenter.story_changed()
        self._reload()

    def action_changed_pack(self) -> None:
        if self.session.pack_edits is not None:
            self.status.unsay(PACK_CHANGED)
            self.ask_about_edits(self.session.pack_edits, PACK_EDITED)

    @on(CastList.Toggled)
    def presence_toggled(self, event: CastList.Toggled) -> None:
        self.perform(partial(self._hold, event.character, event.present))

    async def _hold(self, character: str, present: bool) -> None:
        await self.session.edit(hold, [character], here=present)
        show_message(
            self.app, f"{self.presenter.cast.name(character)} is {'here' if present else 'away'} now."
        )

    async def release(self) -> None:
        """Finish the last turn, keep the draft, and close the save."""
        self._keep_typed()
        self.presenter.entered = ""
        await self.guarded(self.session.stop())
        await self.guarded(self.session.close())

    @property
    def _draft(self) -> str:
        return "\n".join(part for part in (self.presenter.entered, self.prompt.text) if part.strip())

    def _keep_typed(self) -> None:
        self.session.keep_typed(self._draft, behind=self.presenter.is_behind)

    # --- what the player sends -----------------------------------------------------------------------------------

    @on(PromptTextArea.Submitted)
    def submitted(self, event: PromptTextArea.Submitted) -> None:
        """Play the line or run the command; on an empty line turn the page, or continue at the end."""
        text = event.text.strip()
        line = self.prompt.direction(text) or text
        if line and line == self.presenter.entered:  # enter bounced
            return
        self.status.warning = ""
        if not text and (self.is_telling or not self.transcript.following):
            self.transcript.page(1)
        elif not text and not self._knows_going_on:
            self._knows_going_on = True
            self.presenter.explain(GOING_ON)
        elif not text:
            self.perform(self.session.go_on, moves=True)
        elif len(text) > LINE_LIMIT:
            self.status.warning = (
                f"Too long: {len(text):,} characters; the limit is {LINE_LIMIT:,}. Your text is kept."
            )
        elif self.is_telling and not commands.only_reads(text):
            self.presenter.queue(line)
        else:
            self.prompt.write("")
            self._send(line)

    def _send(self, line: str) -> None:
        self.prompt.remember([line])
        is_direction = commands.is_direction(line)
        self.presenter.entered = line if is_direction or not is_command(line) else ""
        if is_direction:
            self.perform(partial(self._run_command, line), sends=line)
        elif line.lower().split()[:2] == ["/cast", "add"]:
            self.perform(partial(dialogs.ask_newcomer, self.app, self.session, " ".join(line.split()[2:])))
        elif is_command(line):
            self.perform(partial(self._run_command, line))
        else:
            self.perform(partial(self.session.play, as_text(line)), moves=True, sends=line)

    async def _await_turn(self, line: str, turn: Awaitable[object]) -> None:
        if self.session.phase == "after":
            self.status.warn(WAITS)
        try:
            result = await turn
            if isinstance(result, Turn):
                self.presenter.spoken(result)
        except Exception:
            if self.presenter.entered == line:
                self.presenter.unqueue(before=True)
            raise
        finally:
            self.status.unsay(WAITS)

    async def _run_command(self, line: str, *, briefly: bool = False) -> None:
        """`briefly`: answer in the status line. A refused command returns to the box."""
        turns = self.session.game.turns
        try:
            run = partial(commands.run_command, self.session, line)
            doing = self.ask_first(run) if commands.moves(line) else run()
            tells_reply = line.lower().split()[:2] in (["/retry", "--reply"], ["/write-on", "--reply"])
            done = await (self.presenter.retry_reply(doing) if tells_reply else doing)
        except UsageError:
            if not briefly:
                self.prompt.offer(line)
            raise
        self.presenter.moved(line, turns)
        if briefly:
            last, before = self.session.game.state.turn, max(turns, default=0)
            undone = line == "/undo" and commands.undone_text(last, before - last, f"{LEADER_NAME} r")
            self.status.say(undone or done.text)
        elif done.quit:
            self.action_home()
        elif done.text:
            message = exported(self.app, done.file) if done.file else done.text
            self.presenter.aside(aside_blocks(line, message))

    def on_key(self, event: events.Key) -> None:
        """Send letters to the writing box; enter in the story turns its page."""
        if event.key == "enter" and self.focused is self.transcript:
            if self.status.more:
                self.transcript.page(1)
            elif self._is_free:
                self.plays_here = True
                self.action_home()
            else:
                self.main.focus()
        free = event.is_printable and event.key not in self.active_bindings
        if free and event.character and isinstance(self.focused, _READING):
            event.stop()
            if self.session.read_only:
                self.status.warn(FREE if self._is_free else UNWRITABLE)
                return
            writing = self.prompt.writing
            writing.focus()
            writing.replace(event.character, *writing.selection, maintain_selection_offset=False)

    @on(PromptTextArea.Cleared)
    def cleared(self) -> None:
        self.status.warning = ""

    @on(TextArea.Changed, "#writing")
    def text_changed(self, event: TextArea.Changed) -> None:
        text = event.text_area.text
        if text:
            self._put_question_off()
        self.query_one(CompletionMenu).complete(text)
        self.presenter.text_changed(text)
        self._keep_typed()

    def on_screen_suspend(self) -> None:
        self.refresh_bindings()

    # --- keys -----------------------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Hide impossible actions: a key in the footer always works."""
        match action:
            case "stop":
                return self._can_stop
            case "back":
                return self._is_away and not self._can_stop
            case "direct":
                return not self.session.read_only
            case "stop_watching":
                return self.session.read_only
            case "editor":
                return not self.is_telling
            case _ if action in CHANGING:
                if not self.is_mounted or self.session.read_only or self.is_telling:
                    return False
                return self.presenter.is_useful(action)
            case _:
                return True

    def why_not(self, action: str, parameters: tuple[object, ...]) -> str:
        if action not in (*CHANGING, "direct", "editor"):
            return ""
        if self.session.read_only:
            return READ_ONLY if self._is_watching else OPENED_TO_READ
        return StorySession.BUSY if self.is_telling else ""

    @property
    def is_telling(self) -> bool:
        """True while a turn runs or is about to."""
        waits = self.is_mounted and bool(self.presenter.entered)
        return waits or self.session.phase in ("narrating", "replying")

    @property
    def _is_away(self) -> bool:
        """True unless at the newest line with the cursor in the writing box."""
        return self.is_mounted and (self.focused is not self.main or not self.transcript.following)

    @property
    def _can_stop(self) -> bool:
        session = self.session
        is_keeping = session.phase == "after" and not self._is_away  # what is written about the last turn
        looks_for_ideas = self._looks_for_ideas and self.app.screen is self  # else they are there
        return session.busy or is_keeping or session.wants_memories or looks_for_ideas

    async def action_stop(self) -> None:
        if self.session.seats.pass_on():
            return
        self.workers.cancel_group(self, "ideas")
        if self.session.phase == "replying" and self.presenter.unqueue(before=True):
            self.status.say(f"{QUEUED_IN_PAST}.")
        await self.session.stop()

    def action_stop_watching(self) -> None:
        self.action_home()

    def action_retry(self) -> None:
        """Retell the last turn, or begin a stopped or failed one again."""
        if self.presenter.line_waits:
            self.prompt.writing.action_say()
        elif not self.session.game.state.turn:
            self.perform(self.session.open_story)
        else:
            again = self.session.go_on if self.presenter.go_on_waits else self.session.retry
            self.perform(again, moves=True)

    def action_retry_edited(self) -> None:
        if self.presenter.line_waits:
            self.prompt.writing.focus()
        elif last := self.session.last_turn:
            self.prompt.write(commands.retry_line(last))

    def action_retry_reply(self) -> None:
        self.perform(self._retry_reply, moves=True)

    async def _retry_reply(self) -> None:
        if character := await dialogs.ask_reply(self.app, self.session):
            await self.presenter.retry_reply(self.session.retry_reply(character))

    def action_direct(self) -> None:
        self.prompt.switch()
        self.prompt.writing.focus()
        directing = UNDIRECTED if self.session.offline else DIRECTING
        self.presenter.explain(directing if self.prompt.directing else SAYING)

    def action_go_on(self) -> None:
        self.perform(self.session.go_on, moves=True)

    def action_take(self, by: int) -> None:
        current, count = self.presenter.takes
        take = partial(self.session.select_take, (current - 1 + by) % count + 1)
        self.perform(take, moves=True)

    def action_command(self, line: str) -> None:
        self.perform(partial(self._run_command, line, briefly=True))

    def action_editor(self) -> None:
        try:
            self.prompt.write(edited_outside(self.app, self.prompt.text))
        except UsageError as error:
            self.status.warning = error.message
        self.prompt.writing.focus()

    def action_renew(self) -> None:
        self.action_command("/renew" if self.session.game.state.edited else "/remember")

    def action_panel(self) -> None:
        narrow = self.has_class("-narrow")
        self.toggle_class("-panel" if narrow else "-no-panel")
        if narrow and self.has_class("-panel"):
            self.query_one(CastList).focus()
        elif not self.query_one(SidePanel).display or narrow:
            self.main.focus()

    def action_thoughts(self) -> None:
        shown = self.presenter.live_turn.toggle_thoughts()
        self.status.say(f"Model reasoning is {'shown' if shown else 'hidden'} until you leave.")

    def action_beats(self) -> None:
        panel = self.query_one(SidePanel)
        panel.show_beats = not panel.show_beats
        self.status.say(
            f"Beats still to come are {'shown' if panel.show_beats else 'hidden'} until you leave."
        )

    def action_open(self, name: str) -> None:
        self._open_screen(name)

    def action_jump(self) -> None:
        self.perform(partial(dialogs.ask_jump, self.app, self.session, self.presenter.loader.jump))

    def action_branch(self) -> None:
        self.perform(partial(dialogs.ask_branch, self.app, self.session))

    @work(group="ideas", exclusive=True)
    async def action_ideas(self) -> None:
        self.status.warning, self._looks_for_ideas = "", True
        try:
            await self.guarded(dialogs.ask_idea(self.app, self.session, self.prompt))
        finally:
            self._looks_for_ideas = False
            self.refresh_bindings()

    def action_heard(self) -> None:
        self.perform(self._ask_hearers)

    async def _ask_hearers(self) -> None:
        if command := await dialogs.ask_hearers(self.app, self.session):
            await self._run_command(command)

    def action_cast(self) -> None:
        self.perform(partial(dialogs.ask_newcomer, self.app, self.session))

    def action_edit(self) -> None:
        self.perform(self._ask_edit)

    async def _ask_edit(self) -> None:
        self.session.check_free()
        await self.session.settle()
        place, last = self.transcript.place, self.session.game.state.turn
        await self.edit_turn(last if self.transcript.following or place is None else place[0])

    async def edit_turn(self, number: int) -> None:
        if await dialogs.ask_edit(self.app, self.session, number, self._write_on):
            await self.presenter.loader.reload_turn(number)
            if number in self.session.game.state.edited:
                self.status.hint = _STALE
                self.refresh_bindings()

    async def _write_on(self, text: str, reply: str) -> None:
        doing = self.ask_first(partial(self.session.write_on, text, reply))
        await (self.presenter.retry_reply(doing) if reply else doing)

    def action_export(self) -> None:
        self.perform(self._ask_export)

    async def _ask_export(self) -> None:
        if chosen := await ask_format(self.app, self.session.branch_title):
            await self._run_command(f"/export {chosen.format} {chosen.lines}")
