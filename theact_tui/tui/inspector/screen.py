import asyncio
from contextlib import closing
from dataclasses import replace
from typing import Any, ClassVar

from textual import events, on, work
from textual.app import ComposeResult

from theact_tui.engine import events as e
from theact_tui.engine.base_session import BaseSession
from theact_tui.engine.session import StorySession
from theact_tui.story import edits
from theact_tui.story.lore import LoreEntry
from theact_tui.story.memory import CellsMemory
from theact_tui.tui.actions import bindings
from theact_tui.tui.blocks import Cast, met
from theact_tui.tui.inspector import by_hand, questions
from theact_tui.tui.inspector.calls import totals
from theact_tui.tui.inspector.keys import HELP, INSPECTOR_ACTIONS
from theact_tui.tui.inspector.memory import MEMORY_LEGEND
from theact_tui.tui.inspector.turn_cache import Frame, TurnCache
from theact_tui.tui.inspector.view import NARRATOR_ID, InspectorView, PersonTabs, Selection
from theact_tui.tui.play.screen import PlayScreen
from theact_tui.tui.play.transcript_screen import TranscriptScreen
from theact_tui.tui.running_turn import Activity, RunningTurn
from theact_tui.tui.widgets.base_screen import COPY, BaseScreen
from theact_tui.tui.widgets.footer import Footer
from theact_tui.tui.widgets.lists import Row
from theact_tui.tui.widgets.lore_dialog import edit_lore
from theact_tui.tui.widgets.status_line import StatusLine

REDRAW_SECONDS = 0.1
BATCH = 50
"""Past events handled in one go."""


