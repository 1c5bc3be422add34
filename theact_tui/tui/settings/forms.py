"""A form for one of the values in the settings, made from its fields: a line for each, with the sentence under it.

What is typed is checked by the value's own rules; nothing is answered before it holds.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import ClassVar, Generic, Literal, TypeVar, cast, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.visual import Visual
from textual.widgets import OptionList, Static
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
from theact_tui.tui.themes import THEMES
from theact_tui.tui.visuals import SplitLine, Stack
from theact_tui.tui.widgets.base_screen import BaseScreen
from theact_tui.tui.widgets.dialogs import BoxDialog
from theact_tui.tui.widgets.footer import DialogFooter
from theact_tui.tui.widgets.inputs import ChoiceField, LineField
from theact_tui.tui.widgets.lists import EnterList

T = TypeVar("T", bound=BaseModel)
NAME = "name"
"""The field of a value's name, which stands above those of the value."""
Suggest = Callable[[Mapping[str, str]], Awaitable[str]]
"""A text for the field one is in, from what stands in all; nothing when there is none."""


def sentence(model: type[BaseModel], field: str) -> str:
    """What a setting means, from the docstring under it."""
    return (model.model_fields[field].description or "").replace("`", "")


def title_of(model: type[BaseModel], field: str) -> str:
    if field == NAME:
        return "Name"
    return model.model_fields[field].title or field.replace("_", " ").capitalize()


class ModelForm(BoxDialog["tuple[str, T] | None"], Generic[T]):
    """Asks for the fields of a value; the answer is a name and the value, or None."""

    DEFAULT_CSS = """
    ModelForm {
        & > Vertical { width: 78; }
        .fields { height: auto; max-height: 55vh; overflow-y: auto; scrollbar-size-vertical: 1; }
        &.-low > Vertical { padding: 0 2; max-height: 100%; }
        &.-tiny .fields { max-height: 3; }
        &.-tiny .sentence { margin: 0; min-height: 0; }
        .row { height: 1; }
        .row > Static { width: 20; color: $quiet; }
        .row > Input { width: 1fr; margin: 0; }
        .sentence { height: auto; min-height: 2; margin: 1 0 0 0; color: $quiet; }
    }
    """
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
        checks: Mapping[str, Callable[[str], object]] | None = None,
        words: Mapping[str, Sequence[str]] | None = None,
        suggest: Mapping[str, Suggest] | None = None,
    ) -> None:
        """`name`: also ask for a name, with this one there already. By field: `checks` raise UsageError for a text that
        cannot be used, `words` are the few answers there are, `suggest` what F2 has."""
        super().__init__(one_line(title, 70))
        self._value = value
        self._called = name
        self._checks = checks or {}
        self._words = words or {}
        self._suggest = suggest or {}
        self._names = [*([NAME] if name is not None else []), *type(value).model_fields]

    def compose_body(self) -> ComposeResult:
        with Vertical(classes="fields"):
            for known in self._names:
                with Horizontal(classes="row"):
                    yield Static(title_of(type(self._value), known), markup=False)
                    yield self._box_for(known)
        yield Static("", classes="sentence", markup=False)
        yield Static("", classes="problem", markup=False)

    def _box_for(self, known: str) -> LineField | ChoiceField:
        if known == NAME:
            return LineField(self._called or "", id=f"field-{known}")
        field, value = type(self._value).model_fields[known], getattr(self._value, known)
        if words := self._words.get(known) or _words_of(field):
            return ChoiceField(words, value or "", id=f"field-{known}")
        return LineField(_text(value), id=f"field-{known}", placeholder=_text(field.get_default()))

    def on_mount(self) -> None:
        self._field(self._names[0]).focus()

    def _field(self, known: str) -> LineField | ChoiceField:
        return cast("LineField | ChoiceField", self.query_one(f"#field-{known}"))

    @property
    def _at(self) -> str:
        focused = self.focused.id if self.focused else None
        return (focused or "").removeprefix("field-")

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        if not (known := self._at):
            return
        about = Content("The name of this model in the settings.")
        if known != NAME:
            kept = f" In config.toml: {known}."
            about = Content.assemble(sentence(type(self._value), known), (kept, ".faint"))
        self.query_one(".sentence", Static).update(about)
        self.query_one(DialogFooter).update(self._hints(known))

    def _hints(self, known: str) -> str:
        more = "   F2 list" if known in self._suggest else ""
        more += "   ← → change" if isinstance(self._field(known), ChoiceField) else ""
        return f"^s save   enter next field{more}   esc cancel"

    def action_next(self) -> None:
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
        return {known: clean(self._field(known).value).strip() for known in self._names}

    @work(group="suggest", exclusive=True, exit_on_error=False)
    async def action_suggest(self) -> None:
        known = self._at
        if known not in self._suggest:
            return
        try:
            text = await self._suggest[known](self.texts)
        except UsageError as error:
            self._say(error.message)
            return
        field = self._field(known)
        if text and isinstance(field, LineField):
            field.value = text

    def action_save(self) -> None:
        texts = self.texts
        for known in self._names:
            try:
                self._checks.get(known, str)(texts[known])
            except UsageError as error:
                self._refuse(known, error.message)
                return
        given = {known: text for known, text in texts.items() if text and known != NAME}
        try:
            value = type(self._value).model_validate(given)
        except ValidationError as error:
            first = error.errors()[0]
            known = str(first["loc"][0])
            said = first["msg"].removeprefix("Value error, ").removeprefix("Input ")
            self._refuse(known, f"{title_of(type(self._value), known)}: {said}")
            return
        self.dismiss((texts.get(NAME, ""), value))

    def _refuse(self, known: str, why: str) -> None:
        self._field(known).focus()
        self._say(why)

    def _say(self, problem: str) -> None:
        said = self.query_one(".problem", Static)
        said.update(one_line(problem, 200))
        self.call_after_refresh(said.scroll_visible, animate=False)


