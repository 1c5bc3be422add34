"""The offline storyteller: a model without a model. It plays every agent's part from the pack's script and the player's
words, as a pure function of pack, seed and view.

`player_input` reads the player's line, `choose_scene` decides what is told next, `who_answers` who speaks then; `narrate`,
`respond`, `remember` and `record_keepers` answer as the agents, in direct mode `direct`; `stock` fills what a script
leaves out.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Callable
from functools import lru_cache
from math import ceil
from typing import Any

from theact_tui.errors import CallError
from theact_tui.models.base import STORYTELLER, Piece, Request, Usage
from theact_tui.prompting.sections import Prompt
from theact_tui.prompting.tokens import Tokens
from theact_tui.story.direct.views import ActorView, ChapterView, DeltaView, FoldView, LockView
from theact_tui.story.pack import Pack
from theact_tui.story.views import (
    EpilogueView,
    KeeperView,
    MemoryView,
    MergeView,
    MomentsView,
    NarratorView,
    ProgressView,
    RecapView,
    ReflectionView,
    StageView,
    SuggestionView,
    SummaryView,
    Viewpoint,
)
from theact_tui.storyteller.book import ScriptBook
from theact_tui.storyteller.direct import act, fold, lock, note, write
from theact_tui.storyteller.narrate import narrate, set_stage
from theact_tui.storyteller.record_keepers import epilogue, find_moments, keep, progress, recap, summarise
from theact_tui.storyteller.remember import merge, remember
from theact_tui.storyteller.respond import speak
from theact_tui.storyteller.suggestions import suggest
from theact_tui.text import estimate_tokens

PACED = frozenset({"narrator", "character", "actor"})
WORDS_PER_PIECE = 12
"""Without a pace; with one, each word is a piece."""


class Storyteller:
    """A model that tells `pack` from its script, or without a pack plays direct mode. `pace` is in words per second;
    None: as fast as it is read."""

    provider = STORYTELLER
    name = "offline storyteller"
    local = True
    window = 8192
    max_parallel = 4
    warms = False

    def __init__(self, pack: Pack | None, seed: int, pace: float | None = None) -> None:
        self.pace = pace
        self.tokens = Tokens()
        self._seed = seed
        self._book = lru_cache(maxsize=4)(lambda player: ScriptBook(pack, seed, player) if pack else None)

    def for_pack(self, pack: Pack) -> Storyteller:
        """The same storyteller with another pack."""
        return Storyteller(pack, self._seed, self.pace)

    def answer(self, agent: str, view: Any) -> str:
        """The whole raw reply of an agent. CallError for an agent it cannot play."""
        if directed := _DIRECT.get(type(view)):
            return directed(view)
        played = _PLAY.get(type(view))
        if played and (book := self._book(view.story.player.name)):
            return played(book, view)
        raise CallError("unknown", f"The offline storyteller has no part for the agent '{agent}'.")

    async def warm_up(self, prompt: Prompt) -> AsyncGenerator[Piece, None]:
        """Nothing: a script has nothing to read."""
        return
        yield

    def stop_warming(self) -> None:
        """Nothing is sent ahead to it."""

    async def stream(self, ask: Request) -> AsyncGenerator[Piece, None]:
        """The reply piece by piece. Only what is played is paced. CallError as `answer`."""
        text = self.answer(ask.agent, ask.view)
        pause = 1 / self.pace if self.pace and ask.agent in PACED else 0.0
        for piece in _pieces(text, 1 if pause else WORDS_PER_PIECE):
            if pause:
                await asyncio.sleep(pause)
            yield Piece(text=piece)
        spent = Usage(prompt=ask.prompt.tokens, completion=ceil(estimate_tokens(text)))
        yield Piece(finish="stop", usage=spent)


_PLAY: dict[type, Callable[[ScriptBook, Any], str]] = {
    NarratorView: narrate,
    StageView: set_stage,
    Viewpoint: speak,
    MemoryView: remember,
    MergeView: merge,
    # scripted people stay as their cards have them
    ReflectionView: lambda book, view: "want:\nhide:\nbeliefs: []",
    ProgressView: progress,
    KeeperView: keep,
    MomentsView: find_moments,
    SummaryView: summarise,
    RecapView: recap,
    EpilogueView: epilogue,
    SuggestionView: suggest,
}
_DIRECT: dict[type, Callable[[Any], str]] = {
    LockView: lock,
    ActorView: act,
    DeltaView: note,
    FoldView: fold,
    ChapterView: write,
}


def _pieces(text: str, words: int) -> list[str]:
    """`text` cut after every few words, all white space kept."""
    return re.findall(rf"(?:\s*\S+){{1,{words}}}\s*?", text)
