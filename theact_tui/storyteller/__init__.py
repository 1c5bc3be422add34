"""Offline storyteller: a pure function of pack, seed and view."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Callable
from functools import lru_cache
from math import ceil
from typing import Any

from theact_tui.errors import CallError
from theact_tui.models.model import STORYTELLER, Piece, Request, Usage
from theact_tui.prompting.sections import Prompt
from theact_tui.prompting.tokens import Tokens
from theact_tui.story.direct.views import ActorView, ChapterView, DeltaView, FoldView, LockView
from theact_tui.story.pack import Pack
from theact_tui.story.views import (
    EpilogueView,
    FinishedView,
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
from theact_tui.storyteller.direct import act, chapter_reply, fold_reply, lock_reply, note
from theact_tui.storyteller.narrate import narrate, set_stage
from theact_tui.storyteller.record_keepers import (
    epilogue,
    keep,
    moments_reply,
    progress_reply,
    recap,
    summarise,
)
from theact_tui.storyteller.remember import memory_reply, merge
from theact_tui.storyteller.respond import speak
from theact_tui.storyteller.suggestions import suggest
from theact_tui.text import estimate_tokens

PACED = frozenset({"narrator", "character", "actor"})
WORDS_PER_PIECE = 12
"""Without a pace; with one, each word is a piece."""


class Storyteller:
    """Tells `pack` from its script; without a pack plays direct mode. `pace`: words per second, None for no delay."""

    provider = STORYTELLER
    name = "offline storyteller"
    local = True
    window = 8192
    reply_tokens = 0
    max_parallel = 4
    keeps_prompts = False
    warms = False
    habits: frozenset[str] | None = frozenset()

    def seconds_for(self, prompt_tokens: int, reply_tokens: int) -> float:
        return 0.0

    def __init__(self, pack: Pack | None, seed: int, pace: float | None = None) -> None:
        self.pace = pace
        self.tokens = Tokens()
        self._seed = seed
        self._book = lru_cache(maxsize=4)(lambda player: ScriptBook(pack, seed, player) if pack else None)

    def for_pack(self, pack: Pack) -> Storyteller:
        return Storyteller(pack, self._seed, self.pace)

    def answer(self, agent: str, view: Any) -> str:
        """Return an agent's raw reply. Raises CallError for an unknown agent."""
        if directed := _DIRECT.get(type(view)):
            return directed(view)
        played = _PLAY.get(type(view))
        if played and (book := self._book(view.story.player.name)):
            return played(book, view)
        raise CallError("unknown", f"The offline storyteller has no part for the agent '{agent}'.")

    async def warm_up(self, prompt: Prompt) -> AsyncGenerator[Piece, None]:
        return
        yield

    def stop_warming(self) -> None: ...

    async def continues(self) -> bool:
        return False

    async def stream(self, ask: Request) -> AsyncGenerator[Piece, None]:
        """Yield the reply; only prose is paced. Raises CallError."""
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
    MemoryView: memory_reply,
    MergeView: merge,
    # scripted people stay as their cards have them
    ReflectionView: lambda book, view: "want:\nhide:\nbeliefs: []",
    ProgressView: progress_reply,
    FinishedView: lambda book, view: '{"finished": true}',  # it quotes only what it told
    KeeperView: keep,
    MomentsView: moments_reply,
    SummaryView: summarise,
    RecapView: recap,
    EpilogueView: epilogue,
    SuggestionView: suggest,
}
_DIRECT: dict[type, Callable[[Any], str]] = {
    LockView: lock_reply,
    ActorView: act,
    DeltaView: note,
    FoldView: fold_reply,
    ChapterView: chapter_reply,
}


def _pieces(text: str, words: int) -> list[str]:
    return re.findall(rf"(?:\s*\S+){{1,{words}}}\s*?", text)