def _words_of(field: FieldInfo) -> tuple[str, ...]:
    """The answers of a field that has only a few; the empty one first where it may be left open."""
    kinds = (field.annotation, *get_args(field.annotation))
    literal = next((kind for kind in kinds if get_origin(kind) is Literal), None)
    words = tuple(str(word) for word in get_args(literal))
    return words if literal in (None, field.annotation) else ("", *words)


def _text(value: object) -> str:
    if isinstance(value, Sampling | dict):
        return as_line(value.set_values if isinstance(value, Sampling) else value)
    return f"{value:g}" if isinstance(value, float) else "" if value is None else str(value)


async def suggested_sampling(texts: Mapping[str, str]) -> str:
    """Values to begin with for the server of a form."""
    server: Server = next((known for known in PRESETS if known == texts["server"]), "auto")
    return as_line(PRESETS[server_of(server, texts["base_url"])].set_values)


PROSE = "The lamp gutters. On the stair below somebody has stopped, and waits for you to breathe."


class ThemeDialog(BaseScreen[str], ModalScreen[str]):
    """Shows themes as they are; the answer is a theme's name, or nothing after escape."""

    DEFAULT_CSS = """
    ThemeDialog {
        align: center middle;
        background: $background 60%;
        &:ansi { background: transparent; }
        & > Horizontal {
            width: 100; max-width: 96%; height: 22; max-height: 96%;
            background: $background; border: round $primary;
        }
        EnterList { width: 30; height: 1fr; padding: 1 0 0 1; }
        #sample { width: 1fr; height: 100%; padding: 1 3; border-left: solid $line; }
        #sample > Static { height: 1fr; }
        #sample > .keys { height: 1; color: $quiet; }
        &.-slim {
            & > Horizontal { layout: vertical; }
            EnterList { width: 1fr; }
            #sample { width: 1fr; height: 1; padding: 0 1; border: none; }
            #sample > Static { display: none; }
            #sample > .keys { display: block; }
        }
    }
    """
    HORIZONTAL_BREAKPOINTS = [(0, "-slim"), (72, "-wide")]
    BINDINGS = [Binding("escape", "cancel", "cancel")]
    HELP: ClassVar[str] = "The arrow keys preview a theme, enter uses it, escape keeps the old theme."

    def __init__(self, now: str) -> None:
        super().__init__()
        self._now = now

    def compose(self) -> ComposeResult:
        with Horizontal():
            yield EnterList(markup=False)
            with Vertical(id="sample"):
                yield Static(sample())
                yield DialogFooter("enter use   esc keep the old theme")

    def on_mount(self) -> None:
        """List the app's own themes first; without colours only those of the terminal."""
        own, every = [theme.name for theme in THEMES], self.app.available_themes
        rows: list[Option] = []
        for theme in (every[name] for name in [*own, *sorted(set(every) - {*own})]):
            if theme.ansi or not self.app.no_color:
                note = f"{'yours, ' if theme.ansi else ''}{'dark' if theme.dark else 'light'}"
                row = SplitLine(Content(theme.name), Content.styled(note, ".quiet"))
                rows.append(Option(row, id=theme.name))
        self.query_one(EnterList).show(rows, self._now)
        self.query_one(EnterList).focus()

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
