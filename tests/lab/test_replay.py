"""A prompt of a past turn, asked again."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.cli import Run, ran
from tests.support.fake_server import ScriptedServer
from theact_tui.cli import main

pytestmark = pytest.mark.xdist_group("replay")  # what its tests share is made once


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
    folder = templates("short", "Now {lead} {present} {hints} in ten words.")
    made = lab(*ASK, "--prompts", str(folder), "--home", str(played), "--json").json
    assert made["messages"][-1]["content"].endswith("in ten words.")
    refused = lab(
        *ASK, "--agent", "memory", "--character", "maya", "--prompts", str(folder), "--home", str(played)
    )
    assert refused.code == 2 and "narrator" in refused.err


def test_a_call_that_is_not_recorded_is_said(played: Path, lab: Run) -> None:
    made = lab(*ASK, "--agent", "epilogue", "--home", str(played))
    assert made.code == 2 and "turn 3" in made.err


@pytest.fixture
def told_by_model(profile: str, lab: Run, server: ScriptedServer, tmp_path: Path) -> Path:
    """The home of a game of two turns that the server told with sampling of its own; the profile samples otherwise now."""
    config = tmp_path / "home" / "config.toml"
    plain = config.read_text()
    config.write_text(plain + "[profiles.local.sampling]\ntop_p = 0.5\nseed = 11\n")
    game = ("lost-island", "--seeds", "1", "--turns", "2", "--profiles", profile)
    assert lab("run", *game, "--out", str(tmp_path / "out")).code == 0
    home = tmp_path / "out" / "home"
    (home / "config.toml").write_text(plain + "temperature = 0.1\n[profiles.local.sampling]\ntop_p = 0.9\n")
    return home


def names_of(home: Path) -> str:
    (folder,) = (home / "saves").iterdir()
    return folder.name


def test_a_prompt_is_sent_with_its_sampling_schema_and_allowance_and_to_another_model_with_its_own(
    told_by_model: Path, lab: Run, profile: str, server: ScriptedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    name, home = names_of(told_by_model), ("--home", str(told_by_model))
    for agent in ("narrator", "stage"):
        earlier = next(call for call in reversed(server.calls) if call.agent == agent)
        assert lab("replay", name, "--turn", "2", "--agent", agent, *home, "--profile", profile).code == 0
        again = server.calls[-1]
        assert again is not earlier and again.body == earlier.body
        assert (again.body.get("seed") == 11) == (agent == "narrator")
        assert ("response_format" in again.body) == (agent == "stage")
    with (told_by_model / "config.toml").open("a") as config:
        config.write(f'[profiles.big]\nbase_url = "{server.url}"\nmodel = "big"\n')
    assert lab("replay", name, "--turn", "2", "--agent", "stage", "--profile", "big", *home).code == 0
    by_other = server.calls[-1].body
    assert by_other["model"] == "big" and "seed" not in by_other
    assert by_other["response_format"] == again.body["response_format"]
    assert ran(capsys, "retry", name, "--profile", profile, *home).code == 0
    calls = ran(capsys, "calls", name, "--turn", "2", "--agent", "narrator", *home, "--json").json
    first, second = (call["reply"].strip() for call in calls)
    made = lab("replay", name, "--turn", "2", "--profile", profile, *home, "--json").json
    assert first != second and made["then"].strip() == second, "the call of the current take is sent"
