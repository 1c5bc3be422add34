"""Plan a chapter in parts and write them."""

import asyncio
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from theact_tui.agents.direct import CHAPTER, pages
from theact_tui.engine.agent_runner import AgentRunner, OnText, Streamed
from theact_tui.engine.bus import Bus
from theact_tui.engine.direct.write_notes import fold_notes, notes_size
from theact_tui.engine.events import BuildStarted, ChapterToken
from theact_tui.errors import UsageError
from theact_tui.sentences import whole_sentences
from theact_tui.story.direct.log import Events, Exchange, deltas, exchanges, halves, last_words
from theact_tui.story.direct.state import DirectGame, chapter_view
from theact_tui.story.direct.views import ChapterView, Payload
from theact_tui.story.text_so_far import FULL, LEAST_REST, NOTHING_ADDED, with_rest
from theact_tui.text import clean

CHAPTER_TOKENS = 6_700
"""About 5,000 words, the longest plan."""
LEAST_TOKENS = 400
PART_TOKENS = 1_250
"""Planned tokens of a part; its reply may have 1,500."""
WORDS_PER_TOKEN = 0.75
_TAIL = 1_200
"""Characters of earlier prose in the next part's prompt."""
EXTRA_CALLS = 2
"""Extra calls for a chapter that breaks off at its end."""


@dataclass(frozen=True, slots=True)
class WritingPart:
    """Part of the log for one call; `first` and `last` (exclusive) are indexes of notes."""

    exchanges: tuple[Exchange, ...]
    first: int
    last: int


