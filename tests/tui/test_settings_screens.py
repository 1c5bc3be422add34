"""Approved pictures of the settings, in `snapshots/`."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from textual.color import Color
from textual.pilot import Pilot

from tests.support.pictures import SMALL, USUAL, Before, Picture, sizes
from tests.support.pilot import at_home, make_app, until
from tests.support.settings_pilot import MODELS, Setter, write_config
from theact_tui.models import start_llama
from theact_tui.models.context_window import ContextWindow
from theact_tui.models.discovery import Seen, Server
from theact_tui.models.endpoint import ConnectionTest
from theact_tui.models.environment import ModelOptions
from theact_tui.models.profiles import Profile
from theact_tui.models.served_models import ServedModel
from theact_tui.models.server_capabilities import ServerState
from theact_tui.tui.app import TheActApp
from theact_tui.tui.settings import models_screen
from theact_tui.tui.settings.screen import SettingsScreen
from theact_tui.tui.settings.service import SettingsService
from theact_tui.tui.widgets.consent import consent_dialog

SERVERS = (
    Server("llama.cpp", "http://127.0.0.1:8080/v1", MODELS, 8192),
    Server("Ollama", "http://127.0.0.1:11434/v1", ("llama3.2:3b",), 0),
)
CONFIG = """\
profile = "ollama"
allowed_hosts = ["api.example.com"]

[profiles.ollama]
base_url = "http://127.0.0.1:11434/v1"
model = "llama3.2:3b"

[profiles.far]
base_url = "https://api.example.com/v1"
model = "large-[b]model"
api_key_env = "FAR_KEY"
max_parallel = 4

[agents.memory]
model = "tiny"

