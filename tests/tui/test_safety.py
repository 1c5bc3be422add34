"""Whatever a model, a pack, a save or a player writes is text on every widget: no markup, link or escape."""

import json
from functools import partial
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
from tests.support.fake_model import Scripted, beat_form, chapter, narration, small_pack
from tests.support.fake_server import ScriptedServer
from tests.support.games import new_game
from tests.support.hostile_text import NASTY, drawn, nasty
from tests.support.pilot import (
    Player,
    at_home,
    make_app,
    new_session,
    opens,
    playing,
    problem,
    running,
    until,
)
from tests.support.settings_pilot import lists, setting, write_config
from theact_tui.engine.events import Notice
from theact_tui.errors import CallError
from theact_tui.exports.write_file import FORMATS, export_save, write_export
from theact_tui.packs.listing import PackEntry
from theact_tui.saves.library import Library
from theact_tui.saves.listing import SaveEntry
from theact_tui.saves.save import Save
from theact_tui.story.pack import Character, GameInfo, Pack
from theact_tui.text import is_slug
from theact_tui.tui.branches.compare import CompareScreen
from theact_tui.tui.branches.screen import BranchesScreen
from theact_tui.tui.open_stories import LibraryListing
from theact_tui.tui.play.screen import PlayScreen
from theact_tui.tui.settings.forms import ModelForm
from theact_tui.tui.widgets.dialogs import FormDialog, ListDialog
from theact_tui.tui.widgets.external_edits import ExternalEditsDialog
from theact_tui.tui.widgets.status_line import StatusLine

pytestmark = pytest.mark.painted
SEEN = "[@click=app.quit]x[/]"


def nasty_pack() -> Pack:
    pack = small_pack()
    return pack.model_copy(
        update={
            "game": GameInfo.model_validate(
                {**pack.game.model_dump(), "title": nasty("Title"), "description": nasty("About")}
            ),
            "characters": {
                id: Character(name=nasty(id), role=nasty("role"), personality="p") for id in pack.characters
            },
            "chapters": {
                "one": chapter(
                    "one",
                    "two",
                    title=nasty("One"),
                    beats=tuple(f"{beat} {NASTY[:50]}" for beat in ("first", "second")),
                ),
                "two": chapter("two"),
            },
        }
    )


async def test_a_story_its_takes_its_tree_and_a_comparison_full_of_traps(tmp_path: Path) -> None:
    model = Scripted()
    fact = json.dumps({"new": [{"fact": nasty("Fact"), "kind": "none"}]})
    model.answers |= {
        "narrator": narration(nasty("It tells."), "ann", "tense"),
        "character": nasty("She says."),
        "memory": fact,
        "progress": beat_form(1),
    }
    async with playing(tmp_path, (140, 60), model, nasty_pack()) as player:
        pilot, app = player.pilot, player.app
        await player.say(nasty("I say"))
        shown = drawn(app)
        assert f"It tells. {SEEN}" in shown and f"I say {SEEN}" in shown
        assert "[bold red]y[/]" in shown
        model.answers["narrator"] = narration(nasty("It says otherwise."), "ann", "calm")
        await player.press("f4")
        await until(pilot, lambda: "take 2 of 2" in drawn(app))
        await player.turn(2)
        await player.press("f3")
        await until(pilot, lambda: f"It says otherwise. {SEEN}" in drawn(app))
        await player.press("space", "down")
        await until(pilot, lambda: f"It tells. {SEEN}" in drawn(app))
        await opens(pilot, CompareScreen, "c")
        await player.press("tab")
        await until(pilot, lambda: f"otherwise. {SEEN}" in drawn(app))
        await player.press("f1")
        await pilot.pause()
        drawn(app)
        await opens(pilot, PlayScreen, "escape", "escape", "escape")
        model.answers["narrator"] = CallError("refused", nasty("The server says"))
        await player.send("again")
        await until(pilot, lambda: "The turn failed" in player.page)
        assert f"The server says {SEEN}" in drawn(app)
        await player.send("/" + NASTY.replace("\x1b", ""))
        await until(pilot, lambda: bool(player.status.warning))
        drawn(app)
        await player.send("/memory")
        await until(pilot, lambda: "/memory" in player.page)
        drawn(app)
        await player.press("tab", "enter")
        drawn(app)
        for key in ("f1", "ctrl+p", "ctrl+g"):
            await player.press("escape", key)
            await pilot.pause()
            drawn(app)
            await player.press("escape")


