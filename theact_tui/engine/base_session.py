"""Base of both modes' sessions: an open save, its state, models and history."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, ParamSpec, TypeVar

from theact_tui.engine import events
from theact_tui.engine.agent_runner import AgentRunner
from theact_tui.engine.bus import Bus
from theact_tui.engine.latest_write import LatestWrite
from theact_tui.engine.live_events import LiveEvents, unfinished
from theact_tui.errors import SaveError, UsageError
from theact_tui.models.profiles import model_title
from theact_tui.saves.codec import Keepable
from theact_tui.saves.lock import SaveLock
from theact_tui.saves.save_thread import SaveThread
from theact_tui.saves.worktree import edited_name
from theact_tui.story.text_so_far import NEEDS_MODEL
from theact_tui.story.typed import Typed

if TYPE_CHECKING:
    from theact_tui.saves.branches import BranchInfo
    from theact_tui.saves.hand_edits import HandEdits
    from theact_tui.saves.save import Save
    from theact_tui.story.game import Game
    from theact_tui.story.turn import Turn

MOVES = (
    events.TurnSaved, events.Undone, events.Redone, events.BranchSwitched, events.Edited, events.SaveOpened,
    events.SaveClosed,
)  # fmt: skip
"""Events after which the save holds another state."""
P = ParamSpec("P")
T = TypeVar("T")
State = TypeVar("State", bound=Keepable)


class BaseSession(ABC, Generic[State]):
    BUSY: ClassVar[str]
    """Refusal while `busy`."""
    MAIN_AGENT: ClassVar[str]
    """Agent whose model is shown."""

    def __init__(self, save: Save[State], bus: Bus) -> None:
        self.bus = bus
        self.branch_title = save.branch
        self.takes = (1, 1)
        """Current take of the last turn or prompt, from 1, and their number."""
        self._thread = SaveThread(save)
        self._lock = asyncio.Lock()
        self._typed = LatestWrite(self._write_typed, bus, Typed())
        self._background: dict[str, asyncio.Task[None]] = {}
        self._outdated: Save[State] | None = None
        """Watched save before it grew; queued calls still read it."""
        self._reported_edits: HandEdits | None = None
        self.closed = False

    # --- what it is --------------------------------------------------------------------------------------------

    @property
    @abstractmethod
    def game(self) -> State:
        """Newest applied state."""

    @property
    @abstractmethod
    def story(self) -> Game:
        """Newest applied state as a story, for reading."""

    async def story_at(self, turn: int) -> Game:
        return await self.run(self.save.story_at, turn)

    async def turns(self, first: int, last: int) -> tuple[Turn, ...]:
        return await self.run(self.save.turns, first, last)

    @property
    @abstractmethod
    def agents(self) -> AgentRunner: ...

    @property
    @abstractmethod
    def busy(self) -> bool:
        """True while the state must not move."""

    @property
    def save(self) -> Save[State]:
        """Open save, for reading through `run`."""
        return self._thread.save

    @property
    def folder(self) -> Path:
        return self.save.folder

    @property
    def read_only(self) -> bool:
        return self.save.read_only

    @property
    def branch(self) -> str:
        return self.save.branch

    @property
    def model_name(self) -> str:
        return model_title(self.agents.model(self.MAIN_AGENT).name)

    @property
    def window(self) -> int:
        return self.agents.model(self.MAIN_AGENT).window

    @property
    def offline(self) -> bool:
        return self.agents.is_scripted(self.MAIN_AGENT)

    async def run(self, read: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a function in the save's thread, after those already queued."""
        return await self._thread.run(read, *args, **kwargs)

    # --- one thing at a time -----------------------------------------------------------------------------------

    def check_writable(self) -> None:
        if self.closed:
            raise UsageError("This story was closed. Open it again to go on.")
        if self.read_only:
            raise UsageError("Read-only: this story is open in another window. Close it there.")

    def check_free(self) -> None:
        """Raise `UsageError` if the save is read-only, closed or `busy`."""
        self.check_writable()
        if self.busy:
            raise UsageError(self.BUSY)

    def check_has_model(self, key: str) -> None:
        """Raise `UsageError` if the offline storyteller answers this call."""
        if self.agents.is_scripted(key):
            raise UsageError(NEEDS_MODEL)

    @asynccontextmanager
    async def exclusive(self, *, turn: bool = False) -> AsyncIterator[None]:
        """Let nothing else move the state; others wait. Raises `UsageError` as `check_free` does.

        Waits until the models are reached if it is for a `turn`, else until the last turn is saved.
        """
        self.check_free()
        await self.edits_scanned()
        if turn:
            await self.probed()
        async with self._lock:
            self.check_free()
            if not turn:
                await self.settle()
            yield

    @abstractmethod
    async def stop(self) -> None: ...

    @abstractmethod
    async def settle(self) -> None: ...

    # --- what is typed -----------------------------------------------------------------------------------------

    @property
    def typed(self) -> Typed:
        """What was typed and is in no turn; survives a kill."""
        return self._typed.value

    def _put_typed(self, typed: Typed) -> None:
        if typed != self.typed and not (self.closed or self.read_only):
            self._typed.put(typed)

    async def _write_typed(self, typed: Typed) -> None:
        await self.run(self.save.unfinished.keep_typed, typed)

    async def _find_typed(self) -> None:
        if not self.read_only:
            # written at once, for what is void here shall not come back by a redo; a full disk hinders no opening
            self._typed.put(await self.run(self.save.unfinished.typed))

    # --- background work ---------------------------------------------------------------------------------------

    def probe(self) -> None:
        """Start reaching the models' servers; calls wait for it."""
        self._begin("probing", self._probe())

    async def _probe(self) -> None:
        for sentence in await self.agents.models.probe():
            self.bus.warn(sentence)

    async def probed(self) -> None:
        await self._ended("probing")

    def start_edit_scan(self) -> None:
        """Start looking for files changed by hand."""
        self.report_put_aside()
        self._begin("scanning", self._scan_edits())

    def report_put_aside(self) -> None:
        """Warn from now on about hand-edited files that a turn put aside."""
        loop = asyncio.get_running_loop()
        sentence = "The story changed {0} after you edited it. Your version is kept in {1}. To use it, copy it over {0}."
        self.save.report_put_aside(
            lambda file: loop.call_soon_threadsafe(self.bus.warn, sentence.format(file, edited_name(file)))
        )

    async def _scan_edits(self) -> None:
        # waits for the check of all files, which would hold up the save's thread
        await asyncio.to_thread(lambda: self.save.foreign_edits)
        if edited := await self.new_hand_edits():
            self.bus.publish(events.EditsFound(files=edited.files, broken=tuple(edited.broken.values())))
        for problem in await self.run(lambda: self.save.problems):
            self.bus.warn(f"{problem} The story itself is safe.")

    async def new_hand_edits(self) -> HandEdits | None:
        """Return hand edits unless already announced; None while `busy`."""
        if self.busy:
            return None
        try:
            edits = await self.hand_edits()
        except (SaveError, OSError) as error:
            self.bus.warn(f"Could not check for edited files: {error}")
            return None
        reported, self._reported_edits = self._reported_edits, edits
        return edits if edits != reported else None

    async def edits_scanned(self) -> None:
        await self._ended("scanning")

    def _begin(self, key: str, work: Coroutine[None, None, None]) -> None:
        self._background[key] = asyncio.create_task(work)

    async def _ended(self, key: str) -> None:
        if task := self._background.get(key):
            await asyncio.wait([task])
            if not task.cancelled():  # else the session is being left
                task.result()

    # --- watching ----------------------------------------------------------------------------------------------

    async def is_free(self) -> bool:
        """True if no other program plays this save. Raises `SaveError` for a damaged one."""
        return await self.run(SaveLock(self.folder / ".git").is_free)

    def watch(self) -> None:
        """Follow another process that plays this read-only save: publish its events and reload the state."""
        self._begin("watching", self._watch())

    async def _watch(self) -> None:
        with LiveEvents(self.folder) as live:
            past = unfinished(live.read())
            await self._read_anew()
            for event in past:
                self.bus.publish(event)
            async for event in live.follow():
                if isinstance(event, MOVES):
                    await self._read_anew()
                self.bus.publish(event)

    async def _read_anew(self) -> None:
        try:
            await self.run(self._reopen)
            await self._accept_state(await self.run(self.save.load))
        except (SaveError, OSError) as error:
            self.bus.warn(f"The story could not be reloaded: {error}")

    def _reopen(self) -> None:
        fresh: Save[State] = type(self.save).open(self.folder, write=False, clock=self.bus.now)
        self._close_outdated()
        self._outdated, self._thread.save = self.save, fresh

    def _close_outdated(self) -> None:
        if self._outdated:
            self._outdated.close()

    # --- history -----------------------------------------------------------------------------------------------

    async def undo(self, turns: int | None = 1) -> int:
        """Undo turns or prompts and return their number. None: a newer edit of a text, else one turn. Raises
        `UsageError`.
        """
        count = -await self._navigate(self.save.undo, turns)
        self.bus.publish(events.Undone(turns=count))
        return count

    async def redo(self, turns: int | None = 1) -> None:
        """Redo turns or prompts. None: an edit of a text if next, else one turn."""
        self.bus.publish(events.Redone(turns=await self._navigate(self.save.redo, turns)))

    async def select_take(self, number: int) -> None:
        """Make a take of the last turn or prompt current, from 1. Raises `UsageError`."""
        await self._navigate(self.save.select_take, number)
        self.bus.publish(events.Redone(turns=0))

    async def switch(self, name: str) -> None:
        previous = self.branch
        await self._navigate(self.save.switch_branch, name)
        self.bus.publish(events.BranchSwitched(previous=previous))

    async def branches(self) -> tuple[BranchInfo, ...]:
        return await self.run(self.save.branches)

    async def branch_at(self, name: str, turn: int | None = None, of: str | None = None) -> str:
        """Create a branch at a turn or prompt (default: the last) of this branch or `of`, without switching; return
        its name. Raises UsageError while busy.
        """
        async with self.exclusive():
            await self.commit_waiting_changes()
            return await self.run(self.save.create_branch, name, turn, of)

    async def rename_branch(self, name: str, title: str) -> str:
        async with self.exclusive():
            previous, old_title = self.branch, self.branch_title
            renamed = await self.run(self.save.rename_branch, name, title)
            await self.refresh_position()
            self.bus.branch = self.branch
        if (self.branch, self.branch_title) != (previous, old_title):
            self.bus.publish(events.BranchSwitched(previous=previous))
        return renamed

    async def refresh_position(self) -> None:
        try:
            self.takes, self.branch_title = await self.run(lambda: (self.save.takes(), self.save.title_of()))
        except (SaveError, OSError) as error:
            self.bus.warn(f"Takes and branches could not be read: {error}")

    async def _navigate(self, move: Callable[..., State], *args: Any) -> int:
        """Apply `move`, a method of the save; return by how many turns or prompts."""
        async with self.exclusive():
            await self.commit_waiting_changes()
            before = await self.run(lambda: self.save.turn)
            await self._accept_state(await self.run(move, *args))
            return await self.run(lambda: self.save.turn) - before

    @abstractmethod
    async def _accept_state(self, game: State) -> None: ...

    # --- edits -------------------------------------------------------------------------------------------------

    @abstractmethod
    def _waiting_changes(self) -> str:
        """Describe changes made in the program since the last commit; "" if none."""

    async def commit_waiting_changes(self) -> None:
        """Commit changes made in the program; never while `busy`."""
        message = self._waiting_changes()
        if message and not self.read_only and not self.busy:
            await self._commit_edit(message)

    @abstractmethod
    async def _commit_edit(self, message: str) -> None: ...

    async def hand_edits(self) -> HandEdits | None:
        """Return edits made outside the program; None without any or if read-only."""
        edits = None if self.read_only or self.closed else await self.run(self.save.hand_edits)
        return edits if edits and edits.files else None

    async def adopt_edits(self) -> tuple[str, ...]:
        """Commit files changed outside and return their names. Raises `SaveError`, changing nothing, if the state
        would not load.
        """
        async with self.exclusive():
            edits = await self.hand_edits()
            if edits is None:
                return ()
            await self.commit_waiting_changes()
            await self.run(self.save.adopt_edits)
            await self._accept_state(await self.run(self.save.load))
        self.bus.publish(events.Edited(what="outside the program"))
        return edits.files

    async def discard_edits(self, *files: str) -> tuple[str, ...]:
        """Restore files changed outside (default: all), keeping copies of the edits; return their names."""
        async with self.exclusive():
            edits = await self.hand_edits()
            chosen = tuple(file for file in edits.files if not files or file in files) if edits else ()
            if chosen:
                await self.run(self.save.discard_edits, chosen)
                self._reported_edits = None  # the same edit made again is a new one
        return chosen

    # --- leaving -----------------------------------------------------------------------------------------------

    async def close(self, *, keep: bool = True) -> None:
        """Stop the running call, commit waiting changes unless `keep` is False, and release the save. Idempotent."""
        if self.closed:
            return
        self.closed = True
        await self.stop()
        try:
            async with self._lock:
                await self.settle()
                if keep:
                    await self.commit_waiting_changes()
        finally:
            self.bus.publish(events.SaveClosed())
            await self._release()

    async def _release(self) -> None:
        await self._typed.written()
        for task in self._background.values():
            task.cancel()
        await self.agents.warm_up.close()
        try:
            await self.agents.models.close()
        finally:
            await self.run(self._close_outdated)
            await self._thread.close()
