"""Whatever a crash, a person or another program left: a save opens at the newest state that reads."""

import os
import shutil
import tempfile
from pathlib import Path

import pytest

from tests.saves.conftest import Git, another_process, play
from tests.support.games import new_chapter, new_game, played, prompted, ticking
from theact_tui.errors import SaveDamaged, SaveError
from theact_tui.saves.repository import Repository
from theact_tui.saves.save import Save
from theact_tui.story.memory import FactsMemory


@pytest.fixture
def closed(closed: Path) -> Path:
    """`.git` of the closed save."""
    return closed / ".git"


def objects_of(git: Git, *revisions: str) -> list[str]:
    return [line.split()[0] for line in git("rev-list", "--objects", *revisions).splitlines()]


def file_of(closed: Path, id: str) -> Path:
    return closed / "objects" / id[:2] / id[2:]


def empty(path: Path) -> None:
    path.chmod(0o644)
    path.write_bytes(b"")


def test_leftovers_of_a_killed_writer_are_removed(closed: Path, folder: Path, git: Git) -> None:
    (closed / "theact" / "clean").unlink()
    leftovers = [
        closed / "refs/heads/main.lock", closed / "objects/pack/tmpabc.pack", closed / "theact/tmp-xyz",
        closed / "objects/tmp_pack_1", closed / "objects/pack/pack-00.pack", closed / "HEAD.lock",
    ]  # fmt: skip
    for path in leftovers:
        path.write_bytes(b"x")
    (closed / "theact" / "calls").mkdir()
    kept = closed / "theact" / "calls" / "tmp.lock"
    kept.touch()
    with Save.open(folder) as save:
        assert (save.turn, save.recovered) == (5, "")
        play(save, 1)
    assert not [path for path in leftovers if path.exists()]
    assert kept.exists()
    git("fsck", "--strict")


def test_an_object_that_was_left_empty_is_written_anew_when_the_turn_is_played_again(
    closed: Path, folder: Path, git: Git
) -> None:
    newest = set(objects_of(git, "HEAD", "^HEAD~1"))
    (closed / "theact" / "clean").unlink()
    for id in newest:
        empty(file_of(closed, id))
    with Save.open(folder, clock=ticking()) as save:
        assert save.turn == 4
        assert "restored to turn 4." in save.recovered
        play(save, 1)
        assert save.turn == 5
    git("fsck", "--strict")


@pytest.mark.parametrize("lost", ["commit", "tree", "state", "turn", "memory", "ref", "HEAD"])
def test_each_thing_that_can_be_lost_costs_at_most_the_newest_turn(
    lost: str, closed: Path, folder: Path, git: Git
) -> None:
    paths = {"state": "HEAD:state.yaml", "turn": "HEAD:turns/0000/05.yaml", "memory": "HEAD:memory/maya.yaml"}
    match lost:
        case "ref":
            (closed / "refs/heads/main").write_bytes(b"")
        case "HEAD":
            (closed / "HEAD").write_bytes(b"\0\0")
        case _:
            name = paths.get(lost, "HEAD^{" + lost + "}")
            file_of(closed, git("rev-parse", name).strip()).unlink()
    if lost in paths:
        (folder / paths[lost].removeprefix("HEAD:")).unlink()
    with Save.open(folder, write=False) as reader:
        expected = 5 if lost in ("ref", "HEAD") else 4
        assert reader.turn == expected
    with Save.open(folder) as save:
        assert save.turn == expected
        assert save.recovered
        play(save, 1, "another way")
    git("fsck", "--strict")
    with Save.open(folder) as save:
        assert (save.turn, save.recovered) == (expected + 1, "")


