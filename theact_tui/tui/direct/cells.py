"""The parts direct mode is made of: lines of choices, and text areas with a limit."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from rich.cells import cell_len
from textual import events, on
from textual.binding import Binding
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import TextArea
from textual.widgets.text_area import Edit, EditResult

from theact_tui.story.direct.models import AGENTS_MAX, NAME_LIMIT, TEXT_LIMIT
from theact_tui.text import clean, one_line
from theact_tui.tui.actions import bindings
from theact_tui.tui.direct.actions import COUNT_ACTIONS
from theact_tui.tui.widgets.inputs import ChoiceLine, TypedInput, actions_by_key

NAME_CELLS = 24
"""The most a panel's name takes."""


@dataclass(frozen=True, slots=True)
class NumberedChoice:
    """One thing to choose: its number, its words, and a text style."""

    number: int
    label: str
    ink: str = ""
    open: bool = True
    short: str = ""
    """The words where there is little room; else they are cut."""


def agent_panel(number: int, name: str) -> NumberedChoice:
    """The panel of an agent. In little room it goes by the first of its names."""
    called = name.removeprefix("Agent ")
    first = called.split()[0] if called.split() else name
    short = f"{number} {first if len(first) > 3 else called}"
    return NumberedChoice(number, f"{number} {name}", f".slot-{number}", short=short)


def fitted(choices: Sequence[NumberedChoice], room: int) -> list[str]:
    """The words of the choices, each at most `NAME_CELLS`: whole, else short, else cut where they are longest."""
    labels: list[str] = []
    for words in ([choice.label for choice in choices], [choice.short or choice.label for choice in choices]):
        labels = [one_line(label, NAME_CELLS) for label in words]
        if sum(map(cell_len, labels)) <= room:
            return labels
    most = NAME_CELLS
    while most > 3 and sum(min(cell_len(label), most) for label in labels) > room:
        most -= 1
    return [one_line(label, most) for label in labels]


class NumberedChoices(ChoiceLine):
    """A line of choices, one of which is active."""

    DEFAULT_CSS = "NumberedChoices { width: 1fr; }"
    choices: reactive[tuple[NumberedChoice, ...]] = reactive(())
    active: reactive[int] = reactive(0)
    wide_joint = " "
    """What stands between them where there is room for it."""

    @property
    def joint(self) -> str:
        words = sum(cell_len(choice.short or choice.label) for choice in self.choices)
        gaps = len(self.wide_joint) * (len(self.choices) - 1)
        return self.wide_joint if words + gaps <= self._room else ""

    @property
    def _room(self) -> int:
        """Cells for words: without the note, and the brackets of each choice."""
        note = cell_len(self.note) + 2 if self.note else 0
        return self.size.width - note - 2 * len(self.choices)

    def entries(self) -> list[tuple[str, Content]]:
        room = self._room - len(self.joint) * (len(self.choices) - 1)
        labels = fitted(self.choices, room)
        return [
            (str(choice.number), self.draw(choice, label))
            for choice, label in zip(self.choices, labels, strict=True)
        ]

    def draw(self, choice: NumberedChoice, label: str) -> Content:
        """A choice in these words, the active one in brackets."""
        if choice.number == self.active:
            return Content.assemble(("[", choice.ink), (label, ".strong"), ("]", choice.ink))
        return Content.assemble(" ", (label, ".quiet"), " ")


class DirectTabs(NumberedChoices):
    """The tabs across the top; the active one in capitals."""

    wide_joint = "│"

    def draw(self, choice: NumberedChoice, label: str) -> Content:
        if choice.number == self.active:
            return Content.styled(f" {label.upper()} ", ".strong")
        return Content.styled(f" {label} ", ".quiet" if choice.open else ".faint")


class AgentCount(NumberedChoices, can_focus=True):
    BINDINGS = [
        *bindings(COUNT_ACTIONS),
        *(Binding(str(n), f"choose({n})", str(n), show=False) for n in range(1, AGENTS_MAX + 1)),
    ]
    locked: reactive[bool] = reactive(False)

    def on_mount(self) -> None:
        self.choices = tuple(NumberedChoice(n, str(n)) for n in range(1, AGENTS_MAX + 1))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return not (self.locked and action in ("step", "choose"))

    def action_step(self, by: int) -> None:
        self.action_choose(self.active + by)

    def action_choose(self, number: int) -> None:
        if 1 <= number <= AGENTS_MAX and not self.locked:
            self.active = number  # the next key counts from here
            self.post_message(self.Picked(self, str(number)))


class TextCell(TextArea, TypedInput):
    """Holds at most `limit` characters; the one after it is refused as it is typed."""

    EDITING = actions_by_key(TextArea.BINDINGS)

    @dataclass
    class Full(Message):
        """So many characters were refused."""

        refused: int
        limit: int

    def __init__(self, *, id: str, placeholder: str = "", limit: int = TEXT_LIMIT) -> None:
        super().__init__(
            id=id, compact=True, soft_wrap=True, highlight_cursor_line=False, placeholder=placeholder
        )
        self.limit = limit
        self.box: Widget = self
        """On its border stands how long the text is."""

    def on_mount(self) -> None:
        self.count()

    @on(TextArea.Changed)
    def count(self) -> None:
        self.box.border_subtitle = Content(f"{len(self.text):,}/{self.limit:,}")

    def edit(self, edit: Edit) -> EditResult:
        """Make an edit as far as there is room; `Full` tells what was refused."""
        wanted = self.cleaned(edit.text)
        room = self.limit - len(self.text) + len(self.get_text_range(edit.top, edit.bottom))
        taken = wanted[: max(0, room)]
        if len(taken) < len(wanted):
            self.post_message(self.Full(len(wanted) - len(taken), self.limit))
            if not taken:
                return EditResult(self.cursor_location, "")
        return super().edit(replace(edit, text=taken))

    def cleaned(self, text: str) -> str:
        """`text` as this cell can hold it."""
        return clean(text)

    def fill(self, text: str) -> None:
        """Show another text, from its beginning."""
        if (cleaned := self.cleaned(text)) != self.text:
            self.text = cleaned


class NameCell(TextCell):
    """A single line; enter continues to the next cell."""

    def __init__(self, *, id: str, placeholder: str = "") -> None:
        super().__init__(id=id, placeholder=placeholder, limit=NAME_LIMIT)

    def cleaned(self, text: str) -> str:
        return " ".join(clean(text).split("\n"))

    async def _on_key(self, event: events.Key) -> None:
        if event.key == "enter":
            event.stop()
            event.prevent_default()
            self.screen.focus_next()


class PromptCell(TextCell):
    """Where a prompt is written: enter gives it, ctrl+j begins a new line."""

    @dataclass
    class PromptGiven(Message):
        """The game master pressed enter."""

    @dataclass
    class LogPaged(Message):
        """The game master wants to move in the transcript, by pages."""

        pages: int

    async def _on_key(self, event: events.Key) -> None:
        match event.key:
            case "enter":
                self.post_message(self.PromptGiven())
            case "ctrl+j" | "shift+enter":
                if not self.read_only:
                    self.insert("\n")
            case "pageup" | "pagedown":
                self.post_message(self.LogPaged(-1 if event.key == "pageup" else 1))
            case _:
                return
        event.stop()
        event.prevent_default()
