from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeVar, cast

from textual import events, on, work
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.suggester import SuggestFromList
from textual.visual import Visual
from textual.widget import Widget
from textual.widgets import OptionList, Static

from theact_tui.errors import TurnError, UsageError
from theact_tui.text import clean
from theact_tui.tui.visuals import HangingText, Indented, accent
from theact_tui.tui.widgets.base_screen import BaseScreen
from theact_tui.tui.widgets.footer import DialogFooter, pressing
from theact_tui.tui.widgets.inputs import ChoiceField, LineField, TextField, answer_of
from theact_tui.tui.widgets.lists import EnterList

Answer = TypeVar("Answer")
Done = TypeVar("Done")


class BoxDialog(ModalScreen[Answer], BaseScreen[Answer]):
    DEFAULT_CSS = """
    BoxDialog {
        align: center middle;
        &.-narrow { background: $background; }
        & > Vertical {
            width: 64; max-width: 92%; height: auto; max-height: 90%; padding: 1 2;
            background: $surface; border: round $primary; overflow-y: auto; scrollbar-size-vertical: 1;
        }
        .title { text-style: bold; margin: 0 0 1 0; }
        .label { color: $quiet; }
        .note { margin: 0 0 1 0; }
        .keys { dock: bottom; color: $quiet; padding: 1 0 0 0; }
        .problem { color: $error; }
        Input { background: $panel; margin: 0 0 1 0; }
        Input:focus { background: $glow; background-tint: transparent; }
        TextArea { height: 14; max-height: 50vh; padding: 0; background: $panel; }
        &:ansi Input { text-style: underline; }
        &.-tiny {
            & > Vertical { padding: 0 1; max-width: 100%; max-height: 100%; }
            .title, .note, Input { margin: 0; }
            .keys { padding: 0; }
        }
    }
    """

    VERTICAL_BREAKPOINTS = [(0, "-tiny"), (16, "-low"), (30, "-tall")]
    BINDINGS = [Binding("up", "scroll_box(-1)", show=False), Binding("down", "scroll_box(1)", show=False)]

    def __init__(self, title: str, note: str = "", *, keys: str = "", classes: str = "") -> None:
        super().__init__(classes=classes)
        self._title, self._note, self._keys = title, note, keys

    def compose(self) -> ComposeResult:
        with Vertical():
            if self._title:
                yield Static(self._title, classes="title", markup=False)
            if self._note:
                yield Static(HangingText(self._note), classes="label about")
            yield from self.compose_body()
            yield DialogFooter(self._keys)

    def compose_body(self) -> ComposeResult:
        return ()

    def action_scroll_box(self, rows: int) -> None:
        self.query_one(Vertical).scroll_relative(y=rows, animate=False)


@dataclass(frozen=True, slots=True)
class FormField:
    label: str
    value: str = ""
    placeholder: str = ""
    choices: tuple[str, ...] = ()
    """Completions while typing; → accepts."""
    secret: bool = False
    note: str = ""
    check: Callable[[str], object] | None = None
    """Raises UsageError for an unusable answer when the field is left."""
    words: Sequence[str] = ()
    form: Literal["line", "paragraph", "text"] = "line"
    """In a text, enter begins a new line."""

    def box(self, id: str | None = None) -> LineField | TextField | ChoiceField:
        if self.words:
            return ChoiceField(self.words, self.value, id=id)
        if self.form != "line":
            return TextField(
                clean(self.value),
                compact=True,
                highlight_cursor_line=False,
                placeholder=self.placeholder,
                id=id,
            )
        suggester = SuggestFromList(self.choices, case_sensitive=False) if self.choices else None
        return LineField(
            self.value, placeholder=self.placeholder, suggester=suggester, id=id, password=self.secret
        )


LONG_FORM = 4
"""Fields above which a low terminal has no room between them."""


