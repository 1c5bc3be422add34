"""Turns of an open save: told, journalled, worked on afterwards, committed."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

from theact_tui.engine.after_turn.post_turn import PostTurn
from theact_tui.engine.agent_runner import AgentRunner
from theact_tui.engine.bus import Bus
from theact_tui.engine.cancellation import Stoppable, Stopped
from theact_tui.engine.events import Notice, TurnCancelled, TurnFailed, TurnSaved, TurnSpoken, TurnStarted
from theact_tui.engine.turn_context import TurnContext, fault
from theact_tui.engine.turn_steps import TurnInProgress
from theact_tui.errors import CallError, SaveError, TurnError
from theact_tui.saves.save_thread import SaveThread
from theact_tui.story.character_view import apply_turn, is_for_memory, with_added_replies
from theact_tui.story.game import Game, Pending, Spoken
from theact_tui.story.steering import Steering
from theact_tui.story.turn import Turn

_ANY_LINE = "I wait."
"""Stands for the unwritten line; nothing that depends on it is sent ahead."""
SCRIPT_TURNS = 200
"""Turns that the offline storyteller may look back."""
Phase = Literal["idle", "narrating", "replying", "after"]


@dataclass(slots=True)
class StoryState:
    """Game of an open story and its agents, shared by session and turns: saved, then told, then worked on."""

    game: Game
    """As saved, with changes that wait."""
    agents: AgentRunner
    told: Game | None = None
    """With a turn that is not saved yet; work after the turn adds to it."""

    @property
    def newest(self) -> Game:
        return self.told or self.game

    def move_to(self, game: Game, told: Game | None = None) -> None:
        self.game, self.told, self.agents = game.trimmed(), told, self.agents.for_pack(game.pack)


class TurnRunner:
    def __init__(
        self, state: StoryState, thread: SaveThread[Game], bus: Bus, commit: Callable[[Game], Awaitable[str]]
    ) -> None:
        self.phase: Phase = "idle"
        self._state = state
        self._thread = thread
        self._commit_turn = commit
        self._bus = bus
        self._work = Stoppable()
        self._after: PostTurn | None = None
        self._after_task: asyncio.Task[None] | None = None

    @property
    def is_telling(self) -> bool:
        """True during narration and replies."""
        return self.phase in ("narrating", "replying")

    async def run_turn(self, telling: TurnInProgress, reply: str = "") -> Turn | None:
        """Tell a turn; return when it is spoken, None if stopped. `reply`: the character whose reply alone is retried.

        Raises, changing nothing: `TurnError` if not told, `SaveError` if not journalled.
        """
        text = telling.text
        self.phase = "narrating"
        self._bus.turn = telling.number
        try:
            self._bus.publish(TurnStarted(text=text, kind=telling.kind, take=telling.context.take))
            with self._work.begin():
                await (self._perform_reply(telling, reply) if reply else self._perform(telling))
                game_after = await self._speak(telling)
        except Stopped:
            self._bus.publish(TurnCancelled(text=text))
            return None
        except CallError as error:
            self._bus.publish(TurnFailed(text=text, reason=error.message, kind=error.kind))
            raise TurnError(error.message) from error
        except SaveError as error:
            await self._thread.run(self._take_back, telling)
            self._bus.publish(TurnFailed(text=text, reason=error.message))
            raise
        except Exception as error:  # a fault of ours gives the line back too
            await self._thread.run(self._take_back, telling)
            reason = fault("The turn", error)
            self._bus.publish(TurnFailed(text=text, reason=reason))
            raise TurnError(reason) from error
        finally:
            self.phase = "idle"
            self._bus.turn = self._state.game.state.turn
        self._bus.turn = telling.number
        self._bus.publish(TurnSpoken())
        self.finish(game_after, telling.context)
        return game_after.last_turn

    @property
    def last_turn(self) -> Turn | None:
        return self._state.newest.last_turn

    def new_turn(
        self,
        game: Game,
        text: str,
        *,
        take: int = 1,
        base: str = "",
        steering: Steering | None = None,
        agents: AgentRunner | None = None,
        so_far: str = "",
    ) -> TurnInProgress:
        """Begin the turn after `game`, for a further take that of the commit `base`. `agents` default to the story's.

        `so_far`: beginning of the last page, or of the reply that is retried, that stays.
        """
        opening = game.state.turn == 0
        agents = (agents or self._state.agents).for_pack(game.pack)
        replaced = self._state.game.memories if base else {}
        return TurnInProgress(
            game,
            "transition" if game.state.transition else "opening" if opening else "play",
            text,
            TurnContext(agents, self._bus, take=take, base=base, replaced=replaced),
            steering=steering or Steering(**dict(game.state.steering)),
            model_label=agents.label,
            so_far=so_far,
        )

    def warm_up(self) -> None:
        game, agents = self._state.game, self._state.agents
        model = agents.model("narrator")
        if not (model.warms and self.phase == "idle" and game.state.turn):
            return
        if prompt := self.new_turn(game, _ANY_LINE).early_prompt():
            agents.warm_up.begin(model, prompt, self._bus.turn)

    async def ask_stage(self, game: Game, turn: Turn) -> Game | None:
        """Ask again who perceived a turn; None if it failed or was stopped."""
        telling = self.new_turn(game, "")
        with suppress(Stopped), self._work.begin():
            return telling.game if await self._work.run(telling.resolve_pending([turn])) else None
        return None

    async def stop(self) -> None:
        """Cancel the turn during the narration; end it early during the replies."""
        await self._work.stop()

    def defer_remaining(self) -> None:
        """Leave after-turn work that has not begun pending: a line waits."""
        if self._after:
            self._after.context.deferred.set()

    async def cut_short(self, patience: float = 0.0) -> None:
        """Give after-turn work `patience` seconds; leave the rest pending."""
        if self._after is None or self._after_task is None:
            return
        self.defer_remaining()
        work = self._after.context.work
        await asyncio.wait([self._after_task], timeout=patience)
        await work.stop()

    async def settle(self) -> None:
        """Wait until the last turn is saved. Raises `SaveError` if it still cannot be."""
        if self._after_task is not None:
            await asyncio.shield(self._after_task)
        if self._state.told is not None:
            await self._commit(self._state.told)

    # --- telling ---------------------------------------------------------------------------------------------

    async def _perform(self, telling: TurnInProgress) -> None:
        """Tell narration and replies. Raises `Stopped` before the narration is complete."""
        run = self._work.run
        await self._prepare(telling)
        if telling.so_far:
            telling.keep_dice(self._last_take)
        else:
            await run(telling.consult_keeper())
        page = telling.written_page()
        try:
            page_call = None if page else await run(telling.narrate())
        except Stopped:
            if not telling.has_grown:
                raise
            telling.leave_stage()
            return
        self.phase = "replying"
        try:
            responding = (
                await run(telling.resolve_presence(*page_call))
                if page_call
                else telling.publish_written(page)
            )
        except Stopped:
            telling.leave_stage()
            return
        with suppress(Stopped):
            for character in responding:
                if telling.context.agents.person(f"character:{character}"):
                    await self._journal(telling)
                await run(telling.answer(character))

    async def _perform_reply(self, telling: TurnInProgress, character: str) -> None:
        await self._prepare(telling)
        self.phase = "replying"
        try:
            await self._work.run(telling.retry_reply(self._last_take, character))
        except Stopped:
            if not telling.has_grown:
                raise

    @property
    def _last_take(self) -> Turn:
        if (take := self._state.game.last_turn) is None:
            raise SaveError("There is no turn to retry yet.")
        return take

    async def add_replies(self, telling: TurnInProgress, turn: Turn) -> Game:
        """Let those answer a told turn who heard it, and return the game with what they said until a stop."""
        telling.keep_told(turn)
        self.phase, self._bus.turn = "replying", turn.number
        try:
            with suppress(Stopped), self._work.begin():
                for character in telling.answering(turn):
                    await self._work.run(telling.answer(character))
        finally:
            self.phase = "idle"
        if not telling.replies:
            return self._state.game
        return with_added_replies(self._state.game, turn, telling.replies, telling.perception)

    async def _prepare(self, telling: TurnInProgress) -> None:
        last = telling.game.state.turn
        if telling.context.agents.is_scripted():
            telling.earlier = await self._read_turns(max(1, last - SCRIPT_TURNS), last)
        await self._work.run(telling.resolve_pending())

    async def _speak(self, telling: TurnInProgress) -> Game:
        """Journal the turn, and return the game after it."""
        game = await self._journal(telling)
        self._state.move_to(telling.game, game)
        return game

    async def _journal(self, telling: TurnInProgress) -> Game:
        """Keep a turn as far as it is told: it survives a crash from here on. Return the game after it.

        A retry turns the earlier telling into a take; if that fails, the turn was not spoken.
        """
        save, base = self._thread.save, telling.context.base
        spoken = Spoken(
            parent=base or save.head,
            branch=save.branch,
            turn=telling.turn(self._bus.time()),
            present=telling.present_after,
            held=telling.game.state.held,
            rolls=telling.rolls,
        )
        game = apply_turn(telling.game, spoken)
        is_first, telling.is_journalled = not telling.is_journalled, True
        await self._thread.run(save.unfinished.journal, spoken)
        if is_first and base:
            await self._thread.run(save.begin_take, base)
        return game

    def _take_back(self, telling: TurnInProgress) -> None:
        """If the turn was journalled, let it be untold; the take that it left is current again."""
        save = self._thread.save
        if not telling.is_journalled:
            return
        with suppress(SaveError, OSError):
            save.unfinished.drop_spoken()
            if telling.context.base:
                save.select_take(None)

    # --- after the turn ----------------------------------------------------------------------------------------

    def finish(self, game: Game, turn_context: TurnContext | None = None) -> None:
        """Do the after-turn work of the told `game`'s last turn in the background, then save it. `turn_context`: the
        turn's own, if this session told it.
        """
        turn_context = turn_context or TurnContext(self._state.agents, self._bus)
        context = TurnContext(
            turn_context.agents,
            self._bus,
            turn_context.tally,
            turn_context.take,
            replaced=turn_context.replaced,
            read_turns=self._read_turns,
        )
        self._after = PostTurn(game, context)
        self.phase = "after"
        self._after_task = asyncio.create_task(self._finish(self._after))

    async def _read_turns(self, first: int, last: int) -> tuple[Turn, ...]:
        return await self._thread.run(self._thread.save.turns, first, last)

    async def _finish(self, after: PostTurn) -> None:
        try:
            with after.context.work.begin():
                game = await after.run()
        except Exception as error:  # a fault of ours must not cost the player the turn
            self._bus.publish(Notice(text=fault("The work after the turn", error), level="error"))
            game = _all_pending(after.game)
        try:
            await self._commit(game)
        except SaveError as error:  # the journal keeps the turn
            notice = "It is kept, and saved with the next turn or when you open the story again."
            text = f"The turn could not be saved: {error} {notice}"
            self._bus.publish(Notice(text=text, level="error"))
        finally:
            self._after_task = self._after = None
            if self.phase == "after":
                self.phase = "idle"

    async def _commit(self, game: Game) -> None:
        """Save a finished turn. Raises `SaveError`; the turn stays told."""
        self._state.told = game
        try:
            commit = await self._commit_turn(game)
        except SaveError:
            raise
        except Exception as error:  # else the player would read on and believe the turn saved
            raise SaveError(fault("Saving the turn", error)) from error
        self._state.move_to(game)
        turn, left = game.turns[game.state.turn], len(game.state.pending)
        self._bus.publish(
            TurnSaved(commit=commit, chapter=turn.chapter, new_beats=turn.new_beats, pending=left)
        )


def _all_pending(game: Game) -> Game:
    turn = game.turns[game.state.turn]
    remembering = (name for name in turn.witnesses if is_for_memory(turn, name))
    memories = [Pending(agent="memory", turn=turn.number, character=name) for name in remembering]
    progress = Pending(agent="progress", turn=turn.number)
    return game.with_state(pending=(*game.state.pending, *memories, progress))
