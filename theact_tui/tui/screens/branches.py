"""The tree of branches (S10): every way the story went, what the turn under the cursor holds, and going there."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, cast

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.types import CSSPathType
from textual.widgets import Static

from theact_tui.engine import events as e
from theact_tui.text import one_line
from theact_tui.tui.acts import bindings
from theact_tui.tui.guard import guard
from theact_tui.tui.screens import branches_asks as asks
from theact_tui.tui.screens.branches_acts import HELP, TREE_ACTS
from theact_tui.tui.screens.branches_outlook import Outlook
from theact_tui.tui.screens.branches_page import Spot
from theact_tui.tui.screens.branches_preview import Preview, StoryPreview
from theact_tui.tui.screens.branches_read import Moving, Tree, read_tree, same_place
from theact_tui.tui.storylines import Forest, Place, Step
from theact_tui.tui.visuals import Spread
from theact_tui.tui.widgets.keyline import KeyLine
from theact_tui.tui.widgets.masthead import Line, Rule
from theact_tui.tui.widgets.page import Page
from theact_tui.tui.widgets.statusline import StatusLine
from theact_tui.tui.widgets.storytree import StoryTree

if TYPE_CHECKING:
    from theact_tui.engine.session import Session
    from theact_tui.tui.screens.compare import CompareScreen, Point

    Look = tuple[Tree, Any]

CHANGING = (e.TurnSaved, e.BranchSwitched, e.Undone, e.Redone, e.Edited)
"""After these the tree has to be read again."""


class BranchesScreen(Page, inherit_bindings=False):
    """The tree of one open story. Going somewhere closes it."""

    CSS_PATH: ClassVar[CSSPathType | None] = "branches.tcss"
    BINDINGS = [*bindings(TREE_ACTS), Binding("ctrl+c,super+c", "screen.copy_text", "copy", show=False)]
    HELP: ClassVar[str] = HELP
    HELP_TITLE: ClassVar[str] = "Branches and takes"

    def __init__(self, session: Moving) -> None:
        super().__init__()
        self.session = session
        self.tree_read: Tree | None = None
        """None until it is read."""
        self.marked: tuple[Spot, str] | None = None
        """The marked turn and its commit."""
        self.preview: Preview = StoryPreview(self)

    def compose(self) -> ComposeResult:
        yield Line(id="head")
        yield Rule(id="rule")
        yield StoryTree(id="tree")
        yield Static("Reading the tree…", id="loading", markup=False)
        yield Outlook(id="below")
        yield StatusLine(id="status")
        yield KeyLine()

    async def on_mount(self) -> None:
        self.tree_widget.focus()
        self._head()
        await self.early(self._look(), self._refresh, "tree")
        self._follow()

    # --- what is shown ----------------------------------------------------------------------------------------------

    @property
    def tree_widget(self) -> StoryTree:
        return self.query_one(StoryTree)

    @property
    def status(self) -> StatusLine:
        return self.query_one(StatusLine)

    @property
    def forest(self) -> Forest:
        """The lines of the tree. Only once it is read."""
        assert self.tree_read is not None
        return self.tree_read.forest

    @property
    def deleted(self) -> tuple[str, ...]:
        """Names of branches in the trash."""
        return self.tree_read.deleted if self.tree_read else ()

    @property
    def place(self) -> Place:
        """Where the cursor is."""
        return self.tree_widget.place

    @property
    def branch(self) -> str:
        """The branch that ends under the cursor, or nothing."""
        line = self.forest.lines[self.place.row]
        return line.branch if self.place.turn == line.last else ""

    @property
    def spot(self) -> Spot:
        """The turn under the cursor, as people call it."""
        return self.spot_at(self.place)

    @property
    def settled(self) -> bool:
        """All that was asked for is read and shown."""
        return self.tree_read is not None and self.preview.settled

    def spot_at(self, place: Place) -> Spot:
        """A turn as people call it."""
        branch = self.name_of(self.forest.lines[place.row].branch)
        return Spot(self.forest.node(place), place.turn, branch, place == self.forest.here)

    @property
    def title_of(self) -> str:
        """What the story is called."""
        return cast("Session", self.session).game.pack.game.title

    def name_of(self, name: str) -> str:
        """What people call a branch."""
        return self.tree_read.titles.get(name, name) if self.tree_read else name

    @work(group="tree", exclusive=True)
    async def action_refresh(self) -> None:
        """Read the tree again; the cursor stays at its turn."""
        await self._refresh(self._look())

    async def _refresh(self, look: Awaitable[Look]) -> None:
        await self.guarded(self._show(look))
        if self.tree_read is None:
            self.query_one("#loading", Static).update("The tree could not be read. F5 tries again.")

    async def _look(self) -> Look:
        """Read the tree, and the turn where the story stands."""
        tree = await self.session.run(read_tree, self.session.save)
        return tree, await self.preview.game(tree.forest, tree.forest.here)

    async def _show(self, look: Awaitable[Look], at: str = "") -> None:
        """Show the tree, with the cursor at its turn, or at the end of branch `at`."""
        tree, game = await look
        old, before = self.tree_read, self.place
        place = tree.forest.branch(at) if at else None
        if place is None and old is not None:
            place = same_place(old.forest, tree.forest, before)
        self.tree_read = tree
        self.preview.forget()
        self.query_one("#loading").display = False
        self.tree_widget.show(tree.forest, place or tree.forest.here, self.name_of)
        self._head()
        if self.place == tree.forest.here:
            self.preview.show(game)
        self.refresh_bindings()

    def _head(self) -> None:
        title = Content.assemble((one_line(self.title_of, 40), ".strong"), " · branches")
        bits = ["read only"] if self.session.read_only else []
        bits += self.tree_read.counts if self.tree_read else []
        self.query_one("#head", Line).parts = Spread(title, Content.styled(" · ".join(bits), ".quiet"))

    @work(group="events")
    async def _follow(self) -> None:
        """Read the tree again when the story changes meanwhile."""
        stream = self.session.bus.stream()
        try:
            async for event in stream:
                if isinstance(event, CHANGING):
                    self.action_refresh()
        finally:
            stream.close()

    @on(StoryTree.Moved)
    def moved(self, event: StoryTree.Moved) -> None:
        self.refresh_bindings()
        self.preview.want(event.place)

    async def guarded(self, act: Awaitable[object]) -> None:
        """What goes wrong is said in the line above the keys."""
        await guard(self, act, self.report)

    # --- acts ---------------------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what can be done with the turn under the cursor."""
        if action in ("close", "refresh"):
            return True
        if self.tree_read is None:
            return action not in {act.action.partition("(")[0] for act in TREE_ACTS}
        writable = not self.session.read_only
        match action:
            case "go" | "name":
                return writable
            case "export":
                return bool(self.branch)
            case "rename":
                return writable and bool(self.branch)
            case "delete":
                return writable and bool(self.branch) and self.branch != self.session.branch
            case "restore":
                return writable and bool(self.deleted)
            case "compare":
                return self.place != (self.tree_widget.marked or self.forest.here)
            case _:
                return True

    def action_step(self, step: Step) -> None:
        self.status.warning = self.status.hint = ""
        self.tree_widget.go(step)

    def action_here(self) -> None:
        self.tree_widget.go_to(self.forest.here)

    def action_page(self, pages: int) -> None:
        self.query_one(Outlook).page(pages)

    def action_mark(self) -> None:
        """Mark the turn under the cursor, or take the mark away."""
        again = self.tree_widget.marked == self.place
        self.tree_widget.marked = None if again else self.place
        self.status.hint = (
            "" if again else f"Marked {self.spot.name}. c compares the turn under the cursor with it."
        )
        self.refresh_bindings()

    def action_go(self) -> None:
        self._do(self._go)

    def action_name(self) -> None:
        self._do(partial(self._change, asks.name, "{} begins here. enter goes on with it."))

    def action_rename(self) -> None:
        self._do(partial(self._change, asks.rename, "It is called {} now."))

    def action_restore(self) -> None:
        self._do(partial(self._change, asks.restore, "{} is back."))

    def action_delete(self) -> None:
        self._do(self._delete)

    def action_export(self) -> None:
        self._do(self._export)

    def action_compare(self) -> None:
        from theact_tui.tui.screens.compare import Point

        spots = (self.spot_at(self.tree_widget.marked or self.forest.here), self.spot)
        self.app.push_screen(self.comparison(*(Point(s.name, f"{s.node.tip}@{s.turn}") for s in spots)))

    def comparison(self, a: Point, b: Point) -> CompareScreen:
        """The screen that compares two places."""
        from theact_tui.tui.screens.compare import CompareScreen, StorySides

        return CompareScreen(StorySides(cast("Session", self.session)), a, b)

    def action_close(self) -> None:
        self.dismiss()

    @on(StoryTree.Chosen)
    def chosen(self) -> None:
        if self.check_action("go", ()):
            self.action_go()

    @work(group="deeds", exclusive=True)
    async def _do(self, deed: Callable[[], Awaitable[object]]) -> None:
        self.status.warning = self.status.hint = ""
        await self.guarded(deed())

    async def _go(self) -> None:
        if await asks.go(self):
            self.dismiss()

    async def _change(self, ask: Callable[[BranchesScreen], Awaitable[str]], said: str) -> None:
        """Change the branches; the cursor goes to the one that was changed."""
        if name := await ask(self):
            await self._show(self._look(), name)
            self.status.hint = said.format(one_line(self.name_of(name), 40))

    async def _export(self) -> None:
        if file := await asks.export(self):
            self.app.notify(f"Written to {file}", timeout=12, markup=False)

    async def _delete(self) -> None:
        if title := await asks.delete(self):
            await self._show(self._look())
            self.status.hint = f"{title} is in the trash. t brings it back."


def make(session: Session | None) -> BranchesScreen:
    """The screen, for `doors`. A story must be open."""
    assert session is not None
    return BranchesScreen(session)