class FormDialog(BoxDialog[Any]):
    """Returns the result of `read`, or None. `ask_until_valid` repeats until it is usable."""

    DEFAULT_CSS = """
    FormDialog {
        .keys { padding: 0; }
        .about, .problem { margin: 0 0 1 0; }
        .-noted { margin: 0; }
        &.-tiny .about { margin: 0; }
        &.-low.-long Input { margin: 0; }
    }
    """
    BINDINGS = [
        Binding("enter", "next", "next", priority=True),
        Binding("ctrl+s", "save", show=False, priority=True),
        Binding("escape", "cancel", "cancel", priority=True),
    ]
    HELP = "Enter moves to the next field; on the last one it confirms. Escape cancels."

    def __init__(self, title: str, *fields: FormField, note: str = "", yes: str, classes: str = "") -> None:
        super().__init__(title, note, classes=f"{classes} {'-long' if len(fields) > LONG_FORM else ''}")
        self._fields, self._yes, self._problem = fields, yes, ""

    def again(self, texts: tuple[str, ...], problem: str) -> "FormDialog":
        fields = (replace(field, value=text) for field, text in zip(self._fields, texts, strict=True))
        ask = FormDialog(self._title, *fields, note=self._note, yes=self._yes)
        ask._problem = problem
        return ask

    def read(self, texts: tuple[str, ...]) -> object:
        """Return the answer. Raises UsageError."""
        return texts

    def compose_body(self) -> ComposeResult:
        if self._problem:
            yield Static(clean(self._problem), classes="problem", markup=False)
        for n, field in enumerate(self._fields):
            if field.label:
                yield Static(field.label, classes="label", markup=False)
            yield field.box(f"field-{n}").set_class(bool(field.note), "-noted")
            if field.note:
                yield Static(field.note, classes="label note", markup=False)

    def on_mount(self) -> None:
        self._opened_with = self.texts

    def on_descendant_focus(self) -> None:
        self.query_one(DialogFooter).update(f"{self.hints}   esc cancel")

    @property
    def hints(self) -> str:
        return f"enter {self._yes if self._is_last else 'next field'}"

    @property
    def boxes(self) -> list[LineField | TextField | ChoiceField]:
        return [cast("LineField", self.query_one(f"#field-{n}")) for n in range(len(self._fields))]

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(clean(answer_of(box)).strip() for box in self.boxes)

    @property
    def _at(self) -> int:
        return next((n for n, box in enumerate(self.boxes) if box is self.focused), 0)

    @property
    def _is_last(self) -> bool:
        return self._at == len(self._fields) - 1

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return action != "next" or not self.is_mounted or self._fields[self._at].form != "text"

    def action_next(self) -> None:
        """Go to the next field, or answer from the last; an unusable text is not left."""
        if self._is_last:
            self.action_save()
        elif self._holds(self._at):
            self.action_go(1)

    def action_go(self, step: int) -> None:
        """Go to another field at once, so that no typed-ahead key lands in the wrong one."""
        self.set_focus(self.boxes[(self._at + step) % len(self._fields)])

    def action_save(self) -> None:
        if all(map(self._holds, range(len(self._fields)))):
            try:
                self.dismiss(self.read(self.texts))
            except UsageError as error:
                self.refuse(self._at, error.message)

    async def may_leave(self) -> bool:
        """Ask before changes to a longer text are lost."""
        is_short = all(field.form == "line" for field in self._fields)
        question = ConfirmDialog("Leave without saving?", "Your changes will be lost.", yes="leave")
        return is_short or self.texts == self._opened_with or await self.app.push_screen_wait(question)

    @work
    async def action_cancel(self) -> None:
        if await self.may_leave():
            self.dismiss(None)

    def _holds(self, place: int) -> bool:
        self.query(".problem").remove()
        try:
            if check := self._fields[place].check:
                check(self.texts[place])
        except UsageError as error:
            self.refuse(place, error.message)
            return False
        return True

    def refuse(self, place: int, why: str) -> None:
        row = box = cast(Widget, self.boxes[place])
        while not isinstance(row.parent, Vertical):
            row = cast(Widget, row.parent)
        refused = Static(clean(why), classes="problem", markup=False)
        row.parent.mount(refused, after=row)
        self.set_focus(box)
        self.call_after_refresh(refused.scroll_visible, animate=False)


async def ask_until_valid(
    app: App[Any], ask: FormDialog, act: Callable[[tuple[str, ...]], Awaitable[Done]]
) -> Done | None:
    """Ask and act on the answer, again after a refusal. None if cancelled."""
    while (texts := await app.push_screen_wait(ask)) is not None:
        try:
            return await act(texts)
        except UsageError as error:
            ask = ask.again(texts, error.message)
    return None


async def ask_to_grow(
    app: App[Any], dialog: "GrowingTextDialog", write_on: Callable[[str], Awaitable[object]]
) -> str | None:
    """Ask for a text to save. If the model is to go on from it, let it, again after a refusal or failure; None then."""
    while True:
        text: str | None = await app.push_screen_wait(dialog)
        if text is None or not dialog.goes_on:
            return text
        try:
            await write_on(text)
            return None
        except (UsageError, TurnError) as error:
            dialog = dialog.reopened(text, error.message)


class ConfirmDialog(BoxDialog[bool]):
    """Confirms a destructive action: yes only by its own letter."""

    BINDINGS = [
        Binding("y", "dismiss(True)", "yes"),
        Binding("n,escape", "dismiss(False)", "no"),
        Binding("enter,space", "remind", show=False),
    ]
    HELP = "y confirms, n or escape cancels."

    def __init__(self, title: str, note: str, *, yes: str = "yes", no: str = "no") -> None:
        super().__init__(title, note, keys=f"y {yes}   n {no}")

    def action_remind(self) -> None:
        # a key pressed out of habit must not delete anything
        self.query_one(DialogFooter).update(f"Press y or n:   {self._keys}")


