"""What was played, as `log`, `/history` and `calls` list it."""

from __future__ import annotations

import json
import time
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from tests.support.cli import Run


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
