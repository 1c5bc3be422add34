"""Settings that call a server: trying a connection, and asking before anything is sent."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support.fake_server import ScriptedServer, say, silence, status
from tests.support.pilot import Player, make_app, opens, running, until
from tests.support.said import said
from tests.support.settings_pilot import MODELS, Setter, setting, write_config
from theact_tui.models.settings import SettingsFile
from theact_tui.tui.home.screen import HomeScreen
from theact_tui.tui.settings.forms import ModelForm
from theact_tui.tui.widgets.dialogs import ChoiceDialog, ListDialog

FAR = """\
profile = "far"

[profiles.far]
base_url = "https://api.example.com/v1"
model = "large"
api_key_env = "FAR_KEY"
"""
ELSEWHERE = "0.0.0.0"
"""An address that counts as one on another network, and reaches this computer."""


# --- trying a connection ----------------------------------------------------------------------------------------------


@pytest.fixture
async def caller(tmp_path: Path, server: ScriptedServer) -> AsyncIterator[Setter]:
    """The settings, with the cursor on a model of the server."""
    write_config(tmp_path, f'[profiles.local]\nbase_url = "{server.url}"\nmodel = "{MODELS[0]}"\n')
    async with running(make_app(tmp_path), (120, 40)) as pilot:
        yield await setting(pilot)


async def test_t_calls_the_model_and_y_asks_it_whether_it_can_keep_a_story(
    caller: Setter, server: ScriptedServer
) -> None:
    await caller.press("t")
    await until(caller.pilot, lambda: "✓" in caller.page, "the answer")
    assert f"{MODELS[0]} answered in" in caller.page and "ready" in caller.page
    assert "8,192 tokens (server: 4,096)" in caller.page
    assert "has a window of 4,096 tokens, less than the 8,192 wanted" in caller.page
    server.script("*", status(401, {"error": {"message": "no key"}}))
    await caller.press("t")
    await until(caller.pilot, lambda: "✗" in caller.page, "the failure")
    assert "key" in caller.page
    server.script("*", say("{}"))
    await caller.press("y")
    await until(caller.pilot, lambda: "7B or larger is recommended" in caller.page)
    assert "0 of 15 questions" in caller.page and not caller.screen.is_working
    server.script("stage", silence())
    await caller.press("y")
    await until(caller.pilot, lambda: "Call 1 of" in caller.page or "Calling the model" in caller.page)
    await caller.press("escape")
    await until(caller.pilot, lambda: not caller.screen.is_working, "the end of the call")


async def test_escape_stops_a_call_that_takes_too_long_wherever_the_cursor_is(
    caller: Setter, server: ScriptedServer
) -> None:
    server.script("*", silence())
    for away in ((), ("up",)):
        await caller.press("t")
        await until(caller.pilot, lambda: caller.screen.is_working and "Calling the model" in caller.page)
        await until(
            caller.pilot, lambda: bool(server.calls and not server.calls[-1].gone.is_set()), "the call"
        )
        await caller.press(*away, "escape")
        await until(caller.pilot, lambda: not caller.screen.is_working, "the end of the call")
        assert server.calls[-1].gone.wait(10)
        await caller.to("profile:local")
        assert "Calling" not in caller.page
    await caller.press("escape")
    assert caller.on_top is not caller.screen


# --- consent ----------------------------------------------------------------------------------------------------------


async def test_nothing_is_sent_elsewhere_before_the_user_agrees_and_a_key_is_never_shown_or_written(
    tmp_path: Path,
) -> None:
    write_config(tmp_path, FAR)
    async with running(make_app(tmp_path), (120, 40)) as pilot:
        setter = await setting(pilot, env={"FAR_KEY": "s3cret"})
        assert "You are asked before anything is sent" in setter.page
        await setter.press("t", asks=ChoiceDialog)
        assert "Send your story to api.example.com?" in said(setter.app.screen)
        await setter.press("escape")
        await until(setter.pilot, lambda: not setter.screen.is_working)
        assert "allowed_hosts" not in setter.file and "✗" not in setter.page
        assert "from FAR_KEY, which is set" in setter.page
        await setter.press("e", asks=ModelForm)
        await setter.press("ctrl+s", says="Saved")
        assert "s3cret" not in setter.file and "s3cret" not in pilot.app.export_screenshot()
        await setter.press("escape")
        assert "which is not set" in (await setting(pilot)).page


async def test_an_agreement_is_remembered_once_the_server_answers_and_can_be_taken_back(
    tmp_path: Path, server: ScriptedServer
) -> None:
    far = server.url.replace("127.0.0.1", ELSEWHERE)
    write_config(tmp_path, f'[profiles.far]\nbase_url = "{far}"\nmodel = "{MODELS[0]}"\n')
    server.script("*", status(500, {}))
    async with running(make_app(tmp_path), (120, 40)) as pilot:
        setter = await setting(pilot)
        await setter.press("t", asks=ChoiceDialog)
        await setter.press("a")
        await until(pilot, lambda: "✗" in setter.page, "the failure")
        assert "allowed_hosts" not in setter.file
        await setter.press("e", asks=ModelForm)
        await setter.press("down", "f2", asks=ChoiceDialog)
        await setter.press("a", asks=ListDialog)
        assert f'allowed_hosts = ["{ELSEWHERE}"]' in setter.file
        await setter.press("escape", "escape")
        await setter.press("x", at=f"host:{ELSEWHERE}", says="Consent withdrawn for")
        assert SettingsFile(tmp_path / "config.toml").read().allowed_hosts == ()


async def test_a_new_story_may_be_played_offline_instead(tmp_path: Path) -> None:
    write_config(tmp_path, FAR)
    app = make_app(tmp_path)
    object.__setattr__(app.services, "choose", None)
    async with running(app, (120, 40)) as pilot:
        player = Player(pilot)
        await opens(pilot, ChoiceDialog, "n", "enter", "enter")
        assert "api.example.com" in said(pilot.app.screen)
        await opens(pilot, HomeScreen, "escape")
        assert not list((tmp_path / "saves").iterdir())
        await opens(pilot, ChoiceDialog, "n", "enter", "enter")
        await player.press("o")
        await until(pilot, lambda: player.playing)
        assert player.session.offline
        assert SettingsFile(tmp_path / "config.toml").read().allowed_hosts == ()
        await player.session.close()
