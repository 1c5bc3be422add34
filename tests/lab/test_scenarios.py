"""Scenarios: those of the shipped packs hold; what does not hold is said, and fails."""

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.support.cli import Run
from theact_tui.engine.after_turn import close_chapter
from theact_tui.lab.scenarios import read_scenarios, run_scenario
from theact_tui.models.settings import Settings
from theact_tui.packs.listing import shipped_folder
from theact_tui.packs.loader import load_pack
from theact_tui.story import character_view
from theact_tui.story.pack import Pack
from theact_tui.story.perception import Perception, perceive
from theact_tui.story.scene import Scene
from theact_tui.story.views import Witnessed

PACKS = ("lost-island", "horsell-pit", "salt-road", "guest-in-nine")
KINDS = ("absence", "dice", "ending-hasty", "ending-lost", "knowledge")
ONE_OF_A_KIND = [
    ("lost-island", "absence"), ("horsell-pit", "dice"), ("salt-road", "knowledge"), ("guest-in-nine", "ending-lost")
]  # fmt: skip
"""`.ci/run` plays all of them."""


@pytest.mark.parametrize("pack", PACKS)
def test_a_shipped_pack_has_scenarios_of_every_kind(pack: str) -> None:
    folder = shipped_folder() / pack
    assert set(read_scenarios(folder, load_pack(folder))) == set(KINDS)


@pytest.mark.parametrize(("pack", "name"), ONE_OF_A_KIND)
def test_the_scenarios_of_a_shipped_pack_hold(pack: str, name: str) -> None:
    folder = shipped_folder() / pack
    loaded = load_pack(folder)
    outcome = run_scenario(name, read_scenarios(folder, loaded)[name], loaded, Settings())
    assert not outcome.problems


def everybody_answers(pack: Pack, broken: pytest.MonkeyPatch) -> Pack:
    def decided(scene: Scene, *rest: Any, **more: Any) -> Perception:
        perception = perceive(scene, *rest, **more)
        return replace(perception, stage=perception.stage.model_copy(update={"answer": scene.cast}))

    broken.setattr("theact_tui.engine.turn_steps.perceive", decided)
    return pack


def everybody_hears_everything(pack: Pack, broken: pytest.MonkeyPatch) -> Pack:
    broken.setattr(
        character_view,
        "witnessed",
        lambda turn, name, is_settled=True: Witnessed(
            number=turn.number, chapter=turn.chapter, entries=turn.ordered_entries
        ),
    )
    return pack


def the_story_ends_early(pack: Pack, broken: pytest.MonkeyPatch) -> Pack:
    broken.setattr(
        close_chapter, "advance", lambda state, pack, turn: state.model_copy(update={"game_complete": True})
    )
    return pack


def dice_are_thrown_otherwise(pack: Pack, broken: pytest.MonkeyPatch) -> Pack:
    keeper = "always" if pack.game.keeper == "off" else "off"
    return pack.model_copy(update={"game": pack.game.model_copy(update={"keeper": keeper})})


FAULTS: dict[str, tuple[Callable[[Pack, pytest.MonkeyPatch], Pack], str]] = {
    "absence": (everybody_answers, "speaks"),
    "dice": (dice_are_thrown_otherwise, "dice were rolled"),
    "ending-lost": (the_story_ends_early, "beats are not reached"),
    "knowledge": (everybody_hears_everything, "knows 'Brivolka'"),
}


@pytest.mark.parametrize(("pack", "name"), ONE_OF_A_KIND)
def test_each_scenario_fails_when_what_it_proves_is_broken(
    pack: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, (fault, miss) = shipped_folder() / pack, FAULTS[name]
    scenario = read_scenarios(folder, load_pack(folder))[name]
    outcome = run_scenario(name, scenario, fault(load_pack(folder), monkeypatch), Settings())
    assert any(miss in each for each in outcome.misses), outcome


def pack_with(tmp_path: Path, scenario: str) -> Path:
    folder = tmp_path / "pack"
    shutil.copytree(shipped_folder() / "lost-island", folder)
    shutil.rmtree(folder / "scenarios")
    (folder / "scenarios").mkdir()
    (folder / "scenarios" / "mine.yaml").write_text(scenario)
    return folder


MISSES = [
    ("beats: [6]", "the beat 'By the mast on the ridge a light blinks the same letters' is not reached"),
    ("chapter: 03-the-beacon", "the chapter is 01-the-crash"), ("finished: true", "finished is False, not True"),
    ("absent: [maya]", "maya is there"), ("speaks: [joaquin]", "joaquin does not speak"),
    ("silent: [maya]", "maya speaks"), ("says: [zeppelin]", "does not say 'zeppelin'"),
    ("never_says: [the]", "says 'the'"), ("knows: {joaquin: [Brivolka]}", "joaquin does not know 'Brivolka'"),
    ("does_not_know: {maya: [Brivolka]}", "maya knows 'Brivolka'"),
    ("prompt: {narrator: [zeppelin]}", "narrator is not told of 'zeppelin'"),
    ("not_in_prompt: {narrator: [Brivolka]}", "narrator is told of 'Brivolka'"),
    ("rolls: 1", "dice were rolled 0 times, not 1"), ("roll: 12", "the die showed nothing, not 12"),
    ("turns_at_most: 1", "it took 2 turns, more than 1"),
]  # fmt: skip


def test_what_is_not_as_expected_is_said(tmp_path: Path, lab: Run) -> None:
    line = "/whisper maya I had a dog called Brivolka."
    expected = ", ".join(each for each, _ in MISSES)
    folder = pack_with(tmp_path, f'title: Mine\nsteps:\n  - say: "{line}"\n    expect: {{{expected}}}\n')
    made = lab("test", str(folder), "--junit", "junit.xml")
    assert made.code == 1 and "FAILED  mine: Mine" in made.out
    suite = ElementTree.parse(tmp_path / "junit.xml").getroot()[0]
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("1", "1", "0")
    assert "the chapter is 01-the-crash" in (suite[0][0].get("message") or "")
    assert [miss for _, miss in MISSES if miss not in made.out] == []


def test_a_scenario_with_a_mistake_says_where(tmp_path: Path, lab: Run) -> None:
    folder = pack_with(tmp_path, "title: Mine\nsteps:\n  - say: /nonsense\n")
    made = lab("test", str(folder), "--junit", "junit.xml")
    assert made.code == 1 and "/nonsense" in made.out
    assert ElementTree.parse(tmp_path / "junit.xml").getroot()[0].get("errors") == "1", "it cannot go on"
    mine = folder / "scenarios" / "mine.yaml"
    mine.write_text("title: Mine\nsteps:\n  - say: I look.\n    expect: {absent: [mia]}\n")
    assert "no character 'mia'" in lab("test", str(folder)).err
    mine.write_text("title: Mine\nsteps:\n  - sya: I look.\n")
    made = lab("test", str(folder))
    assert made.code == 2 and "mine.yaml, line 3" in made.err
    mine.write_text("title: Mine\nsteps:\n  - say: I look.\n    expect: {beats: [0]}\n")
    made = lab("test", str(folder))
    assert made.code == 2 and "line 4" in made.err and "at least 1" in made.err
