"""Choosing how the app looks: every theme is put on while the cursor is on it, over a piece of a story."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.visual import Visual
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from theact_tui.tui.screens.branches_page import block_rows
from theact_tui.tui.themes import THEMES
from theact_tui.tui.typeset import (
    beat_blocks,
    dice_block,
    name_block,
    player_blocks,
    prose_blocks,
    words_blocks,
)
from theact_tui.tui.visuals import Spread, Stack
from theact_tui.tui.widgets.keylist import EnterList
from theact_tui.tui.widgets.page import Sheet
from theact_tui.tui.widgets.pressed import KeyHints

PROSE = "The lamp gutters. On the stair below somebody has stopped, and waits for you to breathe."


class ThemeSheet(Sheet[str]):
    """Shows themes as they are; the answer is a theme's name, or nothing after escape."""

    DEFAULT_CSS = """
    ThemeSheet {
        align: center middle;
        background: $background 60%;
        & > Horizontal {
            width: 100; max-width: 96%; height: 22; max-height: 96%;
            background: $background; border: round $primary;
        }
        EnterList {
            width: 30; height: 1fr; border: none; background: $background; padding: 1 0 0 1;
            scrollbar-size-vertical: 1;
        }
        EnterList:focus { background-tint: transparent; border: none; }
        #sample { width: 1fr; height: 100%; padding: 1 3; border-left: solid $line; }
        #sample > Static { height: 1fr; }
        #sample > .keys { height: 1; color: $quiet; }
    }
    """
    BINDINGS = [Binding("escape", "cancel", "cancel")]
    HELP: ClassVar[str] = "The arrows put a theme on, enter keeps it, escape puts the old one back."

    def __init__(self, now: str) -> None:
        super().__init__()
        self._now = now

    def compose(self) -> ComposeResult:
        with Horizontal():
            yield EnterList(*(Option(_row(name, note), id=name) for name, note in self.offered), markup=False)
            with Vertical(id="sample"):
                yield Static(sample())
                yield KeyHints("enter keep it   esc the old one back")

    @property
    def offered(self) -> list[tuple[str, str]]:
        """Names and what they are, the app's own first; without colours only those of the terminal."""
        own = [(theme.name, _note(dark=theme.dark, ansi=theme.ansi)) for theme in THEMES]
        known = {theme.name for theme in THEMES}
        others = sorted(set(self.app.available_themes) - known)
        more = [(name, _note(dark=theme.dark, ansi=theme.ansi)) for name in others
                if (theme := self.app.available_themes[name])]  # fmt: skip
        every = [*own, *more]
        return [
            (name, note)
            for name, note in every
            if not self.app.no_color or self.app.available_themes[name].ansi
        ]

    def on_mount(self) -> None:
        names = [name for name, _ in self.offered]
        options = self.query_one(EnterList)
        options.highlighted = names.index(self._now) if self._now in names else 0
        options.focus()

    @on(OptionList.OptionHighlighted)
    def put_on(self, event: OptionList.OptionHighlighted) -> None:
        if event.option.id:
            self.app.theme = event.option.id
            self.query_one("#sample > Static", Static).update(sample())

    @on(OptionList.OptionSelected)
    def chosen(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(event.option.id or "")

    def action_cancel(self) -> None:
        self.app.theme = self._now
        self.dismiss("")


def sample() -> Visual:
    """A few lines of a story with everything in them that has an ink."""
    blocks = [
        *player_blocks("I hold the lamp higher and say nothing."),
        dice_block(14, 12, "the light carries"),
        *prose_blocks(PROSE),
        name_block("Ann Lee", 1),
        *words_blocks('"Twelve," she says. "There were nine."', 1),
        name_block("Bob", 2),
        *words_blocks('"Then count again."', 2),
        *beat_blocks(["the stair is found"]),
    ]
    return Stack(*block_rows(blocks)[1:])


def _row(name: str, note: str) -> Visual:
    return Spread(Content(name), Content.styled(note, ".quiet"))


def _note(*, dark: bool, ansi: bool) -> str:
    return ("yours, " if ansi else "") + ("dark" if dark else "light")
