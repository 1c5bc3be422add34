"""Undo, redo and takes move between commits and lose nothing."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.saves.conftest import Git, play
from tests.support.games import new_game, played, ticking
from theact_tui.errors import UsageError
from theact_tui.saves.graph import all_below
from theact_tui.saves.save import Save
from theact_tui.story.edits import TEXT_OF
from theact_tui.story.game import Game, Spoken


def texts(save: Save[Game]) -> list[str]:
    return [turn.player_text for turn in save.turns(1, 99)]


def everything(save: Save[Game]) -> tuple[object, ...]:
    """State and memories, byte for byte."""
    version = save._timeline.version
    names = ("state.yaml", "moments.yaml", "summaries.yaml", "memory/maya.yaml", "memory/joaquin.yaml")
    return (save.load(), version.tree, *(version.read(name) for name in names))


def test_undo_and_redo_go_back_and_forward_and_refuse_what_is_not_there(save: Save[Game]) -> None:
    with pytest.raises(UsageError, match="nothing to undo"):
        save.undo()
    play(save, 5)
    with pytest.raises(UsageError, match="only 5 can be undone"):
        save.undo(6)
    with pytest.raises(UsageError, match="nothing to redo"):
        save.redo()
    with pytest.raises(UsageError):
        save.undo(0)
    assert save.undo(2).state.turn == 3
    assert (save.turn, save.redoable(), len(save.turns(1, 99))) == (3, 2, 3)
    with pytest.raises(UsageError, match="only 2 can be redone"):
        save.redo(3)
    assert save.redo().state.turn == 4
    assert save.undo(4).state.turn == 0
    assert save.redo(5) == save.state_at(5)
    assert save.redoable() == 0


def test_redo_survives_a_restart_and_ends_with_a_new_turn(folder: Path, git: Git) -> None:
    with Save.create(folder, new_game(), clock=ticking()) as save:
        play(save, 4)
        save.undo(3)
    with Save.open(folder) as save:
        assert save.redoable() == 3
        save.redo(1)
        play(save, 1, "another way")
        assert save.redoable() == 0
        assert texts(save) == ["I go on.", "I go on.", "another way"]
    git("fsck", "--strict")


def test_edits_belong_to_the_turn_before_them(save: Save[Game]) -> None:
    play(save, 2)
    game = save.load()
    save.commit_edit(
        replace(game, state=game.state.model_copy(update={"present": ("maya",)})), "Joaquin leaves"
    )
    play(save, 1)
    assert save.undo().state.present == ("maya",)
    assert save.undo().state.present == ("maya", "joaquin")
    assert save.redo().state.present == ("maya",)


def test_an_edit_after_an_undo_does_not_cost_the_undone_turns(save: Save[Game], git: Git) -> None:
    play(save, 3)
    save.undo()
    game = save.load()
    save.commit_edit(replace(game, state=game.state.model_copy(update={"present": ()})), "alone")
    edited = save.head
    assert save.redo().state.turn == 3
    git("gc", "-q", "--prune=now")
    assert edited in git("for-each-ref", "--format=%(objectname)")


def test_undo_of_a_text_costs_neither_the_edit_nor_undone_turns(save: Save[Game], git: Git) -> None:
    play(save, 3)
    save.undo()
    game, before = save.load(), save.head
    save.commit_edit(game.with_state(present=()), f"{TEXT_OF}1 changed")
    edited = save.head
    assert save.undo(None) == game and (save.head, save.redoable()) == (before, 1)
    assert save.redo(None).state.turn == 3
    assert save.undo(None).state.turn == 2, "there is no edit here, so the turn goes"
    git("gc", "-q", "--prune=now")
    assert edited in git("for-each-ref", "--format=%(objectname)")


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(turns=st.integers(1, 8), back=st.data())
def test_undo_then_redo_leaves_every_byte_as_it_was(
    turns: int, back: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with Save.create(tmp_path_factory.mktemp("save") / "s", new_game()) as save:
        play(save, turns)
        before = everything(save)
        steps = back.draw(st.integers(1, turns))
        save.undo(steps)
        for _ in range(steps):
            save.redo(1)
        assert everything(save) == before
        save.create_branch("aside", back.draw(st.integers(0, turns)))
        save.switch_branch("aside")
        play(save, 1, "aside")
        save.switch_branch("main")
        assert everything(save) == before


def test_a_retry_makes_a_take_and_keeps_the_others(save: Save[Game]) -> None:
    with pytest.raises(UsageError, match="no turn to retry"):
        save.begin_take()
    play(save, 3)
    assert save.takes() == (1, 1)
    save.begin_take()
    assert save.takes() == (2, 2), "while it is played, the next one counts"
    assert save.select_take(1).state.turn == 3 and save.takes() == (1, 1)
    for text in ("second", "third"):
        assert save.begin_take().state.turn == 2
        save.commit(played(save.load(), text))
    assert save.takes() == (3, 3)
    assert save.select_take(1).turns[3].player_text == "I go on."
    assert save.select_take(2).turns[3].player_text == "second"
    assert (save.takes(), save.takes(2)) == ((2, 3), (1, 1))
    play(save, 1)
    assert (save.takes(), save.takes(3)) == ((1, 1), (2, 3))
    with pytest.raises(UsageError, match="only one take"):
        save.select_take(2)
    with pytest.raises(UsageError):
        save.select_take(0)


def test_a_retry_that_never_came_is_taken_back_on_opening(folder: Path) -> None:
    with Save.create(folder, new_game()) as save:
        play(save, 3)
        before = everything(save)
        save.begin_take()
    with Save.open(folder) as save:
        assert everything(save) == before
        assert save.takes() == (1, 1)


def test_a_spoken_retry_is_found_on_opening(folder: Path) -> None:
    with Save.create(folder, new_game()) as save:
        play(save, 3)
        save.begin_take()
        game = played(save.load(), "again")
        spoken = Spoken(parent=save.head, branch=save.branch, turn=game.turns[3], present=())
        save.unfinished.journal(spoken)
    with Save.open(folder) as save:
        assert save.unfinished.journalled() == spoken
        assert save.turn == 2
        save.commit(game)
        assert save.takes() == (2, 2)
    with Save.open(folder) as save:
        assert texts(save) == ["I go on.", "I go on.", "again"]


def test_what_another_branch_made_of_a_turn_is_no_take(save: Save[Game]) -> None:
    play(save, 2)
    save.create_branch("aside", 1)
    save.begin_take()
    play(save, 1, "main again")
    save.switch_branch("aside")
    play(save, 1, "aside")
    assert save.takes() == (1, 1)
    save.switch_branch("main")
    assert save.takes() == (2, 2)


def test_an_edit_of_a_take_stays_with_it(save: Save[Game]) -> None:
    play(save, 1)
    save.begin_take()
    play(save, 1, "second")
    game = save.load()
    save.commit_edit(replace(game, state=game.state.model_copy(update={"present": ()})), "alone")
    assert save.select_take(1).state.present == ("maya", "joaquin")
    assert save.select_take(2).state.present == ()


def test_an_edit_that_changes_nothing_stores_nothing(save: Save[Game], git: Git) -> None:
    play(save, 2)
    game, objects = save.state_at(1), git("count-objects")
    assert save.edited_base(game, game, ()) == save.base()
    save.commit_edit(save.load(), "nothing")
    assert git("count-objects") == objects


def test_undo_from_a_take_leads_back_to_it(save: Save[Game]) -> None:
    play(save, 2)
    save.begin_take()
    play(save, 1, "second")
    save.undo()
    assert save.redo().turns[2].player_text == "second"
    save.undo()
    play(save, 1, "third")
    assert save.takes() == (3, 3)
    assert save.select_take(2).turns[2].player_text == "second"


def test_the_undone_turn_that_a_new_one_replaces_stays_as_a_take(folder: Path, git: Git) -> None:
    with Save.create(folder, new_game(), clock=ticking()) as save:
        play(save, 4)
        head = save.head
        save.undo(3)
        play(save, 1, "another way")
        assert (save.takes(), save.redoable()) == ((2, 2), 0)
        save.select_take(1)
        assert texts(save) == ["I go on.", "I go on."]
        save.select_take(2)
        assert texts(save) == ["I go on.", "another way"]
        git("gc", "--prune=now", "--quiet")
        undone = [node for node in all_below(save.tree()) if node.is_undone]
        assert [(node.turn, node.tip) for node in undone] == [(4, head)], "the turns after it are in the tree"
        save.create_branch("Before", of=undone[0].tip)
        assert save.switch_branch("before").state.turn == 4
        assert not any(node.is_undone for node in all_below(save.tree()))
    git("fsck", "--strict")


def test_undone_turns_stay_reachable_whatever_follows(folder: Path, git: Git) -> None:
    with Save.create(folder, new_game(), clock=ticking()) as save:
        play(save, 3)
        lost = [save.head]
        save.undo()
        save.begin_take()
        play(save, 1, "told again")
        play(save, 1, "further")
        lost.append(save.head)
        save.undo()
        save.select_take(1)
        play(save, 1, "from the other take")
        lost.append(save.head)
        save.undo()
        save.select_take(2)
        save.undo()
        git("gc", "--prune=now", "--quiet")
        assert set(lost) <= set(git("rev-list", "--all").split())


def test_an_undone_turn_of_another_branch_is_no_take(save: Save[Game]) -> None:
    play(save, 2)
    save.create_branch("Side")
    save.undo()
    play(save, 1, "another way")
    assert save.takes() == (1, 1)


def test_a_take_whose_commit_is_lost_keeps_no_turn_from_being_saved(save: Save[Game]) -> None:
    play(save, 3)
    save.repository.put("refs/theact/takes/3/1", "1" * 40)
    save.undo()
    play(save, 1, "another way")
    assert save.turn == 3


def test_a_turn_told_after_an_edit_is_a_take_of_the_one_that_was_undone(save: Save[Game]) -> None:
    play(save, 2)
    head = save.head
    save.undo()
    game = save.load()
    save.commit_edit(replace(game, state=game.state.model_copy(update={"rolls": 9})), "rolls")
    play(save, 1, "another way")
    assert save.takes() == (2, 2) and head == save.place("2#1")
