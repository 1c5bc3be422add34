"""The branches of a directed chapter, to choose the one to go on with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.visual import Visual
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from theact_tui.text import one_line
from theact_tui.tui.screens.sheets import SHEET_CSS
from theact_tui.tui.visuals import Spread, Stack
from theact_tui.tui.widgets.keylist import EnterList
from theact_tui.tui.widgets.page import Sheet

if TYPE_CHECKING:
    from theact_tui.saves.branches import BranchInfo


class BranchSheet(Sheet[str | None]):
    """Shows all branches, the current one first; the answer is the name of the one chosen, or None."""

    DEFAULT_CSS = f"""
    BranchSheet {{ {SHEET_CSS} }}
    BranchSheet EnterList {{ height: auto; max-height: 16; border: none; background: $surface; padding: 0; }}
    """
    BINDINGS = [Binding("escape", "dismiss(None)", "cancel")]
    HELP: ClassVar[str] = "The arrows go from branch to branch, enter goes on with one. Escape cancels."

    def __init__(self, branches: Sequence[BranchInfo]) -> None:
        super().__init__()
        self._branches = branches

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static("Branches of this chapter", classes="title", markup=False)
            yield EnterList(*(Option(_row(branch), id=branch.name) for branch in self._branches))
            yield Static("enter go on with it   esc cancel", classes="label", markup=False)

    def on_mount(self) -> None:
        self.query_one(EnterList).highlighted = min(1, len(self._branches) - 1)

    @on(OptionList.OptionSelected)
    def chosen(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(event.option_id)


def _row(branch: BranchInfo) -> Visual:
    """A branch: its name and how far it goes, then the last thing told."""
    here = "  you are here" if branch.current else ""
    name = Content.assemble((one_line(branch.title, 30), ".strong"), (here, ".quiet"))
    line = one_line(branch.broken or branch.line, 100)
    return Stack(Spread(name, Content(f"prompt {branch.turn}")), Content.styled(f"  {line}", ".quiet"))
