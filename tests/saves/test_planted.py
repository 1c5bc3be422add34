"""A save made by somebody else: whatever lies in the place of its files, nothing outside of it is written or read."""

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from tests.models.test_ledger import finished
from tests.saves.conftest import play
from tests.support.saves import keep_sent
from theact_tui.errors import TheActError
from theact_tui.models.ledger import Ledger
from theact_tui.saves.library import Library
from theact_tui.saves.repository import pack
from theact_tui.saves.save import Save
from theact_tui.story.game import Game

pytestmark = pytest.mark.skipif(os.name == "nt", reason="links need rights there")

PRIVATE = (
    "heads shown clean in-use tmp-probe spoken.json typed.json doing calls calls/00000 "
    "calls/00000/texts.jsonl calls/00000/0000006.jsonl"
).split()
GIT = [
    "",
    *"/HEAD /HEAD.lock /packed-refs /objects /objects/pack /objects/pack/multi-pack-index".split(),
    *"/refs /refs/heads /refs/heads/main /refs/heads/main.lock /refs/theact".split(),
    *"/refs/theact/takes /refs/theact/undone /theact".split(),
]
VISIBLE = "save.yaml state.yaml turns turns/0000 memory memory/maya.yaml memory/maya.edited.yaml".split()
PLACES = [*(f".git/theact/{name}" for name in PRIVATE), *(f".git{name}" for name in GIT), *VISIBLE]


def write_everything(folder: Path) -> None:
    """Use the save in every way that writes a file; each may be refused."""
    steps: tuple[Callable[[Save[Game]], object], ...] = (
        lambda save: play(save, 1),
        lambda save: Ledger(save.private).add(finished(turn=6), "main"),
        lambda save: keep_sent(save, "I go."),
        lambda save: save.unfinished.mark("NARRATING"),
        lambda save: save.discard_edits(),
        lambda save: save.begin_take(),
        lambda save: save.undo(),
        lambda save: save.create_branch("aside", 1),
        lambda save: save.switch_branch("aside"),
        lambda save: save.rename_branch("aside", "Away"),
        lambda save: pack(save.folder / ".git"),
        lambda save: save.rename("Another"),
    )
    with suppress(TheActError), Save.open(folder) as save:
        for step in steps:
            with suppress(TheActError):
                step(save)


def plant(folder: Path, place: str, make: Callable[[Path], object]) -> None:
    """Put something else in the place of a file or folder of a save."""
    path = folder / place
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists():
        path.rename(folder.parent.parent / "taken-out")
    make(path)


@pytest.mark.posix("links")
@pytest.mark.parametrize("place", PLACES)
def test_a_link_leads_nothing_out_of_a_save(library: Library, tmp_path: Path, place: str) -> None:
    folder, outside = library.path("reef"), tmp_path / "outside"
    outside.mkdir()
    is_folder = (folder / place).is_dir() or place.endswith(("calls", "/00000"))
    target = outside / "folder" if is_folder else outside / "file.yaml"
    if is_folder:
        target.mkdir()
    else:
        target.write_text("mine", "utf-8")
    before = target.lstat()
    plant(folder, place, lambda path: path.symlink_to(target))
    write_everything(folder)
    write_everything(folder)
    assert [*outside.rglob("*")] == [target]
    after = target.lstat()
    assert (after.st_mtime_ns, after.st_mode, after.st_size) == (
        before.st_mtime_ns,
        before.st_mode,
        before.st_size,
    )
    assert is_folder or target.read_text("utf-8") == "mine"


@pytest.mark.posix("links")
@pytest.mark.parametrize("place", ["heads", "calls/00000/texts.jsonl"])
def test_a_file_that_has_another_name_elsewhere_is_not_added_to(
    library: Library, tmp_path: Path, place: str
) -> None:
    folder = library.path("reef")
    (tmp_path / "mine").write_text("mine\n", "utf-8")
    plant(folder, f".git/theact/{place}", lambda path: path.hardlink_to(tmp_path / "mine"))
    write_everything(folder)
    assert (tmp_path / "mine").read_text("utf-8") == "mine\n"
    written = (folder / ".git" / "theact" / place).read_text("utf-8")
    assert written.startswith("mine\n") and written.count("\n") > 1


@pytest.mark.parametrize(
    "place", [".git/theact/heads", ".git/theact/calls", ".git/refs/heads/main", "memory/maya.yaml"]
)
def test_links_lead_nothing_out_where_folders_have_no_handles(
    library: Library, tmp_path: Path, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("theact_tui.saves.atomic._BY_HANDLE", False)
    with Save.open(library.copy("reef", "Sound")) as save:
        play(save, 1)
        Ledger(save.private).add(finished(turn=6), "main")
        assert pack(save.folder / ".git") and len(Ledger(save.private).turn(6)) == 1
    test_a_link_leads_nothing_out_of_a_save(library, tmp_path, place)
