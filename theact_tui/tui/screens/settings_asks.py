"""What the settings ask before they change: forms for profiles and agents, a pace, a theme, which model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from textual.content import Content

from theact_tui.errors import UsageError
from theact_tui.models.detect import Server
from theact_tui.models.profiles import Override, Profile, check_url, host_of, is_local
from theact_tui.text import one_line
from theact_tui.tui.screens.consent import AGREE, consent
from theact_tui.tui.screens.picking import Entry, PickRow
from theact_tui.tui.screens.settings_desk import Known, checked_name, free_name, profile_of
from theact_tui.tui.screens.settings_form import Form
from theact_tui.tui.screens.settings_rows import AGENTS
from theact_tui.tui.screens.settings_theme import ThemeSheet
from theact_tui.tui.screens.sheets import Ask, Confirm, Field, insist
from theact_tui.tui.visuals import Spread

if TYPE_CHECKING:
    from theact_tui.tui.screens.settings import SettingsScreen


async def add_profile(screen: SettingsScreen, known: Known) -> tuple[Known, str]:
    """Ask for a new profile and keep it; what is said of it, or nothing."""
    taken = known.settings.profiles
    form: Form[Profile] = Form(
        "Add a profile", Profile(), name=free_name("mine", taken),
        check_name=lambda text: checked_name(text, taken), check=_placed, suggest={"model": _listing(screen, known)},
    )  # fmt: skip
    answer = await screen.app.push_screen_wait(form)
    if answer is None:
        return known, ""
    name, profile = answer
    known = await screen.desk.put_profile(name, profile, use=not taken)
    return known, f"Saved. {name} is in use now." if not taken else f"Saved. enter takes {name} into use."


async def edit_profile(screen: SettingsScreen, known: Known, name: str) -> tuple[Known, str]:
    """Ask for the fields of a profile."""
    form: Form[Profile] = Form(
        f"Profile {name}", known.settings.profiles[name], check=_placed,
        suggest={"model": _listing(screen, known)},
    )  # fmt: skip
    answer = await screen.app.push_screen_wait(form)
    if answer is None:
        return known, ""
    return await screen.desk.put_profile(name, answer[1]), f"Saved. {name} was changed."


def _placed(profile: Profile) -> None:
    if not profile.base_url:
        raise UsageError("A profile needs an address, such as http://127.0.0.1:8080/v1.")


class _Listing:
    """Asks a server for its models and the user for one of them."""

    def __init__(self, screen: SettingsScreen, known: Known) -> None:
        self._screen = screen
        self._known = known

    async def __call__(self, texts: Mapping[str, str]) -> str:
        try:
            url = check_url(texts.get("base_url", ""))
        except ValueError as error:
            raise UsageError(f"Fill in the address first: {error}.") from None
        try:
            profile = Profile(base_url=url, api_key_env=texts.get("api_key_env", ""))
        except ValueError:
            raise UsageError("Fill in the name of a variable as the key's, or nothing.") from None
        if not self._known.allows(profile) and not await agreed(self._screen, profile):
            return ""
        models = await self._screen.desk.models_of(profile)
        if not models:
            raise UsageError(f"{host_of(url)} does not answer, or lists no model.")
        return await pick_model(self._screen, models, texts.get("model", ""))


def _listing(screen: SettingsScreen, known: Known) -> _Listing:
    return _Listing(screen, known)


async def pick_model(screen: SettingsScreen, models: tuple[str, ...], at: str = "") -> str:
    """Which of a server's models."""
    entries = [Entry(str(n), Content(one_line(model, 80))) for n, model in enumerate(models)]
    place = str(models.index(at)) if at in models else "0"
    chosen = await screen.app.push_screen_wait(PickRow("Which model?", entries, at=place))
    return models[int(chosen)] if chosen else ""


async def make_profile(screen: SettingsScreen, known: Known, server: Server) -> tuple[Known, str]:
    """Make a profile of a server that was found, and use it."""
    if not server.models:
        raise UsageError(f"{server.name} lists no model. Load one there first, then press F5.")
    model = server.models[0] if len(server.models) == 1 else await pick_model(screen, server.models)
    if not model:
        return known, ""
    profile = profile_of(server, model)
    for name, other in known.settings.profiles.items():
        if (other.base_url, other.model) == (profile.base_url, profile.model):
            return await screen.desk.set({("profile",): name}), f"Saved. {name} is in use now."
    name = free_name(f"{server.name} {model}", known.settings.profiles)
    known = await screen.desk.put_profile(name, profile, use=True)
    return known, f"Saved. {name} is a profile now, and in use."


