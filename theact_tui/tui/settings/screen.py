"""The settings screen: a list of what can be set, a page about the row under the cursor, and what changes it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Protocol, cast

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding
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
from theact_tui.models.profiles import OFFLINE, Override, Profile, check_url, host_of, is_local
from theact_tui.models.settings import Settings
from theact_tui.paths import Home
from theact_tui.text import one_line
from theact_tui.tui.actions import bindings
from theact_tui.tui.keymap import Keys
from theact_tui.tui.services import AppServices
from theact_tui.tui.settings import pages
from theact_tui.tui.settings.actions import HELP, SETTINGS_ACTIONS, SWITCHES
from theact_tui.tui.settings.config import (
    SettingsService,
    SettingsState,
    checked_address,
    checked_name,
    free_name,
    profile_of,
)
from theact_tui.tui.settings.forms import ModelForm, ThemeDialog, suggested_sampling
from theact_tui.tui.settings.keys import KeysScreen
from theact_tui.tui.settings.pages import Tried, rows
from theact_tui.tui.visuals import SplitLine
from theact_tui.tui.widgets.base_screen import PageScreen
from theact_tui.tui.widgets.dialogs import (
    AGREE,
    ConfirmDialog,
    FormDialog,
    FormField,
    ListDialog,
    ListEntry,
    ask_until_valid,
    consent_dialog,
)
from theact_tui.tui.widgets.lists import KeyList

if TYPE_CHECKING:
    from theact_tui.engine.session import StorySession


class SettingsHost(Protocol):
    """What the settings need of the app: its home and services, and what follows changed settings at once."""

    home: Home
    settings: Settings
    services: AppServices

    def use_keys(self, own: Mapping[str, str]) -> list[str]: ...


Changed = tuple[SettingsState, str] | None
"""The settings as they are after a change, and a sentence that says so; None if nothing was changed."""
Change = Callable[[SettingsState], Awaitable[Changed]]


CONNECT_NOTE = "Nothing is saved until the model has answered."
NO_KEYRING = "no system keyring was found (extra 'keyring')."


class SettingsScreen(PageScreen[None], inherit_bindings=False):
    """The settings of this home. `session` is the story that is open meanwhile."""

    CSS_PATH = "screen.tcss"
    HORIZONTAL_BREAKPOINTS = [(0, "-slim"), (72, "-narrow"), (100, "-wide")]
    BINDINGS = [
        *bindings(SETTINGS_ACTIONS),
        Binding("ctrl+c,super+c", "screen.copy_text", "copy", show=False),
    ]
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
        self._do(partial(self._use, name if kind == "profile" else OFFLINE))

    def action_make(self) -> None:
        if self.server:
            self._do(partial(self._make_profile, self.server))

    def action_add_here(self) -> None:
        self._do(self._connect)

    def action_add(self) -> None:
        self._do(self._connect)

    def action_edit(self) -> None:
        name = self.marked[1]
        self.tried.pop(name, None)
        self._do(partial(self._edit_profile, name))

    def action_delete(self) -> None:
        self._do(partial(self._delete, *self.marked))

    def action_switch(self) -> None:
        self._do(partial(self._toggle, self.marked[0].removeprefix("ui.")))

    def action_change(self) -> None:
        kind, name = self.marked
        match kind:
            case "ui.theme":
                self._do(self._choose_theme)
            case "ui.pace":
                self._do(self._ask_pace)
            case "ui.keys":
                if self.known:
                    self.app.push_screen(KeysScreen(self.known.settings.ui.keys, self._key))
            case "agents":
                self._do(self._add_agent)
            case _:
                self._do(partial(self._edit_agent, name))

    @work(group="deeds", exclusive=True)
    async def _do(self, change: Change) -> None:
        """Change the settings; what came of it is said."""
        if self.known is None:
            return
        self.status.warning = self.status.hint = ""
        before = self.known.settings
        try:
            changed = await change(self.known)
        except Exception as error:
            self.status.warning = self.fault(error)
            return
        if changed is None:
            return
        known, said = changed
        self.take(known)
        self.status.hint = said
        try:
            await self._change_over(before, known.settings)
        except TheActError as error:
            self.status.warning = f"{said} The open story is unchanged: {error.message}"

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

    # --- changes ----------------------------------------------------------------------------------------------------

    async def _use(self, name: str, known: SettingsState) -> Changed:
        return await self.service.set({("profile",): name}), f"Saved. Stories now use {name}."

    async def _toggle(self, name: str, known: SettingsState) -> Changed:
        value = not getattr(known.settings.ui, name)
        known = await self.service.set({("ui", name): value})
        return known, f"Saved. Now {'on' if value else 'off'}."

    async def _choose_theme(self, known: SettingsState) -> Changed:
        name = await self.app.push_screen_wait(ThemeDialog(self.app.theme))
        if not name:
            return None
        return await self.service.set({("ui", "theme"): name}), f"Saved. The theme is now {name}."

    async def _ask_pace(self, known: SettingsState) -> Changed:
        async def keep(texts: tuple[str, ...]) -> SettingsState:
            try:
                value = float(texts[0].replace(",", ".") or "0")
            except ValueError:
                raise UsageError("Enter a number, such as 12.") from None
            if not 0 <= value <= 1000:
                raise UsageError("Enter a pace between 0 and 1,000 words per second.")
            return await self.service.set({("ui", "pace"): value})

        field = FormField("Words per second; 0 shows everything at once", f"{known.settings.ui.pace:g}")
        changed = await ask_until_valid(self.app, FormDialog("Reading pace", field, yes="save"), keep)
        return (changed, "Saved.") if changed else None

    async def _connect(self, known: SettingsState) -> Changed:
        """Ask for what a model needs, and use it once it has answered."""
        form = FormDialog(
            "Connect a model",
            FormField("Address", placeholder="http://127.0.0.1:8080/v1"),
            FormField("Model", placeholder="leave empty for the first one the server lists"),
            FormField("API key", placeholder="leave empty if the server needs none", secret=True),
            FormField("Name", placeholder="leave empty to use the model's name"),
            note=CONNECT_NOTE,
            yes="test and use",
        )

        async def connect(texts: tuple[str, ...]) -> Changed:
            address, model, key, name = texts
            taken = known.settings.profiles
            name = checked_name(name, taken) if name else ""
            try:
                profile = Profile(base_url=check_url(address), model=model)
            except ValueError as error:
                raise UsageError(f"{one_line(str(error), 120)}.") from None
            if not await self._agreed(profile):
                return None
            self.status.hint = testing = f"Testing {host_of(profile.base_url)}…"
            try:
                changed, kept = await self.service.connect(profile, key, name)
            finally:
                self.status.unsay(testing)
            ending = "" if kept or not key else f" The key is kept until you quit: {NO_KEYRING}"
            return changed, f"It answers. Now using {changed.in_use}.{ending}"

        return await ask_until_valid(self.app, form, connect)

    async def _edit_profile(self, name: str, known: SettingsState) -> Changed:
        """Ask for all settings of a model; one that is new has no `name` yet."""
        taken = known.settings.profiles
        form: ModelForm[Profile] = ModelForm(
            f"Model {name}" if name else "Connect a model: all settings",
            taken.get(name, Profile()),
            name=None if name else free_name("mine", taken),
            check_name=lambda text: checked_name(text, taken),
            check=checked_address,
            suggest={"model": self._suggest_model, "sampling": suggested_sampling},
        )
        if (answer := await self.app.push_screen_wait(form)) is None:
            return None
        chosen = name or answer[0]
        known = await self.service.put_profile(chosen, answer[1], use=not taken)
        return known, f"Saved {chosen}."

    async def _suggest_model(self, texts: Mapping[str, str]) -> str:
        """One of the models of the server whose address stands in a form; nothing if none is chosen."""
        try:
            url = check_url(texts.get("base_url", ""))
        except ValueError as error:
            raise UsageError(f"Fill in the address first: {error}.") from None
        try:
            profile = Profile(base_url=url, api_key_env=texts.get("api_key_env", ""))
        except ValueError:
            raise UsageError("Enter the name of an environment variable for the key, or nothing.") from None
        if not await self._agreed(profile):
            return ""
        models = await self.service.models_of(profile)
        if not models:
            raise UsageError(f"{host_of(url)} does not answer, or lists no model.")
        return await self._pick_model(models, texts.get("model", ""))

    async def _pick_model(self, models: tuple[str, ...], at: str = "") -> str:
        entries = [ListEntry(str(n), Content(one_line(model, 80))) for n, model in enumerate(models)]
        place = str(models.index(at)) if at in models else "0"
        chosen = await self.app.push_screen_wait(ListDialog("Which model?", entries, at=place))
        return models[int(chosen)] if chosen else ""

    async def _make_profile(self, server: Server, known: SettingsState) -> Changed:
        """Make a profile of a server that was found, and use it."""
        if not server.models:
            raise UsageError(f"{server.name} lists no model. Load one there first, then press F5.")
        model = server.models[0] if len(server.models) == 1 else await self._pick_model(server.models)
        if not model:
            return None
        profile = profile_of(server, model)
        for name, other in known.settings.profiles.items():
            if (other.base_url, other.model) == (profile.base_url, profile.model):
                return await self.service.set({("profile",): name}), f"Saved. Now using {name}."
        name = free_name(model, known.settings.profiles)
        known = await self.service.put_profile(name, profile, use=True)
        return known, f"Saved. Now using {name}."

    async def _delete(self, kind: str, name: str, known: SettingsState) -> Changed:
        """Take a profile, an agent's own model or an agreement out of the settings."""
        match kind:
            case "profile":
                note = "The model and its server are not affected."
                question = ConfirmDialog(f"Delete {name} from the settings?", note, yes="delete")
                if not await self.app.push_screen_wait(question):
                    return None
                return await self.service.drop_profile(known, name), f"Deleted {name}."
            case "agent":
                known = await self.service.put_agent(name, Override())
                return known, f"Saved. {name} uses the model in use again."
            case _:
                known = await self.service.allow(known, name, allowed=False)
                return known, f"Consent withdrawn for {name}."

    async def _add_agent(self, known: SettingsState) -> Changed:
        entries = [
            ListEntry(agent, SplitLine(Content(agent), Content.styled(does, ".quiet")))
            for agent, does in pages.AGENTS.items()
        ]
        chosen = await self.app.push_screen_wait(ListDialog("Which agent?", entries))
        return await self._edit_agent(chosen, known) if chosen else None

    async def _edit_agent(self, agent: str, known: SettingsState) -> Changed:
        form: ModelForm[Override] = ModelForm(
            f"The {agent} agent",
            known.settings.agents.get(agent, Override()),
            words={"profile": ["", *known.settings.profiles]},
        )
        answer = await self.app.push_screen_wait(form)
        if answer is None:
            return None
        return await self.service.put_agent(agent, answer[1]), f"Saved the {agent} agent."

    async def _agreed(self, profile: Profile) -> bool:
        """True if the profile's server may be asked: it is near, or the user agrees now, which is remembered."""
        if is_local(profile.base_url):
            return True
        host = host_of(profile.base_url)
        known = await self.service.read()
        if known.allows(profile):
            return True
        if await self.app.push_screen_wait(consent_dialog([host], offline=False)) != AGREE:
            return False
        self.take(await self.service.allow(known, host))
        return True

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
            if not await self._agreed(profile):
                return
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
