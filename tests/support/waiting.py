"""Waiting for what other tasks do."""

import asyncio
from collections.abc import Callable

PATIENCE_SECONDS = 30.0
"""Without an end a test that waits in vain would hold up the whole suite."""


async def passes(count: int) -> None:
    """Let everything go on for so many passes of the event loop."""
    for _ in range(count):
        await asyncio.sleep(0)


async def until(state: Callable[[], object], pause: float = 0.0) -> None:
    """Let other tasks work until `state` holds. Raises TimeoutError if it never does."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not state():
            await asyncio.sleep(pause)
