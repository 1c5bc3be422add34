"""`play` on a failing server (S12): exit codes, sentences on standard error, and nothing lost."""

import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.faults.cases import FAULTS, QUICK
from tests.support.cli import Ran, ran
from tests.support.fake_model import narration
from tests.support.fake_server import ScriptedServer
from tests.support.faulty_server import Stand
from tests.support.faulty_sessions import is_sound
from theact_tui.models.model_for_agent import Endpoints

ENDING = ["401", "silence"]
"""Faults that cost the turn; `test_every_agent.py` has all of them."""
LINES = "I look around.\nI call out.\n"


Play = Callable[..., Ran]


@pytest.fixture
def stand() -> Stand:
    names = "maya, joaquin"
    return Stand({"narrator": narration("The reef shows its teeth.", names, present=names)})


@pytest.fixture
def server(stand: Stand) -> Iterator[ScriptedServer]:
    with ScriptedServer(stand) as server:
        yield server


@pytest.fixture
def run(
    tmp_path: Path,
    server: ScriptedServer,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> Play:
    """Run a command of the program; `lines` are its standard input. No attempt waits for the next."""

    async def pause(seconds: float) -> None:
        return None

    defaults: Any = Endpoints.__init__.__kwdefaults__
    monkeypatch.setitem(defaults, "pause", pause)
    monkeypatch.setenv("THEACT_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)

    def run_command(*arguments: str, lines: str = "") -> Ran:
        monkeypatch.setattr("sys.stdin", io.StringIO(lines))
        done = ran(capsys, *arguments)
        assert "Traceback" not in done.err and "\x1b" not in done.out + done.err
        return done

    return run_command


@pytest.fixture
def play(run: Play, server: ScriptedServer) -> Play:
    def play_lines(*more: str, lines: str = LINES, url: str = "") -> Ran:
        place = ("--base-url", url or server.url, "--model", "tiny")
        return run("play", "lost-island", "--save", "one", *place, *more, lines=lines)

    return play_lines


def shown(run: Play) -> dict[str, Any]:
    """The save as `show` has it."""
    document: dict[str, Any] = json.loads(run("show", "one", "--json").out)
    return document


@pytest.mark.parametrize("fault", ENDING)
def test_a_failing_narrator_ends_the_command_and_the_save_holds_the_turns_before(
    fault: str, play: Play, run: Play, stand: Stand, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    wrong = FAULTS[fault]
    assert play(lines="I look around.\n").code == 0
    if wrong.quick:
        monkeypatch.setenv("LLM_TIMEOUT", str(QUICK))
    stand.fail("narrator", wrong.step)
    failed = play("--events")
    events = [json.loads(line) for line in failed.out.splitlines()]
    assert [event["text"] for event in events if event["type"] == "turn_failed"] == ["I look around."]
    assert failed.code == 1 and wrong.says in failed.err
    assert shown(run)["turn"] == 1 and is_sound(tmp_path / "home" / "saves" / "one")
    stand.fail("", None)
    monkeypatch.delenv("LLM_TIMEOUT", raising=False)
    assert play().code == 0
    state = shown(run)
    assert (state["turn"], state["pending"]) == (3, [])


@pytest.mark.parametrize("agent", ["character:maya", "progress"])
def test_a_failure_of_any_other_agent_is_a_notice_and_pending_work(
    agent: str, play: Play, run: Play, stand: Stand
) -> None:
    stand.fail(agent, FAULTS["500"].step)
    done = play(lines="I look around.\n")
    assert done.code == 0 and "HTTP 500" in done.out + done.err
    state = shown(run)
    assert state["turn"] == 1 and len(state["pending"]) == (0 if agent == "character:maya" else 1)
    stand.fail("", None)
    assert play(lines="I call out.\n").code == 0
    assert shown(run)["pending"] == []


def test_a_remote_server_is_not_called_without_consent(play: Play, run: Play) -> None:
    refused = play(url="https://models.example/v1")
    assert refused.code == 2 and "--allow-remote" in refused.err
    assert json.loads(run("saves", "--json").out) == []
