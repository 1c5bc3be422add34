"""Rows of the settings list. A row's id names its subject (`profile:local`)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from urllib.parse import urlsplit

from textual.content import Content
from textual.visual import Visual

from theact_tui.engine.try_model import Audition
from theact_tui.models.addresses import is_local
from theact_tui.models.discovery import Server
from theact_tui.models.endpoint import ConnectionTest
from theact_tui.models.profiles import OFFLINE, Override, Profile, model_title
from theact_tui.models.settings import Ui
from theact_tui.text import clean, counted, one_line
from theact_tui.tui.keymap import checked_keys
from theact_tui.tui.settings import changes
from theact_tui.tui.settings.changes import Change
from theact_tui.tui.settings.forms import sentence, title_of
from theact_tui.tui.settings.rows_screen import PagedRow
from theact_tui.tui.settings.service import AGENT_WORK, SettingsState, Window
from theact_tui.tui.visuals import Indented, SplitLine, Stack, accent, line, page, quiet, strong

USED = "●"
_ASKED: Mapping[str, Change] = {"theme": changes.choose_theme, "pace": changes.ask_pace}
"""Settings with a dialog; the others are on or off, except keys."""
OFFLINE_TEXT = """\
Tells the scenes that the pack's author wrote, and chooses the next one by what you do. It needs no model, no key and \
no network.

To play with a model, start a server on this computer (llama.cpp, Ollama, LM Studio) and choose it here, or connect one \
by its address. From nothing, with Ollama (8B, 5 to 6 GB):

ollama pull ministral-3:8b"""
ADD = """\
enter asks for the address of a server, and for model, API key and name where they are needed; it is tested before \
it is used. e shows all settings, without a test:"""
HOST = """\
You agreed that stories may be sent to this server, which is not on this computer or network. x withdraws this; \
then you are asked again before anything is sent.

With every turn: what you write, the story, its world, its \
people with their secrets, and what they remember."""
AGENTS_TEXT = """\
Every agent uses the current model. You can give any agent its own model or temperature: a small one for \
bookkeeping, a better one for the narrator.

An agent for one character or slot is written with a colon, such as character:maya or actor:2."""
_PERSONAS = (
    "Characters you play. When you start a story, a saved name is enough: the narrator knows the rest. They are kept in "
    "personas.yaml of the home folder."
)
_KEYS = "Keys are changed in config.toml, below [ui.keys]; docs/keys.md names all actions. F5 reads the file again."
REASONING = "Only for models that show their reasoning; most of it is not part of the story."


@dataclass(frozen=True, slots=True)
class Tried:
    """Result of a profile's connection test or audition; empty while it runs."""

    trial: ConnectionTest | None = None
    audition: Audition | None = None
    calls: tuple[int, int] = (0, 0)
    """Finished and total calls of a running audition."""
    problem: str = ""


SettingRow = PagedRow[Change]


def rows(
    state: SettingsState, servers: Sequence[Server] | None, tried: Mapping[str, Tried], theme: str
) -> Iterator[SettingRow]:
    """`servers` is None while searching."""
    yield SettingRow(accent("MODEL"))
    if not state.may_change_models:
        yield _note("Chosen by whoever runs this server.")
    else:
        yield from _models(state, tried)
        yield from _servers(servers, state)
        yield from _agents(state)
        yield from _hosts(state)
    yield from _personas(state.personas)
    yield from _ui_rows(state.settings.ui, theme)


def _models(state: SettingsState, tried: Mapping[str, Tried]) -> Iterator[SettingRow]:
    decided = None
    if state.decided:
        notice = f"{state.decided} selects the model now. Your choice here applies without it."
        decided = line("!", ".warn", notice)
    about = page(_head(state, OFFLINE, "Offline storyteller"), decided, *prose(OFFLINE_TEXT))
    yield _teller(state, OFFLINE, "offline", "offline storyteller", about)
    for name, profile in state.settings.profiles.items():
        place = urlsplit(profile.base_url).netloc
        model = model_title(profile.model)
        value = place if model in ("", name) else f"{model} · {place}"
        head, *blocks = _profile_blocks(state, name, tried.get(name))
        about = page(head, decided, *blocks)
        edit = partial(changes.edit_profile, name=name)
        delete = partial(changes.delete_profile, name=name)
        yield _teller(state, name, f"profile:{name}", name, about, value, edit=edit, delete=delete)
    texts = ((title_of(Profile, field), sentence(Profile, field)) for field in Profile.model_fields)
    fields = (Stack(strong(name), quiet(does)) for name, does in texts)
    about = page(page_title("Connect a model"), *prose(ADD), *fields)
    acts = {"add_here": changes.connect_model, "edit": changes.edit_profile}
    yield _row("add", "connect a model", "", about, acts, "+")


