"""The tree of branches: walking it, seeing what a turn holds, going there, naming, renaming, deleting."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from textual.widgets import Input, OptionList

from tests.support.branches_pilot import ASIDE, Climber, climbing
from tests.support.fake_model import Scripted, small_pack
from tests.support.pilot import Paper, make_app, playing, problem, until
from tests.support.said import plain, text_of
from tests.tui.branches.test_graph import node
from theact_tui.errors import SaveError
from theact_tui.story.pack import Character
from theact_tui.tui.blocks import met
from theact_tui.tui.branches import compare
from theact_tui.tui.branches.graph import StoryTree
from theact_tui.tui.branches.layout import BranchLayout, Cursor
from theact_tui.tui.branches.source import BranchSource
from theact_tui.tui.inspector.screen import InspectorScreen
from theact_tui.tui.inspector.view import NARRATOR_ID

TREE = """\
   0    1    2    3    4
   ●────●────●────●────◉  main · take 2 of 2
             │    ╰────○  take 1 of 2
             ╰────●  What if"""
LONG = """\
   0         25   26   27   28   29   30   31   32   33   34   35        60
   ●┄┄┄┄┄┄┄┄┄●────●────●────●────●────●────●────●────●────●────●┄┄┄┄┄┄┄┄┄◉  main"""


@pytest.fixture
async def climber(tmp_path: Path, forked: Path) -> AsyncIterator[Climber]:
    app = make_app(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        climber = await climbing(pilot, forked)
        yield climber
        if climber.player.playing:
            await climber.session.close()


def asked(climber: Climber) -> bool:
    return climber.player.app.screen is not climber.screen


async def answer(climber: Climber, *keys: str) -> None:
    """Press keys when a question lies over the tree."""
    await until(climber.pilot, lambda: asked(climber))
    await climber.player.press(*keys)


async def test_one_walks_the_tree_and_reads_what_a_turn_holds_and_what_differs(climber: Climber) -> None:
    assert text_of(climber.tree) == TREE
    assert climber.at == (0, 4)
    assert "YOU ARE HERE" in climber.against and "Ann Lee" in climber.against
    assert "I ask the dark who swept here." in climber.turn
    await climber.press("down", "down")
    assert climber.turn.startswith("TURN 3  1 The Landing\nWhat if · calm")
    for words in (ASIDE, "Bob takes the lamp", "“I have it,” says Bob."):
        assert words in climber.turn
    assert climber.against.startswith("COMPARED WITH  main, turn 4\n1 turn earlier")
    assert "here      + Bob" in climber.against
    assert "Bob  learned 1, lost 1\n+ Alex trusts me with the lamp.\n− Ann knows more" in climber.against
    seen = []
    for key in "full_stop left left down down left up end down home full_stop".split():
        await climber.press(key)
        seen.append(climber.at)
    assert seen == [(0, 4), (0, 3), (0, 2), (1, 4), (2, 3), (0, 2), (0, 2), (0, 4), (1, 4), (1, 4), (0, 4)]


async def test_a_long_run_of_turns_in_which_nothing_happened_is_drawn_short() -> None:
    tree = StoryTree()
    async with Paper(tree).run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        tree.show(BranchLayout(node(0, node(60, branch="main"))), Cursor(0, 30))
        assert text_of(tree) == LONG


async def test_what_cannot_be_read_is_said_and_tried_again(
    climber: Climber, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken() -> None:
        raise SaveError("The disk is gone.")

    await climber.player.press("escape")
    with monkeypatch.context() as patch:
        patch.setattr(climber.session.save, "tree", broken)
        await climber.player.press("f3")
        await until(climber.pilot, lambda: "The disk is gone." in climber.screen.status.warning)
        assert "F5" in str(climber.screen.query_one("#loading").render())
    await climber.press("f5")
    assert text_of(climber.tree) == TREE


async def test_enter_or_another_click_goes_to_a_take_and_to_the_end_of_a_branch(climber: Climber) -> None:
    await climber.press("down", "enter")
    await climber.gone()
    assert (climber.session.takes, climber.session.branch) == ((1, 2), "main")
    await climber.open()
    for _ in range(2):
        await climber.pilot.click(climber.tree, offset=(18, 4))
        if climber.is_open:
            await climber.settle()
            assert climber.at == (2, 3)
    await climber.gone()
    assert (climber.session.branch, climber.session.game.state.turn) == ("what-if", 3)
    await until(climber.pilot, lambda: ASIDE in climber.player.page)


async def take_as_branch(climber: Climber, title: str) -> None:
    """Answer the question where to go on with a new branch."""
    await answer(climber, "b")
    await until(climber.pilot, lambda: bool(climber.player.app.screen.query(Input)))
    await climber.player.type(title, "enter")
    await climber.gone()


async def test_enter_at_a_turn_behind_offers_to_take_the_rest_back_and_a_branch(climber: Climber) -> None:
    await climber.session.play("I sit down.")
    await climber.session.settle()
    await until(climber.pilot, lambda: climber.screen.settled and climber.at == (0, 5), "the tree to grow")
    await climber.press("left", "left", "enter")
    await answer(climber, "u")
    await climber.gone()
    assert (climber.session.branch, climber.session.game.state.turn) == ("main", 3)
    await climber.open()
    assert "◌  undone" in text_of(climber.tree)
    await climber.press("down", "down", "end", "enter")
    await climber.gone()
    assert climber.session.game.state.turn == 5
    await climber.open()
    await climber.press("left", "left", "enter")
    await take_as_branch(climber, "Deep water")
    assert (climber.session.branch, climber.session.game.state.turn) == ("deep-water", 3)


async def test_n_names_a_branch_whose_name_is_free_and_goes_there_and_r_renames_one(climber: Climber) -> None:
    await climber.press("left", "n")
    await climber.player.type("what if", "enter")
    await until(climber.pilot, lambda: "already" in problem(climber.pilot))
    await climber.player.press("ctrl+u")
    await climber.player.type("[b]Deep[/b]", "enter")
    await until(climber.pilot, lambda: "[b]Deep[/b]" in text_of(climber.tree))
    await climber.settle()
    assert climber.at == (1, 3)
    assert climber.session.branch_title == "[b]Deep[/b]" and climber.session.game.state.turn == 3
    assert climber.is_open and "You are now on" in climber.screen.status.hint
    await climber.press("down", "down", "r", "end")
    await climber.player.type(" not", "enter")
    await until(climber.pilot, lambda: "What if not" in text_of(climber.tree))
    await climber.settle()
    assert climber.at == (3, 3)
    names = [branch.name for branch in climber.session.save.branches()]
    assert "what-if-not" in names and "what-if" not in names


async def test_x_moves_a_branch_to_the_trash_after_asking_and_t_brings_it_back(
    climber: Climber, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its last turn, which is read when it is gone, is shown no more."""
    read, gone = BranchSource.state_at, asyncio.Event()

    async def read_late(source: BranchSource, layout: BranchLayout, place: Cursor) -> object:
        state = await read(source, layout, place)
        if place.row == 2:
            await gone.wait()
        return state

    monkeypatch.setattr(BranchSource, "state_at", read_late)
    await climber.player.press("down", "down")
    await climber.player.press("x")
    await answer(climber, "y")
    await until(climber.pilot, lambda: "What if" not in text_of(climber.tree))
    gone.set()
    await climber.pilot.pause()
    await climber.settle()
    assert "Moved What if to the trash" in climber.screen.status.hint
    await climber.press("t")
    await until(climber.pilot, lambda: asked(climber))
    row = climber.player.app.screen.query_one(OptionList).get_option_at_index(0).prompt
    assert str(row).startswith("What if  turn 3 · "), "titles alone do not tell versions apart"
    await climber.player.press("enter")
    await until(climber.pilot, lambda: text_of(climber.tree) == TREE)


