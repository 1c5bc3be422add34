"""A killed process costs no turn that was told. `python -m tests.support.kill_program` does this longer."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.games import new_game
from theact_tui.saves.library import Library
from theact_tui.saves.save import Save


@pytest.mark.posix("a pty")
def test_the_whole_program_is_killed() -> None:
    """In a process of its own, for it forks."""
    command = [sys.executable, "-m", "tests.support.kill_program", "6", "3"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    counts = json.loads(done.stdout)
    assert counts["kills"] == 6 and counts["kills_of_the_app"] == 2
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
