"""The tree of branches and takes of what is open: where one continues, names, compares and deletes them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.visual import Visual
from textual.widgets import Static

from theact_tui.engine import events as e
from theact_tui.saves.save import Save
from theact_tui.text import counted, one_line
from theact_tui.tui.actions import bindings
from theact_tui.tui.branches.actions import HELP, TREE_ACTIONS
from theact_tui.tui.branches.compare import CompareScreen
from theact_tui.tui.branches.graph import StoryTree
from theact_tui.tui.branches.layout import BranchLayout, Cursor, Step
from theact_tui.tui.branches.source import BranchSource, Spot, about
from theact_tui.tui.visuals import SplitLine, Stack
from theact_tui.tui.widgets.base_screen import COPY, PageScreen
from theact_tui.tui.widgets.dialogs import (
    ChoiceDialog,
    ConfirmDialog,
    DialogChoice,
    FormDialog,
    FormField,
    ListDialog,
    ask_format,
    ask_until_valid,
    exported,
)

REST_SECONDS = 0.04
"""How long the cursor has to rest on a turn before it is read."""
ALONE = """\
No branches yet. To create one, go to any {turn} and press n, or retry the last {turn} of the {story} with F4. \
Both versions are kept and shown here."""
CHANGING = (e.TurnSaved, e.BranchSwitched, e.Undone, e.Redone, e.Edited)
"""After these events the tree has to be read again."""


@dataclass(frozen=True, slots=True)
class Tree:
    """What is read of a save."""

    layout: BranchLayout
    titles: dict[str, str]
    deleted: tuple[str, ...]


def read_tree(save: Save[Any]) -> Tree:
    """The tree of a save with the titles of its branches. Call in the save's thread."""
    titles = {branch.name: branch.title for branch in save.branches()}
    return Tree(BranchLayout(save.tree(), save.branch), titles, tuple(save.deleted_branches()))


def same_place(old: BranchLayout, new: BranchLayout, place: Cursor) -> Cursor | None:
    """The place in a newly read tree that a place in the old one is now."""
    if place == old.here:
        return new.here
    branch = old.branch_at(place)
    return (new.branch(branch) if branch else None) or new.find(old.node(place).commit, place.turn)


class TurnPreview(Horizontal):
    """Two pages side by side; both scroll together."""

    def compose(self) -> ComposeResult:
        with VerticalScroll(id="turn", can_focus=False):
            yield Static(id="told")
        with VerticalScroll(id="against", can_focus=False):
            yield Static(id="glance")

    def show(self, told: Visual, beside: Visual) -> None:
        """Show two other pages from their beginning."""
        self.query_one("#told", Static).update(told)
        self.query_one("#glance", Static).update(beside)
        for pane in self.query(VerticalScroll):
            pane.scroll_home(animate=False)

    def page(self, pages: int) -> None:
        """Scroll on by so many pages."""
        for pane in self.query(VerticalScroll):
            pane.scroll_relative(y=pages * max(1, pane.size.height - 2), animate=False)


