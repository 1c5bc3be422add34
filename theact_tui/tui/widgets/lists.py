"""A list whose enter key belongs to the screen, and whose cursor is seen without colours too."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from textual import events
from textual.binding import Binding
from textual.content import Content
from textual.style import Style
from textual.visual import Visual
from textual.widgets import OptionList
from textual.widgets.option_list import Option


class CursorList(OptionList, inherit_bindings=False):
    """A list without a frame whose cursor is seen without colours too, and stops at both ends. Enter belongs to the
    screen."""

    BINDINGS = [
        Binding("up", "cursor_up", "up", show=False),
        Binding("down", "cursor_down", "down", show=False),
        Binding("home", "first", "first", show=False),
        Binding("end", "last", "last", show=False),
        Binding("pageup", "page_up", "page up", show=False),
        Binding("pagedown", "page_down", "page down", show=False),
    ]

    DEFAULT_CSS = """
    CursorList {
        border: none; padding: 0; background: $background; scrollbar-size-vertical: 1;
        &:focus { border: none; background-tint: transparent; }
        & > .option-list--option-disabled { color: $foreground; }
        & > .option-list--option-hover { background: transparent; }
        &:focus > .option-list--option-highlighted { color: $foreground; background: $glow; }
    }
    """

    def get_visual_style(self, *component_classes: str, partial: bool = False) -> Style:
        """As Textual's, which forgets that a style is reversed: all that shows a cursor where there are no colours."""
        style = super().get_visual_style(*component_classes, partial=partial)
        reverse = any(self.get_component_styles(name).text_style.reverse for name in component_classes)
        return style + Style(reverse=True) if reverse else style

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """No pages are turned where the list has no room: Textual fails there."""
        return not action.startswith("page_") or bool(self.scrollable_content_region)

    def action_cursor_up(self) -> None:
        """Go up, and stay at the top; what stands above the first row comes into sight."""
        if any(not option.disabled for option in self.options[: self.highlighted or 0]):
            super().action_cursor_up()
        else:
            self.scroll_home(animate=False)

    def action_cursor_down(self) -> None:
        """Go down, and stay at the end."""
        after = 0 if self.highlighted is None else self.highlighted + 1
        if any(not option.disabled for option in self.options[after:]):
            super().action_cursor_down()

    def action_page_up(self) -> None:
        """Go a page up; Textual's leaves no cursor where nothing above the page can be chosen."""
        turn: Callable[[], None] = super().action_page_up
        turn()
        if self.highlighted is None:
            self.action_first()
            self.scroll_home(animate=False)

    def action_page_down(self) -> None:
        """As `action_page_up`, the other way."""
        turn: Callable[[], None] = super().action_page_down
        turn()
        if self.highlighted is None:
            self.action_last()


STEPS = {"j": "cursor_down", "k": "cursor_up"}


class KeyList(CursorList):
    """Moves with the arrows; what enter does there the screen says."""

    async def on_key(self, event: events.Key) -> None:
        """j and k are ↓ and ↑ where they mean nothing else."""
        if event.key in STEPS and event.key not in self.screen.active_bindings:
            event.stop()
            await self.run_action(STEPS[event.key])

    @property
    def marked(self) -> str:
        """The id of the row under the cursor; empty where there is none."""
        option = self.highlighted_option
        return (option.id or "") if option else ""

    def show(self, rows: Iterable[tuple[str, Visual]], *wanted: str) -> None:
        """Show other rows, each with its id; the cursor passes over those without. It goes to the first of `wanted` that
        is there, else near where it was."""
        before = self.highlighted or 0
        self.set_options(Option(row, id=id or None, disabled=not id) for id, row in rows)
        places = {row.id: n for n, row in enumerate(self.options) if row.id}
        nearest = min(places.values(), key=lambda n: abs(n - before), default=None)
        self.highlighted = next((places[id] for id in wanted if id in places), nearest)


class EnterList(KeyList):
    """Enter chooses the row under the cursor."""

    BINDINGS = [Binding("enter", "select", "choose", show=False)]


@dataclass(frozen=True, slots=True)
class Row:
    """A row: how it looks, and what it stands for. A row without a key is passed over by the cursor."""

    visual: Visual
    key: str = ""
    """Stays the same from turn to turn; unique in its list."""
    kind: str = ""
    """What it stands for: `line`, `summary`, `gone`, `moment`, `call`."""
    turn: int = 0
    """The turn it came from; 0 when it came from none."""
    text: str = ""
    fresh: bool = False
    """It came or changed in this turn."""


BLANK = Row(Content(""))


class RowList(CursorList):
    """Rows below one another."""

    DEFAULT_CSS = """
    RowList {
        height: 1fr; scrollbar-gutter: stable; overflow-x: hidden;
        & > .option-list--option { padding: 0; }
        & > .option-list--option-highlighted {
            color: $foreground; background: $background; text-style: none;
        }
        &:focus > .option-list--option-highlighted {
            color: $foreground; background: $glow;
        }
        &:ansi:focus > .option-list--option-highlighted { text-style: reverse; }
    }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, markup=False)
        self.rows: tuple[Row, ...] = ()

    @property
    def row(self) -> Row | None:
        at = self.highlighted
        return self.rows[at] if at is not None and at < len(self.rows) and self.rows[at].key else None

    def show(self, rows: Sequence[Row], *, begin: bool = False) -> None:
        """Show other rows; the cursor stays on its row, or near its place. With `begin` it goes to what is fresh."""
        old, at = (None, None) if begin else (self.row, self.highlighted)
        self.rows = tuple(rows)
        with self.prevent(OptionList.OptionHighlighted):
            self.set_options(Option(row.visual, disabled=not row.key) for row in rows)
            self.highlighted = self._place(old, at)
        if begin:
            self.scroll_home(animate=False, immediate=True)
            self.call_after_refresh(self.scroll_to_highlight)

    def _place(self, old: Row | None, at: int | None) -> int | None:
        places = {place: row for place, row in enumerate(self.rows) if row.key}
        if old is None and at is None:
            return min(places, key=lambda n: (not places[n].fresh, places[n].kind == "summary"), default=None)
        same = (place for place, row in places.items() if old and row.key == old.key)
        nearest = min(places, key=lambda place: abs(place - (at or 0)), default=None)
        return next(same, nearest)
