"""The memory inspector: what everyone knew at any turn, what was asked for it, and the engine at work. Read only but for
pins and edits by hand, which the session makes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.widgets import OptionList

from theact_tui.engine.session import Session
from theact_tui.errors import UsageError
from theact_tui.tui.acts import bindings
from theact_tui.tui.doing import Doing
from theact_tui.tui.guard import guard
from theact_tui.tui.screens import inspector_hands as hands
from theact_tui.tui.screens.inspector_acts import HELP, INSPECTOR_ACTS
from theact_tui.tui.screens.inspector_book import Frame
from theact_tui.tui.screens.inspector_draw import NARRATOR, Drawing
from theact_tui.tui.screens.inspector_live import Live
from theact_tui.tui.screens.inspector_reading import Reading
from theact_tui.tui.screens.play import PlayScreen
from theact_tui.tui.typeset import Cast
from theact_tui.tui.widgets.inspect_list import Row, RowList
from theact_tui.tui.widgets.inspect_panes import VIEWS, Panes
from theact_tui.tui.widgets.inspect_people import People
from theact_tui.tui.widgets.keyline import KeyLine
from theact_tui.tui.widgets.masthead import Line, Rule
from theact_tui.tui.widgets.page import Page
from theact_tui.tui.widgets.statusline import StatusLine


class InspectorScreen(Page, inherit_bindings=False):
    """Looks into one session, at one person and one turn."""

    CSS_PATH = "inspector.tcss"
    BINDINGS = [*bindings(INSPECTOR_ACTS), Binding("ctrl+c,super+c", "screen.copy_text", "copy", show=False)]
    HELP: ClassVar[str] = HELP
    HELP_TITLE: ClassVar[str] = "Looking inside"

    def __init__(self, session: Session, person: str = NARRATOR) -> None:
        super().__init__()
        self.session = session
        self.person = person
        """A character's id, or that of the narrator."""
        self.at: int | None = None
        """The turn one looks at; None follows the newest."""
        self.view = "memory"
        self.source: Row | None = None
        """The line whose turn is shown among the words, if it is another turn's."""
        self.prompt_at = 0
        """Which of the person's prompts is shown."""
        self.cast = Cast.of(session.game.pack)
        self.live = Live(doing=Doing(self.cast.name))
        self.drawing = Drawing(self)
        self.reading = Reading(self)

    def compose(self) -> ComposeResult:
        yield Line(id="head")
        yield Rule(id="rule")
        yield People(id="people")
        yield Panes(id="body")
        yield StatusLine(id="status")
        yield KeyLine()

    async def on_mount(self) -> None:
        self.app.theme_changed_signal.subscribe(self, lambda _: self.renew())
        self.panes.turn_to(self.view)
        self.memory.focus(scroll_visible=False)
        await self.early(self.reading.first(), self.reading.begin, "first")
        self.run_worker(self.reading.follow(), group="events")

    def on_resize(self) -> None:
        """There may be room for more panes now, which have not been drawn yet."""
        if self.settled:
            self.call_later(self._rearrange)

    def _rearrange(self) -> None:
        self.panes.turn_to(self.view)
        self.renew()

    def on_unmount(self) -> None:
        self.app.theme_changed_signal.unsubscribe(self)  # which would keep this screen in memory for good

    # --- where one looks ------------------------------------------------------------------------------------------

    @property
    def newest(self) -> int:
        """The newest turn, be it saved or still being told."""
        return max(self.live.turn, self.session.game.state.turn)

    @property
    def number(self) -> int:
        """The turn one looks at."""
        return self.newest if self.at is None else min(self.at, self.newest)

    @property
    def people(self) -> tuple[str, ...]:
        """Ids of all tabs in their order."""
        return (*self.session.game.pack.characters, NARRATOR)

    @property
    def frame(self) -> Frame | None:
        """What is shown; None until it is read."""
        return self.reading.frame

    @property
    def settled(self) -> bool:
        """All that was asked for is read and drawn."""
        return self.reading.settled

    @property
    def status(self) -> StatusLine:
        return self.query_one(StatusLine)

    @property
    def panes(self) -> Panes:
        return self.query_one(Panes)

    @property
    def memory(self) -> RowList:
        """The remembered lines."""
        return self.query_one("#memory", RowList)

    def _look(self, view: str) -> None:
        """Show a view and give it the keys."""
        self.view = view
        self.panes.turn_to(view)
        self.status.warning = ""
        self.query_one(VIEWS[view]).focus(scroll_visible=False)
        self.refresh_bindings()
        if self.frame:
            self.drawing.all(self.frame)
        self.renew()

    def renew(self) -> None:
        """Read and draw what one looks at now."""
        self.reading.renew()
        self.rest()

    async def guarded(self, act: Awaitable[object]) -> None:
        """Do something; what goes wrong is said in the status line."""
        await guard(self, act, self.report)

    # --- keys -----------------------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Hide what cannot be done here."""
        match action:
            case "where":
                return self.view in ("memory", "knows")
            case "go":
                return self.view in ("memory", "knows", "words")
            case "pin" | "edit" | "add":
                return self.view == "memory" and not self.session.read_only
            case _:
                return True

    def action_turn(self, step: int) -> None:
        self._go(self.number + step)

    def action_first(self) -> None:
        self._go(1)

    def action_newest(self) -> None:
        self._go(self.newest)

    def _go(self, number: int) -> None:
        """Look at a turn; the newest is followed from then on."""
        number = max(min(1, self.newest), number)
        self.at = None if number >= self.newest else number
        self.source, self.prompt_at = None, 0
        self.status.warning = ""
        self.renew()

    def action_person(self, step: int) -> None:
        people = self.people
        self._choose(people[(people.index(self.person) + step) % len(people)])

    @on(People.Chosen)
    def chosen(self, event: People.Chosen) -> None:
        self._choose(event.id)

    def _choose(self, person: str) -> None:
        self.person, self.prompt_at, self.source = person, 0, None
        self.status.warning = ""
        self.renew()

    def action_view(self, view: str) -> None:
        self.source = None
        self._look(view)

    def action_prompt(self) -> None:
        """The prompt of this person, of the call under the cursor, or the next one when it is shown already."""
        if self.view == "calls":
            self.drawing.turn_to_call()
        elif self.view == "prompt":
            self.prompt_at += 1
        self._look("prompt")
        self.query_one("#prompt-page").scroll_home(animate=False)

    def action_where(self) -> None:
        """The words of the turn a line came from."""
        row = self._row
        if row and row.turn:
            self.source = row
            self._look("words")
        else:
            self.status.warning = "Choose a line with ↑ and ↓; this one came from no single turn."

    @property
    def _row(self) -> Row | None:
        """The line under the cursor of the list one looks at."""
        lists = {"memory": "#memory", "knows": "#knows"}
        return self.query_one(lists[self.view], RowList).row if self.view in lists else None

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """A click into a pane looks at it."""
        view = next((view for view, place in VIEWS.items() if place == f"#{event.widget.id}"), self.view)
        if view != self.view:
            self._look(view)

    @on(OptionList.OptionHighlighted, "#calls")
    def call_chosen(self) -> None:
        self.drawing.call()

    def action_back(self) -> None:
        if self.view == "memory":
            self.dismiss()
        else:
            self.action_view("memory")

    def action_leave_now(self) -> None:
        self.dismiss()

    def action_go(self) -> None:
        """Leave, and bring the turn of the line or the words to the top of the story."""
        row = self.source or self._row
        number = row.turn if row and row.turn else self.number
        play = next((screen for screen in self.app.screen_stack if isinstance(screen, PlayScreen)), None)
        self.dismiss()
        if play is not None:
            play.run_worker(hands.turn_to(play, number), group="pages", exclusive=True)

    # --- by hand --------------------------------------------------------------------------------------------------

    def action_pin(self) -> None:
        self._by_hand(hands.pin)

    def action_edit(self) -> None:
        self._by_hand(hands.edit)

    def action_add(self) -> None:
        self._by_hand(hands.add)

    @work(group="hands", exclusive=True)
    async def _by_hand(self, deed: Callable[[InspectorScreen], Awaitable[None]]) -> None:
        await self.guarded(self._only_now(deed))

    async def _only_now(self, deed: Callable[[InspectorScreen], Awaitable[None]]) -> None:
        if self.at is not None:
            raise UsageError("Only the newest memory can be changed; end goes there.")
        await deed(self)
        self.renew()


def make(session: Session | None) -> InspectorScreen:
    """The inspector, opened on whoever spoke last."""
    assert session is not None
    turn = session.game.last_turn
    spoke = [entry.character for entry in turn.entries if entry.character] if turn else []
    return InspectorScreen(session, spoke[-1] if spoke else NARRATOR)
