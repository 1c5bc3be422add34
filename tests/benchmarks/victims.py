"""The real program in a forked process, to be killed: `play` on two pipes, or the app in a terminal of its own.

A fork of a process that has imported everything starts at once. It says all events as JSON lines, and in between when
packing begins and ends, which here happens every few turns.
"""

from __future__ import annotations

import fcntl
import json
import os
import pty
import select
import signal
import struct
import sys
import termios
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

from theact_tui import cli
from theact_tui.engine.bus import Bus
from theact_tui.engine.events import Event
from theact_tui.saves import repository
from theact_tui.saves import repository as packing
from theact_tui.saves import save as store
from theact_tui.tui.app import warm as warm_app

PACK_EVERY = 7
"""Turns."""


@dataclass(repr=False)
class Victim:
    """A process that plays. `said` is what it said so far."""

    process: int
    events: int
    """Where its events come from."""
    keys: int
    """Where its input goes, and in a terminal where its drawing comes from."""
    is_app: bool
    said: list[dict[str, Any]] = field(default_factory=list)
    drawn: str = ""
    _rest: bytes = b""

    def __repr__(self) -> str:
        return f"process {self.process} said {self.said[-2:]} and drew {self.drawn[-300:]!r}"

    def send(self, text: str) -> None:
        """Type."""
        os.write(self.keys, text.encode())

    def listen(self, seconds: float, enough: Callable[[], bool] = lambda: False) -> bool:
        """Read what it says for so long, or until `enough` holds; True if it does."""
        end = time.monotonic() + seconds
        sources = [self.events, self.keys] if self.is_app else [self.events]
        while not enough():
            ready, _, _ = select.select(sources, [], [], max(0.0, end - time.monotonic()))
            alive = [self._read(source) for source in ready]
            if not ready or not any(alive):
                return enough()
        return True

    def kill(self) -> bool:
        """Kill it and read what it had still said; False if it had died by itself."""
        os.kill(self.process, signal.SIGKILL)
        _, status = os.waitpid(self.process, 0)
        while self._read(self.events):
            pass
        for handle in {self.events, self.keys}:
            os.close(handle)
        return os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL

    def _read(self, source: int) -> bool:
        try:
            data = os.read(source, 65536)
        except OSError:  # a terminal whose other end is gone
            return False
        if source == self.events:
            *lines, self._rest = (self._rest + data).split(b"\n")
            self.said += [json.loads(line) for line in lines]
        else:
            self.drawn = (self.drawn + data.decode(errors="replace"))[-200_000:]
        return bool(data)


def command_line(home: Path, *arguments: str) -> Victim:
    """`theact-tui play`, which reads its lines from a pipe."""
    (read_keys, keys), (events, write_events) = os.pipe(), os.pipe()
    process = os.fork()
    if process == 0:
        os.dup2(read_keys, 0)
        os.dup2(write_events, 1)
        os.dup2(os.open(home / "errors", os.O_CREAT | os.O_APPEND | os.O_WRONLY), 2)
        os.close(keys)
        _run(home, write_events, *arguments)
    os.close(read_keys)
    os.close(write_events)
    return Victim(process, events, keys, is_app=False)


def app(home: Path) -> Victim:
    """The app, in a terminal of 80 by 24."""
    events, write_events = os.pipe()
    process, terminal = pty.fork()
    if process == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        os.environ |= {"TERM": "xterm-256color", "TEXTUAL_ANIMATIONS": "none"}
        _tap(lambda event: os.write(write_events, event.to_json().encode() + b"\n"))
        _run(home, write_events)
    os.close(write_events)
    return Victim(process, events, terminal, is_app=True)


def warm() -> None:
    """Import what the victims need, so that they need not."""
    warm_app()
    assert repository.MAX_OBJECT_BYTES and cli.MODULES


def _run(home: Path, events: int, *arguments: str) -> None:
    """Be the program; never returns."""
    pack = packing.pack

    def announced(git: Path) -> int:
        os.write(events, b'{"type": "packing"}\n')
        try:
            return pack(git)
        finally:
            os.write(events, b'{"type": "packed"}\n')

    mock.patch.object(store, "TURNS_PER_PACKING", PACK_EVERY).start()
    mock.patch.object(packing, "pack", announced).start()
    code = cli.main([*arguments, "--home", str(home), "--offline"])
    sys.stdout.flush()
    os._exit(code)


def _tap(told: Callable[[Event], object]) -> None:
    """Let every bus tell its events."""
    begin = Bus.__init__

    def listened(self: Bus, *arguments: Any, **named: Any) -> None:
        begin(self, *arguments, **named)
        self.listen(lambda event: (told(event), None)[1])

    mock.patch.object(Bus, "__init__", listened).start()
