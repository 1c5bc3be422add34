"""Form for a settings value, which checks the input itself."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, Literal, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from textual import on, work
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.visual import Visual
from textual.widgets import OptionList, Static

from theact_tui.errors import UsageError
from theact_tui.field_errors import field_message
from theact_tui.models.sampling import PRESETS, Sampling, Server, server_of, settings_line
from theact_tui.text import one_line
from theact_tui.tui import blocks
from theact_tui.tui.themes import THEMES
from theact_tui.tui.visuals import SplitLine, Stack, quiet
from theact_tui.tui.widgets.dialogs import FormDialog, FormField, ListDialog
from theact_tui.tui.widgets.inputs import LineField

NAME = "name"
Suggest = Callable[[Mapping[str, str]], Awaitable[str]]
"""Returns a text for the current field from all texts; "" for none."""


def sentence(model: type[BaseModel], field: str) -> str:
    """Return a setting's meaning from the docstring under it."""
    return (model.model_fields[field].description or "").replace("`", "")


def title_of(model: type[BaseModel], field: str) -> str:
    return model.model_fields[field].title or field.replace("_", " ").capitalize()


class ModelForm(FormDialog):
    """The answer is name and value, or None."""

    DEFAULT_CSS = """
    ModelForm {
        & > Vertical { width: 78; }
        .fields { height: auto; max-height: 55vh; overflow-y: auto; scrollbar-size-vertical: 1; }
        &.-low > Vertical { padding: 0 2; max-height: 100%; }
        &.-tiny .fields { max-height: 3; }
        &.-tiny .sentence { margin: 0; min-height: 0; }
        .keys { padding: 1 0 0 0; }
        .row { height: 1; }
        .row > Static { width: 20; color: $quiet; }
        .row > Input { width: 1fr; margin: 0; }
        .sentence { min-height: 2; margin: 1 0 0 0; color: $quiet; }
    }
    """
    BINDINGS = [
        Binding("f2", "suggest", "choose", priority=True),
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
        value: BaseModel,
        *,
        name: str | None = None,
        checks: Mapping[str, Callable[[str], object]] | None = None,
        words: Mapping[str, Sequence[str]] | None = None,
        suggest: Mapping[str, Suggest] | None = None,
    ) -> None:
        """`name`: also ask for a name, with this default. By field: `checks` raise UsageError, `words` are the
        possible answers, `suggest` fills it on F2.
        """
        self._kind, self._suggest = type(value), suggest or {}
        checks, words = checks or {}, words or {}
        fields = {
            field: FormField(
                title_of(self._kind, field),
                _text(getattr(value, field)),
                _text(info.get_default()),
                check=partial(self._check, field, checks.get(field, str)),
                words=words.get(field) or _words_of(info),
            )
            for field, info in self._kind.model_fields.items()
        }
        if name is not None:
            fields = {NAME: FormField("Name", name, check=checks.get(NAME)), **fields}
        self.names = tuple(fields)
        super().__init__(one_line(title, 70), *fields.values(), yes="save")

    def compose_body(self) -> ComposeResult:
        with Vertical(classes="fields"):
            for n, field in enumerate(self._fields):
                with Horizontal(classes="row"):
                    yield Static(field.label, markup=False)
                    yield field.box(f"field-{n}")
        yield Static("", classes="sentence", markup=False)

    def on_descendant_focus(self) -> None:
        super().on_descendant_focus()
        about, field = Content("The name of this model in the settings."), self.names[self._at]
        if field != NAME:
            about = Content.assemble(sentence(self._kind, field), (f" In config.toml: {field}.", ".faint"))
        self.query_one(".sentence", Static).update(about)

    @property
    def hints(self) -> str:
        more = "   F2 list" if self.names[self._at] in self._suggest else ""
        more += "   ← → change" if self._fields[self._at].words else ""
        return f"^s save   enter next field{more}"

    @property
    def answers(self) -> dict[str, str]:
        return dict(zip(self.names, self.texts, strict=True))

    @work(group="suggest", exclusive=True, exit_on_error=False)
    async def action_suggest(self) -> None:
        place = self._at
        if suggest := self._suggest.get(self.names[place]):
            try:
                text = await suggest(self.answers)
            except UsageError as error:
                self.refuse(place, error.message)
                return
            if text and isinstance(box := self.boxes[place], LineField):
                box.value = text

    def _check(self, field: str, check: Callable[[str], object], text: str) -> None:
        check(text)
        try:
            self._kind.model_validate({field: text} if text else {})
        except ValidationError as error:
            message = field_message(self._kind, error.errors()[0], title_of(self._kind, field))
            raise UsageError(f"{message}.") from None

    def read(self, texts: tuple[str, ...]) -> tuple[str, BaseModel]:
        filled = {field: text for field, text in self.answers.items() if text and field != NAME}
        return self.answers.get(NAME, ""), self._kind.model_validate(filled)


