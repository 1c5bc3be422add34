"""What changes the settings, by a question where one is needed. Each answers with the settings as they are then, and a
sentence that says so."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from textual.app import App
from textual.content import Content

from theact_tui.errors import UsageError
from theact_tui.models.discovery import Server
from theact_tui.models.profiles import Override, Profile, check_url, host_of, is_local
from theact_tui.text import one_line
from theact_tui.tui.settings.config import (
    SettingsService,
    SettingsState,
    checked_address,
    checked_name,
    free_name,
    profile_of,
)
from theact_tui.tui.settings.forms import ModelForm, ThemeDialog, suggested_sampling
from theact_tui.tui.settings.pages import AGENTS
from theact_tui.tui.visuals import SplitLine
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
from theact_tui.tui.widgets.status_line import StatusLine

Changed = tuple[SettingsState, str] | None
"""The settings after a change, and a sentence that says so; None if nothing was changed."""
CONNECT_NOTE = "Nothing is saved until the model has answered."
NO_KEYRING = "no system keyring was found (extra 'keyring')."


async def use_profile(app: App[Any], service: SettingsService, known: SettingsState, name: str) -> Changed:
    return await service.set({("profile",): name}), f"Saved. Stories now use {name}."


async def toggle(app: App[Any], service: SettingsService, known: SettingsState, name: str) -> Changed:
    value = not getattr(known.settings.ui, name)
    known = await service.set({("ui", name): value})
    return known, f"Saved. Now {'on' if value else 'off'}."


async def choose_theme(app: App[Any], service: SettingsService, known: SettingsState) -> Changed:
    name = await app.push_screen_wait(ThemeDialog(app.theme))
    if not name:
        return None
    return await service.set({("ui", "theme"): name}), f"Saved. The theme is now {name}."


async def ask_pace(app: App[Any], service: SettingsService, known: SettingsState) -> Changed:
    async def keep(texts: tuple[str, ...]) -> SettingsState:
        try:
            value = float(texts[0].replace(",", ".") or "0")
        except ValueError:
            raise UsageError("Enter a number, such as 12.") from None
        if not 0 <= value <= 1000:
            raise UsageError("Enter a pace between 0 and 1,000 words per second.")
        return await service.set({("ui", "pace"): value})

    field = FormField("Words per second; 0 shows everything at once", f"{known.settings.ui.pace:g}")
    changed = await ask_until_valid(app, FormDialog("Reading pace", field, yes="save"), keep)
    return (changed, "Saved.") if changed else None


async def connect_model(
    app: App[Any], service: SettingsService, known: SettingsState, status: StatusLine
) -> Changed:
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
        if not await agreed(app, service, profile):
            return None
        status.hint = testing = f"Testing {host_of(profile.base_url)}…"
        try:
            changed, kept = await service.connect(profile, key, name)
        finally:
            status.unsay(testing)
        ending = "" if kept or not key else f" The key is kept until you quit: {NO_KEYRING}"
        return changed, f"It answers. Now using {changed.in_use}.{ending}"

    return await ask_until_valid(app, form, connect)


async def edit_profile(app: App[Any], service: SettingsService, known: SettingsState, name: str) -> Changed:
    """Ask for all settings of a model; one that is new has no `name` yet."""
    taken = known.settings.profiles
    form: ModelForm[Profile] = ModelForm(
        f"Model {name}" if name else "Connect a model: all settings",
        taken.get(name, Profile()),
        name=None if name else free_name("mine", taken),
        check_name=lambda text: checked_name(text, taken),
        check=checked_address,
        suggest={"model": partial(_suggest_model, app, service), "sampling": suggested_sampling},
    )
    if (answer := await app.push_screen_wait(form)) is None:
        return None
    chosen = name or answer[0]
    known = await service.put_profile(chosen, answer[1], use=not taken)
    return known, f"Saved {chosen}."


async def _suggest_model(app: App[Any], service: SettingsService, texts: Mapping[str, str]) -> str:
    """One of the models of the server whose address stands in a form; nothing if none is chosen."""
    try:
        url = check_url(texts.get("base_url", ""))
    except ValueError as error:
        raise UsageError(f"Fill in the address first: {error}.") from None
    try:
        profile = Profile(base_url=url, api_key_env=texts.get("api_key_env", ""))
    except ValueError:
        raise UsageError("Enter the name of an environment variable for the key, or nothing.") from None
    if not await agreed(app, service, profile):
        return ""
    models = await service.models_of(profile)
    if not models:
        raise UsageError(f"{host_of(url)} does not answer, or lists no model.")
    return await _pick_model(app, models, texts.get("model", ""))


async def _pick_model(app: App[Any], models: tuple[str, ...], at: str = "") -> str:
    entries = [ListEntry(str(n), Content(one_line(model, 80))) for n, model in enumerate(models)]
    place = str(models.index(at)) if at in models else "0"
    chosen = await app.push_screen_wait(ListDialog("Which model?", entries, at=place))
    return models[int(chosen)] if chosen else ""


async def make_profile(
    app: App[Any], service: SettingsService, known: SettingsState, server: Server
) -> Changed:
    """Make a profile of a server that was found, and use it."""
    if not server.models:
        raise UsageError(f"{server.name} lists no model. Load one there first, then press F5.")
    model = server.models[0] if len(server.models) == 1 else await _pick_model(app, server.models)
    if not model:
        return None
    profile = profile_of(server, model)
    for name, other in known.settings.profiles.items():
        if (other.base_url, other.model) == (profile.base_url, profile.model):
            return await service.set({("profile",): name}), f"Saved. Now using {name}."
    name = free_name(model, known.settings.profiles)
    known = await service.put_profile(name, profile, use=True)
    return known, f"Saved. Now using {name}."


async def delete(
    app: App[Any], service: SettingsService, known: SettingsState, kind: str, name: str
) -> Changed:
    """Take a profile, an agent's own model or an agreement out of the settings."""
    match kind:
        case "profile":
            note = "The model and its server are not affected."
            question = ConfirmDialog(f"Delete {name} from the settings?", note, yes="delete")
            if not await app.push_screen_wait(question):
                return None
            return await service.drop_profile(known, name), f"Deleted {name}."
        case "agent":
            known = await service.put_agent(name, Override())
            return known, f"Saved. {name} uses the model in use again."
        case _:
            known = await service.allow(known, name, allowed=False)
            return known, f"Consent withdrawn for {name}."


