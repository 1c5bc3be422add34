from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from textual import work
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.widgets import Static

from theact_tui.engine.reports import applied_text, put_back_text
from theact_tui.errors import TheActError
from theact_tui.text import one_line
from theact_tui.tui.widgets.dialogs import BoxDialog
from theact_tui.tui.widgets.footer import DialogFooter
from theact_tui.tui.widgets.status_line import say

if TYPE_CHECKING:
    from theact_tui.engine.base_session import BaseSession
    from theact_tui.engine.pack_edits import PackEdits
    from theact_tui.saves.hand_edits import HandEdits

    Editable = BaseSession[Any] | PackEdits

LISTED = 5


@dataclass(frozen=True, slots=True)
class EditsQuestion:
    title: str
    help: str
    restore: str
    """Label for restoring the files."""
    restores_all: bool
    """False: restores broken files only, and asks about the rest again."""


SAVE_EDITED = EditsQuestion(
    "Files edited outside the program",
    "Files of this save were edited outside the program. a applies the edits to the story and "
    "its history. r restores the files; your versions are kept beside them as name.edited.yaml. l "
    "shows the edits. Escape decides later; in a story you can also use /edits, /adopt and "
    "/restore.",
    "restore",
    restores_all=False,
)
PACK_EDITED = EditsQuestion(
    "The pack of this story was changed",
    "You changed the pack that this story began with. a applies it to the story; undo reverts this "
    "together with the last turn. r keeps the old one until the pack is changed again. l shows the changes.",
    "keep the old one",
    restores_all=True,
)
"""For the user's own pack, changed after the story began."""


async def ask_about_new_edits(app: App[Any], session: BaseSession[Any]) -> bool:
    """Ask about new edits before the story moves and puts them aside. True if adopted."""
    if not await session.new_hand_edits():
        return False
    adopted: bool | None = await app.push_screen_wait(ExternalEditsDialog(session, SAVE_EDITED))
    return bool(adopted)


class ExternalEditsDialog(BoxDialog[bool | None]):
    """Asks whether outside edits become part of the story. The answer is true if they did."""

    DEFAULT_CSS = """
    ExternalEditsDialog {
        & > Vertical { width: 78; }
        VerticalScroll { height: auto; max-height: 9; margin: 1 0 0 0; }
        #difference { color: $quiet; height: auto; }
        .problem { margin: 1 0 0 0; }
    }
    """
    BINDINGS = [
        Binding("a", "adopt", "apply"),
        Binding("r", "restore", "restore"),
        Binding("l", "look", "changes"),
        Binding("escape", "dismiss(False)", "later"),
    ]

    def __init__(self, session: Editable, question: EditsQuestion = SAVE_EDITED) -> None:
        super().__init__(question.title)
        self._session = session
        self._question = question
        self._edits: HandEdits | None = None

    @property
    def help_text(self) -> str:
        return self._question.help

    def compose_body(self) -> ComposeResult:
        yield Static("", id="files", markup=False)
        yield Static("", classes="problem", id="problem", markup=False)
        with VerticalScroll(can_focus=True):
            yield Static("", id="difference", markup=False)

    def on_mount(self) -> None:
        self.query_one(VerticalScroll).display = False
        self.query_one("#problem").display = False
        self._examine()

    @work(group="edits", exclusive=True)
    async def _examine(self) -> None:
        self._edits = await self._session.hand_edits()
        if self._edits is None:
            self.dismiss(False)
            return
        self._show(self._edits)

    def _show(self, edits: HandEdits) -> None:
        names = [one_line(file, 70) for file in edits.files[:LISTED]]
        more = [f"and {len(edits.files) - LISTED} more"] if len(edits.files) > LISTED else []
        self.query_one("#files", Static).update("\n".join([*names, *more]))
        self._complain("\n".join(dict.fromkeys(edits.broken.values())))
        self.query_one("#difference", Static).update(edits.difference)
        restore = f"r {self._question.restore}"
        if edits.broken and not self._question.restores_all:
            restore += " it" if len(edits.broken) == 1 else " them"
        adopt, look = "" if edits.broken else "a apply", "l changes" if edits.difference else ""
        self.query_one(DialogFooter).update("   ".join(filter(None, (adopt, restore, look, "esc later"))))
        self.refresh_bindings()

    def _complain(self, text: str) -> None:
        problem = self.query_one("#problem", Static)
        problem.update(text)
        problem.display = bool(text)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("adopt", "restore", "look"):
            return self._edits is not None and not (action == "adopt" and self._edits.broken)
        return True

    def action_look(self) -> None:
        pane = self.query_one(VerticalScroll)
        pane.display = not pane.display
        self.query_one("#files").display = not pane.display
        if pane.display:
            pane.focus()

    def action_adopt(self) -> None:
        self._do(self._adopt)

    def action_restore(self) -> None:
        self._do(self._restore)

    @work(group="edits", exclusive=True)
    async def _do(self, act: Callable[[], Awaitable[None]]) -> None:
        try:
            await act()
        except TheActError as error:
            self._complain(error.message)

    async def _adopt(self) -> None:
        edited = await self._session.adopt_edits()
        self.dismiss(True)
        if edited:
            say(self.app, applied_text(edited))

    async def _restore(self) -> None:
        if self._question.restores_all:
            await self._session.discard_edits()
            self.dismiss(False)
            return
        edited = await self._session.discard_edits(*(self._edits.broken if self._edits else ()))
        say(self.app, put_back_text(edited))
        self._examine()
