"""Somebody at the keyboard of the settings, with a model server of ours on this computer."""

import builtins
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import pytest
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input

from tests.support.fake_server import ScriptedServer, status
from tests.support.pilot import type_out, until
from tests.support.said import plain, said
from theact_tui.engine.session import StorySession
from theact_tui.models.environment import ModelOptions
from theact_tui.tui.app import TheActApp
from theact_tui.tui.settings.forms import ModelForm
from theact_tui.tui.settings.screen import SettingsScreen
from theact_tui.tui.settings.service import SettingsService

MODELS = ("qwen2.5-7b-instruct-q4_k_m", "llama-3.1-8b-instruct")


def lists(server: ScriptedServer, *models: str, window: int = 4096) -> None:
    """Let the server list these models, as llama.cpp does."""
    entries: list[dict[str, Any]] = [
        {"id": model, "owned_by": "llamacpp", "meta": {"n_ctx": window}} for model in models
    ]
    server.on("/v1/models", status(200, {"data": entries}))


def box_of(form: Screen[Any], field: str) -> Widget:
    return cast(ModelForm, form).boxes[cast(ModelForm, form).names.index(field)]


@dataclass
class Setter:
    pilot: Pilot[None]
    screen: SettingsScreen

    @property
    def app(self) -> TheActApp:
        return cast(TheActApp, self.pilot.app)

    @property
    def file(self) -> str:
        path = self.app.home.config_file
        return path.read_text("utf-8") if path.exists() else ""

    @property
    def page(self) -> str:
        """What stands beside the list."""
        return said(self.screen, "#about")

    @property
    def rows(self) -> list[str]:
        return [plain(option.prompt) for option in self.screen.list.options]

    @property
    def said(self) -> str:
        """The line above the keys."""
        return self.screen.status.warning or self.screen.status.hint

    @property
    def on_top(self) -> object:
        return self.pilot.app.screen

    async def settle(self) -> None:
        screen = self.screen
        await until(
            self.pilot,
            lambda: screen.settings_state is not None and screen.servers is not None,
            "the settings",
        )

    async def press(
        self, *keys: str, at: str = "", says: str = "", asks: builtins.type[object] | None = None
    ) -> None:
        """Press keys `at` a row, until something is said or asked."""
        if at:
            await self.to(at)
        await self.pilot.press(*keys)
        await self.pilot.pause()
        if says:
            await self.until_said(says)
        if asks:
            await until(self.pilot, lambda: isinstance(self.on_top, asks), asks.__name__)

    async def type(self, text: str) -> None:
        await type_out(self.pilot, text)

    async def fill(self, text: str, *keys: str, says: str = "") -> None:
        """Replace what stands in the input box one is in, and press keys."""
        box = self.pilot.app.screen.focused
        assert isinstance(box, Input)
        box.value = ""
        await self.type(text)
        await self.press(*keys, says=says)

    async def to(self, id: str) -> None:
        rows = self.screen.list
        ids = [option.id for option in rows.options]
        assert id in ids, f"{id} is not in {ids}"
        while (here := rows.highlighted) != ids.index(id):
            await self.press("down" if here is None or here < ids.index(id) else "up")

    async def until_said(self, words: str) -> None:
        await until(self.pilot, lambda: words in self.said, f"the words '{words}'")

    async def all_fields(self) -> None:
        """Open the form with every field for a model that is to be connected."""
        await self.press("e", at="add", asks=ModelForm)


async def setting(
    pilot: Pilot[None],
    *,
    ports: Iterable[int] = (),
    env: Mapping[str, str] | None = None,
    options: ModelOptions | None = None,
    session: StorySession | None = None,
) -> Setter:
    """The settings, open over whatever is there."""
    app = cast(TheActApp, pilot.app)
    desk = SettingsService(app.home, options or ModelOptions(), ports=ports, env=lambda: dict(env or {}))
    screen = SettingsScreen(session, desk)
    app.push_screen(screen)
    setter = Setter(pilot, screen)
    await setter.settle()
    return setter


def write_config(home: Path, text: str) -> None:
    home.mkdir(parents=True, exist_ok=True)
    (home / "config.toml").write_text(text, "utf-8")


def configured(text: str) -> pytest.MarkDecorator:
    """For tests of settings that begin with this `config.toml`."""
    return pytest.mark.parametrize("config", [text], ids=["configured"])
