"""One open playthrough (S3): the API that every face uses. Lives on one event loop.

Here is what it is, and playing. Its other parts are `ways`, `by_hand` and `outside`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from theact_tui.engine.bus import Bus
from theact_tui.engine.by_hand import ByHand
from theact_tui.engine.desk import Ledger, Tally
from theact_tui.engine.events import ModelsChanged, Notice, SaveOpened
from theact_tui.engine.outside import Outside
from theact_tui.engine.performance import Phase
from theact_tui.engine.ways import Ways
from theact_tui.engine.work import Work
from theact_tui.errors import UsageError
from theact_tui.models.port import Models
from theact_tui.story.edits import with_held
from theact_tui.story.game import Game
from theact_tui.story.pack import Pack
from theact_tui.story.spoken import Unsent
from theact_tui.story.turn import Turn
from theact_tui.text import clean

if TYPE_CHECKING:
    from theact_tui.saves.store import Save

P = ParamSpec("P")
T = TypeVar("T")

ModelsFor = Callable[[Pack, int], Models]
"""The models for a pack and a seed."""

MAX_INPUT = 2_000
"""Characters of one input."""


class Session(Ways, ByHand, Outside):
    """A save, open for playing. `game` is the newest applied state, replaced and never changed in place."""

    def __init__(
        self, save: Save, game: Game, models: ModelsFor, bus: Bus, *, ledger: Ledger | None = None
    ) -> None:
        self.bus = bus
        self._work = Work(save, game, models, bus, ledger)
        self._closed = False

    @classmethod
    async def start(cls, save: Save, models: ModelsFor, bus: Bus, *, ledger: Ledger | None = None) -> Session:
        """A session on a save just created or opened. A turn found spoken but not saved is finished; a line found
        that was not told waits in `unsent`."""
        game = await asyncio.to_thread(save.load)
        session = cls(save, game, models, bus, ledger=ledger)
        work = session._work
        await work.call_branch()
        work.look()
        bus.publish(SaveOpened(title=game.info.title, recovered=save.recovered))
        work.notice()
        spoken = await work.run(save.journalled)
        await work.find_unsent()
        if spoken is not None and not save.read_only:
            await work.noticed()
            bus.turn = spoken.turn.number
            bus.publish(
                Notice(text=f"Turn {spoken.turn.number} was told but not yet saved; it is finished now.")
            )
            work.performance.finish(spoken, Tally())
        return session

    # --- what it is --------------------------------------------------------------------------------------------

    @property
    def game(self) -> Game:
        return self._work.game

    @property
    def phase(self) -> Phase:
        return self._work.performance.phase

    @property
    def branch(self) -> str:
        return self.save.branch

    @property
    def branch_title(self) -> str:
        """What people call the branch."""
        return self._work.branch_title

    @property
    def unsent(self) -> Unsent | None:
        """The line that was sent and is not told yet. A kill does not lose it; `forget_unsent` does."""
        return self._work.unsent

    @property
    def folder(self) -> Path:
        return self.save.folder

    @property
    def read_only(self) -> bool:
        return self.save.read_only

    @property
    def save(self) -> Save:
        """The open save, for reading; every call must go through `run`."""
        return self._work.save

    @property
    def model_name(self) -> str:
        return self._work.desk.model().name

    @property
    def window(self) -> int:
        """The narrator's context window in tokens."""
        return self._work.desk.model().window

    @property
    def offline(self) -> bool:
        return self._work.desk.model().provider == "storyteller"

    async def run(self, read: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a function of the save in the storage thread, after everything already queued there."""
        return await self._work.run(read, *args, **kwargs)

    async def turns(self, first: int, last: int) -> tuple[Turn, ...]:
        """Saved turns first to last, inclusive."""
        return await self.run(self.save.turns, first, last)

    async def game_at(self, turn: int) -> Game:
        """The game as it was saved by a turn."""
        return await self.run(self.save.game_at, turn)

    async def noticed(self) -> None:
        """Wait until it is known whether files were changed by hand; whatever moves the story does so too."""
        await self._work.noticed()

    # --- playing -----------------------------------------------------------------------------------------------

    async def open_story(self) -> Turn | None:
        """Let the program tell the opening scene. None when it was stopped."""
        async with self._work.still(telling=True):
            if self.game.state.turn:
                raise UsageError("The story has already begun.")
        return await self._tell(self.game, "", take=1)

    async def play(self, text: str) -> Turn | None:
        """Play one turn; returns when it is spoken, and None for blank input or when it was stopped.

        Raises `UsageError` for an input over 2,000 characters and `TurnError` when the narrator failed; then nothing
        was changed.
        """
        text = _checked(text)
        if not text:
            return None
        async with self._work.still(telling=True):
            self._work.performance.hurry()
            await self._work.send(text)
            await self._work.performance.settle()
        return await self._tell(self.game, text, take=1)

    async def retry(self, text: str | None = None) -> Turn | None:
        """Tell the last turn again as a new take, with the same or an edited input."""
        async with self._work.still(telling=True):
            await self.settle()
            last = self.game.last_turn
            if last is None:
                raise UsageError("There is no turn to retry yet.")
            new = last.player_text if text is None else _checked(text)
            _, count = await self.takes()
            base = await self.game_at(last.number - 1)
            if base.state.chapter == self.game.state.chapter:
                base = with_held(base, self.game.state.held)
            await self._work.suit(base.pack)
            if new != last.player_text:
                await self._work.send(new, again=True)
        return await self._tell(base, new, take=count + 1)

    async def _tell(self, game: Game, text: str, take: int) -> Turn | None:
        """Tell a turn. Nothing may be awaited between the stillness in which `game` was found and this."""
        turn = await self._work.performance.tell(game, text, take)
        if turn is not None:
            self._work.kept()
        return turn

    async def forget_unsent(self) -> None:
        """Forget the line that was sent and not told."""
        await self._work.forget_unsent()

    async def stop(self) -> None:
        """Esc: during the narration the turn is cancelled, during the replies it ends with what was finished."""
        await self._work.performance.stop()

    async def settle(self) -> None:
        """Wait until the last turn is saved."""
        await self._work.performance.settle()

    async def use(self, models: ModelsFor) -> None:
        """Let other models tell the story from now on. Raises what choosing them raises; then nothing changed."""
        async with self._work.still():
            pass
        await self._work.use(models)
        self.bus.publish(ModelsChanged(model=self.model_name))

    # --- leaving -----------------------------------------------------------------------------------------------

    async def close(self) -> None:
        """Finish the last turn, commit what was changed by hand and release the save."""
        if self._closed:
            return
        self._closed = True
        await self.stop()
        try:
            await self.settle()
            await self._work.keep()
        finally:
            await self._work.close()

    async def abandon(self) -> None:
        """Release the save without the after-turn work; the next opening finishes the turn from its journal."""
        self._closed = True
        await self._work.performance.abandon()
        await self._work.close()


def _checked(text: str) -> str:
    """An input, cleaned. Raises `UsageError` when it is too long."""
    text = clean(text).strip()
    if len(text) > MAX_INPUT:
        raise UsageError(f"That is {len(text):,} characters; a turn takes at most {MAX_INPUT:,}. Shorten it.")
    return text
