"""What is typed for the agents of a chapter and not given yet: it outlives the program (D3)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING

from theact_tui.engine.direct_work import Work
from theact_tui.engine.events import Notice
from theact_tui.saves.journal import typed_words
from theact_tui.story.direct.records import Words
from theact_tui.text import clean

if TYPE_CHECKING:
    from theact_tui.saves.store import Save


class Unsent:
    """Keeps it on the disk, beside whatever else goes on; of several changes in a row the last one is written."""

    def __init__(self, work: Work) -> None:
        self.texts: dict[int, str] = {}
        """What stands in the panels that are not open, by slot; its face keeps it up to date."""
        self._work = work
        self._words = self._written = Words()
        self._writing: asyncio.Task[None] | None = None
        self._refused = False

    async def find(self) -> None:
        """Take over what was kept. A prompt that was answered before the program ended is not among it."""
        work = self._work
        found = await work.run(_read, work.save)
        self._words = self._written = found
        answered = found.given if work.game.session.prompt_index > found.prompts else 0
        self.texts |= {slot: clean(text) for slot, text in found.texts.items() if slot != answered}

    def keep(self, texts: Mapping[int, str], given: int) -> None:
        """Keep these texts by slot; that for `given` (0: none) is being answered."""
        work = self._work
        self._words = Words(texts=dict(texts), given=given, prompts=work.game.session.prompt_index)
        idle = self._writing is None or self._writing.done()
        if idle and self._words != self._written and not (work.closed or work.save.read_only):
            self._writing = asyncio.create_task(self._write())

    async def kept(self) -> None:
        """Wait until it is written."""
        if self._writing:
            await self._writing

    async def _write(self) -> None:
        while self._words != self._written:
            words = self._written = self._words
            try:
                await self._work.run(_write, self._work.save, words)
            except OSError as error:
                if self._refused:
                    continue
                self._refused = True
                text = f"What you type here would not outlive the program: {error.strerror or error}."
                self._work.bus.publish(Notice(text=text, level="warning"))


def _read(save: Save) -> Words:
    return typed_words(save.folder / ".git").read() or Words()


def _write(save: Save, words: Words) -> None:
    note = typed_words(save.folder / ".git")
    if words.texts:
        note.write(words)
    else:
        note.drop()
