from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import cached_property, partial
from typing import TYPE_CHECKING, ClassVar, cast

from textual import on, work
from textual.widgets import OptionList, Static

from theact_tui.errors import TheActError, UsageError
from theact_tui.models.discovery import Server
from theact_tui.models.profiles import OFFLINE
from theact_tui.models.settings import Settings
from theact_tui.tui.actions import bindings
from theact_tui.tui.open_stories import AppServices
from theact_tui.tui.settings import changes
from theact_tui.tui.settings.changes import Change
from theact_tui.tui.settings.keys import HELP, SETTINGS_ACTIONS
from theact_tui.tui.settings.pages import Tried, broken_page, rows
from theact_tui.tui.settings.rows_screen import RowsScreen
from theact_tui.tui.settings.service import SettingsService, SettingsState
from theact_tui.tui.visuals import quiet, strong
from theact_tui.tui.widgets.base_screen import COPY, Acts
from theact_tui.tui.widgets.consent import with_consent

if TYPE_CHECKING:
    from theact_tui.engine.session import StorySession


class SettingsScreen(RowsScreen[None, Change], inherit_bindings=False):
    BINDINGS = [*bindings(SETTINGS_ACTIONS), COPY]
    HELP: ClassVar[str] = HELP
    HELP_TITLE: ClassVar[str] = "Settings"
    ENTER: ClassVar[tuple[str, ...]] = ("use", "make", "add_here", "switch", "change")

    def __init__(
        self,
        session: StorySession | None = None,
        service: SettingsService | None = None,
        *,
        opens_models: bool = False,
    ) -> None:
        super().__init__()
        self._opens_models = opens_models
        self.session = session
        self._service = service
        self.settings_state: SettingsState | None = None
        """None until it is read, and while it is unreadable."""
        self.tried: dict[str, Tried] = {}
        self._problem = ""
        self._hint_row = ""

    @cached_property
    def service(self) -> SettingsService:
        if self._service:
            return self._service
        host = cast(changes.SettingsHost, self.app)
        return SettingsService(host.home, host.services.options)

    def on_mount(self) -> None:
        self.show_head(strong("Settings"), quiet("saved at once in config.toml"))
        self.action_look()

    # --- what is shown ----------------------------------------------------------------------------------------------

    @work(group="reading", exclusive=True)
    async def _read(self) -> None:
        again = self.settings_state is not None or bool(self._problem)
        try:
            self.settings_state, self._problem = await self.service.read(), ""
            if again:
                changes.apply_settings(self.app, self.settings_state.settings)
        except UsageError as error:
            self.settings_state, self._problem = None, error.message
        self._list()
        if self._opens_models and self.settings_state and self.settings_state.may_change_models:
            self.action_models()
        self._opens_models = False

    def take(self, state: SettingsState) -> None:
        """Show and apply changed settings; the cursor moves to a new profile."""
        before = self.settings_state.settings.profiles if self.settings_state else state.settings.profiles
        self.settings_state = state
        changes.apply_settings(self.app, state.settings)
        self._list(next((f"profile:{name}" for name in state.settings.profiles if name not in before), ""))

    def _list(self, at: str = "") -> None:
        state = self.settings_state
        all_rows = [*rows(state, self.servers, self.tried, self.app.theme)] if state else []
        in_use = f"profile:{state.in_use}" if state else ""
        self.show_rows(all_rows, at or self.list.marked, in_use, OFFLINE)
        if state and state.unknown and not (self.status.hint or self.status.warning):
            self.status.warning = f"config.toml has unknown settings: {', '.join(state.unknown)}"

    @on(OptionList.OptionHighlighted)
    def moved(self) -> None:
        if self.list.marked != self._hint_row and not self.is_working:
            self.status.hint = ""
        self.show_page()
        self.query_one("#page").scroll_home(animate=False)

    def show_page(self) -> None:
        super().show_page()
        if self.settings_state is None and self._problem:
            self.query_one("#about", Static).update(broken_page(self.service.place, self._problem))
            self.app.clear_notifications()  # which say the same

    # --- acts -------------------------------------------------------------------------------------------------------

    def acts(self) -> Acts:
        """Actions for the row under the cursor, and connecting a model."""
        row, state = self.row, self.settings_state
        if state is None:
            return {}
        acts = dict(row.acts) if row else {}
        if state.may_change_models and not (row and row.id == "add"):
            acts["add"] = changes.connect_model
        return {name: partial(self._change, state, change) for name, change in acts.items()}

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "models":
            return self.settings_state is not None and self.settings_state.may_change_models
        if action in ("test", "audition"):
            return bool(self.row and self.row.id.startswith("profile:"))
        return super().check_action(action, parameters)

    def _change_context(self, state: SettingsState) -> changes.SettingsContext:
        return changes.SettingsContext(self.app, self.service, state, self.status)

    async def _change(self, state: SettingsState, change: Change) -> None:
        changed = None
        try:
            changed = await change(self._change_context(state))
        finally:
            if changed is None:
                await self.guarded(self._follow_agreements())
        if changed is None:
            return
        after, message = changed
        self.status.hint = message
        profiles = after.settings.profiles
        same = {name for name, profile in state.settings.profiles.items() if profiles.get(name) == profile}
        self.tried = {name: tried for name, tried in self.tried.items() if name in same}
        self.take(after)
        self._hint_row = self.list.marked
        try:
            await self._change_over(state.settings, after.settings)
        except TheActError as error:
            self.status.warning = f"{message} The open story is unchanged: {error.message}"

    async def _follow_agreements(self) -> None:
        self.take(await self.service.read())

    async def _change_over(self, before: Settings, after: Settings) -> None:
        session, services = self.session, cast(changes.SettingsHost, self.app).services
        if session is None or session.read_only:
            return
        paced = session.offline and before.ui.pace != after.ui.pace
        if not paced and self.service.targets(before) == self.service.targets(after):
            return
        if session.phase != "idle":
            self.status.hint = "Saved. The open story uses it from the next turn."

        async def change(services: AppServices) -> bool:
            await session.use_models(await asyncio.to_thread(services.models))
            return True

        if not await with_consent(self.app, services, change):
            self.status.hint = f"The open story keeps {session.model_name}."
            return
        await self._follow_agreements()
        teller = "the offline storyteller" if session.offline else session.model_name
        self.status.hint = f"Saved. The open story now uses {teller}."

    # --- servers ----------------------------------------------------------------------------------------------------

    @work(group="looking", exclusive=True)
    async def action_look(self) -> None:
        self.servers = None
        self._read()
        self.servers = await self.service.servers()
        if self.settings_state:
            self._list()

    @work(group="models", exclusive=True)
    async def action_models(self) -> None:
        from theact_tui.tui.settings.models_screen import ModelsScreen

        async def use(server: Server, model: str) -> str:
            if self.settings_state is not None:
                await self._change(
                    self.settings_state, partial(changes.make_profile, server=server, model=model)
                )
            return self.status.hint or self.status.warning

        await self.app.push_screen_wait(ModelsScreen(self.service, use))
        self.action_look()

    def action_test(self, *, in_a_story: bool = False) -> None:
        self.working = self._test(self.list.marked.removeprefix("profile:"), in_a_story=in_a_story)
        self.refresh_bindings()

    def action_audition(self) -> None:
        self.action_test(in_a_story=True)

    @work(group="calling", exclusive=True)
    async def _test(self, name: str, *, in_a_story: bool) -> None:
        if self.settings_state is None:
            return
        profile = self.settings_state.settings.profiles[name]

        def step(done: int, whole: int) -> None:
            self._show_trials({name: Tried(calls=(done, whole))})

        try:
            if not await changes.agreed(self._change_context(self.settings_state), profile):
                return
            self._show_trials({name: Tried()})
            if in_a_story:
                tried = Tried(audition=await self.service.try_out(profile, step))
            else:
                tried = Tried(await self.service.try_profile(profile))
            await self._follow_agreements()
            self._show_trials({name: tried})
        except TheActError as error:
            self._show_trials({name: Tried(problem=error.message)})
        finally:
            self.call_after_refresh(self.refresh_bindings)

    def _show_trials(self, new: Mapping[str, Tried]) -> None:
        ended = {
            name: tried
            for name, tried in self.tried.items()
            if tried.trial or tried.audition or tried.problem
        }
        self.tried = {**ended, **new}
        self._list()

    def action_stop(self) -> None:
        super().action_stop()
        self._show_trials({})
