"""Event bus in the process: publishing never blocks or raises, and every subscriber sees events in order."""

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from itertools import count
from typing import TypeVar

from theact_tui.engine.events import Event, Notice
from theact_tui.models.environment import unexpected
from theact_tui.saves.git_objects import Clock, now

BACKLOG = 2_000
LAG = 20_000
"""Undelivered events at which a stream is dropped."""

_log = logging.getLogger(__name__)
_LOGGED = (int, float, bool)
"""Field types, and names below, for the debug log; prose never goes there."""
_NAMES = ("agent", "character", "key", "model", "outcome", "level", "before", "after")

E = TypeVar("E", bound=Event)


class Stream:
    def __init__(self) -> None:
        self._queue: asyncio.Queue[Event | None] = asyncio.Queue()
        self.closed = False

    def put(self, event: Event) -> bool:
        """Queue an event; False if the stream lags too far, which closes it."""
        if self._queue.qsize() >= LAG:
            self.close()
            return False
        self._queue.put_nowait(event)
        return True

    def close(self) -> None:
        self.closed = True
        self._queue.put_nowait(None)

    async def __aiter__(self) -> AsyncIterator[Event]:
        while (event := await self._queue.get()) is not None:
            yield event


def _summary(event: Event) -> str:
    fields = {name: value for name, value in vars(event).items() if name not in ("save", "branch", "at")}
    parts = [
        f"{name}={value}"
        for name, value in fields.items()
        if isinstance(value, _LOGGED) or (name in _NAMES and isinstance(value, str) and len(value) < 80)
    ]
    return " ".join([event.type, *parts])


class Bus:
    """Stamps events and hands them to subscribers, on one event loop."""

    def __init__(self, clock: Clock = now) -> None:
        self.now = clock
        self._seq = count(1)
        self._callbacks: list[Callable[[Event], None]] = []
        self._streams: list[Stream] = []
        self._backlog: deque[Event] = deque(maxlen=BACKLOG)
        self.newest = 0
        """`seq` of the newest event; 0 before the first."""
        self.save = ""
        self.branch = ""
        self.turn = 0

    def time(self) -> str:
        return self.now().isoformat(timespec="milliseconds")

    def publish(self, event: E) -> E:
        """Stamp and deliver an event; return it stamped."""
        at = self.time()
        turn = event.turn or self.turn
        stamped = replace(event, save=self.save, branch=self.branch, turn=turn, seq=next(self._seq), at=at)
        self.newest = stamped.seq
        self._backlog.append(stamped)
        if _log.isEnabledFor(logging.DEBUG) and not stamped.type.endswith("_token"):
            _log.debug("%s", _summary(stamped))
        lost: list[str] = []
        for callback in tuple(self._callbacks):
            try:
                callback(stamped)
            except Exception as error:
                self._callbacks.remove(callback)
                lost.append(f"A listener failed and was dropped: {unexpected(error)}")
        self._streams = [stream for stream in self._streams if not stream.closed]
        for stream in tuple(self._streams):
            if not stream.put(stamped):
                self._streams.remove(stream)
                lost.append("A panel was too slow and was disconnected.")
        for reason in lost:
            self.warn(reason)
        return stamped

    def inform(self, text: str) -> None:
        self.publish(Notice(text=text))

    def warn(self, text: str) -> None:
        self.publish(Notice(text=text, level="warning"))

    def listen(self, callback: Callable[[Event], None]) -> Callable[[], None]:
        """Call `callback` with every event. Returns an unsubscribe function."""
        self._callbacks.append(callback)

        def stop() -> None:
            if callback in self._callbacks:
                self._callbacks.remove(callback)

        return stop

    def stream(self, *, backlog: bool = False) -> Stream:
        """Open a stream; with `backlog` it starts with recent events."""
        stream = Stream()
        if backlog:
            for event in self._backlog:
                stream.put(event)
        self._streams.append(stream)
        return stream
