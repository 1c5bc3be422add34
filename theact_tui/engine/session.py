"""One open playthrough (S3): the API that every face uses. Lives on one event loop; storage runs in its own thread."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, TypeVar

from theact_tui.engine.after import After
from theact_tui.engine.bus import Bus
from theact_tui.engine.desk import Desk, Ledger, Tally
from theact_tui.engine.events import (
    BranchSwitched,
    Edited,
    Notice,
    PresenceChanged,
    Redone,
    SaveOpened,
    TurnCancelled,
    TurnFailed,
    TurnSaved,
    TurnSpoken,
    TurnStarted,
    Undone,
)
from theact_tui.engine.folding import fold, turn_size
from theact_tui.engine.looks import narrator_view
from theact_tui.engine.telling import Telling, answer, consult_keeper, narrate
from theact_tui.errors import CallError, SaveError, TurnError, UsageError
from theact_tui.models.port import Models
from theact_tui.story.changes import with_memory, with_pending, with_spoken, with_turn
from theact_tui.story.edits import hold, memory_of, pin_line, pin_moment, with_entry_text, with_held
from theact_tui.story.game import Game, Pending
from theact_tui.story.memory import CellsMemory, FactsMemory
from theact_tui.story.pack import Pack
from theact_tui.story.spoken import Spoken
from theact_tui.story.turn import Entry, Turn
from theact_tui.text import clean

if TYPE_CHECKING:
    from theact_tui.saves.store import Save

P = ParamSpec("P")
T = TypeVar("T")

Phase = Literal["idle", "narrating", "replying", "after"]
ModelsFor = Callable[[Pack, int], Models]
"""The models for a pack and a seed."""

MAX_INPUT = 2_000
"""Characters of one input."""
VIEW_SHARE = 2
"""A character's verbatim turns may take one in so many tokens of the window."""


