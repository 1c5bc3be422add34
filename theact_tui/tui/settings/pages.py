"""The rows of the settings list: what is known in, visuals out. A row's id says what it is about (`profile:local`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from pydantic import BaseModel
from textual.content import Content
from textual.visual import Visual

from theact_tui.models.connection_test import ConnectionTest
from theact_tui.models.discovery import Server
from theact_tui.models.profiles import OFFLINE, Override, Profile
from theact_tui.models.settings import Ui
from theact_tui.text import clean, counted, one_line
from theact_tui.tui.settings.config import SettingsState
from theact_tui.tui.visuals import Indented, SplitLine, Stack, flat

AGENTS = {
    "narrator": "tells the story",
    "character": "plays the characters",
    "memory": "updates a character's memories",
    "progress": "checks which beats were reached",
    "keeper": "rules on risky actions, finds moments",
    "summary": "summarises older turns",
    "ideas": "offers things you could do",
    "draft": "suggests a line for you",
    "casting": "describes characters who join the story",
    "recap": "writes the recap of a finished chapter",
    "epilogue": "writes the epilogue",
    "actor": "plays a character in direct mode",
    "lock": "takes notes of world and scene in direct mode",
    "delta": "takes notes of prompts in direct mode",
    "chapter": "writes the chapter in direct mode",
    "author": "writes new packs with you",
}
"""What each agent does; one may have a model of its own."""

USED = "●"
"""Marks who tells the story."""
NAMES = {
    "theme": "theme",
    "pace": "reading pace",
    "animations": "animations",
    "cursor_blink": "blinking cursor",
    "reasoning": "model reasoning",
    "show_beats": "beats to come",
    "keys": "keys",
}


@dataclass(frozen=True, slots=True)
class SettingRow:
    """A row of the list; without an id it cannot be chosen."""

    visual: Visual
    id: str = ""
    is_heading: bool = False


def rows(known: SettingsState, servers: Sequence[Server] | None, theme: str) -> Iterator[SettingRow]:
    """All rows. `servers` is None while they are looked for."""
    if known.guest:
        yield _heading("MODEL")
        yield _note("Chosen by whoever runs this server.")
    else:
        yield from _models(known, servers)
    yield _heading("LOOK AND KEYS")
    for name, title in NAMES.items():
        yield _row(f"ui.{name}", title, ui_value(known.settings.ui, name, theme))


def _models(known: SettingsState, servers: Sequence[Server] | None) -> Iterator[SettingRow]:
    yield _heading("MODEL")
    used = known.in_use
    yield _row("offline", "offline storyteller", "", mark=USED if used == OFFLINE else " ")
    for name, profile in known.settings.profiles.items():
        yield _row(f"profile:{name}", name, model_at(profile, name), mark=USED if used == name else " ")
    yield _row("add", "connect a model", "", mark="+")
    yield from _servers(servers)
    yield from _agents(known)
    yield _heading("SERVERS ELSEWHERE")
    for host in known.settings.allowed_hosts:
        yield _row(f"host:{host}", host, "consent given")
    if not known.settings.allowed_hosts:
        yield _note("Nothing is sent outside your network.")


def _servers(servers: Sequence[Server] | None) -> Iterator[SettingRow]:
    yield _heading("ON THIS COMPUTER")
    if servers is None:
        yield _note("Looking for model servers…")
        return
    for server in servers:
        count = len(server.models)
        shown = one_line(server.models[0], 30) if count == 1 else counted(count, "model")
        yield _row(f"server:{server.base_url}", f"{server.name} · {urlsplit(server.base_url).port}", shown)
    if not servers:
        yield _note("No model server found. F5 searches again.")


def _agents(known: SettingsState) -> Iterator[SettingRow]:
    yield _heading("AGENTS")
    for agent, override in known.settings.agents.items():
        yield _row(f"agent:{agent}", agent, override_value(override))
    yield _row("agents", "configure an agent", "", mark="+")


def ui_value(ui: Ui, name: str, theme: str) -> str:
    """A setting of the screen in a word or two."""
    match name:
        case "theme":
            return theme
        case "pace":
            return f"{ui.pace:g} words/s" if ui.pace else "all at once"
        case "reasoning" | "show_beats":
            return "shown" if getattr(ui, name) else "hidden"
        case "keys":
            own = len(ui.keys)
            return f"{own} changed" if own else "defaults"
        case _:
            return "on" if getattr(ui, name) else "off"


def model_at(profile: Profile, name: str) -> str:
    """A profile in one line that stands beside its `name`."""
    place = urlsplit(profile.base_url).netloc
    return place if profile.model in ("", name) else f"{profile.model} · {place}"


def override_value(override: Override) -> str:
    """What an agent does differently, in one line."""
    bits = [override.profile, override.model]
    bits += [f"at {override.temperature:g}"] if override.temperature is not None else []
    return " · ".join(bit for bit in bits if bit) or "its own settings"


def _heading(text: str) -> SettingRow:
    return SettingRow(Content.styled(text, ".heading"), is_heading=True)


def _note(text: str) -> SettingRow:
    return SettingRow(Indented(Content("  "), Content.styled(text, ".quiet")))


def _row(id: str, name: str, value: str, *, mark: str = " ") -> SettingRow:
    left = Content.assemble((f"{mark} ", ".accent"), (one_line(name, 40), ".strong" if mark == USED else ""))
    return SettingRow(SplitLine(left, Content.styled(one_line(value, 60), ".quiet")), id)


OFFLINE_TEXT = """\
Tells the scenes that the pack's author wrote, and chooses the next one by what you do. It needs no model, no key and \
no network.