async def test_o_writes_the_branch_under_the_cursor_to_a_file(climber: Climber) -> None:
    await climber.press("down")
    assert not climber.screen.check_action("act", ("export",)), "a take is no branch"
    await climber.press("down", "o")
    await answer(climber, "down", "down", "enter")
    await until(climber.pilot, lambda: "Exported" in climber.screen.status.hint)
    (file,) = (climber.player.app.home.data / "exports").iterdir()
    assert str(file) in climber.screen.status.hint
    book = file.read_text()
    assert book.startswith("# The Salt Stair · What if") and "> You: " in book
    await climber.press("o")
    await answer(climber, "l", "enter")
    without_lines = file.with_stem(f"{file.stem}-2")
    await until(climber.pilot, lambda: without_lines.exists() and not asked(climber))
    assert "> You: " not in without_lines.read_text()
    assert climber.session.branch == "main"


async def test_c_compares_with_where_one_is_or_with_a_marked_turn(climber: Climber) -> None:
    await climber.press("down", "down")
    await climber.compare()
    assert climber.compared.names == ("main, turn 4", "What if, turn 3")
    assert climber.compared.comparison is not None and climber.compared.comparison.fork_turn == 2
    assert [pair.number for pair in climber.compared.pairs] == [3, 4]
    await climber.player.press("escape")
    assert climber.at == (2, 3)
    await climber.press("full_stop", "down", "space")
    assert "◆  take 1 of 2" in text_of(climber.tree)
    await climber.press("up", "left")
    await climber.compare()
    assert climber.compared.names == ("turn 4, take 1 of 2", "main, turn 3")
    assert [pair.number for pair in climber.compared.pairs] == [4]
    await climber.player.press("x")
    await until(climber.pilot, lambda: climber.compared.names[0] == "main, turn 3")


