"""Branches start at any turn, have names in any language, and can be taken away and brought back."""

from pathlib import Path

import pytest

from tests.saves.conftest import Git, play
from tests.support.games import new_game, next_chapter
from theact_tui.errors import SaveError, UsageError
from theact_tui.saves.save import Save
from theact_tui.story.game import Game


def test_a_branch_starts_at_any_turn_and_goes_its_own_way(save: Save[Game], git: Git) -> None:
    play(save, 6)
    assert save.create_branch("What if?", 2) == "what-if"
    assert (save.branch, save.turn) == ("main", 6)
    assert save.switch_branch("WHAT IF?").state.turn == 2
    play(save, 2, "otherwise")
    assert [turn.player_text for turn in save.turns(1, 9)] == ["I go on."] * 2 + ["otherwise"] * 2
    assert [turn.player_text for turn in save.turns(1, 9, "main")] == ["I go on."] * 6
    assert save.state_at(5, "main").state.turn == 5
    assert git("branch", "--show-current") == "what-if\n"
    git("fsck", "--strict")


def test_branches_are_listed_with_turn_chapter_and_last_line(save: Save[Game]) -> None:
    play(save, 2)
    save.create_branch("静かな夜", 1)
    save.commit_edit(next_chapter(save.load()), "on")
    main, aside = save.branches()
    assert (main.name, main.current, main.turn, main.chapter) == ("main", True, 2, "Inland")
    assert (aside.name, aside.title, aside.turn, aside.chapter) == ("kana", "静かな夜", 1, "Ashore")
    assert aside.line == "That is stone 1, I go on."


def test_the_save_stays_where_it_is_when_a_state_cannot_be_read(
    save: Save[Game], folder: Path, git: Git
) -> None:
    play(save, 2)
    save.create_branch("hurt")
    me = ("-c", "user.name=me", "-c", "user.email=m@e", "commit-tree", "HEAD:turns", "-p", "HEAD", "-m")
    git("update-ref", "refs/heads/hurt", git(*me, "mine").strip())
    with pytest.raises(SaveError):
        save.switch_branch("hurt")
    assert git("branch", "--show-current") == "main\n"
    play(save, 1)
    git("update-ref", "refs/theact/undone/main", git(*me, "Turn 4: mine").strip())
    with pytest.raises(SaveError):
        save.redo()
    assert (save.branch, save.turn, save.load().state.turn) == ("main", 3, 3)


def test_names_are_the_same_in_any_case_and_never_paths(save: Save[Game]) -> None:
    save.create_branch("Aside")
    for name in ("aside", "ASIDE", " aside! ", "main", "Main", "", "\n", "x" * 121):
        with pytest.raises(UsageError):
            save.create_branch(name)
    assert save.create_branch("../../HEAD") == "head"
    assert save.create_branch("CON") == "con-1"
    with pytest.raises(UsageError, match="Branches: aside"):
        save.switch_branch("nowhere")
    with pytest.raises(UsageError, match="no turn 9"):
        save.create_branch("later", 9)


def test_branches_may_be_called_like_files_of_git(folder: Path) -> None:
    names = ("tmp", "tmp-obj", "index", "logs", "hooks", "clean", "head", "pack")
    with Save.create(folder, new_game()) as save:
        play(save, 1)
        for name in names:
            save.create_branch(name)
    (folder / ".git/theact/clean").unlink()
    with Save.open(folder) as save:
        assert {info.name for info in save.branches()} == {"main", *names}


def test_a_branch_can_be_renamed_even_the_current_one(folder: Path, git: Git) -> None:
    with Save.create(folder, new_game()) as save:
        play(save, 3)
        save.undo()
        assert save.rename_branch("main", "The Long Way") == "the-long-way"
        assert (save.branch, save.redoable()) == ("the-long-way", 1)
    with Save.open(folder) as save:
        assert [(info.name, info.title) for info in save.branches()] == [("the-long-way", "The Long Way")]
        assert save.redo().state.turn == 3
        save.rename_branch("the-long-way", "The long way")
        assert save.branches()[0].title == save.title_of() == save.title_of("the long WAY") == "The long way"
        assert save.title_of(save.head) == save.head
    assert git("branch", "--format=%(refname:short)") == "the-long-way\n"


def test_a_deleted_branch_can_be_restored(save: Save[Game], git: Git) -> None:
    play(save, 2)
    save.create_branch("Aside", 1)
    with pytest.raises(UsageError, match="current branch"):
        save.delete_branch("main")
    save.delete_branch("aside")
    assert [info.name for info in save.branches()] == ["main"]
    git("gc", "-q", "--prune=now")
    assert [gone.name for gone in save.deleted_branches()] == ["aside"]
    assert save.restore_branch("aside") == "aside"
    assert save.switch_branch("aside").state.turn == 1
    assert save.deleted_branches() == ()
    with pytest.raises(UsageError, match="no deleted branch"):
        save.restore_branch("aside")


def test_deleted_branches_of_one_name_are_all_kept(save: Save[Game]) -> None:
    play(save, 3)
    for turn in (1, 2, 3):
        save.create_branch("Aside", turn)
        save.delete_branch("aside")
    gone = save.deleted_branches()
    assert [(info.name, info.title, info.turn) for info in gone] == [
        ("aside", "Aside", 1),
        ("aside-1", "Aside 1", 2),
        ("aside-2", "Aside 2", 3),
    ]
    for info in gone:
        assert save.switch_branch(save.restore_branch(info.name)).state.turn == info.turn
        assert save.title_of() == info.title


def test_deleting_a_branch_renames_no_other(save: Save[Game]) -> None:
    play(save, 2)
    save.create_branch("Night", 1)
    save.delete_branch("night")
    save.create_branch("Night", 1)
    save.create_branch("Night 1!!", 1)
    save.delete_branch("night")
    assert {info.name: info.title for info in save.branches()}["night-1"] == "Night 1!!"
    assert [info.name for info in save.deleted_branches()] == ["night", "night-2"]


def test_a_branch_begins_at_a_turn_and_at_no_other_object(save: Save[Game], git: Git) -> None:
    play(save, 1)
    with pytest.raises(SaveError, match="not a commit"):
        save.create_branch("Tree", of=git("rev-parse", "HEAD^{tree}").strip())
    assert [info.name for info in save.branches()] == ["main"]
