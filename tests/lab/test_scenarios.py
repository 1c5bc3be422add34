"""Scenarios: those of the shipped packs hold; what does not hold is said, and fails."""

from __future__ import annotations

import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.support.cli import Run
from theact_tui.lab.scenarios import read_scenarios, run_scenario
from theact_tui.models.settings import Settings
from theact_tui.packs.entry import shipped_folder
from theact_tui.packs.loader import load_pack

PACKS = ("lost-island", "horsell-pit", "salt-road", "guest-in-nine")
KINDS = ("absence", "dice", "ending-hasty", "ending-lost", "knowledge")


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("pack", PACKS)
def test_the_scenarios_of_a_shipped_pack_hold(pack: str, name: str) -> None:
    folder = shipped_folder() / pack
    loaded = load_pack(folder)
    scenarios = read_scenarios(folder, loaded)
    assert set(scenarios) == set(KINDS)
    outcome = run_scenario(name, scenarios[name], loaded, Settings())
    assert outcome.passed, (outcome.misses, outcome.error)


def pack_with(tmp_path: Path, scenario: str) -> Path:
    folder = tmp_path / "pack"
    shutil.copytree(shipped_folder() / "lost-island", folder)
    shutil.rmtree(folder / "scenarios")
    (folder / "scenarios").mkdir()
    (folder / "scenarios" / "mine.yaml").write_text(scenario)
    return folder


MISSES = [
    ("beats: [6]", "the beat 'A light on the ridge blinks the same letters' is not reached"),
    ("chapter: 03-the-beacon", "the chapter is 01-the-crash"),
    ("finished: true", "the story is not finished"),
    ("absent: [maya]", "maya is there"),
    ("says: [zeppelin]", "does not say 'zeppelin'"),
    ("never_says: [the]", "says 'the'"),
    ("knows: {joaquin: [Brivolka]}", "joaquin does not know 'Brivolka'"),
    ("does_not_know: {maya: [Brivolka]}", "maya knows 'Brivolka'"),
    ("prompt: {narrator: [zeppelin]}", "narrator is not told of 'zeppelin'"),
    ("not_in_prompt: {narrator: [Brivolka]}", "narrator is told of 'Brivolka'"),
    ("rolls: 1", "dice were thrown 0 times, not 1"),
    ("roll: 12", "the die showed nothing, not 12"),
    ("turns_at_most: 1", "it took 2 turns, more than 1"),
]


@pytest.mark.parametrize(("expected", "miss"), MISSES, ids=[each for each, _ in MISSES])
def test_what_is_not_as_expected_is_said(expected: str, miss: str, tmp_path: Path, lab: Run) -> None:
    line = "/whisper maya I had a dog called Brivolka."
    folder = pack_with(tmp_path, f'title: Mine\nsteps:\n  - say: "{line}"\n    expect: {{{expected}}}\n')
    made = lab("test", str(folder), "--junit", "junit.xml")
    assert made.code == 1 and "FAILED  mine: Mine" in made.out and miss in made.out
    suite = ElementTree.parse(tmp_path / "junit.xml").getroot()[0]
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("1", "1", "0")
    assert miss in (suite[0][0].get("message") or "")


def test_a_scenario_with_a_mistake_says_where(tmp_path: Path, lab: Run) -> None:
    folder = pack_with(tmp_path, "title: Mine\nsteps:\n  - say: I look.\n    expect: {absent: [mia]}\n")
    assert "no character 'mia'" in lab("test", str(folder)).err
    (folder / "scenarios" / "mine.yaml").write_text("title: Mine\nsteps:\n  - sya: I look.\n")
    made = lab("test", str(folder))
    assert made.code == 2 and "mine.yaml, line 3" in made.err


def test_a_scenario_that_cannot_go_on_is_an_error(tmp_path: Path, lab: Run) -> None:
    folder = pack_with(tmp_path, "title: Mine\nsteps:\n  - say: /nonsense\n")
    made = lab("test", str(folder), "--junit", "junit.xml")
    assert made.code == 1 and "/nonsense" in made.out
    assert ElementTree.parse(tmp_path / "junit.xml").getroot()[0].get("errors") == "1"
