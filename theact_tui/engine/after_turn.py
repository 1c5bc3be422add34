"""The work after a turn was spoken: memories, progress, chapter, summary, moments. It never fails a turn.

The result is the next game, complete, ready to be committed. What could not be done is in its `pending`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from theact_tui.agents.progress import PROGRESS
from theact_tui.engine.agent_runner import TurnContext
from theact_tui.engine.chapter_end import close_chapter, finish_pending_texts, fold
from theact_tui.engine.events import AfterStarted, BeatsMarked
from theact_tui.engine.memories import MemoryOutcome, postponed, remember, waiting_work
from theact_tui.engine.moments import with_moments
from theact_tui.engine.views import progress_view
from theact_tui.errors import CallError
from theact_tui.parsing.replies import ProgressReply
from theact_tui.story.chapters import (
    MOST_NEW_BEATS,
    judge_chapter,
    mark_beats,
    shown_beats,
)
from theact_tui.story.game import Game, Pending
from theact_tui.story.transitions import with_memory, with_pending, with_turn
from theact_tui.story.turn import Decisions, Turn
from theact_tui.text import one_line


@dataclass(frozen=True, slots=True)
class PostTurn:
    """The after-turn work of one turn. `game` already holds the spoken turn."""

    game: Game
    context: TurnContext
    left: list[tuple[str, str]] = field(default_factory=list)
    """What failed and why: beats."""

    @property
    def turn(self) -> Turn:
        return self.game.turns[self.game.state.turn]

    async def run(self) -> Game:
        """Do all of it and return the next game."""
        characters, progress_turns = self._characters(), self._progress_turns()
        keys = [*(["progress"] if progress_turns else []), *(f"memory:{name}" for name in characters)]
        self.context.bus.publish(AfterStarted(agents=tuple(keys)))
        limit = asyncio.Semaphore(max(1, self.context.agents.model("memory").max_parallel))
        async with asyncio.TaskGroup() as group:
            progress = group.create_task(self._progress(progress_turns, limit))
            memories = [group.create_task(self._memory(name, limit)) for name in characters]
        return await self._apply(progress.result(), [task.result() for task in memories])

    # --- which work there is --------------------------------------------------------------------------------

    def _characters(self) -> list[str]:
        """Who has something to remember; those who lag behind go first."""
        waiting = [item.character for item in self.game.state.pending if item.agent == "memory"]
        names = dict.fromkeys([*(name for name in waiting if name), *self.turn.witnesses])
        return [name for name in names if name in self.game.pack.characters]

    def _progress_turns(self) -> tuple[Turn, ...]:
        if self.game.state.game_complete or not self.game.chapter.beats:
            return ()
        numbers = {item.turn for item in self.game.state.pending if item.agent == "progress"}
        turns = [self.game.turns[n] for n in sorted(numbers | {self.turn.number}) if n in self.game.turns]
        return tuple(turn for turn in turns if turn.chapter == self.game.state.chapter)

    # --- the calls ------------------------------------------------------------------------------------------

    async def _memory(self, character: str, limit: asyncio.Semaphore) -> MemoryOutcome:
        async with limit:
            if self.context.deferred.is_set() and not waiting_work(self.game, character):
                return postponed(self.game, character)
            return await remember(self.game, character, self.context)

    async def _progress(self, turns: Sequence[Turn], limit: asyncio.Semaphore) -> ProgressReply | None:
        """The agent's reply; None when there is none and the check stays pending."""
        if not turns:
            return None
        async with limit:
            view = progress_view(self.game, turns, self.context.take)
            try:
                reply: ProgressReply = (
                    await self.context.agents.ask(PROGRESS, view, key="progress", tally=self.context.tally)
                ).reply
            except CallError as error:
                self.left.append(("beats", error.message))
                return None
            return reply

    # --- applying, in order: memories, beats, moments, chapter, summary ---------------------------------------

    async def _apply(
        self,
        progress: ProgressReply | None,
        memories: Sequence[MemoryOutcome],
    ) -> Game:
        game = self.game
        pending = [item for item in game.state.pending if item.agent not in ("memory", "progress")]
        for outcome in memories:
            game = with_memory(game, outcome.character, outcome.memory)
            pending += outcome.pending
        self._warn_left(memories)
        checked = self._progress_turns()
        if checked and progress is None:
            pending += [Pending(agent="progress", turn=turn.number) for turn in checked]
        game = self._with_beats(game, progress)
        ruled = self.turn.ruling.moment if self.turn.ruling else None
        game = with_moments(game, [ruled] if ruled else [], self.context.bus)
        game = with_pending(game, pending)
        game = await finish_pending_texts(self.context, game)
        complete = progress.chapter_complete if progress else False
        if not game.state.game_complete:
            ends, why = judge_chapter(game.state, game.chapter, said_complete=complete, turn=self.turn.number)
            game = self._with_decisions(game, progress, why)
            if ends:
                game = await close_chapter(self.context, game)
        if not self.context.deferred.is_set():
            game = await fold(game, self.context)
        return self._with_counts(game)

    def _with_beats(self, game: Game, progress: ProgressReply | None) -> Game:
        if progress is None:
            return game
        checked = self._progress_turns()
        before = game.turns.get(checked[0].number - 1) if checked else None
        seen = [*([before] if before else []), *checked]
        text = " ".join(entry.text for turn in seen for entry in turn.told if entry.role != "system")
        shown = shown_beats(
            progress.new_beats,
            progress.quotes,
            text,
            hit=game.state.beats_hit,
            most=MOST_NEW_BEATS * max(1, len(checked)),
        )
        state, new = mark_beats(game.state, game.chapter, shown, self.turn.number)
        if not new:
            return game
        self.context.bus.publish(
            BeatsMarked(beats=new, hit=len(state.beats_hit), total=len(game.chapter.beats))
        )
        marked = self.turn.model_copy(update={"new_beats": new})
        return with_turn(replace(game, state=state), marked)

    def _with_decisions(self, game: Game, progress: ProgressReply | None, why: str) -> Game:
        """The game with what the check said kept in its turn."""
        turn = game.turns[self.turn.number]
        found = {
            "named": progress.new_beats if progress else (),
            "quotes": progress.quotes if progress else (),
            "reason": one_line(progress.reason if progress else "no answer yet", 300),
            "chapter": why,
        }
        decisions = (turn.decisions or Decisions()).model_copy(update=found)
        return with_turn(game, turn.model_copy(update={"decisions": decisions}))

    def _with_counts(self, game: Game) -> Game:
        turn = game.turns[self.turn.number]
        notices = (*turn.notices, *self.context.notices)
        return with_turn(
            game, turn.model_copy(update={"calls": dict(self.context.tally.counts), "notices": notices})
        )

    def _warn_left(self, memories: Sequence[MemoryOutcome]) -> None:
        """One notice for all that failed, with the first reason."""
        left = sorted(self.left)
        failed = [outcome for outcome in memories if outcome.reason]
        if failed:
            names = " and ".join(self.game.pack.name_of(outcome.character) for outcome in failed)
            left.append((f"the memories of {names}", failed[0].reason))
        if left:
            self.context.warn(f"Will be done next turn: {', '.join(what for what, _ in left)}. {left[0][1]}")
