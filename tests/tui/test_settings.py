"""The settings: who tells the story, what is found, single agents."""

from pathlib import Path

from tests.support.fake_server import ScriptedServer
from tests.support.pilot import at_home, make_app, opens, problem, running, until
from tests.support.settings_pilot import MODELS, Setter, box_of, configured, lists, setting, write_config
from theact_tui.models.environment import ModelOptions
from theact_tui.models.profiles import Profile
from theact_tui.models.settings import SettingsFile
from theact_tui.tui.home.screen import HomeScreen
from theact_tui.tui.settings.forms import ModelForm
from theact_tui.tui.settings.screen import SettingsScreen
from theact_tui.tui.widgets.dialogs import ConfirmDialog, ListDialog

COMMENTED = """\
# my settings
profile = "local"  # the good one

[profiles.local]
base_url = "http://127.0.0.1:9/v1"
model = "small"
"""
HEX_KEY = "gsk_b1946ac92492d2347c6235b4d2611184"


# --- coming and going -------------------------------------------------------------------------------------------------


async def test_s_opens_the_settings_which_say_what_tells_a_story_in_a_new_home(tmp_path: Path) -> None:
    async with running(make_app(tmp_path), (120, 40)) as pilot:
        await opens(pilot, SettingsScreen, "s")
        await opens(pilot, HomeScreen, "escape")
        setter = await setting(pilot)
        assert "● offline storyteller" in setter.rows
        assert "in use" in setter.page and "no network" in setter.page
        assert "ollama pull ministral-3:8b" in setter.page, "from nothing to a model"
        assert any("No model server found" in row for row in setter.rows)
        assert setter.file == ""


async def test_a_file_that_cannot_be_read_says_so_and_is_read_again(tmp_path: Path) -> None:
    app = make_app(tmp_path)
    write_config(tmp_path, "[profiles\n")
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await at_home(pilot)
        app.notify("config.toml is not valid TOML.")
        await until(pilot, lambda: len(pilot.app.screen.query("Toast")) == 1, "the warning")
        screen = SettingsScreen()
        app.push_screen(screen)
        setter = Setter(pilot, screen)
        await until(pilot, lambda: pilot.app.screen is screen and screen.is_mounted)
        await until(pilot, lambda: "cannot be read" in setter.page)
        await setter.press("f5")
        assert not screen.query("Toast"), "the page says it"
        assert "config.toml" in setter.page and "F5" in setter.page
        assert not screen.check_action("act", ("add",))
        write_config(tmp_path, COMMENTED)
        await setter.press("f5")
        await until(pilot, lambda: "● local  small · 127.0.0.1:9" in setter.rows)


@configured('[ui]\nthem = "fog"\n')
async def test_keys_that_mean_nothing_are_told(setter: Setter) -> None:
    await setter.until_said("ui.them")
    await setter.press("enter", "escape", at="ui.theme", says="ui.them")
    await setter.press("enter", at="ui.cursor_blink", says="Saved")


# --- servers and profiles ---------------------------------------------------------------------------------------------


async def test_a_server_on_this_computer_becomes_a_profile_by_one_key_and_of_several_models_one_is_picked(
    tmp_path: Path, server: ScriptedServer
) -> None:
    async with running(make_app(tmp_path), (120, 40)) as pilot:
        lists(server, MODELS[0])
        setter = await setting(pilot, ports=[server.port])
        await setter.to(f"server:{server.url}")
        assert "llama.cpp" in setter.page and MODELS[0] in setter.page and "4,096 tokens" in setter.page
        await setter.press("enter", says=f"Now using {MODELS[0]}.")
        settings = SettingsFile(tmp_path / "config.toml").read()
        made = Profile(base_url=server.url, model=MODELS[0], context_limit=4096)
        assert settings.profiles[settings.profile] == made
        lists(server, *MODELS)
        await setter.press("f5")
        await setter.settle()
        for _ in range(2):
            await setter.press("enter", at=f"server:{server.url}", asks=ListDialog)
            await setter.press("down", "enter", says=f"Now using {MODELS[1]}")
            assert f'model = "{MODELS[1]}"' in setter.file
        assert setter.file.count("[profiles.") == 2


async def test_a_profile_is_added_with_every_field_explained(setter: Setter) -> None:
    await setter.all_fields()
    about = setter.pilot.app.screen.query_one(".sentence")
    await setter.fill("mine", "enter")
    assert "OpenAI-compatible server" in str(about.render())
    await setter.fill("localhost:8080", "enter")
    assert "as the server knows it" in str(about.render())
    await setter.fill("small", "tab", "tab")
    await setter.fill("4096", "ctrl+s", says="Saved")
    made = SettingsFile(setter.app.home.config_file).read()
    assert made.profiles["mine"] == Profile(
        base_url="http://localhost:8080", model="small", context_limit=4096
    )
    assert made.profile == "mine"
    assert "timeout" not in setter.file
    assert setter.screen.list.marked == "profile:mine"


