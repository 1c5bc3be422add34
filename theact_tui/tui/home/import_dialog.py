import asyncio
from collections.abc import Awaitable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any, ClassVar, TypeVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.visual import Visual
from textual.widgets import DirectoryTree, Input, OptionList, Static

from theact_tui.errors import UsageError
from theact_tui.importing.proposal import Proposal
from theact_tui.importing.report import ImportQuestion, ImportReport, ImportStopped
from theact_tui.long_works import check_stopped, run_long
from theact_tui.text import clean, one_line
from theact_tui.tui.home.import_pages import part_rows, report_blocks, report_page
from theact_tui.tui.home.typed_paths import PathSuggester, typed_paths
from theact_tui.tui.open_stories import AppServices
from theact_tui.tui.visuals import Stack
from theact_tui.tui.widgets.dialogs import BoxDialog, FormDialog, FormField, ListDialog
from theact_tui.tui.widgets.footer import DialogFooter
from theact_tui.tui.widgets.inputs import LineField
from theact_tui.tui.widgets.lists import CursorList

T = TypeVar("T")


class FileTree(DirectoryTree):
    show_root = False
    ICON_NODE_EXPANDED, ICON_NODE, ICON_FILE = "▾ ", "▸ ", "  "

    def filter_paths(self, paths: Iterable[Path]) -> Iterable[Path]:
        return [path for path in paths if not path.name.startswith(".")]


