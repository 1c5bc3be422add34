"""The in-process bus: publishing never blocks and never raises; order is kept for every subscriber.

A subscriber is either a callback, called at once, or a stream, read at its own pace. A callback that raises and a
stream that falls too far behind are dropped, and a notice says so.
"""

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
"""How many past events a late subscriber can still get."""
LAG = 20_000
"""How many undelivered events a stream may have before it is dropped."""

_log = logging.getLogger(__name__)
_LOGGED = (int, float, bool)
"""Fields of these types, and the names below, go into the debug log; prose never does."""
_NAMES = ("agent", "character", "key", "model", "outcome", "level", "before", "after")

E = TypeVar("E", bound=Event)


class Stream:
    """One subscriber's queue. Iterate it; `close` ends the iteration."""

    def __init__(self) -> None:
        self._queue: asyncio.Queue[Event | None] = asyncio.Queue()
        self.closed = False
        """Nobody reads any more."""

    def put(self, event: Event) -> bool:
        """Queue an event; False when the stream is too far behind, which closes it."""
        if self._queue.qsize() >= LAG:
            self.close()
            return False
        self._queue.put_nowait(event)
        return True

    def close(self) -> None:
        """End the iteration after what is queued already."""
        self.closed = True
        self._queue.put_nowait(None)

    async def __aiter__(self) -> AsyncIterator[Event]:
        while (event := await self._queue.get()) is not None:
            yield event


def _summary(event: Event) -> str:
    """One line about an event: numbers and names, no texts."""
    told = {name: value for name, value in vars(event).items() if name not in ("save", "branch", "at")}
    kept = [
        f"{name}={value}"
        for name, value in told.items()
        if isinstance(value, _LOGGED) or (name in _NAMES and isinstance(value, str) and len(value) < 80)
    ]
    return " ".join([event.type, *kept])


class Bus:
    """Stamps events and hands them to subscribers. Use from one event loop's thread."""

    def __init__(self, clock: Clock = now) -> None:
        self.now = clock
        """The time by this bus's clock, UTC."""
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
        """The time by this bus's clock, ISO 8601, UTC."""
        return self.now().isoformat(timespec="milliseconds")

    def publish(self, event: E) -> E:
        """Stamp `event` and deliver it. Returns the stamped event."""
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

    def tell(self, text: str) -> None:
        """Publish a notice of what is done."""
        self.publish(Notice(text=text))

    def warn(self, text: str) -> None:
        """Publish a notice of what did not work."""
        self.publish(Notice(text=text, level="warning"))

    def listen(self, callback: Callable[[Event], None]) -> Callable[[], None]:
        """Call `callback` with every event, in order. Returns what ends it."""
        self._callbacks.append(callback)

        def stop() -> None:
            if callback in self._callbacks:
                self._callbacks.remove(callback)

        return stop

    def stream(self, *, backlog: bool = False) -> Stream:
        """A new stream of events; with `backlog` it begins with the recent past."""
        stream = Stream()
        if backlog:
            for event in self._backlog:
                stream.put(event)
        self._streams.append(stream)
        return stream
