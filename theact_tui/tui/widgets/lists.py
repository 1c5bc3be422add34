"""Lists whose cursor is visible without colours."""

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
    """Frameless list whose cursor stops at both ends."""

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
        """Keep `reverse`, which Textual forgets: it alone shows the cursor without colours."""
        style = super().get_visual_style(*component_classes, partial=partial)
        reverse = any(self.get_component_styles(name).text_style.reverse for name in component_classes)
        return style + Style(reverse=True) if reverse else style

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Block paging in a list without room, where Textual fails."""
        return not action.startswith("page_") or bool(self.scrollable_content_region)

    def action_cursor_up(self) -> None:
        """Go up and stop at the top, showing anything above the first row."""
        if any(not option.disabled for option in self.options[: self.highlighted or 0]):
            super().action_cursor_up()
        else:
            self.scroll_home(animate=False)

    def action_cursor_down(self) -> None:
        after = 0 if self.highlighted is None else self.highlighted + 1
        if any(not option.disabled for option in self.options[after:]):
            super().action_cursor_down()

    def action_page_up(self) -> None:
        """Go a page up. Textual's version loses the cursor if nothing above can be chosen."""
        turn: Callable[[], None] = super().action_page_up
        turn()
        if self.highlighted is None:
            self.action_first()
            self.scroll_home(animate=False)

    def action_page_down(self) -> None:
        turn: Callable[[], None] = super().action_page_down
        turn()
        if self.highlighted is None:
            self.action_last()


_STEPS = {"j": "cursor_down", "k": "cursor_up"}


class KeyList(CursorList):
    """List moved by arrows; the screen handles enter."""

    DEFAULT_CSS = "KeyList > .option-list--option { padding: 0 1; }"

    async def on_key(self, event: events.Key) -> None:
        """Treat j and k as ↓ and ↑ if free."""
        if event.key in _STEPS and event.key not in self.screen.active_bindings:
            event.stop()
            await self.run_action(_STEPS[event.key])

    @property
    def marked(self) -> str:
        """Id of the row under the cursor, or ""."""
        option = self.highlighted_option
        return (option.id or "") if option else ""

    def show(self, rows: Iterable[tuple[str, Visual]], *wanted: str) -> None:
        """The cursor goes to the first existing of `wanted`, else near its old place."""
        before = self.highlighted or 0
        self.set_options(Option(row, id=id or None, disabled=not id) for id, row in rows)
        places = {row.id: n for n, row in enumerate(self.options) if row.id}
        nearest = min(places.values(), key=lambda n: abs(n - before), default=None)
        self.highlighted = next((places[id] for id in wanted if id in places), nearest)


class EnterList(KeyList):
    BINDINGS = [Binding("enter", "select", "choose", show=False)]


@dataclass(frozen=True, slots=True)
class Row:
    """Row and its meaning. The cursor skips rows without key."""

    visual: Visual
    key: str = ""
    """Stable from turn to turn; unique in its list."""
    kind: str = ""
    """`line`, `summary`, `gone`, `moment` or `call`."""
    turn: int = 0
    """Turn of origin; 0 for none."""
    text: str = ""
    fresh: bool = False
    """New or changed in this turn."""


BLANK = Row(Content(""))


class RowList(CursorList):
    DEFAULT_CSS = """
    RowList {
        height: 1fr; scrollbar-gutter: stable;
        & > .option-list--option-highlighted { background: $background; }
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
        """The cursor keeps its row or place; `begin` moves it to a fresh row."""
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
