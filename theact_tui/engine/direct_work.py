"""What every step of a direct session needs: the save's thread, the state while a call runs, and the way back from it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, Protocol, TypeVar
from uuid import uuid4

from theact_tui.engine.bus import Bus
from theact_tui.engine.direct_events import StateChanged
from theact_tui.engine.direct_store import contents, load, mark, marked
from theact_tui.engine.events import Notice
from theact_tui.errors import CallError, SaveError, TurnError, UsageError
from theact_tui.story.direct.game import DirectGame, Stamp, step
from theact_tui.story.direct.limits import Refused
from theact_tui.story.direct.moves import Move, recovered
from theact_tui.story.direct.records import State

if TYPE_CHECKING:
    from theact_tui.saves.store import Save

P = ParamSpec("P")
T = TypeVar("T")

Ids = Callable[[], str]
Phase = Literal["idle", "locking", "replying", "summarizing", "narrating", "resetting"]


class Calling(Protocol):
    """Makes calls that the user may stop. Raises `CallError`."""

    async def __call__(self, calls: Coroutine[None, None, T]) -> T: ...


def new_id() -> str:
    """An id never used before."""
    return str(uuid4())


class Work:
    """One save and its newest game. Commits are made in a thread, one at a time; the game changes only after them."""

    def __init__(self, save: Save, game: DirectGame, bus: Bus, ids: Ids) -> None:
        self.save = save
        self.game = game
        self.bus = bus
        self.ids = ids
        self.phase: Phase = "idle"
        self.takes = (1, 1)
        """Which take of the last prompt is current, and how many there are."""
        self.branch_title = save.branch
        """What people call the branch."""
        self._saved = game
        self._io = ThreadPoolExecutor(max_workers=1, thread_name_prefix="save")
        self._call: asyncio.Task[Any] | None = None
        self._stopping = False
        self._closed = False
        self._asked = 0
        """The number of the prompt that is being answered; 0 between prompts."""
        self._quiet = asyncio.Event()
        self._quiet.set()
        self._tell()

    @property
    def closed(self) -> bool:
        """The save was released, or is about to be."""
        return self._closed

    async def run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a function in the save's thread."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._io, lambda: function(*args, **kwargs))

    def stamp(self) -> Stamp:
        """Identity and time of a new record."""
        return Stamp(self.ids(), self.bus.time())

    # --- what may be done --------------------------------------------------------------------------------------

    def check_writable(self) -> None:
        """Raises `UsageError` when the save is open elsewhere."""
        if self.save.read_only:
            raise UsageError(
                "This save is open in another window, so it can only be read here. Close the other one."
            )

    def check_free(self) -> None:
        """Raises `UsageError` while a call runs too."""
        self.check_writable()
        if self.phase != "idle":
            raise UsageError("A call is running. Wait for it, or stop it first.")

    # --- a call and the state around it ------------------------------------------------------------------------

    @asynccontextmanager
    async def during(
        self, phase: Phase, enter: Move | None = None, failed: Move | None = None
    ) -> AsyncIterator[None]:
        """One piece of work: the state it begins with, and the way back when it fails."""
        self.check_free()
        before = self.game
        if enter:
            self.move(enter)
        self.phase, self._stopping = phase, False
        self._asked = self.game.session.prompt_index + 1 if phase == "replying" else 0
        self._quiet.clear()
        self._tell()
        try:
            if failed:
                await self.run(mark, self.save, self.game.session.state)
            yield
        except BaseException:
            if failed:
                self.move(failed)
            elif enter:
                self.become(before)
            raise
        finally:
            self.phase, self._asked = "idle", 0
            self._quiet.set()
            self._tell()
            if failed:
                await self.run(mark, self.save, None)

    async def stoppable(self, work: Coroutine[None, None, T]) -> T:
        """Run what `stop` may cancel; then it raises `CallError`."""
        if self._stopping:
            work.close()
            raise CallError("stopped", _STOPPED)
        call = asyncio.create_task(work)
        self._call = call
        try:
            return await call
        except asyncio.CancelledError:
            if self._stopping:
                raise CallError("stopped", _STOPPED) from None
            raise

    async def stop(self) -> None:
        """Give up the call that runs, if any, and wait until its step has ended."""
        self._stopping = self.phase != "idle"
        if self._call and not self._call.done():
            self._call.cancel()
        await self._quiet.wait()

    async def settled(self) -> None:
        """Wait until no step runs."""
        await self._quiet.wait()

    # --- changing the game -------------------------------------------------------------------------------------

    def move(self, action: Move) -> None:
        """Move the session. Raises `UsageError` when it cannot."""
        self.become(allow(step(self.game, action, self.bus.time())))

    def become(self, game: DirectGame) -> None:
        """Make `game` the current one."""
        before, self.game = self.game.session.state, game
        self._tell()
        if before != game.session.state:
            self.bus.publish(StateChanged(before=before, after=game.session.state))

    async def store(self, game: DirectGame, line: str, *, word: str = "") -> str:
        """Commit `game`; only then it is the current one. What was typed into the voice meanwhile stays."""
        commit = await self.run(self.save.commit_files, contents(game, self._saved), line, word=word)
        self._saved = game
        if word:
            await self.look_around()
        self.become(replace(game, voice=self.game.voice))
        return commit

    async def keep(self) -> None:
        """Commit what was typed since the last commit, if anything was; while a call runs, leave it to its commit."""
        if self.save.read_only or self.phase != "idle" or not contents(self.game, self._saved):
            return
        typed = {"Setup": "setup", "Voice": "voice", "Notes": "folded"}
        changed = [
            what for what, name in typed.items() if getattr(self.game, name) != getattr(self._saved, name)
        ]
        await self.store(self.game, ", ".join(changed) or "Session")

    async def reload(self, save: Save | None = None) -> None:
        """Go on with what the save holds now, or another save."""
        save = save or self.save
        game = await self.run(load, save)
        self.save, self._saved = save, game
        self.become(game)
        await self.look_around()

    async def look_around(self) -> None:
        """Look which take of the last prompt is current, and what the branch is called."""
        self.takes, self.branch_title = await self.run(lambda: (self.save.takes(), self.save.title_of()))

    async def recover(self) -> None:
        """Undo what was going on when the program stopped (D5). For a reader it may still be going on elsewhere."""
        state = None if self.save.read_only else await self.run(marked, self.save)
        session = self.game.session
        found = session.model_copy(update={"state": state}) if state else session
        self.game = replace(self.game, session=recovered(found))
        if found.state == self.game.session.state:
            return
        text = f"The program stopped while {_DOING[found.state]}. Nothing you wrote is lost; start it again."
        self.bus.publish(Notice(text=text, level="warning"))
        if state:
            await self.run(mark, self.save, None)

    async def close(self, *, keep: bool = True) -> None:
        """Stop what runs, commit what was typed if `keep` says so, and release the save. May be called twice."""
        if self._closed:
            return
        self._closed = True
        await self.stop()
        try:
            if keep:
                await self.keep()
        finally:
            await self.run(self.save.close)
            self._io.shutdown(wait=False)

    def _tell(self) -> None:
        self.bus.save, self.bus.branch = self.save.folder.name, self.save.branch
        self.bus.turn = self._asked or self.game.session.prompt_index


def failure(error: CallError | SaveError) -> TurnError | SaveError:
    """What the caller is told: a call that failed is a turn that did not happen."""
    return error if isinstance(error, SaveError) else TurnError(error.message)


def allow(outcome: T | Refused) -> T:
    """What a rule gave, or its refusal raised as `UsageError`."""
    if not isinstance(outcome, Refused):
        return outcome
    raise UsageError(outcome.reason)


_STOPPED = "Stopped. Nothing was changed."
_DOING: dict[State, str] = {
    "LOCKING": "the setup was being locked",
    "SUMMARIZING": "a summary was being written",
    "NARRATING": "the chapter was being written",
    "RESETTING": "the chapter was being reset",
}
