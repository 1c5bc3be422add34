"""Commands that are not `direct` ones on a directed chapter: undo, branches, compare, export, show (S12)."""

from pathlib import Path

import pytest

from tests.support.cli import Ran, Run, ran
from tests.support.direct_cli import filled, locked
from tests.support.fake_server import ScriptedServer, say


def test_d10_two_ways_of_a_chapter_are_compared_in_text_and_as_data(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str], server: ScriptedServer
) -> None:
    locked(run, tmp_path)
    run("prompt", "Tower", "2", "The bell rings.")
    server.script("actor", say("I cover my ears."))
    run("retry", "Tower")
    home = str(tmp_path / "home")
    told = ran(capsys, "compare", "Tower", "1#1", "1#2", "--home", home)
    assert told.code == 0 and told.out.startswith("They differ after prompt 0.")
    assert "1#2, prompt 1: > The bell rings.  \n  Bo: I cover my ears." in told.out
    found = ran(capsys, "compare", "Tower", "1#1", "1#2", "--json", "--home", home).json
    assert found["turns"][0]["a"]["entries"][1]["text"] == "I try. (actor:2)"


def test_s12_undo_redo_branch_and_switch_work_on_a_chapter_too(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    locked(run, tmp_path)
    for number in range(1, 9):
        run("prompt", "Tower", "1", f"Scene {number}.")

    def top(*arguments: str) -> Ran:
        return ran(capsys, *arguments, "--home", str(tmp_path / "home"))

    def indexes() -> tuple[int, int]:
        session = run("show", "Tower", "--json").json["session"]
        return session["prompt_index"], session["last_summarized_prompt_index"]

    assert top("undo", "Tower", "2", "--json").json == {
        "save": "Tower",
        "branch": "main",
        "turn": 6,
        "state": "ACTIVE",
    }
    assert indexes() == (6, 0)
    assert top("redo", "Tower", "2").out == "Redone: now at prompt 8 (Tower, ACTIVE), branch “main”.\n"
    assert "* main (main) · prompt 8\n" in top("branches", "Tower").out
    assert indexes() == (8, 7)
    assert top("branch", "Tower", "other", "--turn", "3").code == 0
    assert top("switch", "Tower", "other").code == 0 and indexes() == (3, 0)
    assert top("log", "Tower", "-n", "1", "--json").json[0]["line"] == "Scene 3."
    assert "directed chapter, prompt 3, other" in top("saves").out
    assert top("undo", "Tower", "3").out == "Undone: now at prompt 0 (Tower, ACTIVE), branch “other”.\n"
    assert top("undo", "Tower").out == "Undone: now at prompt 0 (Tower, DRAFT), branch “other”.\n"
    assert "nothing to undo" in top("undo", "Tower").err


def test_s12_commands_of_play_mode_say_what_a_chapter_is(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    filled(run, tmp_path)
    for command in (("show", "Tower"), ("play", "lost-island", "--save", "Tower", "--offline")):
        refused = ran(capsys, *command, "--home", str(tmp_path / "home"))
        assert refused.code == 2 and "directed chapter" in refused.err


def test_s12_a_chapter_is_exported_with_its_draft_which_goes_when_its_prompt_is_undone(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    locked(run, tmp_path)
    for command in (("prompt", "Tower", "2", "The bell rings."), ("end", "Tower"), ("build", "Tower")):
        run(*command)
    home = ("--home", str(tmp_path / "home"))
    for format in ("epub", "md", "html", "json"):
        target = tmp_path / f"tower.{format}"
        done = ran(capsys, "export", "Tower", "--format", format, "--to", str(target), *home)
        assert done.code == 0 and target.exists()
        if format != "epub":
            text = target.read_text(encoding="utf-8")
            places = [text.index(part) for part in ("Tower", "It rained.", "The bell rings.", "I try.")]
            assert places == sorted(places) and "Bo" in text and "orange" in text
    calls = ran(capsys, "calls", "Tower", "--agent", "actor", *home).out
    assert calls.startswith("=== actor:2 ") and "I try. (actor:2)" in calls
    undone = ran(capsys, "undo", "Tower", *home).out
    assert undone.endswith("“main”. 1 prompt, the end, 1 draft undone; 'redo' brings them back.\n")
    none = ran(capsys, "calls", "Tower", "--turn", "7", *home)
    assert none.code == 2 and "for prompt 7 of Tower" in none.err