[ui.keys]
"play.retry" = "f9"
"""


class Found(SettingsService):
    """Finds the servers of the pictures; every call goes the same way."""

    servers_found: Sequence[Server] = SERVERS

    async def servers(self) -> list[Server]:
        return list(self.servers_found)

    async def try_profile(self, profile: Profile, key: str = "") -> ConnectionTest:
        warning = (
            "llama3.2:3b at 127.0.0.1:11434 has a window of 4,096 tokens, less than the 8,192 wanted, and silently "
            "drops the beginning of longer prompts. Start Ollama with OLLAMA_CONTEXT_LENGTH=8192, or give the model a "
            "larger num_ctx."
        )
        return ConnectionTest(True, "llama3.2:3b answered in 0.8 s: ready", "llama3.2:3b", 4096, 0.8, warning)


def set_app(root: Path, *, config: str = CONFIG, theme: str = "") -> TheActApp:
    """The app on a home with these settings."""
    app = make_app(root, theme=theme)
    if config:
        write_config(root, config)
        known = ServerState("http://127.0.0.1:11434/v1", "llama3.2:3b", app.home.cache)
        ContextWindow(known, 8192).learn_window(Seen(reached=True, kind="ollama", window=4096))
    return app


def opened(*keys: str, to: str = "", found: bool = True) -> Before:
    """Open the settings, go to a row and press keys."""

    async def before(pilot: Pilot[None]) -> None:
        await at_home(pilot)
        assert isinstance(pilot.app, TheActApp)
        desk = Found(pilot.app.home, ModelOptions(), ports=(), env=dict)
        desk.servers_found = SERVERS if found else ()
        screen = SettingsScreen(None, desk)
        pilot.app.push_screen(screen)
        setter = Setter(pilot, screen)
        await setter.settle()
        if to:
            await setter.to(to)
        await setter.press(*keys)
        await until(pilot, lambda: not screen.is_working)

    return before


SERVED = (
    ServedModel("ministral-8b-q4", "loaded", 5_200_000_000, 8192),
    ServedModel("qwen3-4b-q4", "unloaded", 0, 8192),
    ServedModel("all-minilm", "unloaded", 46_000_000, 512, writes=False),
)
ROUTER = Server(
    "llama.cpp", "http://127.0.0.1:8080/v1", ("ministral-8b-q4", "qwen3-4b-q4"), 8192, "llama.cpp", SERVED
)


async def models(pilot: Pilot[None], server: Server | None) -> tuple[models_screen.ModelsScreen, Found]:
    """Open the list of models, with this server found."""
    await at_home(pilot)
    assert isinstance(pilot.app, TheActApp)
    service = Found(pilot.app.home, ModelOptions(), ports=(), env=dict)
    service.servers_found = (server,) if server else ()

    async def use(server: Server, model: str) -> str:
        return ""

    screen = models_screen.ModelsScreen(service, use)
    pilot.app.push_screen(screen)
    await until(pilot, lambda: screen.servers is not None, "the models")
    return screen, service


@pytest.mark.parametrize(
    ("size", "found"),
    [(SMALL, True), (USUAL, True), (SMALL, False)],
    ids=["80x24-True", "120x40-True", "80x24-False"],
)
def test_models(picture: Picture, tmp_path: Path, found: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models_screen, "memory_of_this_computer", lambda: 16 << 30)
    monkeypatch.setattr(start_llama, "program_path", lambda: "/usr/bin/llama-server")
    app = set_app(tmp_path)
    state = ServerState(ROUTER.base_url, "ministral-8b-q4", app.home.cache)
    state.keep(replace(state.abilities, habits="", write_speed=11.0))

    async def before(pilot: Pilot[None]) -> None:
        await models(pilot, ROUTER if found else None)

    picture(before, app)


async def test_the_cursor_goes_to_a_model_that_came(tmp_path: Path) -> None:
    async with set_app(tmp_path).run_test() as pilot:
        screen, service = await models(pilot, replace(ROUTER, served=()))
        assert screen.list.marked.startswith("get ") and "take" in screen.acts()
        service.servers_found = (ROUTER,)
        screen.action_look()
        await until(pilot, lambda: "use" in screen.acts(), "its models")
        assert screen.list.marked == f"{ROUTER.base_url} ministral-8b-q4"


@sizes(SMALL)
def test_settings(picture: Picture, tmp_path: Path) -> None:
    picture(opened(), set_app(tmp_path))


@sizes(SMALL)
def test_settings_in_the_terminal_s_colours(picture: Picture, tmp_path: Path) -> None:
    app = set_app(tmp_path, theme="terminal")
    picture(opened("t"), app)


@sizes(SMALL)
def test_settings_at_the_first_start(picture: Picture, tmp_path: Path) -> None:
    app = set_app(tmp_path, config="", theme="paper")
    picture(opened(found=False), app)


ROWS: dict[str, tuple[str, tuple[str, ...]]] = {
    "test": ("profile:ollama", ("t",)),
    "profile": ("profile:far", ()),
    "server": ("server:http://127.0.0.1:8080/v1", ()),
    "agents": ("agents", ()),
    "keys": ("ui.keys", ()),
}
"""Where to go, and what to press there."""


@pytest.mark.parametrize("name", ROWS)
def test_settings_row(picture: Picture, tmp_path: Path, name: str) -> None:
    to, keys = ROWS[name]
    picture(opened(*keys, to=to), set_app(tmp_path))


QUESTIONS: dict[str, tuple[str, tuple[str, ...]]] = {
    "form": ("profile:far", ("e", "down", "down")),
    "models": ("server:http://127.0.0.1:8080/v1", ("enter",)),
    "theme": ("ui.theme", ("enter", "down")),
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_settings_question(picture: Picture, tmp_path: Path, name: str) -> None:
    to, keys = QUESTIONS[name]

    async def asked(pilot: Pilot[None]) -> None:
        used = pilot.app.theme
        await opened(*keys, to=to)(pilot)
        if name == "theme":
            await until(pilot, lambda: pilot.app.theme != used, "the preview")
            behind = pilot.app.screen_stack[-2]  # is coloured after the dialog
            colour = Color.parse(pilot.app.theme_variables["background"])
            await until(pilot, lambda: behind.styles.background == colour, "the preview behind the dialog")

    picture(asked, set_app(tmp_path), at=SMALL)


@sizes(SMALL)
def test_consent_before_a_story(picture: Picture, tmp_path: Path) -> None:
    async def asked(pilot: Pilot[None]) -> None:
        await at_home(pilot)
        pilot.app.push_screen(consent_dialog(["api.example.com"], offline=True))
        await pilot.pause()

    picture(asked, set_app(tmp_path))