To play with a model, start a server on this computer (llama.cpp, Ollama, LM Studio) and choose it here, or connect one \
by its address."""
ADD = """\
enter asks for the address of a server, and for model, API key and name where they are needed; it is tested before \
it is used. e shows all settings, without a test:"""
SERVER = "Press enter to connect it and use it."
HOST = """\
You agreed that stories may be sent to this server, which is not on this computer or network. x withdraws this; \
then you are asked again before anything is sent."""
AGENTS_TEXT = """\
All agents use the model in use. A small one may be enough for some of them, or a better one may be wanted for the \
narrator: any agent can have another model or temperature.

An agent for one character or slot is written with a colon, such as character:maya or actor:2."""
SENT = "With every turn: what you write, the story, its world, its people with their secrets, and what they remember."
REASONING = "Only for models that show their reasoning; most of it is not part of the story."


@dataclass(frozen=True, slots=True)
class Tried:
    """How the connection test of a profile went; no trial while it runs."""

    trial: ConnectionTest | None = None
    problem: str = ""
    """Why it could not be made."""


def page_of(
    known: SettingsState, kind: str, name: str, server: Server | None, tried: Tried | None, theme: str
) -> Visual:
    """The page about what is under the cursor, of a `kind` such as `profile`, `server` or `ui.theme`."""
    match kind:
        case "profile":
            return profile_page(known, name, tried)
        case "offline":
            title = SplitLine(_title("Offline storyteller"), _used(known.in_use == OFFLINE))
            return Stack(title, *_prose(OFFLINE_TEXT), *_decided(known))
        case "add":
            return Stack(_title("Connect a model"), *_prose(ADD), *_fields(Profile))
        case "server" if server:
            return server_page(server)
        case "agent":
            return agent_page(known, name)
        case "agents":
            listed = [_field(agent, does) for agent, does in AGENTS.items()]
            return Stack(_title("Agents"), *_prose(AGENTS_TEXT), Content(""), *listed)
        case "host":
            return Stack(_title(name), *_prose(HOST), *_prose(SENT))
        case ui if ui.startswith("ui."):
            return ui_page(known.settings.ui, ui.removeprefix("ui."), theme)
        case _:
            return Content("")


def profile_page(known: SettingsState, name: str, tried: Tried | None) -> Visual:
    """A profile: its fields that differ from the usual, its window, and how its test went."""
    profile = known.settings.profiles[name]
    rows: list[Visual] = [
        SplitLine(_title(name), _used(known.in_use == name)),
        Content.styled(one_line(profile.base_url, 120) or "no address yet", ".quiet"),
    ]
    rows.append(Content(""))
    rows.append(_field("model", one_line(profile.model, 80) or "the first one the server lists"))
    window = known.windows.get(name)
    seen = f", {window.seen:,} seen" if window and window.seen else ""
    rows.append(_field("window", f"{profile.context_limit:,} wanted{seen}"))
    rows.append(_field("API key", _key(known, profile)))
    usual = Profile()
    for field in ("max_parallel", "per_minute", "timeout", "temperature", "reasoning_tokens", "structured"):
        value = getattr(profile, field)
        if value != getattr(usual, field):
            shown = f"{value:g}" if isinstance(value, float) else str(value)
            rows.append(_field(title_of(Profile, field).lower(), shown))
    if window and window.warning and not (tried and tried.trial):
        rows += [Content(""), _marked("!", ".warn", window.warning)]
    if not known.allows(profile):
        rows += [
            Content(""),
            _marked(
                "!", ".warn", "This server is outside your network. You are asked before anything is sent."
            ),
        ]
    return Stack(*rows, *_trial(tried), *_decided(known))


def _key(known: SettingsState, profile: Profile) -> str:
    name = one_line(profile.api_key_env, 60)
    if not name:
        return "none"
    return (
        f"from {name}, which is set"
        if profile.api_key_env in known.keyed
        else f"from {name}, which is not set"
    )


def _trial(tried: Tried | None) -> Iterable[Visual]:
    if tried is None:
        return
    yield Content("")
    if tried.problem:
        yield _marked("!", ".bad", tried.problem)
    elif tried.trial is None:
        yield Content.styled("Calling the model… esc stops it.", ".quiet")
    elif not tried.trial.ok:
        yield _marked("✗", ".bad", tried.trial.sentence)
    else:
        yield _marked("✓", ".good", f"{tried.trial.sentence}.")
        yield Content.styled(f"  Window {tried.trial.window:,} tokens.", ".quiet")
        if tried.trial.warning:
            yield _marked("!", ".warn", tried.trial.warning)


def _decided(known: SettingsState) -> Iterable[Visual]:
    if known.decided:
        said = f"{known.decided} selects the model now. Your choice here applies without it."
        yield Content("")
        yield _marked("!", ".warn", said)


def server_page(server: Server) -> Visual:
    """A server that was found, with its models."""
    window = f" · window {server.window:,} tokens" if server.window else ""
    rows: list[Visual] = [
        _title(server.name),
        Content.styled(f"{server.base_url}{window}", ".quiet"),
        Content(""),
    ]
    rows += [
        Indented(Content.styled("· ", ".faint"), Content(one_line(model, 80))) for model in server.models
    ]
    if not server.models:
        rows.append(Content.styled("It lists no model. Load one there first.", ".quiet"))
    return Stack(*rows, *_prose(SERVER))


def agent_page(known: SettingsState, agent: str) -> Visual:
    """What one agent does differently."""
    does = AGENTS.get(agent.partition(":")[0], "")
    rows: list[Visual] = [_title(agent), *([Content.styled(does, ".quiet")] if does else []), Content("")]
    kept = known.settings.agents[agent].model_dump(exclude_defaults=True)
    rows += [
        _field(title_of(Override, name).lower(), one_line(str(value), 80)) for name, value in kept.items()
    ]
    return Stack(*rows)


def ui_page(ui: Ui, name: str, theme: str) -> Visual:
    """A setting of the screen, with its sentence."""
    text = sentence(Ui, name)
    rows: list[Visual] = [
        _title(NAMES[name]),
        Content.styled(ui_value(ui, name, theme), ".quiet"),
        *_prose(text),
    ]
    if name == "reasoning":
        rows += _prose(REASONING)
    if name == "keys":
        rows += [Content(""), *(_field(one_line(key, 30), one_line(id, 40)) for id, key in ui.keys.items())]
    return Stack(*rows)


def broken_page(place: str, reason: str) -> Visual:
    """When the settings cannot be read."""
    advice = f"Fix {place} in an editor, then press F5. Nothing is changed until then."
    return Stack(
        _title("The settings cannot be read"), Content(""), _marked("!", ".bad", reason), *_prose(advice)
    )


def sentence(model: type[BaseModel], field: str) -> str:
    """What a setting means, from the docstring under it."""
    return (model.model_fields[field].description or "").replace("`", "")


def title_of(model: type[BaseModel], field: str) -> str:
    """What a setting is called on screen."""
    return model.model_fields[field].title or field.replace("_", " ").capitalize()


def _fields(model: type[BaseModel]) -> Iterable[Visual]:
    for field in model.model_fields:
        yield Content("")
        yield Content.styled(title_of(model, field), ".strong")
        yield Content.styled(sentence(model, field), ".quiet")


def _used(used: bool) -> Content:
    return Content.styled("in use" if used else "", ".quiet")


def _title(text: str) -> Content:
    return Content.styled(one_line(text, 80), ".accent")


def _prose(text: str) -> Iterable[Visual]:
    for part in text.split("\n\n"):
        yield Content("")
        yield Content(part)


def _field(name: str, value: str) -> Visual:
    return Indented(Content.styled(f"{name:<9}  ", ".quiet"), Content(clean(value)))


def _marked(mark: str, ink: str, text: str) -> Visual:
    return Indented(Content.styled(f"{mark} ", ink), Content(flat(text)))
