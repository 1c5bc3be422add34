"""The people one can look into: one tab each, with presence and what changed, and the narrator last."""

from __future__ import annotations

from dataclasses import dataclass

from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.visual import Visual
from textual.widget import Widget

from theact_tui.tui.visuals import Spread
from theact_tui.tui.widgets.inspect_knows import short_name

GAP = "   "


@dataclass(frozen=True, slots=True)
class Person:
    """A tab. The narrator has no voice and is always there."""

    id: str
    name: str
    voice: int = 0
    present: bool = True
    changes: str = ""
    """Such as `+1 ~2`."""
    busy: bool = False


class People(Widget):
    """One line of tabs; names give way to short ones where there is little room."""

    DEFAULT_CSS = "People { height: 1; padding: 0 1; }"
    people: reactive[tuple[Person, ...]] = reactive(())
    chosen: reactive[str] = reactive("")
    """The id of the tab that is open."""
    note: reactive[str] = reactive("")
    """What the chosen one did in this turn, at the end of the line where there is room."""

    @dataclass
    class Chosen(Message):
        """A tab was clicked."""

        id: str

    @property
    def text(self) -> str:
        """All tabs, plain."""
        return Content(GAP).join(self._tabs(short=False)).plain

    def render(self) -> Visual:
        return Spread(Content(GAP).join(self._fitted()), Content.styled(self.note, ".quiet"))

    def _fitted(self) -> list[Content]:
        tabs = self._tabs(short=False)
        if Content(GAP).join(tabs).cell_length + len(self.note) + len(GAP) > self.size.width:
            tabs = self._tabs(short=True)
        return tabs

    def _tabs(self, *, short: bool) -> list[Content]:
        return [self._tab(person, short=short) for person in self.people]

    def _tab(self, person: Person, *, short: bool) -> Content:
        here = person.id == self.chosen
        ink = f".voice-{person.voice}" if person.voice else ".strong"
        name = short_name(person.name) if short else person.name
        label = Content.styled(name, ink if here or person.present else ".quiet")
        if here:
            label = label.stylize("underline on $glow")
        dot = ("" if not person.voice else "● " if person.present else "○ ", ".quiet")
        note = "…" if person.busy else person.changes
        return Content.assemble(dot, label, (f" {note}" if note else "", ".good"))

    def on_click(self, event: events.Click) -> None:
        x = event.x - self.styles.padding.left
        for person, tab in zip(self.people, self._fitted(), strict=True):
            if 0 <= x < tab.cell_length:
                self.post_message(self.Chosen(person.id))
                return
            x -= tab.cell_length + len(GAP)
