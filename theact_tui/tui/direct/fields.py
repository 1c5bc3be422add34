"""Widgets of direct mode: lines of choices, and fields with a limit."""

from collections import Counter
from collections.abc import Mapping, Sequence
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

from theact_tui.engine.direct.session import DirectSession
from theact_tui.story.direct.as_story import STAGES
from theact_tui.story.direct.records import AGENTS_MAX, NAME_LIMIT, TEXT_LIMIT
from theact_tui.text import clean, one_line
from theact_tui.tui.actions import bindings
from theact_tui.tui.direct.keys import COUNT_ACTIONS, TAB_NAMES
from theact_tui.tui.visuals import accent, strong
from theact_tui.tui.widgets.inputs import ChoiceLine, TextField

SHORT_WORD_LETTERS = 3  # "Old" alone would not name Old Wenna
NAME_CELLS = 24
"""Widest name in a line of choices."""
LENGTH_SHARE = 0.8
"""Of a field's limit, from which on its length is always shown."""
TABS_CELLS, LEAST_NAME = 34, 8
"""Cells of the tabs, and of the shortest name beside them."""


@dataclass(frozen=True, slots=True)
class NumberedChoice:
    """One choice; `ink` colours its number."""

    number: int
    label: str
    ink: str = ""
    open: bool = True
    short: str = ""
    """Label for little room."""


def character_choices(names: Mapping[int, str]) -> tuple[NumberedChoice, ...]:
    """In little room the first word of a name, or the last where two begin alike."""
    words = {slot: name.removeprefix("Agent ").split() or [name] for slot, name in names.items()}
    beginnings = Counter(parts[0] for parts in words.values())
    choices = []
    for slot, parts in words.items():
        short = parts[0] if beginnings[parts[0]] == 1 else parts[-1]
        short = " ".join(parts) if len(parts[0]) <= SHORT_WORD_LETTERS else short
        label = f"{slot} {names[slot]}"
        choices.append(NumberedChoice(slot, label, f".slot-{slot}", short=f"{slot} {short}"))
    return tuple(choices)


def fitted(choices: Sequence[NumberedChoice], room: int) -> list[str]:
    """Labels that fit `room` cells: whole, else short, else cut."""
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
    """Line of choices, one of them active."""

    DEFAULT_CSS = "NumberedChoices { width: 1fr; }"
    choices: reactive[tuple[NumberedChoice, ...]] = reactive(())
    active: reactive[int] = reactive(0)
    wide_joint = " "
    """Separator where there is room."""

    @property
    def joint(self) -> str:
        words = sum(cell_len(choice.short or choice.label) for choice in self.choices)
        gaps = len(self.wide_joint) * (len(self.choices) - 1)
        return self.wide_joint if words + gaps <= self._room else ""

    @property
    def _room(self) -> int:
        """Cells for labels, without note and brackets."""
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
        """Draw a choice with this label; the active one stands in brackets."""
        words = Content.styled(label, ".strong" if choice.number == self.active else ".quiet")
        if choice.ink:
            words = words.stylize(choice.ink, 0, len(label.partition(" ")[0]))
        if choice.number == self.active:
            return Content.assemble(("[", choice.ink), words, ("]", choice.ink))
        return Content.assemble(" ", words, " ")


class DirectTabs(NumberedChoices):
    """Tabs across the top; the active one is in capitals."""

    wide_joint = "│"

    def draw(self, choice: NumberedChoice, label: str) -> Content:
        if choice.number == self.active:
            return strong(f" {label.upper()} ")
        return Content.styled(f" {label} ", ".quiet" if choice.open else ".faint")

    def show(self, session: DirectSession, tab: int) -> None:
        """Draw tabs and state, with branch and name where they fit."""
        self.choices = tuple(
            NumberedChoice(n, name.capitalize(), open=name in session.tabs) for n, name in TAB_NAMES.items()
        )
        self.active = tab
        record = session.session
        facts = (
            STAGES.get(record.state, ""),
            f"prompt {record.prompt_index}" if record.tab1_locked else "",
            "read only" if session.read_only else "",
        )
        note = " · ".join(fact for fact in facts if fact)
        branch = "" if session.branch_title == "main" else one_line(session.branch_title, 24)
        for name in (branch, one_line(session.name, 200)):
            room = self.app.size.width - TABS_CELLS - cell_len(note)
            if name and room >= LEAST_NAME:
                note = f"{Content(name).truncate(room, ellipsis=True)} · {note}"
        self.note = note


class CharacterCount(ChoiceLine, can_focus=True):
    """Number of characters, changed by arrows or digits."""

    BINDINGS = [
        *bindings(COUNT_ACTIONS),
        *(Binding(str(n), f"choose({n})", str(n), show=False) for n in range(1, AGENTS_MAX + 1)),
    ]
    count: reactive[int] = reactive(1)
    locked: reactive[bool] = reactive(False)

    def entries(self) -> list[tuple[str, Content]]:
        fewer, more = ("", "") if self.locked else ("‹", "›")
        return [
            (str(self.count), Content("How many characters:")),
            (str(self.count - 1), accent(fewer)),
            (str(self.count), strong(str(self.count))),
            (str(self.count + 1), accent(more)),
        ]

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return not (self.locked and action in ("step", "choose"))

    def action_step(self, by: int) -> None:
        self.action_choose(self.count + by)

    def action_choose(self, number: int) -> None:
        if 1 <= number <= AGENTS_MAX and not self.locked:
            self.count = number  # the next key counts from here
            self.post_message(self.Picked(self, str(number)))


class LimitedField(TextField):
    """Field for at most `limit` characters, which refuses more as they are typed."""

    @dataclass
    class Full(Message):
        """Characters were refused."""

        refused: int
        limit: int

    def __init__(self, *, id: str, placeholder: str = "", limit: int = TEXT_LIMIT) -> None:
        super().__init__(
            id=id, compact=True, soft_wrap=True, highlight_cursor_line=False, placeholder=placeholder
        )
        self.limit = limit
        self.frame: Widget = self
        """Widget whose border shows the length."""

    def watch_has_focus(self, has_focus: bool) -> None:
        super().watch_has_focus(has_focus)
        self.show_length()

    @on(TextArea.Changed)
    def show_length(self) -> None:
        """Say how long the text is, where one types or little room is left."""
        is_wanted = self.has_focus or len(self.text) > LENGTH_SHARE * self.limit
        length = f"{len(self.text):,} of {self.limit:,} characters"
        self.frame.border_subtitle = Content(length if is_wanted else "")

    def edit(self, edit: Edit) -> EditResult:
        wanted = self.cleaned(edit.text)
        room = self.limit - len(self.text) + len(self.get_text_range(edit.top, edit.bottom))
        taken = wanted[: max(0, room)]
        if len(taken) < len(wanted):
            self.post_message(self.Full(len(wanted) - len(taken), self.limit))
            if not taken:
                return EditResult(self.cursor_location, "")
        return super().edit(replace(edit, text=taken))

    def cleaned(self, text: str) -> str:
        return clean(text)

    def fill(self, text: str) -> None:
        """Replace the text; the cursor goes to its start."""
        if (cleaned := self.cleaned(text)) != self.text:
            self.text = cleaned


class NameField(LimitedField):
    """Field of a single line; enter goes to the next field."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id, limit=NAME_LIMIT)

    def cleaned(self, text: str) -> str:
        return " ".join(clean(text).split("\n"))

    async def _on_key(self, event: events.Key) -> None:
        if event.key == "enter":
            event.stop()
            event.prevent_default()
            self.screen.focus_next()
