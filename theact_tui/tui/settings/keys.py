"""The key map: every act of every screen with its key, and keys of one's own."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from itertools import groupby

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
        self._keymap = checked(keys)
        self._change = change
        self._acts = {keyed.act.id: keyed for keyed in every_act()}

    def compose_page(self) -> ComposeResult:
        yield KeyList(id="keys", markup=False)

    def on_mount(self) -> None:
        self.show_head(Content.assemble(("Settings", ".strong"), " · keys"))
        rows: list[Option] = []
        for place, acts in groupby(self._acts.values(), key=lambda keyed: keyed.place):
            rows += [Option("", disabled=True)] if rows else []
            rows.append(Option(Content.styled(place.upper(), ".heading"), disabled=True))
            rows += [Option(self._row(keyed.act), id=keyed.act.id) for keyed in acts]
        options = self.query_one(KeyList)
        options.show(rows)
        options.focus()

    @property
    def marked(self) -> Keyed | None:
        """The act under the cursor."""
        return self._acts.get(self.query_one(KeyList).marked)

    def _row(self, act: Action) -> Visual:
        key = Content.styled(shown_key(act, self._keymap.own).ljust(10), ".accent")
        note = ("yours" if act.id in self._keymap.own else "", ".quiet")
        if act.id in self._keymap.refused:
            note = ("cannot be used", ".warn")
        return SplitLine(Content.assemble(key, act.help), Content.styled(*note))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action != "reset":
            return True
        marked = self.marked if self.is_mounted else None
        return marked is not None and marked.act.id in (*self._keymap.own, *self._keymap.refused)

    @on(OptionList.OptionHighlighted)
    def moved(self) -> None:
        self.status.warning = self._keymap.refused.get(self.marked.act.id, "") if self.marked else ""
        self.status.hint = ""
        self.refresh_bindings()

    @on(OptionList.OptionSelected)
    @work(exclusive=True)
    async def action_change(self) -> None:
        """Ask for a key for the act under the cursor."""
        if (keyed := self.marked) is None:
            return
        dialog = PressKeyDialog(keyed.act.help, "Press the new key.", keys="esc cancel")
        key = await self.app.push_screen_wait(dialog)
        if key and (problem := clash(key, keyed, self._keymap.own)):
            self.status.warning = problem
        elif key:
            await self._set(keyed.act, key)

    @work(exclusive=True)
    async def action_reset(self) -> None:
        """Give the act under the cursor its usual key again."""
        if self.marked is not None:
            await self._set(self.marked.act, None)

    async def _set(self, act: Action, key: str | None) -> None:
        try:
            self._keymap = checked(await self._change(act.id, key))
        except TheActError as error:
            self.status.warning = error.message
            return
        self.status.warning = ""
        self.query_one(KeyList).replace_option_prompt(act.id, self._row(act))
        self.status.hint = f'Saved. The key for "{act.label}" is now {shown_key(act, self._keymap.own)}.'
        self.refresh_bindings()