@pytest.mark.parametrize("path", ["state.yaml", "turns/0000/05.yaml", "memory/maya.yaml"])
def test_what_the_visible_files_still_hold_costs_nothing(
    path: str, closed: Path, folder: Path, git: Git
) -> None:
    file_of(closed, git("rev-parse", f"HEAD:{path}").strip()).unlink()
    with Save.open(folder, write=False) as reader:
        assert reader.turn == 4, "only who may write can mend it"
    with Save.open(folder) as save:
        assert save.turn == 5 and path in save.recovered
        play(save, 1)
    git("fsck", "--strict")
    with Save.open(folder) as save:
        assert (save.turn, save.recovered) == (6, "")


def test_without_the_list_of_heads_all_commits_are_searched(closed: Path, folder: Path, git: Git) -> None:
    file_of(closed, git("rev-parse", "HEAD").strip()).unlink()
    (closed / "theact" / "heads").unlink()
    with Save.open(folder) as save:
        assert save.turn == 4


@pytest.mark.parametrize("write", [False, True])
def test_a_whole_save_is_opened_without_looking_for_other_commits(
    closed: Path, folder: Path, write: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(Repository, "ids")
    with Save.open(folder, write=write) as save:
        assert save.turn == 5


def test_refs_of_lost_commits_go_and_lost_branches_step_back(closed: Path, folder: Path, git: Git) -> None:
    with Save.open(folder) as save:
        save.create_branch("aside")
        save.begin_take()
        play(save, 1, "take two")
        save.undo()
    (closed / "theact" / "clean").unlink()
    empty(file_of(closed, git("rev-parse", "refs/theact/undone/main").strip()))
    empty(file_of(closed, git("rev-parse", "aside").strip()))
    with Save.open(folder) as save:
        assert (save.turn, save.redoable(), save.takes()) == (4, 0, (1, 1))
        assert save.switch_branch("aside").state.turn == 4
    git("fsck", "--strict")


def test_a_save_of_which_nothing_is_left_says_so(closed: Path, folder: Path) -> None:
    for path in (closed / "objects").glob("??/*"):
        path.unlink()
    with pytest.raises(SaveDamaged, match="cannot be opened"):
        Save.open(folder)
    with pytest.raises(SaveDamaged):
        Save.open(folder.parent)


def test_a_chapter_steps_back_too(folder: Path, git: Git) -> None:
    with Save.create(folder, new_chapter()) as save:
        save.commit(prompted(new_chapter(), "hi"))
    file_of(folder / ".git", git("rev-parse", "HEAD:session.yaml").strip()).unlink()
    (folder / "session.yaml").unlink()
    with Save.open(folder) as save:
        assert (save.turn, save.load().session.prompt_index) == (0, 0)
        assert save.recovered


def test_a_commit_made_by_hand_is_an_edit_and_one_that_does_not_load_is_set_aside(
    closed: Path, folder: Path, git: Git
) -> None:
    def commit() -> None:
        git("add", "-A")
        git("-c", "user.name=me", "-c", "user.email=m@e", "commit", "-q", "-m", "mine")

    (folder / "memory/maya.yaml").write_text("policy: facts\nsummary: By hand.\n")
    commit()
    with Save.open(folder) as save:
        assert save.load().memories["maya"] == FactsMemory(summary="By hand.")
        assert (save.log(1)[0].kind, save.log(1)[0].line, save.turn) == ("edit", "mine", 5)
        play(save, 1)
        assert save.state_at(5).memories["maya"] == FactsMemory(summary="By hand.")
    (folder / "state.yaml").write_text("turn: lots\n")
    commit()
    mine = git("rev-parse", "HEAD").strip()
    with Save.open(folder) as save:
        assert save.turn == 6
        assert "state.yaml is invalid" in save.recovered
    assert mine in git("for-each-ref", "refs/theact/kept")


def test_a_head_without_a_branch_leads_back_to_one(closed: Path, folder: Path, git: Git) -> None:
    git("checkout", "-q", "-f", "HEAD~2")
    with Save.open(folder) as save:
        assert (save.branch, save.turn) == ("main", 5)
        assert "The current branch was missing" in save.recovered


def test_another_program_that_moves_the_branch_is_noticed(closed: Path, folder: Path, git: Git) -> None:
    with Save.open(folder) as save:
        git("update-ref", "refs/heads/main", "HEAD~1")
        with pytest.raises(SaveError, match="Another program"):
            play(save, 1)
    git("fsck", "--strict")


@pytest.mark.posix("limits of resources")
def test_a_full_disk_fails_the_turn_and_nothing_else(closed: Path, folder: Path, git: Git) -> None:
    code = (
        "import resource, sys\nfrom pathlib import Path\n"
        "from tests.support.games import played\nfrom theact_tui.errors import SaveError\n"
        "from theact_tui.saves.save import Save\n"
        "save = Save.open(Path(sys.argv[1]))\ngame = played(save.load())\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100, resource.RLIM_INFINITY))\n"
        "try:\n    save.commit(game)\nexcept SaveError as error:\n    print(error)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))\n"
        "print(save.turn)\nsave.commit(game)\nsave.close()\nprint(save.turn)\n"
    )
    said = another_process(code, folder)
    assert "could not be written" in said and said.endswith("\n5\n6\n")
    with Save.open(folder) as save:
        assert (save.turn, save.recovered) == (6, "")
    git("fsck", "--strict")


@pytest.mark.posix("limits of resources")
def test_a_save_that_cannot_be_made_leaves_nothing(folder: Path) -> None:
    code = (
        "import resource, sys\nfrom pathlib import Path\n"
        "from tests.support.games import new_game\nfrom theact_tui.errors import SaveError\n"
        "from theact_tui.saves.save import Save\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (200, resource.RLIM_INFINITY))\n"
        "try:\n    Save.create(Path(sys.argv[1]), new_game())\nexcept SaveError as error:\n    print(error)\n"
    )
    assert f"Cannot create {folder}: " in another_process(code, folder)
    assert not folder.exists()
    Save.create(folder, new_game()).close()


def test_a_branch_that_points_to_no_commit_is_put_back(closed: Path, folder: Path, git: Git) -> None:
    (closed / "refs/heads/main").write_text(git("rev-parse", "HEAD:state.yaml"))
    with Save.open(folder) as save:
        assert (save.turn, bool(save.recovered)) == (5, True)
    git("fsck", "--strict")


@pytest.mark.skipif(os.name == "nt" or os.getuid() != 0, reason="needs another user to write as")
def test_a_folder_that_cannot_be_written_can_be_read() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "save"
        with Save.create(folder, new_game()) as save:
            play(save, 2)
        for path in (Path(name), folder, *folder.rglob("*")):
            path.chmod(0o555 if path.is_dir() else 0o444)
        code = (
            "import os, sys; from pathlib import Path\nfrom theact_tui.errors import SaveError\n"
            "from theact_tui.saves.save import Save\nimport filelock\n"
            "Save.open(Path(sys.argv[1]), write=False).close()\nos.setuid(65534)\n"
            "try:\n    Save.open(Path(sys.argv[1]))\nexcept SaveError as error:\n    print(error)\n"
            "with Save.open(Path(sys.argv[1]), write=False) as save:\n    print(save.turn)\n"
        )
        said = another_process(code, folder)
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o755)
    first, *others = said.splitlines()
    assert "It opens read-only" in first and others == ["2"]


@pytest.mark.posix("folders that are moved while they are open")
def test_a_folder_that_goes_away_while_it_is_open_is_named(closed: Path, folder: Path) -> None:
    with Save.open(folder) as save:
        game = played(save.load())
        save._showing.wait()
        shutil.move(folder, folder.with_name("elsewhere"))
        for act in (lambda: save.commit(game), save.undo, lambda: save.create_branch("new")):
            with pytest.raises(SaveError, match="is missing"):
                act()
        assert not folder.exists()
        shutil.move(folder.with_name("elsewhere"), folder)
        save.commit(game)
    with Save.open(folder) as save:
        assert (save.turn, save.recovered) == (6, "")
