"""A save made by somebody else, with anything in the place of any file: it is refused or read, never waited for."""

import itertools
import os
import shutil
import signal
import stat
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.cli import Run
from theact_tui.saves.repository import pack
from theact_tui.saves.save import Save

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes and links")

KINDS: dict[str, Callable[[Path, Path], object]] = {
    "link out": lambda path, outside: path.symlink_to(outside),
    "circle": lambda path, _: path.symlink_to(path.name),
    "pipe": lambda path, _: os.mkfifo(path),
    "folder": lambda path, _: path.mkdir(),
    "zeroes without end": lambda path, _: path.symlink_to("/dev/zero"),
    "file": lambda path, _: path.write_bytes(b"\0\xff mine\n" * 10),
    "huge": lambda path, _: _sparse(path),
}
PRIVATE = "heads shown clean in-use spoken.json typed.json calls calls/00000/texts.jsonl".split()
GIT = ["", *"HEAD packed-refs refs refs/heads refs/heads/main refs/heads/other refs/theact/names".split()]
OBJECTS = "objects objects/pack objects/info/commit-graph objects/pack/multi-pack-index config theact".split()
FOUND = ("objects/??", "objects/??/*", "objects/pack/*.pack", "objects/pack/*.idx")
"""Patterns: the first that fits."""
VISIBLE = "save.yaml state.yaml turns turns/0000/03.yaml memory memory/*.yaml pack/game.yaml".split()
PLACES = [
    *(f".git/{name}" for name in (*GIT, *OBJECTS, *FOUND)),
    *(f".git/theact/{name}" for name in PRIVATE),
    *VISIBLE,
]
PAIRS = [pair for number, pair in enumerate(itertools.product(PLACES, KINDS)) if number % 3 == 0]
"""Every third one: each place is tried with two kinds or three, each kind at a third of the places."""


def _sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(3_000_000_000)


@pytest.fixture(scope="module")
def hostile(told: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with two saves of three turns: `one`, of which a part is packed, and `sound`."""
    home = tmp_path_factory.mktemp("hostile") / "home"
    shutil.copytree(told, home, symlinks=True)
    with Save.open(home / "saves" / "one") as save:
        pack(save.folder / ".git")
        save.create_branch("other", 2)
        save.undo()
    shutil.copytree(home / "saves" / "one", home / "saves" / "sound", symlinks=True)
    return home


@pytest.fixture
def patience() -> Iterator[None]:
    """What waits for ever ends this process, and so fails."""
    signal.setitimer(signal.ITIMER_REAL, 300)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)


@pytest.mark.posix("file modes")
@pytest.mark.parametrize(("place", "kind"), PAIRS)
@pytest.mark.usefixtures("patience")
def test_anything_in_the_place_of_a_file(
    run: Run, hostile: Path, home: Path, tmp_path: Path, place: str, kind: str
) -> None:
    shutil.copytree(hostile, home, symlinks=True)
    folder, outside = home / "saves" / "one", tmp_path / "outside"
    outside.write_text("mine\n", "utf-8")
    path = next(iter(sorted(folder.glob(place))), folder / place)
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_dir():
        path.rename(tmp_path / "taken")
    path.unlink(missing_ok=True)
    KINDS[kind](path, outside)
    reads = PAIRS.index((place, kind)) % 3 == 0  # reading alone differs from playing by the lock
    for command in (
        ["saves", "--json"],
        *([["show", "one"]] if reads else []),
        ["play", "lost-island", "--save", "one", "--offline"],
    ):
        began = time.process_time()
        done = run(*command, lines="I look.\n")
        assert time.process_time() - began < 2
        assert done.code in (0, 4) and "Traceback" not in done.err
        assert done.code == 0 or done.err.count("\n") == 1, done.err
        if command[0] == "saves":
            lines = {line["name"]: line for line in done.json}
            assert done.code == 0 and lines.keys() == {"one", "sound"} and not lines["sound"]["broken"]
    assert outside.read_text("utf-8") == "mine\n"
    assert stat.S_ISREG(outside.lstat().st_mode)
