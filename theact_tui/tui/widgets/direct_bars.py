"""Lines to choose from: the tabs of the screen, the panels of a cell, and the number of agents."""

from __future__ import annotations

from dataclasses import dataclass

from textual import events
from textual.binding import Binding
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.visual import Visual
from textual.widget import Widget

from theact_tui.story.direct.limits import AGENTS_MAX
from theact_tui.text import one_line
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

    def on_click(self, event: events.Click) -> None:
        x = event.x
        for choice, content in zip(self.choices, self._drawn(), strict=True):
            if 0 <= x < content.cell_length:
                self.post_message(self.Chosen(self, choice.number))
                return
            x -= content.cell_length + len(self.joint)

    def render(self) -> Visual:
        return Spread(Content(self.joint).join(self._drawn()), Content.styled(self.facts, ".quiet"))

    def _drawn(self) -> list[Content]:
        room = self.size.width - (len(self.facts) + 2 if self.facts else 0)
        share = room // max(1, len(self.choices)) - len(self.joint) - 2
        return [self.draw(choice, max(3, min(NAME_CELLS, share))) for choice in self.choices]

    def draw(self, choice: Choice, room: int) -> Content:
        """A choice in about `room` cells, the active one in brackets."""
        label = one_line(choice.label, room)
        if choice.number == self.active:
            return Content.assemble(("[", choice.ink), (label, ".strong"), ("]", choice.ink))
        return Content.assemble(" ", (label, ".quiet"), " ")


class Tabs(Choices):
    """The tabs across the top; the active one in capitals."""

    joint = "│"

    def draw(self, choice: Choice, room: int) -> Content:
        if choice.number == self.active:
            return Content.styled(f" {choice.label.upper()} ", ".strong")
        return Content.styled(f" {choice.label} ", ".quiet" if choice.open else ".faint")


class Count(Choices, can_focus=True):
    """The select of 1 to 7 agents."""

    DEFAULT_CSS = "Count { height: 1; }"
    BINDINGS = [
        Binding("left,minus", "step(-1)", "fewer", id="direct.fewer", tooltip="One agent fewer"),
        Binding("right,plus", "step(1)", "more", id="direct.more", tooltip="One agent more"),
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