def _words_of(field: FieldInfo) -> tuple[str, ...]:
    """Return the possible answers of a field with few; the empty one first if it is optional."""
    kinds = (field.annotation, *get_args(field.annotation))
    literal = next((kind for kind in kinds if get_origin(kind) is Literal), None)
    words = tuple(str(word) for word in get_args(literal))
    return words if literal in (None, field.annotation) else ("", *words)


def _text(value: object) -> str:
    if isinstance(value, Sampling | dict):
        return settings_line(value.set_values if isinstance(value, Sampling) else value)
    return f"{value:g}" if isinstance(value, float) else "" if value is None else str(value)


async def suggested_sampling(texts: Mapping[str, str]) -> str:
    server: Server = next((preset for preset in PRESETS if preset == texts["server"]), "auto")
    return settings_line(PRESETS[server_of(server, texts["base_url"])].set_values)


PROSE = "The lamp gutters. On the stair below somebody has stopped, and waits for you to breathe."


class ThemeDialog(ListDialog):
    """Shows themes live; the answer is a theme's name, or None for the caller to restore the old one."""

    DEFAULT_CSS = """
    ThemeDialog {
        & > Vertical { width: 100; max-width: 96%; max-height: 96%; padding: 0 1; }
        .keys { padding: 0; }
        Horizontal { height: 18; max-height: 75vh; }
        EnterList { width: 33; height: 1fr; max-height: 100%; }
        #sample { width: 1fr; height: 1fr; padding: 0 3; background: $background; }
        &.-slim EnterList { width: 1fr; }
        &.-slim #sample { display: none; }
        &.-tiny Horizontal { height: 6; }
    }
    """
    HORIZONTAL_BREAKPOINTS = [(0, "-slim"), (72, "-wide")]
    HELP: ClassVar[str] = "The arrow keys preview a theme, enter uses it, escape keeps the old theme."

    def __init__(self, app: App[Any]) -> None:
        own, every = [theme.name for theme in THEMES], app.available_themes
        rows: dict[str, Visual] = {}
        for theme in (every[name] for name in [*own, *sorted(set(every) - {*own})]):
            if theme.ansi or not app.no_color:
                note = f"{'yours, ' if theme.ansi else ''}{'dark' if theme.dark else 'light'}"
                rows[theme.name] = SplitLine(Content(theme.name), quiet(note))
        super().__init__("", rows, at=app.theme, yes="use")

    def compose_body(self) -> ComposeResult:
        with Horizontal():
            yield from super().compose_body()
            yield Static(sample(), id="sample")

    @on(OptionList.OptionHighlighted)
    def put_on(self, event: OptionList.OptionHighlighted) -> None:
        self.app.theme = event.option.id or self.app.theme
        self.query_one("#sample", Static).update(sample())


def sample() -> Visual:
    rows = [
        *blocks.player_blocks("I hold the lamp higher and say nothing."),
        blocks.dice_block(14, 12, "the light carries"),
        *blocks.prose_blocks(PROSE),
        blocks.name_block("Ann Lee", 1),
        *blocks.words_blocks('"Twelve," she says. "There were nine."', 1),
        blocks.name_block("Bob", 2),
        *blocks.words_blocks('"Then count again."', 2),
        *blocks.beat_blocks(["the stair is found"]),
    ]
    return Stack(*blocks.block_rows(rows)[1:])
