"""An event loop that knows when it has nothing to do: a test of a screen waits for that, however busy the machine is.

Textual's own `wait_for_idle` looks at the processor: it costs 20 ms a key, and on a busy machine it takes a program that
is not let in for one that rests.
"""

import asyncio
import selectors
from collections.abc import Callable
from concurrent.futures import Executor
from typing import Any, TypeVar, TypeVarTuple

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


class IdleSelector(selectors.DefaultSelector):
    """Resolves `waiters` when its loop would go to sleep."""

    soon_seconds = 0.02
    """A timer that is due within this time is waited for."""

    def __init__(self) -> None:
        super().__init__()
        self.waiters: list[asyncio.Future[None]] = []
        self.jobs = 0
        """Functions that threads run for the loop."""

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        is_busy = self.jobs or (timeout is not None and timeout <= self.soon_seconds)
        if is_busy or not self.waiters:
            return super().select(timeout)
        if events := super().select(0):
            return events
        for waiter in self.waiters:
            if not waiter.done():
                waiter.set_result(None)
        self.waiters.clear()
        return []


class IdleLoop(asyncio.SelectorEventLoop):
    """A loop whose tasks can wait until the others have nothing left to do."""

    def __init__(self) -> None:
        self.idle = IdleSelector()
        super().__init__(self.idle)

    def run_in_executor(
        self, executor: Executor | None, func: Callable[[*Ts], T], *args: *Ts
    ) -> asyncio.Future[T]:
        job = super().run_in_executor(executor, func, *args)
        self.idle.jobs += 1
        job.add_done_callback(self._job_done)
        return job

    def _job_done(self, job: asyncio.Future[Any]) -> None:
        self.idle.jobs -= 1


class IdlePolicy(asyncio.DefaultEventLoopPolicy):
    def new_event_loop(self) -> IdleLoop:
        return IdleLoop()


async def wait_for_idle(min_sleep: float = 0, max_sleep: float = 1) -> None:
    """Wait until the loop has nothing left to do, or `max_sleep` seconds; for `textual._wait.wait_for_idle`."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, IdleLoop)
    waiter = loop.create_future()
    loop.idle.waiters.append(waiter)
    await asyncio.wait([waiter], timeout=max_sleep)