@configured(COMMENTED)
async def test_what_is_typed_wrong_is_said_and_kept(setter: Setter) -> None:
    await setter.all_fields()
    form = setter.app.screen
    for field, right, wrong in (
        ("name", "mine", {"offline": "offline", "local": "already", " ": "name is missing"}),
        ("base_url", "localhost:1", {"ftp://somewhere": "is not a server address"}),
        ("api_key_env", "", dict.fromkeys(("sk-4f9a3b7c", HEX_KEY), "must be the name of a variable")),
        ("context_limit", "", {"many": "Context window must be a whole number, not 'many'."}),
    ):
        form.set_focus(box_of(form, field))
        for text, why in wrong.items():
            await setter.fill(text, "ctrl+s")
            assert why in problem(setter.pilot) and form.focused is box_of(form, field)
            assert field != "api_key_env" or text not in problem(setter.pilot)
        await setter.fill(right)
    await setter.press("escape")
    assert setter.file == COMMENTED


async def test_f2_in_the_form_asks_the_server_for_its_models_and_fills_in_where_to_begin_with_sampling(
    setter: Setter, server: ScriptedServer
) -> None:
    await setter.all_fields()
    form = setter.app.screen
    assert isinstance(form, ModelForm)
    await setter.press("tab")
    await setter.fill(server.url)
    await setter.press("tab", "f2", asks=ListDialog)
    await setter.press("down", "enter")
    await until(setter.pilot, lambda: setter.app.screen is form)
    await until(setter.pilot, lambda: form.answers["model"] == MODELS[1])
    form.set_focus(box_of(form, "base_url"))
    await setter.fill("http://127.0.0.1:5001/v1")
    form.set_focus(box_of(form, "sampling"))
    await setter.press("f2")
    await until(setter.pilot, lambda: "dry_multiplier = 0.8" in form.answers["sampling"])
    await setter.press("ctrl+s")
    await until(setter.pilot, lambda: "[profiles" in setter.file and "min_p = 0.05" in setter.file)


@configured(
    COMMENTED
    + '\n[profiles.other]\nbase_url = "http://127.0.0.1:10/v1"\n'
    + '\n[agents.memory]\nprofile = "local"\ntemperature = 0.1\n'
)
async def test_another_profile_is_taken_into_use_and_one_is_deleted_after_asking(setter: Setter) -> None:
    await setter.press("enter", at="profile:other", says="Stories now use other")
    assert "● other  127.0.0.1:10" in setter.rows
    await setter.press("enter", at="offline", says="Stories now use")
    assert 'profile = "offline"  # the good one' in setter.file
    await setter.press("enter", at="profile:local", says="Stories now use local")
    await setter.press("x", asks=ConfirmDialog)
    await setter.press("y", says="Deleted local")
    assert "● offline storyteller" in setter.rows
    left = SettingsFile(setter.app.home.config_file).read()
    assert list(left.profiles) == ["other"] and left.agents["memory"].profile == ""
    assert left.agents["memory"].temperature == 0.1


async def test_what_the_environment_decides_is_said(tmp_path: Path) -> None:
    write_config(tmp_path, COMMENTED)
    async with running(make_app(tmp_path), (120, 40)) as pilot:
        setter = await setting(pilot, env={"LLM_BASE_URL": "http://127.0.0.1:1/v1"})
        assert "LLM_BASE_URL selects the model now" in setter.page
        await setter.press("escape")
        setter = await setting(pilot, options=ModelOptions(offline=True))
        assert "--offline selects" in setter.page


# --- agents -----------------------------------------------------------------------------------------------------------


@configured(COMMENTED)
async def test_editing_keeps_the_comments_and_an_agent_gets_a_model_of_its_own(setter: Setter) -> None:
    await setter.press("e", asks=ModelForm)
    await setter.press("down")
    await setter.fill("smaller", *["down"] * 9, "right", "ctrl+s", says="Saved local.")
    assert "# my settings" in setter.file and "# the good one" in setter.file
    assert 'model = "smaller"' in setter.file and 'structured = "json_schema"' in setter.file
    await setter.to("agents")
    assert "updates a character's memories" in setter.page
    await setter.press("enter", asks=ListDialog)
    await setter.press("down", "down", "down", "enter", asks=ModelForm)
    await setter.press("right", "tab")
    await setter.fill("tiny", "ctrl+s", says="Saved the memory agent")
    assert "  memory  local · tiny" in setter.rows
    await setter.press("x", at="agent:memory", says="memory now uses the default model")
    assert SettingsFile(setter.app.home.config_file).read().agents == {}
