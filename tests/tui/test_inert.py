"""S13 on the pages that no story passes through: settings, files changed by hand, directed chapters, notices, boxes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import tomlkit
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static, TextArea
from textual.widgets.option_list import Option

from tests.support.direct_pilot import Master, app_for, new_chapter, scripted
from tests.support.fake_server import ScriptedServer
from tests.support.hostile_text import drawn, nasty
from tests.support.pilot import Player, at_home, make_app, new_session, until
from tests.support.settings_pilot import lists, setting, write_config
from theact_tui.engine.events import Notice
from theact_tui.saves.library import Library
from theact_tui.tui.settings.forms import ModelForm
from theact_tui.tui.widgets.dialogs import ListDialog
from theact_tui.tui.widgets.external_edits import ExternalEditsDialog
from theact_tui.tui.widgets.status_line import StatusLine

SEEN = "[@click=app.quit]x[/]"


class Careless(ModalScreen[None]):
    """A page whose makers forgot to clean what they show."""

    DEFAULT_CSS = "Careless { Vertical { border: solid; } TextArea, OptionList { height: 4; } }"

    def compose(self) -> ComposeResult:
        with Vertical() as box:
            box.border_title = Content(nasty("Border"))
            yield Static(nasty("Text"), markup=False)
            yield Static(Content(nasty("Content")))
            yield Input(nasty("Box") + "\nmore\t", placeholder=nasty("Hint"))
            yield TextArea(nasty("Area"))
            yield OptionList(Option(nasty("Row")), markup=False)
            yield StatusLine(id="line")


async def test_no_widget_can_steer_the_terminal_even_where_cleaning_was_forgotten(tmp_path: Path) -> None:
    app = make_app(tmp_path)
    async with app.run_test(size=(140, 40), notifications=True) as pilot:
        await at_home(pilot)
        app.push_screen(Careless())
        await pilot.pause()
        app.screen.query_one(StatusLine).warning = nasty("Warning")
        app.notify(nasty("Toast"), markup=False)
        await pilot.pause()
        shown = drawn(app)
        for place in ("Border", "Text", "Content", "Box", "Area", "Row", "Warning", "Toast"):
            assert f"{place} {SEEN}" in shown, place


async def test_a_notice_is_text_where_it_pops_up(tmp_path: Path) -> None:
    app = make_app(tmp_path)
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await at_home(pilot)
        player = Player(pilot)
        await player.open(await new_session(app))
        player.session.bus.publish(Notice(text=nasty("Hear"), level="info"))
        await until(pilot, lambda: "Hear" in drawn(app))
        assert SEEN in drawn(app)
        await player.session.close()


def hostile_config() -> str:
    name = nasty("mine")
    return tomlkit.dumps(
        {
            "profile": name,
            "allowed_hosts": [nasty("host")],
            "profiles": {name: {"base_url": "http://127.0.0.1:9/v1", "model": nasty("model")}},
            "agents": {nasty("narrator"): {"profile": name, "model": nasty("small")}},
            "ui": {"theme": nasty("theme"), "keys": {nasty("play.retry"): nasty("f4")}},
            nasty("unknown"): 1,
        }
    )


async def test_settings_full_of_traps(tmp_path: Path, server: ScriptedServer) -> None:
    lists(server, nasty("one"), nasty("two"))
    write_config(tmp_path, hostile_config().replace("\ud800", ""))
    async with make_app(tmp_path).run_test(size=(140, 50)) as pilot:
        await at_home(pilot)
        setter = await setting(pilot, ports=[server.port])
        await until(pilot, lambda: SEEN in drawn(setter.app))
        rows = [option.id for option in setter.screen.list.options if option.id]
        for id in rows:
            await setter.to(id)
            drawn(setter.app)
        profile = next(id for id in rows if id.startswith("profile:"))
        await setter.to(profile)
        await setter.press("e")
        await setter.sheet(ModelForm)
        assert SEEN in drawn(setter.app)
        await setter.press("escape", "x")
        assert SEEN in drawn(setter.app)
        await setter.press("escape")
        await setter.to(f"server:http://127.0.0.1:{server.port}/v1")
        await setter.press("enter")
        await setter.sheet(ListDialog)
        assert SEEN in drawn(setter.app)
        await setter.press("escape")


@pytest.mark.parametrize("whole", [True, False], ids=["changed", "broken"])
async def test_files_changed_by_hand_full_of_traps(tmp_path: Path, whole: bool) -> None:
    app = make_app(tmp_path)
    session = await new_session(app)
    await session.play("I go down.")
    await session.close()
    file = Library(app.home.data).path("small") / "turns/0000/01.yaml"
    line = (
        json.dumps(nasty("I stay up.").replace("\ud800", "")) if whole else nasty("{").replace("\ud800", "")
    )
    file.write_text(file.read_text().replace("I go down.", line), "utf-8")
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await at_home(pilot)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ExternalEditsDialog) and "restore" in drawn(app))
        await pilot.press("l")
        await pilot.pause()
        assert SEEN in drawn(app)
        await pilot.press("escape")


async def test_a_directed_chapter_full_of_traps(tmp_path: Path) -> None:
    model = scripted()
    model.answers |= {
        "lock": json.dumps({"world": {"genre": nasty("gothic")}, "chapter": {"premise": nasty("Bell.")}}),
        **{f"actor:{n}": nasty("I try.") for n in range(1, 8)},
        "chapter": nasty("It was told."),
    }
    app = app_for(tmp_path)
    async with app.run_test(size=(140, 50), notifications=True) as pilot:
        master = Master(pilot)
        session = await new_chapter(app, model)
        await master.open(session)
        await master.press("f5")
        master.cell("world").fill(nasty("A world."))
        assert SEEN in drawn(app)
        await master.lock()
        await master.build()
        for tab in ("f2", "f3", "f4"):
            await master.press(tab)
            await pilot.pause()
            assert SEEN in drawn(app)
        await master.press("ctrl+g", "g")
        await until(pilot, lambda: "YOU ARE HERE" in drawn(app))
        await master.press("left", "c")
        await pilot.pause()
        drawn(app)
        await session.close()
