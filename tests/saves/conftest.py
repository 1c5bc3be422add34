"""Saves in temporary folders, and the git program to look at them."""

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.games import new_game, played, ticking
from theact_tui.saves.library import Library
from theact_tui.saves.save import Save
from theact_tui.story.game import Game

Git = Callable[..., str]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "saves" / "alex-at-the-reef"


@pytest.fixture
def save(folder: Path) -> Iterator[Save[Game]]:
    """A new save, at turn 0."""
    with Save.create(folder, new_game(), clock=ticking()) as made:
        yield made


@pytest.fixture
def closed(folder: Path) -> Path:
    """A save of five turns, closed; its folder."""
    with Save.create(folder, new_game(), clock=ticking()) as save:
        play(save, 5)
    return folder


@pytest.fixture
def git(folder: Path) -> Git:
    """Run the git program in the save's folder; its output. Fails when git does."""

    def run(*arguments: str) -> str:
        done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert not done.stderr or arguments[0] != "fsck", done.stderr
        return done.stdout

    return run


def another_process(code: str, folder: Path) -> str:
    """What `code`, which is given a save's folder, prints in a process of its own; it must not complain."""
    command = [sys.executable, "-c", code, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def play(save: Save[Game], turns: int, text: str = "I go on.") -> None:
    """Play some turns and save each."""
    for _ in range(turns):
        save.commit(played(save.load(), text))


@pytest.fixture(scope="session")
def reef(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The saves of a library with one, `reef`: six turns, two takes, a branch with a title, two turns undone."""
    library = Library(tmp_path_factory.mktemp("reef"))
    with library.create(new_game("Reef")) as save:
        play(save, 5)
        save.begin_take()
        play(save, 1, "again")
        save.create_branch("静かな夜", 2)
        save.create_branch("index", 1)
        play(save, 1)
        save.undo(2)
    return library.folder


@pytest.fixture
def library(reef: Path, tmp_path: Path) -> Library:
    """A library that begins with a copy of `reef`."""
    library = Library(tmp_path)
    shutil.copytree(reef, library.folder, symlinks=True, dirs_exist_ok=True)
    return library