@pytest.mark.parametrize(("undone", "kind"), [(2, "take 1 of 2"), (3, "on no branch")])
async def test_an_undone_turn_that_led_only_to_takes_has_a_name_too(
    climber: Climber, undone: int, kind: str
) -> None:
    await climber.player.press("escape")
    await climber.session.undo(undone)
    for _ in range(undone - 1):
        await climber.session.play("I go home.")
        await climber.session.settle()
    await climber.open()
    for _ in range(4):
        if climber.turn.startswith(f"TURN 3 · {kind}"):
            break
        await climber.press("down")
    assert climber.turn.startswith(f"TURN 3 · {kind}")
    await climber.compare()
    assert climber.compared.names == ("main, turn 3", f"turn 3, {kind}")


async def test_undone_turns_can_be_gone_to_after_another_was_told_instead(climber: Climber) -> None:
    await climber.player.press("escape")
    for undone in (0, 2):
        if undone:
            await climber.session.undo(undone)
        await climber.session.play("I go home.")
        await climber.session.settle()
    await climber.open()
    await climber.press("down", "down", "end")
    assert "○────◌  undone" in text_of(climber.tree) and climber.turn.startswith("TURN 5 · undone")
    await climber.press("enter")
    await take_as_branch(climber, "Old idea")
    assert (climber.session.branch, climber.session.game.state.turn) == ("old-idea", 5)


async def test_all_turns_after_the_fork_can_be_read(
    climber: Climber, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compare, "PAGE", 2)
    await climber.session.play("I sit down.")
    await climber.session.settle()
    await until(climber.pilot, lambda: climber.screen.settled and climber.at == (0, 5))
    await climber.pilot.resize_terminal(120, 200)
    await climber.press("home")
    await climber.compare()
    await until(climber.pilot, lambda: len(climber.compared.pairs) == 5, "what a window has room for")
    await climber.press("escape")
    await until(climber.pilot, lambda: climber.player.app.screen is climber.screen)
    await climber.pilot.resize_terminal(120, 14)
    await climber.press("home")
    await climber.compare()
    assert [pair.number for pair in climber.compared.pairs] == [1, 2]
    await climber.player.press("end")
    await until(climber.pilot, lambda: len(climber.compared.pairs) == 4)
    await climber.player.press("end")
    await until(climber.pilot, lambda: len(climber.compared.pairs) == 5)


async def test_nobody_is_listed_whom_the_story_has_not_told_of(tmp_path: Path) -> None:
    """Neither in the tree nor in the tabs of the inspector: it would be told ahead."""
    pack = small_pack(characters=("ann", "bob", "cat"))
    cat = Character(name="Cat", role="ferrywoman", personality="Watches first.")
    pack = pack.model_copy(update={"characters": {**pack.characters, "cat": cat}})
    async with playing(tmp_path, (120, 40), model=Scripted(), pack=pack) as player:
        game = player.session.game
        assert "cat" in game.memories and met(game) == ["ann", "bob"]
        listed = "\n".join(plain(row) for row in BranchSource(player.session).describe_current())
        assert "Ann" in listed and "Cat" not in listed
        await player.press("f2")
        await until(player.pilot, lambda: isinstance(player.app.screen, InspectorScreen), "the inspector")
        inspector = player.app.screen
        assert isinstance(inspector, InspectorScreen)
        assert inspector.selection.people == ("ann", "bob", NARRATOR_ID)
        await player.press("escape")
        assert met(game.with_state(present=("cat",))) == ["ann", "bob", "cat"]
