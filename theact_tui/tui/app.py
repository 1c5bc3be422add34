"""The app: themes, screens, keys that work everywhere, and a clean end. It tells no story and keeps no rule."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, ClassVar

from textual import events, work
from textual.app import App, SystemCommand
from textual.filter import LineFilter
from textual.screen import Screen

from theact_tui.errors import UsageError
from theact_tui.paths import Home
from theact_tui.tui.acts import APP_ACTS, bindings
from theact_tui.tui.ahead import went_on
from theact_tui.tui.backstage import Backstage, warm
from theact_tui.tui.crash import write_down
from theact_tui.tui.inert import Inert
from theact_tui.tui.keys import know_alt_digits, know_alt_enter
from theact_tui.tui.lasting import give_back, look_through
from theact_tui.tui.look import Look
from theact_tui.tui.palette import ActsProvider
from theact_tui.tui.screens.home import HomeScreen
from theact_tui.tui.styling import read_styles
from theact_tui.tui.themes import ANSI_THEME, DEFAULT_THEME, THEMES, fallback_variables

if TYPE_CHECKING:
    from theact_tui.engine.session import Session
    from theact_tui.models.options import ModelOptions
    from theact_tui.models.settings import Settings


class TheActApp(App[None]):
    """One run of the app on one user's home."""

    TITLE = "theact"
    CSS_PATH = "app.tcss"
    COMMANDS: ClassVar[set[Any]] = {ActsProvider}
    BINDINGS = bindings(APP_ACTS)

    def __init__(
        self,
        home: Home,
        options: ModelOptions | None = None,
        settings: Settings | None = None,
        *,
        backstage: Backstage | None = None,
        glow_seconds: float = 4.0,
    ) -> None:
        super().__init__(ansi_color=True if "NO_COLOR" in os.environ else None)
        know_alt_enter()
        know_alt_digits()
        self.home = home
        self._settings = settings
        self.backstage = backstage or Backstage(home, options)
        self.crash_file = ""
        """Where an unexpected end was written down."""
        self._glow_seconds = glow_seconds
        self._inert = Inert()

    @property
    def settings(self) -> Settings:
        """The user's settings, read when they are first needed. Raises `UsageError` for a file that is wrong."""
        return self._settings or self._read_settings()

    @settings.setter
    def settings(self, settings: Settings) -> None:
        self._settings = settings

    def _read_settings(self) -> Settings:
        from theact_tui.models.settings import SettingsFile

        if self._settings is None:
            self._settings = SettingsFile(self.home.config_file).read()
        return self._settings

    def get_line_filters(self) -> Sequence[LineFilter]:
        return [*super().get_line_filters(), self._inert]

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return fallback_variables()

    def on_mount(self) -> None:
        ui = self._settings.ui if self._settings else Look.read(self.home.config_file)
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = self._first_theme(ui.theme)
        if not ui.animations:
            self.animation_level = "none"
        self.use_keys(ui.keys)
        self.push_screen(HomeScreen(self.backstage, self.play, self.backstage.clock))
        self.call_after_refresh(self._warm)
        if not self.is_headless:
            self._heed_signals()

    def _heed_signals(self) -> None:
        """Save and leave when asked to end, or when the terminal is closed."""
        for name, act in (("SIGTERM", self._quit), ("SIGHUP", self._hung_up)):
            with suppress(AttributeError, NotImplementedError, ValueError):
                asyncio.get_running_loop().add_signal_handler(getattr(signal, name), act)

    @work(group="leaving", exclusive=True, exit_on_error=False)
    async def _hung_up(self) -> None:
        """The terminal is gone: save, and end at once. Drawing would wait for it for ever."""
        with self.batch_update():
            try:
                await self._leave()
            finally:
                os._exit(0)

    def use_keys(self, own: Mapping[str, str]) -> list[str]:
        """Let acts be done by keys of the user's own; says of each one that cannot be used why not."""
        if not own:
            self.set_keymap({})
            return []
        from theact_tui.tui.keymap import checked

        keymap = checked(own)
        self.set_keymap(keymap.bound)
        return list(keymap.refused.values())

    def _first_theme(self, name: str) -> str:
        wanted = self.available_themes.get(name)
        if self.no_color:
            return wanted.name if wanted and wanted.ansi else ANSI_THEME
        return wanted.name if wanted else DEFAULT_THEME

    def choose_theme(self, name: str) -> None:
        """Change how the app looks, now and from now on."""
        self.theme = name
        self._remember_theme(name)

    @work(thread=True, exit_on_error=False)
    def _remember_theme(self, name: str) -> None:
        from theact_tui.models.settings import SettingsFile

        try:
            SettingsFile(self.home.config_file).set({("ui", "theme"): name})
        except UsageError as error:
            self.call_from_thread(self._warn, error.message)

    @work(exit_on_error=False)
    async def _warm(self) -> None:
        """Fetch what is slow while the player reads the list, and look whether the settings are right."""
        await read_styles(self)
        await asyncio.to_thread(warm)
        try:
            ui = (await asyncio.to_thread(self._read_settings)).ui
        except UsageError as error:
            self._warn(error.message)
            return
        if refused := self.use_keys(ui.keys):
            more = (
                f" So {len(refused) - 1} more; the key map in the settings says why." if refused[1:] else ""
            )
            self._warn(f"A key of your own cannot be used. {refused[0]}{more}")
        if ui.theme and ui.theme not in self.available_themes:
            self._warn(f"config.toml: there is no theme called {ui.theme}.")

    def _warn(self, text: str) -> None:
        self.notify(text, severity="warning", timeout=15, markup=False)

    async def play(self, session: Session) -> None:
        """Open a story; returns when it was left. Call in a worker."""
        from theact_tui.tui.screens.play import PlayScreen

        await self.push_screen_wait(PlayScreen(session, glow_seconds=self._glow_seconds, ui=self.settings.ui))
        self.call_after_refresh(look_through)

    def on_unmount(self) -> None:
        give_back()

    async def on_event(self, event: events.Event) -> None:
        """Keys that act wait for the letters typed before them; else enter would send what is not all there yet.
        Letters wait for the question that the key before them opens."""
        if isinstance(event, events.Key) and await went_on(self, event):
            return
        catch_up = getattr(self.focused, "catch_up", None) if isinstance(event, events.Key) else None
        if catch_up and isinstance(event, events.Key) and not (event.is_printable or event.is_forwarded):
            await catch_up()
        await super().on_event(event)

    # --- keys that work everywhere ------------------------------------------------------------------------------------

    def action_help(self) -> None:
        """Explain the current screen."""
        from theact_tui.tui.screens.help import HelpSheet, help_for

        if not isinstance(self.screen, HelpSheet):
            self.push_screen(help_for(self.screen))

    async def action_quit(self) -> None:
        """Save what is open, then leave."""
        self._quit()

    @work(group="leaving", exclusive=True, exit_on_error=False)
    async def _quit(self) -> None:
        await self._leave()
        self.exit()

    async def _leave(self) -> None:
        for screen in reversed(self.screen_stack):
            leave = getattr(screen, "leave", None)
            if leave is not None:
                await leave()

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        return ()

    # --- what nobody expected -------------------------------------------------------------------------------------

    def report(self, error: Exception) -> str:
        """Write an unexpected error down; returns where."""
        return str(write_down(self.home, error) or "nowhere, for the log folder cannot be written")

    def _handle_exception(self, error: Exception) -> None:
        self.crash_file = self.report(error)
        super()._handle_exception(error)

    def _fatal_error(self) -> None:
        if self.is_headless:
            super()._fatal_error()
            return
        self.bell()
        self._close_messages_no_wait()


def run(home: Home, options: ModelOptions, *, mouse: bool = True) -> int:
    """Run the app in this terminal; returns the exit code."""
    app = TheActApp(home, options)
    app.run(mouse=mouse)
    if app.return_code:
        print(f"theact broke off. What was told is saved. The reason is in {app.crash_file}", file=sys.stderr)
    return app.return_code or 0
