"""A save can be copied, exported, imported, cloned and pushed, and what comes in is never trusted (S9, S13)."""

from __future__ import annotations

import os
import subprocess
import threading
import zlib
from collections.abc import Iterator
from hashlib import sha1
from pathlib import Path

import pytest
from dulwich.repo import Repo
from dulwich.server import BackendRepo, DictBackend, TCPGitServer

from tests.saves.conftest import play
from tests.saves.games import new_game, played
from theact_tui.errors import SaveDamaged, SaveError, SaveInUse, UsageError
from theact_tui.saves.bundle import write_bundle
from theact_tui.saves.incoming import check_pack, is_known
from theact_tui.saves.library import Library
from theact_tui.saves.repository import Repository
from theact_tui.saves.store import Save
from theact_tui.saves.trees import differences
from theact_tui.story.spoken import Spoken


@pytest.fixture
def library(tmp_path: Path) -> Library:
    """A library with one save, `reef`: six turns, two takes, a branch with a title, two turns undone."""
    library = Library(tmp_path)
    with library.create(new_game("Reef")) as save:
        play(save, 5)
        save.retake()
        play(save, 1, "again")
        save.branch_at("静かな夜", 2)
        save.branch_at("index", 1)
        play(save, 1)
        save.undo(2)
    return library


def export(library: Library, file: Path) -> None:
    """`reef` as one file."""
    with Save.open(library.path("reef"), write=False) as save:
        write_bundle(save.repository, file)


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", folder, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def assert_same_story(folder: Path, title: str) -> None:
    git(folder, "fsck", "--strict")
    with Save.open(folder) as save:
        assert (save.recovered, save.foreign_edits, save.info.title) == ("", (), title)
        assert (save.turn, save.branch, save.load().info.title) == (4, "main", title)
        assert {info.title for info in save.branches()} == {"main", "静かな夜", "index"}
        if save.redoable():
            assert save.redo(2).state.turn == 6
            assert save.takes(5) == (2, 2)
        play(save, 1)
    assert "I go on." in (folder / "turns/0000/01.yaml").read_text()


# --- copying, naming, deleting ----------------------------------------------------------------------------------


def test_a_copy_goes_its_own_way(library: Library) -> None:
    library.copy("reef", "Reef, again")
    (library.path("reef") / ".git/hooks").mkdir(exist_ok=True)
    assert_same_story(library.path("reef-again"), "Reef, again")
    assert_same_story(library.path("reef"), "Reef")
    with (
        Save.open(library.path("reef"), write=False) as one,
        Save.open(library.path("reef-again"), write=False) as two,
    ):
        assert one.info.id != two.info.id
    with pytest.raises(UsageError, match="already a save"):
        library.copy("reef", "REEF AGAIN")


def test_a_renamed_save_keeps_its_name_whatever_is_undone(library: Library) -> None:
    library.rename("reef", "Das Riff")
    with Save.open(library.path("das-riff")) as save:
        save.undo(2)
        assert save.load().info.title == "Das Riff"
        play(save, 1)
    assert 'title: "Das Riff"' in (library.path("Das Riff") / "save.yaml").read_text()
    library.rename("das-riff", "das RIFF!")
    assert [(line.name, line.title) for line in library.saves()] == [("das-riff", "das RIFF!")]


def test_a_deleted_save_waits_in_the_trash(library: Library) -> None:
    library.delete("reef")
    library.create(new_game("Reef")).close()
    library.delete("reef")
    assert (library.names(), [line.name for line in library.trashed()]) == ([], ["reef-1", "reef-2"])
    assert library.restore("reef-1") == library.folder / "reef"
    with pytest.raises(UsageError, match="In it: reef-2"):
        library.restore("other")
    assert library.restore("Reef") == library.folder / "reef-1"
    assert_same_story(library.path("reef"), "Reef")
    library.delete("reef-1")
    assert (library.empty_trash(), library.trashed()) == (1, [])
    with pytest.raises(UsageError, match="In it: nothing"):
        library.restore("reef-1")


