from __future__ import annotations

import asyncio
import gc
import os
import signal
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from rich.segment import Segment
from textual import events, on, work
from textual.color import Color
from textual.command import CommandPalette
from textual.filter import LineFilter
from textual.screen import Screen
from textual.widgets import TextArea

from theact_tui.errors import UsageError
from theact_tui.guest_permissions import refuse_file
from theact_tui.long_works import stop_long_works
from theact_tui.paths import Home
from theact_tui.text import dotted, one_line, without_controls
from theact_tui.tui.actions import APP_ACTIONS, bindings
from theact_tui.tui.command_palette import ActionsProvider
from theact_tui.tui.home.screen import HomeScreen
from theact_tui.tui.open_stories import AppServices
from theact_tui.tui.textual_patches import (
    ReportingApp,
    let_lines_go,
    patch_key_sequences,
    patch_kitty_keys,
    spare_full_collections,
)
from theact_tui.tui.themes import ANSI_THEME, DEFAULT_THEME, LIGHT_ANSI_THEME, THEMES, fallback_variables
from theact_tui.tui.widgets.base_screen import BaseScreen
from theact_tui.tui.widgets.dialogs import ConfirmDialog
from theact_tui.tui.widgets.inputs import forward_typed_ahead, named_key, types_a_sign
from theact_tui.tui.widgets.status_line import show_message

if TYPE_CHECKING:
    from theact_tui.engine.base_session import BaseSession
    from theact_tui.engine.direct.session import DirectSession
    from theact_tui.engine.session import StorySession
    from theact_tui.models.environment import ModelOptions
    from theact_tui.models.settings import Settings
    from theact_tui.story.direct.state import DirectGame


@dataclass(frozen=True, slots=True)
class FirstLook:
    """Theme, animations and keys, without validation."""

    theme: str = ""
    animations: bool = True
    keys: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, file: Path) -> FirstLook:
        try:
            ui: Any = tomllib.loads(file.read_text("utf-8-sig")).get("ui")
        except (OSError, ValueError):
            return cls()
        if not isinstance(ui, dict):
            return cls()
        keys = ui.get("keys")
        named = dotted(keys).items() if isinstance(keys, dict) else ()
        keymap = {name: key for name, key in named if isinstance(key, str)}
        theme, animations = str(ui.get("theme", "")), ui.get("animations") is not False
        return cls(theme=theme, animations=animations, keys=keymap)


SLOW = (
    "theact_tui.saves.save",
    "theact_tui.engine.open_sessions",
    "theact_tui.tui.home.screen",
    "theact_tui.tui.play.screen",
    "theact_tui.tui.widgets.menus",
    "theact_tui.tui.inspector.screen",
    "theact_tui.tui.branches.screen",
)
"""Slow imports, in the order in which players need them."""


def warm() -> None:
    for module in SLOW:
        import_module(module)


