"""What the direct screen asks before it acts: a sentence, and exactly two ways to go on."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Button, Static

from theact_tui.engine.direct import DirectSession
from theact_tui.errors import UsageError
from theact_tui.tui.screens.sheets import SHEET_CSS, Ask, Field
from theact_tui.tui.widgets.page import Sheet

LOCK_QUESTION = (
    "World, scene and agents are noted down and cannot be changed afterwards. Only a reset begins anew."
)


class Consent(Sheet[bool]):
    """Confirm or cancel. `safe`: the cursor begins on cancel, so that enter typed ahead changes nothing."""

    DEFAULT_CSS = f"""
    Consent {{ {SHEET_CSS} }}
    Consent {{
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
        "Enter presses the marked button, the arrows or tab go to the other one. Escape cancels."
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


def branch_question(prompts: int) -> Ask:
    """Asks for a branch's name and where it begins."""
    fields = (Field("Its name"), Field(f"After which prompt, 0 to {prompts}", str(prompts)))
    return Ask("A branch of this chapter", *fields, note="Both ways are kept.", yes="begin it")


async def go_to_branch(session: DirectSession, wanted: tuple[str, ...]) -> None:
    """Make the branch and go on with it. Raises `UsageError`."""
    name, prompt = wanted
    if not prompt.isdigit():
        raise UsageError("That needs the number of a prompt.")
    await session.switch(await session.branch_at(name, int(prompt)))
