from dataclasses import dataclass
from typing import Any

from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.widgets import Static

from theact_tui.engine.base_session import BaseSession
from theact_tui.engine.pack_edits import PackEdits
from theact_tui.engine.state_in_words import applied_text, put_back_text
from theact_tui.errors import TheActError
from theact_tui.saves.hand_edits import HandEdits
from theact_tui.text import one_line
from theact_tui.tui.widgets.dialogs import BoxDialog
from theact_tui.tui.widgets.status_line import show_message

Editable = BaseSession[Any] | PackEdits

LISTED = 5
APPLY, RESTORE = "a", "r"


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
    """Ask before the story moves and puts edits aside. True if applied."""
    return bool(await session.new_hand_edits()) and await ask_about_edits(app, session)


async def ask_about_edits(app: App[Any], edited: Editable, question: EditsQuestion = SAVE_EDITED) -> bool:
    """Ask until no edits are left, or later. True if they were applied."""
    problem = ""
    while edits := await edited.hand_edits():
        answer = await app.push_screen_wait(ExternalEditsDialog(edits, question, problem))
        try:
            if answer == APPLY:
                if files := await edited.adopt_edits():
                    show_message(app, applied_text(files))
                return True
            if answer == RESTORE and question.restores_all:
                await edited.discard_edits()
            elif answer == RESTORE:
                show_message(app, put_back_text(await edited.discard_edits(*edits.broken)))
                continue
            return False
        except TheActError as error:
            problem = error.message
    return False


class ExternalEditsDialog(BoxDialog[str]):
    """Shows edits; returns `APPLY`, `RESTORE` or nothing."""

    DEFAULT_CSS = """
    ExternalEditsDialog {
        & > Vertical { width: 78; }
        VerticalScroll { height: auto; max-height: 9; margin: 1 0 0 0; }
        #difference { color: $quiet; height: auto; }
        .problem { margin: 1 0 0 0; }
    }
    """
    BINDINGS = [
        Binding(APPLY, f"dismiss('{APPLY}')", "apply"),
        Binding(RESTORE, f"dismiss('{RESTORE}')", "restore"),
        Binding("l", "look", "changes"),
        Binding("escape", "dismiss('')", "later"),
    ]

    def __init__(self, edits: HandEdits, question: EditsQuestion, problem: str) -> None:
        restore = f"r {question.restore}"
        if edits.broken and not question.restores_all:
            restore += " it" if len(edits.broken) == 1 else " them"
        adopt, look = "" if edits.broken else "a apply", "l changes" if edits.difference else ""
        keys = "   ".join(filter(None, (adopt, restore, look, "esc later")))
        super().__init__(question.title, keys=keys)
        self._edits, self._question = edits, question
        self._problem = problem or "\n".join(dict.fromkeys(edits.broken.values()))

    @property
    def help_text(self) -> str:
        return self._question.help

    def compose_body(self) -> ComposeResult:
        files = self._edits.files
        names = [one_line(file, 70) for file in files[:LISTED]]
        names += [f"and {len(files) - LISTED} more"] if len(files) > LISTED else []
        yield Static("\n".join(names), id="files", markup=False)
        yield Static(self._problem, classes="problem", markup=False)
        with VerticalScroll(can_focus=True):
            yield Static(self._edits.difference, id="difference", markup=False)

    def on_mount(self) -> None:
        self.query_one(VerticalScroll).display = False
        self.query_one(".problem").display = bool(self._problem)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return not (parameters == (APPLY,) and self._edits.broken)

    def action_look(self) -> None:
        pane = self.query_one(VerticalScroll)
        pane.display = not pane.display
        self.query_one("#files").display = not pane.display
        if pane.display:
            pane.focus()
