"""Two places of a story side by side (S9): what parts them in meaning, then their turns. Turns are read as needed."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.types import CSSPathType
from textual.visual import Visual
from textual.widgets import Static

from theact_tui.errors import TheActError
from theact_tui.saves.compare import Comparison, Pair
from theact_tui.text import one_line
from theact_tui.tui.acts import bindings
from theact_tui.tui.screens.branches_acts import COMPARE_ACTS, COMPARE_HELP
from theact_tui.tui.screens.compare_page import meaning_page, pair_page
from theact_tui.tui.visuals import Spread
from theact_tui.tui.widgets.keyline import KeyLine
from theact_tui.tui.widgets.masthead import Line, Rule
from theact_tui.tui.widgets.page import Page
from theact_tui.tui.widgets.statusline import StatusLine

if TYPE_CHECKING:
    from theact_tui.engine.session import Session

PAGE = 6
"""Turns read at a time."""


@dataclass(frozen=True, slots=True)
class Point:
    """One of the two: what people call it, and what the save does."""

    name: str
    place: str


class Body(VerticalScroll, can_focus=True):
    """The page; tells when its end comes near."""

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        if isinstance(self.screen, CompareScreen) and new_value > self.max_scroll_y - self.size.height:
            self.screen.more()


class Numbered(Protocol):
    """A turn on both sides."""

    @property
    def number(self) -> int: ...


class Side(Protocol):
    """One of the two."""

    @property
    def turn(self) -> int: ...


class Found(Protocol):
    """A comparison: both sides, and the turns after the point where they part."""

    @property
    def fork_turn(self) -> int: ...

    @property
    def a(self) -> Side: ...

    @property
    def b(self) -> Side: ...

    @property
    def turns(self) -> Sequence[Numbered]: ...


class Sides(Protocol):
    """What can be compared: the branches of something open, and how what parts them is told."""

    @property
    def title(self) -> str:
        """What the story or chapter is called."""

    async def difference(self, a: Point, b: Point) -> Found:
        """What parts two points, with the first turns side by side."""

    async def following(self, found: Any, first: int, last: int) -> Sequence[Numbered]:
        """More of the turns."""

    def meaning(self, found: Any, names: tuple[str, str]) -> Visual:
        """What parts the two in meaning."""

    def side_by_side(self, pair: Any, names: tuple[str, str]) -> Visual:
        """One turn on both sides."""


class CompareScreen(Page, inherit_bindings=False):
    """Compares two points of something open."""

    CSS_PATH: ClassVar[CSSPathType | None] = "branches.tcss"
    BINDINGS = [*bindings(COMPARE_ACTS), Binding("ctrl+c,super+c", "screen.copy_text", "copy", show=False)]
    HELP: ClassVar[str] = COMPARE_HELP
    HELP_TITLE: ClassVar[str] = "Two ways compared"

    def __init__(self, sides: Sides, a: Point, b: Point) -> None:
        super().__init__()
        self.sides = sides
        self.points = (a, b)
        self.found: Found | None = None
        """None until it is read."""
        self.pairs: list[Numbered] = []
        """The turns that are shown."""
        self._reading = False

    def compose(self) -> ComposeResult:
        yield Line(id="head")
        yield Rule(id="rule")
        with Body(id="body"):
            yield Static("Comparing…", id="meaning", classes="part", markup=False)
        yield StatusLine(id="status")
        yield KeyLine()

    async def on_mount(self) -> None:
        self.body.focus()
        await self.early(self.sides.difference(*self.points), self._compare, "compare")

    @property
    def body(self) -> Body:
        return self.query_one(Body)

    @property
    def status(self) -> StatusLine:
        return self.query_one(StatusLine)

    @property
    def names(self) -> tuple[str, str]:
        return self.points[0].name, self.points[1].name

    @property
    def settled(self) -> bool:
        """All that was asked for is read and shown."""
        return self.found is not None and len(self.pairs) >= len(self.found.turns) and not self._reading

    @property
    def last(self) -> int:
        """The last turn that either has."""
        return max(self.found.a.turn, self.found.b.turn) if self.found else 0

    async def _compare(self, difference: Awaitable[Found]) -> None:
        title = one_line(self.sides.title, 40)
        names = " against ".join(one_line(name, 40) for name in self.names)
        head = Content.assemble((title, ".strong"), " · compare")
        self.query_one("#head", Line).parts = Spread(head, Content.styled(names, ".quiet"))
        try:
            self.found = await difference
        except TheActError as error:
            self.query_one("#meaning", Static).update("")
            self.status.warning = error.message
            return
        await self.query(".turn").remove()
        self.pairs = []
        self.query_one("#meaning", Static).update(self.sides.meaning(self.found, self.names))
        await self._add(self.found.turns)
        self.body.scroll_home(animate=False)
        self.refresh_bindings()

    async def _add(self, pairs: Sequence[Numbered]) -> None:
        self.pairs += pairs
        await self.body.mount(
            *(
                Static(
                    self.sides.side_by_side(pair, self.names), id=f"turn-{pair.number}", classes="part turn"
                )
                for pair in pairs
            )
        )

    def more(self) -> None:
        """Read on when there are turns that are not shown yet."""
        if self.pairs and self.pairs[-1].number < self.last and not self._reading:
            self._reading = True
            self._read_on()

    @work(group="turns")
    async def _read_on(self) -> None:
        found, first = self.found, self.pairs[-1].number + 1
        if found is None:
            return
        try:
            pairs = await self.sides.following(found, first, first + PAGE - 1)
        except TheActError as error:
            self.status.warning = error.message
            return
        finally:
            self._reading = False
        if found is self.found:
            await self._add(pairs)

    # --- acts -------------------------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("turn", "part"):
            return bool(self.pairs)
        return self.found is not None if action == "swap" else True

    def action_turn(self, step: int) -> None:
        """Bring the next turn, or the one before, to the top."""
        tops = [part.virtual_region.y + 1 for part in self.query(".turn")]
        at = self.body.scroll_offset.y
        if step > 0:
            self._to(next((top for top in tops if top > at), tops[-1]))
        else:
            self._to(next((top for top in reversed(tops) if top < at), 0))

    def action_part(self) -> None:
        top = self.query(".turn").first().virtual_region.y + 1
        self._to(0 if self.body.scroll_offset.y >= min(top, int(self.body.max_scroll_y)) else top)

    def _to(self, y: int) -> None:
        self.body.scroll_to(y=y, animate=False, immediate=True)

    def action_swap(self) -> None:
        self.points = (self.points[1], self.points[0])
        difference = self.sides.difference(*self.points)
        self.run_worker(self._compare(difference), group="compare", exclusive=True)

    def action_close(self) -> None:
        self.dismiss()


class StorySides:
    """Branches of a story that is played."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @property
    def title(self) -> str:
        return self._session.game.pack.game.title

    async def difference(self, a: Point, b: Point) -> Comparison:
        return await self._session.run(self._session.save.compare, a.place, b.place, limit=PAGE)

    async def following(self, found: Comparison, first: int, last: int) -> list[Pair]:
        sides = [
            await self._session.run(self._session.save.turns, first, last, side.commit)
            for side in (found.a, found.b)
        ]
        a, b = ({turn.number: turn for turn in turns} for turns in sides)
        return [Pair(number=n, a=a.get(n), b=b.get(n)) for n in sorted({*a, *b})]

    def meaning(self, found: Comparison, names: tuple[str, str]) -> Visual:
        return meaning_page(found, names, self._session.game)

    def side_by_side(self, pair: Pair, names: tuple[str, str]) -> Visual:
        return pair_page(pair, names, self._session.game)
