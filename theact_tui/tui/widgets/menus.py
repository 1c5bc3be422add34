from collections.abc import Callable, Sequence
from itertools import zip_longest

from textual import events
from textual.app import ComposeResult
from textual.binding import ActiveBinding, Binding
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen, Screen
from textual.visual import Visual
from textual.widgets import Static

from theact_tui.text import one_line
from theact_tui.tui.actions import LEADER, Action
from theact_tui.tui.visuals import Indented, Stack, accent, quiet, strong
from theact_tui.tui.widgets.base_screen import BaseScreen
from theact_tui.tui.widgets.dialogs import BoxDialog
from theact_tui.tui.widgets.footer import group_of, key_name, pressing

KEY_COLUMN = 10


class HelpDialog(BoxDialog[None]):
    DEFAULT_CSS = """
    HelpDialog {
        & > Vertical { width: 84; max-width: 96%; height: 92%; max-height: 92%; }
        &.-small > Vertical { width: 64; height: auto; }
        VerticalScroll { scrollbar-size-vertical: 1; }
        &.-small VerticalScroll { height: auto; max-height: 80vh; }
    }
    """
    BINDINGS = [Binding("escape,f1,q", "dismiss(None)", "close")]
    HELP = "Escape closes this page."

    def __init__(
        self, title: str, text: str, keys: Sequence[ActiveBinding], commands: Sequence[tuple[str, str]] = ()
    ) -> None:
        """Without keys, the box is as tall as its text."""
        hints = "esc close   ↑ ↓ scroll" if keys else "esc close"
        super().__init__("", keys=hints, classes="" if keys else "-small")
        self._heading, self._text = title, text
        self._active, self._commands = tuple(keys), tuple(commands)

    def compose_body(self) -> ComposeResult:
        with VerticalScroll():
            yield Static(accent(self._heading))
            opening, _, rest = self._text.partition("\n\n")
            yield Static(Content(f"\n{opening}\n"))
            if self._active:
                yield Static(keys_table(self._active))
            if rest:
                yield Static(Content.assemble(("WHAT YOU SEE", ".strong"), f"\n{rest}\n"))
            if self._commands:
                yield Static(commands_table(self._commands))


def keys_table(keys: Sequence[ActiveBinding]) -> Visual:
    rows: list[Visual] = []
    groups: dict[str, dict[str, Binding]] = {}
    both = {"←", "→"} if any(key_name(active.binding) == "←→" for active in keys) else set()
    for active in keys:
        binding = active.binding
        if binding.id and binding.description and active.enabled and key_name(binding) not in both:
            groups.setdefault(group_of(binding) or "also", {}).setdefault(binding.action, binding)
    for group, bindings in groups.items():
        rows.append(strong(group.upper()))
        rows.extend(
            Indented(
                accent(f"{key_name(binding):<{KEY_COLUMN}}"), Content(binding.tooltip or binding.description)
            )
            for binding in bindings.values()
        )
        rows.append(Content(""))
    return Stack(*rows)


def commands_table(commands: Sequence[tuple[str, str]]) -> Visual:
    column = max(len(usage) for usage, _ in commands) + 2
    rows = [Indented(accent(f"{usage:<{column}}"), Content(does)) for usage, does in commands]
    return Stack(strong("COMMANDS"), *rows)


def help_for(screen: Screen[object]) -> HelpDialog:
    """Return the help of a screen with its current keys; of a dialog only its text."""
    keys = list(screen.active_bindings.values())
    if not isinstance(screen, BaseScreen):
        return HelpDialog("Help", "", keys)
    keys = [] if isinstance(screen, ModalScreen) else keys
    return HelpDialog(screen.HELP_TITLE or "Help", screen.help_text, keys, screen.help_commands())


_GAP = 2
_STEPS = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
"""Cells scrolled right and down, by key."""
MORE_KEYS, MORE = ("space", LEADER), " {} more"
RENEW_SECONDS = 0.5
"""Between updates of the possible actions."""


class LeaderMenu(ModalScreen[str | None], BaseScreen[str | None]):
    """Waits for one letter and returns it; None for other keys. Letters of all pages work on the first."""

    DEFAULT_CSS = """
    LeaderMenu {
        align: left bottom;
        background: transparent;
        & > Vertical {
            height: auto; max-height: 100%; overflow: auto; scrollbar-size: 1 1;
            background: $surface; border-top: solid $line; padding: 0 2;
        }
        & Static { width: auto; }
    }
    """
    BINDINGS = [Binding("escape", "dismiss(None)", "close")]
    HELP = (
        "Press one of these letters, space for more of them, or escape. Keys that do nothing now are not listed. In a small "
        "terminal the arrow keys scroll."
    )

    def __init__(self, acts: Callable[[], Sequence[Action]]) -> None:
        """`acts` returns possible actions, which may change while the menu is open."""
        super().__init__()
        self._acts = acts
        self._is_whole = False
        self._columns: dict[str, list[Action]] = {}

    @property
    def help_text(self) -> str:
        acts = (act for column in self._columns.values() for act in column)
        return "\n\n".join((self.HELP, "\n".join(f"{act.letter}   {act.help}" for act in acts)))

    @property
    def _widths(self) -> list[int]:
        columns = self._columns.items()
        widths = [max(len(group), *(len(act.label) + 2 for act in acts)) + _GAP for group, acts in columns]
        while sum(widths) > max(self.size.width - 4, 12 * len(widths)):
            widths[widths.index(max(widths))] -= 1
        return widths

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static()

    def on_mount(self) -> None:
        self._draw()
        self.set_interval(RENEW_SECONDS, self._draw)

    def on_resize(self) -> None:
        self._draw()

    def _draw(self) -> None:
        acts = [act for act in self._acts() if act.letter]
        shown = [act for act in acts if act.first or self._is_whole] or acts
        self._columns = {}
        for act in shown:
            self._columns.setdefault(act.group, []).append(act)
        widths = self._widths
        columns = [
            [quiet(group.upper().ljust(width)), *(self._cell(act, width) for act in acts)]
            for width, (group, acts) in zip(widths, self._columns.items(), strict=True)
        ]
        rows = (
            Content("").join(cell or Content(" " * width) for cell, width in zip(row, widths, strict=True))
            for row in zip_longest(*columns)
        )
        more = [Content.assemble(("space", ".accent"), (MORE.format(len(acts) - len(shown)), ".quiet"))]
        more = [pressing(row, "space") for row in more if len(acts) > len(shown)]
        self.query_one(Static).update(Content("\n").join([*rows, *more]))

    def on_click(self, event: events.Click) -> None:
        if "key" not in event.style.meta:
            self.dismiss(None)

    def _cell(self, act: Action, width: int) -> Content:
        label = f" {one_line(act.label, width - 3)}".ljust(width - 1)
        return pressing(Content.assemble((act.letter, ".accent"), label), act.letter)

    def on_key(self, event: events.Key) -> None:
        if event.key == "escape":
            return
        event.stop()
        if event.key in MORE_KEYS:
            self._is_whole = True
            self._draw()
            return
        if step := _STEPS.get(event.key):
            self.query_one(Vertical).scroll_relative(*step, animate=False)
            return
        self.dismiss(event.character if event.is_printable else None)
