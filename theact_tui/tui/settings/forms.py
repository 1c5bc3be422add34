"""A form for one of the values in the settings, made from its fields: a line for each, with the sentence under it.

What is typed is checked by the value's own rules; nothing is answered before it holds.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import ClassVar, Generic, Literal, TypeVar, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.visual import Visual
from textual.widget import Widget
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from theact_tui.errors import UsageError
from theact_tui.models.sampling import PRESETS, Sampling, Server, as_line, server_of
from theact_tui.text import clean, one_line
from theact_tui.tui.blocks import (
    beat_blocks,
    block_rows,
    dice_block,
    name_block,
    player_blocks,
    prose_blocks,
    words_blocks,
)
from theact_tui.tui.settings.pages import sentence, title_of
from theact_tui.tui.themes import THEMES
from theact_tui.tui.visuals import SplitLine, Stack
from theact_tui.tui.widgets.base_screen import Dialog
from theact_tui.tui.widgets.dialogs import BoxDialog
from theact_tui.tui.widgets.footer import DialogFooter
from theact_tui.tui.widgets.inputs import ChoiceField, LineField
from theact_tui.tui.widgets.lists import EnterList

T = TypeVar("T", bound=BaseModel)
NAME = "name"
CheckName = Callable[[str], str]
"""A name as it may be used. Raises UsageError."""
Suggest = Callable[[Mapping[str, str]], Awaitable[str]]
"""A text for the field one is in, from what stands in all; nothing when there is none."""

FORM_CSS = """
    & > Vertical { width: 78; }
    .fields { height: auto; }
    &.-low > Vertical { padding: 0 2; max-height: 100%; }
    .row { height: 1; }
    .row > Static { width: 20; color: $quiet; }
    .row > Input { width: 1fr; margin: 0; }
    .sentence { height: auto; min-height: 2; margin: 1 0 0 0; color: $quiet; }
"""


class ModelForm(BoxDialog["tuple[str, T] | None"], Generic[T]):
    """Asks for the fields of a value; the answer is a name and the value, or None."""

    DEFAULT_CSS = f"ModelForm {{ {FORM_CSS} }}"
    BINDINGS = [
        Binding("escape", "dismiss(None)", "cancel", priority=True),
        Binding("ctrl+s", "save", "save", priority=True),
        Binding("f2", "suggest", "choose", priority=True),
        Binding("enter", "next", "next", show=False, priority=True),
        Binding("down,tab", "go(1)", "next field", show=False, priority=True),
        Binding("up,shift+tab", "go(-1)", "previous field", show=False, priority=True),
    ]
    HELP: ClassVar[str] = (
        "Enter, tab and the arrow keys move between fields; ^s saves. An empty field means the "
        "default. In fields with ‹ › the left and right keys change the value."
    )

    def __init__(
        self,
        title: str,
        value: T,
        *,
        name: str | None = None,
        check_name: CheckName = str,
        check: Callable[[T], None] = lambda value: None,
        words: Mapping[str, Sequence[str]] | None = None,
        suggest: Mapping[str, Suggest] | None = None,
    ) -> None:
        """`name`: also ask for a name, with this one there already. `words`: fields with only a few answers.
        `check`: raises UsageError for a value that cannot be used. `suggest`: fields that F2 has a list for."""
        super().__init__(one_line(title, 70))
        self._value = value
        self._called = name
        self._check_name = check_name
        self._check = check
        self._words = dict(words or {})
        self._suggest = dict(suggest or {})
        self._fields = dict(type(value).model_fields)
        self._names = [*([NAME] if name is not None else []), *self._fields]

    def compose_body(self) -> ComposeResult:
        with Vertical(classes="fields"):
            for known in self._names:
                with Horizontal(classes="row"):
                    yield Static(self._label(known), markup=False)
                    yield self._entry(known)
        yield Static("", classes="sentence", markup=False)
        yield Static("", classes="problem", markup=False)

    def _label(self, known: str) -> str:
        return "Name" if known == NAME else title_of(type(self._value), known)

    def _entry(self, known: str) -> Widget:
        if known == NAME and self._called is not None:
            return LineField(self._called, id=f"field-{known}")
        field, value = self._fields[known], getattr(self._value, known)
        words = self._words.get(known) or _words_of(field)
        if words:
            return ChoiceField(words, value or "", id=f"field-{known}")
        return LineField(_text(value), id=f"field-{known}", placeholder=_text(field.get_default()))

    def on_mount(self) -> None:
        self._field(self._names[0]).focus()

    def _field(self, known: str) -> Widget:
        return self.query_one(f"#field-{known}")

    @property
    def _at(self) -> str:
        """The field one is in."""
        focused = self.focused.id if self.focused else None
        return (focused or "").removeprefix("field-")

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        known = self._at
        if not known:
            return
        about = Content("The name of this model in the settings.")
        if known != NAME:
            kept = f" In config.toml: {known}."
            about = Content.assemble(sentence(type(self._value), known), (kept, ".faint"))
        self.query_one(".sentence", Static).update(about)
        self.query_one(DialogFooter).update(self._hints(known))

    def _hints(self, known: str) -> str:
        suggest = "   F2 list" if known in self._suggest else ""
        return f"^s save   enter next field{suggest}   esc cancel"

    def action_next(self) -> None:
        """Go to the next field, or save from the last one."""
        if self._at == self._names[-1]:
            self.action_save()
        else:
            self.action_go(1)

    def action_go(self, step: int) -> None:
        """Go to another field at once, so that no key typed ahead lands in the wrong one."""
        at = self._names.index(self._at) if self._at in self._names else 0
        self.set_focus(self._field(self._names[(at + step) % len(self._names)]))

    @property
    def texts(self) -> dict[str, str]:
        """What stands in all fields."""
        found = {}
        for known in self._names:
            field = self._field(known)
            found[known] = clean(field.value).strip() if isinstance(field, Input | ChoiceField) else ""
        return found

    def action_suggest(self) -> None:
        known = self._at
        if known in self._suggest:
            self.run_worker(self._suggested(known), group="suggest", exclusive=True, exit_on_error=False)

    async def _suggested(self, known: str) -> None:
        try:
            text = await self._suggest[known](self.texts)
        except UsageError as error:
            self._say(error.message)
            return
        field = self._field(known)
        if text and isinstance(field, Input):
            field.value = text

    def action_save(self) -> None:
        texts = self.texts
        try:
            name = self._check_name(texts.pop(NAME)) if NAME in texts and self._called is not None else ""
        except UsageError as error:
            self._wrong(NAME, error.message)
            return
        given = {known: text for known, text in texts.items() if text}
        try:
            value = type(self._value).model_validate(given)
        except ValidationError as error:
            first = error.errors()[0]
            self._wrong(str(first["loc"][0]), f"{self._label(str(first['loc'][0]))}: {_said(first['msg'])}")
            return
        try:
            self._check(value)
        except UsageError as error:
            self._wrong(next(iter(self._fields)), error.message)
            return
        self.dismiss((name, value))

    def _wrong(self, known: str, text: str) -> None:
        self._field(known).focus()
        self._say(text)

    def _say(self, text: str) -> None:
        self.query_one(".problem", Static).update(one_line(text, 200))


def _words_of(field: FieldInfo) -> tuple[str, ...]:
    """The answers of a field that has only a few; the empty one first where it may be left open."""
    kinds = (field.annotation, *get_args(field.annotation))
    literal = next((kind for kind in kinds if get_origin(kind) is Literal), None)
    if literal is None:
        return ()
    words = tuple(str(word) for word in get_args(literal))
    return words if literal is field.annotation else ("", *words)


def _text(value: object) -> str:
    if isinstance(value, Sampling | dict):
        return as_line(value.set_values if isinstance(value, Sampling) else value)
    return f"{value:g}" if isinstance(value, float) else "" if value is None else str(value)


async def suggested_sampling(texts: Mapping[str, str]) -> str:
    """Values to begin with for the server of a form."""
    server: Server = next((known for known in PRESETS if known == texts.get("server")), "auto")
    return as_line(PRESETS[server_of(server, texts.get("base_url", ""))].set_values)


def _said(message: str) -> str:
    """A checker's message for people."""
    return message.removeprefix("Value error, ").removeprefix("Input ")


