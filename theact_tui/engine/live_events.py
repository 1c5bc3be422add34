"""A running story's events as a file that others may read along: one JSON line each, in the save's private folder.

The program that plays appends and never reads; who watches reads and never writes, so nobody who comes, leaves or hangs
disturbs a game. Each opening of the save begins the file again. A kill can only tear its last line.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import suppress
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

from theact_tui.engine.bus import Bus
from theact_tui.engine.events import Event, TurnCancelled, TurnFailed, TurnSaved, TurnStarted
from theact_tui.errors import SaveError
from theact_tui.saves.atomic import Folder

FILE = "live.jsonl"
POLL = 0.05
"""Seconds between two looks at the file."""
_AT_ONCE = 1 << 20
"""Bytes that are read at a time."""
_log = logging.getLogger(__name__)


def publish_live(bus: Bus, private: Folder) -> None:
    """Let others read the events of `bus` along; `private` is the private folder of a save open for writing."""

    def append(event: Event) -> None:
        try:
            private.append(FILE, event.to_json().encode("utf-8", "replace") + b"\n")
        except (OSError, SaveError) as error:  # nobody can watch, and the story continues
            stop()
            _log.warning("events could not be written: %s", getattr(error, "strerror", "") or error)

    stop = bus.listen(append)
    try:
        private.replace(FILE, b"")
    except (OSError, SaveError) as error:
        stop()
        _log.warning("events could not be written: %s", getattr(error, "strerror", "") or error)


class LiveEvents:
    """The events of the save in `folder`, from its last opening on. Close it when done."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / ".git" / "theact" / FILE
        self._handle = -1
        self._torn = b""

    def __enter__(self) -> LiveEvents:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file. Idempotent."""
        if self._handle >= 0:
            os.close(self._handle)
        self._handle, self._torn = -1, b""

    def read(self) -> list[Event]:
        """What was published since the last call, in order; at first all since the save was opened."""
        found: list[Event] = []
        while True:
            found += self._rest()
            if not self._replaced():
                return found
            found += self._rest()  # what came between
            self.close()

    def _rest(self) -> Iterator[Event]:
        """What stands in the file that is open, from the last call on."""
        while data := os.read(self._handle, _AT_ONCE) if self._open() else b"":
            *lines, self._torn = (self._torn + data).split(b"\n")
            yield from filter(None, map(read_event, lines))

    async def follow(self) -> AsyncIterator[Event]:
        """Every event from now on, as it comes; it ends only when it is cancelled."""
        while True:
            for event in self.read():
                yield event
            await asyncio.sleep(POLL)

    def _open(self) -> bool:
        if self._handle < 0:
            flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
            with suppress(OSError):
                self._handle = os.open(self._file, flags | getattr(os, "O_BINARY", 0))
        return self._handle >= 0

    def _replaced(self) -> bool:
        """The save was opened again: another file has the name now."""
        if self._handle < 0:
            return False
        try:
            return not os.path.samestat(os.fstat(self._handle), self._file.stat())
        except OSError:
            return False


def read_event(line: bytes) -> Event | None:
    """The event of a line; None for a line that holds none that is known here."""
    try:
        found: Any = json.loads(line)
        kind = _KINDS[found.pop("type")]
        wanted = {field.name: field for field in fields(kind)}
        given: dict[str, Any] = {
            k: tuple(v) if isinstance(v, list) else v for k, v in found.items() if k in wanted
        }
        if any(field.default is MISSING and name not in given for name, field in wanted.items()):
            return None
        return kind(**given)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def unfinished(events: Sequence[Event]) -> list[Event]:
    """Of what was published, the turn that is not saved yet; nothing if there is none."""
    ends = (TurnSaved, TurnCancelled, TurnFailed)
    last = max((n for n, event in enumerate(events) if isinstance(event, TurnStarted)), default=len(events))
    return [] if any(isinstance(event, ends) for event in events[last:]) else list(events[last:])


_KINDS = {kind.type_name(): kind for kind in Event.__subclasses__()}
