"""Where things live (S12, S13): one option moves everything, and folders are private."""

import os
import shutil
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock, Timeout

from theact_tui import paths
from theact_tui.errors import UsageError
from theact_tui.paths import (
    Home,
    Remembered,
    clear_abandoned,
    exports_folder,
    incoming_folder,
    private_folder,
    typed_path,
    write_private,
)


def test_one_folder_moves_everything(tmp_path: Path) -> None:
    home = Home.find(tmp_path, {"THEACT_HOME": "/elsewhere"})
    places = (home.saves, home.packs, home.trash, home.logs, home.cache, home.config_file)
    assert all(place.is_relative_to(tmp_path) for place in places)
    assert Home.find(None, {"THEACT_HOME": str(tmp_path)}) == home


def test_without_one_the_systems_folders_are_used() -> None:
    home = Home.find(None, {})
    assert home.config_file.name == "config.toml" and "theact_tui" in str(home.data)


@pytest.mark.posix("file modes")
def test_folders_are_private(tmp_path: Path) -> None:
    home = Home.find(tmp_path / "a" / "b", {}).create()
    for folder in (tmp_path / "a", home.data, home.saves, home.packs, home.trash, home.cache):
        assert folder.is_dir() and folder.stat().st_mode & 0o077 == 0


@pytest.mark.posix("file modes")
def test_folders_that_exist_stay_as_they_are(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    private_folder(tmp_path)
    assert tmp_path.stat().st_mode & 0o777 == 0o755


def test_what_a_killed_program_left_is_put_back_or_goes_and_what_one_works_on_stays(tmp_path: Path) -> None:
    for left in ("old", "killed", "made"):
        (tmp_path / f".incoming-{left}" / "before" / left).mkdir(parents=True)
    os.utime(tmp_path / ".incoming-old", (0, 0))
    (tmp_path / ".incoming-killed" / "in-use").touch()
    with incoming_folder(tmp_path) as used:
        (used / "before" / "used").mkdir(parents=True)
        with incoming_folder(tmp_path) as second:
            names = {path.name for path in tmp_path.iterdir()}
        assert names == {"old", "killed", ".incoming-made", used.name, second.name}
    assert not used.exists() and not second.exists()


def test_a_killed_programs_folder_goes_also_where_no_locked_file_can_be_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = tmp_path / ".incoming-killed"
    (left / "half").mkdir(parents=True)
    lock = left / "in-use"
    lock.touch()
    rmtree = shutil.rmtree

    def as_on_windows(folder: Path, ignore_errors: bool) -> None:
        try:
            FileLock(lock, timeout=0).acquire().lock.release()
        except Timeout:
            folder = folder / "half"
        rmtree(folder, ignore_errors=ignore_errors)

    monkeypatch.setattr(shutil, "rmtree", as_on_windows)
    clear_abandoned(tmp_path)
    assert not left.exists()


def test_opening_a_home_clears_what_was_killed_in_it(tmp_path: Path) -> None:
    home = Home.find(tmp_path, {}).create()
    for place in (home.data, home.saves, home.packs):
        (place / ".incoming-killed").mkdir()
        (place / ".incoming-killed" / "in-use").touch()
    home.create()
    assert not [*tmp_path.rglob(".incoming-*")]


def test_a_home_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="file"):
        Home.find(tmp_path / "file" / "home", {}).create()


def test_the_home_of_nobody_is_told() -> None:
    assert typed_path("~/stories") == Path.home() / "stories"
    with pytest.raises(UsageError, match="no home folder '~nobody-at-all'"):
        Home.find("~nobody-at-all/stories", {})


@pytest.mark.posix("file modes")
def test_a_file_is_replaced_whole_or_not_at_all(tmp_path: Path) -> None:
    file = tmp_path / "f"
    write_private(file, "one")
    with pytest.raises(UnicodeEncodeError):
        write_private(file, "\ud800")
    assert [f.name for f in tmp_path.iterdir()] == ["f"] and file.read_text() == "one"
    assert file.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("refusals", [2, 3])
def test_a_file_that_is_read_just_now_is_replaced_a_moment_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refusals: int
) -> None:
    write_private(tmp_path / "f", "one")
    replace, answers = os.replace, [PermissionError("in use")] * refusals

    def refused(*places: Any, **given: Any) -> None:
        if answers:
            raise answers.pop()
        replace(*places, **given)

    monkeypatch.setattr(paths, "_WAITS", (0, 0))
    monkeypatch.setattr(os, "replace", refused)
    with nullcontext() if refusals == 2 else pytest.raises(PermissionError):
        write_private(tmp_path / "f", "two")
    text = (tmp_path / "f").read_text("utf-8")
    assert text == ("two" if refusals == 2 else "one") and len([*tmp_path.iterdir()]) == 1


def test_learned_values_survive_and_damage_is_forgotten(tmp_path: Path) -> None:
    memory = Remembered(tmp_path / "cache" / "m.json")
    memory.put("a", {"x": 1})
    memory.put("b", {"y": 2})
    assert (memory.get("a"), memory.get("b"), memory.get("c")) == ({"x": 1}, {"y": 2}, {})
    memory.file.write_text("{")
    assert memory.get("a") == {}
    memory.put("a", {"x": 3})
    assert memory.get("a") == {"x": 3}


def test_what_is_exported_goes_below_a_chosen_home_and_else_to_the_downloads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DOWNLOAD_DIR", str(tmp_path / "downloads"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    for chosen in (Home.find(tmp_path / "home"), Home.find(env={"THEACT_HOME": str(tmp_path / "home")})):
        assert exports_folder(chosen.data) == tmp_path / "home" / "exports"
    assert exports_folder(Home.find(env={}).data) == tmp_path / "downloads"
