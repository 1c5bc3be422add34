"""Write the newest of several values in the background."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeVar

from theact_tui.engine.bus import Bus
from theact_tui.errors import SaveError
from theact_tui.saves.unfinished import typed_words
from theact_tui.story.direct.records import Words
from theact_tui.text import clean

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


class UnsentWords:
    def __init__(self, run: Callable[..., Awaitable[Any]], folder: Path, bus: Bus) -> None:
        self.texts: dict[int, str] = {}
        """Text by slot when the program last ended."""
        self._run = run
        self._note = typed_words(folder / ".git")
        self._latest = LatestWrite(self._write, bus, Words())

    async def find(self, prompts: int) -> None:
        """Load stored text, without a prompt answered since: the save then has more `prompts`."""
        self._latest.value = words = await self._run(self._note.read) or Words()
        answered = words.given if prompts > words.prompts else 0
        self.texts |= {slot: clean(text) for slot, text in words.texts.items() if slot != answered}

    def keep(self, words: Words) -> None:
        if words != self._latest.value:
            self._latest.put(words)

    async def written(self) -> None:
        await self._latest.written()

    async def _write(self, words: Words) -> None:
        await self._run(partial(self._note.write, words) if words.texts else self._note.drop)