async def add_agent(app: App[Any], service: SettingsService, known: SettingsState) -> Changed:
    entries = [
        ListEntry(agent, SplitLine(Content(agent), Content.styled(does, ".quiet")))
        for agent, does in AGENTS.items()
    ]
    chosen = await app.push_screen_wait(ListDialog("Which agent?", entries))
    return await edit_agent(app, service, known, chosen) if chosen else None


async def edit_agent(app: App[Any], service: SettingsService, known: SettingsState, agent: str) -> Changed:
    form: ModelForm[Override] = ModelForm(
        f"The {agent} agent",
        known.settings.agents.get(agent, Override()),
        words={"profile": ["", *known.settings.profiles]},
    )
    answer = await app.push_screen_wait(form)
    if answer is None:
        return None
    return await service.put_agent(agent, answer[1]), f"Saved the {agent} agent."


async def agreed(app: App[Any], service: SettingsService, profile: Profile) -> bool:
    """True if the profile's server may be asked: it is near, or the user agrees now, which is remembered."""
    if is_local(profile.base_url):
        return True
    host = host_of(profile.base_url)
    known = await service.read()
    if known.allows(profile):
        return True
    if await app.push_screen_wait(consent_dialog([host], offline=False)) != AGREE:
        return False
    await service.allow(known, host)
    return True
