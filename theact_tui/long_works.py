"""Register of works that take long, such as telling turns again: leaving, SIGTERM and SIGHUP stop all of them."""

import asyncio
import threading
from collections.abc import Coroutine
from contextvars import ContextVar
from typing import Any, TypeVar

from theact_tui.errors import UsageError

T = TypeVar("T")
STOPPING_SECONDS = 2.5
"""Time for a stopped work to clean up."""
_running: dict[asyncio.Task[Any], threading.Event] = {}
_is_stopped: ContextVar[threading.Event | None] = ContextVar("is_stopped", default=None)


class LongWorkStopped(UsageError):
    def __init__(self) -> None:
        super().__init__("Stopped.")


async def run_long(work: Coroutine[Any, Any, T]) -> T:
    """Await a work that `stop_long_works` cancels. Threads that it starts end at their next `check_stopped`."""
    is_stopped = threading.Event()

    async def registered() -> T:
        _is_stopped.set(is_stopped)
        return await work

    task = asyncio.create_task(registered())
    _running[task] = is_stopped
    try:
        return await task
    except asyncio.CancelledError:
        is_stopped.set()
        raise
    finally:
        del _running[task]


def check_stopped() -> None:
    """Raise LongWorkStopped within a long work that was stopped."""
    is_stopped = _is_stopped.get()
    if is_stopped and is_stopped.is_set():
        raise LongWorkStopped


async def stop_long_works() -> None:
    """Stop all, and wait until they have cleaned up, but never long."""
    for task, is_stopped in _running.items():
        is_stopped.set()
        task.cancel()
    if _running:
        await asyncio.wait([*_running], timeout=STOPPING_SECONDS)
