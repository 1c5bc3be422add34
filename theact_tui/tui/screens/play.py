"""The play screen: the story, the line one writes, and beside it what the program knows. Rules are the engine's."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import ClassVar, Literal

from textual import events, on, work
from textual.app import ComposeResult
from textual.widgets import TextArea

from theact_tui.engine.commands import COMMANDS, as_text, is_command, run_command
from theact_tui.engine.events import TurnSaved
from theact_tui.engine.session import Session
from theact_tui.errors import UsageError
from theact_tui.models.settings import Ui
from theact_tui.tui.acts import bindings
from theact_tui.tui.bridge import Bridge
from theact_tui.tui.lasting import set_aside
from theact_tui.tui.screens.branches_read import read_tree
from theact_tui.tui.screens.opened import WAY_OUT
from theact_tui.tui.screens.play_acts import HELP, PLAY_ACTS
from theact_tui.tui.screens.play_desk import SPEAKING, Parts, PlayDesk
from theact_tui.tui.screens.play_hands import PlayHands
from theact_tui.tui.typeset import aside_blocks
from theact_tui.tui.widgets.bare import Columns
from theact_tui.tui.widgets.castlist import CastList
from theact_tui.tui.widgets.fields import LineField
from theact_tui.tui.widgets.keyline import KeyLine
from theact_tui.tui.widgets.masthead import Masthead
from theact_tui.tui.widgets.panel import Panel
from theact_tui.tui.widgets.prompt import LIMIT, Prompt, Writing
from theact_tui.tui.widgets.stage import Stage
from theact_tui.tui.widgets.statusline import StatusLine
from theact_tui.tui.widgets.transcript import Transcript


class PlayScreen(PlayHands):
    """One open story. `session` is closed when the screen is left."""

    CSS_PATH = "play.tcss"
    ACTS = PLAY_ACTS
    BINDINGS = [*bindings(PLAY_ACTS), WAY_OUT]
    HELP: ClassVar[str] = HELP
    HELP_TITLE: ClassVar[str] = "Playing"
    LASTING: ClassVar[bool] = True

    def __init__(self, session: Session, *, glow_seconds: float = 4.0, ui: Ui | None = None) -> None:
        super().__init__()
        self.session = session
        self._glow_seconds = glow_seconds
        self._ui = ui or Ui()

    def compose(self) -> ComposeResult:
        yield Masthead()
        with Columns(id="body"):
            yield Stage(id="stage")
            yield Panel(id="panel", glow_seconds=self._glow_seconds)
        yield KeyLine()

    def on_mount(self) -> None:
        parts = Parts(
            self.query_one(Transcript),
            self.query_one(Panel),
            self.query_one(Masthead),
            self.query_one(StatusLine),
            self.query_one(Prompt),
        )
        self.desk = PlayDesk(
            self.session,
            parts,
            reload=self.reload,
            toast=self._toast,
            keys=self.refresh_bindings,
            later=self.set_timer,
            thoughts=self._ui.reasoning,
        )
        self.query_one(Stage).pages = self.desk.pages
        self.bridge = Bridge(self.desk.telling, parts.panel, self.desk, self.desk.calls)
        writing = parts.prompt.writing
        writing.cursor_blink = self.query_one("#find-term", LineField).cursor_blink = self._ui.cursor_blink
        writing.commands = tuple(f"/{name}" for name in COMMANDS)
        writing.focus()
        self._begin()

    def help_commands(self) -> tuple[tuple[str, str], ...]:
        return tuple((command.usage, command.help) for command in COMMANDS.values())

    # --- the story ------------------------------------------------------------------------------------------------

    @work(group="story")
    async def _begin(self) -> None:
        """Show the story, follow its events, and let it open if nothing was told yet."""
        self.desk.state_changed()
        await self._guard(self.desk.pages.newest())
        played = [turn.player_text for turn in self.session.game.turns.values()]
        self.desk.parts.prompt.remember(text for text in played if text)
        await self._count_takes()
        set_aside()
        self._listen()
        self._look_ahead()
        session = self.session
        fresh = session.game.state.turn == 0 and session.unsent is None
        if fresh and session.phase == "idle" and not session.read_only:
            self.tell(session.open_story)

    @work(group="ahead", exit_on_error=False)
    async def _look_ahead(self) -> None:
        """Read the tree of branches while the player reads the page: the first reading of a long one takes twice as long
        as those after it. What is wrong with it is said where it is shown."""
        await self.session.run(read_tree, self.session.save)

    @work(group="events")
    async def _listen(self) -> None:
        stream = self.session.bus.stream(backlog=True)
        try:
            async for event in stream:
                try:
                    self.bridge.show(event)
                    if isinstance(event, TurnSaved):
                        await self._count_takes()
                        self.rest()
                except Exception as error:  # a widget's fault must not end the story
                    self.desk.card("Something could not be shown", repr(error), "The story goes on.")
        finally:
            stream.close()

    def on_screen_resume(self, event: events.ScreenResume) -> None:
        """Back from the inspector or another page, which leave much to collect."""
        self.rest()

    @work(group="turn")
    async def tell(self, act: Callable[[], Awaitable[object]]) -> None:
        """Do something that tells or moves the story; what goes wrong becomes a card or a line."""
        self.desk.parts.status.warning = ""
        await self._guard(act())
        self.desk.facts()
        if self.session.phase == "idle":  # else the last turn is the one before, until this one is saved
            await self._count_takes()

    async def _guard(self, act: Awaitable[object]) -> None:
        try:
            await act
        except Exception as error:
            self.desk.complain(error, self.report)

    async def _count_takes(self) -> None:
        self.desk.takes = await self.session.takes() if self.session.game.state.turn else (1, 1)
        self.desk.facts()
        self.refresh_bindings()

    def reload(self) -> None:
        """Show the end of the story as it is saved now."""
        self._reload()

    def _toast(self, text: str, level: str) -> None:
        severity: Literal["information", "warning"] = "information" if level == "info" else "warning"
        self.notify(text, severity=severity, markup=False)

    @work(group="pages", exclusive=True)
    async def _reload(self) -> None:
        await self._guard(self.desk.pages.newest())
        await self._count_takes()

    # --- what the player sends -----------------------------------------------------------------------------------

    @on(Writing.Said)
    def say(self, event: Writing.Said) -> None:
        """Enter: a line of the story, or a command."""
        desk, text = self.desk, event.text.strip()
        status = desk.parts.status
        status.warning = ""
        if not text:
            desk.parts.transcript.page(1)
            return
        if desk.sent or self.speaking:
            status.warning = SPEAKING
        elif len(text) > LIMIT:
            status.warning = (
                f"{len(text):,} characters; a turn takes at most {LIMIT:,}. Nothing is lost, shorten it."
            )
        elif is_command(text):
            desk.parts.prompt.writing.past.add(text)
            desk.parts.prompt.write("")
            self.tell(lambda: self.command(text))
        else:
            desk.sent = event.text
            desk.parts.prompt.writing.past.add(text)
            self.tell(lambda: self._play(text))

    @on(Writing.Stepped)
    def stepped(self, event: Writing.Stepped) -> None:
        """An arrow on an empty line: another take, where there are several and none is being told."""
        if self.desk.takes[1] > 1 and not self.speaking:
            self._step_take(event.step)

    async def _play(self, text: str) -> None:
        try:
            await self.session.play(as_text(text))
        finally:
            self.desk.sent = ""

    def on_key(self, event: events.Key) -> None:
        """A letter typed anywhere else on the screen belongs into the writing box."""
        free = event.is_printable and event.key not in self.active_bindings
        if free and event.character and isinstance(self.focused, Transcript | CastList | Writing):
            event.stop()
            self.desk.parts.prompt.writing.focus()
            self.desk.parts.prompt.writing.insert(event.character)

    @on(TextArea.Changed, "#writing")
    def written(self, event: TextArea.Changed) -> None:
        """What is being written is explained; a line that was not told is kept until it is changed."""
        if not self.desk.written(event.text_area.text):
            self.desk.found = ""
            self.run_worker(self._guard(self.session.forget_unsent()), group="keeping")

    async def command(self, line: str) -> None:
        """Run a command and show what it has to say; one that cannot be run comes back, to be mended."""
        try:
            done = await run_command(self.session, line)
        except UsageError:
            self.desk.parts.prompt.offer(line)
            raise
        if done.quit:
            self.action_home()
        elif done.text:
            self.desk.aside(aside_blocks(line, done.text))

    @on(Stage.Troubled)
    def troubled(self, event: Stage.Troubled) -> None:
        self.desk.complain(event.error, self.report)

    @on(CastList.Toggled)
    def toggled(self, event: CastList.Toggled) -> None:
        act = self.session.bring if event.present else self.session.send_away
        self.tell(lambda: act(event.character))

    async def release(self) -> None:
        """Finish the last turn and let the save go."""
        await self._guard(self.session.close())