def test_a_spoken_turn_survives_a_renaming(library: Library) -> None:
    with Save.open(library.path("reef")) as save:
        turn = played(save.load(), "spoken").turns[5]
        save.journal(Spoken(parent=save.head, branch="main", turn=turn, present=()))
    library.rename("reef", "Riff")
    library.copy("riff", "Zwei")
    for name in ("riff", "zwei"):
        with Save.open(library.path(name)) as save:
            spoken = save.journalled()
            assert spoken and spoken.turn.player_text == "spoken"
            assert save.info.title.casefold() == name


def test_an_open_save_is_left_alone(library: Library, tmp_path: Path) -> None:
    with Save.open(library.path("reef")):
        with pytest.raises(SaveInUse):
            library.delete("reef")
        with pytest.raises(SaveInUse):
            library.rename("reef", "x")
        with pytest.raises(SaveInUse):
            library.copy("reef", "y")
        export(library, tmp_path / "reef.bundle")
    assert library.names() == ["reef"]


# --- one file ---------------------------------------------------------------------------------------------------


def test_an_exported_save_comes_back_whole_and_git_reads_it(library: Library, tmp_path: Path) -> None:
    file = tmp_path / "reef.bundle"
    export(library, file)
    git(tmp_path, "clone", "-q", str(file), "clone")
    assert git(tmp_path / "clone", "rev-list", "--count", "HEAD") == "5\n"
    with pytest.raises(UsageError, match="exists already"):
        export(library, file)
    assert_same_story(library.import_file(file), "Reef")
    assert_same_story(library.import_file(file, "Zwei"), "Zwei")
    assert library.names() == ["reef", "reef-1", "zwei"]
    with pytest.raises(UsageError, match="already a save"):
        library.import_file(file, "Zwei")


def test_every_save_has_an_id_of_its_own_however_often_it_comes_in(library: Library, tmp_path: Path) -> None:
    file = tmp_path / "reef.theact"
    export(library, file)
    first = ids(library)
    library.delete("reef")
    library.import_file(file)
    assert ids(library) == first, "nobody else in the list has it"
    library.import_file(file)
    library.copy("reef", "Zwei")
    library.clone(str(library.path("reef")))
    library.restore("reef-1")
    assert len(library.names()) == len(ids(library)) == 5


def ids(library: Library) -> set[str]:
    """The ids of all saves."""
    found = set()
    for name in library.names():
        with Save.open(library.path(name), write=False) as save:
            found.add(save.info.id)
    return found


