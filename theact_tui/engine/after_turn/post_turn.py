"""Work after a turn: memories, progress, chapter, summary, moments. It never fails a turn; unfinished work is in
`pending`.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from theact_tui.engine.after_turn.beats_and_moments import (
    BeatCheck,
    check_beats,
    turns_to_check,
    with_beats,
)
from theact_tui.engine.after_turn.close_chapter import close_chapter, finish_pending_texts
from theact_tui.engine.after_turn.memories import (
    MemoryOutcome,
    characters_to_remember,
    postponed,
    remember,
    waiting_work,
)
from theact_tui.engine.after_turn.write_summary import fold, fold_view
from theact_tui.engine.events import AfterStarted
from theact_tui.engine.turn_context import TurnContext, fault
from theact_tui.errors import CallError
from theact_tui.story.chapters import judge_chapter
from theact_tui.story.game import Game, Pending
from theact_tui.story.turn import Decisions, Turn
from theact_tui.text import one_line


@dataclass(frozen=True, slots=True)
class PostTurn:
    game: Game
    context: TurnContext

    async def run(self) -> Game:
        game, context = self.game, self.context
        unchecked, characters = turns_to_check(game), characters_to_remember(game)
        keys = [*(["progress"] if unchecked else []), *(f"memory:{name}" for name in characters)]
        context.bus.publish(AfterStarted(agents=tuple(keys)))
        limit = asyncio.Semaphore(max(1, context.agents.model("memory").max_parallel))
        async with asyncio.TaskGroup() as group:
            checking = group.create_task(self._progress(unchecked, limit))
            remembering = [group.create_task(self._memory(name, limit)) for name in characters]
        memories, progress = [task.result() for task in remembering], checking.result()
        failed = progress if isinstance(progress, CallError) else None
        self._warn_left(failed, memories)
        check = None if isinstance(progress, CallError) else progress
        game = self._with_results(unchecked, check, memories)
        try:
            game = await self._with_chapter_and_summary(game, check)
        except Exception as error:  # a fault of ours there must not cost what was remembered
            context.warn(fault("The work after the turn", error))
        turn = game.turns[game.state.turn]
        counted = {"calls": dict(context.tally), "notices": (*turn.notices, *context.notices)}
        return game.with_turn(turn.model_copy(update=counted))

    async def _memory(self, character: str, limit: asyncio.Semaphore) -> MemoryOutcome:
        async with limit:
            if self.context.deferred.is_set() and not waiting_work(self.game, character):
                return postponed(self.game, character)
            try:
                return await remember(self.game, character, self.context)
            except Exception as error:  # a fault of ours must not cost the others their memories
                failed = CallError("fault", fault("A memory", error))
                return replace(postponed(self.game, character), error=failed)

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

    def _with_results(
        self, checked: Sequence[Turn], check: BeatCheck | None, memories: Sequence[MemoryOutcome]
    ) -> Game:
        game, context = self.game, self.context
        pending = [item for item in game.state.pending if item.agent not in ("memory", "progress")]
        for outcome in memories:
            game = game.with_memory(outcome.character, outcome.memory)
            pending += outcome.pending
        if check:
            game = with_beats(game, checked, check, context.bus)
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
                game = await close_chapter(context, game)
        if not context.deferred.is_set():
            game = await fold(game, context)
            game = await fold_view(game, context, self.game)
        return game


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
