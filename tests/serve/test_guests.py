"""S20: a visitor has no power over the host: no files, no keys, no models, no addresses."""

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from textual.drivers.web_driver import WebDriver
from textual.pilot import Pilot
from textual.widgets import Static

from tests.importing.chats import write
from tests.support.direct_pilot import Master, new_chapter
from tests.support.pilot import Player, at_home, footer, make_app, new_session, opens, problem, running, until
from tests.support.settings_pilot import setting, write_config
from theact_tui.cli import main
from theact_tui.engine.commands import COMMANDS, run_command
from theact_tui.engine.direct.example import example
from theact_tui.errors import TheActError, UsageError
from theact_tui.exports.write_file import export_save
from theact_tui.models import start_llama
from theact_tui.models.discovery import Server
from theact_tui.models.environment import ModelOptions
from theact_tui.models.profiles import Override, Profile
from theact_tui.paths import Home
from theact_tui.saves.library import Library
from theact_tui.saves.save import Save
from theact_tui.story.direct.state import fill_setup
from theact_tui.tui.app import TheActApp
from theact_tui.tui.home.import_dialog import ImportDialog
from theact_tui.tui.settings.service import SettingsService
from theact_tui.tui.widgets.dialogs import ListDialog

KEY = "sk-the-hosts-own-key-123"
CONFIG = """\
profile = "mine"
allowed_hosts = ["api.example.org"]
[profiles.mine]
base_url = "http://192.168.7.7:8080/v1"
model = "big-model"
api_key_env = "HOST_KEY"
"""
CARD = json.dumps({"spec": "chara_card_v2", "data": {"name": "Mira", "description": "A ferrywoman."}})
BOOK = json.dumps(
    {"name": "The mire", "entries": {"0": {"uid": 0, "key": ["mire"], "content": "It is deep."}}}
)


class Browser:
    """What a browser was sent."""

    def __init__(self) -> None:
        self.files: list[Path] = []
        self.pages: list[str] = []


@pytest.fixture
def browser(monkeypatch: pytest.MonkeyPatch) -> Browser:
    """The app believes to be in a browser, which is this one."""
    browser = Browser()
    monkeypatch.setattr(TheActApp, "is_web", property(lambda app: True))
    monkeypatch.setattr(TheActApp, "deliver_binary", lambda app, file: browser.files.append(file))
    monkeypatch.setattr(TheActApp, "open_url", lambda app, url: browser.pages.append(url))
    return browser


@pytest.fixture
async def pilot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, browser: Browser
) -> AsyncIterator[Pilot[None]]:
    """A visitor in a home whose host has a model behind a key."""
    monkeypatch.setenv("HOST_KEY", KEY)
    write_config(tmp_path / "home", CONFIG)
    app = make_app(tmp_path / "home")
    app.home = replace(app.home, guest=True)
    app.services = replace(app.services, home=app.home)
    async with running(app, (120, 40)) as pilot:
        yield pilot


def guest(pilot: Pilot[None]) -> TheActApp:
    return cast(TheActApp, pilot.app)


async def story_file(tmp_path: Path) -> Path:
    """A story of the host's, exported as a whole save."""
    app = make_app(tmp_path / "elsewhere")
    session = await new_session(app)
    await session.close()
    with Save.open(session.folder, write=False) as save:
        return export_save(save, "save")


@pytest.mark.posix("links")
async def test_an_import_takes_no_path_but_what_was_uploaded(
    pilot: Pilot[None], browser: Browser, tmp_path: Path
) -> None:
    file, app = await story_file(tmp_path), guest(pilot)
    uploads = app.home.data / "uploads"
    uploads.mkdir()
    (uploads / "link.theact").symlink_to(file)
    for path in (
        file,
        uploads / "link.theact",
        uploads / ".." / ".." / file.name,
        Path("uploads/link.theact"),
    ):
        with pytest.raises(UsageError, match="Upload one instead"):
            await app.services.propose([path])
    (uploads / "link.theact").unlink()
    await opens(pilot, ListDialog, "i")
    await pilot.press("enter")
    await until(pilot, lambda: browser.pages == ["/upload"])
    (uploads / "mine.theact").write_bytes(file.read_bytes())
    await at_home(pilot)
    await opens(pilot, ListDialog, "i")
    await pilot.press("home", "enter")
    await until(pilot, lambda: isinstance(app.screen, ImportDialog) and "enter import" in footer(pilot))
    assert str(tmp_path) not in str(app.screen.query_one("#found Static", Static).visual)
    await pilot.press("enter")
    await until(pilot, lambda: Library(app.home.data).names() == ["small"])
    await until(pilot, lambda: "esc close" in footer(pilot))
    await pilot.press("escape")
    await until(pilot, lambda: not any(uploads.iterdir()))


async def test_a_card_of_the_host_joins_no_visitor_s_story_and_what_is_exported_goes_to_the_browser(
    pilot: Pilot[None], browser: Browser, tmp_path: Path
) -> None:
    (tmp_path / "card.json").write_text(CARD)
    player = Player(pilot)
    await player.open(await new_session(guest(pilot)))
    await player.send("/export md")
    await until(pilot, lambda: "Your browser downloads" in player.page)
    assert [file.name for file in browser.files] == ["small.md"]
    assert str(guest(pilot).home.data) not in player.page
    await player.type(f"/cast add {tmp_path}/card.json")
    await player.press("enter")
    await until(pilot, lambda: "Upload one instead" in problem(pilot))
    with pytest.raises(UsageError, match="Upload one instead"):
        await run_command(player.session, f"/cast add {tmp_path}/none.png")
    assert set(player.session.game.pack.characters) == {"ann", "bob"}
    await player.session.close()


