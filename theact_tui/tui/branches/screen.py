import asyncio
from collections.abc import Awaitable, Callable
from contextlib import closing
from functools import partial
from typing import Any, ClassVar

from textual import work
from textual.app import ComposeResult
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.visual import Visual
from textual.widgets import Static

from theact_tui.engine import events as e
from theact_tui.long_works import run_long
from theact_tui.saves.save import Save
from theact_tui.text import counted, one_line
from theact_tui.tui.actions import bindings
from theact_tui.tui.branches.compare import CompareScreen
from theact_tui.tui.branches.graph import StoryTree
from theact_tui.tui.branches.keys import HELP, TREE_ACTIONS
from theact_tui.tui.branches.layout import NO_BRANCHES, BranchLayout, Cursor, Step
from theact_tui.tui.branches.source import BranchSource, Spot, about
from theact_tui.tui.visuals import SplitLine, Stack, accent, quiet, strong
from theact_tui.tui.widgets import dialogs
from theact_tui.tui.widgets.base_screen import COPY, Acts, PageScreen
from theact_tui.tui.widgets.export_dialog import ask_format, exported
from theact_tui.tui.widgets.external_edits import ask_about_new_edits

REST_SECONDS = 0.04
"""Until the turn under the cursor is read."""
ALONE = """\
No branches yet. To create one, go to any {turn} and press n, or retry the last {turn} of the {story} with F4. \
Both versions are kept and shown here."""
_CHANGING = (e.TurnSaved, e.BranchSwitched, e.Undone, e.Redone, e.Edited)


def read_tree(save: Save[Any]) -> BranchLayout:
    titles = {branch.name: branch.title for branch in save.branches()}
    return BranchLayout(save.tree(), save.branch, titles, save.deleted_branches())


def same_place(old: BranchLayout, new: BranchLayout, place: Cursor) -> Cursor | None:
    """Return the position in a new tree for a position in the old one."""
    if place == old.current_place:
        return new.current_place
    branch = old.branch_at(place)
    return (new.branch(branch) if branch else None) or new.find(old.node(place).commit, place.turn)


