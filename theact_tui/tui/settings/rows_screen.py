from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Generic, TypeVar

from textual import getters, on
from textual.app import ComposeResult
from textual.containers import Horizontal, VerticalScroll
from textual.visual import Visual
from textual.widgets import OptionList, Static
from textual.worker import Worker

from theact_tui.models.discovery import Server
from theact_tui.tui.widgets.base_screen import Answer, PageScreen
from theact_tui.tui.widgets.lists import KeyList

Deed = TypeVar("Deed")


@dataclass(frozen=True)
class PagedRow(Generic[Deed]):
    """Row of the list with its page; not selectable without id."""

    visual: Visual
    id: str = ""
    page: Visual | None = None
    acts: Mapping[str, Deed] = field(default_factory=dict)
    """Possible actions, by their names in `act('...')`."""


class RowsScreen(PageScreen[Answer], Generic[Answer, Deed]):
    """List of rows, the page of the row under the cursor beside it, and one work at a time, which esc stops."""

    CSS_PATH = "screen.tcss"
    HORIZONTAL_BREAKPOINTS = [(0, "-slim"), (72, "-narrow"), (100, "-wide")]
    ENTER: ClassVar[tuple[str, ...]]
    """Actions of enter and of a click."""
    list = getters.query_one(KeyList)

    def __init__(self) -> None:
        super().__init__()
        self.servers: list[Server] | None = None
        """None while searching."""
        self.rows: dict[str, PagedRow[Deed]] = {}
        self.working: Worker[None] | None = None

    def compose_page(self) -> ComposeResult:
        with Horizontal(id="body"):
            yield KeyList(id="list", markup=False)
            with VerticalScroll(id="page", classes="detail", can_focus=False):
                yield Static(id="about")

    @property
    def row(self) -> PagedRow[Deed] | None:
        return self.rows.get(self.list.marked) if self.is_mounted else None

    def show_rows(self, rows: Sequence[PagedRow[Deed]], *wanted: str) -> None:
        self.rows = {row.id: row for row in rows}
        self.list.show(((row.id, row.visual) for row in rows), *wanted)
        self.show_page()

    def show_page(self) -> None:
        self.query_one("#about", Static).update((self.row and self.row.page) or "")
        self.refresh_bindings()

    @property
    def is_working(self) -> bool:
        return self.working is not None and self.working.is_running

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("stop", "dismiss"):
            return self.is_working == (action == "stop")
        return super().check_action(action, parameters)

    @on(OptionList.OptionSelected)
    def clicked(self) -> None:
        self.action_act(next((name for name in self.ENTER if name in self.acts()), ""))

    def action_stop(self) -> None:
        if self.working is not None:
            self.working.cancel()
