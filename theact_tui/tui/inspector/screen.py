import asyncio
from collections.abc import Coroutine
from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, Literal, TypeVar

from textual import events, on, work
from textual.app import ComposeResult

from theact_tui.engine import events as e
from theact_tui.engine.base_session import BaseSession
from theact_tui.engine.session import StorySession
from theact_tui.errors import UsageError
from theact_tui.saves.since import describe
from theact_tui.story import edits
from theact_tui.story.lore import LoreEntry
from theact_tui.story.memory import CellsMemory, Fact, FactsMemory, lines_of
from theact_tui.story.turn import FULLY_HEARD
from theact_tui.text import clean, flat, one_line
from theact_tui.tui.actions import bindings
from theact_tui.tui.blocks import Cast, met
from theact_tui.tui.branches.compare import CompareScreen
from theact_tui.tui.branches.source import BranchSource, Side
from theact_tui.tui.inspector.calls import totals
from theact_tui.tui.inspector.keys import HELP, INSPECTOR_ACTIONS
from theact_tui.tui.inspector.memory import LEGEND, line_index, require_fact_room, rewritten
from theact_tui.tui.inspector.turn_cache import Frame, TurnCache
from theact_tui.tui.inspector.view import NARRATOR, InspectorView, PersonTabs, Selection
from theact_tui.tui.play.screen import PlayScreen
from theact_tui.tui.play.transcript_screen import TranscriptScreen
from theact_tui.tui.running_turn import Activity, RunningTurn
from theact_tui.tui.widgets import dialogs
from theact_tui.tui.widgets.base_screen import COPY, BaseScreen
from theact_tui.tui.widgets.footer import Footer
from theact_tui.tui.widgets.lists import Row
from theact_tui.tui.widgets.lore_dialog import edit_lore
from theact_tui.tui.widgets.status_line import StatusLine

T = TypeVar("T")
REDRAW_SECONDS = 0.1
ASKED = ("line", "older", "moment", "beat", "lore")
TURNS = 3
BATCH = 50
"""Past events handled in one go."""


