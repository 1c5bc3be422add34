"""A killed process costs no turn that was told. The benchmark `kill_program` does this longer."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.benchmarks.kill import Counts, examine, fsck, run_and_kill
from tests.saves.conftest import play
from tests.support.games import new_game
from theact_tui.saves.library import Library
from theact_tui.saves.save import Save


@pytest.mark.parametrize(
    ("kind", "number"), [("spoken", 1), ("spoken", 3), ("saved", 2), ("packing", 1), ("packed", 1)]
)
def test_killed_right_after_it_said_something(kind: str, number: int, folder: Path) -> None:
    with Save.create(folder, new_game()) as save:
        play(save, 10)
    counts = Counts()
    said = run_and_kill(folder, number, lambda lines: sum(line.startswith(kind) for line in lines) == number)
    assert fsck(folder)
    examine(folder, said, counts)
    assert (counts.acknowledged_turns_lost, counts.spoken_turns_lost, counts.stepped_back) == (0, 0, 0)
    assert fsck(folder)


def test_the_whole_program_is_killed() -> None:
    """In a process of its own, for it forks."""
    command = [sys.executable, "-m", "tests.benchmarks.kill_program", "3", "3"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    counts = json.loads(done.stdout)
    assert counts["kills"] == 3 and counts["kills_of_the_app"] == 1
    bad = ("damaged", "lost", "ended", "stuck", "stepped", "failures", "nobody")
    assert {
        name: count for name, count in counts.items() if any(word in name for word in bad) and count
    } == {}


@pytest.mark.parametrize(
    "last", ["Repository.init", "Repository.add_commit", "Repository.move", "SaveLock.take"]
)
def test_a_kill_while_a_save_is_made_leaves_no_broken_one_in_the_list(tmp_path: Path, last: str) -> None:
    owner, name = last.split(".")
    code = f"""
import os, pathlib, sys
from tests.support.games import new_game
from theact_tui.saves.library import Library
from theact_tui.saves.lock import SaveLock
from theact_tui.saves.repository import Repository
called = {owner}.{name}
def killed(*args, **more):
    called(*args, **more)
    os._exit(9)
setattr({owner}, {name!r}, staticmethod(killed) if {name!r} == "init" else killed)
Library(pathlib.Path(sys.argv[1])).create(new_game())
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], cwd=Path(__file__).parents[2], check=False
    )
    assert done.returncode == 9
    library = Library(tmp_path)
    assert not [entry for entry in library.saves() if entry.broken]
    if not library.saves():
        library.create(new_game()).close()
    [entry] = library.saves()
    Save.open(library.path(entry.name)).close()
