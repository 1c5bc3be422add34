"""A directed chapter, open: Setup, the lock, prompts, summaries, drafts and resetting."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar
from uuid import uuid4

from theact_tui.agents.direct import ACTOR, LOCK
from theact_tui.engine import events as e
from theact_tui.engine.agent_runner import AgentRunner
from theact_tui.engine.base_session import BaseSession
from theact_tui.engine.bus import Bus
from theact_tui.engine.cancellation import Stoppable, Stopped
from theact_tui.engine.direct.chapter_writer import ChapterWriter
from theact_tui.engine.direct.unsent_words import UnsentWords
from theact_tui.engine.direct.views import actor_view, lock_view
from theact_tui.engine.direct.write_notes import fold_if_crowded, note_down
from theact_tui.errors import CallError, SaveError, TurnError, UsageError
from theact_tui.exports.write_file import write_export
from theact_tui.models.base import Models
from theact_tui.models.ledger import Ledger
from theact_tui.saves.direct_codec import read_events
from theact_tui.saves.library import restart, unlock
from theact_tui.saves.save import Save
from theact_tui.sentences import broken_off
from theact_tui.story.direct import log
from theact_tui.story.direct import state as moves
from theact_tui.story.direct.blocks import lock_payload
from theact_tui.story.direct.models import (
    ChapterDraft,
    LogEvent,
    MemoryBlock,
    SessionRecord,
    Setup,
    Words,
    next_chunk,
)
from theact_tui.story.direct.state import DirectGame, Move, Stamp
from theact_tui.story.direct.transcript import LogTranscript, transcript
from theact_tui.text import clean, words

P = ParamSpec("P")
T = TypeVar("T")

Ids = Callable[[], str]

_DOING: dict[str | None, str] = {
    "LOCKING": "the setup was being locked",
    "SUMMARIZING": "notes were being taken",
    "NARRATING": "the chapter was being written",
}
"""What a restart tells of."""


def new_id() -> str:
    """An id never used before."""
    return str(uuid4())


class DirectSession(BaseSession[DirectGame]):
    """A save of direct mode, open. The game changes only after its commit, except for what is typed into Setup and voice,
    which `commit_pending_edits` commits."""

    BUSY = "A call is running. Wait until it ends, or stop it."
    MAIN_AGENT = "actor"

    def __init__(self, save: Save[DirectGame], game: DirectGame, models: Models, bus: Bus, ids: Ids) -> None:
        super().__init__(save, bus)
        self._agents = AgentRunner(models, bus, ledger=Ledger(save.private, bus.now))
        self.unsent = UnsentWords(self.run, save.folder, bus)
        self.answering = 0
        """The slot of who is answering now; 0 between prompts."""
        self._ids = ids
        self._game = self._saved = game
        self._work = Stoppable()
        self._summary_failure = ""
        """Why the last summary failed; empty after a success."""
        self._update_bus()

    @classmethod
    async def start(
        cls, save: Save[DirectGame], models: Models, bus: Bus, *, ids: Ids = new_id
    ) -> DirectSession:
        """A session on a save just created or opened. What was going on when the program stopped is undone."""
        game = await asyncio.to_thread(save.load)
        session = cls(save, game, models, bus, ids)
        session.probe()
        session.tell_put_aside()
        bus.publish(e.SaveOpened(title=game.info.title, recovered=save.recovered))
        await session._recover()
        await session.refresh_position()
        await session.unsent.find(session.session.prompt_index)
        return session

    # --- what it is --------------------------------------------------------------------------------------------

    @property
    def game(self) -> DirectGame:
        """Everything of the chapter that is at hand."""
        return self._game

    @property
    def agents(self) -> AgentRunner:
        return self._agents

    @property
    def busy(self) -> bool:
        """True while a step runs."""
        return self.answering > 0 or self.session.state not in ("DRAFT", "ACTIVE", "ENDED")

    @property
    def session(self) -> SessionRecord:
        return self.game.session

    @property
    def setup(self) -> Setup:
        return self.game.setup

    @property
    def name(self) -> str:
        """The save's name."""
        return self.game.info.title

    @property
    def tabs(self) -> tuple[str, ...]:
        """The tabs that can be entered now."""
        return moves.open_tabs(self.session)

    @property
    def banner(self) -> str:
        """What is to be shown while a summary is missing; else nothing."""
        now = self.session
        span = next_chunk(now.prompt_index, now.pending) if now.state == "ACTIVE" else None
        return self._summary_failure or (_missing(span) if span else "")

    @property
    def transcript(self) -> LogTranscript:
        """The window on the log, without what is being streamed."""
        return transcript(self.session, self.game.events, more=self.game.first_prompt > 1)

    async def events(self) -> tuple[LogEvent, ...]:
        """The whole log."""
        last = self.game.first_prompt - 1
        return await self.run(lambda: read_events(self.save.files(), 1, last)) + self.game.events

    # --- Setup and voice ---------------------------------------------------------------------------------------

    def edit(
        self, rule: Callable[Concatenate[DirectGame, P], DirectGame], *args: P.args, **kwargs: P.kwargs
    ) -> None:
        """Change Setup or voice by a rule of `story.direct.state`, as in `edit(set_name, 2, "Kara")`."""
        self.check_writable()
        self._set_game(rule(self.game, *args, **kwargs))

    def keep_unsent(self, texts: Mapping[int, str], given: int) -> None:
        """Let these texts by slot outlive the program; that for `given` (0: none) is being answered."""
        if not (self.closed or self.read_only):
            self.unsent.keep(Words(texts=dict(texts), given=given, prompts=self.session.prompt_index))

    def _pending_edits(self) -> str:
        parts = {"setup": "Setup", "voice": "Voice", "folded": "Notes"}
        now, saved = self.game, self._saved
        changed = [word for part, word in parts.items() if getattr(now, part) != getattr(saved, part)]
        return ", ".join(changed) or ("Session" if now.session != saved.session else "")

    async def _commit_edit(self, what: str) -> None:
        game = self.game
        await self.run(self.save.commit_edit, game, what)
        self._saved = game

    # --- playing -----------------------------------------------------------------------------------------------

    async def lock(self) -> MemoryBlock:
        """Lock Setup and store block 1. When that fails: DRAFT, with everything typed."""
        self.check_free()
        await self.commit_pending_edits()
        async with self._step(moves.LOCK, e.LockFailed):
            answer = await self._stoppable(self.agents.ask(LOCK, lock_view(self.game)))
            payload = lock_payload(self.session, answer.reading.fields)
            game = moves.with_block(self.game, payload, (0, 0), moves.LOCKED, self._stamp())
            commit = await self._store(game, "Memory of world and chapter")
        return self._publish_block(commit)

    async def prompt(self, slot: int, text: str) -> LogEvent | None:
        """Prompt one agent and get one reply; None for blank input. A summary that is due is made before this returns;
        one that fails raises nothing: see `banner`."""
        text = clean(text).strip()
        if not text:
            return None
        reply = await self._exchange(slot, text)
        await self._summarize(ending=False)
        return reply

    async def retry(self, text: str | None = None) -> LogEvent | None:
        """Give the last prompt again, with the same or other words; what was answered before stays as a take. A refusal
        or a call that fails leaves everything as it was."""
        slot, said = self._last_prompt("retry")
        text = clean(said if text is None else text).strip()
        moves.check_prompt(self.session, slot, text)
        if not text:
            return None
        await self._navigate(self.save.begin_take)
        try:
            reply = await self._exchange(slot, text, take=self.takes[1])
        except BaseException:
            await self._navigate(self.save.select_take, None)
            raise
        await self._summarize(ending=False)
        return reply

    async def undo(self, turns: int | None = 1) -> int:
        """As in `BaseSession`. Before the first prompt it takes back the lock."""
        if turns != 1 or self.session.prompt_index:
            return await super().undo(turns)
        await self._navigate(unlock, self.save, self.bus.now)
        self.bus.publish(e.Undone(turns=0))
        return 0

    async def withdraw_prompt(self) -> tuple[int, str]:
        """Go back before the last prompt to give it in other words: whose it was, and its words. It stays as a take."""
        last = self._last_prompt("undo")
        await self.commit_pending_edits()
        await self.run(self.save.keep_take)
        await self.undo()
        return last

    def _last_prompt(self, wanted: str) -> tuple[int, str]:
        """Whom the last prompt was given to, and its text. Raises `UsageError` where nothing can be `wanted` of it."""
        self.check_free()
        if self.game.last_prompt is None:
            raise UsageError(f"There is no prompt to {wanted} yet.")
        return self.game.last_prompt

    async def _exchange(self, slot: int, text: str, take: int = 1) -> LogEvent:
        """Prompt the agent in `slot`; its reply, stored. Raises `TurnError` or `SaveError`; nothing has changed then."""
        self.check_free()
        moves.check_prompt(self.session, slot, text)
        async with self._step(failure=partial(e.PromptFailed, slot=slot, text=text)):
            name, number, asked = self.session.name_of(slot), self.session.prompt_index + 1, self._stamp()
            self.answering = slot
            self._update_bus()
            self.bus.publish(e.PromptStarted(slot=slot, name=name, prompt=number, text=text))
            try:
                reply = await self._stoppable(self._ask_actor(slot, text, take))
                self.bus.publish(e.ReplyFinished(slot=slot, name=name, prompt=number, text=reply))
                game = moves.with_exchange(self.game, slot, text, reply, asked, self._stamp())
                commit = await self.run(self.save.commit, game)
                await self.refresh_position()
            finally:
                self.answering = 0
            self._stored(game)
        self.bus.publish(e.PromptSaved(slot=slot, prompt=number, focus=self.game.focus, commit=commit))
        return self.game.events[-1]

    async def _ask_actor(self, slot: int, text: str, take: int) -> str:
        """The reply of the agent in `slot`; notes that crowd its prompt are folded before. Raises `CallError`."""
        key = f"actor:{slot}"
        call = self.agents.prepare(ACTOR, actor_view(self.game, slot, text, take), key)
        if folded := await fold_if_crowded(self.game, call.prompt, self.agents, self.bus):
            self._set_game(replace(self.game, folded=folded))
            call = self.agents.prepare(ACTOR, actor_view(self.game, slot, text, take), key)
        answer = await self.agents.call(call, on_text=partial(self._stream, slot))
        reply = clean(answer.reply.text).strip()
        if not answer.cut:
            return reply
        name = self.session.name_of(slot)
        self.bus.warn(f"{name}'s reply {answer.why_cut}; its last full sentence ends it.")
        return broken_off(reply)

    def _stream(self, slot: int, shown: str, reasoning: str, replaced: bool) -> None:
        self.bus.publish(e.ActorToken(slot=slot, text=shown, reasoning=reasoning, replace=replaced))

    async def _summarize(self, *, ending: bool) -> str:
        """Sum up what is due, chunk after chunk; why it went no further, if something failed.

        `ending`: all that is left is due, and the chapter has ended when it is done.
        """
        while span := next_chunk(self.session.prompt_index, self.session.pending, ending=ending):
            enter = moves.end(self.session) if ending else moves.SUMMARIZE
            failure = partial(self._summary_failed, span)
            try:
                async with self._step(enter, failure):
                    payload = await self._stoppable(note_down(self.game, *span, self.agents))
                    done = moves.summarized(self.session, span[1], ending=ending)
                    game = moves.with_block(self.game, payload, span, done, self._stamp())
                    commit = await self._store(game, f"Memory of {log.span_text(*span)}")
            except (CallError, SaveError) as error:
                return error.message
            self._summary_failure = ""
            self._publish_block(commit)
        return ""

    def _summary_failed(self, span: tuple[int, int], reason: str) -> e.DeltaFailed:
        self._summary_failure = f"{_missing(span)} {reason}"
        return e.DeltaFailed(first=span[0], last=span[1], reason=reason)

    def _publish_block(self, commit: str) -> MemoryBlock:
        block = self.game.blocks[-1]
        first, last = block.from_prompt_index, block.to_prompt_index
        self.bus.publish(
            e.BlockStored(block=block.block_id, kind=block.type, first=first, last=last, commit=commit)
        )
        return block

    # --- the chapter -------------------------------------------------------------------------------------------

    async def end(self) -> None:
        """End the chapter, after summing up what is left. When that fails it is not ended."""
        self.check_free()
        if self.session.pending == 0 or self.session.state != "ACTIVE":
            ended = moves.step(self.game, moves.end(self.session), self.bus.time())
            await self._store(ended, "The chapter ends")
        elif trouble := await self._summarize(ending=True):
            raise TurnError(f"The chapter did not end. {trouble} End it again to retry.")

    async def build(self) -> ChapterDraft:
        """Write the chapter as a new draft, stored. When that fails the older drafts stay."""
        self.check_free()
        await self.commit_pending_edits()
        events, started = await self.events(), self.bus.time()
        async with self._step(moves.BUILD, e.BuildFailed):
            writer = ChapterWriter(self.game, events, self.agents, self.bus)
            text = await self._stoppable(writer.write())
            game = moves.with_draft(self.game, text, started, self._stamp())
            commit = await self._store(game, f"Draft {len(game.drafts)}")
        draft = self.game.drafts[-1]
        self.bus.publish(e.DraftBuilt(draft=draft.draft_id, words=words(draft.chapter_text), commit=commit))
        return draft

    async def download(self, target: Path | None = None, number: int | None = None) -> Path:
        """Write the newest draft, or the one of this number from 1, to `target` or a new file in `exports_folder`; the file.

        Raises `UsageError` when there is no such draft, or it cannot be written.
        """
        drafts = self.game.drafts
        if not drafts:
            raise UsageError("There is no draft to download yet. Build one first.")
        number = len(drafts) if number is None else number
        if not 1 <= number <= len(drafts):
            raise UsageError(f"There is no draft {number}; the last one is {len(drafts)}.")
        text = drafts[number - 1].chapter_text
        home = self.folder.parents[1]
        return await asyncio.to_thread(write_export, text.encode(), target, home, self.name, "txt")

    async def reset(self) -> str:
        """Empty all three tabs for a new session under the same name; the archived save's name."""
        self.check_writable()
        await self.stop()
        await self.commit_pending_edits()
        async with self._step(moves.RESET):
            fresh, archived = await self.run(restart, self.save, self._ids(), self.bus.now)
            self._thread.save = fresh
            self.tell_put_aside()
            await self._accept_state(await self.run(fresh.load))
        models, ledger = self.agents.models, Ledger(fresh.private, self.bus.now)
        self._agents = AgentRunner(models, self.bus, ledger=ledger)
        self.bus.publish(e.SessionReset(session=self.session.session_id, archived=archived))
        return archived

    # --- a step and the state around it ------------------------------------------------------------------------

    @asynccontextmanager
    async def _step(
        self, enter: Move | None = None, failure: Callable[..., e.Event] | None = None
    ) -> AsyncIterator[None]:
        """One step: the move it begins with, which is taken back when it fails, and what is published then."""
        try:
            async with self.exclusive():
                before = self.game
                if enter:
                    self._set_game(moves.step(self.game, enter, self.bus.time()))
                is_marked = self.session.state in _DOING
                try:
                    with self._work.begin():
                        if is_marked:
                            await self.run(self.save.unfinished.mark, self.session.state)
                        yield
                except BaseException:
                    self._set_game(replace(before, voice=self.game.voice, folded=self.game.folded))
                    raise
                finally:
                    if is_marked:
                        await self.run(self.save.unfinished.mark, None)
        except (CallError, SaveError) as error:
            if failure:
                self.bus.publish(failure(reason=error.message))
            raise

    async def _stoppable(self, calls: Coroutine[None, None, T]) -> T:
        """Make calls that `stop` may give up, once the models were reached. Raises `CallError`."""
        try:
            await self._work.run(self.probed())
            return await self._work.run(calls)
        except Stopped:
            calls.close()
            raise CallError("stopped", "Stopped. Nothing was changed.") from None

    async def stop(self) -> None:
        """Esc: give up the call that runs, if any; it counts as failed. Waits until its step has ended."""
        await self._work.stop()

    async def settle(self) -> None:
        """Wait until no step runs."""
        await self._work.ended()

    async def _recover(self) -> None:
        """Undo what was going on when the program stopped. For a reader it may still be going on elsewhere."""
        marked = None if self.read_only else await self.run(self.save.unfinished.marked)
        self._game = replace(self.game, session=moves.recovered(self.session))
        if marked in _DOING:
            self.bus.warn(f"The program stopped while {_DOING[marked]}. Your text is safe; try again.")
            await self.run(self.save.unfinished.mark, None)

    # --- changing the game -------------------------------------------------------------------------------------

    def _stamp(self) -> Stamp:
        return Stamp(self._ids(), self.bus.time())

    def _set_game(self, game: DirectGame) -> None:
        before, self._game = self.session.state, game
        self._update_bus()
        if before != game.session.state:
            self.bus.publish(e.StateChanged(before=before, after=game.session.state))

    async def _store(self, game: DirectGame, what: str) -> str:
        """Commit `game` between two prompts; only then it is the current one."""
        commit = await self.run(self.save.commit_edit, game, what)
        self._stored(game)
        return commit

    def _stored(self, game: DirectGame) -> None:
        """`game` was committed. What was typed into the voice meanwhile stays."""
        self._saved = game
        self._set_game(replace(game, voice=self.game.voice))

    async def _accept_state(self, game: DirectGame) -> None:
        self._saved = game
        self._set_game(game)
        await self.refresh_position()
        self._update_bus()
        self._summary_failure = ""

    def _update_bus(self) -> None:
        self.bus.save, self.bus.branch = self.folder.name, self.branch
        self.bus.turn = self.session.prompt_index + (self.answering > 0)

    # --- leaving -----------------------------------------------------------------------------------------------

    async def close(self, *, keep: bool = True) -> None:
        """Stop what runs, commit what was typed (unless `keep` is False) and release the save."""
        await self.unsent.written()
        await super().close(keep=keep)


def _missing(span: tuple[int, int]) -> str:
    what, are = log.span_text(*span).capitalize(), "is" if span[0] == span[1] else "are"
    return f"{what} {are} not summarised yet. Retried with the next prompt."
