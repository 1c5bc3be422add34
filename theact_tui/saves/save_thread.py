import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Generic, ParamSpec, TypeVar

from theact_tui.errors import UsageError
from theact_tui.saves.codec import Keepable
from theact_tui.saves.save import Save

P = ParamSpec("P")
T = TypeVar("T")
State = TypeVar("State", bound=Keepable)


class SaveThread(Generic[State]):
    """A save behind its own thread, off the event loop. Calls run one at a time, in order."""

    def __init__(self, save: Save[State]) -> None:
        self.save = save
        self._is_closed = False
        self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix="save")

    async def run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a function, such as a method of `save`. Raises UsageError after `close`."""
        if self._is_closed:
            raise UsageError("This story was closed. Open it again to go on.")
        loop, context = asyncio.get_running_loop(), copy_context()  # in which a long work can be stopped
        return await loop.run_in_executor(self._executor, lambda: context.run(function, *args, **kwargs))

    async def close(self) -> None:
        """Release the save after all queued calls."""
        closing = asyncio.get_running_loop().run_in_executor(self._executor, self.save.close)
        self._is_closed = True
        await closing
        self._executor.shutdown(wait=False)
