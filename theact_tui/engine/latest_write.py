"""Write the newest of several values in the background."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

from theact_tui.engine.bus import Bus
from theact_tui.errors import SaveError

T = TypeVar("T")


class LatestWrite(Generic[T]):
    """Background writer; of several values in a row only the last is written."""

    def __init__(self, write: Callable[[T], Awaitable[object]], bus: Bus, value: T) -> None:
        self._write, self._bus = write, bus
        self.value = value
        self._waits = False
        self._writing: asyncio.Task[None] | None = None
        self._refused = False

    def put(self, value: T) -> None:
        self.value, self._waits = value, True
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write_all())

    async def written(self) -> None:
        if self._writing:
            await self._writing

    async def _write_all(self) -> None:
        while self._waits:
            self._waits = False
            try:
                await self._write(self.value)
            except (OSError, SaveError) as error:
                if not self._refused:
                    reason = error.message.rstrip(".") if isinstance(error, SaveError) else error.strerror
                    self._bus.warn(f"Your draft cannot be saved: {reason or error}.")
                self._refused = True
