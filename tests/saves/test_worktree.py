"""The visible files follow the commits; what a person writes into them is noticed and never lost."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from threading import Thread

import pytest

from tests.saves.conftest import Git, play
from tests.support.games import new_game
from theact_tui.errors import SaveError
from theact_tui.saves.save import Save
from theact_tui.saves.worktree import Background, WorkTree


def visible(folder: Path) -> dict[str, bytes]:
    files = (
        path for path in folder.rglob("*") if path.is_file() and ".git" not in path.relative_to(folder).parts
    )
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def committed(git: Git) -> dict[str, bytes]:
    return {
        name: git("show", f"HEAD:{name}").encode()
        for name in git("ls-tree", "-r", "--name-only", "HEAD").split()
    }


def test_they_follow_every_move(closed: Path, git: Git) -> None:
    moves = ("undo", "branch", "play", "back", "redo")
    with Save.open(closed) as save:
        for move in moves:
            match move:
                case "undo":
                    save.undo(3)
                case "branch":
                    save.create_branch("aside", 1)
                    save.switch_branch("aside")
                case "play":
                    play(save, 2, "aside")
                case "back":
                    save.switch_branch("main")
                case _:
                    save.redo(2)
            save._showing.wait()
            assert visible(closed) == committed(git)


class Late(Background):
    """Does its job only when it is waited for."""

    def __init__(self) -> None:
        super().__init__()
        self._jobs: list[Callable[[], object]] = []

    def start(self, job: Callable[[], object]) -> None:
        self._jobs.append(job)

    def wait(self) -> None:
        while self._jobs:
            self._jobs.pop()()


def test_a_copy_that_is_closed_at_once_has_all_its_files(closed: Path, tmp_path: Path) -> None:
    """The first look at files that were never shown is what writes them; closing breaks off only later ones."""
    fresh = tmp_path / "fresh"
    shutil.copytree(closed / ".git", fresh / ".git")
    (fresh / ".git/theact/shown").unlink()
    with Save.open(closed, write=False) as save:
        tree = save.files().tree
    files = WorkTree(fresh, Late())
    files.compare(tree)
    files.finish()
    assert visible(fresh) == visible(closed)


def test_an_edit_by_hand_is_noticed_and_adopted_as_a_commit(closed: Path, git: Git) -> None:
    turn = closed / "turns/0000/02.yaml"
    turn.write_text(turn.read_text().replace("stone 2", "stone two"))
    (closed / "save.yaml").touch()
    (closed / "notes.txt").write_text("mine")
    with Save.open(closed) as save:
        assert save.foreign_edits == ("turns/0000/02.yaml",)
        save.adopt_edits()
        assert not save.hand_edits().files
        assert "stone two" in save.turns(2, 2)[0].narration
        assert (save.log(1)[0].kind, save.log(1)[0].line) == (
            "edit",
            "files edited outside the program: turns/0000/02.yaml",
        )
        play(save, 1)
    with Save.open(closed) as save:
        assert not save.foreign_edits
    assert (closed / "notes.txt").read_text() == "mine"
    git("fsck", "--strict")


def test_edits_that_are_not_wanted_are_kept_beside_the_file_each_of_them(closed: Path, git: Git) -> None:
    for text in ("First.", "Second.", "Third."):
        (closed / "memory/maya.yaml").write_text(f"policy: facts\nsummary: {text}\n")
        with Save.open(closed) as save:
            save.discard_edits()
            assert visible(closed)["memory/maya.yaml"] == committed(git)["memory/maya.yaml"]
            assert not save.hand_edits().files
    kept = [(closed / f"memory/maya.edited{n}.yaml").read_text() for n in ("", "-2", "-3")]
    assert [text.split()[-1] for text in kept] == ["Third.", "First.", "Second."]


def test_an_edit_made_while_playing_is_found_and_kept_beside_the_file(closed: Path) -> None:
    aside: list[str] = []
    with Save.open(closed) as save:
        save.report_put_aside(aside.append)
        assert not save.hand_edits().files
        (closed / "state.yaml").write_text("mine: true\n")
        assert save.hand_edits().files == ("state.yaml",)
        play(save, 1)
    assert aside == ["state.yaml"]
    assert (closed / "state.edited.yaml").read_text() == "mine: true\n"
    assert "turn: 6" in (closed / "state.yaml").read_text()


def test_missing_files_are_put_back_and_are_no_edit(closed: Path, git: Git) -> None:
    (closed / "state.yaml").unlink()
    shutil.rmtree(closed / "turns")
    with Save.open(closed) as save:
        assert not save.foreign_edits
    assert visible(closed) == committed(git)


def test_a_refresh_that_was_cut_off_is_finished_and_is_no_edit(closed: Path, git: Git) -> None:
    before = visible(closed)
    with Save.open(closed) as save:
        old = save._timeline.version.tree
        play(save, 1)
        middle = save._timeline.version.tree
        middle_state = save.files().read("state.yaml") or b""
        play(save, 1)
    (closed / ".git/theact/shown").write_text(f"{old} {middle}")
    (closed / "memory/maya.yaml").write_bytes(before["memory/maya.yaml"])
    (closed / "state.yaml").write_bytes(middle_state)
    with Save.open(closed) as save:
        assert not save.foreign_edits
    assert visible(closed) == committed(git)


def test_a_clone_made_by_git_has_no_edits_until_somebody_makes_one(closed: Path, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", closed, clone], check=True)
    state = clone / "turns/0000/01.yaml"
    state.write_text(state.read_text().replace("stone 1", "stone one"))
    with Save.open(clone) as save:
        assert save.turn == 5
        assert save.foreign_edits == ("turns/0000/01.yaml",)


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_links_planted_in_the_folder_are_replaced_not_followed(closed: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "state.yaml").write_text("theirs")
    shutil.rmtree(closed / "memory")
    (closed / "memory").symlink_to(outside)
    (closed / "state.yaml").unlink()
    (closed / "state.yaml").symlink_to(outside / "state.yaml")
    with Save.open(closed) as save:
        if save.foreign_edits:
            with pytest.raises(SaveError, match="too large or a link"):
                save.adopt_edits()
            save.discard_edits()
        play(save, 1)
    assert {path.name: path.read_text() for path in outside.iterdir()} == {"state.yaml": "theirs"}
    assert not (closed / "memory").is_symlink()


def test_a_refresh_that_was_cut_off_on_a_way_that_was_not_gone_is_no_edit(closed: Path, git: Git) -> None:
    now, before = (git("rev-parse", f"{commit}^{{tree}}").strip() for commit in ("HEAD", "HEAD~1"))
    (closed / ".git/theact/shown").write_text(f"{now} {before}")
    (closed / "state.yaml").write_bytes(git("show", "HEAD~1:state.yaml").encode())
    (closed / "turns/0000/05.yaml").unlink()
    with Save.open(closed, write=False) as save:
        assert save.hand_edits().files == ()
    with Save.open(closed) as save:
        assert not save.foreign_edits
    assert visible(closed) == committed(git)


def test_git_finds_a_closed_save_unchanged_and_what_a_person_changed(folder: Path, git: Git) -> None:
    with Save.create(folder, new_game()) as save:
        play(save, 3)
    assert git("status", "--porcelain") == ""
    with Save.open(folder) as save:
        play(save, 1)
        assert not (folder / ".git/index").exists(), "an old one would take turns back"
        save.undo(2)
    assert git("status", "--porcelain") == ""
    (folder / "state.yaml").write_text((folder / "state.yaml").read_text() + "# mine\n")
    assert git("status", "--porcelain") == " M state.yaml\n"
    git("-c", "user.name=me", "-c", "user.email=m@e", "commit", "-q", "-a", "-m", "mine")
    with Save.open(folder) as save:
        assert save.turn == 2 and save.recovered == "" and save.redoable() == 2


def test_one_may_wait_while_the_thread_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    background, begin, done = Background(), Thread.start, list[str]()

    def start(thread: Thread) -> None:
        background.wait()
        begin(thread)

    monkeypatch.setattr(Thread, "start", start)
    background.start(lambda: done.append("done"))
    background.wait()
    assert done == ["done"]
