"""Saves and packs made by the program at 43b9292: they are shown as they were then, and go on.

`tests/saves/saved/43b9292.tar.xz` holds 20 saves, their packs, and `said.json`: what `show --json`, `log --json`,
`branches --json` and `check --json` said of each then. Among them are whispers, both memory policies, dice, lore, takes,
branches (one deleted), steering, edits by hand (one not adopted), chats and a card that were imported, work that failed and
is pending, a turn that was spoken when the program was killed, a line that was not told, a finished story of 104 turns, and
directed chapters in DRAFT, ACTIVE and ENDED. Fields may be added to the documents since; none may change.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import tarfile
from pathlib import Path
from typing import Any

import pytest

from tests.support.cli import Run

ARCHIVE = Path(__file__).parents[1] / "saves/saved/43b9292.tar.xz"
with tarfile.open(ARCHIVE) as archive:
    first = archive.next()
    assert first and first.name == "said.json"  # to look for it would unpack all
    file = archive.extractfile(first)
    assert file
    SAID: dict[str, dict[str, Any]] = json.load(file)
DIRECTED = [name for name, said in SAID["saves"].items() if said["show"].get("mode") == "direct"]
PLAYED = [name for name in SAID["saves"] if name not in DIRECTED]


@pytest.fixture(scope="session")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("stored")
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(folder, filter="data")
    return folder


@pytest.fixture
def old(stored: Path, run: Run, home: Path, request: pytest.FixtureRequest) -> Run:
    """Run commands in a home with one of the saves and all packs."""
    shutil.copytree(stored / "packs", home / "packs")
    if (stored / "saves" / request.param).is_dir():
        shutil.copytree(stored / "saves" / request.param, home / "saves" / request.param, symlinks=True)
    return run


def as_then(now: Any, then: Any) -> Any:
    """`now` without the fields that `then` does not have."""
    if isinstance(now, dict) and isinstance(then, dict):
        return {key: as_then(value, then[key]) for key, value in now.items() if key in then}
    if isinstance(now, list) and isinstance(then, list) and len(now) == len(then):
        return [as_then(*pair) for pair in zip(now, then, strict=True)]
    return now


def documents(run: Run, name: str) -> dict[str, Any]:
    """What the program says of a save now."""
    show = ("direct", "show") if name in DIRECTED else ("show",)
    said = {"show": run(*show, name, "--json"), "log": run("log", name, "--json")}
    said["branches"] = run("branches", name, "--json")
    assert {ran.code for ran in said.values()} == {0}
    return {command: as_then(ran.json, SAID["saves"][name][command]) for command, ran in said.items()}


@pytest.mark.parametrize(("old", "name"), [(name, name) for name in SAID["saves"]], indirect=["old"])
def test_an_old_save_is_shown_as_it_was(old: Run, name: str) -> None:
    assert documents(old, name) == SAID["saves"][name]


@pytest.mark.parametrize(("old", "name"), [(name, name) for name in PLAYED], indirect=["old"])
def test_an_old_story_goes_on(old: Run, name: str, home: Path) -> None:
    said = SAID["saves"][name]
    turn, pack = said["show"]["turn"], said["show"]["pack"]
    played = old("play", pack, "--save", name, "--offline", lines="I look back the way we came.\n")
    assert played.code == 0, played.err
    told = old("show", name, "--json").json
    number = turn + 2 if name == "killed" else turn + 1  # the turn that was spoken is told to its end first
    assert (told["turn"], told["pending"]) == (number, [])
    assert {entry["text"] for entry in told["entries"]} >= {"I look back the way we came."}
    before = old("show", name, "--turn", str(turn), "--json").json
    unchanged = said["show"].keys() - {"takes", "usage", "pending"}
    assert as_then({key: before[key] for key in unchanged}, said["show"]) == {
        key: said["show"][key] for key in unchanged
    }
    log = old("log", name, "--json").json
    assert as_then(log[-len(said["log"]) :], said["log"]) == said["log"]
    done = subprocess.run(
        ["git", "fsck", "--strict"], cwd=home / "saves" / name, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("old", ["chapter"], indirect=True)
def test_an_old_chapter_goes_on(old: Run) -> None:
    said = SAID["saves"]["chapter"]["show"]
    assert old("direct", "prompt", "chapter", "2", "The rope holds.", "--offline").code == 0
    shown = old("direct", "show", "chapter", "--json").json
    assert shown["session"]["prompt_index"] == said["session"]["prompt_index"] + 1
    assert as_then(shown["events"][:-2], said["events"]) == said["events"]
    assert old("undo", "chapter").code == 0
    again = old("direct", "show", "chapter", "--json").json
    assert {**as_then(again, said), "takes": said["takes"]} == said


@pytest.mark.parametrize("old", ["drafted"], indirect=True)
def test_an_old_chapter_that_ended_is_written_again(old: Run) -> None:
    said = SAID["saves"]["drafted"]["show"]
    assert old("direct", "build", "drafted", "--offline").code == 0
    drafts = old("direct", "show", "drafted", "--json").json["drafts"]
    assert as_then(drafts[:-1], said["drafts"]) == said["drafts"] and drafts[-1]["chapter_text"]


@pytest.mark.parametrize("old", ["setup"], indirect=True)
def test_an_old_setup_is_filled_in_and_locked(old: Run, tmp_path: Path) -> None:
    (tmp_path / "chapter.txt").write_text("In the tower.")
    assert old("direct", "set", "setup", "--chapter", str(tmp_path / "chapter.txt")).code == 0
    assert old("direct", "lock", "setup", "--offline").code == 0
    shown = old("direct", "show", "setup", "--json").json
    assert shown["session"]["state"] == "ACTIVE"
    assert shown["setup"] == {**SAID["saves"]["setup"]["show"]["setup"], "chapter": "In the tower."}


@pytest.mark.parametrize(("old", "name"), [(name, name) for name in SAID["packs"]], indirect=["old"])
def test_an_old_pack_is_still_right(old: Run, name: str) -> None:
    checked = old("check", name, "--json")
    found = checked.json
    found["findings"] = [each for each in found["findings"] if each["field"] != "beats"]  # advice that is new
    assert as_then(found, SAID["packs"][name]) == SAID["packs"][name]
    assert old("play", name, "--offline", lines="I go in.\n").code == 0