class BranchesScreen(PageScreen[None], inherit_bindings=False):
    """Switching closes it."""

    CSS_PATH = "screen.tcss"
    BINDINGS = [*bindings(TREE_ACTIONS), COPY]
    HELP: ClassVar[str] = HELP
    HELP_TITLE: ClassVar[str] = "Branches and takes"

    def __init__(self, source: BranchSource) -> None:
        super().__init__()
        self.source = source
        self.session = source.session
        self.tree_widget = StoryTree(id="tree")
        self._previewed: Cursor | None = None
        """None if out of date."""

    def compose_page(self) -> ComposeResult:
        yield self.tree_widget
        yield Static("Loading the tree…", id="loading", markup=False)
        with Horizontal(id="below"):
            with VerticalScroll(id="turn", can_focus=False):
                yield Static(id="told")
            with VerticalScroll(id="against", classes="detail", can_focus=False):
                yield Static(id="glance")

    async def on_mount(self) -> None:
        self.watch(self.tree_widget, "place", self._cursor_moved, init=False)
        self._draw_head()
        await self.load_early(self._refresh(), "tree")
        self._follow()

    # --- what is shown ----------------------------------------------------------------------------------------------

    @property
    def branch_layout(self) -> BranchLayout:
        """`NO_BRANCHES` until the tree is read."""
        return self.tree_widget.branch_layout

    @property
    def place(self) -> Cursor:
        return self.tree_widget.place

    @property
    def branch(self) -> str:
        return self.branch_layout.branch_at(self.place)

    @property
    def settled(self) -> bool:
        return self._previewed == self.place

    def spot(self, place: Cursor) -> Spot:
        layout = self.branch_layout
        branch = layout.title(layout.lines[place.row].branch)
        return Spot(layout.node(place), place.turn, branch, self.source.word)

    def _draw_head(self) -> None:
        title = Content.assemble((one_line(self.source.title, 40), ".strong"), " · branches")
        facts = ["read only"] if self.session.read_only else []
        if self.branch_layout is not NO_BRANCHES:
            lines = self.branch_layout.lines
            takes = sum(bool(node.take) for line in lines if not line.branch for node in line.nodes)
            facts.append(counted(sum(bool(line.branch) for line in lines), "branch", "branches"))
            facts += [counted(takes, "other take")] if takes else []
        self.show_head(title, quiet(" · ".join(facts)))

    # --- reading ----------------------------------------------------------------------------------------------------

    @work(group="tree", exclusive=True)
    async def action_refresh(self) -> None:
        await self._refresh()

    async def _refresh(self) -> None:
        await self.guarded(self._show())
        if self.branch_layout is NO_BRANCHES:
            self.query_one("#loading", Static).update("Could not load the tree. Press F5 to retry.")

    async def _read(self) -> tuple[BranchLayout, Any]:
        layout = await self.session.run(read_tree, self.session.save)
        return layout, await self.source.state_at(layout, layout.current_place)

    async def _show(self, at: str = "") -> None:
        """Show the tree anew, the cursor at its turn or at the end of branch `at`."""
        layout, state = await self._read()
        place, old = layout.branch(at) if at else None, self.branch_layout
        if place is None and old is not NO_BRANCHES:
            place = same_place(old, layout, self.place)
        self._previewed = None
        self.query_one("#loading").display = False
        self.tree_widget.show(layout, place or layout.current_place)
        self._draw_head()
        if self.place == layout.current_place:
            self._show_turn(state)
        self._cursor_moved()

    @work(group="events")
    async def _follow(self) -> None:
        with closing(self.session.bus.stream()) as stream:
            async for event in stream:
                if isinstance(event, _CHANGING):
                    self.action_refresh()

    def _cursor_moved(self) -> None:
        self.refresh_bindings()
        if self.place != self._previewed:
            self._preview_turn()

    @work(group="preview", exclusive=True)
    async def _preview_turn(self) -> None:
        place = self.place
        await asyncio.sleep(REST_SECONDS)
        await self.guarded(self._read_turn(place, self.branch_layout))
        if place == self.place:  # else the tree was read again meanwhile, with the cursor elsewhere
            self._previewed = place

    async def _read_turn(self, place: Cursor, layout: BranchLayout) -> None:
        state = await self.source.state_at(layout, place)
        if place == self.place and layout is self.branch_layout:
            self._show_turn(state)

    def _show_turn(self, state: Any) -> None:
        self._previewed = self.place
        source, spot, standing = (
            self.source,
            self.spot(self.place),
            self.spot(self.branch_layout.current_place),
        )
        rows: list[Visual]
        if self.place == self.branch_layout.current_place:
            branch = strong(one_line(self.session.branch_title, 60))
            rows = [accent("YOU ARE HERE"), Content(""), about("branch", branch)]
            rows += source.describe_current()
            if len(self.branch_layout.lines) == 1:
                alone = ALONE.format(turn=source.word, story=source.whole)
                rows += [Content(""), quiet(alone)]
        else:
            distance, turns = f"same number of {source.word}s", spot.turn - standing.turn
            if turns:
                distance = f"{counted(abs(turns), source.word)} {'later' if turns > 0 else 'earlier'}"
            other = quiet(one_line(standing.name, 40))
            rows = [SplitLine(strong("COMPARED WITH"), other)]
            rows += [quiet(distance), Content(""), *source.against(state)]
        self.query_one("#told", Static).update(source.turn_page(state, spot))
        self.query_one("#glance", Static).update(Stack(*rows))
        for pane in self.query("#below VerticalScroll"):
            pane.scroll_home(animate=False)

    # --- keys -------------------------------------------------------------------------------------------------------

    def acts(self) -> Acts:
        layout, branch = self.branch_layout, self.branch
        acts: Acts = {"export": self._export} if branch else {}
        if self.session.read_only:
            return acts
        acts["go"] = self._go
        acts["name"] = self._changes(self._begin_here, "You are now on “{}”. esc returns to the story.")
        if branch:
            acts["rename"] = self._changes(self._rename, "Renamed to {}.")
        if branch and branch != self.session.branch:
            acts["delete"] = self._delete
        if layout.deleted:
            acts["restore"] = self._changes(self._restore, "Restored {}.")
        return acts

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if self.branch_layout is NO_BRANCHES and action not in ("dismiss", "refresh"):
            return action not in {act.action.partition("(")[0] for act in TREE_ACTIONS}
        if action == "compare":
            return self.place != (self.tree_widget.marked or self.branch_layout.current_place)
        return super().check_action(action, parameters)

    def why_not(self, action: str, parameters: tuple[object, ...]) -> str:
        compared = f"This is the {self.source.word} to compare with. Go to another {self.source.word} first."
        return compared if action == "compare" else super().why_not(action, parameters)

    def action_step(self, step: Step) -> None:
        self.status.warning = self.status.hint = ""
        self.tree_widget.go(step)

    def action_here(self) -> None:
        self.tree_widget.go_to(self.branch_layout.current_place)

    def action_page(self, pages: int) -> None:
        for pane in self.query("#below VerticalScroll"):
            pane.scroll_relative(y=pages * max(1, pane.size.height - 2), animate=False)

    def action_mark(self) -> None:
        again = self.tree_widget.marked == self.place
        self.tree_widget.marked = None if again else self.place
        hint = f"Marked {self.spot(self.place).name}. Press c on another {self.source.word} to compare."
        self.status.hint = "" if again else hint
        self.refresh_bindings()

    def action_compare(self) -> None:
        other = self.tree_widget.marked or self.branch_layout.current_place
        self.app.push_screen(CompareScreen(self.source, self.spot(other).side, self.spot(self.place).side))

    def _changes(self, ask: Callable[[], Awaitable[str]], message: str) -> Callable[[], Awaitable[None]]:
        async def change() -> None:
            if name := await ask():
                await self._show(name)
                self.status.hint = message.format(one_line(self.branch_layout.title(name), 40))

        return change

    # --- going somewhere --------------------------------------------------------------------------------------------

    async def _go(self) -> None:
        layout, place, session = self.branch_layout, self.place, self.session
        line, node = layout.lines[place.row], layout.node(place)
        if place != layout.current_place:
            await ask_about_new_edits(self.app, session)
        if place == layout.current_place:
            pass
        elif branch := self.branch:
            await session.switch(branch)
        elif place.turn == node.turn and layout.is_take_of_last(node):
            await session.select_take(node.take)
        elif line.nodes[-1].is_redoable and (line.parent, line.fork) == (
            layout.current_place.row,
            layout.current_place.turn,
        ):
            await session.redo(place.turn - layout.current_place.turn)
        elif not await self._go_aside():
            return
        self.dismiss()

    async def _go_aside(self) -> bool:
        """Ask to branch at a turn in the middle, or to go back to it; False if cancelled."""
        layout, place, session = self.branch_layout, self.place, self.session
        end, behind, word = layout.lines[place.row], layout.current_place.turn - place.turn, self.source.word
        choices = [
            dialogs.DialogChoice(
                "b", "create a branch here", "and continue there; the current branch is kept"
            )
        ]
        if layout.way.get(place.row, -1) >= place.turn:
            turns = f"the last {word if behind == 1 else counted(behind, word)}"
            choices.append(
                dialogs.DialogChoice("u", f"undo {turns}", f"redo restores them until there is a new {word}")
            )
        elif end.branch:
            title = self.branch_layout.title(end.branch)
            choices.append(dialogs.DialogChoice("e", f"go to the end of {title}", f"{word} {end.last}"))
        question = f"Go to {self.spot(place).name}?"
        note = f"There are later {word}s on this branch." if end.branch else "It is on no branch yet."
        answer = await self.app.push_screen_wait(dialogs.ChoiceDialog(question, note, *choices))
        match answer:
            case "b":
                return bool(await self._begin_here())
            case "u":
                await session.undo(behind)
            case "e":
                await session.switch(end.branch)
        return bool(answer)

    # --- questions; each answers with the name of a branch, or nothing when the player decides against it ------------

    async def _begin_here(self) -> str:
        note = f"It starts at {self.spot(self.place).name}, with all memories as they were there."
        ask = dialogs.FormDialog("New branch", dialogs.FormField("Name"), note=note, yes="create")
        if name := await dialogs.ask_until_valid(self.app, ask, self._begin_branch) or "":
            await self.session.switch(name)
        return name

    async def _begin_branch(self, texts: tuple[str, ...]) -> str:
        session, place = self.session, self.place
        if place == self.branch_layout.current_place:
            await session.settle()
            return await session.branch_at(texts[0])
        return await session.branch_at(texts[0], place.turn, self.branch_layout.node(place).tip)

    async def _rename(self) -> str:
        branch, old = self.branch, self.branch_layout.title(self.branch)

        async def rename(texts: tuple[str, ...]) -> str:
            return "" if texts[0] == old else await self.session.rename_branch(branch, texts[0])

        ask = dialogs.FormDialog("Rename this branch", dialogs.FormField("New name", old), yes="rename")
        return await dialogs.ask_until_valid(self.app, ask, rename) or ""

    async def _restore(self) -> str:
        word, rows = self.source.word, dict[str, Content]()
        for branch in self.branch_layout.deleted:
            title = one_line(branch.title, 24)
            ends = one_line(f"{word} {branch.turn} · {branch.line}", 52 - len(title))
            rows[branch.name] = Content.assemble((title, ".strong"), (f"  {ends}", ".quiet"))
        chosen = await self.app.push_screen_wait(dialogs.ListDialog("Deleted branches", rows, yes="restore"))
        return await self.session.run(self.session.save.restore_branch, chosen) if chosen else ""

    async def _delete(self) -> None:
        branch = self.branch
        title, own = one_line(self.branch_layout.title(branch), 40), self.branch_layout.count_own(branch)
        source = self.source
        turns = f"{counted(own, source.word)} {'is' if own == 1 else 'are'} only on this branch."
        turns = turns if own else f"No {source.word} exists only on this branch."
        note = f"{turns} You can restore it from this {source.whole}'s trash."
        if await self.app.push_screen_wait(
            dialogs.ConfirmDialog(f"Delete the branch {title}?", note, yes="delete")
        ):
            await self.session.run(self.session.save.delete_branch, branch)
            await self._show()
            self.status.hint = f"Moved {title} to the trash. t restores it."

    async def _export(self) -> None:
        from theact_tui.exports.write_file import export_save

        session, branch = self.session, self.branch
        if chosen := await ask_format(self.app, self.branch_layout.title(branch)):
            await session.settle()
            export = partial(export_save, branch=branch, lines=chosen.lines)
            file = await run_long(session.run(export, session.save, chosen.format))
            self.status.hint = exported(self.app, file)
