"""Typed, unsent text of a directed chapter, stored against a kill."""

from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

from theact_tui.engine.bus import Bus
from theact_tui.engine.latest_write import LatestWrite
from theact_tui.saves.unfinished import typed_words
from theact_tui.story.direct.records import Words
from theact_tui.text import clean


class UnsentWords:
    def __init__(self, run: Callable[..., Awaitable[Any]], folder: Path, bus: Bus) -> None:
        """`run` runs a function in the save's thread."""
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
        """Start writing `words` if changed."""
        if words != self._latest.value:
            self._latest.put(words)

    async def written(self) -> None:
        await self._latest.written()

    async def _write(self, words: Words) -> None:
        await self._run(partial(self._note.write, words) if words.texts else self._note.drop)
