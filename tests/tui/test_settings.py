"""The settings: who tells the story, what is found, what is asked before anything is sent, how the app looks (S8.1)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from functools import partial
from pathlib import Path

import pytest
from textual.screen import Screen
from textual.widgets import Static, TextArea

from tests.servers.scripted import ScriptedServer, say, silence, status
from tests.tui.driving import Player, at_home, make_app, new_session, problem, until
from tests.tui.setting import MODELS, Setter, lists, setting, write_config
from theact_tui.models.knowledge import Knowledge
from theact_tui.models.options import ModelOptions
from theact_tui.models.probe import Seen
from theact_tui.models.profiles import Profile
from theact_tui.models.settings import SettingsFile
from theact_tui.tui.screens.help import HelpSheet
from theact_tui.tui.screens.home import HomeScreen
from theact_tui.tui.screens.picking import Pick, PickRow
from theact_tui.tui.screens.settings import SettingsScreen
from theact_tui.tui.screens.settings_form import Form
from theact_tui.tui.screens.settings_keys import KeysScreen, PressKey
from theact_tui.tui.screens.settings_theme import ThemeSheet
from theact_tui.tui.screens.sheets import Ask, Confirm
from theact_tui.tui.widgets.masthead import Masthead

COMMENTED = """\
# my settings
profile = "local"  # the good one

[profiles.local]
base_url = "http://127.0.0.1:9/v1"
model = "small"
"""
FAR = """\
profile = "far"