class InspectorScreen(BaseScreen[None], inherit_bindings=False):
    """Shows one person and one turn."""

    CSS_PATH = "screen.tcss"
    BINDINGS = [*bindings(INSPECTOR_ACTIONS), COPY]
    HELP: ClassVar[str] = HELP
    HELP_TITLE: ClassVar[str] = "Memory"
    LEGEND: ClassVar[str] = LEGEND
    FIRST: ClassVar[int] = 1
    """Number of the first turn with something to look at."""

    def __init__(self, session: BaseSession[Any]) -> None:
        super().__init__()
        self.session = session
        self._cast = Cast.of(session.story.pack)
        self._word = session.save.turn_word
        turn = session.story.last_turn
        speakers = [entry.character or NARRATOR for entry in turn.entries] if turn else []
        self.person = next((id for id in reversed(speakers) if id in self._cast.names), NARRATOR)
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
        people = (*(id for id in self._cast.names if id in met_people), NARRATOR)
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
            case "add" | "edit" if self.person == NARRATOR:
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
        ways = {"pin": self._pin, "overrule": self._overrule, "edit": self._edit, "add": self._add}
        if isinstance(self.session, StorySession):
            await self.guarded(ways[action](self.session))
            self.renew()

    @work(group="hands", exclusive=True)
    async def action_ask(self, question: str) -> None:
        await self.guarded({"since": self._since, "what_if": self._what_if, "why": self._why}[question]())

    async def _since(self) -> None:
        row, save = self._asked_row(), self.session.save
        character = "" if self.view == "knows" else self.person
        answer = await self.session.run(save.since, row.text, min(self.number, save.turn), character)
        title, *lines = describe(answer)
        await self.app.push_screen_wait(
            dialogs.ChoiceDialog(title, "\n".join(lines).strip(), keys="esc back")
        )

    async def _what_if(self) -> None:
        from theact_tui.lab.retell import describe_change, what_if

        row, session, number = self._asked_row(), self.session, self.number
        if not isinstance(session, StorySession):
            return
        if row.kind in ("beat", "moment"):
            raise UsageError("A beat or moment cannot be taken away. Choose a line or lore.")
        session.check_free()
        person = "" if self.view == "knows" else self.person
        last = min(number + TURNS, session.save.turn)
        if last <= number:
            raise UsageError("No turn follows the newest one. Go to an earlier turn with ←.")
        turns = f"Turn {last} is" if last == number + 1 else f"Turns {number + 1} to {last} are"
        title = f"{self._cast.name(person) if person else 'Everybody'} without this?"
        note = f"{row.text}\n\n{turns} told again with this change and without, on two new branches."
        if not await self.app.push_screen_wait(dialogs.ConfirmDialog(title, note, yes="tell them")):
            return
        box = dialogs.ProgressDialog("Telling it again", "esc stops; then nothing is added.", keys="esc stop")
        change = partial(what_if, words=row.text, character=person, give=False, say=box.say, run=session.run)
        async with session.exclusive():
            await session.commit_waiting_changes()
            models = session.models_with(session.game.info.seed)
            retelling = await self._until_esc(box, change(session.save, models, number, TURNS))
        if retelling is None:
            self.status.hint = "Stopped. Nothing was added to the story."
            return
        titles = {branch.name: branch.title for branch in await session.branches()}
        branches = " and ".join(f"“{titles[name]}”" for name in retelling.branches)
        lines = (*describe_change(retelling, self._cast.names), "", f"New branches (F3): {branches}")
        choice = dialogs.DialogChoice("c", "compare", "with your story; what the control shows too is faint")
        answer = dialogs.ChoiceDialog("What if", "\n".join(lines), choice, keys="esc back")
        if await self.app.push_screen_wait(answer):
            names = (session.branch, *retelling.branches)
            sides = (Side(f"{one_line(titles[name], 40)}, turn {last}", f"{name}@{last}") for name in names)
            await self.app.push_screen_wait(CompareScreen(BranchSource(session), *sides))

    async def _why(self) -> None:
        from theact_tui.lab.replay import recorded_call
        from theact_tui.lab.why import ask_until_stopped, describe_why

        session, number = self.session, self.number
        session.check_free()
        key = "narrator" if self.person == NARRATOR else f"character:{self.person}"
        call = await session.run(recorded_call, session.save, number, key)
        line = (await session.turns(number, number))[0].player_text
        box = dialogs.ProgressDialog("Asking why", "esc shows what there is.", keys="esc show")
        work = ask_until_stopped(call, line, session.agents.model(key), box.say, "esc")
        if answer := await self._until_esc(box, work):
            title, *lines = describe_why(answer)
            await self.app.push_screen_wait(
                dialogs.ChoiceDialog(title or "Why", "\n".join(lines), keys="esc back")
            )

    async def _until_esc(self, box: dialogs.ProgressDialog, work: Coroutine[Any, Any, T]) -> T | None:
        """Return None if esc was pressed."""
        task = asyncio.ensure_future(work)

        def stop(_: None) -> None:
            task.cancel()

        await self.app.push_screen(box, stop)
        try:
            return await task
        except asyncio.CancelledError:
            return None
        finally:
            box.dismiss()

    def _asked_row(self) -> Row:
        row = self.panes.row
        if row is None or row.kind not in ASKED:
            raise UsageError("Choose a line, beat, moment or lore with ↑ and ↓.")
        return row

    @work(group="hands", exclusive=True)
    async def action_lore(self) -> None:
        session = self.session
        if not isinstance(session, StorySession):
            return

        async def entries() -> list[LoreEntry]:
            return [entry for book in session.game.pack.lore.values() for entry in book]

        names = {id: person.name for id, person in session.game.pack.characters.items()}
        keep = None if session.read_only else lambda entry: session.edit(edits.set_lore, entry)
        await self.guarded(edit_lore(self.app, entries, names, keep))
        self.renew()

    async def _pin(self, session: StorySession) -> None:
        row = self.panes.memory.row
        await session.settle()
        if row and row.kind == "moment":
            moments = session.game.moments
            place = line_index([(moment.turn, moment.summary) for moment in moments], row)
            await session.edit(edits.pin_moment, place, pinned=not moments[place].pinned)
        elif row and row.kind == "line":
            lines = lines_of(edits.memory_of(session.game, self.person))
            place = line_index([(line.turn, line.text) for line in lines], row)
            await session.edit(edits.pin_line, self.person, place, pinned=not lines[place].pinned)
        else:
            raise UsageError("Only lines and moments can be pinned. Choose one with ↑ and ↓.")

    async def _overrule(self, session: StorySession) -> None:
        row = self.panes.row
        await session.settle()
        game, turn = session.game, session.game.last_turn
        kind, _, name = row.key.partition(" ") if row else ("", "", "")
        match kind:
            case "beat":
                number = int(name)
                hit = game.chapter.beats[number - 1] not in game.state.beats_hit
                await session.edit(edits.mark_beat, number, hit=hit)
            case "gate":
                now = game.state.gates.get(name)
                await session.edit(edits.set_gate, name, {None: True, True: False, False: None}[now])
            case "chapter":
                follows: dict[str, Literal["", "end", "keep"]] = {"": "end", "end": "keep", "keep": ""}
                await session.edit(edits.set_chapter, follows[game.state.chapter_set])
            case "heard" if turn:
                was_present, heard = name in turn.witnesses, turn.heard.get(name, FULLY_HEARD)
                part: edits.Hearing = "all" if not was_present else "page" if heard == FULLY_HEARD else "none"
                await session.edit_turn(turn.number, edits.set_heard, name, part)
            case _:
                raise UsageError("Choose a decision with ↑ and ↓ to overrule it.")

    async def _edit(self, session: StorySession) -> None:
        play = next((screen for screen in self.app.screen_stack if isinstance(screen, PlayScreen)), None)
        if self.view == "words" and play:
            await play.edit_turn(self._turn)
            return
        row = self.panes.memory.row
        if row is None or row.kind not in ("line", "summary"):
            raise UsageError("Choose a line or the summary with ↑ and ↓, or press a to add a line.")
        person, source = self.person, f"from turn {row.turn}" if row.kind == "line" else "in short"
        title = f"What {self._cast.name(person)} remembers {source}"
        title += " · leave empty to delete" if row.kind == "line" else ""
        text = await self.app.push_screen_wait(dialogs.TextDialog(title, row.text, single=True))
        if text is None or text.strip() == row.text.strip():
            return
        await session.settle()
        memory = edits.memory_of(session.game, person)
        await session.edit(edits.set_memory, person, rewritten(memory, row, clean(text).strip()))

    async def _add(self, session: StorySession) -> None:
        row, person = self.panes.memory.row, self.person
        require_fact_room(edits.memory_of(session.game, person))
        offered = row.text if row and row.kind in ("gone", "older") else ""
        title = f"New memory of {self._cast.name(person)}"
        text = await self.app.push_screen_wait(dialogs.TextDialog(title, offered, single=True))
        if text is None or not text.strip():
            return
        await session.settle()
        memory: FactsMemory = require_fact_room(edits.memory_of(session.game, person))
        fact = Fact(text=flat(text), turn=session.game.state.turn)
        added = memory.model_copy(update={"key_facts": (*memory.key_facts, fact)})
        await session.edit(edits.set_memory, person, added)
