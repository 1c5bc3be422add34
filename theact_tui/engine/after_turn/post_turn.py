"""Work after a turn: memories, progress, chapter, summary, moments. It never fails a turn; unfinished work is in
`pending`.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from theact_tui.engine.after_turn.beats_and_moments import (
    BeatCheck,
    check_beats,
    find_moments,
    turns_to_check,
    with_beats,
)
from theact_tui.engine.after_turn.close_chapter import close_chapter, finish_pending_texts
from theact_tui.engine.after_turn.memories import (
    MemoryOutcome,
    all_work,
    characters_to_remember,
    postponed,
    remember,
    settled_work,
)
from theact_tui.engine.after_turn.write_summary import fold, fold_view
from theact_tui.engine.events import AfterStarted
from theact_tui.engine.turn_context import TurnContext, fault
from theact_tui.errors import CallError
from theact_tui.story.chapters import judge_chapter
from theact_tui.story.game import Game, Pending
from theact_tui.story.memory import keep_pins
from theact_tui.story.turn import Decisions, Turn
from theact_tui.text import one_line

TURNS_OF_A_CALL = 2
"""Turns that one call about facts looks at, where nothing asks for it earlier."""
TURNS_BETWEEN_MOMENTS = 6


@dataclass(frozen=True, slots=True)
class PostTurn:
    game: Game
    context: TurnContext

    async def run(self) -> Game:
        game, context = self.game, self.context
        unchecked, characters = turns_to_check(game), characters_to_remember(game)
        later = [name for name in characters if self._can_wait(name)]
        now = [name for name in characters if name not in later]
        keys = [*(["progress"] if unchecked else []), *(f"memory:{name}" for name in now)]
        context.bus.publish(AfterStarted(agents=tuple(keys)))
        limit = asyncio.Semaphore(max(1, context.agents.model("memory").max_parallel))
        async with asyncio.TaskGroup() as group:
            checking = group.create_task(self._progress(unchecked, limit))
            remembering = [group.create_task(self._memory(game, name, limit)) for name in now]
        memories, progress = [task.result() for task in remembering], checking.result()
        failed = progress if isinstance(progress, CallError) else None
        self._warn_left(failed, memories)
        check = None if isinstance(progress, CallError) else progress
        game = self._with_check(_with_memories(game, memories), unchecked, check)
        game = _with_memories(game, [postponed(game, name) for name in later])
        try:
            if game.turns[game.state.turn].new_beats or (check and check.confessed):
                game = await self._remember_waiting(game)
            game = await self._with_chapter_and_summary(game, check)
        except Exception as error:  # a fault of ours there must not cost what was remembered
            context.warn(fault("The work after the turn", error))
        turn = game.turns[game.state.turn]
        for id, memory in context.replaced.items():
            game = game.with_memory(id, keep_pins(game.memory_of(id), memory, turn.number))
        counted = {"calls": dict(context.tally), "notices": (*turn.notices, *context.notices)}
        return game.with_turn(turn.model_copy(update=counted))

    def _is_scripted(self, character: str) -> bool:
        return self.context.agents.is_scripted(f"memory:{character}")

    def _work(self, game: Game, character: str) -> tuple[Pending, ...]:
        """Return the memory work that can be done now. A scripted reply keeps nothing from anybody."""
        return (all_work if self._is_scripted(character) else settled_work)(game, character)

    def _can_wait(self, character: str) -> bool:
        """True if nothing can be done now, or facts may be asked for together with those of the next turn."""
        if self._is_scripted(character):
            return False
        work = settled_work(self.game, character)
        is_new = all(item.turn >= self.game.state.turn - 1 for item in work)
        is_for_one_call = self.game.pack.game.memory == "facts" and len(work) < TURNS_OF_A_CALL
        return not work or (is_new and is_for_one_call)

    async def _remember_waiting(self, game: Game) -> Game:
        """Ask at once for the memories that could have waited for the next turn."""
        limit = asyncio.Semaphore(max(1, self.context.agents.model("memory").max_parallel))
        waiting = {item.character for item in game.state.pending if item.agent == "memory"}
        names = [name for name in game.pack.characters if name in waiting]
        memories = await asyncio.gather(*(self._memory(game, name, limit) for name in names))
        self._warn_left(None, memories)
        return _with_memories(game, memories)

    async def _memory(self, game: Game, character: str, limit: asyncio.Semaphore) -> MemoryOutcome:
        async with limit:
            work, kept = self._work(game, character), postponed(game, character)
            most = TURNS_OF_A_CALL if game.pack.game.memory == "facts" else 1
            if not work or (self.context.deferred.is_set() and len(work) <= most):
                return kept
            try:
                done = await remember(game, character, work, self.context)
                left = (*done.pending, *(item for item in kept.pending if item not in work))
                return replace(done, pending=left)
            except Exception as error:  # a fault of ours must not cost the others their memories
                failed = CallError("fault", fault("A memory", error))
                return replace(postponed(game, character), error=failed)

    async def _progress(self, turns: Sequence[Turn], limit: asyncio.Semaphore) -> BeatCheck | CallError:
        if not turns:
            return BeatCheck()
        async with limit:
            try:
                return await check_beats(self.context, self.game, turns)
            except CallError as error:
                return error
            except Exception as error:
                return CallError("fault", fault("The look for beats", error))

    def _warn_left(self, progress: CallError | None, memories: Sequence[MemoryOutcome]) -> None:
        left = {"beats": progress.message} if progress else {}
        failed = {outcome.character: outcome.error for outcome in memories if outcome.error}
        if failed:
            names = " and ".join(map(self.game.pack.name_of, failed))
            left[f"the memories of {names}"] = next(iter(failed.values())).message
        if left:
            reason = next(iter(left.values()))
            self.context.warn(f"Will be done next turn: {', '.join(left)}. {reason}")

    def _with_check(self, game: Game, checked: Sequence[Turn], check: BeatCheck | None) -> Game:
        pending = [item for item in game.state.pending if item.agent != "progress"]
        if check:
            game = with_beats(game, check, self.context.bus)
        else:
            pending += [Pending(agent="progress", turn=turn.number) for turn in checked]
        return game.with_state(pending=tuple(pending))

    async def _with_chapter_and_summary(self, game: Game, check: BeatCheck | None) -> Game:
        context, number = self.context, game.state.turn
        game = await finish_pending_texts(context, game)
        if not game.state.game_complete:
            complete = bool(check and check.is_complete)
            game = game.with_state(completion_said=game.state.completion_said + complete)
            ends, why = judge_chapter(game.state, game.pack, is_called_complete=complete, turn=number)
            game = _with_decisions(game, check, why)
            if ends:
                game = await self._remember_waiting(game)
                game = await close_chapter(context, game)
        if not context.deferred.is_set():
            if number - (game.state.moments_through or 0) >= TURNS_BETWEEN_MOMENTS:
                game = await find_moments(game, number, context)
            game = await fold(game, context)
            game = await fold_view(game, context, self.game)
        return game


def _with_memories(game: Game, memories: Sequence[MemoryOutcome]) -> Game:
    waiting = {*game.pack.characters} - {outcome.character for outcome in memories}
    pending = [item for item in game.state.pending if item.agent != "memory" or item.character in waiting]
    for outcome in memories:
        game = game.with_memory(outcome.character, outcome.memory)
        pending += outcome.pending
    return game.with_state(pending=tuple(pending))


def _with_decisions(game: Game, check: BeatCheck | None, why: str) -> Game:
    turn = game.turns[game.state.turn]
    reason = "no answer yet"
    if check:
        parts = [f"“{beat}” was told" for beat in turn.new_beats] or ["no new beat"]
        parts += [f"“{beat}” has begun" for beat in check.begun]
        parts += [f"{game.pack.name_of(id)} told a secret" for id in check.confessed]
        reason = "; ".join(parts)
    stored = {
        "named": tuple(claim.beat for claim in check.claims) if check else (),
        "quotes": tuple(claim.quote for claim in check.claims) if check else (),
        "reason": f"{one_line(reason, 300)}.",
        "chapter": why,
    }
    decisions = (turn.decisions or Decisions()).model_copy(update=stored)
    return game.with_turn(turn.model_copy(update={"decisions": decisions}))