[profiles.far]
base_url = "https://api.example.com/v1"
model = "large"
api_key_env = "FAR_KEY"
"""


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer(say("ready")) as running:
        lists(running, *MODELS)
        yield running


@pytest.fixture
async def setter(tmp_path: Path) -> AsyncIterator[Setter]:
    """The settings of a new home."""
    async with make_app(tmp_path).run_test(size=(120, 40)) as pilot:
        await at_home(pilot)
        yield await setting(pilot)


# --- coming and going -------------------------------------------------------------------------------------------------


async def test_s_opens_the_settings_from_home_and_escape_leaves_them(tmp_path: Path) -> None:
    async with make_app(tmp_path).run_test(size=(80, 24)) as pilot:
        await at_home(pilot)
        await pilot.press("s")
        await until(pilot, lambda: isinstance(pilot.app.screen, SettingsScreen))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(pilot.app.screen, HomeScreen))


async def test_a_new_home_is_told_by_the_storyteller(setter: Setter) -> None:
    assert "● offline storyteller" in setter.rows
    assert "in use" in setter.page and "no network" in setter.page
    assert any("No model server answers" in row for row in setter.rows)
    assert setter.file == ""


async def test_help_explains_the_settings(setter: Setter) -> None:
    await setter.press("f1")
    assert isinstance(setter.on_top, HelpSheet)


async def test_a_file_that_cannot_be_read_says_so_and_is_read_again(tmp_path: Path) -> None:
    app = make_app(tmp_path)
    write_config(tmp_path, "[profiles\n")
    async with app.run_test(size=(120, 40)) as pilot:
        await at_home(pilot)
        screen = SettingsScreen()
        app.push_screen(screen)
        setter = Setter(pilot, screen)
        await until(pilot, lambda: pilot.app.screen is screen and screen.is_mounted)
        await until(pilot, lambda: "cannot be read" in setter.page)
        assert "config.toml" in setter.page and "F5" in setter.page
        assert not screen.check_action("add", ())
        write_config(tmp_path, COMMENTED)
        await setter.press("f5")
        await until(pilot, lambda: "● local  small · 127.0.0.1:9" in setter.rows)


async def test_keys_that_mean_nothing_are_told(tmp_path: Path) -> None:
    write_config(tmp_path, '[ui]\nthem = "fog"\n')
    async with make_app(tmp_path).run_test(size=(120, 40)) as pilot:
        await at_home(pilot)
        setter = await setting(pilot)
        await setter.until_said("ui.them")


# --- servers and profiles ---------------------------------------------------------------------------------------------


async def test_a_server_on_this_computer_becomes_a_profile_by_one_key(
    tmp_path: Path, server: ScriptedServer
) -> None:
    async with make_app(tmp_path).run_test(size=(120, 40)) as pilot:
        await at_home(pilot)
        lists(server, MODELS[0])
        setter = await setting(pilot, ports=[server.port])
        await setter.to(f"server:{server.url}")
        assert "llama.cpp" in setter.page and MODELS[0] in setter.page and "4,096 tokens" in setter.page
        await setter.press("enter")
        await setter.until_said("Saved.")
    settings = SettingsFile(tmp_path / "config.toml").read()
    name = settings.profile
    assert settings.profiles[name] == Profile(base_url=server.url, model=MODELS[0], context_limit=4096)


async def test_of_several_models_one_is_picked(tmp_path: Path, server: ScriptedServer) -> None:
    async with make_app(tmp_path).run_test(size=(80, 24)) as pilot:
        await at_home(pilot)
        setter = await setting(pilot, ports=[server.port])
        await setter.to(f"server:{server.url}")
        await setter.press("enter")
        await setter.sheet(PickRow)
        await setter.press("down", "enter")
        await setter.until_said("Saved.")
        assert f'model = "{MODELS[1]}"' in setter.file
        await setter.to(f"server:{server.url}")
        await setter.press("enter")
        await setter.sheet(PickRow)
        await setter.press("down", "enter")
        await setter.until_said("is in use now")
        assert setter.file.count("[profiles.") == 1


async def test_f5_looks_again(tmp_path: Path, server: ScriptedServer) -> None:
    async with make_app(tmp_path).run_test(size=(120, 40)) as pilot:
        await at_home(pilot)
        server.on("/v1/models", status(404))
        setter = await setting(pilot, ports=[server.port])
        assert setter.screen.servers == []
        lists(server, *MODELS)
        await setter.press("f5")
        await until(pilot, lambda: bool(setter.screen.servers))
        assert any("llama.cpp" in row and "2 models" in row for row in setter.rows)


async def test_a_profile_is_added_with_every_field_explained(setter: Setter) -> None:
    await setter.press("a")
    await setter.sheet(Form)
    about = setter.pilot.app.screen.query_one(".sentence")
    await setter.fill("mine")
    await setter.press("enter")
    assert "OpenAI-compatible server" in str(about.render())
    await setter.fill("localhost:8080")
    await setter.press("enter")
    assert "as the server knows it" in str(about.render())
    await setter.fill("small")
    await setter.press("tab", "tab")
    await setter.fill("4096")
    await setter.press("ctrl+s")
    await setter.until_said("Saved.")
    made = SettingsFile(setter.app.home.config_file).read()
    assert made.profiles["mine"] == Profile(
        base_url="http://localhost:8080", model="small", context_limit=4096
    )
    assert made.profile == "mine"
    assert "timeout" not in setter.file


async def test_what_is_typed_wrong_is_said_and_kept(setter: Setter) -> None:
    await setter.press("a")
    await setter.sheet(Form)
    await setter.press("tab")
    await setter.fill("ftp://somewhere")
    await setter.press("ctrl+s")
    problem = setter.pilot.app.screen.query_one(".problem")
    assert "is not the address of a server" in str(problem.render())
    await setter.fill("localhost:1")
    await setter.press("tab", "tab", "tab")
    await setter.fill("many")
    await setter.press("ctrl+s")
    assert "context_limit: should be a valid integer" in str(problem.render())
    assert setter.pilot.app.screen.focused is setter.pilot.app.screen.query_one("#field-context_limit")
    await setter.press("escape")
    assert setter.file == ""


async def test_a_profile_without_an_address_is_not_kept(setter: Setter) -> None:
    await setter.press("a")
    await setter.sheet(Form)
    await setter.press("ctrl+s")
    await setter.until_said("needs an address")
    assert setter.file == ""


@pytest.mark.parametrize(
    ("name", "words"), [("offline", "own name"), ("local", "already"), (" ", "needs a name")]
)
async def test_names_that_cannot_be(tmp_path: Path, name: str, words: str) -> None:
    write_config(tmp_path, COMMENTED)
    async with make_app(tmp_path).run_test(size=(80, 24)) as pilot:
        await at_home(pilot)
        setter = await setting(pilot)
        await setter.press("a")
        await setter.sheet(Form)
        await setter.fill(name)
        await setter.press("ctrl+s")
        assert words in str(pilot.app.screen.query_one(".problem").render())


async def test_editing_keeps_the_comments(tmp_path: Path) -> None:
    write_config(tmp_path, COMMENTED)
    async with make_app(tmp_path).run_test(size=(120, 40)) as pilot:
        await at_home(pilot)
        setter = await setting(pilot)
        await setter.press("e")
        await setter.sheet(Form)
        await setter.press("down")
        await setter.fill("smaller")
        await setter.press(*["down"] * 8, "right", "ctrl+s")
        await setter.until_said("Saved.")
        assert "# my settings" in setter.file and "# the good one" in setter.file
        assert 'model = "smaller"' in setter.file and 'structured = "json_schema"' in setter.file


async def test_f2_in_the_form_asks_the_server_for_its_models(tmp_path: Path, server: ScriptedServer) -> None:
    async with make_app(tmp_path).run_test(size=(80, 24)) as pilot:
        await at_home(pilot)
        setter = await setting(pilot)
        await setter.press("a")
        await setter.sheet(Form)
        form = pilot.app.screen
        await setter.press("tab")
        await setter.fill(server.url)
        await setter.press("tab", "f2")
        await setter.sheet(PickRow)
        await setter.press("down", "enter")
        await until(pilot, lambda: pilot.app.screen is form)
        assert isinstance(form, Form)
        await until(pilot, lambda: form.texts["model"] == MODELS[1])


async def test_another_profile_is_taken_into_use(tmp_path: Path) -> None:
    write_config(tmp_path, COMMENTED + '\n[profiles.other]\nbase_url = "http://127.0.0.1:10/v1"\n')
    async with make_app(tmp_path).run_test(size=(120, 40)) as pilot:
        await at_home(pilot)
        setter = await setting(pilot)
        await setter.to("profile:other")
        await setter.press("enter")
        await setter.until_said("other tells the stories")
        assert "● other  127.0.0.1:10" in setter.rows
        await setter.to("offline")
        await setter.press("enter")
        await setter.until_said("offline tells")
        assert 'profile = "offline"  # the good one' in setter.file


async def test_a_profile_is_deleted_after_asking(tmp_path: Path) -> None:
    write_config(tmp_path, COMMENTED + '\n[agents.memory]\nprofile = "local"\ntemperature = 0.1\n')
    async with make_app(tmp_path).run_test(size=(120, 40)) as pilot:
        await at_home(pilot)
        setter = await setting(pilot)
        await setter.press("x")
        await setter.sheet(Confirm)
        await setter.press("y")
        await setter.until_said("local is gone")
        assert "● offline storyteller" in setter.rows
        left = SettingsFile(setter.app.home.config_file).read()
        assert left.profiles == {} and left.agents["memory"].profile == ""
        assert left.agents["memory"].temperature == 0.1


async def test_what_the_environment_decides_is_said(tmp_path: Path) -> None:
    write_config(tmp_path, COMMENTED)
    async with make_app(tmp_path).run_test(size=(120, 40)) as pilot:
        await at_home(pilot)
        setter = await setting(pilot, env={"LLM_BASE_URL": "http://127.0.0.1:1/v1"})
        assert "LLM_BASE_URL decides who tells the story now" in setter.page
        await setter.press("escape")
        setter = await setting(pilot, options=ModelOptions(offline=True))
        assert "--offline decides" in setter.page


# --- trying a connection ----------------------------------------------------------------------------------------------


async def test_t_calls_the_model_and_says_how_it_went(tmp_path: Path, server: ScriptedServer) -> None:
    async with make_app(tmp_path).run_test(size=(120, 40)) as pilot:
        await at_home(pilot)
        SettingsFile(tmp_path / "config.toml").put_profile(
            "local", Profile(base_url=server.url, model=MODELS[0])
        )
        setter = await setting(pilot)
        await setter.press("t")
        await until(pilot, lambda: "✓" in setter.page, "the answer")
        assert f"{MODELS[0]} answered in" in setter.page and "ready" in setter.page
        assert "8,192 wanted, 4,096 seen" in setter.page
        assert "has a window of 4,096 tokens, less than the 8,192 wanted" in setter.page


async def test_a_call_that_fails_says_what_to_do(tmp_path: Path, server: ScriptedServer) -> None:
    server.script("*", status(401, {"error": {"message": "no key"}}))
    async with make_app(tmp_path).run_test(size=(120, 40)) as pilot:
        await at_home(pilot)
        SettingsFile(tmp_path / "config.toml").put_profile("local", Profile(base_url=server.url, model="m"))
        setter = await setting(pilot)
        await setter.press("t")
        await until(pilot, lambda: "✗" in setter.page, "the failure")
        assert "key" in setter.page


async def test_escape_stops_a_call_that_takes_too_long(tmp_path: Path, server: ScriptedServer) -> None:
    server.script("*", silence())
    async with make_app(tmp_path).run_test(size=(120, 40)) as pilot:
        await at_home(pilot)
        SettingsFile(tmp_path / "config.toml").put_profile("local", Profile(base_url=server.url, model="m"))
        setter = await setting(pilot)
        await setter.press("t")
        await until(pilot, lambda: "Calling the model" in setter.page and bool(server.calls))
        await setter.press("escape")
        await until(pilot, lambda: not setter.screen.calling)
        assert "Calling" not in setter.page
        assert server.calls[0].gone.wait(10)
        await setter.press("escape")
        assert setter.on_top is not setter.screen


async def test_an_ollama_that_cuts_silently_is_warned_of(tmp_path: Path) -> None:
    app = make_app(tmp_path)
    profile = Profile(base_url="http://127.0.0.1:11434/v1", model="llama3")
    SettingsFile(tmp_path / "config.toml").put_profile("ollama", profile)
    seen = Seen(reached=True, kind="ollama", window=4096)
    Knowledge(profile.base_url, profile.model, app.home.cache).saw(seen)
    async with app.run_test(size=(120, 40)) as pilot:
        await at_home(pilot)
        setter = await setting(pilot)
        assert "8,192 wanted, 4,096 seen" in setter.page
        assert "silently" in setter.page and "OLLAMA_CONTEXT_LENGTH=8192" in setter.page


async def test_a_key_is_named_and_never_shown_or_written(tmp_path: Path) -> None:
    write_config(tmp_path, FAR)
    async with make_app(tmp_path).run_test(size=(120, 40)) as pilot:
        await at_home(pilot)
        setter = await setting(pilot, env={"FAR_KEY": "s3cret"})
        assert "from FAR_KEY, which is set" in setter.page
        await setter.press("e")
        await setter.sheet(Form)
        await setter.press("ctrl+s")
        await setter.until_said("Saved.")
        assert "s3cret" not in setter.file and "s3cret" not in pilot.app.export_screenshot()
        await setter.press("escape")
        assert "which is not set" in (await setting(pilot)).page


# --- consent ----------------------------------------------------------------------------------------------------------


async def test_nothing_is_sent_elsewhere_before_the_user_agrees(tmp_path: Path) -> None:
    write_config(tmp_path, FAR)
    async with make_app(tmp_path).run_test(size=(120, 40)) as pilot:
        await at_home(pilot)
        setter = await setting(pilot)
        assert "You are asked before anything is sent" in setter.page
        await setter.press("t")
        await setter.sheet(Pick)
        assert "Send your story to api.example.com?" in _text(pilot.app.screen)
        await setter.press("escape")
        await until(pilot, lambda: not setter.screen.calling)
        assert "allowed_hosts" not in setter.file and "✗" not in setter.page


async def test_an_agreement_is_remembered_and_can_be_taken_back(tmp_path: Path) -> None:
    write_config(tmp_path, FAR)
    async with make_app(tmp_path).run_test(size=(120, 40)) as pilot:
        await at_home(pilot)
        setter = await setting(pilot)
        await setter.press("e")
        await setter.sheet(Form)
        await setter.press("down", "f2")
        await setter.sheet(Pick)
        await setter.press("a")
        await until(pilot, lambda: 'allowed_hosts = ["api.example.com"]' in setter.file)
        await until(pilot, lambda: isinstance(pilot.app.screen, Form))
        await setter.press("escape")
        await setter.to("host:api.example.com")
        await setter.press("x")
        await setter.until_said("You are asked before")
        assert SettingsFile(setter.app.home.config_file).read().allowed_hosts == ()


async def test_a_new_story_may_be_played_offline_instead(tmp_path: Path) -> None:
    write_config(tmp_path, FAR)
    app = make_app(tmp_path)
    object.__setattr__(app.backstage, "choose", None)
    async with app.run_test(size=(120, 40)) as pilot:
        await at_home(pilot)
        player = Player(pilot)
        await player.press("n", "enter", "enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, Pick))
        assert "api.example.com" in _text(pilot.app.screen)
        await player.press("escape")
        await until(pilot, lambda: isinstance(pilot.app.screen, HomeScreen))
        assert not list((tmp_path / "saves").iterdir())
        await player.press("n", "enter", "enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, Pick))
        await player.press("o")
        await until(pilot, lambda: player.playing)
        assert player.session.offline
        assert SettingsFile(tmp_path / "config.toml").read().allowed_hosts == ()
        await player.session.close()


# --- agents -----------------------------------------------------------------------------------------------------------


async def test_an_agent_gets_a_model_of_its_own(tmp_path: Path) -> None:
    write_config(tmp_path, COMMENTED)
    async with make_app(tmp_path).run_test(size=(120, 40)) as pilot:
        await at_home(pilot)
        setter = await setting(pilot)
        await setter.to("agents")
        assert "writes down what somebody remembers" in setter.page
        await setter.press("enter")
        await setter.sheet(PickRow)
        await setter.press("down", "down", "enter")
        await setter.sheet(Form)
        await setter.press("right", "tab")
        await setter.fill("tiny")
        await setter.press("ctrl+s")
        await setter.until_said("The memory agent was changed")
        assert "  memory  local · tiny" in setter.rows
        await setter.to("agent:memory")
        await setter.press("x")
        await setter.until_said("memory uses the profile in use")
        assert SettingsFile(setter.app.home.config_file).read().agents == {}


# --- look and keys ----------------------------------------------------------------------------------------------------


async def test_a_theme_is_seen_before_it_is_kept(setter: Setter) -> None:
    assert setter.app.theme == "lamplight"
    await setter.to("ui.theme")
    await setter.press("enter")
    await setter.sheet(ThemeSheet)
    await setter.press("down")
    assert setter.app.theme == "tidewater"
    await setter.press("escape")
    assert (setter.app.theme, setter.file) == ("lamplight", "")
    await setter.press("enter")
    await setter.sheet(ThemeSheet)
    await setter.press("down", "down", "enter")
    await setter.until_said("inkwell")
    assert setter.app.theme == "inkwell" and 'theme = "inkwell"' in setter.file


async def test_the_pace_is_a_number(setter: Setter) -> None:
    await setter.to("ui.pace")
    assert "Words per second" in setter.page
    await setter.press("enter")
    for text, words in (("fast", "needs a number"), ("5000", "between 0 and 1,000")):
        await setter.sheet(Ask)
        await setter.fill(text)
        await setter.press("enter")
        await until(setter.pilot, partial(_refused, setter, words))
    await setter.fill("7.5")
    await setter.press("enter")
    await setter.until_said("Saved.")
    assert "pace = 7.5" in setter.file
    assert "  reading pace  7.5 words a second" in setter.rows


def _refused(setter: Setter, words: str) -> bool:
    return words in problem(setter.pilot)


async def test_switches_are_turned_at_once(setter: Setter) -> None:
    for name in ("animations", "cursor_blink", "reasoning"):
        await setter.to(f"ui.{name}")
        await setter.press("space")
        await setter.until_said("Saved.")
    assert setter.app.settings.ui.reasoning
    made = SettingsFile(setter.app.home.config_file).read().ui
    assert (made.animations, made.cursor_blink, made.reasoning) == (False, False, True)


async def test_the_cursor_of_an_open_story_stops_blinking(tmp_path: Path) -> None:
    app = make_app(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        await at_home(pilot)
        player = Player(pilot)
        await player.open(await new_session(app))
        setter = await setting(pilot, session=player.session)
        await setter.to("ui.cursor_blink")
        await setter.press("enter")
        await setter.until_said("Saved.")
        assert not player.screen.query_one(TextArea).cursor_blink
        await player.session.close()


async def test_a_key_of_one_s_own_works_at_once(setter: Setter) -> None:
    await setter.to("ui.keys")
    await setter.press("enter")
    await setter.sheet(KeysScreen)
    keys = setter.on_top
    assert isinstance(keys, KeysScreen)
    await setter.press("down", "down", "enter")
    await setter.sheet(PressKey)
    await setter.press("f9")
    await until(setter.pilot, lambda: "F9" in keys.status.hint)
    assert '"play.retry" = "f9"' in setter.file
    assert setter.app.settings.ui.keys == {"play.retry": "f9"}
    await setter.press("x")
    await until(setter.pilot, lambda: "F4" in keys.status.hint)
    assert SettingsFile(setter.app.home.config_file).read().ui.keys == {}


async def test_keys_that_would_take_something_away_are_refused(setter: Setter) -> None:
    await setter.to("ui.keys")
    await setter.press("enter")
    await setter.sheet(KeysScreen)
    keys = setter.on_top
    assert isinstance(keys, KeysScreen)
    await setter.press("down", "down", "enter")
    await setter.sheet(PressKey)
    await setter.press("f5")
    await until(setter.pilot, lambda: "F5 means takes there already" in keys.status.warning)
    await setter.press("enter")
    await setter.sheet(PressKey)
    await setter.press("g")
    await until(setter.pilot, lambda: "A letter alone is for writing" in keys.status.warning)
    assert setter.file == ""


# --- with a story open ------------------------------------------------------------------------------------------------


async def test_the_open_story_is_told_by_the_new_model(tmp_path: Path, server: ScriptedServer) -> None:
    write_config(tmp_path, "[ui]\npace = 0\n")
    app = make_app(tmp_path)
    object.__setattr__(app.backstage, "choose", None)
    async with app.run_test(size=(120, 40)) as pilot:
        await at_home(pilot)
        player = Player(pilot)
        await player.press("n", "enter", "enter")
        await until(pilot, lambda: player.playing and player.session.phase == "idle")
        await until(pilot, lambda: player.session.game.state.turn == 1)
        lists(server, MODELS[0])
        setter = await setting(pilot, ports=[server.port], session=player.session)
        await setter.to(f"server:{server.url}")
        await setter.press("enter")
        await setter.until_said(f"{MODELS[0]} goes on with the story that is open")
        assert player.session.model_name == MODELS[0] and not player.session.offline
        await setter.press("escape")
        await until(pilot, lambda: MODELS[0] in player.screen.query_one(Masthead).where.model)
        await player.session.close()


async def test_the_open_story_is_told_at_the_new_pace(tmp_path: Path) -> None:
    write_config(tmp_path, "[ui]\npace = 0\n")
    app = make_app(tmp_path)
    object.__setattr__(app.backstage, "choose", None)
    async with app.run_test(size=(120, 40)) as pilot:
        await at_home(pilot)
        player = Player(pilot)
        await player.press("n", "enter", "enter")
        await until(pilot, lambda: player.playing and player.session.game.state.turn == 1)
        setter = await setting(pilot, session=player.session)
        await setter.to("ui.pace")
        await setter.press("enter")
        await setter.sheet(Ask)
        await setter.fill("900")
        await setter.press("enter")
        await setter.until_said("The offline storyteller goes on with the story that is open")
        await player.session.close()


def _text(screen: object) -> str:
    assert isinstance(screen, Screen)
    return "\n".join(str(part.render()) for part in screen.query(Static))
