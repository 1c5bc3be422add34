"""Questions of direct mode: a confirmation with two buttons, and where a branch begins."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Button, Static

from theact_tui.tui.widgets.base_screen import Dialog
from theact_tui.tui.widgets.dialogs import DIALOG_CSS, FormDialog, FormField

LOCK_QUESTION = "World, scene and agents cannot be edited afterwards. Only a reset unlocks them."


class ButtonsDialog(Dialog[bool]):
    """Confirm or cancel. `safe`: the cursor begins on cancel, so that enter typed ahead changes nothing."""

    DEFAULT_CSS = f"""
    ButtonsDialog {{ {DIALOG_CSS} }}
    ButtonsDialog {{
        Horizontal {{ height: 1; margin: 1 0 0 0; }}
        Button {{ margin: 0 2 0 0; }}
        #confirm {{ background: #1f5fd0; color: #ffffff; }}
        #cancel {{ background: #4a4a4a; color: #ffffff; }}
        #confirm:focus, #cancel:focus {{ background: #ffffff; color: #000000; text-style: bold; }}
        &:ansi #confirm, &:ansi #cancel {{ background: ansi_default; color: ansi_default; }}
        &:ansi #confirm:focus, &:ansi #cancel:focus {{ text-style: bold reverse; }}
    }}
    """
    BINDINGS = [
        Binding("left,right,up,down", "other", "other", show=False),
        Binding("escape", "dismiss(False)", "cancel"),
    ]
    HELP: ClassVar[str] = (
        "Enter presses the selected button; the arrow keys or tab select the other one. Escape cancels."
    )

    def __init__(self, title: str, note: str, *, safe: bool = False) -> None:
        super().__init__()
        self._title = title
        self._note = note
        self._safe = safe

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(self._title, classes="title", markup=False)
            yield Static(self._note, markup=False)
            with Horizontal():
                yield Button(Content("Confirm"), id="confirm", compact=True)
                yield Button(Content("Cancel"), id="cancel", compact=True)

    def on_mount(self) -> None:
        self.query_one("#cancel" if self._safe else "#confirm", Button).focus()

    def action_other(self) -> None:
        self.focus_next()

    @on(Button.Pressed)
    def pressed(self, event: Button.Pressed) -> None:
        self.dismiss(event.button.id == "confirm")


def branch_question(prompts: int) -> FormDialog:
    """Asks for a branch's name and after which of `prompts` it begins."""
    fields = (FormField("Name"), FormField(f"After which prompt, 0 to {prompts}", str(prompts)))
    return FormDialog("New branch of this chapter", *fields, note="Both versions are kept.", yes="create")
