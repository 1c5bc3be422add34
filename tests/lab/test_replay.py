"""A prompt of a past turn, asked again."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.cli import Run, ran
from tests.support.fake_server import ScriptedServer
from theact_tui.cli import main


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of a game of four turns, played once."""
    folder = tmp_path_factory.mktemp("told")
    game = ("lost-island", "--seeds", "1", "--turns", "4")
    assert main(["lab", "run", *game, "--out", str(folder / "out"), "--home", str(folder / "home")]) == 0
    return folder / "out" / "home"


@pytest.fixture
def played(told: Path, tmp_path: Path) -> Path:
    """A copy of that home."""
    return Path(shutil.copytree(told, tmp_path / "played", symlinks=True))


ASK = ("replay", "lost-island-curious-1", "--turn", "3")


def test_the_same_storyteller_says_the_same_again(
    played: Path, lab: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    calls = ran(capsys, "calls", "lost-island-curious-1", "--turn", "3", "--home", str(played), "--json").json
    told = [call for call in calls if call["agent"] in ("narrator", "character")]
    assert len(told) >= 2
    for call in told:
        agent = ("--agent", call["agent"], "--character", call["character"])
        made = lab(*ASK, *agent, "--times", "2", "--home", str(played), "--json").json
        assert made["now"] == [made["then"]] * 2


def test_a_model_is_asked_exactly_what_was_asked_then(
    played: Path,
    lab: Run,
    profile: str,
    server: ScriptedServer,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    of_page = ("lost-island-curious-1", "--turn", "3", "--agent", "narrator")
    sent = ran(capsys, "prompts", *of_page, "--home", str(played), "--json").json[0]["messages"]
    (played / "config.toml").write_text((tmp_path / "home" / "config.toml").read_text())
    assert lab(*ASK, "--profile", profile, "--home", str(played)).code == 0
    assert server.calls[-1].body["messages"] == sent and server.calls[-1].agent == "narrator"


def test_other_templates_make_the_prompt_anew(
    played: Path, lab: Run, templates: Callable[[str, str], Path]
) -> None:
    folder = templates("short", "Now {beats} {present} {hints} in ten words.")
    made = lab(*ASK, "--prompts", str(folder), "--home", str(played), "--json").json
    assert made["messages"][-1]["content"].endswith("in ten words.")
    refused = lab(
        *ASK, "--agent", "memory", "--character", "maya", "--prompts", str(folder), "--home", str(played)
    )
    assert refused.code == 2 and "narrator" in refused.err


def test_a_call_that_is_not_recorded_is_said(played: Path, lab: Run) -> None:
    made = lab(*ASK, "--agent", "epilogue", "--home", str(played))
    assert made.code == 2 and "turn 3" in made.err
