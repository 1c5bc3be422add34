"""Small questions laid over a screen: ask for words, ask whether, write a longer text."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypeVar

from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.widgets import Input, Static, TextArea

from theact_tui.errors import UsageError
from theact_tui.text import clean
from theact_tui.tui.widgets.fields import LineField, TextField
from theact_tui.tui.widgets.page import Sheet
from theact_tui.tui.widgets.pressed import KeyHints

Done = TypeVar("Done")

SHEET_CSS = """
    align: center middle;
    background: $background 60%;
    & > Vertical {
        width: 64; max-width: 92%; height: auto; max-height: 90%; padding: 1 2;
        background: $surface; border: round $primary; overflow-y: auto; scrollbar-size-vertical: 1;
    }
    .title { text-style: bold; margin: 0 0 1 0; }
    .label { color: $quiet; }
    .note { margin: 0 0 1 0; }
    .keys { dock: bottom; height: auto; color: $quiet; padding: 1 0 0 0; }
    .problem { color: $error; height: auto; }
    Input { padding: 0 1; background: $panel; margin: 0 0 1 0; }
    Input:focus { background: $glow; background-tint: transparent; }
    TextArea { height: 14; max-height: 50vh; border: none; background: $panel; }
    &:ansi Input { text-style: underline; }
    &.-tiny {
        & > Vertical { padding: 0 1; max-width: 100%; max-height: 100%; }
        .title, .note, Input { margin: 0; }
        .keys { padding: 0; }
    }
"""


@dataclass(frozen=True, slots=True)
class Field:
    """One thing to be asked: its label, what stands there already, and what is meant."""

    label: str
    value: str = ""
    placeholder: str = ""


class Ask(Sheet[tuple[str, ...] | None]):
    """Asks for one or more lines; the answer is their texts, or None. `insist` asks until the answer can be used."""

    DEFAULT_CSS = f"Ask {{ {SHEET_CSS} .keys {{ padding: 0; }} .problem {{ margin: 0 0 1 0; }} }}"
    BINDINGS = [
        Binding("enter", "next", "next", priority=True),
        Binding("escape", "dismiss(None)", "cancel"),
    ]
    HELP: ClassVar[str] = "Enter goes to the next line, and from the last one answers. Escape cancels."

    def __init__(self, title: str, *fields: Field, note: str = "", yes: str) -> None:
        super().__init__()
        self._title = title
        self._fields = fields
        self._note = note
        self._yes = yes
        self._problem = ""

    def again(self, texts: tuple[str, ...], problem: str) -> Ask:
        """The same question with the answer that could not be used, and why."""
        fields = (replace(field, value=text) for field, text in zip(self._fields, texts, strict=True))
        ask = Ask(self._title, *fields, note=self._note, yes=self._yes)
        ask._problem = problem
        return ask

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(self._title, classes="title", markup=False)
            if self._note:
                yield Static(self._note, classes="label note", markup=False)
            for n, field in enumerate(self._fields):
                yield Static(field.label, classes="label", markup=False)
                yield LineField(field.value, placeholder=field.placeholder, id=f"field-{n}")
            if self._problem:
                yield Static(clean(self._problem), classes="problem", markup=False)
            yield KeyHints()

    def on_descendant_focus(self) -> None:
        """Say what enter does on this line."""
        yes = self._yes if self._at == len(self._fields) - 1 else "next line"
        self.query_one(KeyHints).update(f"enter {yes}   esc cancel")

    @property
    def _at(self) -> int:
        """Which line has the cursor."""
        return next((n for n, field in enumerate(self.query(Input)) if field is self.focused), 0)

    def action_next(self) -> None:
        """Go to the next line at once, so that no key typed ahead lands in the wrong one; from the last one answer."""
        inputs = list(self.query(Input))
        if self._at + 1 < len(inputs):
            self.screen.set_focus(inputs[self._at + 1])
        else:
            self.dismiss(tuple(field.value.strip() for field in inputs))


async def insist(app: App[Any], ask: Ask, act: Callable[[tuple[str, ...]], Awaitable[Done]]) -> Done | None:
    """Ask, and act on the answer; one that is refused is asked for again. None when the player gave up."""
    while (texts := await app.push_screen_wait(ask)) is not None:
        try:
            return await act(texts)
        except UsageError as error:
            ask = ask.again(texts, error.message)
    return None


class Confirm(Sheet[bool]):
    """Asks before something that takes away: yes only by its own letter."""

    DEFAULT_CSS = f"Confirm {{ {SHEET_CSS} }}"
    BINDINGS = [Binding("y", "dismiss(True)", "yes"), Binding("n,escape", "dismiss(False)", "no")]
    HELP: ClassVar[str] = "y does it, n or escape leaves everything as it is."

    def __init__(self, title: str, note: str, *, yes: str = "yes") -> None:
        super().__init__()
        self._title = title
        self._note = note
        self._yes = yes

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(self._title, classes="title", markup=False)
            yield Static(self._note, classes="label", markup=False)
            yield KeyHints(f"y {self._yes}   n no")


class Write(Sheet[str | None]):
    """Shows a longer text to be changed; the answer is the new text, or None. A `single` paragraph is kept by enter."""

    DEFAULT_CSS = f"""
    Write {{ {SHEET_CSS} }}
    Write > Vertical {{ width: 84; }}
    Write.-single TextArea {{ height: auto; min-height: 2; max-height: 14; }}
    """
    BINDINGS = [
        Binding("ctrl+s", "save", "save", priority=True),
        Binding("enter", "done", "save", priority=True),
        Binding("escape", "dismiss(None)", "cancel", priority=True),
    ]
    HELP: ClassVar[str] = "Change the text as you like. ctrl+s keeps it, escape leaves it as it was."

    def __init__(self, title: str, text: str, *, single: bool = False) -> None:
        super().__init__(classes="-single" if single else "")
        self._title = title
        self._text = text
        self._single = single

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(self._title, classes="title", markup=False)
            yield TextField(clean(self._text), compact=True, soft_wrap=True, highlight_cursor_line=False)
            yield KeyHints(f"{'enter' if self._single else '^s'} save   esc cancel")

    def on_mount(self) -> None:
        if self._single:
            self.query_one(TextArea).move_cursor(self.query_one(TextArea).document.end)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Enter belongs to the text, unless that is a single paragraph."""
        return self._single if action == "done" else True

    def action_done(self) -> None:
        self.action_save()

    def action_save(self) -> None:
        self.dismiss(self.query_one(TextArea).text)
