"""Lines to choose from: the tabs of the screen, the panels of a cell, and the number of agents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from textual import events
from textual.binding import Binding
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.visual import Visual
from textual.widget import Widget

from theact_tui.story.direct.limits import AGENTS_MAX
from theact_tui.text import one_line
from theact_tui.tui.acts import bindings
from theact_tui.tui.screens.direct_acts import COUNT_ACTS
from theact_tui.tui.visuals import Spread

NAME_CELLS = 24
"""The most a panel's name takes."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One thing to choose: `number` as it is told to others, words, and an ink."""

    number: int
    label: str
    ink: str = ""
    open: bool = True
    short: str = ""
    """The words where there is little room; else they are cut."""


def panel(number: int, name: str) -> Choice:
    """The panel of an agent. In little room it goes by the first of its names."""
    called = name.removeprefix("Agent ")
    first = called.split()[0] if called.split() else name
    return Choice(
        number, f"{number} {name}", f".slot-{number}", short=f"{number} {first if len(first) > 3 else called}"
    )


def fitted(choices: Sequence[Choice], room: int) -> list[str]:
    """The words of the choices, each at most `NAME_CELLS`: whole, else short, else cut where they are longest."""
    for labels in (
        [choice.label for choice in choices],
        [choice.short or choice.label for choice in choices],
    ):
        labels = [one_line(label, NAME_CELLS) for label in labels]
        if sum(map(cell_len, labels)) <= room:
            return labels
    most = NAME_CELLS
    while most > 3 and sum(min(cell_len(label), most) for label in labels) > room:
        most -= 1
    return [one_line(label, most) for label in labels]


class Choices(Widget):
    """A line of choices, one of which is active. `joint` stands between them."""

    DEFAULT_CSS = "Choices { height: 1; width: 1fr; }"
    choices: reactive[tuple[Choice, ...]] = reactive(())
    active: reactive[int] = reactive(0)
    facts: reactive[str] = reactive("")
    """Small facts on the right."""

    @dataclass
    class Chosen(Message):
        """Somebody wants this one."""

        bar: Choices
        number: int

        @property
        def control(self) -> Choices:
            return self.bar

    joint = " "
    """What stands between them where there is room for it."""

    def on_click(self, event: events.Click) -> None:
        x = event.x
        for choice, content in zip(self.choices, self._drawn(), strict=True):
            if 0 <= x < content.cell_length:
                self.post_message(self.Chosen(self, choice.number))
                return
            x -= content.cell_length + len(self._joint)

    def render(self) -> Visual:
        return Spread(Content(self._joint).join(self._drawn()), Content.styled(self.facts, ".quiet"))

    @property
    def _room(self) -> int:
        """Cells for words: without the facts, and the brackets of each choice."""
        facts = cell_len(self.facts) + 2 if self.facts else 0
        return self.size.width - facts - 2 * len(self.choices)

    @property
    def _joint(self) -> str:
        words = sum(cell_len(choice.short or choice.label) for choice in self.choices)
        return self.joint if words + len(self.joint) * (len(self.choices) - 1) <= self._room else ""

    def _drawn(self) -> list[Content]:
        room = self._room - len(self._joint) * (len(self.choices) - 1)
        labels = fitted(self.choices, room)
        return [self.draw(choice, label) for choice, label in zip(self.choices, labels, strict=True)]

    def draw(self, choice: Choice, label: str) -> Content:
        """A choice in these words, the active one in brackets."""
        if choice.number == self.active:
            return Content.assemble(("[", choice.ink), (label, ".strong"), ("]", choice.ink))
        return Content.assemble(" ", (label, ".quiet"), " ")


class Tabs(Choices):
    """The tabs across the top; the active one in capitals."""

    joint = "│"

    def draw(self, choice: Choice, label: str) -> Content:
        if choice.number == self.active:
            return Content.styled(f" {label.upper()} ", ".strong")
        return Content.styled(f" {label} ", ".quiet" if choice.open else ".faint")


class Count(Choices, can_focus=True):
    """The select of 1 to 7 agents."""

    DEFAULT_CSS = "Count { height: 1; }"
    BINDINGS = [
        *bindings(COUNT_ACTS),
        *(Binding(str(n), f"choose({n})", str(n), show=False) for n in range(1, AGENTS_MAX + 1)),
    ]
    locked: reactive[bool] = reactive(False)

    def on_mount(self) -> None:
        self.choices = tuple(Choice(n, str(n)) for n in range(1, AGENTS_MAX + 1))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return not (self.locked and action in ("step", "choose"))

    def action_step(self, by: int) -> None:
        """One more or fewer, from 1 to 7."""
        self.action_choose(self.active + by)

    def action_choose(self, number: int) -> None:
        if 1 <= number <= AGENTS_MAX and not self.locked:
            self.post_message(self.Chosen(self, number))
