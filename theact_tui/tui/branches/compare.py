"""Two places of a story side by side: the screen, and the pages of a played story's comparison."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.visual import Visual
from textual.widgets import Static

from theact_tui.errors import TheActError
from theact_tui.saves.compare import ComparedState, Comparison, MemoryDifference, TurnPair
from theact_tui.story.game import Game
from theact_tui.story.turn import Turn
from theact_tui.text import one_line, paragraphs
from theact_tui.tui.actions import bindings
from theact_tui.tui.blocks import Cast, block_rows, turn_blocks
from theact_tui.tui.branches.actions import COMPARE_ACTIONS, COMPARE_HELP
from theact_tui.tui.branches.source import BranchSource, ComparedPoint, FoundComparison, NumberedPair
from theact_tui.tui.visuals import INKS, Indented, SideBySide, Stack, plain_text
from theact_tui.tui.widgets.base_screen import COPY, PageScreen

SAME = "The facts are the same: chapter, beats, who is here, moments and memories."
ENDS = "This version ends before this turn."


def meaning_page(found: Comparison, names: tuple[str, str], game: Game) -> Visual:
    """Where they part, and what each has that the other has not."""
    cast = Cast.of(game.pack)
    sides = (found.a, found.b)
    rows: list[Visual] = [Content.styled(parting_line(found), ".quiet"), Content("")]
    rows.append(
        SideBySide(*(_name(name, side, ink) for name, side, ink in zip(names, sides, INKS, strict=True)))
    )
    aspects = [*_aspects(found, cast)]
    if not aspects:
        return Stack(*rows, Content(""), Content.styled(SAME, ".quiet"))
    for title, both in aspects:
        rows += [Content(""), title, both]
    return Stack(*rows)


def parting_line(found: FoundComparison, word: str = "turn") -> str:
    """Where the two part; a turn is called `word`."""
    if found.fork_turn < 0:
        return f"They have no {word} in common."
    if found.fork_turn == found.a.turn == found.b.turn:
        return f"Both are {word} {found.fork_turn}."
    return f"They differ after {word} {found.fork_turn}. Below is what only one of them has."


def _name(name: str, side: ComparedState, ink: str) -> Visual:
    return Stack(
        Content.styled(one_line(name, 60), f"{ink}").stylize("bold"),
        Content.styled(one_line(side.chapter.title, 60), ".quiet"),
    )


def _aspects(found: Comparison, cast: Cast) -> Iterable[tuple[Visual, Visual]]:
    """The kinds of things in which they differ, each with its title."""
    sides = (found.a, found.b)
    if found.a.chapter != found.b.chapter:
        yield (
            Content.styled("CHAPTER", ".strong"),
            SideBySide(*(Content(one_line(side.chapter.title, 80)) for side in sides)),
        )
    kinds: tuple[tuple[str, str, str, Callable[[ComparedState], list[str]]], ...] = (
        ("BEATS", "✓", ".good", lambda side: list(side.beats)),
        ("HERE", "●", "", lambda side: [cast.name(id) for id in side.present]),
        ("MOMENTS", "✦", ".warn", lambda side: [f"turn {m.turn}: {m.summary}" for m in side.moments]),
        ("EARLIER CHAPTERS", "·", ".quiet", lambda side: [f"{r.title}. {r.text}" for r in side.recaps]),
    )
    for title, mark, ink, lines in kinds:
        both = [lines(side) for side in sides]
        if any(both):
            yield (
                Content.styled(title, ".strong"),
                SideBySide(*(marked_lines(mark, ink, each) for each in both)),
            )
    for id in (id for id in cast.names if id in found.a.characters or id in found.b.characters):
        name = Content.styled(one_line(cast.name(id), 40), f".voice-{cast.voice(id)}")
        yield name, SideBySide(*(_memory(side.characters.get(id)) for side in sides))


def marked_lines(mark: str, ink: str, texts: Iterable[str]) -> Visual | None:
    """Lines of one kind with their mark; None where there are none."""
    rows = [Indented(Content.styled(f"{mark} ", ink), Content(one_line(text, 600))) for text in texts]
    return Stack(*rows) if rows else None


def _memory(difference: MemoryDifference | None) -> Visual | None:
    """What a character remembers only on this side."""
    if difference is None:
        return None
    rows: list[Visual] = []
    if difference.summary:
        rows += [Content.styled(" ".join(paragraphs(difference.summary)), ".quiet")]
    rows += [_remembered("+", ".good", line.turn, line.text) for line in difference.learned]
    rows += [_remembered("~", ".warn", line.turn, line.here) for line in difference.changed]
    return Stack(*rows) if rows else None


def _remembered(mark: str, ink: str, turn: int, text: str) -> Visual:
    head = Content.assemble((f"{mark} ", ink), (f"{turn:<4}", ".faint"))
    return Indented(head, Content(" ".join(paragraphs(text))))


def pair_page(pair: TurnPair, names: tuple[str, str], game: Game) -> Visual:
    """One turn on both sides."""
    cast = Cast.of(game.pack)
    return Stack(
        Content(""),
        Content.styled(f"TURN {pair.number}", ".strong"),
        SideBySide(_turn(pair.a, cast, game), _turn(pair.b, cast, game), names=names),
    )


def _turn(turn: Turn | None, cast: Cast, game: Game) -> Visual:
    if turn is None:
        return Content.styled(ENDS, ".quiet")
    rows = block_rows(block for block in turn_blocks(game.pack, cast, turn) if not block.centred)
    while rows and not plain_text(rows[0]):
        rows.pop(0)
    return Stack(*rows)


PAGE = 6
"""Turns read at a time."""


class ComparedPage(VerticalScroll, can_focus=True):
    """The page; posts `NearEnd` when the reader comes near its end."""

    class NearEnd(Message):
        """Less than a screen is left below."""

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        if new_value > self.max_scroll_y - self.size.height:
            self.post_message(self.NearEnd())


class CompareScreen(PageScreen[None], inherit_bindings=False):
    """Compares two points of something open."""

    CSS_PATH = "screen.tcss"
    BINDINGS = [*bindings(COMPARE_ACTIONS), COPY]
    HELP: ClassVar[str] = COMPARE_HELP
    HELP_TITLE: ClassVar[str] = "Comparison"

    def __init__(self, source: BranchSource, a: ComparedPoint, b: ComparedPoint) -> None:
        super().__init__()
        self.source = source
        self.points = (a, b)
        self.found: FoundComparison | None = None
        """None until it is read."""
        self.pairs: list[NumberedPair] = []
        """The turns that are shown."""
        self._reading = False

    def compose_page(self) -> ComposeResult:
        with ComparedPage(id="body"):
            yield Static("Comparing…", id="meaning", classes="part", markup=False)

    async def on_mount(self) -> None:
        self.body.focus()
        await self.load_early(self.source.difference(*self.points), self._compare, "compare")

    @property
    def body(self) -> ComparedPage:
        return self.query_one(ComparedPage)

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

    async def _compare(self, difference: Awaitable[FoundComparison]) -> None:
        title = one_line(self.source.title, 40)
        names = " against ".join(one_line(name, 40) for name in self.names)
        head = Content.assemble((title, ".strong"), " · compare")
        self.show_head(head, Content.styled(names, ".quiet"))
        try:
            self.found = await difference
        except TheActError as error:
            self.query_one("#meaning", Static).update("")
            self.status.warning = error.message
            return
        await self.query(".turn").remove()
        self.pairs = []
        self.query_one("#meaning", Static).update(self.source.meaning(self.found, self.names))
        await self._add(self.found.turns)
        self.body.scroll_home(animate=False)
        self.refresh_bindings()

    async def _add(self, pairs: Sequence[NumberedPair]) -> None:
        self.pairs += pairs
        await self.body.mount(
            *(
                Static(
                    self.source.side_by_side(pair, self.names), id=f"turn-{pair.number}", classes="part turn"
                )
                for pair in pairs
            )
        )

    @on(ComparedPage.NearEnd)
    def read_more(self) -> None:
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
            pairs = await self.source.following(found, first, first + PAGE - 1)
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
        difference = self.source.difference(*self.points)
        self.run_worker(self._compare(difference), group="compare", exclusive=True)

    def action_close(self) -> None:
        self.dismiss()
