"""Events of an open story as JSON lines in a file, for other programs to watch."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import stat
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import MISSING, fields, replace
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

from theact_tui.engine.bus import Bus
from theact_tui.engine.events import (
    ActorToken,
    CallProgress,
    ChapterToken,
    CharacterToken,
    Event,
    NarrationToken,
    SaveClosed,
    TurnCancelled,
    TurnFailed,
    TurnSaved,
    TurnStarted,
)
from theact_tui.errors import SaveError
from theact_tui.saves.atomic import Folder

try:
    import fcntl
except ImportError:  # Windows: everybody counts as watched
    CAN_LOCK = False
else:
    CAN_LOCK = True

LIVE_FILE = "live.jsonl"
POLL = 0.05
_REOPEN_SECONDS = 1.0
_CLOSE_SECONDS = 5.0
_READ_BYTES = 1 << 20
_MAX_LINE_BYTES = 4 << 20
_log = logging.getLogger(__name__)

_Token = NarrationToken | CharacterToken | ActorToken | ChapterToken


def publish_live(bus: Bus, private: Folder) -> Callable[[], None]:
    """Write the events of `bus` until the save is closed. Returns a function that ends it."""
    queue: SimpleQueue[Event | None] = SimpleQueue()
    file = private.root / LIVE_FILE
    watched_until = time.monotonic() + _REOPEN_SECONDS if _is_watched(file) else 0.0
    try:
        _empty(private)
    except (OSError, SaveError) as error:
        _log.warning("events could not be written: %s", getattr(error, "strerror", "") or error)
        return lambda: None
    writer = Thread(target=_write, args=(queue, private, watched_until), name="live-events", daemon=True)
    writer.start()

    def publish(event: Event) -> None:
        if not writer.is_alive():
            stop()
            return
        queue.put(event)
        if isinstance(event, SaveClosed):
            close()

    def close() -> None:
        stop()
        queue.put(None)
        writer.join(_CLOSE_SECONDS)

    stop = bus.listen(publish)
    return close


def _empty(private: Folder) -> None:
    """Replace the file by an empty one. Windows replaces none that somebody watches: there it is cut instead."""
    try:
        private.replace(LIVE_FILE, b"")
    except PermissionError:
        os.truncate(private.root / LIVE_FILE, 0)


def _write(queue: SimpleQueue[Event | None], private: Folder, watched_until: float) -> None:
    """Append events until None arrives; unwatched tokens wait for another event."""
    waiting: list[Event] = []
    is_open = True
    while is_open:
        arrived = [*_drained(queue, POLL if waiting else None)]
        is_open = None not in arrived
        waiting += filter(None, arrived)
        is_watched = time.monotonic() < watched_until or _is_watched(private.root / LIVE_FILE)
        if not is_watched:
            waiting = [*_joined(waiting)]
        end = len(waiting)
        if is_open and not is_watched:
            others = (n for n, event in enumerate(waiting, 1) if not isinstance(event, _Token | CallProgress))
            end = max(others, default=0)
        lines = b"".join(event.to_json().encode("utf-8", "replace") + b"\n" for event in waiting[:end])
        del waiting[:end]
        try:
            if lines:
                private.append(LIVE_FILE, lines)
        except (OSError, SaveError) as error:  # nobody can watch, and the story continues
            _log.warning("events could not be written: %s", getattr(error, "strerror", "") or error)
            return


def _drained(queue: SimpleQueue[Event | None], timeout: float | None) -> Iterator[Event | None]:
    with suppress(Empty):
        yield queue.get(timeout=timeout)
        while True:
            yield queue.get_nowait()


def _joined(waiting: Sequence[Event]) -> Iterator[Event]:
    """Join tokens of the same text, and keep the newest progress of each call."""
    joined: dict[object, Event] = {}
    for place, event in enumerate(waiting):
        match event:
            case NarrationToken() | CharacterToken() | ActorToken() | ChapterToken():
                key: object = replace(event, text="", reasoning="", replace=False, seq=0, at="")
                before = joined.get(key)
                if isinstance(before, _Token) and not event.replace:
                    text, reasoning = before.text + event.text, before.reasoning + event.reasoning
                    event = replace(event, text=text, reasoning=reasoning, replace=before.replace)
            case CallProgress():
                key = event.call
            case _:
                yield from joined.values()
                joined, key = {}, place
        joined[key] = event
    yield from joined.values()


def _is_watched(file: Path) -> bool:
    handle = _opened(file)
    if handle < 0:
        return False
    try:
        return not _lock(handle, shared=False)
    finally:
        os.close(handle)


def _opened(file: Path) -> int:
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        handle = os.open(file, flags | getattr(os, "O_BINARY", 0))
    except OSError:
        return -1
    if stat.S_ISREG(os.fstat(handle).st_mode):
        return handle
    os.close(handle)
    return -1


def _lock(handle: int, *, shared: bool) -> bool:
    """Lock without waiting; closing the handle unlocks."""
    if CAN_LOCK:
        with suppress(OSError):
            fcntl.flock(handle, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
            return True
    return False


class LiveEvents:
    def __init__(self, folder: Path) -> None:
        self._file = folder / ".git" / "theact" / LIVE_FILE
        self._handle = -1
        self._is_locked = False
        self._torn = b""
        self._skips = False

    def __enter__(self) -> LiveEvents:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        if self._handle >= 0:
            os.close(self._handle)
        self._handle, self._torn, self._is_locked, self._skips = -1, b"", False, False

    def read(self) -> list[Event]:
        arrived: list[Event] = []
        while True:
            arrived += self._rest()
            if not self._replaced():
                return arrived
            arrived += self._rest()  # written between the two looks
            self.close()

    def _rest(self) -> Iterator[Event]:
        while data := os.read(self._handle, _READ_BYTES) if self._open() else b"":
            *lines, self._torn = (self._torn + data).split(b"\n")
            if lines and self._skips:
                lines, self._skips = lines[1:], False
            yield from filter(None, map(read_event, lines))
            if len(self._torn) > _MAX_LINE_BYTES:
                self._torn, self._skips = b"", True

    async def follow(self) -> AsyncIterator[Event]:
        while True:
            for event in self.read():
                yield event
            await asyncio.sleep(POLL)

    def _open(self) -> bool:
        if self._handle < 0:
            self._handle = _opened(self._file)
        if self._handle >= 0 and not self._is_locked:
            self._is_locked = _lock(self._handle, shared=True)
        return self._handle >= 0

    def _replaced(self) -> bool:
        """True once the save was opened again, and the file replaced or cut."""
        if self._handle < 0:
            return False
        try:
            status = os.fstat(self._handle)
            is_cut = status.st_size < os.lseek(self._handle, 0, os.SEEK_CUR)
            return is_cut or not os.path.samestat(status, self._file.stat())
        except OSError:
            return False


def read_event(line: bytes) -> Event | None:
    """Parse a line; None for an unknown event."""
    try:
        document: Any = json.loads(line)
        kind = _KINDS[document.pop("type")]
        wanted = {field.name: field for field in fields(kind)}
        values: dict[str, Any] = {
            k: tuple(v) if isinstance(v, list) else v for k, v in document.items() if k in wanted
        }
        if any(field.default is MISSING and name not in values for name, field in wanted.items()):
            return None
        return kind(**values)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def unfinished(events: Sequence[Event]) -> list[Event]:
    """Return the events of a turn that is not saved yet."""
    ends = (TurnSaved, TurnCancelled, TurnFailed)
    last = max((n for n, event in enumerate(events) if isinstance(event, TurnStarted)), default=len(events))
    return [] if any(isinstance(event, ends) for event in events[last:]) else list(events[last:])


_KINDS = {kind.type: kind for kind in Event.__subclasses__()}
