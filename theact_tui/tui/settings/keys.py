"""The key map: every act of every screen with its key, and keys of one's own."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from textual import events, on, work
from textual.app import ComposeResult
from textual.content import Content
from textual.visual import Visual
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from theact_tui.errors import TheActError
from theact_tui.tui.actions import Action, bindings
from theact_tui.tui.keymap import Keyed, Keys, checked, clash, every_act, shown_key
from theact_tui.tui.settings.actions import KEYS_ACTIONS, KEYS_HELP
from theact_tui.tui.visuals import SplitLine
from theact_tui.tui.widgets.base_screen import COPY, PageScreen
from theact_tui.tui.widgets.dialogs import BoxDialog
from theact_tui.tui.widgets.lists import KeyList

Change = Callable[[str, str | None], Awaitable[Keys]]
"""Gives an act a key, or its usual one, and returns all keys of one's own. Raises UsageError."""


class PressKeyDialog(BoxDialog[str]):
    """Waits for a key; the answer is its name, or nothing after escape."""

    DEFAULT_CSS = "PressKeyDialog > Vertical { width: 50; }"
    HELP = "Press the new key. Escape keeps the current one."

    def on_key(self, event: events.Key) -> None:
        event.stop()
        self.dismiss("" if event.key == "escape" else event.key)


class KeysScreen(PageScreen[None], inherit_bindings=False):
    """The key map, to be changed."""

    CSS_PATH = "screen.tcss"
    BINDINGS = [*bindings(KEYS_ACTIONS), COPY]
    HELP = KEYS_HELP
    HELP_TITLE = "The key map"

    def __init__(self, keys: Keys, change: Change) -> None:
        super().__init__()
        keymap = checked(keys)
        self.keys = dict(keymap.own)
        self._refused = dict(keymap.refused)
        self._change = change
        self._acts = every_act()

    def compose_page(self) -> ComposeResult:
        yield KeyList(*self._options(), id="keys", markup=False)

    def on_mount(self) -> None:
        left = Content.assemble(("Settings", ".strong"), " · keys")
        self.show_head(left)
        options = self.query_one(KeyList)
        options.highlighted = next(n for n, option in enumerate(options.options) if option.id)
        options.focus()

    @property
    def marked(self) -> Keyed | None:
        """The act under the cursor."""
        marked = self.query_one(KeyList).marked
        return next((keyed for keyed in self._acts if keyed.act.id == marked), None)

    def _options(self) -> list[Option]:
        rows: list[Option] = []
        place = ""
        for keyed in self._acts:
            if keyed.place != place:
                place = keyed.place
                rows += [Option("", disabled=True)] if rows else []
                rows.append(Option(Content.styled(place.upper(), ".heading"), disabled=True))
            rows.append(Option(self._row(keyed.act), id=keyed.act.id))
        return rows

    def _row(self, act: Action) -> Visual:
        own = act.id in self.keys
        key = Content.styled(shown_key(act, self.keys).ljust(10), ".accent")
        words = Content.assemble(key, act.help)
        note = ("cannot be used", ".warn") if act.id in self._refused else ("yours" if own else "", ".quiet")
        return SplitLine(words, Content.styled(*note))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "reset":
            return (
                self.is_mounted
                and self.marked is not None
                and self.marked.act.id in (self.keys | self._refused)
            )
        return True

    @on(OptionList.OptionHighlighted)
    def moved(self) -> None:
        self.status.warning = self._refused.get(self.marked.act.id, "") if self.marked else ""
        self.status.hint = ""
        self.refresh_bindings()

    @on(OptionList.OptionSelected)
    def chosen(self) -> None:
        self.action_change()

    @work(exclusive=True)
    async def action_change(self) -> None:
        """Ask for a key for the act under the cursor."""
        keyed = self.marked
        if keyed is None:
            return
        key = await self.app.push_screen_wait(
            PressKeyDialog(keyed.act.help, "Press the new key.", keys="esc cancel")
        )
        if not key:
            return
        if problem := clash(key, keyed, self.keys):
            self.status.warning = problem
            return
        await self._set(keyed.act, key)

    @work(exclusive=True)
    async def action_reset(self) -> None:
        """Give the act under the cursor its usual key again."""
        if self.marked is not None:
            await self._set(self.marked.act, None)

    async def _set(self, act: Action, key: str | None) -> None:
        try:
            keymap = checked(await self._change(act.id, key))
        except TheActError as error:
            self.status.warning = error.message
            return
        self.keys, self._refused = dict(keymap.own), dict(keymap.refused)
        self.status.warning = ""
        self.query_one(KeyList).replace_option_prompt(act.id, self._row(act))
        self.status.hint = f'Saved. The key for "{act.label}" is now {shown_key(act, self.keys)}.'
        self.refresh_bindings()

    def action_close(self) -> None:
        self.dismiss()
