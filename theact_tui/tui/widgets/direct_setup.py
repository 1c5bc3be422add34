"""The first tab: world, scene, how many agents, and a panel for each of them. It shows, and tells what was typed."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Button, Static, TextArea

from theact_tui.story.direct.records import Setup
from theact_tui.story.direct.slots import roster, slot
from theact_tui.tui.widgets.direct_bars import Choices, Count, panel
from theact_tui.tui.widgets.direct_cell import Cell, NameCell

Typed = tuple[str, int, str]
"""Which part of Setup (`world`, `chapter`, `name`, `identity`), whose (0: nobody's), and its text."""


class SetupPane(Vertical):
    """Shows a Setup; while it is locked a veil lies over it, and its text can only be read and copied."""

    def __init__(self, setup: Callable[[], Setup], *, id: str) -> None:
        super().__init__(id=id)
        self._setup = setup
        self.slot = 1
        """Whose panel is open."""

    def compose(self) -> ComposeResult:
        yield Cell(id="world", placeholder="What kind of world is it, and what tone has it?")
        yield Cell(id="scene", placeholder="Where does this chapter begin, and what is at stake?")
        with Horizontal(id="agents"):
            yield Static("Agents", markup=False)
            yield Count(id="count")
        with Vertical(id="agent", classes="cell"):
            yield NameCell(id="name")
            yield Cell(id="identity", placeholder="Who is this, what do they want, what would they never do?")
            yield Choices(id="setup-panels")
        with Horizontal(id="reset-row", classes="acts"):
            yield Button(Content("Reset Chapter"), id="reset", classes="act", compact=True)

    def on_mount(self) -> None:
        self.query_one("#world").border_title = Content("World, type and tone")
        self.query_one("#scene").border_title = Content("Chapter and immediate scene")
        self.show()

    # --- showing --------------------------------------------------------------------------------------------------

    def show(self) -> None:
        """Show Setup as it is now, every text of it."""
        setup = self._setup()
        if self.slot > setup.count:
            self.slot = setup.count
        self.query_one("#world", Cell).fill(setup.world)
        self.query_one("#scene", Cell).fill(setup.chapter)
        agent = setup.agents[self.slot - 1]
        self.query_one("#name", Cell).fill(agent.name)
        self.query_one("#identity", Cell).fill(agent.identity)
        self.count()

    def count(self) -> None:
        """Show counters, names and outlines anew; the texts stay as they are typed."""
        setup = self._setup()
        for outline, cell in (("#world", "#world"), ("#scene", "#scene"), ("#agent", "#identity")):
            self.query_one(outline).border_subtitle = Content(self.query_one(cell, Cell).counter)
        self.query_one(Count).active = setup.count
        panels = self.query_one("#setup-panels", Choices)
        panels.choices = tuple(panel(n, setup.name_of(n)) for n in roster(setup.count))
        panels.active = self.slot
        here = slot(self.slot)
        frame = self.query_one("#agent")
        frame.set_classes(f"cell -slot-{self.slot}")
        frame.border_title = Content(f"{self.slot} · {here.color}")
        self.query_one("#name", Cell).placeholder = here.default_name

    def close(self, locked: bool, resettable: bool) -> None:
        """Lay the veil over it, or take it away."""
        self.set_class(locked, "-locked")
        count = self.query_one(Count)
        count.locked = locked
        count.facts = "" if locked else "tab goes to the next cell"
        for cell in self.query(Cell):
            cell.read_only = locked
        self.query_one("#reset-row").display = resettable

    def open_panel(self, number: int) -> None:
        """Show another agent's panel. What was typed must have been told before."""
        if number in roster(self._setup().count):
            self.slot = number
            self.show()

    # --- telling --------------------------------------------------------------------------------------------------

    def typed(self) -> Iterator[Typed]:
        """All that stands in the cells."""
        yield "world", 0, self.query_one("#world", Cell).text
        yield "chapter", 0, self.query_one("#scene", Cell).text
        yield "name", self.slot, self.query_one("#name", Cell).text
        yield "identity", self.slot, self.query_one("#identity", Cell).text

    def focus_first(self) -> None:
        """Give the keys to the first cell."""
        self.query_one("#world", TextArea).focus()
