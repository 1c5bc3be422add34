"""Performing turns on a save (S3): told one at a time, stoppable, journalled when spoken, finished in the background."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, Literal, TypeVar

from theact_tui.agents.narrator import NARRATOR
from theact_tui.engine.after import After
from theact_tui.engine.bus import Bus
from theact_tui.engine.desk import Desk, Tally
from theact_tui.engine.events import (
    Notice,
    TurnCancelled,
    TurnFailed,
    TurnSaved,
    TurnSpoken,
    TurnStarted,
)
from theact_tui.engine.folding import fold, turn_size, view_room
from theact_tui.engine.looks import narrator_view
from theact_tui.engine.means import Means
from theact_tui.engine.storage import Storage
from theact_tui.engine.telling import Telling, answer, consult_keeper, narrate
from theact_tui.errors import CallError, SaveError, TurnError
from theact_tui.story.changes import with_pending, with_spoken
from theact_tui.story.game import Game, Pending
from theact_tui.story.spoken import Spoken
from theact_tui.story.turn import Entry, Turn

T = TypeVar("T")
Phase = Literal["idle", "narrating", "replying", "after"]


class _Stopped(Exception):
    """The player stopped the turn."""


class Performance:
    """The turns of one open save. `game` is the newest applied state; `phase` says what is happening now."""

    def __init__(self, game: Game, storage: Storage, desk: Desk, bus: Bus) -> None:
        self.game = game
        self.phase: Phase = "idle"
        self._storage = storage
        self._desk = desk
        self._bus = bus
        self._step: asyncio.Future[Any] | None = None
        self._stopping = False
        self._after: After | None = None
        self._after_task: asyncio.Task[None] | None = None
        self._unsaved: Game | None = None
        """The game after a finished turn that could not be saved."""
        self._quiet = asyncio.Event()
        """Set while no turn is being told."""
        self._quiet.set()

    @property
    def telling(self) -> bool:
        """True while narration or replies are being told."""
        return self.phase in ("narrating", "replying")

    async def tell(self, game: Game, text: str, take: int) -> Turn | None:
        """Tell a turn after `game`; returns when it is spoken, None when it was stopped.

        The save changes only when the turn was spoken. Raises `TurnError` when the narrator failed and `SaveError`
        when the spoken turn could not be kept; then nothing was changed.
        """
        kind = "transition" if game.state.transition else "play" if text else "opening"
        telling = Telling(game=game, kind=kind, text=text, take=take)
        self._stopping, self.phase = False, "narrating"
        self._quiet.clear()
        self._bus.turn = telling.number
        self._bus.publish(TurnStarted(text=text, kind=kind, take=take))
        try:
            await self._perform(telling)
            spoken = await self._speak(telling)
        except _Stopped:
            self._bus.publish(TurnCancelled(text=text))
            return None
        except CallError as error:
            self._bus.publish(TurnFailed(text=text, reason=error.message))
            raise TurnError(error.message) from error
        except SaveError as error:
            self._bus.publish(TurnFailed(text=text, reason=error.message))
            raise
        finally:
            self.phase = "idle"
            self._quiet.set()
            self._bus.turn = self.game.state.turn
        self._bus.turn = telling.number
        self._bus.publish(TurnSpoken())
        self.finish(spoken, telling.tally, take)
        return spoken.turn

    async def stop(self) -> None:
        """During the narration the turn is cancelled, during the replies it ends with what was finished."""
        if self.telling:
            self._stopping = True
            if self._step is not None:
                self._step.cancel()
            await self._quiet.wait()

    def hurry(self) -> None:
        """Leave the work of the last turn that has not begun pending: a line waits for it."""
        if self._after:
            self._after.means.hurry.set()

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

    # --- telling -----------------------------------------------------------------------------------------------

    async def _perform(self, telling: Telling) -> None:
        """Tell narration and replies. Raises `_Stopped` when the player stopped it before the narration was complete."""
        await self._stoppable(consult_keeper(telling, self._desk, self._bus))
        telling.game = await self._stoppable(self._fitting(telling))
        responding = await self._stoppable(narrate(telling, self._desk, self._bus))
        self.phase = "replying"
        try:
            for character in responding:
                await self._stoppable(answer(telling, character, self._desk, self._bus))
        except _Stopped:
            return

    async def _stoppable(self, step: Coroutine[None, None, T]) -> T:
        """Run a step that `stop` may cancel, which raises `_Stopped`."""
        if self._stopping:
            step.close()
            raise _Stopped
        task = asyncio.create_task(step)
        self._step = task
        try:
            return await task
        except asyncio.CancelledError:
            if self._stopping:
                raise _Stopped from None
            raise

    async def _fitting(self, telling: Telling) -> Game:
        """The game, folded first when the narrator's prompt would not hold all verbatim turns."""
        view = narrator_view(telling.game, telling.kind, telling.text, telling.ruling, telling.take)
        prompt, _ = self._desk.prompt(NARRATOR, view)
        if all(section.kept == "whole" for section in prompt.sections):
            return telling.game
        held = sum(s.tokens for s in prompt.sections if s.priority == "turn" and s.kept != "dropped")
        return await fold(telling.game, self._desk, self._bus, telling.tally, held=held)

    async def _speak(self, telling: Telling) -> Spoken:
        """Journal the turn: from here on it survives a crash. A retry makes its earlier telling a take first."""
        save = self._storage.save
        if telling.take > 1:
            await self._storage.run(save.retake)
        spoken = Spoken(
            parent=save.head,
            branch=save.branch,
            turn=_turn_of(telling, self._bus.time()),
            present=telling.present,
            held=telling.game.state.held,
            rolls=telling.rolls,
        )
        await self._storage.run(save.journal, spoken)
        self.game = telling.game
        return spoken

    # --- after the turn ----------------------------------------------------------------------------------------

    def finish(self, spoken: Spoken, tally: Tally, take: int = 1) -> None:
        """Do the after-turn work of a spoken turn in the background, then save it."""
        game = with_spoken(self.game, spoken, turn_size(self.game, self._desk), view_room(self._desk))
        self._after = After(game, Means(self._desk, self._bus, self._read_turns, tally, take))
        self.phase = "after"
        self._after_task = asyncio.create_task(self._finish(self._after))

    async def _read_turns(self, first: int, last: int) -> tuple[Turn, ...]:
        return await self._storage.run(self._storage.save.turns, first, last)

    async def _finish(self, after: After) -> None:
        try:
            game = await after.run()
        except Exception as error:  # a bug of ours must not cost the player the turn
            self._bus.publish(Notice(text=f"The after-turn work broke off: {error!r}", level="error"))
            game = _all_pending(after.game)
        try:
            await self._commit(game)
        except (SaveError, OSError) as error:
            text = f"The turn could not be saved: {error} It is kept, and saved when you go on."
            self._bus.publish(Notice(text=text, level="error"))
        finally:
            self._after_task = self._after = None
            if self.phase == "after":
                self.phase = "idle"

    async def _commit(self, game: Game) -> None:
        """Make a finished turn part of the save. Until that succeeds it is kept in `_unsaved`."""
        self._unsaved = game
        commit = await self._storage.run(self._storage.save.commit_turn, game)
        self._unsaved = None
        self.game = game
        turn = game.turns[game.state.turn]
        self._bus.publish(
            TurnSaved(
                commit=commit, chapter=turn.chapter, new_beats=turn.new_beats, pending=len(game.state.pending)
            )
        )


def _turn_of(telling: Telling, at: str) -> Turn:
    """The turn as it is stored, before its after-turn work."""
    player = [Entry(role="player", text=telling.text)] if telling.text else []
    return Turn.model_validate(
        {
            "number": telling.number,
            "chapter": telling.game.state.chapter,
            "mood": telling.mood,
            "kind": telling.kind,
            "entries": (Entry(role="narrator", text=telling.narration), *player, *telling.replies),
            "witnesses": tuple(dict.fromkeys((*telling.present, *telling.responders))),
            "ruling": telling.ruling,
            "repaired": tuple(telling.repaired),
            "notices": tuple(telling.notices),
            "at": at,
        }
    )


def _all_pending(game: Game) -> Game:
    """The game with all after-turn work of its last turn still to be done."""
    turn = game.turns[game.state.turn]
    memories = [Pending(agent="memory", turn=turn.number, character=name) for name in turn.witnesses]
    progress = Pending(agent="progress", turn=turn.number)
    return with_pending(game, (*game.state.pending, *memories, progress))