def test_no_piece_of_an_exported_save_passes_for_the_whole(library: Library, tmp_path: Path) -> None:
    file = tmp_path / "reef.bundle"
    export(library, file)
    whole = file.read_bytes()
    for length in (0, 10, 100, len(whole) // 2, len(whole) - 1):
        file.write_bytes(whole[:length])
        with pytest.raises(SaveError):
            library.import_file(file)
    for place in range(len(whole) - 2_000, len(whole), 97):
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
        with pytest.raises(SaveError):
            library.import_file(file)
    with pytest.raises(SaveError, match="could not be read"):
        library.import_file(tmp_path / "nothing")
    assert library.names() == ["reef"]
    assert [path.name for path in library.folder.iterdir()] == ["reef"]


def test_only_known_refs_come_in(library: Library, tmp_path: Path) -> None:
    file = tmp_path / "reef.bundle"
    export(library, file)
    head, pack = file.read_bytes().split(b"\n\n", 1)
    id = head.split(b"\n")[1].split()[0]
    strange = b"refs/heads/../../hooks/x refs/heads/a/b refs/heads/Main refs/heads/con refs/theact/takes/1/../x".split()
    lines = [
        id + b" " + name for name in (*strange, b"refs/remotes/x/y", b"refs/notes/commits", b"../../evil")
    ]
    file.write_bytes(b"\n".join([head, *lines]) + b"\n\n" + pack)
    folder = library.import_file(file)
    assert {path.name for path in (folder / ".git/refs/heads").iterdir()} == {"main", "branch-1", "index"}
    assert not (folder / ".git/hooks").exists()
    assert git(folder, "config", "--local", "--list").splitlines() == [
        "core.repositoryformatversion=0", "core.filemode=false", "core.bare=false", "gc.auto=0",
    ]  # fmt: skip


def test_a_repository_that_is_no_save_is_refused(library: Library, tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "main", "other")
    (tmp_path / "other" / "a.txt").write_text("a")
    git(tmp_path / "other", "add", "-A")
    git(tmp_path / "other", "-c", "user.name=a", "-c", "user.email=b", "commit", "-q", "-m", "Turn 0: x")
    git(tmp_path / "other", "bundle", "create", "-q", str(tmp_path / "x.bundle"), "--all")
    with pytest.raises(SaveDamaged):
        library.clone(str(tmp_path / "other"))
    with pytest.raises(SaveDamaged):
        library.import_file(tmp_path / "x.bundle")
    assert library.names() == ["reef"]


def pack_of(kind: int, declared: int, content: bytes) -> bytes:
    size, header = declared, []
    header.append(kind << 4 | size & 15)
    size >>= 4
    while size:
        header[-1] |= 128
        header.append(size & 127)
        size >>= 7
    body = b"PACK" + (2).to_bytes(4, "big") + (1).to_bytes(4, "big") + bytes(header)
    body += (b"\0" * 20 if kind == 7 else b"") + zlib.compress(content)
    return body + sha1(body, usedforsecurity=False).digest()


@pytest.mark.parametrize(
    "pack",
    [
        pack_of(3, 10**9, b"x"), pack_of(3, 5, b"x" * 100_000_000), pack_of(7, 6, b"\x05\xff\xff\xff\xff\x7f"),
        pack_of(5, 1, b"x"), b"PACK" + b"\0" * 40, b"PACK\0\0\0\2\xff\xff\xff\xff" + b"\0" * 40, b"x" * 100, b"",
    ],
)  # fmt: skip
def test_packs_that_would_burst_are_refused(pack: bytes, tmp_path: Path) -> None:
    (tmp_path / "pack").write_bytes(pack)
    with pytest.raises(SaveDamaged):
        check_pack(tmp_path / "pack")


def test_a_sound_pack_is_not_refused(library: Library, tmp_path: Path) -> None:
    git(library.path("reef"), "gc", "-q", "--aggressive")
    (pack,) = (library.path("reef") / ".git/objects/pack").glob("*.pack")
    check_pack(pack)
    (tmp_path / "blob").write_bytes(pack_of(3, 5, b"hello"))
    check_pack(tmp_path / "blob")


def test_refs_of_a_save_are_known_and_no_others() -> None:
    known = [
        "refs/heads/main",
        "refs/heads/what-if",
        "refs/theact/takes/3/12",
        "refs/theact/names",
        "refs/theact/undone/a",
    ]
    assert all(is_known(name) for name in known)
    others = [
        "HEAD",
        "refs/heads/",
        "refs/heads/.x",
        "refs/heads/a.lock",
        "refs/tags/v1",
        "refs/theact/retaking/main",
    ]
    assert not any(is_known(name) for name in others)


# --- other repositories -----------------------------------------------------------------------------------------


def test_a_save_is_pushed_to_a_folder_and_cloned_from_it(library: Library, tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--bare", "there.git")
    there = tmp_path / "there.git"
    changed = library.push("reef", str(there))
    assert {"refs/heads/main", "refs/heads/branch-1", "refs/theact/takes/5/1"} <= set(changed)
    git(there, "fsck", "--strict")
    assert library.push("reef", str(there)) == ()
    with Save.open(library.path("reef")) as save:
        play(save, 1, "a third time")
    assert library.push("reef", f"file://{there}") == ("refs/heads/main", "refs/theact/takes/5/3")
    assert git(there, "rev-list", "--count", "main") == "6\n"
    library.delete("reef")
    folder = library.clone(str(there))
    with Save.open(folder) as save:
        assert (save.turn, save.info.title, len(save.branches())) == (5, "Reef", 3)
        save.undo(3)
        play(save, 1, "otherwise")
    with pytest.raises(UsageError, match="other turns"):
        library.push("reef", str(there))
    assert library.push("reef", str(there), force=True) == ("refs/heads/main",)
    with pytest.raises(UsageError, match="work tree"):
        library.push("reef", str(folder))


def test_places_that_are_no_repositories_are_refused(library: Library, tmp_path: Path) -> None:
    for place in ("nowhere", str(tmp_path), "-oProxyCommand=x", "ext::sh -c x", "--upload-pack=x@y:z", ""):
        with pytest.raises(UsageError):
            library.clone(place)
        with pytest.raises(UsageError):
            library.push("reef", place)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    """A git server on this computer, with an empty repository; its address."""
    repo = Repo.init_bare(tmp_path / "served.git", mkdir=True)
    served: dict[bytes, BackendRepo] = {b"/save.git": repo}
    git_server = TCPGitServer(DictBackend(served), "localhost", 0)
    thread = threading.Thread(target=git_server.serve_forever)
    thread.start()
    yield f"git://localhost:{git_server.server_address[1]}/save.git"
    git_server.shutdown()
    git_server.server_close()
    thread.join()
    repo.close()


def test_a_save_is_pushed_to_a_server_and_cloned_from_it(library: Library, server: str) -> None:
    assert "refs/heads/main" in library.push("reef", server)
    assert library.push("reef", server) == ()
    with Save.open(library.path("reef")) as save:
        save.undo(1)
        play(save, 2, "otherwise")
    with pytest.raises(UsageError, match="other turns"):
        library.push("reef", server)
    assert "refs/heads/main" in library.push("reef", server, force=True)
    with Save.open(library.clone(server, "From afar")) as save:
        assert (save.turn, save.info.title) == (5, "From afar")
        assert {info.title for info in save.branches()} == {"main", "静かな夜", "index"}


def test_a_server_that_is_not_there_is_named(library: Library) -> None:
    with pytest.raises(SaveError, match="git://localhost:9/x could not be"):
        library.clone("git://localhost:9/x")
    with pytest.raises(SaveError, match="git://localhost:9/x could not be"):
        library.push("reef", "git://localhost:9/x")


# --- folders made elsewhere -------------------------------------------------------------------------------------


@pytest.mark.skipif(os.name == "nt", reason="scripts and links")
def test_hooks_and_config_of_a_folder_made_elsewhere_do_nothing(library: Library, tmp_path: Path) -> None:
    folder, sign = library.path("reef"), tmp_path / "ran"
    (folder / ".git/hooks").mkdir(exist_ok=True)
    for hook in (
        "pre-commit",
        "post-commit",
        "commit-msg",
        "post-checkout",
        "pre-push",
        "reference-transaction",
    ):
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
        save.branch_at("more")
        save.switch("more")
        save.undo()
    library.copy("reef", "copy")
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
        save.commit_files(
            {
                "../outside.yaml": b"x",
                ".git/hooks/pre-commit": b"x",
                "turns/CON": b"x",
                "a/../../b": b"x",
                "c:d": b"x",
            },
            "strange",
        )
        play(save, 1)
        save.undo()
    assert not (tmp_path / "saves/outside.yaml").exists()
    assert not (folder / ".git/hooks").exists()
    assert not (folder / "turns/CON").exists()


def test_a_tree_that_holds_itself_many_times_over_is_left_alone(library: Library) -> None:
    folder = library.path("reef")
    with Save.open(folder) as save:
        from theact_tui.saves.objects import FOLDER, Entry

        tree = save.repository.add_tree({"x.yaml": Entry(0o100644, save.repository.add_blob(b"x"))})
        for _ in range(30):
            tree = save.repository.add_tree({f"d{number}": Entry(FOLDER, tree) for number in range(40)})
        root = dict(save.repository.tree(save._timeline.version.tree)) | {"bomb": Entry(FOLDER, tree)}
        commit = save.repository.add_commit(
            save.repository.add_tree(root), save.head, "Edit: bomb", save._timeline.clock()
        )
        save._timeline.go(commit)
    with Save.open(folder) as save:
        play(save, 1)
        save._view.wait()
        assert "more files" in save.problems[0]
        assert save.turn == 5


def test_a_copy_takes_no_hooks_along(library: Library) -> None:
    source = library.path("reef")
    hook = source / ".git" / "hooks" / "post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\ntouch ran\n", "utf-8")
    copy = library.copy("reef", "Copy")
    assert not (copy / ".git" / "hooks").exists() and hook.exists()


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
