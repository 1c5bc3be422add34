"""A real terminal without a screen: a pty in which the app runs, keys going in, what was drawn coming out."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

import pyte

_CODES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[PX^_].*?\x1b\\|\x1b[ -/]*[0-~]"
)
PATIENCE = 60.0
"""Seconds to wait for something to appear."""


class Terminal:
    """The app in a pty of `columns` by `rows`. Use as a context manager.

    With `watched`, the end of a pipe, `watched_app.py` runs the app and says there what the app is about.
    """

    def __init__(
        self, home: Path, *arguments: str, columns: int = 80, rows: int = 24, watched: int | None = None
    ) -> None:
        self.home = home
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        env = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("LLM_", "OPENAI_", "TEXTUAL_", "NO_COLOR", "COLUMNS", "LINES"))
        }
        run = ["-m", "theact_tui"] if watched is None else [str(Path(__file__).with_name("watched_app.py"))]
        self.process = subprocess.Popen(
            [sys.executable, *run, *arguments],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={
                **env,
                "TERM": "xterm-256color",
                "THEACT_HOME": str(home),
                "TEXTUAL_ANIMATIONS": "none",
                "WATCHED_PIPE": str(watched),
            },
            cwd=home.parent,
            start_new_session=True,
            pass_fds=() if watched is None else (watched,),
        )
        os.close(slave)
        self._is_closed = False
        self.drawn = ""
        """Everything drawn since the last `wait_for`, without escape codes."""
        self.raw = ""
        """Everything drawn since the start."""
        self.screen = pyte.Screen(columns, rows)
        """What a terminal emulator shows."""
        self._emulator = pyte.ByteStream(self.screen)

    def __enter__(self) -> Terminal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        if not self._is_closed:
            self.hang_up()

    def hang_up(self) -> None:
        self._is_closed = True
        os.close(self._master)

    def send(self, keys: str) -> None:
        os.write(self._master, keys.encode())

    def wait_for(self, text: str) -> None:
        """Read until `text` was drawn; what came before is forgotten."""
        end = time.monotonic() + PATIENCE
        while text not in self.drawn:
            left = end - time.monotonic()
            assert left > 0 and self.read(left), f"{text!r} was not drawn; this was: {self.drawn[-2000:]!r}"
        self.drawn = ""

    def press(self, key: str, happened: Callable[[], bool]) -> None:
        """Press a key once and read until something happened."""
        self.send(key)
        end = time.monotonic() + PATIENCE
        while not happened():
            assert time.monotonic() < end, f"it did not happen; this was drawn: {self.drawn[-2000:]!r}"
            self.read(0.1)
        self.drawn = ""

    def press_until(self, key: str, happened: Callable[[], bool]) -> None:
        """Press a key again and again, as somebody who waits does, until something happened."""
        end = time.monotonic() + PATIENCE
        while not happened():
            assert time.monotonic() < end, f"it did not happen; this was drawn: {self.drawn[-2000:]!r}"
            self.send(key)
            pause = time.monotonic() + 0.5
            while not happened() and (left := pause - time.monotonic()) > 0:
                self.read(min(left, 0.1))
        self.drawn = ""

    def wait_for_exit(self) -> int:
        """Read to the end; the exit code."""
        end = time.monotonic() + PATIENCE
        while self.process.poll() is None and time.monotonic() < end:
            self.read(0.1)
        assert self.process.poll() is not None, f"it did not leave; this was drawn: {self.drawn[-2000:]!r}"
        return self.process.returncode

    def read(self, seconds: float) -> bool:
        """Wait for output, at most so many seconds; whether there was any."""
        ready, _, _ = select.select([self._master], [], [], seconds)
        if not ready:
            return False
        try:
            data = os.read(self._master, 65536)
        except OSError:
            return False
        self._emulator.feed(data)
        self.raw += data.decode(errors="replace")
        self.drawn += _CODES.sub("", data.decode(errors="replace"))
        return True
