"""F1: what this screen is, and every key that works on it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import ActiveBinding, Binding
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import Screen
from textual.visual import Visual
from textual.widgets import Static

from theact_tui.tui.visuals import Indented, Stack
from theact_tui.tui.widgets.keyline import group_of, key_name
from theact_tui.tui.widgets.page import Page, Sheet
from theact_tui.tui.widgets.pressed import KeyHints

KEY_COLUMN = 10


class HelpSheet(Sheet[None]):
    """Explains a screen: its own words, its keys by group, the commands one can type."""

    CSS_PATH = "help.tcss"
    BINDINGS = [Binding("escape,f1,q", "dismiss(None)", "close")]
    HELP: ClassVar[str] = "Escape closes this page."

    def __init__(
        self, title: str, text: str, keys: Sequence[ActiveBinding], commands: Sequence[tuple[str, str]] = ()
    ) -> None:
        super().__init__()
        self._title = title
        self._text = text
        self._keys = tuple(keys)
        self._commands = tuple(commands)

    def compose(self) -> ComposeResult:
        with Vertical():
            with VerticalScroll():
                yield Static(Content.styled(self._title, ".accent"))
                opening, _, rest = self._text.partition("\n\n")
                yield Static(Content(f"\n{opening}\n"))
                yield Static(keys_table(self._keys))
                if rest:
                    yield Static(Content.assemble(("WHAT YOU SEE", ".strong"), f"\n{rest}\n"))
                if self._commands:
                    yield Static(commands_table(self._commands))
            yield KeyHints("esc close   ↑ ↓ scroll")

    def on_mount(self) -> None:
        self.query_one(VerticalScroll).focus()


def keys_table(keys: Sequence[ActiveBinding]) -> Visual:
    """Keys by group, each with what it does in a sentence."""
    rows: list[Visual] = []
    groups: dict[str, dict[str, Binding]] = {}
    for active in keys:
        binding = active.binding
        if binding.id and active.enabled:
            groups.setdefault(group_of(binding) or "also", {}).setdefault(binding.action, binding)
    for group, bindings in groups.items():
        rows.append(Content.styled(group.upper(), ".strong"))
        rows.extend(
            Indented(
                Content.styled(f"{key_name(binding):<{KEY_COLUMN}}", ".accent"),
                Content(binding.tooltip or binding.description),
            )
            for binding in bindings.values()
        )
        rows.append(Content(""))
    return Stack(*rows)


def commands_table(commands: Sequence[tuple[str, str]]) -> Visual:
    """What can be typed, and what it does."""
    column = max(len(usage) for usage, _ in commands) + 2
    rows = [
        Indented(Content.styled(f"{usage:<{column}}", ".accent"), Content(does)) for usage, does in commands
    ]
    return Stack(Content.styled("COMMANDS", ".strong"), *rows)


def help_for(screen: Screen[object]) -> HelpSheet:
    """The help of a screen: its words and the keys that work on it now."""
    keys = list(screen.active_bindings.values())
    commands = screen.help_commands() if isinstance(screen, Page) else ()
    title = str(getattr(screen, "HELP_TITLE", "") or "Help")
    return HelpSheet(title, str(getattr(screen, "HELP", "")), keys, commands)
