"""Work that the user may stop: one at a time, made of steps that can be cancelled."""

import asyncio
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

T = TypeVar("T")


class Stopped(Exception):
    """The user stopped the work."""


class Stoppable:
    """Runs the steps of some work, one by one or side by side; between `begin` and its end `stop` cancels the steps that
    run, and every later one."""

    def __init__(self) -> None:
        self._steps: set[asyncio.Task[Any]] = set()
        self._stopping = False
        self._ended = asyncio.Event()
        self._ended.set()

    @contextmanager
    def begin(self) -> Iterator[None]:
        """Around the work."""
        self._stopping = False
        self._ended.clear()
        try:
            yield
        finally:
            self._ended.set()

    async def run(self, step: Coroutine[None, None, T]) -> T:
        """The result of a step. Raises `Stopped` when the work was stopped before or in it."""
        if self._stopping:
            step.close()
            raise Stopped
        task = asyncio.create_task(step)
        self._steps.add(task)
        try:
            return await task
        except asyncio.CancelledError:
            if self._stopping:
                raise Stopped from None
            raise
        finally:
            self._steps.discard(task)

    async def stop(self) -> None:
        """Stop the work, if any is running, and wait until it has ended."""
        self._stopping = not self._ended.is_set()
        if self._stopping:
            for step in tuple(self._steps):
                step.cancel()
        await self._ended.wait()

    @property
    def is_stopped(self) -> bool:
        """The work was stopped, and has not begun anew."""
        return self._stopping

    @property
    def is_free(self) -> bool:
        """No work goes on."""
        return self._ended.is_set()

    async def ended(self) -> None:
        """Wait until no work is running."""
        await self._ended.wait()
