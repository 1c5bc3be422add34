"""Open story to play: turns, retries, presence, pins and edits."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec

from theact_tui.engine import events
from theact_tui.engine.agent_runner import AgentRunner
from theact_tui.engine.base_session import MOVES, BaseSession
from theact_tui.engine.bus import Bus
from theact_tui.engine.cancellation import Stoppable
from theact_tui.engine.choose_models import ModelsChooser
from theact_tui.engine.pack_edits import PackEdits
from theact_tui.engine.seats import Seats, seats_folder
from theact_tui.engine.turn import Phase, StoryState, TurnRunner
from theact_tui.engine.turn_context import fault
from theact_tui.engine.turn_steps import TurnInProgress
from theact_tui.errors import SaveError, UsageError
from theact_tui.models.ledger import Ledger
from theact_tui.models.model import Models
from theact_tui.packs.listing import OUTLINE
from theact_tui.story.character_view import apply_turn, with_lore_learned
from theact_tui.story.edits import Edit, set_hearers
from theact_tui.story.edits_since import with_edits_since
from theact_tui.story.game import Game, Spoken
from theact_tui.story.pack import Pack
from theact_tui.story.scene import scene_of
from theact_tui.story.script import Script
from theact_tui.story.steering import Standing, Steering
from theact_tui.story.text_so_far import text_so_far
from theact_tui.story.turn import Turn
from theact_tui.story.typed import LINE_LIMIT, Typed, as_line
from theact_tui.text import clean, one_line

if TYPE_CHECKING:
    from theact_tui.saves.save import Save

P = ParamSpec("P")

ModelsFor = Callable[[Pack, int], Models]

LEAVING_SECONDS = 1.5
"""Seconds that leaving or esc waits for the work after the last turn."""
NO_REPLY = "Nobody answered in the last turn."


class StorySession(BaseSession[Game]):
    """Open save of play mode. Presence and pins are committed before the next turn or on leaving, other edits at once."""

    BUSY = "A turn is in progress. Wait until it ends, or stop it."
    MAIN_AGENT = "narrator"

    def __init__(
        self, save: Save[Game], game: Game, models: ModelsFor, bus: Bus, *, chosen: Models | None = None
    ) -> None:
        chosen = chosen or models(game.pack, game.info.seed)
        agents = AgentRunner(chosen, bus, pack=game.pack, ledger=Ledger(save.private))
        super().__init__(save, bus)
        self._state = StoryState(game, agents)
        self._choose_models = models
        self._runner = TurnRunner(self._state, self._thread, bus, self._commit_turn)
        self.seats = Seats(
            seats_folder(save.folder), bus, agents.people, lambda: self._state.newest, self.turns
        )
        self.pack_edits: PackEdits | None = None
        self.check_file: Callable[[Path], object] = lambda _: None
        """Raises `UsageError` to refuse a file."""
        self.is_trial = False
        """True for a trial of an unfinished pack."""
        self.wants_memories = False
        """True while memories of older turns are being written."""
        self.catching_up = Stoppable()
        self._changed: list[str] = []
        """Changes since the last commit."""
        self._reads_ahead = False
        bus.listen(self._moved)
        bus.save, bus.branch, bus.turn = save.folder.name, save.branch, game.state.turn

    @classmethod
    async def start(
        cls,
        save: Save[Game],
        models: ModelsFor,
        bus: Bus,
        *,
        chosen: Models | None = None,
        packs: Path | None = None,
    ) -> StorySession:
        """Open a session: finish a spoken, unsaved turn, announce a line without a turn, watch the folder `packs`."""
        game = await asyncio.to_thread(save.load)
        session = cls(save, game, models, bus, chosen=chosen)
        if packs and not save.read_only:
            session.pack_edits = PackEdits(session, packs, session.edit)
        await session.refresh_position()
        session.probe()
        bus.publish(events.SaveOpened(title=game.info.title, recovered=save.recovered))
        session.start_edit_scan()
        if save.read_only:
            session.watch()
        spoken = await session.run(save.unfinished.journalled)
        await session._find_typed()
        if sent := session.typed.sent:
            bus.publish(events.UnsentFound(text=sent))
        if spoken is not None and not save.read_only:
            await session.edits_scanned()
            await session._finish_spoken(spoken)
        return session

    async def _finish_spoken(self, spoken: Spoken) -> None:
        try:
            game = apply_turn(self.game, spoken)
            if strangers := {*spoken.present, *spoken.held} - set(game.pack.characters):
                raise SaveError(
                    f"Nobody here is called {', '.join(sorted(strangers))}."
                )  # it could not be read again
        except Exception as error:  # else the story could never be opened again
            name = await self.run(self.save.unfinished.put_spoken_aside)
            await self._accept_state(await self.run(self.save.select_take, None))
            notice = f"The told turn {spoken.turn.number} is kept in .git/{name}."
            self.bus.publish(events.Notice(text=f"{fault('Going on', error)} {notice}", level="error"))
            return
        self._state.move_to(self.game, game)
        self.bus.turn = spoken.turn.number
        self.bus.inform(f"Turn {spoken.turn.number} was not saved yet. It is finished now.")
        self._runner.finish(game)

    @property
    def game(self) -> Game:
        return self._state.game

    @property
    def story(self) -> Game:
        return self._state.game

    @property
    def last_turn(self) -> Turn | None:
        return self._runner.last_turn

    @property
    def agents(self) -> AgentRunner:
        return self._state.agents

    @property
    def steering(self) -> Standing:
        return self.game.state.steering

    @property
    def phase(self) -> Phase:
        return self._runner.phase

    @property
    def busy(self) -> bool:
        return self._runner.is_telling

    @asynccontextmanager
    async def exclusive(self, *, turn: bool = False) -> AsyncIterator[None]:
        """As in `BaseSession`; a turn interrupts writing memories of older turns."""
        if turn:
            await self.catching_up.stop()
        async with super().exclusive(turn=turn):
            yield

    # --- playing -----------------------------------------------------------------------------------------------

    async def open_story(self) -> Turn | None:
        async with self.exclusive(turn=True):
            await self._settle_for_turn()
            if self.game.state.turn:
                raise UsageError("The story has already started.")
        return await self._run_turn(self._runner.new_turn(self.game, ""))

    async def play(self, text: str) -> Turn | None:
        """Play one turn and return when it is spoken; None if blank or stopped.

        Raises `UsageError` for a long input; `TurnError`, changing nothing, if the narrator failed.
        """
        text = _checked(text)
        if not text:
            return None
        if unknown := scene_of(self.game, text).unknown_hearers:
            name = one_line(unknown[0], 40)
            raise UsageError(
                f"Nobody in this chapter is called {name}, so nobody would hear this. Correct the name."
            )
        async with self.exclusive(turn=True):
            self._runner.defer_remaining()
            await self._keep_sent(as_line(text))
            await self._settle_for_turn()
        return await self._run_turn(self._runner.new_turn(self.game, text))

    async def go_on(self, *, asked: Sequence[str] = (), direction: str = "") -> Turn | None:
        """Tell the opening or a turn without a line; None if stopped. Characters `asked` answer in this order.

        Raises as `play`, and `UsageError` for an absent character.
        """
        async with self.exclusive(turn=True):
            self._runner.defer_remaining()
            await self._keep_sent(f"/tell {direction}" if direction else "")
            await self._settle_for_turn()
            if away := [name for name in asked if name not in self.game.state.present]:
                raise UsageError(f"{self.game.pack.name_of(away[0])} is not here. Use /present first.")
        steering = self._steered(asked=tuple(asked), direction=direction)
        return await self._run_turn(self._runner.new_turn(self.game, "", steering=steering))

    async def direct(self, text: str) -> Turn | None:
        """Tell a turn by a direction; None if stopped. Raises as `play`."""
        if not (text := _checked(text)):
            raise UsageError("The direction is missing. Usage: /tell text")
        return await self.go_on(direction=text)

    @property
    def profiles(self) -> tuple[str, ...]:
        chooser = self._choose_models
        return tuple(chooser.settings.profiles) if isinstance(chooser, ModelsChooser) else ()

    def models_with(self, seed: int) -> ModelsFor:
        chooser = self._choose_models
        return replace(chooser, seed=seed, pace=None) if isinstance(chooser, ModelsChooser) else chooser

    async def retry_by(self, profile: str) -> Turn | None:
        """Retry with a profile's models; return when the take is saved, None if stopped. Raises `UsageError`."""
        if not isinstance(self._choose_models, ModelsChooser):
            raise UsageError("No other model is connected here.")
        self.check_free()
        other = self._choose_models.by_profile(profile)(self.game.pack, self.game.info.seed)
        try:
            for sentence in await other.probe():
                self.bus.warn(sentence)
            turn = await self.retry(agents=self.agents.with_models(other, profile=profile))
            await self.settle()
            return turn
        finally:
            await other.close()
            self.warm_up()

    async def retry(
        self, text: str | None = None, *, direction: str | None = None, agents: AgentRunner | None = None
    ) -> Turn | None:
        """Tell the last turn again as a new take, with the same or an edited input. Work after the last take stays
        pending.

        `direction` None keeps the last take's, unless the input changed. `agents` default to the story's.
        """
        async with self._telling_again() as (base, last, new_turn):
            line = last.player_text if text is None else _checked(text)
            steering = self._steered_again(base, last if text is None else None, direction)
            if line != last.player_text:
                await self._keep_sent(as_line(line, again=True))
        return await self._run_turn(new_turn(line, steering=steering, agents=agents))

    async def retry_reply(self, character: str = "") -> Turn | None:
        """Retry a reply (default: the last) as a new take; returns and raises as `retry`."""
        async with self._telling_again() as (_, last, new_turn):
            speakers = [entry.character or "" for entry in last.replies]
            if not speakers:
                raise UsageError(NO_REPLY)
            if (reply := character or speakers[-1]) not in speakers:
                name = self.game.pack.name_of(character)
                raise UsageError(f"{name} said nothing in the last turn. /ask lets somebody answer.")
        return await self._run_turn(new_turn(last.player_text, steering=last.steering), reply)

    async def write_on(self, text: str | None = None, reply: str = "") -> Turn | None:
        """Let the model go on from `text` (default: all of it), the beginning of the last page or of a character's
        `reply`, as a new take; returns and raises as `retry`.
        """
        key = f"character:{reply}" if reply else self.MAIN_AGENT
        self.check_has_model(key)
        async with self._telling_again() as (base, last, new_turn):
            texts = {entry.character or "": entry.text for entry in last.replies}
            texts |= {"": last.narration} if last.narration else {}
            if reply not in texts:
                who = self.game.pack.name_of(reply) if reply else "The narrator"
                raise UsageError(f"{who} said nothing in the last turn.")
            if by := next((entry.by for entry in last.replies if entry.character == reply and entry.by), ""):
                raise UsageError(f"{by} wrote this at a seat, and a model does not go on from it.")
            so_far = text_so_far(texts[reply] if text is None else text, texts[reply])
            steering = last.steering if reply else self._steered_again(base, last)
            turn = new_turn(last.player_text, steering=steering, so_far=so_far)
            turn.check_room(reply)
        return await self._run_turn(turn, reply)

    @asynccontextmanager
    async def _telling_again(self) -> AsyncIterator[tuple[Game, Turn, Callable[..., TurnInProgress]]]:
        """Yield the game before the last turn, that turn, and what begins a further take of it; work after it that is
        left stays pending.
        """
        async with self.exclusive(turn=True):
            await self._runner.cut_short()
            await self.settle()
            commit, base, last = await self._before_last_turn()
            yield base, last, partial(self._runner.new_turn, base, take=self.takes[1] + 1, base=commit)

    def _steered_again(self, base: Game, last: Turn | None, direction: str | None = None) -> Steering:
        """Return how the turn after `base` is told as `last` was; a `direction` takes the place of its own."""
        before = (last.steering if last else None) or Steering()
        asked = tuple(name for name in before.asked if name in base.state.present)
        return self._steered(
            direction=before.direction if direction is None else _checked(direction), asked=asked
        )

    async def _settle_for_turn(self) -> None:
        """Save what was told and decided: every turn is told from a commit, so that a retry begins with it too."""
        await self.settle()
        await self.commit_waiting_changes()

    async def _before_last_turn(self) -> tuple[str, Game, Turn]:
        """Return the last turn and the game to tell it again from, with its commit."""
        last = self.game.last_turn
        if last is None:
            raise UsageError("There is no turn to retry yet.")
        before = await self.story_at(last.number - 1)
        told, edited = await self.run(self.save.last_turn_and_edits)
        base = with_edits_since(before, told, self.game)
        for turn in edited:
            base = with_lore_learned(base.with_turn(turn), turn)
        return await self.run(self.save.edited_base, before, base, edited), base, last

    async def ask_stage(self) -> bool:
        """Ask the model again who perceived the last turn; False if it failed or was stopped."""
        async with self.exclusive():
            last = self.game.last_turn
            if last is None:
                raise UsageError("There is no turn yet.")
            base = await self._with_turns_around(last.number)
            game = await self._runner.ask_stage(base, last)
            if game is not None:
                await self.apply(Edit(game, f"who heard turn {last.number} asked again"), base)
        await self._answer_if_silent(last)
        return game is not None

    async def decide_hearers(self, number: int, ids: Sequence[str] | None) -> None:
        """Decide who alone perceived a turn (None: all present). Raises `UsageError` if there is no such turn."""
        await self.settle()
        before = self.game.turns.get(number)
        await self.edit_turn(number, set_hearers, ids)
        await self._answer_if_silent(before)

    async def _answer_if_silent(self, before: Turn | None) -> None:
        """Let the last turn be answered if nobody did `before` it was decided who heard it."""
        if before is None or not before.is_pending or before.replies:
            return
        if before.number != self.game.state.turn:
            return
        async with self.exclusive(turn=True):
            _, base, turn = await self._before_last_turn()
        if turn.is_pending or turn.completed_chapter:
            return
        telling = self._runner.new_turn(base, turn.player_text, steering=turn.steering)
        game = await self._runner.add_replies(telling, turn)
        async with self.exclusive():
            await self.apply(Edit(game, f"turn {turn.number} answered"))
        saved = events.TurnSaved(commit=self.save.head, chapter=turn.chapter, pending=len(game.state.pending))
        self.bus.publish(saved)

    def read_ahead(self) -> None:
        self._reads_ahead = True
        self.warm_up()

    def warm_up(self) -> None:
        """Send the start of the next prompt ahead, if wanted and idle."""
        if self._reads_ahead and not self.closed and not self.read_only:
            if task := self._background.get("warming"):
                task.cancel()
            self._begin("warming", self._warm_up())

    async def _warm_up(self) -> None:
        await self.probed()
        async with self._lock:  # a line that waits is told first
            if not self.wants_memories:
                self._runner.warm_up()

    def _moved(self, event: events.Event) -> None:
        if isinstance(event, (*MOVES, events.ModelsChanged)):
            self.warm_up()

    def _steered(self, **once: object) -> Steering:
        return Steering.model_validate({**dict(self.game.state.steering), **once})

    async def _run_turn(self, telling: TurnInProgress, reply: str = "") -> Turn | None:
        """Tell a turn. Await nothing between the exclusive block that read its game and this."""
        self.check_free()
        turn = await self._runner.run_turn(telling, reply)
        if turn is not None:
            self._put_typed(Typed(box=self.typed.box))
            self._changed.clear()  # a retry took over what was decided since
            if turn.number == 1 and self.offline and self.game.pack.script == Script():
                self.bus.warn(OUTLINE)
        return turn

    async def stop(self) -> None:
        """Cancel the narration, end the replies, or give after-turn work a moment; stop writing older memories."""
        self.wants_memories = False
        await self.catching_up.stop()
        await self._runner.stop()
        await self._runner.cut_short(LEAVING_SECONDS)

    async def settle(self) -> None:
        await self._runner.settle()

    async def _release(self) -> None:
        await self.seats.close()
        await super()._release()

    async def _commit_turn(self, game: Game) -> str:
        commit = await self.run(self.save.commit, game.trimmed(), game.turns.values())
        await self.refresh_position()
        return commit

    # --- what is typed -----------------------------------------------------------------------------------------

    async def _keep_sent(self, line: str) -> None:
        """Keep a line until its turn is told, and the text behind it."""
        await self._typed.written()
        last, box = self.last_turn, self.typed.box
        self._typed.value = Typed(
            sent=line,
            branch=self.branch,
            after=last.number if last else 0,
            box="" if box.strip() == line.strip() else box,
        )
        await self._write_typed(self.typed)

    def keep_typed(self, box: str, *, behind: bool = False) -> None:
        """Keep the writing box's text: `behind` a line on its way, else in place of a line that came back."""
        typed = self.typed
        if not typed.sent or box.strip() != typed.sent.strip():
            self._put_typed(typed.model_copy(update={"box": box}) if behind else Typed(box=box))

    async def _navigate(self, move: Callable[..., Game], *args: Any) -> int:
        self.check_free()
        await self._runner.cut_short()
        return await super()._navigate(move, *args)

    async def branch_at(self, name: str, turn: int | None = None, of: str | None = None) -> str:
        self.check_free()
        await self._runner.cut_short(LEAVING_SECONDS)
        return await super().branch_at(name, turn, of)

    # --- who tells it ------------------------------------------------------------------------------------------

    async def use_models(self, models: ModelsFor) -> None:
        """Use other models. If choosing them raises, nothing changes."""
        async with self.exclusive():
            pass  # a running turn would go on with the models that are closed below
        old = self.agents.models
        self._state.agents = self.agents.with_models(models(self.game.pack, self.game.info.seed))
        self._choose_models = models
        self.probe()
        await old.close()
        self.bus.publish(events.ModelsChanged(model=self.agents.model(self.MAIN_AGENT).name))

    # --- edits -------------------------------------------------------------------------------------------------

    async def edit(
        self, rule: Callable[Concatenate[Game, P], Edit], *args: P.args, **kwargs: P.kwargs
    ) -> None:
        """Change the game by a rule, as in `edit(pin_line, "maya", 2, pinned=True)`. Raises what the rule raises."""
        async with self.exclusive():
            change = rule(self.game, *args, **kwargs)
            await self.apply(change)

    async def edit_turn(
        self, number: int, rule: Callable[Concatenate[Game, Turn, P], Edit], *args: P.args, **kwargs: P.kwargs
    ) -> None:
        """Change a turn by a rule, as in `edit_turn(3, set_heard, "maya", "none")`."""
        async with self.exclusive():
            await self.commit_waiting_changes()
            game = await self._with_turns_around(number)
            if not (turn := game.turns.get(number)):
                raise UsageError(f"There is no turn {number}.")
            await self.apply(rule(game, turn, *args, **kwargs), game)

    async def _with_turns_around(self, number: int) -> Game:
        turns = await self.turns(number - 1, number + 1)
        return replace(self.game, turns={**{turn.number: turn for turn in turns}, **self.game.turns})

    async def apply(self, change: Edit, base: Game | None = None) -> None:
        """Apply an edit of `base` (default: the game), within `exclusive`. Raises `SaveError`, changing nothing, if
        it cannot be saved.
        """
        before, base = self.game, base or self.game
        if change.game is base:
            return
        turns = [turn for number, turn in change.game.turns.items() if turn is not base.turns.get(number)]
        self._state.move_to(change.game)
        self._changed.append(change.what)
        if not change.waits:
            try:
                await self._commit_edit(self._waiting_changes(), *turns)
            except BaseException:
                self._state.move_to(before)
                self._changed.pop()
                raise
        self.bus.publish(events.Edited(what=change.what))
        was, now = before.state, change.game.state
        if (now.present, now.held) != (was.present, was.held):
            self.bus.publish(events.PresenceChanged(present=now.present))

    async def _scan_edits(self) -> None:
        await super()._scan_edits()
        if self.pack_edits and (files := await self.pack_edits.news()):
            self.bus.publish(events.PackChanged(files=files))

    def _waiting_changes(self) -> str:
        return "; ".join(dict.fromkeys(self._changed))

    async def _commit_edit(self, message: str, *turns: Turn) -> None:
        await self.run(self.save.commit_edit, self.game, message, turns)
        self._changed.clear()

    async def _accept_state(self, game: Game) -> None:
        self._state.move_to(game)
        await self.refresh_position()
        if (self.typed.branch, self.typed.after) != (self.branch, game.state.turn):
            self._put_typed(Typed(box=self.typed.box))  # the line was meant for another place of the story
        self.bus.branch, self.bus.turn = self.branch, game.state.turn


def _checked(text: str) -> str:
    """Clean an input. Raises `UsageError` if too long."""
    text = clean(text).strip()
    if len(text) > LINE_LIMIT:
        raise UsageError(f"Too long: {len(text):,} characters; the limit is {LINE_LIMIT:,}.")
    return text
