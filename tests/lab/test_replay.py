"""A prompt of a past turn, asked again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.cli import Run, ran
from tests.support.fake_server import ScriptedServer


@pytest.fixture
def played(tmp_path: Path, capsys: pytest.CaptureFixture[str], lab: Run) -> Path:
    assert lab("run", "lost-island", "--seeds", "1", "--turns", "4", "--out", "out").code == 0
    return tmp_path / "out" / "home"


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
    sent = ran(
        capsys,
        "prompts",
        "lost-island-curious-1",
        "--turn",
        "3",
        "--agent",
        "narrator",
        "--home",
        str(played),
        "--json",
    ).json[0]["messages"]
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