PROSE = "The lamp gutters. On the stair below somebody has stopped, and waits for you to breathe."


class ThemeDialog(Dialog[str]):
    """Shows themes as they are; the answer is a theme's name, or nothing after escape."""

    DEFAULT_CSS = """
    ThemeDialog {
        align: center middle;
        background: $background 60%;
        & > Horizontal {
            width: 100; max-width: 96%; height: 22; max-height: 96%;
            background: $background; border: round $primary;
        }
        EnterList {
            width: 30; height: 1fr; border: none; background: $background; padding: 1 0 0 1;
            scrollbar-size-vertical: 1;
        }
        EnterList:focus { background-tint: transparent; border: none; }
        #sample { width: 1fr; height: 100%; padding: 1 3; border-left: solid $line; }
        #sample > Static { height: 1fr; }
        #sample > .keys { height: 1; color: $quiet; }
    }
    """
    BINDINGS = [Binding("escape", "cancel", "cancel")]
    HELP: ClassVar[str] = "The arrow keys preview a theme, enter uses it, escape keeps the old theme."

    def __init__(self, now: str) -> None:
        super().__init__()
        self._now = now

    def compose(self) -> ComposeResult:
        with Horizontal():
            yield EnterList(*(Option(_row(name, note), id=name) for name, note in self.offered), markup=False)
            with Vertical(id="sample"):
                yield Static(sample())
                yield DialogFooter("enter use   esc keep the old theme")

    @property
    def offered(self) -> list[tuple[str, str]]:
        """Names and what they are, the app's own first; without colours only those of the terminal."""
        own, every = [theme.name for theme in THEMES], self.app.available_themes
        themes = [every[name] for name in [*own, *sorted(set(every) - {*own})]]
        return [
            (theme.name, f"{'yours, ' if theme.ansi else ''}{'dark' if theme.dark else 'light'}")
            for theme in themes
            if theme.ansi or not self.app.no_color
        ]

    def on_mount(self) -> None:
        names = [name for name, _ in self.offered]
        options = self.query_one(EnterList)
        options.highlighted = names.index(self._now) if self._now in names else 0
        options.focus()

    @on(OptionList.OptionHighlighted)
    def put_on(self, event: OptionList.OptionHighlighted) -> None:
        if event.option.id:
            self.app.theme = event.option.id
            self.query_one("#sample > Static", Static).update(sample())

    @on(OptionList.OptionSelected)
    def chosen(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(event.option.id or "")

    def action_cancel(self) -> None:
        self.app.theme = self._now
        self.dismiss("")


def sample() -> Visual:
    """A few lines of a story with everything in them that has an ink."""
    blocks = [
        *player_blocks("I hold the lamp higher and say nothing."),
        dice_block(14, 12, "the light carries"),
        *prose_blocks(PROSE),
        name_block("Ann Lee", 1),
        *words_blocks('"Twelve," she says. "There were nine."', 1),
        name_block("Bob", 2),
        *words_blocks('"Then count again."', 2),
        *beat_blocks(["the stair is found"]),
    ]
    return Stack(*block_rows(blocks)[1:])


def _row(name: str, note: str) -> Visual:
    return SplitLine(Content(name), Content.styled(note, ".quiet"))
