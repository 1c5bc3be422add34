"""One open playthrough (S3): the API that every face uses. Lives on one event loop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from theact_tui.engine.bus import Bus
from theact_tui.engine.desk import Desk, Ledger, Tally
from theact_tui.engine.events import (
    BranchSwitched,
    Edited,
    EditsFound,
    ModelsChanged,
    Notice,
    PresenceChanged,
    Redone,
    SaveOpened,
    Undone,
)
from theact_tui.engine.performance import Performance, Phase
from theact_tui.engine.storage import Storage
from theact_tui.errors import SaveError, UsageError
from theact_tui.models.port import Models
from theact_tui.story.changes import with_memory, with_turn
from theact_tui.story.edits import hold, memory_of, pin_line, pin_moment, with_entry_text, with_held
from theact_tui.story.game import Game
from theact_tui.story.memory import CellsMemory, FactsMemory
from theact_tui.story.pack import Pack
from theact_tui.story.turn import Turn
from theact_tui.text import clean

if TYPE_CHECKING:
    from theact_tui.saves.edits import HandEdits
    from theact_tui.saves.store import Save

P = ParamSpec("P")
T = TypeVar("T")

ModelsFor = Callable[[Pack, int], Models]
"""The models for a pack and a seed."""

MAX_INPUT = 2_000
"""Characters of one input."""


class Session:
    """A save, open for playing. `game` is the newest applied state, replaced and never changed in place."""

    def __init__(
        self, save: Save, game: Game, models: Models, bus: Bus, *, ledger: Ledger | None = None
    ) -> None:
        self.bus = bus
        self._models = models
        self._storage = Storage(save)
        self._desk = Desk(models, bus, templates=game.pack.prompts, ledger=ledger)
        self._performance = Performance(game, self._storage, self._desk, bus)
        self._looking: asyncio.Task[None] | None = None
        self._noticing: asyncio.Task[None] | None = None
        self._moving = asyncio.Lock()
        self._closed = False
        self._changed: list[str] = []
        """What was changed since the last commit (presence, pins), in words."""
        bus.save, bus.branch, bus.turn = save.folder.name, save.branch, game.state.turn

    @classmethod
    async def start(
        cls, save: Save, models: ModelsFor, bus: Bus, *, ledger: Ledger | None = None, finish: bool = True
    ) -> Session:
        """A session on a save just created or opened. A turn found spoken but not saved is finished, unless
        `finish` is False."""
        game = await asyncio.to_thread(save.load)
        session = cls(save, game, models(game.pack, game.info.seed), bus, ledger=ledger)
        session._looking = asyncio.create_task(session._look())
        bus.publish(SaveOpened(title=game.info.title, recovered=save.recovered))
        session._noticing = asyncio.create_task(session._notice())
        spoken = await session.run(save.journalled)
        if spoken is not None and finish and not save.read_only:
            await session.noticed()
            bus.turn = spoken.turn.number
            bus.publish(
                Notice(text=f"Turn {spoken.turn.number} was told but not yet saved; it is finished now.")
            )
            session._performance.finish(spoken, Tally())
        return session

    async def _notice(self) -> None:
        """Say which files were changed by hand. All are looked at, so this goes on after the opening."""
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
        """Wait until it is known whether files were changed by hand; whatever moves the story does so too."""
        if self._noticing is not None:
            await asyncio.shield(self._noticing)

    async def _look(self) -> None:
        """Reach the models' servers; play waits for it, the screen does not."""
        for sentence in await self._models.look():
            self.bus.publish(Notice(text=sentence, level="warning"))

    # --- what it is --------------------------------------------------------------------------------------------

    @property
    def game(self) -> Game:
        return self._performance.game

    @property
    def phase(self) -> Phase:
        return self._performance.phase

    @property
    def branch(self) -> str:
        return self.save.branch

    @property
    def folder(self) -> Path:
        return self.save.folder

    @property
    def read_only(self) -> bool:
        return self.save.read_only

    @property
    def save(self) -> Save:
        """The open save, for reading; every call must go through `run`."""
        return self._storage.save

    @property
    def model_name(self) -> str:
        return self._desk.model().name

    @property
    def window(self) -> int:
        """The narrator's context window in tokens."""
        return self._desk.model().window

    @property
    def offline(self) -> bool:
        return self._desk.model().provider == "storyteller"

    async def run(self, read: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a function of the save in the storage thread, after everything already queued there."""
        return await self._storage.run(read, *args, **kwargs)

    async def turns(self, first: int, last: int) -> tuple[Turn, ...]:
        """Saved turns first to last, inclusive."""
        return await self.run(self.save.turns, first, last)

    async def game_at(self, turn: int) -> Game:
        """The game as it was saved by a turn."""
        return await self.run(self.save.game_at, turn)

    # --- playing -----------------------------------------------------------------------------------------------

    async def open_story(self) -> Turn | None:
        """Let the program tell the opening scene. None when it was stopped."""
        async with self._still(telling=True):
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
        async with self._still(telling=True):
            await self._performance.settle(hurry=True)
        return await self._tell(self.game, text, take=1)

    async def retry(self, text: str | None = None) -> Turn | None:
        """Tell the last turn again as a new take, with the same or an edited input."""
        async with self._still(telling=True):
            await self.settle()
            last = self.game.last_turn
            if last is None:
                raise UsageError("There is no turn to retry yet.")
            new = last.player_text if text is None else _checked(text)
            _, count = await self.takes()
            base = await self.game_at(last.number - 1)
            if base.state.chapter == self.game.state.chapter:
                base = with_held(base, self.game.state.held)
        return await self._tell(base, new, take=count + 1)

    async def _tell(self, game: Game, text: str, take: int) -> Turn | None:
        """Tell a turn. Nothing may be awaited between the stillness in which `game` was found and this."""
        turn = await self._performance.tell(game, text, take)
        if turn is not None:
            self._changed.clear()
        return turn

    @asynccontextmanager
    async def _still(self, *, telling: bool = False) -> AsyncIterator[None]:
        """While nothing else moves the story; what comes at the same time waits. UsageError where it must not move.

        For `telling`, the models have been reached.
        """
        self._check_free()
        await self.noticed()
        if telling and self._looking is not None:
            await self._looking
        async with self._moving:
            self._check_free()
            yield

    async def stop(self) -> None:
        """Esc: during the narration the turn is cancelled, during the replies it ends with what was finished."""
        await self._performance.stop()

    async def settle(self) -> None:
        """Wait until the last turn is saved."""
        await self._performance.settle()

    async def use(self, models: ModelsFor) -> None:
        """Let other models tell the story from now on. Raises what choosing them raises; then nothing changed."""
        async with self._still():
            await self.settle()
        chosen = models(self.game.pack, self.game.info.seed)
        old, self._models = self._models, chosen
        self._desk.use(chosen)
        self._looking = asyncio.create_task(self._look())
        await old.close()
        self.bus.publish(ModelsChanged(model=self.model_name))

    async def abandon(self) -> None:
        """Release the save without the after-turn work; the next opening finishes the turn from its journal."""
        self._closed = True
        if self._noticing is not None:
            self._noticing.cancel()
        await self._performance.abandon()
        await self._storage.close()

    def _check_free(self) -> None:
        if self.read_only:
            raise UsageError(
                "This save is open in another window, so it can only be read here. Close the other one."
            )
        if self._performance.telling:
            raise UsageError("A turn is being told. Wait for it, or stop it first.")

    # --- going back, forward and aside -----------------------------------------------------------------------------

    async def undo(self, turns: int = 1) -> None:
        """Go back n turns. Raises `UsageError` when there are not as many."""
        await self._move(self.save.undo, turns)
        self.bus.publish(Undone(turns=turns))

    async def redo(self, turns: int = 1) -> None:
        """Go forward again n undone turns."""
        await self._move(self.save.redo, turns)
        self.bus.publish(Redone(turns=turns))

    async def take(self, number: int) -> None:
        """Make a take of the last turn the current one."""
        await self._move(self.save.take, number)
        self.bus.publish(Redone(turns=0))

    async def takes(self) -> tuple[int, int]:
        """Which take of the last turn is current, and how many there are; both from 1."""
        return await self.run(self.save.takes)

    async def branch_at(self, name: str, turn: int | None = None, of: str | None = None) -> str:
        """Create a branch at a turn (by default the last one) of this branch or of the branch or commit `of`, without
        switching to it; its plain name."""
        await self._commit_changes()
        return await self.run(self.save.branch_at, name, turn, of)

    async def rename_branch(self, name: str, title: str) -> str:
        """Give a branch another name; its new plain name."""
        async with self._still():
            await self.settle()
            previous = self.branch
            renamed = await self.run(self.save.rename_branch, name, title)
            self.bus.branch = self.branch
        if self.branch != previous:
            self.bus.publish(BranchSwitched(previous=previous))
        return renamed

    async def switch(self, name: str) -> None:
        """Go on with another branch."""
        previous = self.branch
        await self._move(self.save.switch, name)
        self.bus.publish(BranchSwitched(previous=previous))

    async def _move(self, move: Callable[[T], Game], argument: T) -> None:
        async with self._still():
            await self.settle()
            await self._commit_changes()
            self._performance.game = await self.run(move, argument)
            self.bus.branch, self.bus.turn = self.save.branch, self.game.state.turn

    # --- changes by hand -------------------------------------------------------------------------------------

    async def bring(self, *characters: str) -> None:
        """Bring characters on stage, against whatever the narrator says, until a new chapter."""
        await self._hold(characters, here=True)

    async def send_away(self, *characters: str) -> None:
        """Send characters away; they neither witness nor answer until they are brought back."""
        await self._hold(characters, here=False)

    async def _hold(self, characters: tuple[str, ...], *, here: bool) -> None:
        names = ", ".join(self.game.pack.name_of(name) for name in characters)
        await self._change(
            lambda game: hold(game, characters, here=here), f"{names} {'brought in' if here else 'sent away'}"
        )
        self.bus.publish(PresenceChanged(present=self.game.state.present))

    async def pin(self, character: str, line: int, *, pinned: bool = True) -> None:
        """Pin or unpin a remembered line, by its place in the stored memory, from 0."""
        what = f"{'pinned' if pinned else 'unpinned'} a memory of {self.game.pack.name_of(character)}"
        await self._change(lambda game: pin_line(game, character, line, pinned=pinned), what)

    async def pin_moment(self, moment: int, *, pinned: bool = True) -> None:
        """Pin or unpin a moment, by its place in the list, from 0."""
        what = f"{'pinned' if pinned else 'unpinned'} a moment"
        await self._change(lambda game: pin_moment(game, moment, pinned=pinned), what)

    async def _change(self, edit: Callable[[Game], Game], what: str) -> None:
        """Change the working state; it is committed with the next turn, or on leaving."""
        async with self._still():
            await self.settle()
            self._performance.game = edit(self.game)
            self._changed.append(what)
        self.bus.publish(Edited(what=what))

    async def edit_memory(self, character: str, memory: FactsMemory | CellsMemory) -> None:
        """Replace a character's memory by hand; a commit of its own."""
        memory_of(self.game, character)
        await self._change(
            lambda game: with_memory(game, character, memory),
            f"memory of {self.game.pack.name_of(character)}",
        )
        await self._commit_changes()

    async def edit_entry(self, number: int, entry: int, text: str) -> None:
        """Replace the text of an entry of a past turn, by its place in `Turn.entries`; a commit of its own."""
        async with self._still():
            await self.settle()
            found = await self.run(self.save.turns, number, number)
            if not found:
                raise UsageError(f"There is no turn {number}.")
            turn = with_entry_text(found[0], entry, text)
            if number in self.game.turns:
                self._performance.game = with_turn(self.game, turn)
            self._changed.append(f"turn {number}")
            await self._commit_changes(turn)
        self.bus.publish(Edited(what=f"turn {number}"))

    async def hand_edits(self) -> HandEdits | None:
        """What was changed by hand outside in the save's files; None if nothing was, or if they can only be read."""
        found = None if self.read_only else await self.run(self.save.hand_edits)
        return found if found and found.files else None

    async def adopt_edits(self) -> tuple[str, ...]:
        """Make files changed by hand outside part of the story, as an edit. Returns their names.

        Raises `SaveError`, and changes nothing, when the game would not load with them.
        """
        async with self._still():
            await self.settle()
            found = await self.hand_edits()
            if found is None:
                return ()
            await self._commit_changes()
            await self.run(self.save.adopt_edits)
            self._performance.game = await self.run(self.save.load)
        self.bus.publish(Edited(what="by hand outside"))
        return found.files

    async def discard_edits(self, *files: str) -> tuple[str, ...]:
        """Put files changed by hand outside back (default: all); what they held is kept beside them. Their names."""
        async with self._still():
            await self.settle()
            found = await self.hand_edits()
            chosen = tuple(file for file in found.files if not files or file in files) if found else ()
            if chosen:
                await self.run(self.save.discard_edits, chosen)
        return chosen

    async def _commit_changes(self, *turns: Turn) -> None:
        """Commit what was changed by hand since the last commit, if anything was."""
        if self._changed and not self.read_only:
            await self.run(self.save.commit_edit, self.game, "; ".join(dict.fromkeys(self._changed)), turns)
            self._changed.clear()

    async def close(self) -> None:
        """Finish the last turn, commit what was changed by hand and release the save."""
        if self._closed:
            return
        self._closed = True
        await self.stop()
        try:
            await self.settle()
            await self._commit_changes()
        finally:
            for task in (self._looking, self._noticing):
                if task is not None:
                    task.cancel()
            await self._models.close()
            await self._storage.close()


def _checked(text: str) -> str:
    """An input, cleaned. Raises `UsageError` when it is too long."""
    text = clean(text).strip()
    if len(text) > MAX_INPUT:
        raise UsageError(f"That is {len(text):,} characters; a turn takes at most {MAX_INPUT:,}. Shorten it.")
    return text
