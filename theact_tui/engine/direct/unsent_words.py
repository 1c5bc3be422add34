"""What is typed in a directed chapter and not given yet, kept on the disk so that a kill does not lose it."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

from theact_tui.engine.bus import Bus
from theact_tui.errors import SaveError
from theact_tui.saves.unfinished import typed_words
from theact_tui.story.direct.models import Words
from theact_tui.text import clean


class UnsentWords:
    """The unsent texts of one save. Writing continues beside whatever else does; of several changes in a row the last
    one is written."""

    def __init__(self, run: Callable[..., Awaitable[Any]], folder: Path, bus: Bus) -> None:
        """`run` runs a function in the thread of the save in `folder`."""
        self.texts: dict[int, str] = {}
        """What stands in the panels that are not open, by slot; the screen keeps it up to date."""
        self._run = run
        self._note = typed_words(folder / ".git")
        self._bus = bus
        self._words = self._written = Words()
        self._writing: asyncio.Task[None] | None = None
        self._refused = False

    async def find(self, prompts: int) -> None:
        """Take over what was kept. A prompt that was answered before the program ended is not among it: the save has
        more `prompts` then."""
        self._words = self._written = found = await self._run(self._note.read) or Words()
        answered = found.given if prompts > found.prompts else 0
        self.texts |= {slot: clean(text) for slot, text in found.texts.items() if slot != answered}

    def keep(self, words: Words) -> None:
        """Begin to write `words`, unless they are written."""
        self._words = words
        if words != self._written and (self._writing is None or self._writing.done()):
            self._writing = asyncio.create_task(self._write())

    async def written(self) -> None:
        """Wait until the newest words are written."""
        if self._writing:
            await self._writing

    async def _write(self) -> None:
        while self._words != self._written:
            self._written = words = self._words
            try:
                await self._run(partial(self._note.write, words) if words.texts else self._note.drop)
            except (OSError, SaveError) as error:
                if not self._refused:
                    reason = error.message.rstrip(".") if isinstance(error, SaveError) else error.strerror
                    self._bus.warn(f"Your draft cannot be saved: {reason or error}.")
                self._refused = True
