"""How many requests one server gets at the same time, whoever in the program asks."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Gate:
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
