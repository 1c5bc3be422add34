"""The rows of the settings list: what is known in, visuals out. A row's id says what it is about (`profile:local`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from textual.content import Content
from textual.visual import Visual

from theact_tui.models.detect import Server
from theact_tui.models.profiles import OFFLINE, Override, Profile
from theact_tui.models.settings import Ui
from theact_tui.text import one_line
from theact_tui.tui.screens.settings_desk import Known
from theact_tui.tui.visuals import Indented, Spread

AGENTS = {
    "narrator": "tells the story",
    "character": "answers for the people in it",
    "memory": "writes down what somebody remembers",
    "progress": "sees which beats were reached",
    "keeper": "rules on risky deeds, sees moments",
    "summary": "folds old turns into the story so far",
    "recap": "sums up a finished chapter",
    "epilogue": "tells what came after the end",
    "actor": "plays a character in direct mode",
    "lock": "notes world and scene in direct mode",
    "delta": "notes what changed in direct mode",
    "chapter": "writes the chapter in direct mode",
}
"""What each agent does; one may have a model of its own."""

USED = "●"
"""Marks who tells the story."""
NAMES = {
    "theme": "theme",
    "pace": "reading pace",
    "animations": "animations",
    "cursor_blink": "blinking cursor",
    "reasoning": "a model's thoughts",
    "keys": "keys",
}


@dataclass(frozen=True, slots=True)
class SettingRow:
    """A row of the list; without an id it cannot be chosen."""

    visual: Visual
    id: str = ""
    is_heading: bool = False


def rows(known: Known, servers: Sequence[Server] | None, theme: str) -> Iterator[SettingRow]:
    """All rows. `servers` is None while they are looked for."""
    yield _heading("WHO TELLS THE STORY")
    used = known.in_use
    yield _row("offline", "offline storyteller", "", mark=USED if used == OFFLINE else " ")
    for name, profile in known.settings.profiles.items():
        yield _row(f"profile:{name}", name, model_at(profile), mark=USED if used == name else " ")
    yield _row("add", "add a profile", "", mark="+")
    yield from _servers(servers)
    yield from _agents(known)
    yield _heading("SENT ELSEWHERE")
    for host in known.settings.allowed_hosts:
        yield _row(f"host:{host}", host, "agreed")
    if not known.settings.allowed_hosts:
        yield _note("Nothing is sent beyond your own network.")
    yield _heading("LOOK AND KEYS")
    for name, title in NAMES.items():
        yield _row(f"ui.{name}", title, ui_value(known.settings.ui, name, theme))


def _servers(servers: Sequence[Server] | None) -> Iterator[SettingRow]:
    yield _heading("ON THIS COMPUTER")
    if servers is None:
        yield _note("Looking for model servers…")
        return
    for server in servers:
        count = len(server.models)
        shown = one_line(server.models[0], 30) if count == 1 else f"{count} models"
        yield _row(f"server:{server.base_url}", f"{server.name} · {urlsplit(server.base_url).port}", shown)
    if not servers:
        yield _note("No model server answers. F5 looks again.")


def _agents(known: Known) -> Iterator[SettingRow]:
    yield _heading("SINGLE AGENTS")
    for agent, override in known.settings.agents.items():
        yield _row(f"agent:{agent}", agent, override_value(override))
    yield _row("agents", "give one a model of its own", "", mark="+")


def ui_value(ui: Ui, name: str, theme: str) -> str:
    """A setting of the screen in a word or two."""
    match name:
        case "theme":
            return theme
        case "pace":
            return f"{ui.pace:g} words a second" if ui.pace else "all at once"
        case "reasoning":
            return "shown" if ui.reasoning else "hidden"
        case "keys":
            own = len(ui.keys)
            return f"{own} of your own" if own else "the usual ones"
        case _:
            return "on" if getattr(ui, name) else "off"


def model_at(profile: Profile) -> str:
    """A profile in one line."""
    place = urlsplit(profile.base_url).netloc
    return f"{profile.model} · {place}" if profile.model else place


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
    return SettingRow(Spread(left, Content.styled(one_line(value, 60), ".quiet")), id)
