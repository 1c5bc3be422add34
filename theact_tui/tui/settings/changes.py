import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, cast

from textual.app import App
from textual.content import Content
from textual.widgets import TextArea

from theact_tui.errors import UsageError
from theact_tui.models.addresses import check_url, host_of
from theact_tui.models.discovery import Server, name_hint
from theact_tui.models.profiles import OFFLINE, Override, Profile
from theact_tui.models.served_models import unasked
from theact_tui.models.settings import Settings
from theact_tui.models.start_llama import KEY_VARIABLE, key_for
from theact_tui.paths import Home
from theact_tui.text import one_line
from theact_tui.tui.open_stories import AppServices
from theact_tui.tui.settings.forms import NAME, ModelForm, ThemeDialog, suggested_sampling
from theact_tui.tui.settings.service import (
    AGENT_WORK,
    SettingsService,
    SettingsState,
    check_address,
    checked_name,
    free_profile_name,
)
from theact_tui.tui.visuals import SplitLine, quiet
from theact_tui.tui.widgets import dialogs
from theact_tui.tui.widgets.consent import AGREE, consent_dialog
from theact_tui.tui.widgets.status_line import StatusLine

Changed = tuple[SettingsState, str] | None
"""New settings and a sentence; None if nothing changed."""
NO_KEYRING = "no system keyring was found (extra 'keyring')."


class SettingsHost(Protocol):
    home: Home
    settings: Settings
    services: AppServices

    def use_keys(self, own: Mapping[str, str]) -> list[str]: ...


@dataclass(frozen=True, slots=True)
class SettingsContext:
    app: App[Any]
    service: SettingsService
    state: SettingsState
    status: StatusLine


Change = Callable[[SettingsContext], Awaitable[Changed]]


def apply_settings(app: App[Any], settings: Settings) -> None:
    host = cast(SettingsHost, app)
    host.settings = settings
    host.use_keys(settings.ui.keys)
    app.animation_level = "full" if settings.ui.animations else "none"
    for screen in app.screen_stack:
        for area in screen.query(TextArea):
            area.cursor_blink = settings.ui.cursor_blink


async def use_profile(context: SettingsContext, name: str, message: str = "Stories now use") -> Changed:
    teller = "the offline storyteller" if name == OFFLINE else name
    return await context.service.set({("profile",): name}), f"Saved. {message} {teller}."


async def toggle(context: SettingsContext, name: str) -> Changed:
    value = not getattr(context.state.settings.ui, name)
    return await context.service.set({("ui", name): value}), f"Saved. Now {'on' if value else 'off'}."


async def choose_theme(context: SettingsContext) -> Changed:
    before = context.app.theme
    if not (name := await context.app.push_screen_wait(ThemeDialog(context.app))):
        context.app.theme = before
        return None
    return await context.service.set({("ui", "theme"): name}), f"Saved. The theme is now {name}."


async def ask_pace(context: SettingsContext) -> Changed:
    async def keep(texts: tuple[str, ...]) -> SettingsState:
        try:
            value = float(texts[0].replace(",", "."))
        except ValueError:
            raise UsageError("Enter a number, such as 12.") from None
        if not 0 <= value <= 1000:
            raise UsageError("Enter a pace between 0 and 1,000 words per second.")
        return await context.service.set({("ui", "pace"): value})

    field = dialogs.FormField(
        "Words per second; 0 shows everything at once", f"{context.state.settings.ui.pace:g}"
    )
    changed = await dialogs.ask_until_valid(
        context.app, dialogs.FormDialog("Reading pace", field, yes="save"), keep
    )
    return (changed, "Saved.") if changed else None


async def connect_model(context: SettingsContext) -> Changed:
    form = dialogs.FormDialog(
        "Connect a model",
        dialogs.FormField("Address", placeholder="http://127.0.0.1:8080/v1"),
        dialogs.FormField("Model", placeholder="leave empty for the first one the server lists"),
        dialogs.FormField("API key", placeholder="leave empty if the server needs none", secret=True),
        dialogs.FormField("Name", placeholder="leave empty to use the model's name"),
        note="Nothing is saved until the model has answered.",
        yes="test and use",
    )

    async def connect(texts: tuple[str, ...]) -> Changed:
        address, model, key, name = texts
        name = checked_name(name, context.state.settings.profiles) if name else ""
        try:
            profile = Profile(base_url=check_url(address), model=model)
        except ValueError as error:
            raise UsageError(f"{one_line(str(error), 120)}.") from None
        if not await agreed(context, profile):
            return None
        context.status.hint = testing = f"Testing {host_of(profile.base_url)}…"
        try:
            changed, key_stored = await context.service.connect(profile, key, name)
        finally:
            context.status.unsay(testing)
        ending = "" if key_stored or not key else f" The key is kept until you quit: {NO_KEYRING}"
        return changed, f"It answers. Now using {changed.in_use}.{_name_hint(changed)}{ending}"

    return await dialogs.ask_until_valid(context.app, form, connect)


async def edit_profile(context: SettingsContext, name: str = "") -> Changed:
    """Ask for all settings of a model; a new one has no `name` yet."""
    taken = context.state.settings.profiles
    form = ModelForm(
        f"Model {name}" if name else "Connect a model: all settings",
        taken.get(name, Profile()),
        name=None if name else free_profile_name("mine", taken),
        checks={NAME: lambda text: checked_name(text, taken), "base_url": check_address},
        suggest={"model": partial(_suggest_model, context), "sampling": suggested_sampling},
    )
    if (answer := await context.app.push_screen_wait(form)) is None:
        return None
    chosen = name or checked_name(answer[0], taken)
    return await context.service.put("profiles", chosen, answer[1], use=not taken), f"Saved {chosen}."