class InspectorScreen(BaseScreen[None], inherit_bindings=False):
    CSS_PATH = "screen.tcss"
    BINDINGS = [*bindings(INSPECTOR_ACTIONS), COPY]
    HELP: ClassVar[str] = HELP
    HELP_TITLE: ClassVar[str] = "Memory"
    LEGEND: ClassVar[str] = MEMORY_LEGEND
    FIRST: ClassVar[int] = 1
    """Number of the first turn with something to look at."""

    def __init__(self, session: BaseSession[Any]) -> None:
        super().__init__()
        self.session = session
        self._cast = Cast.of(session.story.pack)
        self._word = session.save.turn_word
        turn = session.story.last_turn
        speakers = [entry.character or NARRATOR_ID for entry in turn.entries] if turn else []
        self.person = next((id for id in reversed(speakers) if id in self._cast.names), NARRATOR_ID)
        self.view = "memory"
        self.frame: Frame | None = None
        self._followed = RunningTurn(doing=Activity(self._cast.name))
        self._live_turn = RunningTurn()
        """A finished turn is never shown as running."""
        self._cache = TurnCache(session)
        self._opened = session.bus.newest
        self._source: Row | None = None
        self._prompt = 0
        self._at: int | None = None
        """Chosen turn; None follows the newest."""
        self._stale = True
        """Selection or story changed since the last reading."""
        self._is_reading = self._is_due = False
        self.panes = InspectorView(session.story.info.title, self._cast, self.selection, id="inspector")

    def compose(self) -> ComposeResult:
        yield self.panes
        yield StatusLine(id="status")
        yield Footer()

    async def on_mount(self) -> None:
        self.app.theme_changed_signal.subscribe(self, lambda _: self.renew())
        self.panes.select(self.selection)
        self.panes.memory.focus(scroll_visible=False)
        await self.load_early(self._begin(), "first")
        self.run_worker(self._follow(), group="events")

    def on_resize(self) -> None:
        if self.settled:
            self.call_later(self.renew)

    def on_unmount(self) -> None:
        self.app.theme_changed_signal.unsubscribe(self)  # which would keep this screen in memory for good

    # --- what is looked at ------------------------------------------------------------------------------------------

    @property
    def newest(self) -> int:
        return max(self._live_turn.turn, self.session.story.state.turn)

    @property
    def number(self) -> int:
        return self.newest if self._at is None else min(self._at, self.newest)

    @property
    def selection(self) -> Selection:
        session, number = self.session, self.number
        is_after = isinstance(session, StorySession) and session.phase == "after"
        doing = "updating memories" if is_after else "in progress"
        running = doing if self._live_turn.turn and number == self._live_turn.turn else ""
        met_people = {*met(self.session.story), self.person}
        people = (*(id for id in self._cast.names if id in met_people), NARRATOR_ID)
        return Selection(
            number,
            self.newest,
            self.person,
            self.view,
            self._source,
            self._prompt,
            running,
            people,
            self._word,
        )

    @property
    def settled(self) -> bool:
        return self.frame is not None and not (self._stale or self._is_reading or self._is_due)

    @property
    def _is_changeable(self) -> bool:
        return self._at is None and not self.session.read_only

    def _look(self, view: str) -> None:
        self.view = view
        self.status.warning = self.status.hint = ""
        self.panes.select(self.selection)
        self.panes.views[view].focus(scroll_visible=False)
        self.refresh_bindings()
        if self.frame:
            self._draw(self.frame)
            self.panes.draw_history(self.frame)
        self.renew()

    # --- reading: however often it is asked for, one reading runs at a time -----------------------------------------

    async def _begin(self) -> None:
        """Draw the memories first and the rest after it: both at once would delay keys."""
        self.query_one("#desk").visible = False

        async def first() -> None:
            self.frame = await self._cache.frame(self.number, self._live_turn)
            self.panes.draw_first(self.frame)

        await self.guarded(first())
        self.call_after_refresh(self.renew)

    def renew(self) -> None:
        if self not in self.app.screen_stack:
            return
        self._stale = True
        self.panes.select(self.selection)
        if not self._is_reading:
            self._is_reading = True
            self.run_worker(self._read(), group="reading")

    async def _read(self) -> None:
        try:
            while self._stale:
                self._stale = False
                await self.guarded(self._read_frame())
        finally:
            self._is_reading = False

    async def _read_frame(self) -> None:
        cache = self._cache
        if self._source:
            await cache.read([self._source.turn])
        try:
            frame = await cache.frame(self.number, self._live_turn)
            if self.view == "calls":
                frame = await cache.with_usage(frame)
            self.frame = frame
        finally:
            self.query_one("#desk").visible = True
        self._draw(frame)
        while not self._stale and await cache.read(self.panes.needed(frame)):
            pass
        self.frame = replace(frame, turns={**cache.turns, **frame.turns})
        self.panes.draw_history(self.frame)

    def _draw(self, frame: Frame) -> None:
        self.panes.draw(frame)
        if self.status.hint in ("", self.LEGEND):
            self.status.hint = self.LEGEND if self.view == "memory" else ""
        others = f"{frame.others} more in other takes" if frame.others else ""
        self.status.facts = tuple(filter(None, (totals(frame.calls), others)))

    async def _follow(self) -> None:
        log = self.panes.events
        with closing(self.session.bus.stream(backlog=True)) as stream:
            async for event in stream:
                log.add(event)
                self._apply(event)
                if log.heard % BATCH == 0:
                    await asyncio.sleep(0)

    def _apply(self, event: e.Event) -> None:
        running = self._followed
        running.apply(event)
        is_newest = running.turn == self.session.story.state.turn or (
            running.turn and event.seq == self._opened
        )
        if event.seq <= self._opened and is_newest and running.speaker in self._cast.names:
            self.person = running.speaker
        if event.seq < self._opened:
            return
        self._live_turn = running
        self._cache.apply(event)
        for status in self.query(StatusLine):  # which may be gone while the screen is closed
            status.doing = running.doing.sentence
        if event.seq == self._opened and self.frame:  # else all is drawn once that is read
            self.renew()
        elif event.seq > self._opened and not self._is_due:
            self._is_due = True
            self.set_timer(REDRAW_SECONDS, self._draw_due)

    def _draw_due(self) -> None:
        self._is_due = False
        self.renew()

    # --- keys -------------------------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        match parameters[0] if action in ("change", "ask", "view") else action:
            case "where" | "since" | "what_if":
                return self.view in ("memory", "knows")
            case "go":
                return self.view in ("memory", "knows", "words")
            case "overrule":
                return self.view == "direction" and self._is_changeable
            case "edit" if self.view == "words":
                return not (self.session.read_only or self.session.busy)
            case "add" | "edit" if self.person == NARRATOR_ID:
                return False
            case "add" if isinstance(edits.memory_of(self.session.story, self.person), CellsMemory):
                return False
            case "pin" | "edit" | "add":
                return self.view == "memory" and self._is_changeable
            case _:
                return True

    def action_turn(self, step: int) -> None:
        self.action_go_to(self.number + step)

    def action_newest(self) -> None:
        self.action_go_to(self.newest)

    def action_go_to(self, number: int) -> None:
        number = max(min(self.FIRST, self.newest), number)
        self._at = None if number >= self.newest else number
        self._choose(self.person)

    def action_person(self, step: int) -> None:
        people = self.selection.people
        self._choose(people[(people.index(self.person) + step) % len(people)])

    @on(PersonTabs.Picked)
    def tab_picked(self, event: PersonTabs.Picked) -> None:
        self._choose(event.key)

    def _choose(self, person: str) -> None:
        self.person = person
        self._source, self._prompt = None, 0
        self.status.warning = ""
        self.refresh_bindings()
        self.renew()

    def action_view(self, view: str) -> None:
        self._source = None
        self._look(view)

    def action_prompt(self) -> None:
        """Show the prompt of this person or call; again: the next one."""
        self._prompt += self.view == "prompt"
        if self.view == "calls" and (chosen := self.panes.chosen_prompt):
            self.person, self._prompt = chosen
        self._look("prompt")
        self.query_one("#prompt-page").scroll_home(animate=False)

    def action_where(self) -> None:
        row = self.panes.row
        if row and row.turn:
            self._source = row
            self._look("words")
        else:
            self.status.warning = "This line has no single source turn. Choose another with ↑ and ↓."

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        for view, widget in self.panes.views.items():
            if widget is event.widget and view != self.view:
                self._look(view)

    def action_back(self) -> None:
        if self.view == "memory":
            self.dismiss()
        else:
            self.action_view("memory")

    @property
    def _turn(self) -> int:
        row = self._source or self.panes.row
        return row.turn if row and row.turn else self.number

    def action_go(self) -> None:
        number = self._turn
        pages = [screen for screen in self.app.screen_stack if isinstance(screen, TranscriptScreen)]
        self.dismiss()
        for page in pages:
            page.go_to_turn(number)

    # --- changes by hand, of the newest state or of a text; the session makes them ------------------------------------------

    @work(group="hands", exclusive=True)
    async def action_change(self, action: str) -> None:
        if isinstance(self.session, StorySession):
            await self.guarded(self._change(self.session, action))
            self.renew()

    async def _change(self, session: StorySession, action: str) -> None:
        row, person = self.panes.memory.row, self.person
        play = next((screen for screen in self.app.screen_stack if isinstance(screen, PlayScreen)), None)
        match action:
            case "pin":
                await by_hand.pin(session, person, row)
            case "overrule":
                await by_hand.overrule(session, self.panes.row)
            case "edit" if self.view == "words" and play:
                await play.edit_turn(self._turn)
            case "edit":
                await by_hand.edit_memory(self.app, session, person, row)
            case "add":
                await by_hand.add_fact(self.app, session, person, row)

    @work(group="hands", exclusive=True)
    async def action_ask(self, question: str) -> None:
        await self.guarded(self._ask(question))

    async def _ask(self, question: str) -> None:
        session, number = self.session, self.number
        if question == "why":
            await questions.show_why(self.app, session, number, self.person)
            return
        row, person = questions.asked_row(self.panes.row), "" if self.view == "knows" else self.person
        if question == "since":
            await questions.since_when(self.app, session, number, person, row)
        elif isinstance(session, StorySession):
            stopped = await questions.ask_what_if(self.app, session, number, person, row)
            self.status.hint = stopped or self.status.hint

    @work(group="hands", exclusive=True)
    async def action_lore(self) -> None:
        session = self.session
        if not isinstance(session, StorySession):
            return

        async def entries() -> list[LoreEntry]:
            return [entry for book in session.game.pack.lore.values() for entry in book]

        keep = None if session.read_only else lambda entry: session.edit(edits.set_lore, entry)
        await self.guarded(edit_lore(self.app, entries, session.game.pack.names, keep))
        self.renew()
