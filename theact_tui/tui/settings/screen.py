"""The settings screen: a list of what can be set, a page about the row under the cursor, and what changes it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Concatenate, ParamSpec, Protocol, cast

from textual import on, work
from textual.app import App, ComposeResult
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.visual import Visual
from textual.widgets import OptionList, Static, TextArea
from textual.widgets.option_list import Option
from textual.worker import Worker

from theact_tui.engine.model_routing import ConsentNeeded
from theact_tui.errors import TheActError, UsageError
from theact_tui.models.discovery import Server
from theact_tui.models.environment import ModelOptions
from theact_tui.models.profiles import OFFLINE
from theact_tui.models.settings import Settings
from theact_tui.paths import Home
from theact_tui.tui.actions import bindings
from theact_tui.tui.keymap import Keys
from theact_tui.tui.services import AppServices
from theact_tui.tui.settings import changes, pages
from theact_tui.tui.settings.actions import HELP, SETTINGS_ACTIONS, SWITCHES
from theact_tui.tui.settings.changes import Changed
from theact_tui.tui.settings.config import (
    SettingsService,
    SettingsState,
)
from theact_tui.tui.settings.keys import KeysScreen
from theact_tui.tui.settings.pages import Tried, rows
from theact_tui.tui.widgets.base_screen import COPY, PageScreen
from theact_tui.tui.widgets.dialogs import (
    AGREE,
    consent_dialog,
)
from theact_tui.tui.widgets.lists import KeyList

if TYPE_CHECKING:
    from theact_tui.engine.session import StorySession


P = ParamSpec("P")


class SettingsHost(Protocol):
    """What the settings need of the app: its home and services, and what follows changed settings at once."""

    home: Home
    settings: Settings
    services: AppServices

    def use_keys(self, own: Mapping[str, str]) -> list[str]: ...


Change = Callable[Concatenate[App[Any], SettingsService, SettingsState, P], Awaitable[Changed]]
"""One of `settings.changes`."""


class SettingsScreen(PageScreen[None], inherit_bindings=False):
    """The settings of this home. `session` is the story that is open meanwhile."""

    CSS_PATH = "screen.tcss"
    HORIZONTAL_BREAKPOINTS = [(0, "-slim"), (72, "-narrow"), (100, "-wide")]
    BINDINGS = [*bindings(SETTINGS_ACTIONS), COPY]
    HELP: ClassVar[str] = HELP
    HELP_TITLE: ClassVar[str] = "Settings"

    def __init__(self, session: StorySession | None = None, service: SettingsService | None = None) -> None:
        """`service`: by default that of the app's home."""
        super().__init__()
        self.session = session
        self._service = service
        self.known: SettingsState | None = None
        """None until it is read, and while it cannot be."""
        self.servers: list[Server] | None = None
        """None while they are looked for."""
        self.tried: dict[str, Tried] = {}
        """By profile: how its connection test went."""
        self._problem = ""
        self._calling: Worker[None] | None = None

    @property
    def _host(self) -> SettingsHost:
        return cast(SettingsHost, self.app)

    @property
    def service(self) -> SettingsService:
        if self._service is None:
            self._service = SettingsService(self._host.home, self._host.services.options or ModelOptions())
        return self._service

    def compose_page(self) -> ComposeResult:
        with Horizontal(id="body"):
            yield KeyList(id="list", markup=False)
            with VerticalScroll(id="page", can_focus=False):
                yield Static(id="about")

    def on_mount(self) -> None:
        self.show_head(
            Content.styled("Settings", ".strong"), Content.styled("saved at once in config.toml", ".quiet")
        )
        self.list.focus()
        self._read()
        self.action_look()

    # --- what is shown ----------------------------------------------------------------------------------------------

    @property
    def list(self) -> KeyList:
        return self.query_one(KeyList)

    @property
    def marked(self) -> tuple[str, str]:
        """Kind and name of what is under the cursor, such as `profile` and `local`."""
        kind, _, name = (self.list.marked if self.is_mounted else "").partition(":")
        return kind, name

    @property
    def server(self) -> Server | None:
        """The server under the cursor."""
        kind, name = self.marked
        return next((one for one in self.servers or () if kind == "server" and one.base_url == name), None)

    @work(group="reading", exclusive=True)
    async def _read(self) -> None:
        try:
            self.known, self._problem = await self.service.read(), ""
        except UsageError as error:
            self.known, self._problem = None, error.message
        self._list()

    def take(self, known: SettingsState) -> None:
        """Show changed settings, and let the app follow them; the cursor goes to a profile that is new."""
        before = self.known.settings.profiles if self.known else known.settings.profiles
        self.known = known
        self._apply(known.settings)
        self._list(next((f"profile:{name}" for name in known.settings.profiles if name not in before), ""))

    def _apply(self, settings: Settings) -> None:
        self._host.settings = settings
        self.app.animation_level = "full" if settings.ui.animations else "none"
        self._host.use_keys(settings.ui.keys)
        for screen in self.app.screen_stack:
            for area in screen.query(TextArea):
                area.cursor_blink = settings.ui.cursor_blink

    def _list(self, at: str = "") -> None:
        known = self.known
        made: list[Option] = []
        if known is not None:
            for row in rows(known, self.servers, self.app.theme):
                if row.is_heading and made:
                    made.append(Option("", disabled=True))
                made.append(Option(row.visual, id=row.id or None, disabled=not row.id))
        in_use = f"profile:{known.in_use}" if known else ""
        self.list.show(made, at or self.list.marked, in_use, OFFLINE)
        self._page()
        if known and known.unknown and not (self.status.hint or self.status.warning):
            self.status.warning = f"config.toml has unknown settings: {', '.join(known.unknown)}"

    @on(OptionList.OptionHighlighted)
    def moved(self) -> None:
        self._page()
        self.query_one("#page").scroll_home(animate=False)

    def _page(self) -> None:
        self.query_one("#about", Static).update(self._about())
        self.refresh_bindings()

    def _about(self) -> Visual:
        if self.known is None:
            return pages.broken_page(self.service.place, self._problem) if self._problem else Content("")
        kind, name = self.marked
        return pages.page_of(self.known, kind, name, self.server, self.tried.get(name), self.app.theme)

    # --- acts -------------------------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what can be done with the thing under the cursor."""
        kind, name = self.marked
        is_switch = kind.removeprefix("ui.") in SWITCHES
        is_used = self.known is not None and (name or kind) == self.known.in_use
        allowed = {
            "use": kind in ("profile", "offline") and not is_used,
            "make": kind == "server",
            "add_here": kind == "add",
            "switch": is_switch,
            "change": (kind.startswith("ui.") and not is_switch) or kind in ("agent", "agents"),
            "edit": kind in ("profile", "add"),
            "test": kind == "profile",
            "delete": kind in ("profile", "agent", "host"),
            "add": self.known is not None and not self.known.guest and kind != "add",
            "stop": self.calling,
            "close": not self.calling,
        }
        return allowed.get(action, True)

    @property
    def calling(self) -> bool:
        """A connection is being tested."""
        return self._calling is not None and self._calling.is_running

    @on(OptionList.OptionSelected)
    def clicked(self) -> None:
        for action in ("use", "make", "add_here", "switch", "change"):
            if self.check_action(action, ()):
                self.run_worker(self.run_action(action), exit_on_error=False)

    def action_use(self) -> None:
        kind, name = self.marked
        self._do(changes.use_profile, name if kind == "profile" else OFFLINE)

    def action_make(self) -> None:
        if self.server:
            self._do(changes.make_profile, self.server)

    def action_add(self) -> None:
        self._do(changes.connect_model, self.status)

    action_add_here = action_add

    def action_edit(self) -> None:
        name = self.marked[1]
        self.tried.pop(name, None)
        self._do(changes.edit_profile, name)

    def action_delete(self) -> None:
        self._do(changes.delete, *self.marked)

    def action_switch(self) -> None:
        self._do(changes.toggle, self.marked[0].removeprefix("ui."))

    def action_change(self) -> None:
        kind, name = self.marked
        match kind:
            case "ui.theme":
                self._do(changes.choose_theme)
            case "ui.pace":
                self._do(changes.ask_pace)
            case "ui.keys":
                if self.known:
                    self.app.push_screen(KeysScreen(self.known.settings.ui.keys, self._key))
            case "agents":
                self._do(changes.add_agent)
            case _:
                self._do(changes.edit_agent, name)

    @work(group="deeds", exclusive=True)
    async def _do(self, change: Change[P], *args: P.args, **kwargs: P.kwargs) -> None:
        """Change the settings; what came of it is said."""
        if self.known is None:
            return
        self.status.warning = self.status.hint = ""
        before, changed = self.known.settings, None
        try:
            changed = await change(self.app, self.service, self.known, *args, **kwargs)
        except Exception as error:
            self.show_error(error)
        if changed is None:
            await self.guarded(self._follow_agreements(self.known))
            return
        known, said = changed
        self.take(known)
        self.status.hint = said
        try:
            await self._change_over(before, known.settings)
        except TheActError as error:
            self.status.warning = f"{said} The open story is unchanged: {error.message}"

    async def _follow_agreements(self, before: SettingsState) -> None:
        """The user may have agreed to a server without changing anything else."""
        if (known := await self.service.read()) != before:
            self.take(known)

    async def _key(self, id: str, key: str | None) -> Keys:
        """Give an act a key of one's own, or its usual one."""
        known = await self.service.set({("ui", "keys", id): key})
        self.take(known)
        return known.settings.ui.keys

    async def _change_over(self, before: Settings, after: Settings) -> None:
        """Let the story that is open be told by what is chosen now, if that is another model or the pace is new."""
        session, services = self.session, self._host.services
        if session is None or session.read_only:
            return
        paced = session.offline and before.ui.pace != after.ui.pace
        if not paced and self.service.targets(before) == self.service.targets(after):
            return
        if session.phase != "idle":
            self.status.hint = f"{self.status.hint} It applies to the open story after this turn."
        try:
            await session.use_models(await asyncio.to_thread(services.models))
        except ConsentNeeded as error:
            if await self.app.push_screen_wait(consent_dialog(error.hosts, offline=False)) != AGREE:
                self.status.hint = f"The open story keeps {session.model_name}."
                return
            await services.allow(error.hosts)
            self.take(await self.service.read())
            await session.use_models(await asyncio.to_thread(services.models))
        teller = "the offline storyteller" if session.offline else session.model_name
        self.status.hint = f"Saved. The open story now uses {teller}."

    # --- servers ----------------------------------------------------------------------------------------------------

    @work(group="looking", exclusive=True)
    async def action_look(self) -> None:
        """Read the settings and look for servers again."""
        self.servers = None
        if self._problem:
            self._read()
        elif self.known:
            self._list()
        self.servers = await self.service.servers()
        if self.known:
            self._list()

    def action_test(self) -> None:
        self._calling = self._test(self.marked[1])
        self.refresh_bindings()

    @work(group="calling", exclusive=True)
    async def _test(self, name: str) -> None:
        if self.known is None:
            return
        profile = self.known.settings.profiles[name]
        try:
            if not await changes.agreed(self.app, self.service, profile):
                return
            await self._follow_agreements(self.known)
            self._show_trial(name, Tried())
            trial = await self.service.try_profile(profile)
            self.take(await self.service.read())
            self._show_trial(name, Tried(trial))
        except TheActError as error:
            self._show_trial(name, Tried(problem=error.message))
        finally:
            self._calling = None
            self.refresh_bindings()

    def _show_trial(self, name: str, tried: Tried) -> None:
        self.tried[name] = tried
        self._page()

    def action_stop(self) -> None:
        if self._calling is not None:
            self._calling.cancel()
        self.tried.pop(self.marked[1], None)
        self._page()

    def action_close(self) -> None:
        self.dismiss()
