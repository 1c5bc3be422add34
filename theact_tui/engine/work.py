"""What an open playthrough works with: its save, its newest game, its models, and the rule that one thing at a time moves
the story. The parts of a session share it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from theact_tui.engine.bus import Bus
from theact_tui.engine.desk import Desk, Ledger
from theact_tui.engine.events import EditsFound, Notice, UnsentFound
from theact_tui.engine.performance import Performance
from theact_tui.engine.storage import Storage
from theact_tui.errors import SaveError, UsageError
from theact_tui.story.game import Game
from theact_tui.story.pack import Pack
from theact_tui.story.spoken import Unsent
from theact_tui.story.turn import Turn

if TYPE_CHECKING:
    from theact_tui.engine.session import ModelsFor
    from theact_tui.saves.edits import HandEdits
    from theact_tui.saves.store import Save

P = ParamSpec("P")
T = TypeVar("T")
BEING_TOLD = "A turn is being told. Wait for it, or stop it first."


class Work:
    """One open save. What moves its story does so within `still`."""

    def __init__(self, save: Save, game: Game, choose: ModelsFor, bus: Bus, ledger: Ledger | None) -> None:
        self.bus = bus
        self._choose, self._pack = choose, game.pack
        self._models = choose(game.pack, game.info.seed)
        self.desk = Desk(self._models, bus, templates=game.pack.prompts, ledger=ledger)
        self._storage = Storage(save)
        self.performance = Performance(game, self._storage, self.desk, bus)
        self.branch_title = save.branch
        """What people call the branch."""
        self.unsent: Unsent | None = None
        """The line that was sent and is not told yet, as the save keeps it."""
        self._changed: list[str] = []
        """What was changed since the last commit (presence, pins), in words."""
        self._moving = asyncio.Lock()
        self._looking: asyncio.Task[None] | None = None
        self._noticing: asyncio.Task[None] | None = None
        bus.save, bus.branch, bus.turn = save.folder.name, save.branch, game.state.turn

    @property
    def save(self) -> Save:
        return self._storage.save

    @property
    def game(self) -> Game:
        """The newest applied state."""
        return self.performance.game

    async def run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a function of the save in its thread, after everything already queued there."""
        return await self._storage.run(function, *args, **kwargs)

    async def use(self, choose: ModelsFor) -> None:
        """Let other models tell the story from now on. Raises what choosing them raises; then nothing changed."""
        await self._told_by(choose, self._pack)

    async def suit(self, pack: Pack) -> None:
        """Let the story be told by this pack: it may have been changed by hand at some turn."""
        if self._pack is not pack and self._pack != pack:
            await self._told_by(self._choose, pack)

    async def _told_by(self, choose: ModelsFor, pack: Pack) -> None:
        old, self._models = self._models, choose(pack, self.game.info.seed)
        self._choose, self._pack = choose, pack
        self.desk.use(self._models, pack.prompts)
        self.look()
        await old.close()

    # --- what is found out in the background -------------------------------------------------------------------

    def look(self) -> None:
        """Begin to reach the models' servers; telling waits for it, the screen does not."""
        self._looking = asyncio.create_task(self._look())

    async def _look(self) -> None:
        for sentence in await self._models.look():
            self.bus.publish(Notice(text=sentence, level="warning"))

    def notice(self) -> None:
        """Begin to look for files changed by hand. All are looked at, so this goes on after the opening."""
        self._noticing = asyncio.create_task(self._notice())

    async def _notice(self) -> None:
        await asyncio.to_thread(lambda: self.save.foreign_edits)
        try:
            edited = await self.hand_edits()
        except (SaveError, OSError) as error:
            self.bus.publish(Notice(text=f"Edits made by hand were not looked for: {error}", level="warning"))
            return
        if edited:
            self.bus.publish(EditsFound(files=edited.files, broken=tuple(edited.broken.values())))
        for problem in await self.run(lambda: self.save.problems):
            self.bus.publish(Notice(text=f"{problem} The story itself is safe.", level="warning"))

    async def noticed(self) -> None:
        """Wait until it is known whether files were changed by hand."""
        if self._noticing is not None:
            await asyncio.shield(self._noticing)

    async def hand_edits(self) -> HandEdits | None:
        """What was changed by hand outside in the save's files; None if nothing was, or if they can only be read."""
        found = None if self.save.read_only else await self.run(self.save.hand_edits)
        return found if found and found.files else None

    async def call_branch(self) -> None:
        """Look what the branch is called now."""
        self.branch_title = await self.run(self.save.title_of)

    # --- the line on its way ------------------------------------------------------------------------------------

    async def find_unsent(self) -> None:
        """Tell of a line that was sent before the program ended, and not told."""
        if self.save.read_only:
            return
        self.unsent = await self.run(self.save.unsent)
        if self.unsent is None:
            await self.run(self.save.drop_unsent)
        else:
            self.bus.publish(UnsentFound(text=self.unsent.text, again=self.unsent.again))

    async def send(self, text: str, *, again: bool = False) -> None:
        """Let a line outlive the program until it is told."""
        self.unsent = await self.run(self.save.keep_unsent, text, again=again)

    async def forget_unsent(self) -> None:
        """The player does not want it any more."""
        if self.unsent is not None:
            self.unsent = None
            await self.run(self.save.drop_unsent)

    # --- one thing at a time -----------------------------------------------------------------------------------

    def check_free(self) -> None:
        """Raises `UsageError` where the story must not be moved now."""
        if self.save.read_only:
            raise UsageError(
                "This save is open in another window, so it can only be read here. Close the other one."
            )
        if self.performance.telling:
            raise UsageError(BEING_TOLD)

    @asynccontextmanager
    async def still(self, *, telling: bool = False) -> AsyncIterator[None]:
        """While nothing else moves the story; what comes at the same time waits. `UsageError` where it must not move.

        For `telling`, the models have been reached, and the last turn need not be saved. Otherwise it is.
        """
        self.check_free()
        await self.noticed()
        if telling and self._looking is not None:
            await self._looking
        async with self._moving:
            self.check_free()
            if not telling:
                await self.performance.settle()
            yield

    # --- changing the game -------------------------------------------------------------------------------------

    def become(self, game: Game, what: str = "") -> None:
        """Make `game` the newest state. `what` says what was changed by hand; it waits for the next commit."""
        self.performance.game = game
        if what:
            self._changed.append(what)

    async def keep(self, *turns: Turn) -> None:
        """Commit what was changed by hand since the last commit, if anything was."""
        if self._changed and not self.save.read_only:
            await self.run(self.save.commit_edit, self.game, "; ".join(dict.fromkeys(self._changed)), turns)
            self._changed.clear()

    def kept(self) -> None:
        """The line is told, and what was changed by hand is part of its turn."""
        self.unsent = None
        self._changed.clear()

    async def close(self) -> None:
        """Give up what was begun in the background, and release models and save."""
        for task in (self._looking, self._noticing):
            if task is not None:
                task.cancel()
        try:
            await self._models.close()
        finally:
            await self._storage.close()