async def delete(screen: SettingsScreen, known: Known, kind: str, name: str) -> tuple[Known, str]:
    """Take a profile, an agent's own model or an agreement out of the settings, after asking."""
    match kind:
        case "profile":
            note = (
                "The model and its server stay as they are. Stories can be told by another one at any time."
            )
            if not await screen.app.push_screen_wait(
                Confirm(f"Delete the profile {name}?", note, yes="delete")
            ):
                return known, ""
            return await screen.desk.drop_profile(known, name), f"Saved. {name} is gone."
        case "agent":
            return await screen.desk.put_agent(
                name, Override()
            ), f"Saved. {name} uses the profile in use again."
        case _:
            known = await screen.desk.allow(known, name, allowed=False)
            return known, f"Saved. You are asked before anything is sent to {name}."


async def edit_agent(screen: SettingsScreen, known: Known, agent: str) -> tuple[Known, str]:
    """Ask what an agent does differently."""
    form: Form[Override] = Form(
        f"The {agent} agent", known.settings.agents.get(agent, Override()),
        words={"profile": ["", *known.settings.profiles]},
    )  # fmt: skip
    answer = await screen.app.push_screen_wait(form)
    if answer is None:
        return known, ""
    return await screen.desk.put_agent(agent, answer[1]), f"Saved. The {agent} agent was changed."


async def add_agent(screen: SettingsScreen, known: Known) -> tuple[Known, str]:
    """Ask which agent, then what it does differently."""
    entries = [
        Entry(agent, Spread(Content(agent), Content.styled(does, ".quiet"))) for agent, does in AGENTS.items()
    ]
    chosen = await screen.app.push_screen_wait(PickRow("Which agent?", entries))
    return await edit_agent(screen, known, chosen) if chosen else (known, "")


async def use(screen: SettingsScreen, name: str, known: Known) -> tuple[Known, str]:
    """Take a profile into use."""
    return await screen.desk.set({("profile",): name}), f"Saved. {name} tells the stories from now on."


async def toggle(screen: SettingsScreen, name: str, known: Known) -> tuple[Known, str]:
    """Switch something on or off."""
    value = not getattr(known.settings.ui, name)
    known = await screen.desk.set({("ui", name): value})
    return known, f"Saved. It is {'on' if value else 'off'} now."


async def theme(screen: SettingsScreen, known: Known) -> tuple[Known, str]:
    """Ask for a theme."""
    name = await screen.app.push_screen_wait(ThemeSheet(screen.app.theme))
    if not name:
        return known, ""
    return await screen.desk.set({("ui", "theme"): name}), f"Saved. It looks like {name} from now on."


async def pace(screen: SettingsScreen, known: Known) -> tuple[Known, str]:
    """Ask for words per second."""

    async def keep(texts: tuple[str, ...]) -> Known:
        try:
            value = float(texts[0].replace(",", ".") or "0")
        except ValueError:
            raise UsageError("That needs a number, such as 12.") from None
        if not 0 <= value <= 1000:
            raise UsageError("A pace is between 0 and 1,000 words per second.")
        return await screen.desk.set({("ui", "pace"): value})

    now = f"{known.settings.ui.pace:g}"
    ask = Ask("Reading pace", Field("Words per second; 0 says everything at once", now), yes="keep it")
    changed = await insist(screen.app, ask, keep)
    return (changed, "Saved.") if changed else (known, "")


async def agreed(screen: SettingsScreen, profile: Profile) -> bool:
    """True if the profile's server may be asked: it is near, or the user agrees now, which is remembered."""
    if is_local(profile.base_url):
        return True
    host = host_of(profile.base_url)
    known = await screen.desk.read()
    if known.allows(profile):
        return True
    if await screen.app.push_screen_wait(consent([host], offline=False)) != AGREE:
        return False
    screen.take(await screen.desk.allow(known, host))
    return True
