"""Open directed chapter."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar
from uuid import uuid4

from theact_tui.agents.direct import ACTOR, CHAPTER, LOCK
from theact_tui.engine import events as e
from theact_tui.engine.agent_runner import AgentRunner, Streamed
from theact_tui.engine.base_session import BaseSession
from theact_tui.engine.bus import Bus
from theact_tui.engine.cancellation import Stoppable, Stopped
from theact_tui.engine.direct.chapter_writer import ChapterWriter
from theact_tui.engine.direct.write_notes import fold_if_crowded, note_down
from theact_tui.errors import CallError, SaveError, SaveInUse, TurnError, UsageError
from theact_tui.exports.write_file import write_export
from theact_tui.models.ledger import Ledger
from theact_tui.models.model import Models
from theact_tui.saves.direct_codec import read_events
from theact_tui.saves.library import restart, unlock
from theact_tui.saves.save import Save
from theact_tui.story.direct import log
from theact_tui.story.direct import state as moves
from theact_tui.story.direct.as_story import as_game
from theact_tui.story.direct.blocks import lock_payload
from theact_tui.story.direct.notes_due import next_chunk
from theact_tui.story.direct.records import ChapterDraft, LogEvent, MemoryBlock, SessionRecord, Setup
from theact_tui.story.direct.state import DirectGame, Move, Stamp, actor_view, lock_view
from theact_tui.story.direct.transcript import LogTranscript, transcript
from theact_tui.story.game import Game
from theact_tui.story.text_so_far import FULL, LEAST_REST, NOTHING_ADDED, text_so_far, with_rest
from theact_tui.story.typed import Typed
from theact_tui.text import clean, words

P = ParamSpec("P")
T = TypeVar("T")

Ids = Callable[[], str]

_DOING: dict[str | None, str] = {
    "LOCKING": "the setup was being locked",
    "SUMMARIZING": "notes were being taken",
    "NARRATING": "the chapter was being written",
}


def new_id() -> str:
    return str(uuid4())


class DirectSession(BaseSession[DirectGame]):
    """Open save of direct mode. The game changes with its commit; text typed into Setup and voice is committed later."""

    BUSY = "A call is running. Wait until it ends, or stop it."
    MAIN_AGENT = "actor"

    def __init__(self, save: Save[DirectGame], game: DirectGame, models: Models, bus: Bus, ids: Ids) -> None:
        super().__init__(save, bus)
        self._agents = AgentRunner(models, bus, ledger=Ledger(save.private, bus.now))
        self.answering = 0
        """Slot of the character answering now; 0 between prompts."""
        self._ids = ids
        self._game = self._saved = game
        self._story: tuple[DirectGame, Game] | None = None
        self._work = Stoppable()
        self._summary_failure = ""
        self._update_bus()

    @classmethod
    async def start(
        cls, save: Save[DirectGame], models: Models, bus: Bus, *, ids: Ids = new_id
    ) -> DirectSession:
        """Open a session; undo work that was interrupted when the program stopped."""
        game = await asyncio.to_thread(save.load)
        session = cls(save, game, models, bus, ids)
        session.probe()
        session.report_put_aside()
        bus.publish(e.SaveOpened(title=game.info.title, recovered=save.recovered))
        await session._recover()
        await session.refresh_position()
        await session._find_typed()
        return session

    # --- what it is --------------------------------------------------------------------------------------------

    @property
    def game(self) -> DirectGame:
        return self._game

    @property
    def story(self) -> Game:
        if self._story is None or self._story[0] is not self._game:
            self._story = self._game, as_game(self._game)
        return self._story[1]

    @property
    def agents(self) -> AgentRunner:
        return self._agents

    @property
    def busy(self) -> bool:
        return self.answering > 0 or self.session.state not in ("DRAFT", "ACTIVE", "ENDED")

    @property
    def session(self) -> SessionRecord:
        return self.game.session

    @property
    def setup(self) -> Setup:
        return self.game.setup

    @property
    def name(self) -> str:
        return self.game.info.title

    @property
    def tabs(self) -> tuple[str, ...]:
        return moves.open_tabs(self.session)

    @property
    def banner(self) -> str:
        """Warning while notes are missing, or ""."""
        now = self.session
        span = next_chunk(now.prompt_index, now.pending) if now.state == "ACTIVE" else None
        return self._summary_failure or (_missing(span) if span else "")

    @property
    def transcript(self) -> LogTranscript:
        return transcript(self.session, self.game.events, more=self.game.first_prompt > 1)

    async def events(self) -> tuple[LogEvent, ...]:
        last = self.game.first_prompt - 1
        return await self.run(lambda: read_events(self.save.files(), 1, last)) + self.game.events

    # --- Setup and voice ---------------------------------------------------------------------------------------

    def edit(
        self, rule: Callable[Concatenate[DirectGame, P], DirectGame], *args: P.args, **kwargs: P.kwargs
    ) -> None:
        """Apply a rule of `story.direct.state`, as in `edit(set_name, 2, "Kara")`."""
        self.check_writable()
        self._set_game(rule(self.game, *args, **kwargs))

    def keep_typed(self, box: str, slot: int, *, sent: str = "", asked: int = 0) -> None:
        """Keep the writing box's text for a slot, and the prompt that the slot `asked` is answering."""
        old, text = self.typed, "" if box == sent else box
        after = old.after if sent and sent == old.sent else self.session.prompt_index
        self._put_typed(Typed(sent=sent, branch=self.branch, after=after, box=text, slots=(asked, slot)))

    def _waiting_changes(self) -> str:
        parts = {"setup": "Setup", "voice": "Voice", "folded": "Notes"}
        now, saved = self.game, self._saved
        changed = [word for part, word in parts.items() if getattr(now, part) != getattr(saved, part)]
        return ", ".join(changed) or ("Session" if now.session != saved.session else "")

    async def _commit_edit(self, message: str) -> None:
        game = self.game
        await self.run(self.save.commit_edit, game, message)
        self._saved = game

    # --- playing -----------------------------------------------------------------------------------------------

    async def lock(self) -> MemoryBlock:
        """Lock Setup and store its notes. On failure the session stays in DRAFT."""
        self.check_free()
        await self.commit_waiting_changes()
        async with self._step(moves.LOCK, e.LockFailed):
            answer = await self._stoppable(self.agents.ask(LOCK, lock_view(self.game)))
            payload = lock_payload(self.session, answer.reading.fields)
            game = moves.with_block(self.game, payload, (0, 0), moves.LOCKED, self._stamp())
            commit = await self._store(game, "Notes of world and chapter")
        return self._publish_block(commit)

    async def prompt(self, slot: int, text: str) -> LogEvent | None:
        """Ask a character, then take notes if due; None for blank text. Failed notes raise nothing, see `banner`."""
        text = clean(text).strip()
        if not text:
            return None
        reply = await self._exchange(slot, text)
        await self._summarize(ending=False)
        return reply

    async def retry(self, text: str | None = None, slot: int | None = None) -> LogEvent | None:
        """Retry the last prompt, perhaps reworded or with another character, as a new take. Failures change nothing."""
        self.check_free()
        if self.game.last_prompt is None:
            raise UsageError("There is no prompt to retry yet.")
        last_slot, last_text = self.game.last_prompt
        slot, text = slot or last_slot, clean(last_text if text is None else text).strip()
        moves.check_prompt(self.session, slot, text)
        if not text:
            return None
        return await self._retake(slot, text)

    async def write_on_reply(self, text: str | None = None) -> LogEvent:
        """Let the model go on from `text` (default: all of it), the beginning of the last reply, as a new take. Failures
        change nothing.
        """
        self.check_free()
        if self.game.last_prompt is None:
            raise UsageError("There is no reply yet.")
        (slot, prompt), reply = self.game.last_prompt, self.game.events[-1].text
        moves.check_prompt(self.session, slot, prompt)
        self.check_has_model(f"actor:{slot}")
        so_far = text_so_far(reply if text is None else text, reply)
        if self.agents.rest_tokens(ACTOR, f"actor:{slot}", so_far) < LEAST_REST:
            raise UsageError(FULL)
        return await self._retake(slot, prompt, so_far)

    async def _retake(self, slot: int, text: str, so_far: str = "") -> LogEvent:
        await self._navigate(self.save.begin_take)
        try:
            reply = await self._exchange(slot, text, self.takes[1], so_far)
        except BaseException:
            await self._navigate(self.save.select_take, None)
            raise
        await self._summarize(ending=False)
        return reply

    async def undo(self, turns: int | None = 1) -> int:
        """Undo prompts, or the lock."""
        if turns != 1 or self.session.prompt_index:
            return await super().undo(turns)
        await self._navigate(unlock, self.save, self.bus.now)
        self.bus.publish(e.Undone(turns=0))
        return 0

    async def _exchange(self, slot: int, text: str, take: int = 1, so_far: str = "") -> LogEvent:
        """Ask a character and store its reply. Raises `TurnError` or `SaveError` without changing anything."""
        self.check_free()
        moves.check_prompt(self.session, slot, text)
        async with self._step(failure=partial(e.PromptFailed, slot=slot, text=text)):
            name, number, asked = self.session.name_of(slot), self.session.prompt_index + 1, self._stamp()
            self.answering = slot
            self._update_bus()
            self.bus.publish(e.PromptStarted(slot=slot, name=name, prompt=number, text=text))
            try:
                reply = await self._stoppable(self._ask_actor(slot, text, take, so_far))
                self.bus.publish(e.ReplyFinished(slot=slot, name=name, prompt=number, text=reply))
                game = moves.with_exchange(self.game, slot, text, reply, asked, self._stamp())
                commit = await self.run(self.save.commit, game)
                await self.refresh_position()
            finally:
                self.answering = 0
            self._stored(game)
        self.bus.publish(e.PromptSaved(slot=slot, prompt=number, focus=self.game.focus, commit=commit))
        return self.game.events[-1]

    async def _ask_actor(self, slot: int, text: str, take: int, so_far: str) -> str:
        """Get a reply; fold notes first if they crowd the prompt. A stop keeps what came behind a text so far.

        Raises `CallError`.
        """
        key = f"actor:{slot}"
        call = self.agents.prepare(ACTOR, actor_view(self.game, slot, text, take), key)
        if folded := await fold_if_crowded(self.game, call.prompt, self.agents, self.bus):
            self._set_game(replace(self.game, folded=folded))
            call = self.agents.prepare(ACTOR, actor_view(self.game, slot, text, take), key)
        if so_far:
            call = await self.agents.write_on(call, so_far)
        streamed, name = Streamed(partial(self._stream, slot), so_far), self.session.name_of(slot)
        try:
            answer = await self.agents.call(call, on_text=streamed)
        except asyncio.CancelledError:
            if not streamed.has_grown:
                raise
            return with_rest(so_far, streamed.came, is_cut=True)
        if answer.declined:
            self.bus.warn(f"{name}'s reply reads like a refusal. F4 tells it again.")
        if so_far and not answer.reply.text.strip():
            self.bus.inform(NOTHING_ADDED)
        if answer.cut:
            self.bus.warn(f"{name}'s reply {answer.why_cut}; its last full sentence ends it.")
        return with_rest(so_far, answer.reply.text, is_cut=bool(answer.cut))

    def _stream(self, slot: int, shown: str, reasoning: str, replaced: bool) -> None:
        self.bus.publish(e.ActorToken(slot=slot, text=shown, reasoning=reasoning, replace=replaced))

    async def _summarize(self, *, ending: bool) -> str:
        """Take due notes, chunk by chunk; return the reason of a failure. `ending`: all notes are due, and the
        chapter ends.
        """
        while span := next_chunk(self.session.prompt_index, self.session.pending, ending=ending):
            enter = moves.end_chapter(self.session) if ending else moves.SUMMARIZE
            failure = partial(self._summary_failed, span)
            try:
                async with self._step(enter, failure):
                    payload = await self._stoppable(note_down(self.game, *span, self.agents))
                    done = moves.summarized(self.session, span[1], ending=ending)
                    game = moves.with_block(self.game, payload, span, done, self._stamp())
                    commit = await self._store(game, f"Notes of {log.span_text(*span)}")
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
        """Take the remaining notes and end the chapter. Raises `TurnError` if notes fail."""
        self.check_free()
        if self.session.pending == 0 or self.session.state != "ACTIVE":
            ended = moves.step(self.game, moves.end_chapter(self.session), self.bus.time())
            await self._store(ended, "The chapter ends")
        elif trouble := await self._summarize(ending=True):
            raise TurnError(f"The chapter did not end. {trouble} End it again to retry.")

    async def build(self) -> ChapterDraft:
        return await self._write_draft()

    async def write_on_draft(self, text: str | None = None, number: int | None = None) -> ChapterDraft:
        """Let the model go on from `text` (default: all of it), the beginning of draft `number` (default: the newest),
        as another draft.
        """
        draft = self._draft(number)
        self.check_has_model(CHAPTER.name)
        return await self._write_draft(
            text_so_far(draft.chapter_text if text is None else text, draft.chapter_text)
        )

    async def _write_draft(self, so_far: str = "") -> ChapterDraft:
        self.check_free()
        await self.commit_waiting_changes()
        events, started = await self.events(), self.bus.time()
        async with self._step(moves.BUILD, e.BuildFailed):
            writer = ChapterWriter(self.game, events, self.agents, self.bus, so_far)
            text = await self._stoppable(writer.write())
            game = moves.with_draft(self.game, text, started, self._stamp())
            commit = await self._store(game, f"Draft {len(game.drafts)}")
        draft = self.game.drafts[-1]
        self.bus.publish(e.DraftBuilt(draft=draft.draft_id, words=words(draft.chapter_text), commit=commit))
        return draft

    async def download(self, target: Path | None = None, number: int | None = None) -> Path:
        """Write the newest draft, or draft `number`, to `target` or a new file in `exports_folder`.

        Raises `UsageError` if there is no such draft, or it cannot be written.
        """
        text = self._draft(number).chapter_text
        home = self.folder.parents[1]
        return await asyncio.to_thread(write_export, text.encode(), target, home, self.name, "txt")

    def _draft(self, number: int | None) -> ChapterDraft:
        """Return a draft by its number, or the newest. Raises `UsageError`."""
        drafts = self.game.drafts
        if not drafts:
            raise UsageError("There is no draft yet. Build one first.")
        number = len(drafts) if number is None else number
        if not 1 <= number <= len(drafts):
            raise UsageError(f"There is no draft {number}; the last one is {len(drafts)}.")
        return drafts[number - 1]

    async def reset(self) -> str:
        """Start a new session under the same name; return the archived save's name."""
        self.check_writable()
        await self.stop()
        await self.commit_waiting_changes()
        async with self._step(moves.RESET):
            try:
                fresh, archived = await self.run(restart, self.save, self._ids(), self.bus.now)
            except SaveInUse:
                self._thread.save = await self.run(Save.open, self.save.folder)
                raise
            self._thread.save = fresh
            self.report_put_aside()
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
        """Run a step after the move `enter`; on failure undo the move and publish `failure`."""
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
        try:
            await self._work.run(self.probed())
            return await self._work.run(calls)
        except Stopped:
            calls.close()
            raise CallError("stopped", "Stopped. Nothing was changed.") from None

    async def stop(self) -> None:
        """Cancel the running call, which counts as failed, and wait for its step."""
        await self._work.stop()

    async def settle(self) -> None:
        await self._work.ended()

    async def _recover(self) -> None:
        """Undo interrupted work; for a reader it may still run elsewhere."""
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

    async def _store(self, game: DirectGame, message: str) -> str:
        commit = await self.run(self.save.commit_edit, game, message)
        self._stored(game)
        return commit

    def _stored(self, game: DirectGame) -> None:
        """Apply a committed game; keep a voice typed meanwhile."""
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


def _missing(span: tuple[int, int]) -> str:
    span_words, are = log.span_text(*span).capitalize(), "is" if span[0] == span[1] else "are"
    return f"{span_words} {are} not summarised yet. Retried with the next prompt."
