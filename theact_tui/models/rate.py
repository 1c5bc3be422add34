"""How many requests one server gets in a minute (D10), for servers that refuse those who ask too often."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable

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
