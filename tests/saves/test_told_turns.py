"""A turn that was told and not saved finds its place when the save is opened again, or is put aside with a sentence."""

from pathlib import Path

import pytest

from tests.saves.conftest import Git, play
from tests.support.games import played, ticking
from theact_tui.errors import SaveError
from theact_tui.saves.atomic import Folder
from theact_tui.saves.repository import Repository
from theact_tui.saves.save import Save
from theact_tui.story.game import Game, Spoken


def tell(save: Save[Game], text: str, *, parent: str = "") -> Spoken:
    """Journal a turn that follows the head."""
    game = played(save.load(), text)
    turn = game.turns[game.state.turn]
    spoken = Spoken(parent=parent or save.head, branch=save.branch, turn=turn, present=())
    save.unfinished.journal(spoken)
    return spoken


def reopened(save: Save[Game]) -> Save[Game]:
    save.close()
    return Save.open(save.folder, clock=ticking())


@pytest.mark.parametrize("message", ["Turn 2: amended", "the night on the reef"])
def test_it_follows_a_commit_that_another_program_wrote_anew(
    save: Save[Game], git: Git, message: str
) -> None:
    play(save, 2)
    spoken = tell(save, "I dive.")
    git("reset", "-q")
    git("commit", "-q", "--amend", "-m", message)
    with reopened(save) as again:
        found = again.unfinished.journalled()
        assert found and found.turn == spoken.turn and found.parent == again.head
        assert again.recovered == "" and again.turn == 2


def test_it_is_put_aside_where_the_story_stands_on_another_branch(
    save: Save[Game], git: Git, folder: Path
) -> None:
    play(save, 2)
    save.create_branch("other", 1)
    tell(save, "I dive.")
    git("symbolic-ref", "HEAD", "refs/heads/other")
    with reopened(save) as again:
        assert again.unfinished.journalled() is None
        assert again.recovered == (
            "Turn 3 was told and not saved, and the story stands elsewhere now, so it is not part of it. It is kept in "
            ".git/theact/spoken-1.json."
        )
    assert "I dive." in (folder / ".git/theact/spoken-1.json").read_text()
    with Save.open(folder) as later:
        assert later.recovered == ""


def test_one_that_is_put_aside_replaces_none_before_it(save: Save[Game], git: Git, folder: Path) -> None:
    play(save, 1)
    save.create_branch("other", 0)
    for number, line in enumerate(("I dive.", "I swim."), 1):
        tell(save, line)
        git("symbolic-ref", "HEAD", "refs/heads/other")
        save = reopened(save)
        save.switch_branch("main")
        assert line in (folder / f".git/theact/spoken-{number}.json").read_text()
    save.close()


def test_it_is_dropped_once_its_branch_holds_it(save: Save[Game]) -> None:
    tell(save, "I dive.")
    journal = Folder(save.folder / ".git").read("theact/spoken.json")
    save.commit(played(save.load(), "I dive."))
    play(save, 1)
    Folder(save.folder / ".git").replace("theact/spoken.json", journal)
    with reopened(save) as again:
        assert again.unfinished.journalled() is None and again.recovered == ""


def test_a_take_that_was_told_while_the_one_before_it_is_still_the_head_follows_the_turn_before(
    save: Save[Game],
) -> None:
    play(save, 2)
    base = save.base()
    game = played(save.state_at(1), "I swim instead.")
    save.unfinished.journal(Spoken(parent=base, branch="main", turn=game.turns[2], present=()))
    with reopened(save) as again:
        found = again.unfinished.journalled()
        assert found and found.turn.player_text == "I swim instead."
        assert (again.turn, again.load().state.turn, again.takes()) == (1, 1, (2, 2))
        again.commit(game)
        assert [turn.player_text for turn in again.versions(2)][1:] == ["I swim instead."]


def test_the_same_state_once_more_is_no_second_turn(
    save: Save[Game], monkeypatch: pytest.MonkeyPatch
) -> None:
    game = played(save.load(), "I dive.")
    monkeypatch.setattr(save._takes, "played", lambda *, is_take: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        save.commit(game)
    assert save.commit(game) == save.head and save.turn == 1


def test_a_move_that_fails_after_it_was_made_is_made(
    save: Save[Game], monkeypatch: pytest.MonkeyPatch
) -> None:
    move = Repository.move

    def moved(self: Repository, name: str, new: str, old: str | None) -> bool:
        move(self, name, new, old)
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(Repository, "move", moved)
    save.commit(played(save.load(), "I dive."))
    assert save.turn == 1 and save.repository.ref("refs/heads/main") == save.head


def test_a_closed_save_is_read_only(save: Save[Game]) -> None:
    save.close()
    with pytest.raises(SaveError, match="read-only"):
        save.commit(played(save.load(), "I dive."))