class Session:
    """A save, open for playing. `game` is the newest applied state, replaced and never changed in place."""

    def __init__(
        self, save: Save, game: Game, models: Models, bus: Bus, *, ledger: Ledger | None = None
    ) -> None:
        self._save = save
        self._models = models
        self._io = ThreadPoolExecutor(max_workers=1, thread_name_prefix="save")
        self._desk = Desk(models, bus, templates=game.pack.prompts, ledger=ledger)
        self._looking: asyncio.Task[None] | None = None
        self._after: After | None = None
        self._after_task: asyncio.Task[None] | None = None
        self._step: asyncio.Future[Any] | None = None
        self._stopping = self._closed = False
        self._quiet = asyncio.Event()
        """Set while no turn is being told."""
        self._quiet.set()
        self._unsaved: Game | None = None
        """The game after a finished turn that could not be saved."""
        self._changed: list[str] = []
        """What was changed since the last commit (presence, pins), in words."""
        self.game = game
        self.bus = bus
        self.phase: Phase = "idle"
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
        spoken = await session._run(save.journalled)
        if spoken is not None and finish and not save.read_only:
            bus.turn = spoken.turn.number
            bus.publish(
                Notice(text=f"Turn {spoken.turn.number} was told but not yet saved; it is finished now.")
            )
            session._finish_in_background(spoken, Tally(), take=1)
        return session

    # --- what it is --------------------------------------------------------------------------------------------

    async def _look(self) -> None:
        """Reach the models' servers; play waits for it, the screen does not."""
        for sentence in await self._models.look():
            self.bus.publish(Notice(text=sentence, level="warning"))

    @property
    def branch(self) -> str:
        return self._save.branch

    @property
    def folder(self) -> Path:
        return self._save.folder

    @property
    def read_only(self) -> bool:
        return self._save.read_only

    @property
    def save(self) -> Save:
        """The open save, for reading; every call must go through `run`."""
        return self._save

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
        return await self._run(read, *args, **kwargs)

    async def _run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._io, lambda: function(*args, **kwargs))

    async def turns(self, first: int, last: int) -> tuple[Turn, ...]:
        """Saved turns first to last, inclusive."""
        return await self._run(self._save.turns, first, last)

    async def game_at(self, turn: int) -> Game:
        """The game as it was saved by a turn."""
        return await self._run(self._save.game_at, turn)

    # --- playing -----------------------------------------------------------------------------------------------

    async def open_story(self) -> Turn | None:
        """Let the program tell the opening scene. None when it was stopped."""
        if self.game.state.turn:
            raise UsageError("The story has already begun.")
        return await self._tell(self.game, "", take=1)

    async def play(self, text: str) -> Turn | None:
        """Play one turn; returns when it is spoken, and None for blank input or when it was stopped.

        Raises `UsageError` for an input over 2,000 characters and `TurnError` when the narrator failed; then nothing
        was changed.
        """
        text = clean(text).strip()
        if not text:
            return None
        if len(text) > MAX_INPUT:
            raise UsageError(
                f"That is {len(text):,} characters; a turn takes at most {MAX_INPUT:,}. Shorten it."
            )
        self._check_free()
        await self._finish_after(hurry=True)
        return await self._tell(self.game, text, take=1)

    async def retry(self, text: str | None = None) -> Turn | None:
        """Tell the last turn again as a new take, with the same or an edited input."""
        self._check_free()
        await self.settle()
        last = self.game.last_turn
        if last is None:
            raise UsageError("There is no turn to retry yet.")
        _, count = await self._run(self._save.takes)
        base = await self._run(self._save.game_at, last.number - 1)
        if base.state.chapter == self.game.state.chapter:
            base = with_held(base, self.game.state.held)
        new = last.player_text if text is None else clean(text).strip()
        if len(new) > MAX_INPUT:
            raise UsageError(
                f"That is {len(new):,} characters; a turn takes at most {MAX_INPUT:,}. Shorten it."
            )
        return await self._tell(base, new, take=count + 1)

    async def stop(self) -> None:
        """Esc: during the narration the turn is cancelled, during the replies it ends with what was finished."""
        if self._step and not self._step.done():
            self._stopping = True
            self._step.cancel()

    async def settle(self) -> None:
        """Wait until the last turn is saved."""
        await self._finish_after(hurry=False)

    def _check_free(self) -> None:
        if self.read_only:
            raise UsageError(
                "This save is open in another window, so it can only be read here. Close the other one."
            )
        if self.phase in ("narrating", "replying"):
            raise UsageError("A turn is being told. Wait for it, or stop it first.")

    async def _finish_after(self, *, hurry: bool) -> None:
        if self._after_task is not None:
            if hurry and self._after:
                self._after.hurry.set()
            await asyncio.shield(self._after_task)
        if self._unsaved is not None:
            await self._commit(self._unsaved)

    async def _tell(self, game: Game, text: str, take: int) -> Turn | None:
        """Tell a turn after `game`; the save changes when it has been spoken."""
        self._check_free()
        if self._looking is not None:
            await self._looking
        kind = "transition" if game.state.transition else "play" if text else "opening"
        telling = Telling(game=game, kind=kind, text=text, take=take)
        self._stopping, self.phase = False, "narrating"
        self._quiet.clear()
        self.bus.turn = telling.number
        self.bus.publish(TurnStarted(text=text, kind=kind, take=take))
        try:
            told = await self._told(telling)
            if told:
                spoken = await self._speak(telling)
        except CallError as error:
            self.bus.publish(TurnFailed(text=text, reason=error.message))
            raise TurnError(error.message) from error
        except SaveError as error:
            self.bus.publish(TurnFailed(text=text, reason=error.message))
            raise
        finally:
            self.phase = "idle"
            self._quiet.set()
            if self._after_task is None:
                self.bus.turn = self.game.state.turn
        if not told:
            self.bus.publish(TurnCancelled(text=text))
            return None
        self.bus.turn = telling.number
        self.bus.publish(TurnSpoken())
        self._finish_in_background(spoken, telling.tally, take)
        return spoken.turn

    async def _told(self, telling: Telling) -> bool:
        """Tell narration and replies; False when the player stopped it before the narration was complete."""
        done, _ = await self._stoppable(consult_keeper(telling, self._desk, self.bus))
        if not done:
            return False
        telling.game = await self._fitting(telling)
        done, responding = await self._stoppable(narrate(telling, self._desk, self.bus))
        if not done:
            return False
        self.phase = "replying"
        for character in responding or ():
            done, _ = await self._stoppable(answer(telling, character, self._desk, self.bus))
            if not done:
                break
        return True

    async def _stoppable(self, step: Coroutine[None, None, T]) -> tuple[bool, T | None]:
        """Run a step that `stop` may cancel: (False, None) when it did."""
        task = asyncio.create_task(step)
        self._step = task
        try:
            return True, await task
        except asyncio.CancelledError:
            if self._stopping:
                return False, None
            raise

    async def _fitting(self, telling: Telling) -> Game:
        """The game, folded first when the narrator's prompt would not hold all verbatim turns."""
        from theact_tui.agents.narrator import NARRATOR

        view = narrator_view(telling.game, telling.kind, telling.text, telling.ruling, telling.take)
        prompt, _ = self._desk.prompt(NARRATOR, view)
        if all(section.kept == "whole" for section in prompt.sections):
            return telling.game
        return await fold(telling.game, self._desk, self.bus, telling.tally, forced=True)

    async def _speak(self, telling: Telling) -> Spoken:
        """Journal the turn: from here on it survives a crash."""
        player = [Entry(role="player", text=telling.text)] if telling.text else []
        narrator = Entry(role="narrator", text=telling.narration)
        turn = Turn.model_validate(
            {
                "number": telling.number,
                "chapter": telling.game.state.chapter,
                "mood": telling.mood,
                "kind": telling.kind,
                "entries": (narrator, *player, *telling.replies),
                "witnesses": tuple(dict.fromkeys((*telling.present, *telling.responders))),
                "ruling": telling.ruling,
                "repaired": tuple(telling.repaired),
                "notices": tuple(telling.notices),
                "at": self.bus.time(),
            }
        )
        retake = telling.take > 1
        if retake:
            await self._run(self._save.retake)
        spoken = Spoken(
            parent=self._save.head,
            branch=self._save.branch,
            turn=turn,
            present=telling.present,
            held=telling.game.state.held,
            rolls=telling.rolls,
        )
        await self._run(self._save.journal, spoken)
        self.game = telling.game
        return spoken

    # --- after the turn ------------------------------------------------------------------------------------------

    def _finish_in_background(self, spoken: Spoken, tally: Tally, take: int) -> None:
        budget = self.window // VIEW_SHARE
        game = with_spoken(self.game, spoken, turn_size(self.game, self._desk), budget)
        self._after = After(game, self._desk, self.bus, self.turns, tally, take)
        self.phase = "after"
        self._after_task = asyncio.create_task(self._finish(self._after))

    async def _finish(self, after: After) -> None:
        try:
            game = await after.run()
        except Exception as error:  # a bug of ours must not cost the player the turn
            self.bus.publish(Notice(text=f"The after-turn work broke off: {error!r}", level="error"))
            game = _all_pending(after.game)
        try:
            await self._commit(game)
        except (SaveError, OSError) as error:
            text = f"The turn could not be saved: {error} It is kept, and saved when you go on."
            self.bus.publish(Notice(text=text, level="error"))
        finally:
            self._after_task = self._after = None
            if self.phase == "after":
                self.phase = "idle"

    async def _commit(self, game: Game) -> None:
        """Make a finished turn part of the save. Until that succeeds it is kept in `_unsaved`."""
        self._unsaved = game
        commit = await self._run(self._save.commit_turn, game)
        self._unsaved = None
        self.game = game
        self._changed.clear()
        turn = game.turns[game.state.turn]
        self.bus.publish(
            TurnSaved(
                commit=commit, chapter=turn.chapter, new_beats=turn.new_beats, pending=len(game.state.pending)
            )
        )

    # --- going back, forward and aside -----------------------------------------------------------------------------

    async def undo(self, turns: int = 1) -> None:
        """Go back n turns. Raises `UsageError` when there are not as many."""
        await self._move(self._save.undo, turns)
        self.bus.publish(Undone(turns=turns))

    async def redo(self, turns: int = 1) -> None:
        """Go forward again n undone turns."""
        await self._move(self._save.redo, turns)
        self.bus.publish(Redone(turns=turns))

    async def take(self, number: int) -> None:
        """Make a take of the last turn the current one."""
        await self._move(self._save.take, number)
        self.bus.publish(Redone(turns=0))

    async def takes(self) -> tuple[int, int]:
        """Which take of the last turn is current, and how many there are; both from 1."""
        return await self._run(self._save.takes)

    async def branch_at(self, name: str, turn: int | None = None) -> None:
        """Create a branch at a turn (by default here), without switching to it."""
        await self._commit_changes()
        await self._run(self._save.branch_at, name, turn)

    async def switch(self, name: str) -> None:
        """Go on with another branch."""
        previous = self.branch
        await self._move(self._save.switch, name)
        self.bus.publish(BranchSwitched(previous=previous))

    async def _move(self, move: Callable[[T], Game], argument: T) -> None:
        self._check_free()
        await self.settle()
        await self._commit_changes()
        self.game = await self._run(move, argument)
        self.bus.branch, self.bus.turn = self._save.branch, self.game.state.turn

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
        self._check_free()
        await self.settle()
        self.game = edit(self.game)
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
        self._check_free()
        await self.settle()
        found = await self._run(self._save.turns, number, number)
        if not found:
            raise UsageError(f"There is no turn {number}.")
        turn = with_entry_text(found[0], entry, text)
        if number in self.game.turns:
            self.game = with_turn(self.game, turn)
        self._changed.append(f"turn {number}")
        await self._commit_changes(turn)
        self.bus.publish(Edited(what=f"turn {number}"))

    async def _commit_changes(self, *turns: Turn) -> None:
        """Commit what was changed by hand since the last commit, if anything was."""
        if self._changed and not self.read_only:
            await self._run(self._save.commit_edit, self.game, "; ".join(dict.fromkeys(self._changed)), turns)
            self._changed.clear()

    async def close(self) -> None:
        """Finish the last turn, commit what was changed by hand and release the save."""
        if self._closed:
            return
        self._closed = True
        if self.phase in ("narrating", "replying"):
            await self.stop()
            await self._quiet.wait()
        await self.settle()
        try:
            await self._commit_changes()
        finally:
            if self._looking is not None:
                self._looking.cancel()
            await self._models.close()
            await self._run(self._save.close)
            self._io.shutdown(wait=False)


def _all_pending(game: Game) -> Game:
    """The game with all after-turn work of its last turn still to be done."""
    turn = game.turns[game.state.turn]
    memories = [Pending(agent="memory", turn=turn.number, character=name) for name in turn.witnesses]
    progress = Pending(agent="progress", turn=turn.number)
    return with_pending(game, (*game.state.pending, *memories, progress))