async def _suggest_model(context: SettingsContext, texts: Mapping[str, str]) -> str:
    try:
        url = check_url(texts["base_url"])
    except ValueError as error:
        raise UsageError(f"Fill in the address first: {error}.") from None
    try:
        profile = Profile(base_url=url, api_key_env=texts["api_key_env"])
    except ValueError:
        raise UsageError("Enter the name of an environment variable for the key, or nothing.") from None
    if not await agreed(context, profile):
        return ""
    models = await context.service.models_of(profile)
    if not models:
        raise UsageError(f"{host_of(url)} does not answer, or lists no model.")
    return await _pick_model(context.app, models, texts["model"])


async def _pick_model(app: App[Any], models: tuple[str, ...], at: str = "") -> str:
    rows = {str(n): Content(one_line(model, 80)) for n, model in enumerate(models)}
    place = str(models.index(at)) if at in models else "0"
    chosen = await app.push_screen_wait(dialogs.ListDialog("Which model?", rows, at=place))
    return models[int(chosen)] if chosen else ""


async def make_profile(context: SettingsContext, server: Server, model: str = "") -> Changed:
    """Use a model of a server; without `model`, ask which if there are several."""
    if not server.models:
        raise UsageError(
            f"{server.name} lists no model that writes text. m shows its models and fetches one."
        )
    if not model:
        one = server.models[0] if len(server.models) == 1 else ""
        model = one or await _pick_model(context.app, server.models, unasked(server.served))
    if not model:
        return None
    tokens = next((one.window for one in server.served if one.name == model), 0) or server.window
    fields: dict[str, object] = {"context_limit": tokens} if tokens >= 1024 else {}
    if key_for(context.service.home, server.base_url):
        fields["api_key_env"] = KEY_VARIABLE
    profile = Profile.model_validate({"base_url": server.base_url, "model": model, **fields})
    taken = context.state.settings.profiles
    for name, other in taken.items():
        if (other.base_url, other.model) == (profile.base_url, profile.model):
            return await use_profile(context, name, "Now using")
    name = free_profile_name(model, taken)
    changed = await context.service.put("profiles", name, profile, use=True)
    return changed, f"Saved. Now using {name}.{_name_hint(changed)}"


def _name_hint(changed: SettingsState) -> str:
    """Warn of a model whose name says that it is small, or not made for stories."""
    hint = name_hint(changed.settings.profiles[changed.in_use].model)
    return f" {hint} y tests it in a story." if hint else ""


async def edit_persona(context: SettingsContext, name: str = "") -> Changed:
    title = f"Change {one_line(name, 40)}" if name else "Save a character"
    text = f"{name}: {context.state.personas[name]}" if name else ""
    field = dialogs.FormField("Name: description", text, placeholder="Mara: a tired diver")

    async def keep(texts: tuple[str, ...]) -> SettingsState:
        await asyncio.to_thread(context.service.personas.change, name, texts[0])
        return await context.service.read()

    changed = await dialogs.ask_until_valid(context.app, dialogs.FormDialog(title, field, yes="save"), keep)
    return (changed, "Saved. Type the name when you start a story.") if changed else None


async def delete_persona(context: SettingsContext, name: str) -> Changed:
    question = dialogs.ConfirmDialog(
        f"Delete {one_line(name, 40)}?", "Stories you already started are not affected.", yes="delete"
    )
    if not await context.app.push_screen_wait(question):
        return None
    await asyncio.to_thread(context.service.personas.drop, name)
    return await context.service.read(), f"Deleted {one_line(name, 40)}."


async def delete_profile(context: SettingsContext, name: str) -> Changed:
    """If the model was in use, the storyteller takes its place."""
    note = "The model and its server are not affected."
    question = dialogs.ConfirmDialog(f"Delete {name} from the settings?", note, yes="delete")
    if not await context.app.push_screen_wait(question):
        return None
    changes: dict[tuple[str, ...], str | None] = {("profiles", name): None}
    if context.state.in_use == name:
        changes["profile",] = OFFLINE
    for agent, override in context.state.settings.agents.items():
        if override.profile == name:
            changes["agents", agent, "profile"] = None
    return await context.service.set(changes), f"Deleted {name}."


async def reset_agent(context: SettingsContext, agent: str) -> Changed:
    return await context.service.put(
        "agents", agent, Override()
    ), f"Saved. {agent} now uses the default model."


async def withdraw_consent(context: SettingsContext, host: str) -> Changed:
    hosts = [one for one in context.state.settings.allowed_hosts if one != host]
    return await context.service.set({("allowed_hosts",): hosts}), f"Consent withdrawn for {host}."


async def add_agent(context: SettingsContext) -> Changed:
    rows = {agent: SplitLine(Content(agent), quiet(does)) for agent, does in AGENT_WORK.items()}
    chosen = await context.app.push_screen_wait(dialogs.ListDialog("Which agent?", rows))
    return await edit_agent(context, chosen) if chosen else None


async def edit_agent(context: SettingsContext, agent: str) -> Changed:
    form = ModelForm(
        f"The {agent} agent",
        context.state.settings.agents.get(agent, Override()),
        words={"profile": ["", *context.state.settings.profiles]},
    )
    if (answer := await context.app.push_screen_wait(form)) is None:
        return None
    return await context.service.put("agents", agent, answer[1]), f"Saved the {agent} agent."


async def agreed(context: SettingsContext, profile: Profile) -> bool:
    """True if the profile's server is near or the user agrees."""
    if (await context.service.read()).allows(profile):
        return True
    question = consent_dialog([host_of(profile.base_url)], offline=False)
    return await context.app.push_screen_wait(question) == AGREE
