"""The turns of an open save: one is told, journalled, worked on afterwards, and committed."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Literal

from theact_tui.engine.after_turn.post_turn import PostTurn
from theact_tui.engine.agent_runner import AgentRunner, CallTally
from theact_tui.engine.bus import Bus
from theact_tui.engine.cancellation import Stoppable, Stopped
from theact_tui.engine.events import Notice, TurnCancelled, TurnFailed, TurnSaved, TurnSpoken, TurnStarted
from theact_tui.engine.turn_context import TurnContext
from theact_tui.engine.turn_steps import TurnInProgress
from theact_tui.errors import CallError, SaveError, TurnError
from theact_tui.models.environment import unexpected
from theact_tui.saves.save_thread import SaveThread
from theact_tui.story.game import Game, Pending, Spoken
from theact_tui.story.steering import Steering
from theact_tui.story.turn import Turn
from theact_tui.story.viewpoints import with_spoken

_ANY_LINE = "I wait."
"""Stands for the line that is not written yet; nothing that depends on it is sent ahead."""
SCRIPT_TURNS = 200
"""Turns back to which the offline storyteller is reminded of what it told."""
Phase = Literal["idle", "narrating", "replying", "after"]


class TurnRunner:
    """The turns of one open save. `game` is the newest applied state; `phase` says what is happening now."""

    def __init__(
        self,
        game: Game,
        thread: SaveThread[Game],
        agents: AgentRunner,
        bus: Bus,
        commit: Callable[[Game], Awaitable[str]],
    ) -> None:
        """`commit` makes a finished turn part of the save, and returns the commit's id."""
        self.game = game
        self.phase: Phase = "idle"
        self._thread = thread
        self._commit_turn = commit
        self._agents = agents
        self._bus = bus
        self._work = Stoppable()
        self._after: PostTurn | None = None
        self._after_task: asyncio.Task[None] | None = None
        self._unsaved: Game | None = None
        """The game after a finished turn that could not be saved."""

    @property
    def telling(self) -> bool:
        """True while narration or replies are being told."""
        return self.phase in ("narrating", "replying")

    async def tell(
        self, game: Game, text: str, take: int, steering: Steering | None = None, *, told_by: str = ""
    ) -> Turn | None:
        """Tell a turn after `game`; returns when it is spoken, None when it was stopped.

        The save changes only when the turn was spoken. Raises `TurnError` when the narrator failed and `SaveError`
        when the spoken turn could not be kept; then nothing was changed.
        """
        telling = self._telling(game, text, take, steering, told_by)
        self.phase = "narrating"
        self._bus.turn = telling.number
        self._bus.publish(TurnStarted(text=text, kind=telling.kind, take=take))
        try:
            with self._work.begin():
                await self._perform(telling)
                spoken = await self._speak(telling)
        except Stopped:
            self._bus.publish(TurnCancelled(text=text))
            return None
        except CallError as error:
            self._bus.publish(TurnFailed(text=text, reason=error.message, kind=error.kind))
            raise TurnError(error.message) from error
        except SaveError as error:
            self._bus.publish(TurnFailed(text=text, reason=error.message))
            raise
        finally:
            self.phase = "idle"
            self._bus.turn = self.game.state.turn
        self._bus.turn = telling.number
        self._bus.publish(TurnSpoken())
        self.finish(spoken, telling.context.tally, take)
        return spoken.turn

    def _telling(
        self, game: Game, text: str, take: int, steering: Steering | None = None, told_by: str = ""
    ) -> TurnInProgress:
        """A turn that is going to be told."""
        opening = not text and game.state.turn == 0
        return TurnInProgress(
            game,
            "transition" if game.state.transition else "opening" if opening else "play",
            text,
            TurnContext(self._agents, self._bus, take=take),
            steering=steering or Steering(**dict(game.state.steering)),
            told_by=told_by or self._agents.model("narrator").name,
        )

    def warm_up(self) -> None:
        """Send ahead what is known of the prompt of the next turn, if any is."""
        model = self._agents.model("narrator")
        if not (model.warms and self.phase == "idle" and self.game.state.turn):
            return
        if prompt := self._telling(self.game, _ANY_LINE, 1).known_prompt():
            self._agents.warm_up.begin(model, prompt, self._bus.turn)

    async def stop(self) -> None:
        """During the narration the turn is cancelled, during the replies it ends with what was finished."""
        await self._work.stop()

    def defer_remaining(self) -> None:
        """Leave pending what the work after the last turn has not begun: a line waits for it."""
        if self._after:
            self._after.context.deferred.set()

    async def settle(self) -> None:
        """Wait until the last turn is saved. Raises `SaveError` when it still cannot be saved."""
        if self._after_task is not None:
            await asyncio.shield(self._after_task)
        if self._unsaved is not None:
            await self._commit(self._unsaved)

    async def abandon(self) -> None:
        """Drop the after-turn work where it stands, as a killed process does; the journal keeps the turn."""
        if self._after_task is not None:
            self._after_task.cancel()
            await asyncio.gather(self._after_task, return_exceptions=True)

    # --- telling ---------------------------------------------------------------------------------------------

    async def _perform(self, telling: TurnInProgress) -> None:
        """Tell narration and replies. Raises `Stopped` when the player stopped it before the narration was complete."""
        run, last = self._work.run, telling.game.state.turn
        if self._agents.model().provider == "storyteller":
            telling.earlier = await self._read_turns(max(1, last - SCRIPT_TURNS), last)
        await run(telling.consult_keeper())
        page = telling.written_page()
        told = None if page else await run(telling.narrate())
        self.phase = "replying"
        try:
            responding = await run(telling.settle_stage(*told)) if told else telling.tell_written(page)
        except Stopped:
            telling.leave_stage()
            return
        with suppress(Stopped):
            for character in responding:
                await run(telling.answer(character))

    async def _speak(self, telling: TurnInProgress) -> Spoken:
        """Journal the turn: from here on it survives a crash. A retry then makes the earlier telling a take; where it
        cannot, the journal follows nothing and is void."""
        save, is_take = self._thread.save, telling.context.take > 1
        spoken = Spoken(
            parent=await self._thread.run(save.base) if is_take else save.head,
            branch=save.branch,
            turn=telling.turn(self._bus.time()),
            present=telling.stage.here,
            held=telling.game.state.held,
            rolls=telling.rolls,
        )
        await self._thread.run(save.unfinished.journal, spoken)
        if is_take:
            try:
                await self._thread.run(save.begin_take)
            except (SaveError, OSError):
                await self._thread.run(self._take_back, spoken)
                raise
        self.game = telling.game
        return spoken

    def _take_back(self, spoken: Spoken) -> None:
        """Let a turn that could not follow be only a line again."""
        unfinished = self._thread.save.unfinished
        with suppress(SaveError, OSError):
            unfinished.drop_spoken()
            unfinished.keep_unsent(spoken.turn.player_text, again=True)

    # --- after the turn ----------------------------------------------------------------------------------------

    def finish(self, spoken: Spoken, tally: CallTally | None = None, take: int = 1) -> None:
        """Do the after-turn work of a spoken turn in the background, then save it."""
        game = with_spoken(self.game, spoken)
        context = TurnContext(self._agents, self._bus, tally or {}, take, self._read_turns)
        self._after = PostTurn(game, context)
        self.phase = "after"
        self._after_task = asyncio.create_task(self._finish(self._after))

    async def _read_turns(self, first: int, last: int) -> tuple[Turn, ...]:
        return await self._thread.run(self._thread.save.turns, first, last)

    async def _finish(self, after: PostTurn) -> None:
        try:
            game = await after.run()
        except Exception as error:  # a bug of ours must not cost the player the turn
            text = f"The work after the turn failed: {unexpected(error)}"
            self._bus.publish(Notice(text=text, level="error"))
            game = _all_pending(after.game)
        try:
            await self._commit(game)
        except (SaveError, OSError) as error:
            text = f"The turn could not be saved: {error} It will be saved with the next one."
            self._bus.publish(Notice(text=text, level="error"))
        finally:
            self._after_task = self._after = None
            if self.phase == "after":
                self.phase = "idle"

    async def _commit(self, game: Game) -> None:
        """Make a finished turn part of the save. Until that succeeds it is kept in `_unsaved`."""
        self._unsaved = game
        commit = await self._commit_turn(game)
        self._unsaved = None
        self.game = game
        turn, left = game.turns[game.state.turn], len(game.state.pending)
        self._bus.publish(
            TurnSaved(commit=commit, chapter=turn.chapter, new_beats=turn.new_beats, pending=left)
        )


def _all_pending(game: Game) -> Game:
    """The game with all after-turn work of its last turn still to be done."""
    turn = game.turns[game.state.turn]
    memories = [Pending(agent="memory", turn=turn.number, character=name) for name in turn.witnesses]
    progress = Pending(agent="progress", turn=turn.number)
    return game.with_state(pending=(*game.state.pending, *memories, progress))
