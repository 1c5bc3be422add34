"""A real terminal: the program draws on a pty, is played with real key codes, and ends cleanly."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

PATIENCE = 60.0


class Terminal:
    """A program on a pty of 80 by 24."""

    def __init__(self, home: Path) -> None:
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        environment = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor"}
        self.program = subprocess.Popen(
            [sys.executable, "-m", "theact_tui", "--home", str(home), "--offline"],
            stdin=slave, stdout=slave, stderr=slave, env=environment, start_new_session=True,
        )  # fmt: skip
        os.close(slave)
        self.seen = ""

    def read(self, seconds: float) -> bool:
        """Take what comes within some seconds; False at the end of the program's output."""
        if select.select([self.master], [], [], seconds)[0]:
            try:
                self.seen += os.read(self.master, 65536).decode("utf-8", "replace")
            except OSError:
                return False
        return True

    def wait_for(self, text: str) -> None:
        """Read until `text` was drawn."""
        deadline = time.monotonic() + PATIENCE
        while text not in re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", self.seen):
            assert time.monotonic() < deadline, f"{text!r} was not drawn"
            assert self.read(0.2), f"the program ended before {text!r}"

    def press(self, keys: str) -> None:
        self.seen = ""
        os.write(self.master, keys.encode())

    def ended(self) -> int:
        """The exit code, once it has ended."""
        deadline = time.monotonic() + PATIENCE
        while self.program.poll() is None:
            assert time.monotonic() < deadline, "the program did not end"
            self.read(0.1)
        return self.program.returncode


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    terminal = Terminal(tmp_path)
    yield terminal
    if terminal.program.poll() is None:
        terminal.program.kill()
        terminal.program.wait()


def begin(terminal: Terminal) -> None:
    terminal.wait_for("NEW STORY")
    terminal.press("\r")
    terminal.wait_for("Story name")
    terminal.press("\r\r")
    terminal.wait_for("What do you do")


def test_play_and_leave(terminal: Terminal, tmp_path: Path) -> None:
    begin(terminal)
    terminal.press("\x11")
    assert terminal.ended() == 0
    assert len(list((tmp_path / "saves").iterdir())) == 1


def test_it_does_not_start_where_its_pictures_would_go_to_a_file(tmp_path: Path) -> None:
    slave = pty.openpty()[1]
    app = [sys.executable, "-m", "theact_tui", "--home", str(tmp_path)]
    done = subprocess.run(
        app, stdin=slave, stdout=slave, stderr=subprocess.PIPE, timeout=PATIENCE, check=False
    )
    assert done.returncode == 2 and b"needs a terminal for input, output and errors" in done.stderr


def test_it_ends_cleanly_when_asked_to(terminal: Terminal) -> None:
    begin(terminal)
    terminal.program.send_signal(signal.SIGTERM)
    assert terminal.ended() == 0
    assert "\x1b[?1049l" in terminal.seen


def test_it_ends_when_the_terminal_is_closed(terminal: Terminal) -> None:
    begin(terminal)
    os.close(terminal.master)
    terminal.program.send_signal(signal.SIGHUP)
    assert terminal.program.wait(PATIENCE) == 0
