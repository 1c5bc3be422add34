"""A save is copied, renamed, deleted and brought back, each with all that is in it."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.saves.conftest import play
from tests.support.games import new_game, played, ticking
from tests.support.saves import assert_same_story, export, refuse_as_windows
from theact_tui.errors import SaveInUse, UsageError
from theact_tui.saves.library import Library
from theact_tui.saves.save import Save
from theact_tui.story.game import Spoken


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


def test_a_copy_is_listed_once_it_is_whole_and_never_as_broken(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The list is read after every file that is copied."""
    listed: list[list[tuple[str, str]]] = []

    def copied_and_listed(source: str, target: str, **given: bool) -> object:
        made = shutil.copy2(source, target, **given)
        listed.append([(line.name, line.broken) for line in library.saves()])
        return made

    copytree: Callable[..., object] = shutil.copytree

    def copied(*places: Any, **given: Any) -> object:
        if len(places) == 2:  # else it calls itself for a folder
            given["copy_function"] = copied_and_listed
        return copytree(*places, **given)

    monkeypatch.setattr(shutil, "copytree", copied)
    library.copy("reef", "Copy of a copy")
    assert len(listed) > 5 and all(rows == [("reef", "")] for rows in listed)
    assert [(line.name, line.broken) for line in library.saves()] == [("reef", ""), ("copy-of-a-copy", "")]


def test_a_renamed_save_keeps_its_name_whatever_is_undone(library: Library) -> None:
    library.rename("reef", "Das Riff")
    with Save.open(library.path("das-riff")) as save:
        save.undo(2)
        assert save.load().info.title == "Das Riff"
        play(save, 1)
    assert 'title: "Das Riff"' in (library.path("Das Riff") / "save.yaml").read_text()
    library.rename("das-riff", "das RIFF!")
    assert [(line.name, line.title) for line in library.saves()] == [("das-riff", "das RIFF!")]


def test_naming_a_save_is_not_playing_it(tmp_path: Path) -> None:
    library = Library(tmp_path)
    with library.create(new_game("Reef"), clock=ticking()) as save:
        play(save, 2)
    (before,) = library.saves()
    library.rename("reef", "Das Riff")
    library.rename("das-riff", "The Reef")
    library.copy("the-reef", "A copy")
    assert {line.at for line in library.saves()} == {before.at}
    with Save.open(library.path("the-reef")) as save:
        play(save, 1)
    assert [line.name for line in library.saves()] == ["the-reef", "a-copy"]


def test_a_deleted_save_waits_in_the_trash(library: Library) -> None:
    library.delete("reef")
    library.create(new_game("Reef")).close()
    library.delete("reef")
    assert (library.names(), [line.name for line in library.trashed()]) == ([], ["reef-1", "reef-2"])
    assert library.restore("reef-1") == library.folder / "reef"
    with pytest.raises(UsageError, match="It contains: reef-2"):
        library.restore("other")
    assert library.restore("Reef") == library.folder / "reef-1"
    assert_same_story(library.path("reef"), "Reef")
    library.delete("reef-1")
    assert (library.empty_trash(), library.trashed()) == (1, [])
    with pytest.raises(UsageError, match="It contains: nothing"):
        library.restore("reef-1")


def test_of_deleted_saves_of_one_name_the_last_one_comes_back(library: Library) -> None:
    library.delete("reef")
    library.create(new_game("Reef")).close()
    library.delete("reef")
    older, newer = (library.trash_folder / name for name in ("reef-1", "reef-2"))
    while older.stat().st_ctime_ns <= newer.stat().st_ctime_ns:
        older.chmod(0o700)  # Linux notes it; on Windows `st_ctime` is when the save was made
    library.restore("reef")
    assert [line.name for line in library.trashed()] == ["reef-1"]


def test_a_save_that_is_watched_is_in_use_where_windows_moves_no_such_folder(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse_as_windows(monkeypatch)
    with pytest.raises(SaveInUse, match="open in another window"):
        library.delete("reef")
    with pytest.raises(SaveInUse, match="open in another window"):
        library.rename("reef", "Riff")
    assert library.names() == ["reef"] and library.trashed() == []


def test_a_spoken_turn_survives_a_renaming(library: Library) -> None:
    with Save.open(library.path("reef")) as save:
        turn = played(save.load(), "spoken").turns[5]
        save.unfinished.journal(Spoken(parent=save.head, branch="main", turn=turn, present=()))
    library.rename("reef", "Riff")
    library.copy("riff", "Zwei")
    for name in ("riff", "zwei"):
        with Save.open(library.path(name)) as save:
            spoken = save.unfinished.journalled()
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
