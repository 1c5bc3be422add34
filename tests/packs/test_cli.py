"""S12: `packs`, `check` and `new-pack` for people and as JSON."""

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from tests.packs.conftest import Edit
from theact_tui.cli import packs as commands
from theact_tui.errors import UsageError


def run(command: click.Command, pack: Path, *arguments: str) -> Result:
    """The result of a command with the folder above `packs/` as home."""
    return CliRunner().invoke(command, [*arguments, "--home", str(pack.parent.parent)])


def test_packs_are_listed_for_people(pack: Path) -> None:
    result = run(commands.packs, pack)
    assert result.exit_code == 0
    assert "halfway\n    Halfway: You get off at a station" in result.output
    assert "With Odile Marsh, Bram; 2 chapters, facts memory, plays offline." in result.output


def test_a_pack_without_a_script_is_listed_as_an_outline(pack: Path) -> None:
    (pack / "storyteller.yaml").unlink()
    assert "facts memory, only an outline without a model." in run(commands.packs, pack).output


def test_packs_are_listed_as_json(pack: Path, edit: Edit) -> None:
    edit("game.yaml", "title: Halfway", "titel: Halfway")
    result = run(commands.packs, pack, "--json")
    listed = {entry["id"]: entry for entry in json.loads(result.output)}
    assert listed["halfway"] == {
        "id": "halfway",
        "title": "halfway",
        "description": "",
        "broken": "game.yaml, line 13: unknown field 'titel'; did you mean 'title'?",
    }
    assert listed["lost-island"]["broken"] is None


def test_check_is_content_with_a_good_pack(pack: Path) -> None:
    result = run(commands.check, pack, "halfway")
    assert (result.exit_code, result.output) == (0, "No problems found.\n")


def test_check_counts_warnings_and_still_succeeds(pack: Path, edit: Edit) -> None:
    edit("characters/bram.yaml", "secret: He", "secret: " + "word " * 80 + "He")
    result = run(commands.check, pack, str(pack))
    assert result.exit_code == 0
    assert "0 errors, 1 warning. The pack can be played." in result.output


@pytest.mark.parametrize("name", ["halfway", "folder"])
def test_check_fails_for_a_broken_pack(pack: Path, edit: Edit, name: str) -> None:
    edit("chapters/01-the-platform.yaml", "beats:", "beat:")
    result = run(commands.check, pack, name if name == "halfway" else str(pack), "--json")
    assert result.exit_code == 2
    answer = json.loads(result.output)
    assert answer["ok"] is False
    assert answer["findings"][0] == {
        "level": "error",
        "file": "chapters/01-the-platform.yaml",
        "line": 7,
        "field": "beat",
        "message": "unknown field 'beat'; did you mean 'beats'?",
    }


def test_check_refuses_what_is_no_pack(pack: Path) -> None:
    assert isinstance(run(commands.check, pack, "nowhere").exception, UsageError)


def test_a_pack_is_started_and_can_be_checked(pack: Path) -> None:
    made = run(commands.new_pack, pack, "my-first")
    assert made.exit_code == 0
    assert str(pack.parent / "my-first") in made.output
    assert run(commands.check, pack, "my-first").exit_code == 0
    assert "my-first\n    My first: " in run(commands.packs, pack).output
    assert isinstance(run(commands.new_pack, pack, "my-first").exception, UsageError)


def test_a_pack_that_hides_a_shipped_one_says_so(pack: Path) -> None:
    assert "replaces" not in run(commands.packs, pack).output
    made = run(commands.new_pack, pack, "lost-island")
    assert "replaces the shipped story 'lost-island'" in made.output
    assert "replaces the shipped story" in run(commands.packs, pack).output


def test_suggested_commands_name_the_home_that_was_given(pack: Path, tmp_path: Path) -> None:
    home = tmp_path / "an other home"
    made = CliRunner().invoke(commands.new_pack, ["my-first", "--home", str(home)])
    assert f"`theact-tui --home '{home}' play my-first`" in made.output
    own = CliRunner(env={"THEACT_HOME": str(tmp_path / "own")}).invoke(commands.new_pack, ["my-first"])
    assert "`theact-tui play my-first`" in own.output


def test_a_pack_is_started_as_json(pack: Path) -> None:
    result = run(commands.new_pack, pack, "my-first", "--json")
    assert json.loads(result.output) == {"id": "my-first", "folder": str(pack.parent / "my-first")}