async def test_what_is_no_story_is_taken_away_and_a_card_and_its_lorebook_make_one_pack(
    pilot: Pilot[None], browser: Browser
) -> None:
    app = guest(pilot)
    uploads = write(app.home.data / "uploads", {"page.html": "<html>"})
    await opens(pilot, ListDialog, "i")
    await pilot.press("home", "enter")
    await until(pilot, lambda: app.screen.has_class("-refused"))
    await pilot.press("enter", "escape")
    await until(pilot, lambda: not any(uploads.iterdir()))
    write(uploads, {"mira.json": CARD, "mire.json": BOOK})
    await at_home(pilot)
    await opens(pilot, ListDialog, "i")
    await pilot.press("end", "up", "enter")
    await until(pilot, lambda: isinstance(app.screen, ImportDialog) and "enter import" in footer(pilot))
    await pilot.press("enter")
    await until(pilot, lambda: "esc close" in footer(pilot))
    await pilot.press("escape")
    (pack,) = app.home.packs.iterdir()
    assert "Mira" in (pack / "game.yaml").read_text() and any((pack / "lore").iterdir())


async def test_the_first_hint_names_nothing_a_guest_cannot_do(pilot: Pilot[None]) -> None:
    shown = pilot.app.export_screenshot().replace("&#160;", " ")
    assert "starts a story" in shown and "connects a model" not in shown
    assert "/" not in guest(pilot).report(RuntimeError("boom")), "nor does an error tell a path"


async def test_no_command_reads_or_writes_a_file_of_the_host(pilot: Pilot[None], tmp_path: Path) -> None:
    secret = tmp_path / "secret.theact"
    secret.write_text(KEY)
    session = await new_session(guest(pilot))
    outside = {path: path.lstat().st_mtime_ns for path in tmp_path.iterdir() if path.name != "home"}
    said = ""
    for name in sorted(COMMANDS):
        for way in (str(secret), "../../../secret.theact", f"md {secret}", f"x {secret}", "~/.ssh/id_rsa"):
            try:
                said += (await run_command(session, f"/{name} {way}")).text
            except TheActError as error:
                said += error.message
    assert KEY not in said
    assert outside == {path: path.lstat().st_mtime_ns for path in tmp_path.iterdir() if path.name != "home"}
    await session.close()


async def test_a_chapter_is_not_written_to_the_hosts_downloads(
    pilot: Pilot[None], browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DOWNLOAD_DIR", str(tmp_path / "downloads"))
    master, session = Master(pilot), await new_chapter(guest(pilot))
    session.edit(fill_setup, example().setup)
    await session.lock()
    await session.prompt(1, "I look.")
    await session.end()
    await session.build()
    await master.open(session)
    master.screen.action_download()
    await until(pilot, lambda: pilot.app.screen is not master.screen)
    await pilot.press("enter")
    await until(pilot, lambda: bool(browser.files))
    assert browser.files[0].parent == guest(pilot).home.data / "exports"
    assert not (tmp_path / "downloads").exists()
    await session.close()


async def test_the_settings_show_and_change_only_the_look(pilot: Pilot[None]) -> None:
    setter = await setting(pilot, env={"HOST_KEY": KEY})
    shown = "\n".join(setter.rows)
    assert "theme" in shown and "Chosen by whoever runs this server." in shown
    everything = shown + setter.page + guest(pilot).export_screenshot()
    assert not any(
        word in everything for word in ("mine", "big-model", "192.168", "HOST_KEY", KEY, "example.org")
    )
    await setter.press("a", "e", "t", "x", "m")
    assert setter.on_top is setter.screen
    await setter.to("ui.animations")
    before = setter.file
    await setter.press("enter")
    await until(pilot, lambda: setter.file != before)
    assert before in setter.file


async def test_every_way_to_other_models_hosts_and_keys_is_refused(
    pilot: Pilot[None], tmp_path: Path
) -> None:
    app = guest(pilot)
    service = SettingsService(app.home, ModelOptions(), env=lambda: {"HOST_KEY": KEY})
    thief = Profile(base_url="http://127.0.0.1:9/v1", api_key_env="HOST_KEY")
    before = app.home.config_file.read_text()
    for attempt in (
        service.put("profiles", "mine", thief, use=True),
        service.set({("profiles", "mine"): None}),
        service.put("agents", "narrator", Override(profile="mine")),
        service.set({("allowed_hosts",): ["evil.example"]}),
        service.set({("profile",): "offline"}),
        service.set({("ui", "theme"): "dark", ("profiles", "mine", "base_url"): "http://evil.example"}),
        service.models_of(thief),
        service.try_profile(thief),
        service.connect(thief, "typed"),
        service.model_server(Server("llama.cpp", "http://127.0.0.1:9/v1", (), 0, "llama.cpp")),
        start_llama.start(app.home, stays=True),
        app.services.allow(["evil.example"]),
    ):
        with pytest.raises(UsageError, match="whoever runs this server"):
            await attempt
    assert app.home.config_file.read_text() == before
    assert await service.servers() == [] and await app.services.server() == ""
    assert "/" not in service.place


def test_no_editor_is_opened_on_the_host_for_a_browser() -> None:
    """An editor needs an app that steps aside, and one in a browser cannot."""
    assert not object.__new__(WebDriver).can_suspend


def test_the_flag_of_the_server_makes_a_guest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Home] = []

    def run(home: Home, *_: Any, **__: Any) -> int:
        seen.append(home)
        return 0

    monkeypatch.setattr("theact_tui.tui.app.run_app", run)
    monkeypatch.setenv("TEXTUAL_DRIVER", "textual.drivers.web_driver:WebDriver")
    assert main(["--home", str(tmp_path), "--guest"]) == main(["--home", str(tmp_path)]) == 0
    assert [home.guest for home in seen] == [True, False]
