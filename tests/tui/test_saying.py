"""What one does is answered in the status line; a key that can do nothing says why."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from textual.selection import SELECT_ALL
from textual.widgets import OptionList

import theact_tui.tui
from tests.support.branches_pilot import climbing
from tests.support.games import new_game
from tests.support.pilot import Player, at_home, make_app, until
from theact_tui.saves.library import Library
from theact_tui.tui.actions import Action
from theact_tui.tui.branches.actions import TREE_ACTIONS
from theact_tui.tui.home.actions import HOME_ACTIONS
from theact_tui.tui.home.screen import HomeScreen
from theact_tui.tui.widgets.footer import Footer

FROM_OUTSIDE = {"app.py", "play/presenter.py", "direct/view.py", "widgets/status_line.py"}
"""Where toasts are made: of settings that are wrong, and of notices of the engine; and where no page is to say it on."""


def test_only_what_comes_from_outside_the_page_is_a_toast() -> None:
    root = Path(theact_tui.tui.__file__).parent
    toasting = {
        str(file.relative_to(root))
        for file in root.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.Attribute) and node.attr == "notify"
    }
    assert toasting == FROM_OUTSIDE


def with_refusal(actions: tuple[Action, ...]) -> dict[str, str]:
    """Keys that say why nothing happens, and what they say."""
    return {act.key.split(",")[0]: act.refusal for act in actions if act.refusal}


async def test_on_the_list_a_key_that_cannot_be_used_on_a_row_says_why(tmp_path: Path) -> None:
    app = make_app(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        home = await at_home(pilot)
        home.query_one(OptionList).highlighted = home.query_one(OptionList).get_option_index("direct:")
        for key, why in with_refusal(HOME_ACTIONS).items():
            await pilot.press(key)
            assert home.status.hint == why
        offered = {hint.does for hint in home.query_one(Footer).hints}
        assert not offered & {act.label for act in HOME_ACTIONS if act.refusal}
        assert app.screen is home and not app._notifications


async def test_on_the_list_what_was_done_is_said_below_it(tmp_path: Path) -> None:
    app = make_app(tmp_path)
    Library(app.home.data).create(new_game("Alex at the reef")).close()
    async with app.run_test(size=(80, 24)) as pilot:
        home = await at_home(pilot)
        await pilot.press("x")
        await until(pilot, lambda: not isinstance(app.screen, HomeScreen), "the question")
        await pilot.press("y")
        await until(pilot, lambda: home.status.hint == "Moved to the trash. t restores it.")
        assert not app._notifications


async def test_in_the_tree_a_key_that_cannot_be_used_at_a_turn_says_why(tmp_path: Path, forked: Path) -> None:
    app = make_app(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        climber = await climbing(pilot, forked)
        said = with_refusal(TREE_ACTIONS)
        for key in ("c", "x"):
            await climber.press(key)
            assert climber.screen.status.hint == said[key]
        await climber.press("left")
        assert not climber.screen.status.hint
        for key in ("r", "o"):
            await climber.press(key)
            assert climber.screen.status.hint == said[key]
        assert app.screen is climber.screen
        await climber.session.close()


@pytest.mark.parametrize("key", ["ctrl+c", "super+c"])
async def test_copying_from_the_story_says_so(player: Player, key: str) -> None:
    player.screen.selections = {player.transcript: SELECT_ALL}
    await player.press(key)
    copied = player.app.clipboard
    assert copied and player.status.hint == f"Copied {len(copied):,} characters."


async def test_copying_from_the_box_says_so(player: Player) -> None:
    player.prompt.write("I wait.")
    player.prompt.writing.select_all()
    await player.press("ctrl+c")
    assert (player.app.clipboard, player.status.hint) == ("I wait.", "Copied 7 characters.")