class BranchesScreen(PageScreen[None], inherit_bindings=False):
    """The tree of one open story or chapter. Going somewhere closes it."""

    CSS_PATH = "screen.tcss"
    BINDINGS = [*bindings(TREE_ACTIONS), COPY]
    HELP: ClassVar[str] = HELP
    HELP_TITLE: ClassVar[str] = "Branches and takes"

    def __init__(self, source: BranchSource) -> None:
        super().__init__()
        self.source = source
        self.session = source.session
        self.tree_read: Tree | None = None
        """None until it is read."""
        self._previewed: Cursor | None = None
        """The place whose turn is shown below; None where it may be out of date."""

    def compose_page(self) -> ComposeResult:
        yield StoryTree(id="tree")
        yield Static("Loading the tree…", id="loading", markup=False)
        yield TurnPreview(id="below")

    async def on_mount(self) -> None:
        self.tree_widget.focus()
        self._draw_head()
        await self.load_early(self._read(), self._refresh, "tree")
        self._follow()

    # --- what is shown ----------------------------------------------------------------------------------------------

    @property
    def tree_widget(self) -> StoryTree:
        return self.query_one(StoryTree)

    @property
    def branch_layout(self) -> BranchLayout:
        """The lines of the tree. Only once it is read."""
        assert self.tree_read is not None
        return self.tree_read.layout

    @property
    def place(self) -> Cursor:
        """Where the cursor is."""
        return self.tree_widget.place

    @property
    def branch(self) -> str:
        """The branch that ends under the cursor, or nothing."""
        return self.branch_layout.branch_at(self.place)

    @property
    def settled(self) -> bool:
        """All that was asked for is read and shown."""
        return self.tree_read is not None and self._previewed == self.place

    def spot(self, place: Cursor) -> Spot:
        """A turn as people call it."""
        layout = self.branch_layout
        return Spot(
            layout.node(place), place.turn, self.title_of(layout.lines[place.row].branch), self.source.word
        )

    def title_of(self, branch: str) -> str:
        """What people call a branch."""
        return self.tree_read.titles.get(branch, branch) if self.tree_read else branch

    def _draw_head(self) -> None:
        title = Content.assemble((one_line(self.source.title, 40), ".strong"), " · branches")
        facts = ["read only"] if self.session.read_only else []
        if self.tree_read:
            lines = self.branch_layout.lines
            takes = sum(not line.branch and bool(line.nodes[-1].take) for line in lines)
            facts.append(counted(sum(bool(line.branch) for line in lines), "branch", "branches"))
            facts += [counted(takes, "other take")] if takes else []
        self.show_head(title, Content.styled(" · ".join(facts), ".quiet"))

    # --- reading ----------------------------------------------------------------------------------------------------

    @work(group="tree", exclusive=True)
    async def action_refresh(self) -> None:
        """Read the tree again; the cursor stays at its turn."""
        await self._refresh(self._read())

    async def _refresh(self, reading: Awaitable[tuple[Tree, Any]]) -> None:
        await self.guarded(self._show(reading))
        if self.tree_read is None:
            self.query_one("#loading", Static).update("Could not load the tree. Press F5 to retry.")

    async def _read(self) -> tuple[Tree, Any]:
        """Read the tree, and the turn where the story stands."""
        tree = await self.session.run(read_tree, self.session.save)
        return tree, await self.source.state_at(tree.layout, tree.layout.here)

    async def _show(self, reading: Awaitable[tuple[Tree, Any]], at: str = "") -> None:
        """Show the tree, with the cursor at its turn, or at the end of branch `at`."""
        tree, state = await reading
        old, before, layout = self.tree_read, self.place, tree.layout
        place = layout.branch(at) if at else None
        if place is None and old is not None:
            place = same_place(old.layout, layout, before)
        self.tree_read = tree
        self._previewed = None
        self.query_one("#loading").display = False
        self.tree_widget.show(layout, place or layout.here, self.title_of)
        self._draw_head()
        if self.place == layout.here:
            self._show_turn(state)
        self.refresh_bindings()

    @work(group="events")
    async def _follow(self) -> None:
        """Read the tree again when the story changes meanwhile."""
        with closing(self.session.bus.stream()) as stream:
            async for event in stream:
                if isinstance(event, CHANGING):
                    self.action_refresh()

    @on(StoryTree.CursorMoved)
    def cursor_moved(self, event: StoryTree.CursorMoved) -> None:
        self.refresh_bindings()
        if event.place != self._previewed:
            self._preview_turn()

    @work(group="preview", exclusive=True)
    async def _preview_turn(self) -> None:
        """Read and show the turn under the cursor once it rests there."""
        place = self.place
        await asyncio.sleep(REST_SECONDS)
        await self.guarded(self._read_turn(place, self.branch_layout))
        self._previewed = place

    async def _read_turn(self, place: Cursor, layout: BranchLayout) -> None:
        state = await self.source.state_at(layout, place)
        if place == self.place and layout is self.branch_layout:
            self._show_turn(state)

    def _show_turn(self, state: Any) -> None:
        """Show the turn under the cursor, and how the story there differs from where one stands."""
        self._previewed = self.place
        source, spot, here = self.source, self.spot(self.place), self.spot(self.branch_layout.here)
        rows: list[Visual]
        if self.place == self.branch_layout.here:
            branch = Content.styled(one_line(self.session.branch_title, 60), ".strong")
            rows = [Content.styled("YOU ARE HERE", ".accent"), Content(""), about("branch", branch)]
            rows += source.here()
            if len(self.branch_layout.lines) == 1:
                alone = ALONE.format(turn=source.word, story=source.whole)
                rows += [Content(""), Content.styled(alone, ".quiet")]
        else:
            turns = spot.turn - here.turn
            more = "more" if turns > 0 else "fewer"
            distance = (
                f"{counted(abs(turns), source.word)} {more}" if turns else f"same number of {source.word}s"
            )
            rows = [
                SplitLine(
                    Content.styled("AGAINST", ".strong"), Content.styled(one_line(here.name, 40), ".quiet")
                ),
                Content.styled(distance, ".quiet"),
                Content(""),
                *source.against(state),
            ]
        self.query_one(TurnPreview).show(source.turn_page(state, spot), Stack(*rows))

    # --- keys -------------------------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what can be done with the turn under the cursor."""
        if action in ("close", "refresh"):
            return True
        if self.tree_read is None:
            return action not in {act.action.partition("(")[0] for act in TREE_ACTIONS}
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
                return writable and bool(self.tree_read.deleted)
            case "compare":
                return self.place != (self.tree_widget.marked or self.branch_layout.here)
            case _:
                return True

    def action_step(self, step: Step) -> None:
        self.status.warning = self.status.hint = ""
        self.tree_widget.go(step)

    def action_here(self) -> None:
        self.tree_widget.go_to(self.branch_layout.here)

    def action_page(self, pages: int) -> None:
        self.query_one(TurnPreview).page(pages)

    def action_mark(self) -> None:
        """Mark the turn under the cursor, or take the mark away."""
        again = self.tree_widget.marked == self.place
        self.tree_widget.marked = None if again else self.place
        hint = f"Marked {self.spot(self.place).name}. Press c on another turn to compare."
        self.status.hint = "" if again else hint
        self.refresh_bindings()

    def action_compare(self) -> None:
        other = self.tree_widget.marked or self.branch_layout.here
        self.app.push_screen(CompareScreen(self.source, self.spot(other), self.spot(self.place)))

    def action_close(self) -> None:
        self.dismiss()

    @on(StoryTree.TurnClicked)
    def turn_clicked(self) -> None:
        if self.check_action("go", ()):
            self.action_go()

    def action_go(self) -> None:
        self._do(self._go)

    def action_name(self) -> None:
        self._do(self._change, self._ask_name, "Created branch {}. Press enter to continue there.")

    def action_rename(self) -> None:
        self._do(self._change, self._rename, "Renamed to {}.")

    def action_restore(self) -> None:
        self._do(self._change, self._restore, "Restored {}.")

    def action_delete(self) -> None:
        self._do(self._delete)

    def action_export(self) -> None:
        self._do(self._export)

    @work(group="deeds", exclusive=True)
    async def _do(self, act: Callable[..., Awaitable[object]], *given: object) -> None:
        self.status.warning = self.status.hint = ""
        await self.guarded(act(*given))

    async def _change(self, ask: Callable[[], Awaitable[str]], said: str) -> None:
        """Change the branches; the cursor goes to the one that was changed."""
        if name := await ask():
            await self._show(self._read(), name)
            self.status.hint = said.format(one_line(self.title_of(name), 40))

    # --- going somewhere --------------------------------------------------------------------------------------------

    async def _go(self) -> None:
        """Go on with the story from the place under the cursor."""
        layout, place, session = self.branch_layout, self.place, self.session
        line, node = layout.lines[place.row], layout.node(place)
        if place == layout.here:
            pass
        elif branch := self.branch:
            await session.switch(branch)
        elif place.turn == node.turn and layout.is_take_of_last(node):
            await session.select_take(node.take)
        elif line.nodes[-1].is_undone and (line.parent, line.fork) == (layout.here.row, layout.here.turn):
            await session.redo(place.turn - layout.here.turn)
        elif not await self._go_aside():
            return
        self.dismiss()

    async def _go_aside(self) -> bool:
        """A turn in the middle of things: begin a branch there, or go back to it; false if the player does neither."""
        layout, place, session = self.branch_layout, self.place, self.session
        end, behind = layout.lines[place.row], layout.here.turn - place.turn
        choices = [
            DialogChoice("b", "create a branch here", "and continue there; the current branch is kept")
        ]
        if layout.way.get(place.row, -1) >= place.turn:
            turns = "the last turn" if behind == 1 else f"the last {counted(behind, 'turn')}"
            choices.append(DialogChoice("u", f"undo {turns}", "redo restores them until you play a new turn"))
        elif end.branch:
            title = self.title_of(end.branch)
            choices.append(DialogChoice("e", f"go to the end of {title}", f"turn {end.last}"))
        question = f"Go to {self.spot(place).name}?"
        answer = await self.app.push_screen_wait(
            ChoiceDialog(question, "There are later turns on this branch.", *choices)
        )
        match answer:
            case "b":
                begun = await self._ask_name()
                if begun:
                    await session.switch(begun)
                return bool(begun)
            case "u":
                await session.undo(behind)
            case "e":
                await session.switch(end.branch)
        return bool(answer)

    # --- questions; each answers with the name of a branch, or nothing when the player decides against it ------------

    async def _ask_name(self) -> str:
        """Name a branch that begins under the cursor, without going there."""
        note = f"It starts at {self.spot(self.place).name}, with everyone's memories at that turn."
        ask = FormDialog("New branch", FormField("Name"), note=note, yes="create")
        return await ask_until_valid(self.app, ask, self._begin_branch) or ""

    async def _begin_branch(self, texts: tuple[str, ...]) -> str:
        session, place = self.session, self.place
        if place == self.branch_layout.here:
            await session.settle()
            return await session.branch_at(texts[0])
        return await session.branch_at(texts[0], place.turn, self.branch_layout.node(place).tip)

    async def _rename(self) -> str:
        branch, old = self.branch, self.title_of(self.branch)

        async def rename(texts: tuple[str, ...]) -> str:
            return "" if texts[0] == old else await self.session.rename_branch(branch, texts[0])

        ask = FormDialog("Rename this branch", FormField("New name", old), yes="rename")
        return await ask_until_valid(self.app, ask, rename) or ""

    async def _restore(self) -> str:
        deleted = self.tree_read.deleted if self.tree_read else ()
        rows = {name: Content(one_line(self.title_of(name), 60)) for name in deleted}
        chosen = await self.app.push_screen_wait(ListDialog("Deleted branches", rows, yes="restore"))
        return await self.session.run(self.session.save.restore_branch, chosen) if chosen else ""

    async def _delete(self) -> None:
        """Move the branch under the cursor to the trash, after asking."""
        branch, line = self.branch, self.branch_layout.lines[self.place.row]
        title, own = one_line(self.title_of(branch), 40), max(0, line.last - line.fork)
        turns = f"{own} turn{' is' if own == 1 else 's are'} only on this branch."
        turns = turns if own else "No turn exists only on this branch."
        note = f"{turns} You can restore it from this story's trash."
        if await self.app.push_screen_wait(ConfirmDialog(f"Delete the branch {title}?", note, yes="delete")):
            await self.session.run(self.session.save.delete_branch, branch)
            await self._show(self._read())
            self.status.hint = f"Moved {title} to the trash. t restores it."

    async def _export(self) -> None:
        """Write the branch under the cursor to a file."""
        from theact_tui.exports import export_save

        session, branch = self.session, self.branch
        if format := await ask_format(self.app, self.title_of(branch)):
            await session.settle()
            file = await session.run(partial(export_save, session.save, format, branch=branch))
            self.status.hint = exported(self.app, file)
