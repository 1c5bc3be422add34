import asyncio
import os
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, ClassVar

import click
from rich.cells import split_graphemes
from textual import events
from textual.app import App, SuspendNotSupported
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.suggester import Suggester
from textual.visual import Visual
from textual.widget import Widget
from textual.widgets import Input, TextArea

from theact_tui.errors import UsageError
from theact_tui.text import clean, one_line
from theact_tui.tui.visuals import SplitLine, quiet

CATCH_UP_SECONDS = 0.5
"""Until keys are no longer held back for a box that does not answer."""


class TypedInput(Widget):
    EDITING: ClassVar[Mapping[str, str]] = {}

    async def on_key(self, event: events.Key) -> None:
        """Edit at once; a key that first bubbles to its binding would be overtaken by the next letters."""
        if event.key in ("tab", "shift+tab"):
            event.stop()
            event.prevent_default()
            (self.screen.focus_next if event.key == "tab" else self.screen.focus_previous)()
        elif getattr(self, "read_only", False):
            return
        elif (action := self.EDITING.get(event.key)) and await self.app.run_action(action, self):
            event.stop()
            event.prevent_default()
        elif types_a_sign(event) and not event.is_printable and event.character:
            event.stop()
            event.prevent_default()
            self.put(event.character)

    def put(self, text: str) -> None:
        raise NotImplementedError

    async def catch_up(self) -> None:
        """Wait for letters that an acting key would overtake."""
        taken = asyncio.Event()
        if self.is_running and self.call_later(taken.set):
            with suppress(TimeoutError):
                await asyncio.wait_for(taken.wait(), CATCH_UP_SECONDS)


def types_a_sign(event: events.Key) -> bool:
    """True for a key that types, also spaces and joiners, which Textual drops as unprintable."""
    character = event.character or ""
    is_mark = len(character) == 1 and unicodedata.category(character) in ("Zs", "Cf")
    return event.is_printable or (is_mark and clean(character) == character)


GRAPHEME_CODE_POINTS = 64
"""Looked at to find the sign beside the cursor, such as an emoji of several joined ones."""


def last_sign(text: str) -> str:
    tail = text[-GRAPHEME_CODE_POINTS:]
    signs, _ = split_graphemes(tail)
    return tail[signs[-1][0] :] if signs else ""


def first_sign(text: str) -> str:
    signs, _ = split_graphemes(text[:GRAPHEME_CODE_POINTS])
    return text[: signs[0][1]] if signs else ""


def named_key(event: events.Key) -> events.Key:
    """Name xterm's shift+enter; alt types nothing."""
    if event.key.endswith("+\r"):
        return events.Key(f"{event.key[:-1]}enter", None)
    return events.Key(event.key, None) if event.key.startswith("alt+") and event.character else event


def actions_by_key(bindings: Iterable[BindingType]) -> dict[str, str]:
    keyed = (binding for binding in bindings if isinstance(binding, Binding))
    return {key: binding.action for binding in keyed for key in binding.key.split(",")}


class LineField(Input, TypedInput):
    EDITING = {k: a for k, a in actions_by_key(Input.BINDINGS).items() if a != "submit"}

    def __init__(
        self,
        value: str = "",
        *,
        placeholder: str = "",
        suggester: Suggester | None = None,
        id: str | None = None,
        password: bool = False,
    ) -> None:
        super().__init__(
            one_line(value, 500),
            placeholder=placeholder,
            suggester=suggester,
            id=id,
            compact=True,
            password=password,
        )
        self._whole_placeholder = Content(placeholder)

    def put(self, text: str) -> None:
        self.replace(text, *self.selection)

    def action_delete_left(self) -> None:
        at = self.cursor_position
        if self.selection.is_empty:
            self.delete(at - len(last_sign(self.value[:at])), at)
        else:
            self.delete_selection()

    def on_resize(self) -> None:
        room = self.content_size.width
        self.placeholder = self._whole_placeholder.truncate(room, ellipsis=True).plain if room else ""

    def on_paste(self, event: events.Paste) -> None:
        event.text = clean(event.text)


