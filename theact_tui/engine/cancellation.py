"""Cancellable work, one at a time, in steps."""

import asyncio
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

T = TypeVar("T")


class Stopped(Exception):
    pass


class Stoppable:
    """Runs steps of work. Between `begin` and its end, `stop` cancels running and later steps."""

    def __init__(self) -> None:
        self._steps: set[asyncio.Task[Any]] = set()
        self._stopping = False
        self._ended = asyncio.Event()
        self._ended.set()

    @contextmanager
    def begin(self) -> Iterator[None]:
        self._stopping = False
        self._ended.clear()
        try:
            yield
        finally:
            self._ended.set()

    async def run(self, step: Coroutine[None, None, T]) -> T:
        """Run a step. Raises `Stopped` if the work is or was stopped."""
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
        self._stopping = not self._ended.is_set()
        if self._stopping:
            for step in tuple(self._steps):
                step.cancel()
        await self._ended.wait()

    @property
    def is_stopped(self) -> bool:
        return self._stopping

    @property
    def is_free(self) -> bool:
        return self._ended.is_set()

    async def ended(self) -> None:
        await self._ended.wait()
