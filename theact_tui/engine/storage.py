"""An open save and the one thread in which everything of it happens, in order, off the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, ParamSpec, TypeVar

if TYPE_CHECKING:
    from theact_tui.saves.store import Save

P = ParamSpec("P")
T = TypeVar("T")


class Storage:
    """A save behind its own thread. Calls run one at a time, in the order in which they were made."""

    def __init__(self, save: Save) -> None:
        self.save = save
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="save")

    async def run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a function, such as a method of `save`, in the save's thread."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, lambda: function(*args, **kwargs))

    async def close(self) -> None:
        """Release the save, after everything that was queued."""
        await self.run(self.save.close)
        self._thread.shutdown(wait=False)
