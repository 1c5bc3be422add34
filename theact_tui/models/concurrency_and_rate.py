"""Limits of one server: concurrent requests, and requests per minute."""

import asyncio
import math
import time
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, nullcontext


class ConcurrencyLimit:
    """Admits as many requests as configured, or as the server has slots; others wait in order.

    Running requests together stay below one window: servers with a shared KV cache abort what exceeds it.
    """

    def __init__(self, width: int = 0) -> None:
        """`width` 0: the server's slots, or one."""
        self._wanted = width
        self._slots = 1
        self._store = math.inf
        self._running: list[float] = []
        self._waiting: deque[tuple[float, asyncio.Future[None]]] = deque()
        self._numbered = defaultdict[int, asyncio.Lock](asyncio.Lock)

    @property
    def width(self) -> int:
        return self._wanted or self._slots

    @property
    def busy(self) -> bool:
        return any(tokens < math.inf for tokens in self._running)

    def set_slots(self, slots: int, window: int) -> None:
        """Set the number of slots, `window` tokens each; 0 if unknown."""
        self._slots, self._store = max(1, slots), window if slots > 1 else math.inf
        self._admit()

    @asynccontextmanager
    async def slot(self, tokens: int = 0, number: int | None = None) -> AsyncIterator[None]:
        """Hold one slot, or slot `number`, for `tokens`, reply included."""
        # a request that names a busy slot replaces the prompt of the other there (llama.cpp of 2026)
        named = nullcontext() if number is None else self._numbered[number]
        async with named, self._held(tokens):
            yield

    @asynccontextmanager
    async def alone(self) -> AsyncIterator[None]:
        """Hold all slots: some servers end a stream at any other request."""
        async with self._held(math.inf):
            yield

    @asynccontextmanager
    async def _held(self, tokens: float) -> AsyncIterator[None]:
        admitted = asyncio.get_running_loop().create_future()
        self._waiting.append((tokens, admitted))
        self._admit()
        try:
            await admitted
            yield
        finally:
            if admitted.done() and not admitted.cancelled():
                self._running.remove(tokens)
            self._admit()

    def _admit(self) -> None:
        while self._waiting:
            tokens, admitted = self._waiting[0]
            if not admitted.cancelled():
                if self._running and (
                    len(self._running) >= self.width
                    or sum(self._running) + tokens > self._store
                    or math.inf in (tokens, *self._running)
                ):
                    return
                self._running.append(tokens)
                admitted.set_result(None)
            self._waiting.popleft()


_MINUTE = 60.0
_TICK = 0.05


class Rate:
    """Admits at most `limit` requests per minute; 0 is no limit."""

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
        while wait := self._wait():
            await self._pause(wait)
        if self.limit:
            self._begun.append(self._clock())

    def _wait(self) -> float:
        now = self._clock()
        while self._begun and now - self._begun[0] >= _MINUTE:
            self._begun.popleft()
        if not self.limit or len(self._begun) < self.limit:
            return 0.0
        return _MINUTE - (now - self._begun[0]) + _TICK
