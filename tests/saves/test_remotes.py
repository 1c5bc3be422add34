"""A save is pushed to another repository and cloned from it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from dulwich.repo import Repo
from dulwich.server import BackendRepo, DictBackend, TCPGitServer

from tests.saves.conftest import play
from tests.support.saves import git
from theact_tui.errors import SaveError, UsageError
from theact_tui.saves.library import Library
from theact_tui.saves.save import Save


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
    with pytest.raises(UsageError, match="Branch 'main' has diverged there"):
        library.push("reef", str(there))
    assert library.push("reef", str(there), force=True) == (
        "refs/heads/main",
        "refs/theact/takes/3/1",
        "refs/theact/takes/3/2",
    )
    with pytest.raises(UsageError, match="work tree"):
        library.push("reef", str(folder))


def test_places_that_are_no_repositories_are_refused(library: Library, tmp_path: Path) -> None:
    for place in (
        "nowhere",
        "~nobody-at-all/x",
        str(tmp_path),
        "-oProxyCommand=x",
        "ext::sh -c x",
        "--upload-pack=x@y:z",
        "",
    ):
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
    with pytest.raises(UsageError, match="Branch 'main' has diverged there"):
        library.push("reef", server)
    assert "refs/heads/main" in library.push("reef", server, force=True)
    with Save.open(library.clone(server, "From afar")) as save:
        assert (save.turn, save.info.title) == (5, "From afar")
        assert {info.title for info in save.branches()} == {"main", "静かな夜", "index"}


@pytest.mark.parametrize("address", ["git://localhost:9/x", "http://localhost:9/x"])
def test_a_server_that_is_not_there_is_named(library: Library, address: str) -> None:
    for done, act in (("read", library.clone), ("written", partial(library.push, "reef"))):
        with pytest.raises(SaveError) as refused:
            act(address)
        said = f"{address} could not be {done}: Connection refused. Check that it is a git repository."
        assert str(refused.value) == said
