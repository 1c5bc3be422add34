"""S20: `watch` follows a story that is played elsewhere, and `serve` refuses what is not safe."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.cli import Run
from theact_tui.saves.library import Library


@contextmanager
def watching(home: Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """Somebody who watches the save `one`, and leaves with ctrl-c, also where the tests run in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # what is ignored would be inherited
    command = [sys.executable, "-m", "theact_tui", "--home", str(home), "watch", "one", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as watcher:
        signal.signal(signal.SIGINT, before)
        yield watcher
        watcher.send_signal(signal.SIGINT)
        assert watcher.stderr and watcher.stderr.read() == ""
        assert watcher.wait(30) == 0


def until(watcher: subprocess.Popen[str], words: str) -> str:
    """Read lines up to one with these words."""
    seen = ""
    while words not in seen:
        line = watcher.stdout.readline() if watcher.stdout else ""
        assert line, f"{words!r} did not come; this did: {seen[-2000:]}"
        seen += line
    return seen


@pytest.mark.posix("signals")
def test_a_watcher_gets_the_players_events_in_order(played: Run, home: Path) -> None:
    with watching(home, "--events") as watcher:
        past = until(watcher, "save_closed")
        assert past.count("turn_started") == 3
        told = played("play", "lost-island", "--save", "one", "--events", lines="I look up.\nI wait.\n").out
        assert until(watcher, "save_closed") == told


@pytest.mark.posix("signals")
def test_a_watcher_reads_the_last_turn_and_what_is_told_then(played: Run, home: Path) -> None:
    before = sorted(path for path in (home / "saves").rglob("*"))
    with watching(home) as watcher:
        assert "one · turn 3. You are watching" in until(watcher, "> Go on.")
        told = played("show", "one", "--json").json["entries"][0]["text"]
        last = until(watcher, told.split()[-1])
        assert max(map(len, last.splitlines())) <= 78
        assert sorted(path for path in (home / "saves").rglob("*")) == before
        assert played("play", "lost-island", "--save", "one", lines="I look up.\n").code == 0
        seen = until(watcher, "The player left")
        assert "> I look up." in seen and Library(home).saves()[0].turn == 4


@pytest.mark.posix("signals")
def test_a_watcher_of_a_chapter_reads_the_last_prompt_and_its_reply(run: Run, home: Path) -> None:
    run("direct", "new", "one", "--example")
    run("direct", "lock", "one", "--offline")
    run("direct", "prompt", "one", "1", "The bell rings.", "--offline")
    with watching(home) as watcher:
        assert "one · prompt 1. You are watching" in until(watcher, "> The bell rings.")
        until(watcher, "ILSE MARROW")


def test_a_story_that_does_not_exist_cannot_be_watched(run: Run) -> None:
    done = run("watch", "nothing")
    assert done.code == 2 and "There is no save 'nothing'" in done.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--host", "0.0.0.0"), "Add --allow-network if anyone with the link may use your models"),
        (("--host", "192.168.1.5"), "--allow-network"),
        (("--token", "short"), "too short"),
        (("--public-url", "stories.example.org"), "--public-url needs an address"),
        (("--host", "192.0.2.1", "--allow-network"), "Cannot listen on 192.0.2.1"),
    ],
)
def test_serve_refuses_what_is_not_safe(run: Run, arguments: tuple[str, ...], said: str) -> None:
    done = run("serve", "--port", "0", *arguments)
    assert done.code == 2 and said in done.err.replace("\n", " ")
