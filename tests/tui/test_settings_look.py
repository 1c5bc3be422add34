"""Settings of the screen: theme, pace, switches; and what changes in the story that is open."""

from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import pytest

from tests.support.fake_server import ScriptedServer
from tests.support.pilot import Player, make_app, problem, running, until
from tests.support.settings_pilot import MODELS, Setter, lists, setting, write_config
from theact_tui.models.settings import SettingsFile
from theact_tui.saves.library import Library
from theact_tui.tui.settings.forms import ThemeDialog
from theact_tui.tui.widgets.dialogs import FormDialog

# --- look and keys ----------------------------------------------------------------------------------------------------


def _refused(setter: Setter, words: str) -> bool:
    return words in problem(setter.pilot)


async def test_a_theme_is_seen_before_it_is_kept_and_switches_are_turned_at_once(setter: Setter) -> None:
    assert setter.app.theme == "lamplight"
    await setter.press("enter", at="ui.theme", asks=ThemeDialog)
    await setter.press("down")
    assert setter.app.theme == "tidewater"
    await setter.press("escape")
    assert (setter.app.theme, setter.file) == ("lamplight", "")
    await setter.press("enter", at="ui.pace", asks=FormDialog)
    await setter.press("ctrl+u", "enter")
    await until(setter.pilot, partial(_refused, setter, "Enter a number"))
    await setter.press("escape")
    assert not setter.file, "an empty pace is no pace"
    await setter.press("enter", at="ui.theme", asks=ThemeDialog)
    await setter.press("down", "down", "enter", says="inkwell")
    assert setter.app.theme == "inkwell" and 'theme = "inkwell"' in setter.file
    for name in ("animations", "cursor_blink", "reasoning"):
        await setter.press("space", at=f"ui.{name}", says="Saved")
    assert setter.app.settings.ui.reasoning
    made = SettingsFile(setter.app.home.config_file).read().ui
    assert (made.animations, made.cursor_blink, made.reasoning) == (False, False, True)


async def test_keys_of_one_s_own_are_shown_with_those_that_do_not_count(setter: Setter) -> None:
    write_config(setter.app.home.config, '[ui.keys]\nplay.retry = "strg+r"\nplay.tree = "f10"\n')
    await setter.press("f5")
    await until(
        setter.pilot,
        lambda: bool(setter.screen.settings_state and setter.screen.settings_state.settings.ui.keys),
    )
    await setter.to("ui.keys")
    assert "play.retry = strg+r: unknown key" in setter.page and "play.tree" in setter.page
    assert "[ui.keys]" in setter.page


# --- with a story open ------------------------------------------------------------------------------------------------


@pytest.fixture
async def listener(tmp_path: Path) -> AsyncIterator[Player]:
    """Somebody who has begun a story that is told as the settings say: offline, without a pause."""
    write_config(tmp_path, "[ui]\npace = 0\n")
    app = make_app(tmp_path)
    object.__setattr__(app.services, "choose", None)
    async with running(app, (120, 40)) as pilot:
        player = Player(pilot)
        await player.press("n", "enter", "enter")
        await until(pilot, lambda: player.playing, "the story")
        await player.turn(1)
        yield player
        await player.session.close()


async def test_the_open_story_is_told_by_the_new_model(listener: Player, server: ScriptedServer) -> None:
    lists(server, MODELS[0])
    setter = await setting(listener.pilot, ports=[server.port], session=listener.session)
    await setter.press("enter", at=f"server:{server.url}", says=f"The open story now uses {MODELS[0]}")
    assert listener.session.model_name == MODELS[0] and not listener.session.offline
    await setter.press("escape")
    await until(listener.pilot, lambda: MODELS[0] in listener.masthead, "its name")


async def test_saved_characters_have_rows_of_their_own(setter: Setter) -> None:
    await setter.press("enter", at="personas", asks=FormDialog)
    await setter.fill("Mara", "enter")
    await until(setter.pilot, partial(_refused, setter, "Write a name and a description"))
    await setter.fill("Mara: a tired diver", "enter", says="Saved")
    await setter.to("persona:Mara")
    assert "a tired diver" in setter.page
    await setter.press("enter", asks=FormDialog)
    await setter.fill("Mara Quill: a diver", "enter", says="Saved")
    await setter.press("x", "y", at="persona:Mara Quill", says="Deleted Mara Quill")
    assert Library(setter.app.home.data).personas.all() == {}
