"""Saves of an earlier version of the program open, go on, and stay what they were on the disk.

`saved/` holds one of each mode, made by the version before `Save` kept both: a story of two turns with two takes of an
undone third one, and a chapter of two prompts with two takes of the second and an undone third; each with a branch.
"""

from __future__ import annotations

import re
import subprocess
import tarfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.games import prompted
from theact_tui.saves.save import Save
from theact_tui.story.game import Game
from theact_tui.story.turn import Entry, Turn


def told(game: Game) -> Game:
    """`game` after one more turn."""
    number = game.state.turn + 1
    turn = Turn(number=number, chapter=game.state.chapter, entries=(Entry(role="narrator", text="A bell."),))
    state = game.state.model_copy(update={"turn": number})
    return replace(game, state=state, turns={**game.turns, number: turn})


MODES: dict[str, Callable[[Any], Any]] = {"play": told, "direct": lambda game: prompted(game, "Go on.")}


@pytest.fixture(params=MODES)
def old(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, Path]:
    """The mode and the folder of an old save."""
    with tarfile.open(Path(__file__).parent / "saved" / f"{request.param}.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
    return request.param, next(tmp_path.iterdir())


def git(folder: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout


def test_an_old_save_opens_as_it_was(old: tuple[str, Path]) -> None:
    mode, folder = old
    refs = git(folder, "for-each-ref")
    with Save.open(folder) as save:
        assert (save.info.mode, save.turn, save.recovered, save.foreign_edits) == (mode, 2, "", ())
        assert save.load() == save.state_at(2)
        assert (save.redoable(), save.takes(), len(save.branches())) == (
            1,
            (1, 1) if mode == "play" else (2, 2),
            2,
        )
    assert git(folder, "for-each-ref") == refs


def test_an_old_save_goes_back_and_forward(old: tuple[str, Path]) -> None:
    _, folder = old
    with Save.open(folder) as save:
        before = save.load()
        third = save.redo()
        assert save.turn == 3 and save.undo() == before
        assert save.undo(2) == save.state_at(0) and save.redo(3) == third
        assert save.switch_branch("aside") == save.state_at(1, "main") and save.turn == 1
    git(folder, "fsck", "--strict")


def test_an_old_save_goes_on_and_changes_the_same_files_as_ever(old: tuple[str, Path]) -> None:
    mode, folder = old
    with Save.open(folder) as save:
        save.redo()
        former = git(folder, "show", "--name-only", "--format=%an %ae%n%s%n%b", "HEAD").split("\n")
        save.undo()
        game = MODES[mode](save.load())
        save.commit(game)
        assert save.load() == game and save.redoable() == 0
        save.begin_take()
        save.select_take(None)
        assert save.load() == game
    subject = git(folder, "log", "-1", "--format=%s").strip()
    assert subject.startswith("Turn 3: " if mode == "play" else "Prompt 3: ")
    now = git(folder, "show", "--name-only", "--format=%an %ae%n%s%n%b", "HEAD").split("\n")
    assert (now[0], now[2]) == (former[0], former[2]), "author and trailer"
    files = {"turns/0000/03.yaml", "state.yaml" if mode == "play" else "session.yaml"}
    assert files <= set(now) and files <= set(former)
    with Save.open(folder) as save:
        assert save.load() == game
    git(folder, "fsck", "--strict")


def test_what_is_read_is_written_as_the_same_bytes(old: tuple[str, Path]) -> None:
    _, folder = old
    with Save.open(folder) as save:
        for turn in range(save.turn + 1):
            version = save.files(save.place(str(turn)))
            files = save._codec.changed_files(save.state_at(turn))
            converted = ("pack/", "turns/") if save.files(save.place("0")) and turn else ("pack/",)
            written = {path: data for path, data in files.items() if not path.startswith(converted)}
            stored = {path: version.read(path) or b"" for path in written}
            assert {
                path: re.sub(rb"all_beats_turn: .*\n", b"", data) for path, data in stored.items()
            } == written