class TextField(TextArea, TypedInput):
    EDITING = {
        **actions_by_key(TextArea.BINDINGS),
        "ctrl+home": "document_start",
        "ctrl+end": "document_end",
        "ctrl+shift+home": "document_start(True)",
        "ctrl+shift+end": "document_end(True)",
    }

    def put(self, text: str) -> None:
        self.replace(text, *self.selection, maintain_selection_offset=False)

    def get_cursor_left_location(self) -> tuple[int, int]:
        row, column = self.cursor_location
        sign = last_sign(self.document.get_line(row)[:column])
        return (row, column - len(sign)) if sign else super().get_cursor_left_location()

    def get_cursor_right_location(self) -> tuple[int, int]:
        row, column = self.cursor_location
        sign = first_sign(self.document.get_line(row)[column:])
        return (row, column + len(sign)) if sign else super().get_cursor_right_location()

    def action_document_start(self, select: bool = False) -> None:
        self.move_cursor((0, 0), select=select)

    def action_document_end(self, select: bool = False) -> None:
        self.move_cursor(self.document.end, select=select)

    def write(self, text: str) -> None:
        self.text = clean(text)
        self.move_cursor(self.document.end)

    def on_paste(self, event: events.Paste) -> None:
        event.text = clean(event.text)


class ChoiceField(Widget, can_focus=True):
    DEFAULT_CSS = """
    ChoiceField {
        height: 1; width: 1fr; background: $panel;
        &:focus { background: $glow; }
        &:ansi:focus { text-style: reverse; }
    }
    """
    BINDINGS = [
        Binding("right,space", "turn(1)", "change", key_display="← →"),
        Binding("left", "turn(-1)", "change", show=False),
    ]
    at: reactive[int] = reactive(0)

    def __init__(self, words: Sequence[str], word: str, *, id: str | None = None) -> None:
        """`word` is the initial choice, added to `words` if missing."""
        super().__init__(id=id)
        self.words = tuple(words) if word in words else (*words, word)
        self.set_reactive(ChoiceField.at, self.words.index(word))

    @property
    def value(self) -> str:
        return self.words[self.at]

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """Keep letters from the screen's keys."""
        return bool(character and character.isprintable())

    def action_turn(self, step: int) -> None:
        self.at = (self.at + step) % len(self.words)

    def render(self) -> Content:
        shown = one_line(self.value, 60) or "–"
        return Content.assemble(("‹ ", ".faint"), shown, (" ›", ".faint"))


def answer_of(box: LineField | TextField | ChoiceField) -> str:
    return box.text if isinstance(box, TextField) else box.value


class ChoiceLine(Widget):
    """Draws `entries` with `joint` between them and `note` at the right end."""

    DEFAULT_CSS = "ChoiceLine { height: 1; }"
    note: reactive[str] = reactive("")

    @dataclass
    class Picked(Message):
        line: "ChoiceLine"
        key: str

        @property
        def control(self) -> "ChoiceLine":
            return self.line

    @property
    def joint(self) -> str:
        return " "

    def entries(self) -> Sequence[tuple[str, Content]]:
        """Key and look of each entry at the current width."""
        return ()

    def render(self) -> Visual:
        drawn = Content(self.joint).join(content for _, content in self.entries())
        return SplitLine(drawn, quiet(self.note), first=True)

    def on_click(self, event: events.Click) -> None:
        x = event.x - self.styles.padding.left
        for key, content in self.entries():
            if 0 <= x < content.cell_length:
                self.post_message(self.Picked(self, key))
                return
            x -= content.cell_length + len(self.joint)


LOOK_SECONDS, MAX_LOOKS = 0.01, 100
"""Between checks for the dialog, and their number."""


async def forward_typed_ahead(app: App[Any], event: events.Key) -> bool:
    """Pass an untaken letter to its box once open; False if there is none."""
    if not event.is_forwarded or not types_a_sign(event):
        return False
    below = app.screen
    for _ in range(MAX_LOOKS):
        if not getattr(below, "opening", False) or not (app.screen is below or app.focused is None):
            break
        await asyncio.sleep(LOOK_SECONDS)
    box = app.focused
    if not isinstance(box, TypedInput) or getattr(box, "read_only", False):
        return False
    return box.post_message(events.Key(event.key, event.character))


def edited_outside(app: App[Any], text: str) -> str:
    """Return `text` after $VISUAL or $EDITOR. Raises UsageError without an editor or if it failed."""
    if not (editor := os.environ.get("VISUAL") or os.environ.get("EDITOR")):
        raise UsageError("No editor is set. Set EDITOR, for example EDITOR=nano, and start again.")
    try:
        with app.suspend():
            edited = click.edit(text, editor, extension=".md", require_save=False)
    except SuspendNotSupported:
        raise UsageError("An editor can only be opened in a terminal.") from None
    except click.ClickException as error:
        raise UsageError(f"{one_line(editor)} ended with an error. Your text is as it was.") from error
    return clean(edited or "").rstrip("\n")