class ProgressDialog(BoxDialog[None]):
    BINDINGS = [Binding("escape", "dismiss", "stop")]
    progress = ""

    def compose_body(self) -> ComposeResult:
        yield Static(id="progress", markup=False)

    def on_mount(self) -> None:
        self.say(self.progress)  # which may have been said before there was a line for it

    def say(self, text: str) -> None:
        self.progress = text
        for line in self.query("#progress").results(Static):
            line.update(text)


class TextDialog(FormDialog):
    """Edits a longer text; returns it, or None. Enter accepts a `single` paragraph."""

    DEFAULT_CSS = """
    TextDialog > Vertical { width: 84; }
    TextDialog {
        .about { max-height: 6; }
        .keys { padding: 1 0 0 0; }
        &.-noted TextArea { height: 8; }
        &.-noted.-tall TextArea { height: 14; }
    }
    TextDialog.-single TextArea { height: auto; min-height: 2; max-height: 14; }
    """
    HELP = "Edit the text. ^s saves it, escape cancels."

    def __init__(self, title: str, text: str, note: str = "", *, single: bool = False) -> None:
        classes = f"{'-single ' if single else ''}{'-noted' if note else ''}"
        field = FormField("", text, form="paragraph" if single else "text")
        super().__init__(title, field, note=note, yes="save", classes=classes)

    def on_mount(self) -> None:
        if self.has_class("-single"):
            self.query_one(TextField).action_document_end()

    @property
    def hints(self) -> str:
        return f"{'enter' if self.has_class('-single') else '^s'} save"

    def read(self, texts: tuple[str, ...]) -> str:
        return self.query_one(TextField).text


class GrowingTextDialog(TextDialog):
    """Edits a model's text; `goes_on` if the model is to go on from what is returned."""

    BINDINGS = [Binding("f4", "write_on", priority=True)]
    HELP = (
        "Cut the text where it went wrong (ctrl-shift-end selects the rest of it): F4 lets the model go on from there, as a "
        "new take. Escape cancels."
    )

    def __init__(self, title: str, text: str, note: str = "", *, is_saved: bool = True) -> None:
        """`is_saved`: it can be saved as it is, too."""
        super().__init__(title, text, note)
        self._is_saved = is_saved
        self.goes_on = not is_saved

    @property
    def hints(self) -> str:
        return f"{super().hints}   F4 write on" if self._is_saved else "F4 write on"

    def reopened(self, text: str, problem: str) -> "GrowingTextDialog":
        return GrowingTextDialog(self._title, text, problem, is_saved=self._is_saved)

    def action_write_on(self) -> None:
        self.goes_on = True
        self.action_save()


@dataclass(frozen=True, slots=True)
class DialogChoice:
    key: str
    label: str
    help: str = ""


class ChoiceDialog(BoxDialog[str]):
    """Returns the letter of one of a few answers, or nothing."""

    DEFAULT_CSS = "ChoiceDialog .answers { height: auto; margin: 1 0 0 0; }"
    BINDINGS = [Binding("escape", "dismiss('')", "cancel")]
    HELP = "Press the letter of an answer, or escape to cancel."

    def __init__(self, title: str, note: str, *choices: DialogChoice, keys: str = "esc cancel") -> None:
        super().__init__(title, note, keys=keys)
        self._choices = choices

    def compose_body(self) -> ComposeResult:
        with Vertical(classes="answers"):
            for choice in self._choices:
                letter = accent(f"{choice.key}  ")
                words = Content.assemble((choice.label, ".strong"), (f"  {choice.help}", ".quiet"))
                yield Static(Indented(*(pressing(part, choice.key) for part in (letter, words))))

    def on_key(self, event: events.Key) -> None:
        if event.character and event.character in (choice.key for choice in self._choices):
            event.stop()
            self.dismiss(event.character)


DELETE = "-"
"""Prefix of a returned id: delete that row."""


class ListDialog(BoxDialog[str]):
    """Returns the id of a row, after `DELETE` if that key was pressed, or nothing."""

    DEFAULT_CSS = """
    ListDialog {
        EnterList { max-height: 40vh; background: $surface; }
        .label { margin: 0 0 1 0; }
    }
    """
    BINDINGS = [Binding("escape", "dismiss('')", "cancel"), Binding("x,delete", "delete", "delete")]
    HELP = "Move with the arrows, choose with enter, cancel with escape."

    def __init__(
        self,
        title: str,
        rows: Mapping[str, Visual],
        *,
        note: str = "",
        at: str = "",
        yes: str = "choose",
        deletable: Collection[str] = (),
    ) -> None:
        super().__init__(title, note, keys=f"enter {yes}{'   x delete' if deletable else ''}   esc cancel")
        self._rows, self._at, self._deletable = rows, at, deletable

    def compose_body(self) -> ComposeResult:
        yield EnterList(markup=False)

    def on_mount(self) -> None:
        self.query_one(EnterList).show(self._rows.items(), self._at)

    @on(OptionList.OptionSelected)
    def chosen(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(event.option.id or "")

    def action_delete(self) -> None:
        if (id := self.query_one(EnterList).marked) in self._deletable:
            self.dismiss(f"{DELETE}{id}")
