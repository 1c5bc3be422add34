"""A folder that was made elsewhere is never trusted: not its hooks, links, names or objects."""

import os
import zlib
from pathlib import Path

import pytest

from tests.saves.conftest import play
from theact_tui.errors import SaveDamaged
from theact_tui.saves.library import Library
from theact_tui.saves.repository import Repository
from theact_tui.saves.save import Save
from theact_tui.saves.trees import differences


@pytest.mark.skipif(os.name == "nt", reason="scripts and links")
def test_hooks_and_config_of_a_folder_made_elsewhere_do_nothing(library: Library, tmp_path: Path) -> None:
    folder, sign = library.path("reef"), tmp_path / "ran"
    (folder / ".git/hooks").mkdir(exist_ok=True)
    for hook in "pre-commit post-commit commit-msg post-checkout pre-push reference-transaction".split():
        path = folder / ".git/hooks" / hook
        path.write_text(f"#!/bin/sh\ntouch {sign}\n")
        path.chmod(0o755)
    other = tmp_path / "other"
    other.mkdir()
    (folder / ".git/config").write_text(
        f"[core]\n\tworktree = {other}\n\tfsmonitor = touch {sign}\n\thooksPath = {folder}/.git/hooks\n"
        "[extensions]\n\trefStorage = reftable\n[include]\n\tpath = /dev/zero\n"
    )
    (folder / ".git/objects/info/alternates").write_text(str(other))
    with Save.open(folder) as save:
        play(save, 2)
        save.create_branch("more")
        save.switch_branch("more")
        save.undo()
    assert not (library.copy("reef", "copy") / ".git/hooks").exists()
    assert not sign.exists()
    assert list(other.iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
@pytest.mark.parametrize("part", [".git", ".git/objects", ".git/refs", ".git/refs/heads", ".git/theact"])
def test_folders_that_lead_elsewhere_are_refused(part: str, library: Library, tmp_path: Path) -> None:
    folder = library.path("reef")
    (folder / part).rename(tmp_path / "outside")
    (folder / part).symlink_to(tmp_path / "outside")
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "outside").rglob("*")}
    with pytest.raises(SaveDamaged):
        Save.open(folder)
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "outside").rglob("*")} == before


def test_a_git_file_that_points_elsewhere_is_refused(library: Library, tmp_path: Path) -> None:
    folder = library.path("reef")
    (folder / ".git").rename(tmp_path / "outside")
    (folder / ".git").write_text(f"gitdir: {tmp_path / 'outside'}\n")
    for write in (True, False):
        with pytest.raises(SaveDamaged):
            Save.open(folder, write=write)


def test_names_in_trees_that_are_no_file_names_never_reach_the_disk(library: Library, tmp_path: Path) -> None:
    folder = library.path("reef")
    with Save.open(folder) as save:
        save._timeline.add_edit(
            {
                "../outside.yaml": b"x",
                ".git/hooks/pre-commit": b"x",
                "turns/CON": b"x",
                "a/../../b": b"x",
                "c:d": b"x",
            },
            "Edit: strange\n",
        )
        play(save, 1)
        save.undo()
    assert not (tmp_path / "saves/outside.yaml").exists()
    assert not (folder / ".git/hooks").exists()
    assert not (folder / "turns/CON").exists()


def test_a_tree_that_holds_itself_many_times_over_is_left_alone(library: Library) -> None:
    folder = library.path("reef")
    with Save.open(folder) as save:
        from theact_tui.saves.git_objects import FOLDER, TreeEntry

        tree = save.repository.add_tree({"x.yaml": TreeEntry(0o100644, save.repository.add_blob(b"x"))})
        for _ in range(30):
            tree = save.repository.add_tree({f"d{number}": TreeEntry(FOLDER, tree) for number in range(40)})
        root = dict(save.repository.tree(save._timeline.version.tree)) | {"bomb": TreeEntry(FOLDER, tree)}
        commit = save.repository.add_commit(
            save.repository.add_tree(root), save.head, "Edit: bomb", save._timeline.clock()
        )
        save._timeline.go(commit)
    with Save.open(folder) as save:
        play(save, 1)
        save._showing.wait()
        assert "too many files" in save.problems[0]
        assert save.turn == 5


def test_objects_of_another_folder_are_no_part_of_a_save(library: Library, tmp_path: Path) -> None:
    other = library.copy("reef", "Other") / ".git" / "objects"
    with Save.open(library.path("reef")) as save:
        gone = save.repository.link(save.head).tree
    git_folder = library.path("reef") / ".git"
    (git_folder / "objects" / gone[:2] / gone[2:]).unlink()
    (git_folder / "objects" / "info").mkdir(exist_ok=True)
    (git_folder / "objects" / "info" / "alternates").write_text(f"{other}\n", "utf-8")
    repository = Repository(git_folder)
    assert not repository.has(gone) and Repository(other.parent).has(gone)
    with Save.open(library.path("reef")) as save:
        assert "could not be read" in save.recovered


@pytest.mark.posix("file modes")
def test_an_object_that_holds_something_else_than_its_name_says_is_not_read(library: Library) -> None:
    with Save.open(library.path("reef")) as save:
        id = next(
            id for _, _, id in differences(save.repository, None, save.repository.link(save.head).tree) if id
        )
        path = save.folder / ".git" / "objects" / id[:2] / id[2:]
        path.chmod(0o600)
        path.write_bytes(zlib.compress(b"blob 9\x00not yours"))
        with pytest.raises(SaveDamaged):
            save.repository.blob(id)