_SHOWN_IF_SET = (
    "max_parallel", "per_minute", "timeout", "temperature", "reasoning_tokens", "thinking", "structured", "warm_up"
)  # fmt: skip


def _profile_blocks(state: SettingsState, name: str, tried: Tried | None) -> Iterator[Visual | None]:
    profile, window = state.settings.profiles[name], state.windows.get(name, Window())
    place = one_line(profile.base_url, 120) or "no address yet"
    yield Stack(_head(state, name, name), quiet(place))
    seen = f" (server: {window.seen:,})" if window.seen else ""
    key = "none"
    if variable := one_line(profile.api_key_env, 60):
        is_set = "set" if profile.api_key_env in state.keyed else "not set"
        key = f"from {variable}, which is {is_set}"
    model = one_line(profile.model, 80) or "the first one the server lists"
    fields = {"model": model, "context": f"{profile.context_limit:,} tokens{seen}", "API key": key}
    usual = Profile()
    for name in _SHOWN_IF_SET:
        value = getattr(profile, name)
        if value != getattr(usual, name):
            shown = f"{value:g}" if isinstance(value, float) else str(value)
            fields[title_of(Profile, name).lower()] = shown
    yield field_lines(fields)
    if window.warning and not (tried and tried.trial):
        yield line("!", ".warn", window.warning)
    if not state.allows(profile):
        notice = "This server is outside your network. You are asked before anything is sent."
        yield line("!", ".warn", notice)
    yield _trial(tried) if tried else None


def _trial(tried: Tried) -> Visual:
    if tried.problem:
        return line("!", ".bad", tried.problem)
    if report := tried.audition:
        mark, ink = {"plays well": ("✓", ".good"), "plays, expect slips": ("!", ".warn")}.get(
            report.verdict, ("✗", ".bad")
        )
        return line(mark, ink, report.sentence)
    trial, (done, whole) = tried.trial, tried.calls
    if trial is None:
        count = f" Call {done + 1} of {whole}." if done < whole else ""
        return quiet(f"Calling the model…{count} esc stops it.")
    if not trial.ok:
        return line("✗", ".bad", trial.sentence)
    window = quiet(f"  Window {trial.window:,} tokens.")
    warning = [line("!", ".warn", trial.warning)] if trial.warning else []
    more = quiet("  y tests whether it can handle a story (up to 5 minutes).")
    return Stack(line("✓", ".good", f"{trial.sentence}."), window, *warning, more)


def _servers(servers: Sequence[Server] | None, state: SettingsState) -> Iterator[SettingRow]:
    yield from _heading("ON THIS COMPUTER")
    if servers is None:
        yield _note("Looking for model servers…")
        return
    for server in servers:
        count = len(server.models)
        shown = one_line(server.models[0], 30) if count == 1 else counted(count, "model")
        window = f" · window {server.window:,} tokens" if server.window else ""
        models: list[Visual] = [line("·", ".faint", one_line(model, 80)) for model in server.models]
        none = quiet("It lists no model. Load one there first.")
        about = page(
            Stack(page_title(server.name), quiet(f"{server.base_url}{window}")),
            Stack(*models or [none]),
            Content("Press enter to connect it and use it."),
        )
        name = f"{server.name} · {urlsplit(server.base_url).port}"
        acts = {"make": partial(changes.make_profile, server=server)}
        yield _row(f"server:{server.base_url}", name, shown, about, acts)
    if not servers:
        used = state.settings.profiles.get(state.in_use)
        elsewhere = state.decided not in ("", "--offline")
        other = "other " if elsewhere or (used and is_local(used.base_url)) else ""
        yield _note(f"No {other}model server found. F5 searches again.")


def _agents(state: SettingsState) -> Iterator[SettingRow]:
    yield from _heading("AGENTS")
    for agent, override in state.settings.agents.items():
        bits = [override.profile, override.model]
        bits += [f"at {override.temperature:g}"] if override.temperature is not None else []
        value = " · ".join(bit for bit in bits if bit) or "its own settings"
        does = AGENT_WORK.get(agent.partition(":")[0], "")
        fields = override.model_dump(exclude_defaults=True)
        about = page(
            Stack(page_title(agent), *([quiet(does)] if does else [])),
            field_lines(
                {title_of(Override, name).lower(): one_line(str(fields[name]), 80) for name in fields}
            ),
        )
        acts = {
            "change": partial(changes.edit_agent, agent=agent),
            "delete": partial(changes.reset_agent, agent=agent),
        }
        yield _row(f"agent:{agent}", agent, value, about, acts)
    about = page(page_title("Agents"), *prose(AGENTS_TEXT), field_lines(AGENT_WORK))
    yield _row("agents", "configure an agent", "", about, {"change": changes.add_agent}, "+")


