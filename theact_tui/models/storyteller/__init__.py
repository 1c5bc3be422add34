"""The offline storyteller (S8.6): a model without a model. It plays every agent's part from the pack's script and the
player's words, as a pure function of pack, seed and view.

`words` and `clauses` read the player's line, `choose` and `ambient` decide what is told next, `answerers` who replies;
`tell`, `speak`, `remember`, `fold` and `judge` answer as the agents; `plain` and `stock` fill what a script leaves out.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Callable, Mapping
from typing import Any

from theact_tui.errors import CallError
from theact_tui.models.port import Ask, Piece, Usage
from theact_tui.models.storyteller.book import Book
from theact_tui.models.storyteller.direct import DIRECT
from theact_tui.models.storyteller.fold import epilogue, recap, summarise
from theact_tui.models.storyteller.judge import keep, progress
from theact_tui.models.storyteller.remember import remember
from theact_tui.models.storyteller.speak import speak
from theact_tui.models.storyteller.tell import narrate
from theact_tui.prompting.tokens import Tokens
from theact_tui.story.pack import Pack

PARTS: Mapping[str, Callable[[Book, Any], str]] = {
    "narrator": narrate,
    "character": speak,
    "memory": remember,
    "progress": progress,
    "keeper": keep,
    "summary": summarise,
    "recap": recap,
    "epilogue": epilogue,
}
"""What answers for each agent: from a book and the agent's view to its raw reply."""
PACED = frozenset({"narrator", "character", "actor", "chapter"})
CHARACTERS_PER_TOKEN = 4
WORDS_PER_PIECE = 3
"""Without a pace; with one, each word is a piece."""


class Storyteller:
    """A model that tells `pack` from its script, or without a pack plays direct mode. `pace` is in words per second;
    None: as fast as it is read."""

    provider = "storyteller"
    name = "offline storyteller"
    window = 8192
    max_parallel = 4

    def __init__(self, pack: Pack | None, seed: int, pace: float | None = None) -> None:
        self.pace = pace
        self.tokens = Tokens()
        self._book = Book(pack, seed) if pack else None

    def answer(self, agent: str, view: Any) -> str:
        """The whole raw reply of an agent. CallError for an agent it cannot play."""
        if view is not None and agent in DIRECT:
            return DIRECT[agent](view)
        part = PARTS.get(agent)
        if part is None or view is None or self._book is None:
            raise CallError("unknown", f"The offline storyteller has no part for the agent '{agent}'.")
        return part(self._book, view)

    async def stream(self, ask: Ask) -> AsyncGenerator[Piece, None]:
        """The reply piece by piece. Only prose that a player reads is paced. CallError as `answer`."""
        text = self.answer(ask.agent, ask.view)
        pause = 1 / self.pace if self.pace and ask.agent in PACED else 0.0
        for piece, told in _pieces(text, 1 if pause else WORDS_PER_PIECE):
            if pause and told:
                await asyncio.sleep(pause)
            yield Piece(text=piece)
        spent = Usage(prompt=ask.prompt.tokens, completion=max(1, len(text) // CHARACTERS_PER_TOKEN))
        yield Piece(finish="stop", usage=spent)


def _pieces(text: str, words: int) -> list[tuple[str, bool]]:
    """`text` cut after every few words, all white space kept; True marks the pieces that are prose."""
    head, body, tail = "", text, ""
    if block := re.match(r"(```yaml\nnarration: \|\n)(.*)(\nresponding_characters: .*)", text, re.S):
        head, body, tail = block[1], block[2], block[3]
    prose = re.findall(rf"(?:\s*\S+){{1,{words}}}\s*?", body)
    return [
        (piece, told) for piece, told in ((head, False), *((p, True) for p in prose), (tail, False)) if piece
    ]
