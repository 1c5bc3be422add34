"""How many requests one server gets at the same time and in a minute, whoever in the program asks."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager


class ConcurrencyLimit:
    """Lets at most `width` requests through; the others wait their turn."""

    def __init__(self, width: int) -> None:
        self.width = width
        self._slots = asyncio.Semaphore(width)
        self._questions = asyncio.Lock()
        self._running = 0

    @property
    def busy(self) -> bool:
        """True while a request runs."""
        return self._running > 0

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """Hold one of the slots."""
        async with self._slots:
            self._running += 1
            try:
                yield
            finally:
                self._running -= 1

    @asynccontextmanager
    async def alone(self) -> AsyncIterator[None]:
        """Hold all slots: some servers end a stream when anything else is asked of them."""
        taken = 0
        async with self._questions:
            try:
                for _ in range(self.width):
                    await self._slots.acquire()
                    taken += 1
                yield
            finally:
                for _ in range(taken):
                    self._slots.release()


MINUTE = 60.0
_TICK = 0.05
"""Seconds added to a wait, so that the minute is over when it ends."""


class Rate:
    """Lets at most `limit` requests begin in any minute; 0 lets all of them."""

    def __init__(
        self,
        limit: int,
        *,
        clock: Callable[[], float] = time.monotonic,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.limit = limit
        self._clock = clock
        self._pause = pause
        self._begun: deque[float] = deque()

    async def turn(self) -> None:
        """Wait until a request may begin, and count it."""
        while wait := self._wait():
            await self._pause(wait)
        if self.limit:
            self._begun.append(self._clock())

    def _wait(self) -> float:
        """Seconds until the next request may begin."""
        now = self._clock()
        while self._begun and now - self._begun[0] >= MINUTE:
            self._begun.popleft()
        if not self.limit or len(self._begun) < self.limit:
            return 0.0
        return MINUTE - (now - self._begun[0]) + _TICK