def _hosts(state: SettingsState) -> Iterator[SettingRow]:
    yield from _heading("SERVERS ELSEWHERE")
    for host in state.settings.allowed_hosts:
        about = page(page_title(host), *prose(HOST))
        acts = {"delete": partial(changes.withdraw_consent, host=host)}
        yield _row(f"host:{host}", host, "consent given", about, acts)
    if not state.settings.allowed_hosts:
        yield _note("Nothing is sent outside your network.")


def _personas(personas: Mapping[str, str]) -> Iterator[SettingRow]:
    yield from _heading("YOUR CHARACTERS")
    for name, text in personas.items():
        acts = {
            "change": partial(changes.edit_persona, name=name),
            "delete": partial(changes.delete_persona, name=name),
        }
        yield _row(f"persona:{name}", name, text, page(page_title(name), Content(clean(text))), acts)
    about = page(page_title("Save a character"), Content(_PERSONAS))
    yield _row("personas", "save a character", "", about, {"change": changes.edit_persona}, "+")


def _ui_rows(ui: Ui, theme: str) -> Iterator[SettingRow]:
    yield from _heading("LOOK AND KEYS")
    pace = f"{ui.pace:g} words/s" if ui.pace else "all at once"
    values = {"theme": theme, "pace": pace, "keys": f"{len(ui.keys)} changed" if ui.keys else "defaults"}
    more = {"reasoning": Content(REASONING), "keys": _keys(ui)}
    for name in Ui.model_fields:
        on, off = ("shown", "hidden") if name in ("reasoning", "show_beats") else ("on", "off")
        title, value = title_of(Ui, name).lower(), values.get(name, on if getattr(ui, name) else off)
        head = Stack(page_title(title), quiet(value))
        about = page(head, *prose(sentence(Ui, name)), more.get(name))
        act = {"change": _ASKED[name]} if name in _ASKED else {"switch": partial(changes.toggle, name=name)}
        act = {} if name == "keys" else act
        yield _row(f"ui.{name}", title, value, about, act)


def _keys(ui: Ui) -> Visual:
    keymap = checked_keys(ui.keys)
    keys = {one_line(key, 30): one_line(id, 40) for id, key in keymap.own.items()}
    return page(
        Content(_KEYS), field_lines(keys), *(line("!", ".bad", why) for why in keymap.refused.values())
    )


def broken_page(place: str, reason: str) -> Visual:
    advice = f"Fix {place} in an editor, then press F5. Nothing is changed until then."
    return page(page_title("The settings cannot be read"), line("!", ".bad", reason), Content(advice))


def _heading(text: str) -> Iterator[SettingRow]:
    yield SettingRow(Content(""))
    yield SettingRow(accent(text))


def _note(text: str) -> SettingRow:
    return SettingRow(Indented(Content("  "), quiet(text)))


def _row(
    id: str, name: str, value: str, about: Visual, acts: Mapping[str, Change], mark: str = " "
) -> SettingRow:
    left = Content.assemble((f"{mark} ", ".accent"), (one_line(name, 40), ".strong" if mark == USED else ""))
    visual = SplitLine(left, quiet(one_line(value, 60)))
    return SettingRow(visual, id, about, acts)


def _teller(
    state: SettingsState, name: str, id: str, title: str, about: Visual, value: str = "", **acts: Change
) -> SettingRow:
    if name == state.in_use:
        return _row(id, title, value, about, acts, USED)
    return _row(id, title, value, about, {"use": partial(changes.use_profile, name=name), **acts})


def _head(state: SettingsState, name: str, title: str) -> Visual:
    is_used = name == state.in_use and not state.decided
    return SplitLine(page_title(title), quiet("in use" if is_used else ""))


def page_title(text: str) -> Content:
    return accent(one_line(text, 80))


def prose(text: str) -> Iterable[Content]:
    return map(Content, text.split("\n\n"))


def field_lines(fields: Mapping[str, str]) -> Visual:
    rows = (Indented(quiet(f"{name:<9}  "), Content(clean(value))) for name, value in fields.items())
    return Stack(*rows)