class ChapterWriter:
    def __init__(
        self, game: DirectGame, events: Events, agents: AgentRunner, bus: Bus, so_far: str = ""
    ) -> None:
        """`so_far`: beginning of the chapter that stays."""
        self._game, self._agents, self._bus = game, agents, bus
        self._exchanges = exchanges(events)
        self._payloads = tuple(block.json_payload for block in deltas(game.blocks))
        self._earlier: Payload | None = None
        self._covered = 0
        self._text = self._so_far = so_far
        self._broken_off = False

    async def write(self) -> str:
        """Return the prose. Raises `CallError`, and `UsageError` if the text so far is as long as the chapter may be."""
        room = self._room()
        allowance = min(room // 3, notes_size(self._payloads, self._agents))
        target = min(max(self._size(self._exchanges), LEAST_TOKENS), CHAPTER_TOKENS)
        parts = self._parts(room - allowance, math.ceil(target / PART_TOKENS))
        written = self._agents.model(CHAPTER.name).tokens.count(self._so_far)
        first = min(written * len(parts) // target, len(parts) - 1)
        room = CHAPTER.reply_tokens * (first + 1) - written
        if room < LEAST_REST:
            raise UsageError(FULL)
        self._bus.publish(BuildStarted(parts=len(parts)))
        words = round(target * WORDS_PER_TOKEN / len(parts), -1)
        try:
            for number, part in enumerate(parts[first:], first + 1):
                view = await self._view(part, allowance)
                view = replace(view, part=number, parts=len(parts), words=max(int(words), 80))
                is_begun = self._so_far and number == first + 1
                await (self._write_on(view, room) if is_begun else self._go_on(view))
            for _ in range(EXTRA_CALLS):
                if self._broken_off:
                    await self._go_on(replace(view, words=200))
        except asyncio.CancelledError:  # a stop keeps what came behind a text so far
            if not self._so_far or self._text == self._so_far:
                raise
        return self._text

    async def _write_on(self, view: ChapterView, room: int) -> None:
        """Go on in the middle of a part, by at most `room` tokens."""
        end = self._so_far if view.part == 1 else last_words(self._so_far, _TAIL)
        view = replace(view, so_far=last_words(self._so_far.removesuffix(end), _TAIL))
        tokens = min(room, CHAPTER.reply_tokens)
        call = await self._agents.write_on(self._agents.prepare(CHAPTER, view), end, tokens)
        streamed = Streamed(self._shown(view), self._so_far)
        try:
            answer = await self._agents.call(call, on_text=streamed)
        except asyncio.CancelledError:
            if streamed.has_grown:
                self._text = with_rest(self._so_far, streamed.came, is_cut=True)
            raise
        if not answer.reply.text.strip():
            self._bus.inform(NOTHING_ADDED)
        self._text = with_rest(self._so_far, answer.reply.text, is_cut=bool(answer.cut))
        self._broken_off = bool(answer.cut)

    def _shown(self, view: ChapterView) -> OnText:
        token = partial(ChapterToken, part=view.part, parts=view.parts)

        def on_text(shown: str, reasoning: str, replaced: bool) -> None:
            self._bus.publish(token(text=shown, reasoning=reasoning, replace=replaced))

        return on_text

    async def _go_on(self, view: ChapterView) -> None:
        view = replace(view, so_far=last_words(self._text, _TAIL))
        answer = await self._agents.ask(CHAPTER, view, on_text=self._shown(view))
        if answer.declined:
            self._bus.warn("This reads like a refusal. F10 writes another draft.")
        text = clean(answer.reply.text).strip()
        prose = whole_sentences(text) if answer.repaired else text
        prose = text if len(prose) < len(text) // 2 else prose
        self._broken_off = prose != text
        self._text = f"{self._text}\n\n{prose}".strip()

    # --- planning ------------------------------------------------------------------------------------------

    def _room(self) -> int:
        """Tokens for log and notes in a part's prompt."""
        empty = replace(chapter_view(self._game), so_far="x " * (_TAIL // 2), part=2, parts=3)
        call = self._agents.prepare(CHAPTER, empty)
        model = self._agents.model(CHAPTER.name)
        room = int(model.window * (1 - model.tokens.reserve))
        return max(room - call.reply_tokens - call.prompt.tokens - 20, 200)

    def _size(self, stretch: Sequence[Exchange]) -> int:
        count, cast = self._agents.model(CHAPTER.name).tokens.count, self._game.session
        return sum(count(pages((exchange,), cast)) + 2 for exchange in stretch)

    def _parts(self, room: int, wanted: int) -> tuple[WritingPart, ...]:
        """Divide the log into at least `wanted` parts of at most `room` tokens, at the ends of notes if possible."""
        ranges = []
        for place, block in enumerate(deltas(self._game.blocks)):
            span = range(block.from_prompt_index, block.to_prompt_index + 1)
            stretch = tuple(exchange for exchange in self._exchanges if exchange.index in span)
            ranges.append(WritingPart(stretch, place, place + 1))
        total = sum(self._size(part.exchanges) for part in ranges)
        budget = min(room, math.ceil(total / wanted * 1.15))
        parts: list[WritingPart] = []
        for part in ranges:
            if parts and self._size(parts[-1].exchanges + part.exchanges) <= budget:
                parts[-1] = WritingPart(parts[-1].exchanges + part.exchanges, parts[-1].first, part.last)
            else:
                pieces = self._split(part.exchanges, budget)
                parts += [WritingPart(piece, part.first, part.last) for piece in pieces]
        return tuple(parts) or (WritingPart((), 0, 0),)

    def _split(self, stretch: tuple[Exchange, ...], budget: int) -> list[tuple[Exchange, ...]]:
        parts = halves(stretch) if self._size(stretch) > budget else (stretch,)
        if len(parts) == 1:
            return [stretch]
        return [piece for half in parts for piece in self._split(half, budget)]

    # --- prompts -------------------------------------------------------------------------------------------

    async def _view(self, part: WritingPart, allowance: int) -> ChapterView:
        await self._fold_earlier(part.first, allowance)
        return chapter_view(
            self._game,
            part.exchanges,
            self._payloads[self._covered : part.last],
            earlier=self._earlier,
            later=self._payloads[part.last :],
        )

    async def _fold_earlier(self, before: int, allowance: int) -> None:
        folded = self._game.folded
        if folded and self._earlier is None and folded.blocks <= before:
            self._earlier, self._covered = folded.payload, folded.blocks
        waiting = [*([self._earlier] if self._earlier else []), *self._payloads[self._covered : before]]
        if len(waiting) < 2 or notes_size(waiting, self._agents) <= allowance:
            return
        if payload := await fold_notes(waiting, self._game, self._agents, self._bus):
            self._earlier, self._covered = payload, before
