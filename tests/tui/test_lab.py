"""The Lab screen: runs, how far they are, their games, and what can be done with them; and its pictures."""

import shutil
from collections.abc import AsyncIterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import cast

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, OptionList

from tests.support.pictures import SMALL, Picture
from tests.support.pilot import Player, at_home, make_app, opens, problem, until
from tests.support.said import said, text_of
from theact_tui.lab.plan import make_plan
from theact_tui.lab.play_game import failed
from theact_tui.lab.run_folder import ANSWER, RESULTS
from theact_tui.lab.run_plan import begin, play_all
from theact_tui.paths import Home
from theact_tui.tui.app import TheActApp
from theact_tui.tui.lab.rows import MORE
from theact_tui.tui.lab.screen import LabScreen
from theact_tui.tui.play.screen import PlayScreen
from theact_tui.tui.widgets.dialogs import FormDialog


@pytest.fixture(scope="session")
def half_a_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six games: three are played, one failed, two are left. Played once; every test has a copy."""
    home = Home.find(tmp_path_factory.mktemp("run")).create()
    plan = make_plan("lost-island", players="hasty,lost", profiles="offline", seeds=3, turns=3)
    run, jobs = begin(plan, home, home.lab / "island")
    for played in islice(play_all(jobs), 3):
        run.add(played)
    run.add(failed(jobs[3].cell, "The server at 127.0.0.1:9 does not answer."))
    for place, result in enumerate(run.results()):
        if result["measures"]:  # the same whatever packs and prompts say
            result["measures"]["scores"] = {name: place + number for number, name in enumerate(MORE)}
            result["measures"]["scores"].update(beats=0.06, speaks_for_player=0.2, repetition=0.1 * place)
            run.append(RESULTS, result)
    (run.folder / ANSWER).write_text("b is better than a: speaks for the player 0% against 95%.\n")
    return home.lab


@pytest.fixture
def app(tmp_path: Path, half_a_run: Path, theme: str) -> TheActApp:
    app = make_app(tmp_path, theme=theme)
    shutil.copytree(half_a_run, app.home.lab, dirs_exist_ok=True)
    return app


@pytest.fixture
async def pilot(app: TheActApp) -> AsyncIterator[Pilot[None]]:
    async with app.run_test(size=(140, 40)) as pilot:
        await in_the_lab(pilot)
        yield pilot


async def in_the_lab(pilot: Pilot[None]) -> None:
    home = await at_home(pilot)
    options = home.query_one(OptionList)
    options.highlighted = options.get_option_index("pack:lost-island")
    await pilot.press("l")
    await until(pilot, lambda: isinstance(pilot.app.screen, LabScreen) and bool(about(pilot)), "the lab")


def lab(pilot: Pilot[None]) -> LabScreen:
    return next(screen for screen in pilot.app.screen_stack if isinstance(screen, LabScreen))


def about(pilot: Pilot[None]) -> str:
    return said(lab(pilot), "#about")


async def test_a_run_is_shown_with_its_games_which_are_opened_to_read_or_copied_to_play_on(
    pilot: Pilot[None],
) -> None:
    await until(pilot, lambda: "lost-island" in about(pilot))
    assert "b is better than a" in about(pilot)
    assert "4 of 6 games · stopped" in about(pilot) and "0 finished, 1 failed" in about(pilot)
    means, *games = text_of(lab(pilot).games).splitlines()
    assert means.startswith("lost-island · hasty") and means.split()[3] == "3"
    assert sum("stopped at the limit" in game for game in games) == 3
    assert "The server at 127.0.0.1:9 does not answer." in text_of(lab(pilot).games)
    assert sum("not played yet" in game for game in games) == 2
    await opens(pilot, PlayScreen, "enter", "enter")
    session = Player(pilot).session
    assert session.read_only and session.game.state.turn == 3
    await pilot.press("f4")
    assert "opened to read" in Player(pilot).status.hint
    await opens(pilot, LabScreen, "escape", "escape")
    await opens(pilot, PlayScreen, "enter", "down", "c")
    player = Player(pilot)
    assert player.session.folder.parent == cast(TheActApp, pilot.app).home.saves
    await player.turn(3)
    await player.say("I climb.")
    assert player.session.game.state.turn == 4


async def test_a_run_of_the_pack_under_the_cursor_is_started_and_goes_on_by_itself(
    pilot: Pilot[None],
) -> None:
    await opens(pilot, FormDialog, "n")
    fields = list(pilot.app.screen.query(Input))
    assert fields[0].value == "lost-island"
    for field, text in zip(fields[1:], ("nobody", "offline", "", "1", "1"), strict=True):
        field.value = text
    await pilot.press(*["enter"] * 6)
    await until(pilot, lambda: "there is no player 'nobody'" in problem(pilot), "the refusal")
    fields[1].value, fields[5].value = "hasty", ""
    await pilot.press(*["enter"] * 4, *"abc", "enter")
    await until(pilot, lambda: problem(pilot) == "Turns: enter a number from 1 to 1,000.", "the refusal")
    assert pilot.app.focused is fields[5]
    fields[5].value, fields[4].value = "1", "0"
    await pilot.press("enter")
    await until(pilot, lambda: problem(pilot) == "Seeds: enter a number from 1 to 1,000.", "the refusal")
    assert pilot.app.focused is fields[4]
    fields[4].value = "1"
    await pilot.press("enter", "enter")
    await until(pilot, lambda: "1 of 1 games" in about(pilot), "its only game")
    assert {state.name for state in lab(pilot).states} == {"island", "lost-island"}


async def test_a_visitor_of_a_server_sees_runs_and_starts_none(app: TheActApp) -> None:
    app.services = replace(app.services, home=replace(app.home, guest=True))
    async with app.run_test(size=(140, 40)) as pilot:
        await in_the_lab(pilot)
        await until(pilot, lambda: "4 of 6 games" in about(pilot))
        for key in "ngr":
            await pilot.press(key)
        assert isinstance(pilot.app.screen, LabScreen) and not lab(pilot).status.warning


# --- pictures -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("theme", "size"), [("terminal", SMALL), ("", (140, 40))], ids=["terminal-80x24", "-140x40"]
)
def test_lab(picture: Picture, app: TheActApp) -> None:
    async def before(pilot: Pilot[None]) -> None:
        await in_the_lab(pilot)
        await pilot.press("enter")

    picture(before, app)
