from collections.abc import Iterator, Sequence
from typing import ClassVar

from textual import getters, work
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.visual import Visual
from textual.widget import Widget
from textual.widgets import Static

from theact_tui.errors import TheActError
from theact_tui.saves.compare import Comparison, TurnPair, same_turns
from theact_tui.text import one_line
from theact_tui.tui.actions import bindings
from theact_tui.tui.branches.keys import COMPARE_ACTIONS, COMPARE_HELP
from theact_tui.tui.branches.source import BranchSource, Side
from theact_tui.tui.visuals import Stack, quiet, strong
from theact_tui.tui.widgets.base_screen import COPY, PageScreen

PAGE = 6


class CompareScreen(PageScreen[None], inherit_bindings=False):
    CSS_PATH = "screen.tcss"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (98, "-wide")]
    BINDINGS = [*bindings(COMPARE_ACTIONS), COPY]
    HELP: ClassVar[str] = COMPARE_HELP
    HELP_TITLE: ClassVar[str] = "Comparison"
    body = getters.query_one(VerticalScroll)

    def __init__(self, source: BranchSource, a: Side, b: Side, control: Side | None = None) -> None:
        """Differences that `control` has too are faint."""
        super().__init__()
        self.source, self._session = source, source.session
        self.sides = (a, b)
        self._changed, self._control = b, control
        self.comparison: Comparison | None = None
        self.control: Comparison | None = None
        self.pairs: list[TurnPair] = []
        self._reading = False

    def compose_page(self) -> ComposeResult:
        with VerticalScroll(id="body"):
            yield Static("Comparing…", id="meaning", markup=False)

    async def on_mount(self) -> None:
        self.watch(self.body, "scroll_y", self._read_more, init=False)
        await self.load_early(self._compare(), "compare")

    @property
    def names(self) -> tuple[str, str]:
        return self.sides[0].name, self.sides[1].name

    @property
    def settled(self) -> bool:
        return (
            self.comparison is not None
            and len(self.pairs) >= len(self.comparison.turns)
            and not self._reading
        )

    async def _read(self) -> Comparison:
        a, b = (side.place for side in self.sides)
        save, run = self._session.save, self._session.run
        if not self._control:
            return await run(save.compare, a, b, limit=PAGE)
        sides = (self._control if side == self._changed else side for side in self.sides)
        self.control = await run(save.compare, *(side.place for side in sides))
        return await run(save.compare, a, b)

    async def _compare(self) -> None:
        head = Content.assemble((one_line(self.source.title, 40), ".strong"), " · compare")
        names = " against ".join(one_line(name, 52) for name in self.names)
        self.show_head(head, quiet(names))
        try:
            self.comparison = await self._read()
        except TheActError as error:
            self.query_one("#meaning", Static).update("")
            self.status.warning = error.message
            return
        await self.body.remove_children()
        await self.body.mount(*self._meaning(self.comparison))
        self.pairs = []
        await self._add(self.comparison.turns)
        self.body.scroll_home(animate=False)
        self.refresh_bindings()

    def _meaning(self, comparison: Comparison) -> Iterator[Widget]:
        fork, word = comparison.fork_turn, self.source.word
        parting = f"The same up to {word} {fork}. Below: what exists on one side only."
        if fork < 0:
            parting = f"They have no {word} in common."
        elif fork == comparison.a.turn == comparison.b.turn:
            parting = f"Both are {word} {fork}."
        if self._control:
            parting += " Chance differences are dimmed."
        yield Static(quiet(parting), id="meaning")
        yield Static()
        places = (quiet(one_line(side.chapter.title, 60)) for side in (comparison.a, comparison.b))
        yield sides(*places, names=self.names).add_class("heads")
        aspects = list(self.source.aspects(comparison, self.control))
        for title, *both in aspects:
            yield Static(Stack(Content(""), title))
            yield sides(*(Stack(*side) if side else None for side in both))
        if not aspects:
            yield Static(Stack(Content(""), quiet(self.source.same)))

    async def _add(self, pairs: Sequence[TurnPair]) -> None:
        self.pairs += pairs
        turn_text, word, parts = self.source.turn_text, self.source.word.upper(), []
        control, whole = self.control, self.comparison
        same = same_turns(whole, control) if whole and control else ()
        for pair in pairs:
            title = strong(f"{word} {pair.number}")
            one, two = (turn_text(turn, faint=pair.number in same) for turn in (pair.a, pair.b))
            both = sides(one, two, names=self.names)
            head = Static(Stack(Content(""), title))
            parts.append(Vertical(head, both, id=f"turn-{pair.number}", classes="turn"))
        await self.body.mount(*parts)
        self.call_after_refresh(self._read_more)  # a window that is not full yet cannot be scrolled

    def _read_more(self) -> None:
        body, comparison = self.body, self.comparison
        last = max(comparison.a.turn, comparison.b.turn) if comparison else 0
        is_near_end = body.scroll_y > body.max_scroll_y - body.size.height
        if comparison and is_near_end and self.pairs and self.pairs[-1].number < last and not self._reading:
            self._reading = True
            self._read_on(comparison)

    @work(group="turns")
    async def _read_on(self, comparison: Comparison) -> None:
        a, b, first = comparison.a.commit, comparison.b.commit, self.pairs[-1].number + 1
        try:
            pairs = await self._session.run(self._session.save.pairs, a, b, first, first + PAGE - 1)
        except TheActError as error:
            self.status.warning = error.message
            return
        finally:
            self._reading = False
        if comparison is self.comparison:
            await self._add(pairs)

    # --- acts -------------------------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("turn", "part"):
            return bool(self.pairs)
        return self.comparison is not None if action == "swap" else True

    def action_turn(self, step: int) -> None:
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
        self.sides = (self.sides[1], self.sides[0])
        self.run_worker(self._compare(), group="compare", exclusive=True)


def sides(*both: Visual | None, names: Sequence[str] = ()) -> Horizontal:
    """Place two visuals side by side, or stacked in a narrow window."""
    panes: list[Widget] = []
    for n, (side, place) in enumerate(zip(both, ("first", "second"), strict=True)):
        name = [Static(one_line(names[n], 60), classes="name", markup=False)] if names else []
        panes.append(Vertical(*name, Static(side or ""), classes=f"side {place}{'' if side else ' -empty'}"))
    return Horizontal(*panes, classes=f"sides {'-named' if names else ''}")
