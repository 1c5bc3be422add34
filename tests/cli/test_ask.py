"""Questions about a story on the command line."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.cli import Run
from tests.support.fake_server import ScriptedServer, silence
from theact_tui.paths import Home


def test_since_names_the_turn_of_a_remembered_line(played: Run) -> None:
    memory = played("show", "one", "--json").json["characters"][0]["memory"]
    line = memory["key_facts"][0]
    answer = played("since", "one", line["text"], "--json").json
    (person,) = [person for person in answer["people"] if person["text"] == line["text"]]
    assert answer["kind"] == "line" and person["since"] == line["turn"] == person["steps"][-1]["turn"]
    assert person["most_like"] is None or person["most_like"]["turn"] == line["turn"]
    said = played("since", "one", line["text"])
    assert said.code == 0 and f"since turn {line['turn']}" in said.out


def test_since_refuses_what_nobody_knows_and_a_turn_that_is_not_there(played: Run) -> None:
    unknown = played("since", "one", "zebra crossing the tundra")
    assert unknown.code == 2 and "is like" in unknown.err
    assert played("since", "one", "lamp", "--turn", "99").code == 2


@pytest.mark.posix("signals")
@pytest.mark.parametrize(
    ("command", "asked", "ctrl_c"),
    [
        ("retell", "SIGTERM", "heard"),
        ("retell", "SIGTERM", "ignored, as in the background"),
        ("whatif", "SIGHUP", "heard"),
        ("whatif", "SIGKILL", "heard"),
    ],
)
def test_a_story_that_is_told_again_leaves_no_copy_when_it_is_ended(
    command: str, asked: str, ctrl_c: str, played: Run, home: Path, tmp_path: Path
) -> None:
    someone = played("show", "one", "--json").json["characters"][0]["id"]
    change = ["--give", "A bell rang.", "--character", someone] if command == "whatif" else []
    environment = {**os.environ, "TMPDIR": str(tmp_path / "tmp")}
    (tmp_path / "tmp").mkdir()
    with ScriptedServer(silence()) as server:
        arguments = [command, "one", "--turn", "1", "--turns", "1", *change, "--base-url", server.url]
        deaf = ["sh", "-c", "trap '' INT; exec \"$@\"", "sh"] if ctrl_c != "heard" else []
        process = subprocess.Popen(
            [*deaf, sys.executable, "-m", "theact_tui", "--home", str(home), *arguments],
            env=environment,
            stderr=subprocess.DEVNULL,
        )
        server.wait_for_calls(1)
        assert [*home.glob(".incoming-*/one/.git")]
        process.send_signal(signal.Signals[asked])
        assert process.wait(30) == (-signal.SIGKILL if asked == "SIGKILL" else 130)
    Home.find(home).create()
    assert not [*(tmp_path / "tmp").iterdir()] and not [*home.rglob(".incoming-*")]
    assert len(played("branches", "one", "--json").json) == 1