class ImportDialog(BoxDialog[tuple[ImportReport, bool] | None]):
    """Imports files. The answer is the report and whether to play now; None if nothing was imported."""

    DEFAULT_CSS = """
    ImportDialog {
        & > Vertical { width: 76; }
        FileTree { height: 9; padding: 0; scrollbar-size-vertical: 1; }
        FileTree:focus { background-tint: transparent; }
        #parts { max-height: 5; margin: 0 0 1 0; background: $surface; display: none; }
        &.-parts #parts { display: block; }
        &.-parts #found { max-height: 6; }
        &.-tall.-parts #parts { max-height: 12; }
        &.-tall.-parts #found { max-height: 9; }
        #found { height: auto; max-height: 10; scrollbar-size-vertical: 1; display: none; }
        .problem { display: none; margin: 0 0 1 0; }
        &.-found #found, &.-refused .problem { display: block; }
        &.-found FileTree { display: none; }
        &.-refused FileTree { height: 7; }
        &.-tall FileTree { height: 16; }
        &.-tall #found { max-height: 20; }
        &.-tiny FileTree { height: 5; }
        &.-given { .label, LineField, FileTree { display: none; } }
    }
    """
    BINDINGS = [
        Binding("enter", "next", "next", priority=True),
        Binding("tab,shift+tab", "other", "files", priority=True),
        Binding("s", "shorten", "make shorter"),
        Binding("escape", "back", "cancel"),
    ]
    HELP: ClassVar[str] = (
        "Type, paste or drop the path of a file or a folder; → completes it. Or press tab to look for it. Enter shows "
        "what is in it; enter again imports it. Nothing is written before that."
    )

    def __init__(
        self,
        services: AppServices,
        start: Path,
        files: Sequence[Path] = (),
        packs: Mapping[str, Visual] | None = None,
        *,
        has_model: bool = False,
    ) -> None:
        """`files` skip the path. `packs`: rows of packs to add to, by id. `has_model` offers shortening."""
        super().__init__("Import")
        self._services = services
        self._start = start
        self._start_files = list(files)
        self._packs = packs or {}
        self._has_model = has_model
        self._proposal: Proposal | None = None
        self._done: ImportReport | None = None
        self._busy = False
        self._pages: list[Visual] = []
        self._stopped = Event()

    def compose_body(self) -> ComposeResult:
        yield Static("File or folder", classes="label", markup=False)
        yield LineField(placeholder="type, paste or drop a path", suggester=PathSuggester())
        yield Static(classes="problem", markup=False)
        yield FileTree(self._start)
        yield CursorList(id="parts")
        with VerticalScroll(id="found"):
            yield Static()

    def on_mount(self) -> None:
        self._show_keys()
        if self._start_files:
            self.add_class("-given")
            self._look(self._start_files)

    def on_unmount(self) -> None:
        self._stopped.set()

    @on(events.DescendantFocus)
    def _show_keys(self) -> None:
        if self._busy:
            keys = "one moment …   esc stop"
        elif self._done:
            shorter = "s make it shorter   " if self._can_shorten else ""
            way = "play" if self._done.save else "begin" if self._done.pack else ""
            keys = f"enter {way}   {shorter}esc close" if way else "esc close"
        elif self._proposal:
            way = "enter import   " if self._proposal.report.taken else ""
            keys = f"{way}↑ ↓ {'move' if self._proposal.report.parts else 'scroll'}   "
            keys += f"esc {'cancel' if self._start_files else 'back'}"
        elif self._start_files:
            keys = "esc close"
        elif isinstance(self.focused, FileTree):
            keys = "enter preview   ↑ ↓ move   tab path   esc cancel"
        else:
            keys = "enter preview   → complete   tab files   esc cancel"
        self.query_one(DialogFooter).update(keys)

    @property
    def _can_shorten(self) -> bool:
        return bool(self._has_model and self._done and self._done.pack and self._done.long)

    # --- keys -------------------------------------------------------------------------------------------------------

    def action_next(self) -> None:
        """Preview the path, import it, or play it."""
        if self._busy:
            return
        if self._done:
            self.dismiss((self._done, bool(self._done.save or self._done.pack)))
        elif self._proposal:
            if self._proposal.report.taken:
                self._accept(self._proposal)
        elif isinstance(self.focused, FileTree):
            self.focused.action_select_cursor()
        elif not self._start_files:
            try:
                self._look(typed_paths(self.query_one(LineField).value))
            except UsageError as error:
                self._refuse(error.message)

    def action_other(self) -> None:
        if self._proposal or self._start_files:
            return
        path, files = self.query_one(LineField), self.query_one(FileTree)
        if self.focused is files:
            self.set_focus(path)
            return
        with suppress(UsageError, OSError):
            typed = typed_paths(path.value)[0]
            folder = typed if typed.is_dir() else typed.parent
            files.path = folder if folder.is_dir() else self._start
        self.set_focus(files)

    def action_back(self) -> None:
        """Stop the running work; from a preview go back to the path; else leave."""
        if self._busy:
            self._stopped.set()
            for group in ("model", "look"):
                self.workers.cancel_group(self, group)
        elif self._done:
            self.dismiss((self._done, False))
        elif self._proposal and not self._start_files:
            self._show(None)
            self.query_one(LineField).focus()
        else:
            self.dismiss(None)

    @on(Input.Changed)
    def changed(self) -> None:
        self.remove_class("-refused")

    @on(DirectoryTree.FileSelected)
    @on(DirectoryTree.DirectorySelected)
    def chosen(self, event: DirectoryTree.FileSelected | DirectoryTree.DirectorySelected) -> None:
        with self.prevent(Input.Changed):
            self.query_one(LineField).value = one_line(str(event.path), 500)
        if isinstance(event, DirectoryTree.FileSelected):
            self._look([event.path])

    # --- work -------------------------------------------------------------------------------------------------------

    @work(group="look", exclusive=True)
    async def _look(self, paths: list[Path]) -> None:
        if proposal := await self._do(self._propose_asking(paths)):
            self._proposal = proposal
            self._show(proposal.report)

    async def _propose_asking(self, paths: list[Path]) -> Proposal:
        answers: dict[str, Any] = {}
        while True:
            try:
                return await self._services.propose(paths, **answers)
            except ImportQuestion as question:
                if not (answer := await self._answer(question)):
                    raise
                answers[question.asks] = (
                    (*answers.get("fill", ()), answer) if question.asks == "fill" else answer
                )

    async def _answer(self, question: ImportQuestion) -> str:
        if question.asks == "into":
            return await self.app.push_screen_wait(ListDialog("Add it to which pack?", self._packs))
        label = "Id of the new pack" if question.asks == "id" else "Your answer"
        form = FormDialog("Import", FormField(label), note=question.message, yes="preview")
        answer = await self.app.push_screen_wait(form)
        return answer[0] if answer else ""

    @work(group="import", exclusive=True)
    async def _accept(self, proposal: Proposal) -> None:
        loop, footer = asyncio.get_running_loop(), self.query_one(DialogFooter)
        self._stopped.clear()

        def step(text: str) -> None:  # in another thread
            if self._stopped.is_set():
                raise ImportStopped
            check_stopped()
            loop.call_soon_threadsafe(footer.update, f"{one_line(text, 50)}   esc stop")

        if done := await self._do(run_long(asyncio.to_thread(proposal.accept, step))):
            self._done = done
            self._show(done)

    @work(group="model", exclusive=True)
    async def action_shorten(self) -> None:
        done, footer = self._done, self.query_one(DialogFooter)
        if self._busy or not self._can_shorten or not (done and done.pack):
            return
        steps = self._services.shorten(
            done.pack, lambda step: footer.update(f"{one_line(step, 50)}   esc stop")
        )
        if report := await self._do(steps):
            self._done = replace(done, long=())
            self._show(report)

    async def _do(self, deed: Awaitable[T], keys: str = "") -> T | None:
        """Return the result; None, with a message, if it fails."""
        result, problem = None, ""
        self._busy = True
        self._show_keys()
        if keys:
            self.query_one(DialogFooter).update(keys)
        try:
            result = await deed
        except Exception as error:
            problem = self.fault(error)
        finally:
            self._busy = False
            if self.is_running:
                self._show_keys()
        if problem and not self._done:
            self._show(None)
        self._refuse(problem)
        return result

    def _refuse(self, problem: str) -> None:
        self.set_class(bool(problem), "-refused")
        self.query_one(".problem", Static).update(clean(problem))

    def _show(self, report: ImportReport | None) -> None:
        """Show what would be imported, or was; without it go back to the path."""
        if report is None:
            self._proposal = None
        done = self._done is not None
        self._pages = (
            [Stack(*report_blocks(part)) for part in (report.whole, *report.parts)] if report else []
        )
        rows = part_rows(report, done=done) if report else []
        parts, scroll = self.query_one("#parts", CursorList), self.query_one("#found", VerticalScroll)
        self.set_class(report is not None, "-found")
        self.set_class(len(rows) > 1, "-parts")
        parts.clear_options().add_options(rows)
        if rows[1:]:
            parts.highlighted = 0
            parts.focus()
        elif report:
            self._show_page(report_page(report, done=done))
            scroll.focus()
        self._show_keys()

    @on(OptionList.OptionHighlighted, "#parts")
    def _show_part(self, event: OptionList.OptionHighlighted) -> None:
        if event.option_index < len(self._pages):
            self._show_page(self._pages[event.option_index])

    def _show_page(self, page: Visual) -> None:
        scroll = self.query_one("#found", VerticalScroll)
        scroll.query_one(Static).update(page)
        scroll.scroll_home(animate=False)