async def test_a_shelf_full_of_traps(tmp_path: Path) -> None:
    saves = (
        SaveEntry(
            name="a", title=nasty("Save"), player=nasty("Ada"), chapter=nasty("Ch"), branch=nasty("br"),
            line=nasty("Last"), turn=3, pack="p",
        ),
        SaveEntry(name="b", title=nasty("Torn"), broken=nasty("Why")),
    )  # fmt: skip
    packs = (
        PackEntry(
            id="p", folder=tmp_path, title=nasty("Pack"), description=nasty("About"), cast=((nasty("A"), nasty("r")),),
            chapters=(nasty("One"),), memory=nasty("facts"),
        ),
        PackEntry(id="q", folder=tmp_path, title=nasty("Bad"), broken=nasty("Reason")),
    )  # fmt: skip
    app = make_app(tmp_path)

    async def listing() -> LibraryListing:
        return LibraryListing(saves, packs, nasty("model"))

    object.__setattr__(app.services, "listing", listing)
    async with running(app, (140, 40)) as pilot:
        for _ in range(4):
            assert SEEN in drawn(app)
            await pilot.press("down")
            await pilot.pause()
        await pilot.press("home", "r")
        await pilot.pause()
        drawn(app)
        await pilot.press("escape", "x")
        await pilot.pause()
        drawn(app)
        await pilot.press("escape")


TITLES = (
    "../../../etc/passwd", "..\\..\\windows", "/", ".", "..", "CON", "nul.txt", "COM1", "con/", "-rf *", "~", "\u0000x",
    "\n\n", "a" * 300, "\u202etxt.exe", nasty("Title"), "静かな夜", "🕯🕯", "e\u0301\u0301" * 90, " ",
    "a:b|c?d<e>f*", "%2e%2e%2f",
)  # fmt: skip


@pytest.mark.parametrize("title", TITLES, ids=range(len(TITLES)))
def test_no_title_leads_a_file_astray(tmp_path: Path, title: str) -> None:
    with Save.create(tmp_path / "saves" / "one", new_game(title)) as save:
        files = [export_save(save, format) for format in FORMATS for _ in range(2)]
    files += [write_export(b"text", None, tmp_path, title, "txt") for _ in range(2)]
    assert len(set(files)) == len(files)
    for file in files:
        assert file.parent == tmp_path / "exports"
        assert file.is_file() and is_slug(file.stem) and len(file.name) < 64


async def test_a_notice_and_a_branch_whose_name_is_full_of_traps(tmp_path: Path) -> None:
    app = make_app(tmp_path)
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await at_home(pilot)
        player = Player(pilot)
        session = await new_session(app)
        await player.open(session)
        branch = await session.branch_at(nasty("Fork"))
        await opens(pilot, BranchesScreen, "f3")
        await until(pilot, lambda: "Fork" in drawn(app))
        await opens(pilot, FormDialog, "n")
        app.screen.query_one(Input).value = nasty("Fork")
        await player.press("enter")
        await until(pilot, lambda: "already" in problem(pilot))
        assert SEEN in drawn(app)
        await opens(pilot, PlayScreen, "escape", "escape")
        for line in (f"/switch {branch}", "/history", "/export md", "/status"):
            await player.send(line)
            await until(pilot, partial(_answered, player, line))
            drawn(app)
        session.bus.publish(Notice(text=nasty("Warning")))
        session.bus.publish(Notice(text=nasty("Hear"), level="info"))
        await until(pilot, lambda: f"Warning {SEEN}" in drawn(app) and f"Hear {SEEN}" in drawn(app))
        await session.close()


def _answered(player: Player, line: str) -> bool:
    return line in player.page or player.session.branch in line


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
    async with running(make_app(tmp_path), (140, 50)) as pilot:
        setter = await setting(pilot, ports=[server.port])
        await until(pilot, lambda: SEEN in drawn(setter.app))
        rows = [option.id for option in setter.screen.list.options if option.id]
        for id in rows:
            await setter.to(id)
            drawn(setter.app)
        profile = next(id for id in rows if id.startswith("profile:"))
        await setter.press("e", at=profile, asks=ModelForm)
        assert SEEN in drawn(setter.app)
        await setter.press("escape", "x")
        assert SEEN in drawn(setter.app)
        await setter.press("escape")
        await setter.press("enter", at=f"server:http://127.0.0.1:{server.port}/v1", asks=ListDialog)
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
        master.fill("world", nasty("A world."))
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
