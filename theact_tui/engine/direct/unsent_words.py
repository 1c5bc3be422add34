"""What is typed in a directed chapter and not given yet, kept on the disk so that a kill does not lose it."""

from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

from theact_tui.engine.bus import Bus
from theact_tui.engine.latest_write import LatestWrite
from theact_tui.saves.unfinished import typed_words
from theact_tui.story.direct.models import Words
from theact_tui.text import clean


class UnsentWords:
    """The unsent texts of one save."""

    def __init__(self, run: Callable[..., Awaitable[Any]], folder: Path, bus: Bus) -> None:
        """`run` runs a function in the thread of the save in `folder`."""
        self.texts: dict[int, str] = {}
        """What was typed by slot when the program ended last."""
        self._run = run
        self._note = typed_words(folder / ".git")
        self._latest = LatestWrite(self._write, bus, Words())

    async def find(self, prompts: int) -> None:
        """Take over what was kept. A prompt that was answered before the program ended is not among it: the save has
        more `prompts` then."""
        self._latest.value = found = await self._run(self._note.read) or Words()
        answered = found.given if prompts > found.prompts else 0
        self.texts |= {slot: clean(text) for slot, text in found.texts.items() if slot != answered}

    def keep(self, words: Words) -> None:
        """Begin to write `words`, unless they are written."""
        if words != self._latest.value:
            self._latest.put(words)

    async def written(self) -> None:
        """Wait until the newest words are written."""
        await self._latest.written()

    async def _write(self, words: Words) -> None:
        await self._run(partial(self._note.write, words) if words.texts else self._note.drop)
