"""What is done with the save `reef` of the fixture `library`, and the git program to look at it."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.saves.conftest import play
from theact_tui.saves.library import Library
from theact_tui.saves.save import Save
from theact_tui.saves.transfer import write_bundle
from theact_tui.story.typed import Typed


def export(library: Library, file: Path) -> None:
    with Save.open(library.path("reef"), write=False) as save:
        write_bundle(save.repository, file)


def keep_sent(save: Save[Any], line: str) -> Typed:
    """Leave a line after the last turn, as a kill while it is told does."""
    typed = Typed(sent=line, branch=save.branch, after=save.turn)
    save.unfinished.keep_typed(typed)
    return typed


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", folder, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def refuse_as_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Saves cannot be moved, as where another program has a file of each open."""

    def refused(*_: object) -> None:
        error = PermissionError(13, "Access is denied")
        error.winerror = 5  # type: ignore[attr-defined,unused-ignore]
        raise error

    monkeypatch.setattr("theact_tui.saves.library.replace_file", refused)


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