class ControlFilter(LineFilter):
    """Removes zero-width control characters: they steer terminals or reorder letters."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        return [
            segment
            if segment.text.isprintable()
            else segment._replace(text=without_controls(segment.text).replace("\n", "").replace("\t", ""))
            for segment in segments
        ]


CURSOR_REST_SECONDS = 10.0
"""Without a key until the cursor stops blinking, the only cost of an idle story."""


class TheActApp(ReportingApp):
    TITLE = "theact"
    CSS_PATH = "app.tcss"
    COMMANDS: ClassVar[set[Any]] = {ActionsProvider}
    BINDINGS = bindings(APP_ACTIONS)

    def __init__(
        self,
        home: Home,
        *,
        settings: Settings | None = None,
        services: AppServices | None = None,
        go_on: bool = False,
    ) -> None:
        super().__init__(ansi_color=True if "NO_COLOR" in os.environ else None)
        patch_key_sequences()
        patch_kitty_keys()
        let_lines_go()
        self.home = home
        self._settings = settings
        self.services = services or AppServices(home)
        self._go_on = go_on
        self._inert = ControlFilter()

    @property
    def settings(self) -> Settings:
        """Read on first use. Raises UsageError."""
        if self._settings is None:
            from theact_tui.models.settings import SettingsFile

            self._settings = SettingsFile(self.home.config_file).read()
        return self._settings

    @settings.setter
    def settings(self, settings: Settings) -> None:
        self._settings = settings

    def get_line_filters(self) -> Sequence[LineFilter]:
        return [*super().get_line_filters(), self._inert]

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return fallback_variables(self.current_theme.dark)

    @on(TextArea.SelectionChanged)
    def cursor_moved(self, event: TextArea.SelectionChanged) -> None:
        if self._settings:
            event.text_area.cursor_blink = self._settings.ui.cursor_blink
        self._cursor_rests.reset()

    def _rest_cursor(self) -> None:
        if isinstance(self.focused, TextArea):
            self.focused.cursor_blink = False

    def on_mount(self) -> None:
        self._cursor_rests = self.set_interval(CURSOR_REST_SECONDS, self._rest_cursor)
        ui = self._settings.ui if self._settings else FirstLook.read(self.home.config_file)
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = self._first_theme(ui.theme)
        if not ui.animations:
            self.animation_level = "none"
        self.use_keys(ui.keys)
        self.open_first_screen()
        if not self.is_headless:
            self._heed_signals()

    def open_first_screen(self) -> None:
        home = HomeScreen(self.services, self.play, self.direct, go_on=self._go_on)
        self.push_screen(home)
        self._warm(home.listed)

    def on_server_gone(self) -> None:
        self._quit()

    def _heed_signals(self) -> None:
        acts: dict[str, Callable[[], object]] = {"SIGTERM": self._quit, "SIGHUP": self._hung_up}
        if self.home.guest:
            acts["SIGINT"] = lambda: None
        for name, act in acts.items():
            with suppress(AttributeError, NotImplementedError, ValueError):
                asyncio.get_running_loop().add_signal_handler(getattr(signal, name), act)

    @work(group="leaving", exclusive=True, exit_on_error=False)
    async def _hung_up(self) -> None:
        """Save and exit at once: drawing to a closed terminal would block for ever."""
        with self.batch_update():
            try:
                await self._leave()
            finally:
                os._exit(0)

    def use_keys(self, own: Mapping[str, str]) -> list[str]:
        """Apply the user's keys and report the unusable ones."""
        if not own:
            self.set_keymap({})
            return []
        from theact_tui.tui.keymap import checked_keys

        keymap = checked_keys(own)
        self.set_keymap(keymap.bound)
        return list(keymap.refused.values())

    def _first_theme(self, name: str) -> str:
        wanted = self.available_themes.get(name)
        if self.no_color:
            return wanted.name if wanted and wanted.ansi else ANSI_THEME
        if self.console.color_system not in ("256", "truecolor"):  # others turn grey, or cannot be read
            return LIGHT_ANSI_THEME if wanted and not wanted.dark else ANSI_THEME
        return wanted.name if wanted else DEFAULT_THEME

    @work(exit_on_error=False)
    async def _warm(self, listed: asyncio.Event) -> None:
        await listed.wait()
        await asyncio.to_thread(warm)
        if not self.is_headless:
            spare_full_collections()
        try:
            ui = (await asyncio.to_thread(lambda: self.settings)).ui
        except UsageError as error:
            self._warn(error.message)
            return
        if refused := self.use_keys(ui.keys):
            more = f" {len(refused) - 1} more; see keys in the settings." if refused[1:] else ""
            self._warn(f"Invalid key binding: {refused[0]}{more}")
        if ui.theme and ui.theme not in self.available_themes:
            self._warn(f"config.toml: there is no theme called {ui.theme}.")

    def _warn(self, text: str) -> None:
        self.notify(text, severity="warning", timeout=15, markup=False)

    async def play(self, session: StorySession) -> bool:
        """Open a story in a worker; True if a watched story is to be played now."""
        from theact_tui.tui.play.screen import PlayScreen

        session.check_file = partial(refuse_file, self.home)
        screen = PlayScreen(
            session,
            open_screen=lambda name: self._open_over_story(session, name),
            ui=self.settings.ui,
        )
        with self._titled(session.game.info.title):
            await self.push_screen_wait(screen)
        self.call_after_refresh(gc.collect)
        return screen.plays_here

    def open_over(self, session: BaseSession[Any], name: str) -> None:
        if name == "inspector":
            from theact_tui.tui.inspector.chapter import ChapterInspector
            from theact_tui.tui.inspector.screen import InspectorScreen

            is_directed = session.save.turn_word == "prompt"
            self.push_screen((ChapterInspector if is_directed else InspectorScreen)(session))
        else:
            from theact_tui.tui.branches.screen import BranchesScreen
            from theact_tui.tui.branches.source import BranchSource

            self.push_screen(BranchesScreen(BranchSource(session)))

    def _open_over_story(self, session: StorySession, name: str) -> None:
        match name:
            case "write":
                self._write_after(session)
            case "settings":
                from theact_tui.tui.settings.screen import SettingsScreen

                below = self.screen
                self.push_screen(SettingsScreen(session), lambda _: self._follow_settings(below))
            case _:
                self.open_over(session, name)

    @work(group="writing", exclusive=True)
    async def _write_after(self, session: StorySession) -> None:
        from theact_tui.authoring.draft import Draft
        from theact_tui.tui.write.screen import WriteScreen

        try:
            draft = await asyncio.to_thread(Draft.of_story, self.home, session.game)
        except UsageError as error:
            self._warn(error.message)
            return
        await self.push_screen_wait(WriteScreen(draft, self.services, self.play))

    def _follow_settings(self, screen: Screen[Any]) -> None:
        from theact_tui.tui.play.side_panel import SidePanel

        for panel in screen.query(SidePanel):
            panel.show_beats = self.settings.ui.show_beats

    async def direct(self, session: DirectSession) -> DirectGame | None:
        """Open a directed chapter in a worker; return its state if the next chapter is wanted."""
        from theact_tui.tui.direct.screen import DirectScreen

        screen = DirectScreen(
            session,
            open_screen=lambda name: self.open_over(session, name),
            cursor_blink=self.settings.ui.cursor_blink,
        )
        with self._titled(session.name):
            await self.push_screen_wait(screen)
        return screen.followed

    @contextmanager
    def _titled(self, title: str) -> Iterator[None]:
        self.title = f"{one_line(title, 60)} · {self.TITLE}"
        try:
            yield
        finally:
            self.title = self.TITLE

    async def on_event(self, event: events.Event) -> None:
        """Hold acting keys back until earlier letters are handled, and letters until an opening dialog is ready."""
        event = named_key(event) if isinstance(event, events.Key) else event
        if isinstance(event, events.Key) and await forward_typed_ahead(self, event):
            return
        catch_up = getattr(self.focused, "catch_up", None) if isinstance(event, events.Key) else None
        if catch_up and isinstance(event, events.Key) and not (types_a_sign(event) or event.is_forwarded):
            await catch_up()
        await super().on_event(event)
        if catch_up and isinstance(event, events.Key) and event.key in ("tab", "shift+tab"):
            await catch_up()  # what follows is for the next box

    # --- keys that work everywhere ------------------------------------------------------------------------------------

    def action_help(self) -> None:
        from theact_tui.tui.widgets.menus import HelpDialog, help_for

        if not isinstance(self.screen, HelpDialog):
            self.push_screen(help_for(self.screen))

    def action_command_palette(self) -> None:
        if not any(isinstance(screen, CommandPalette) for screen in self.screen_stack):
            super().action_command_palette()

    def action_settings(self, models: bool = False) -> None:
        """Open the settings, or their page of models at once."""
        from theact_tui.tui.settings.screen import SettingsScreen

        self.push_screen(SettingsScreen(opens_models=models))

    def action_models(self) -> None:
        self.action_settings(models=True)

    def action_help_quit(self) -> None:
        bindings = (b for b in self.screen.active_bindings.values() if b.binding.action == "quit")
        key = next((self.get_key_display(b.binding) for b in bindings), "^q")
        show_message(self, f"{key} quits. All is saved.")

    async def action_quit(self) -> None:
        self._quit(ask=not isinstance(self.screen, ConfirmDialog))

    @work(group="leaving", exclusive=True, exit_on_error=False)
    async def _quit(self, *, ask: bool = False) -> None:
        for screen in self.screen_stack if ask else ():
            if isinstance(screen, BaseScreen) and not await screen.may_leave():
                return
        try:
            await self._leave()
        except Exception as error:  # whoever wants to leave is not kept
            self.report(error)
        self.exit()

    async def _leave(self) -> None:
        await stop_long_works()
        for screen in reversed(self.screen_stack):
            leave = getattr(screen, "leave", None)
            if leave is not None:
                opened = asyncio.Event()
                if not screen.is_mounted and screen.call_later(opened.set):
                    await opened.wait()  # before, it can save and close nothing
                await leave()


def run_app(home: Home, options: ModelOptions, *, mouse: bool = True, go_on: bool = False) -> int:
    app = TheActApp(home, services=AppServices(home, options), go_on=go_on)
    return run_to_end(app, "Your story is saved. ", mouse=mouse)


def run_to_end(app: TheActApp, reassurance: str = "", *, mouse: bool = True) -> int:
    """Run an app; return its exit code, and say after a crash where the details are."""
    app.run(mouse=mouse)
    if app.return_code:
        print(f"theact crashed. {reassurance}Details are in {app.crash_file}", file=sys.stderr)
    return app.return_code or 0
