"""What was played, as `log`, `/history` and `calls` list it."""

import json
import time
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from tests.support.cli import Run
from tests.support.fake_model import DEFAULTS
from tests.support.fake_server import Request, ScriptedServer, say, status
from tests.support.faulty_server import Stand


def test_history_names_turns_and_local_times_and_calls_count_their_attempts(played: Run) -> None:
    with pytest.MonkeyPatch.context() as there:
        there.setenv("TZ", "Asia/Tokyo")
        time.tzset()
        lines = played("log", "one").out.splitlines()
    time.tzset()
    newest = json.loads(played("log", "one", "--json").out)[0]
    at = datetime.fromisoformat(newest["at"]).astimezone(ZoneInfo("Asia/Tokyo"))
    turns = [int(line.split()[1]) for line in lines]
    assert turns == sorted(turns, reverse=True) and turns[0] == 3
    assert f"{at:%Y-%m-%d %H:%M}" in lines[0]
    said = played("play", "lost-island", "--save", "one", lines="/history\n/history --ids\n/quit\n").out
    plain, named = said.split(newest["commit"][:7])[0], said
    assert "\nturn 3    " in plain and f"\n{newest['commit'][:7]}  turn 3    " in named
    calls = played("calls", "one", "--turn", "2").out
    assert "1 attempt\n" in calls and "(s)" not in calls


def test_history_says_of_an_edit_what_was_changed(played: Run) -> None:
    typed = "/heard 1 maya page\n/note it rains\n/hush maya\n/chapter end\n/lore add wreck: it burns\n/history\n/quit\n"
    said = played("play", "lost-island", "--save", "one", lines=typed).out.splitlines()
    assert [line for line in said if line.startswith("edit")] == [
        "edit      what Maya Chen heard of turn 1 changed",
        "edit      note changed",
        "edit      who stays silent changed",
        "edit      chapter ends with the next turn; lore about wreck changed",
    ]


def page_of(played: Run) -> str:
    entries = played("show", "one", "--json").json["entries"]
    return str(next(entry["text"] for entry in entries if entry["role"] == "narrator"))


def test_a_page_is_written_on_by_a_model_as_a_further_take(played: Run, tmp_path: Path) -> None:
    def reply(request: Request) -> str:
        return "17." if request.agent == "probe" else " A gull drops out of the sky."

    file = tmp_path / "kept.txt"
    file.write_text("The sea is\n")
    with ScriptedServer(Stand(DEFAULTS)) as server:
        server.script("probe", say(reply))
        server.script("narrator", say(reply))
        model = ("--base-url", server.url, "--model", "tiny")
        ran = played("write-on", "one", "--text", str(file), *model)
        assert ran.code == 0 and "The sea is A gull drops out of the sky." in ran.out
        assert page_of(played) == "The sea is A gull drops out of the sky."
        assert played("write-on", "one", "--text", "-", "--json", *model, lines="The sea is calm.").json == {
            "save": "one", "turn": 3, "take": 3, "takes": 3,
        }  # fmt: skip
        server.script("narrator", status(401))
        before = page_of(played)
        assert played("write-on", "one", *model).code == 1
        assert page_of(played) == before
    assert played("write-on", "one", "--text", "missing.txt", *model).code == 2
    refused = played("write-on", "one", "--offline")
    assert refused.code == 2 and "offline storyteller" in refused.err
