"""One open direct session (S11): the API that the screen and the command line use. Every transition goes through it.

Lives on one event loop. A refusal is a `UsageError`, a call that failed a `TurnError`; nothing has changed then.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from theact_tui.engine.bus import Bus
from theact_tui.engine.desk import Desk, Ledger
from theact_tui.engine.direct_calls import ask_lock
from theact_tui.engine.direct_drafts import Drafts, download
from theact_tui.engine.direct_edits import Edits
from theact_tui.engine.direct_events import LockFailed, SessionReset
from theact_tui.engine.direct_prompts import Live, Prompts
from theact_tui.engine.direct_store import load, load_events, restart
from theact_tui.engine.direct_sums import Sums, tell_block
from theact_tui.engine.direct_ways import Ways
from theact_tui.engine.direct_words import Unsent
from theact_tui.engine.direct_work import Ids, Phase, Work, allow, failure, new_id
from theact_tui.engine.events import Notice, SaveOpened
from theact_tui.errors import CallError, SaveError, TurnError
from theact_tui.models.port import Models
from theact_tui.story.direct import moves
from theact_tui.story.direct.game import DirectGame, step, with_lock
from theact_tui.story.direct.limits import Refused
from theact_tui.story.direct.records import Block, Draft, Event, Session, Setup
from theact_tui.story.direct.setup import Changed
from theact_tui.story.direct.transcript import Passage, Transcript, transcript
from theact_tui.text import clean

if TYPE_CHECKING:
    from theact_tui.saves.store import Save

P = ParamSpec("P")
T = TypeVar("T")

LedgerOf = Callable[["Save"], Ledger | None]
"""Where the calls of a save are written down."""


class DirectSession(Ways, Edits):
    """A direct save, open."""

    def __init__(
        self,
        save: Save,
        game: DirectGame,
        models: Models,
        bus: Bus,
        *,
        ledger: LedgerOf = lambda save: None,
        ids: Ids = new_id,
    ) -> None:
        self._work = Work(save, game, bus, ids)
        self.unsent = Unsent(self._work)
        self._models = models
        self._ledger = ledger
        self._looking: asyncio.Task[None] | None = None
        self.bus = bus
        self._sit_down()

    @classmethod
    async def start(
        cls, save: Save, models: Models, bus: Bus, *, ledger: LedgerOf = lambda save: None, ids: Ids = new_id
    ) -> DirectSession:
        """A session on a save just created or opened. What was going on when the program stopped is undone (D5)."""
        game = await asyncio.to_thread(load, save)
        session = cls(save, game, models, bus, ledger=ledger, ids=ids)
        session._looking = asyncio.create_task(session._look())
        bus.publish(SaveOpened(title=game.info.title, recovered=save.recovered))
        await session._work.recover()
        await session._work.look_around()
        await session.unsent.find()
        return session

    def _sit_down(self) -> None:
        """Begin to ask models about the save as it is now."""
        self._desk = Desk(self._models, self.bus, ledger=self._ledger(self.save))
        self._prompts = Prompts(self._work, self._desk, self._call)
        self._sums = Sums(self._work, self._desk, self._call)
        self._drafts = Drafts(self._work, self._desk, self._call)

    async def _look(self) -> None:
        """Reach the models' servers; calls wait for it, the faces do not."""
        for sentence in await self._models.look():
            self.bus.publish(Notice(text=sentence, level="warning"))

    async def _call(self, calls: Coroutine[None, None, T]) -> T:
        """Make calls that `stop` may give up. Raises `CallError`."""
        return await self._work.stoppable(self._once_seen(calls))

    async def _once_seen(self, calls: Coroutine[None, None, T]) -> T:
        if self._looking:
            await asyncio.shield(self._looking)
        return await calls

    # --- what it is --------------------------------------------------------------------------------------------

    @property
    def game(self) -> DirectGame:
        """Everything of the session that is at hand; replaced, never changed in place."""
        return self._work.game

    @property
    def session(self) -> Session:
        return self.game.session

    @property
    def setup(self) -> Setup:
        return self.game.setup

    @property
    def phase(self) -> Phase:
        """What is going on now."""
        return self._work.phase

    @property
    def save(self) -> Save:
        """The open save; its functions must be called through `run`."""
        return self._work.save

    @property
    def read_only(self) -> bool:
        return self.save.read_only

    @property
    def name(self) -> str:
        """The save's name."""
        return self.game.info.title

    @property
    def model_name(self) -> str:
        return self._desk.model("actor").name

    @property
    def offline(self) -> bool:
        return self._desk.model("actor").provider == "storyteller"

    @property
    def heeds_voice(self) -> bool:
        """The chapter is written by a model; the storyteller heeds only whether it is to be the first person."""
        return self._desk.model("chapter").provider != "storyteller"

    @property
    def tabs(self) -> tuple[str, ...]:
        """The tabs that can be entered now."""
        return moves.open_tabs(self.session)

    @property
    def focus(self) -> int:
        """The slot whose turn it is: the one after the slot that answered last (D3)."""
        return self.game.focus

    @property
    def banner(self) -> str:
        """What is to be shown while a summary is missing; else nothing (D9)."""
        return self._sums.banner

    @property
    def transcript(self) -> Transcript:
        """The window on the log (D6), without what is being streamed."""
        return transcript(self.session, self.game.events, more=self.game.has_older_events)

    @property
    def live(self) -> Live | None:
        """What is being answered now; None between prompts."""
        return self._prompts.live

    @property
    def streaming(self) -> tuple[Passage, ...]:
        """What follows the transcript while a prompt is being answered: the prompt, and the reply so far."""
        return self._prompts.streaming

    async def run(self, read: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a function of the save in its thread."""
        return await self._work.run(read, *args, **kwargs)

    async def events(self) -> tuple[Event, ...]:
        """The whole log."""
        first = self.game.events[0].prompt_index if self.game.events else self.session.prompt_index + 1
        return await self.run(load_events, self.save, 1, first - 1) + self.game.events

    # --- Setup and voice ---------------------------------------------------------------------------------------

    def edit(
        self,
        rule: Callable[Concatenate[Session, Setup, P], Changed | Refused],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> None:
        """Change Setup by a rule of `story.direct.setup`, as in `edit(set_name, 2, "Kara")`. `keep` commits it."""
        self._work.check_writable()
        session, made = allow(rule(self.session, self.setup, *args, **kwargs))
        self._work.become(replace(self.game, session=session, setup=made))

    def set_voice(self, text: str) -> None:
        """Change the writer's voice and rules. `keep` commits it."""
        text = clean(text)
        self._work.check_writable()
        allow(moves.refuse_voice(self.session, text))
        self._work.become(replace(self.game, voice=text))

    async def keep(self) -> None:
        """Commit what was typed since the last commit, if anything was."""
        await self._work.keep()

    # --- playing -----------------------------------------------------------------------------------------------

    async def lock(self) -> Block:
        """Lock Setup and store block 1. When that fails: DRAFT, with everything typed."""
        work = self._work
        work.check_free()
        await work.keep()
        try:
            async with work.during("locking", moves.Lock(), moves.LockFailed()):
                payload = await self._call(ask_lock(self.game, self._desk))
                game = allow(with_lock(self.game, payload, work.stamp()))
                commit = await work.store(game, "Memory of world and chapter")
        except (CallError, SaveError) as error:
            self.bus.publish(LockFailed(reason=error.message))
            raise failure(error) from error
        return tell_block(work, commit)

    async def prompt(self, slot: int, text: str) -> Event | None:
        """Prompt one agent and get one reply; None for blank input. A summary that is due is made before this returns;
        one that fails raises nothing: see `banner`."""
        text = clean(text).strip()
        if not text:
            return None
        reply = await self._prompts.give(slot, text)
        await self._sums.make(ending=False)
        return reply

    async def end(self) -> None:
        """End the chapter, after summing up what is left. When that fails it is not ended."""
        work = self._work
        work.check_free()
        if self.session.pending == 0 or self.session.state != "ACTIVE":
            await work.store(allow(step(self.game, moves.End(), self.bus.time())), "The chapter ends")
            return
        trouble = await self._sums.make(ending=True)
        if trouble:
            raise TurnError(f"The chapter is not ended. {trouble} End it again to retry.")

    # --- the chapter -------------------------------------------------------------------------------------------

    async def build(self) -> Draft:
        """Write the chapter as a new draft. When that fails the older drafts stay."""
        self._work.check_free()
        await self._work.keep()
        return await self._drafts.build(await self.events())

    async def download(self, target: Path | None = None, number: int | None = None) -> Path:
        """Write the newest draft, or that of a number, to `target` or into the user's download folder. `UsageError`."""
        return await download(self.game, target, number)

    # --- stopping, resetting, closing --------------------------------------------------------------------------

    async def stop(self) -> None:
        """Esc: give up the call that runs; it counts as failed."""
        await self._work.stop()

    async def reset(self) -> str:
        """Empty all three tabs for a new session under the same name; the archived save's name."""
        work = self._work
        work.check_writable()
        await work.stop()
        await work.keep()
        before = self.game
        async with work.during("resetting", moves.Reset()):
            fresh, archived = await work.run(restart, work.save, before, work.ids(), self.bus.now)
            await work.reload(fresh)
        self._sit_down()
        self.bus.publish(SessionReset(session=self.session.session_id, archived=archived))
        return archived

    async def close(self, *, keep: bool = True) -> None:
        """Stop what runs, commit what was typed (unless `keep` is False) and release the save."""
        try:
            await self.unsent.kept()
            await self._work.close(keep=keep)
        finally:
            if self._looking:
                self._looking.cancel()
            await self._models.close()
