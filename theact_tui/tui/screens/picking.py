"""Questions with a few answers, laid over a screen: each with its letter, or as a list to move in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.visual import Visual
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from theact_tui.tui.screens.sheets import SHEET_CSS
from theact_tui.tui.visuals import Indented
from theact_tui.tui.widgets.keylist import EnterList
from theact_tui.tui.widgets.page import Sheet
from theact_tui.tui.widgets.pressed import KeyHints


@dataclass(frozen=True, slots=True)
class Choice:
    """An answer: its letter, its name, and what it does."""

    key: str
    label: str
    help: str = ""


class Answer(Static):
    """An answer to choose; a click on it presses its letter."""

    def __init__(self, choice: Choice) -> None:
        text = Content.assemble(
            (choice.label, ".strong"), (f"  {choice.help}" if choice.help else "", ".quiet")
        )
        super().__init__(Indented(Content.styled(f"{choice.key}  ", ".accent"), text))
        self._key = choice.key

    def on_click(self) -> None:
        self.app.simulate_key(self._key)


class Pick(Sheet[str]):
    """Asks for one of a few answers by its letter; the answer is the letter, or nothing."""

    DEFAULT_CSS = f"Pick {{ {SHEET_CSS} .answers {{ height: auto; margin: 1 0 0 0; }} }}"
    BINDINGS = [Binding("escape", "dismiss('')", "cancel")]
    HELP: ClassVar[str] = "Press the letter of an answer, or escape to leave everything as it is."

    def __init__(self, title: str, note: str, *choices: Choice) -> None:
        super().__init__()
        self._title = title
        self._note = note
        self._choices = choices

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(self._title, classes="title", markup=False)
            if self._note:
                yield Static(self._note, classes="label", markup=False)
            with Vertical(classes="answers"):
                yield from map(Answer, self._choices)
            yield KeyHints("esc cancel")

    def on_key(self, event: events.Key) -> None:
        if event.character and event.character in (choice.key for choice in self._choices):
            event.stop()
            self.dismiss(event.character)


@dataclass(frozen=True, slots=True)
class Entry:
    """A row of a list to choose from."""

    id: str
    row: Visual


class PickRow(Sheet[str]):
    """Asks for one of many; the answer is the id of the row, or nothing."""

    DEFAULT_CSS = f"""
    PickRow {{ {SHEET_CSS}
        EnterList {{ height: auto; max-height: 40vh; border: none; background: $surface; padding: 0;
            scrollbar-size-vertical: 1; }}
        EnterList:focus {{ background-tint: transparent; border: none; }}
        EnterList > .option-list--option {{ padding: 0 1; }}
        .label {{ margin: 0 0 1 0; }}
    }}
    """
    BINDINGS = [Binding("escape", "dismiss('')", "cancel")]
    HELP: ClassVar[str] = "Move with the arrows, choose with enter, cancel with escape."

    def __init__(
        self, title: str, entries: Sequence[Entry], *, note: str = "", at: str = "", yes: str = "choose"
    ) -> None:
        super().__init__()
        self._title = title
        self._entries = tuple(entries)
        self._note = note
        self._at = at
        self._yes = yes

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(self._title, classes="title", markup=False)
            if self._note:
                yield Static(self._note, classes="label", markup=False)
            yield EnterList(*(Option(entry.row, id=entry.id) for entry in self._entries), markup=False)
            yield KeyHints(f"enter {self._yes}   esc cancel")

    def on_mount(self) -> None:
        ids = [entry.id for entry in self._entries]
        options = self.query_one(EnterList)
        options.highlighted = ids.index(self._at) if self._at in ids else 0 if ids else None
        options.focus()

    @on(OptionList.OptionSelected)
    def chosen(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(event.option.id or "")
