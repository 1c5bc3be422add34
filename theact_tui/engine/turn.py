"""Telling a turn: keeper, narrator, then the characters one after another; then the work after it, and its commit."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeVar

from theact_tui.agents.base import Agent
from theact_tui.agents.character import CHARACTER
from theact_tui.agents.keeper import KEEPER
from theact_tui.agents.narrator import NARRATOR
from theact_tui.agents.steering import LONGER
from theact_tui.engine.after_turn import PostTurn
from theact_tui.engine.agent_runner import AgentReply, AgentRunner, CallTally, PreparedCall, TurnContext
from theact_tui.engine.bus import Bus
from theact_tui.engine.chapter_end import fold, turn_size, view_room
from theact_tui.engine.events import (
    CharacterFinished,
    CharacterStarted,
    CharacterToken,
    DiceRolled,
    NarrationFinished,
    NarrationToken,
    Notice,
    TurnCancelled,
    TurnFailed,
    TurnSaved,
    TurnSpoken,
    TurnStarted,
)
from theact_tui.engine.stoppable import Stoppable, Stopped
from theact_tui.engine.views import keeper_view, narrator_view, setting_of
from theact_tui.errors import CallError, SaveError, TurnError
from theact_tui.models.base import View
from theact_tui.parsing.replies import NarratorReply
from theact_tui.saves.save_thread import SaveThread
from theact_tui.story.chapters import moment_of
from theact_tui.story.dice import is_risky, resolution_of, roll
from theact_tui.story.game import Game, Pending, Spoken
from theact_tui.story.hearing import is_confided, named_in, spoken
from theact_tui.story.matching import plain
from theact_tui.story.secrets import decisions_of
from theact_tui.story.steering import Length, Steering
from theact_tui.story.transitions import with_pending, with_spoken
from theact_tui.story.turn import WHOLE, Entry, Heard, Ruling, Turn
from theact_tui.story.views import NarratorView, Viewpoint
from theact_tui.story.witness import (
    attendance,
    awake_before,
    goes_by,
    hearing,
    may_answer,
    presence_after,
    viewpoint_of,
)
from theact_tui.storyteller.book import fill
from theact_tui.text import clean, one_line, whole_sentences

V = TypeVar("V", bound=View)
LONGEST_SETTING = 80
"""Characters of what a narrator says of place and hour."""


SCRIPT_TURNS = 200
"""Turns back to which the offline storyteller is reminded of what it told."""


@dataclass(slots=True)
class TurnDraft:
    """A turn while it is being told, and what was decided on the way."""

    game: Game
    """The game before the turn."""
    kind: str
    text: str
    take: int = 1
    steering: Steering = field(default_factory=Steering)
    told_by: str = ""
    earlier: tuple[Turn, ...] = ()
    """What a script has told, so that it does not repeat itself; empty for a model."""
    ruling: Ruling | None = None
    rolls: int = 0
    narration: str = ""
    mood: str = "calm"
    setting: str = ""
    """Place and hour, as the narrator said last."""
    present: tuple[str, ...] = ()
    asleep: tuple[str, ...] = ()
    heard: dict[str, Heard] = field(default_factory=dict)
    """What each witness hears of it."""
    replies: list[Entry] = field(default_factory=list)
    repaired: list[str] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    tally: CallTally = field(default_factory=CallTally)

    @property
    def number(self) -> int:
        return self.game.state.turn + 1

    @property
    def unaware(self) -> tuple[str, ...]:
        """Who is there, awake, and hears nothing of it, as the narrator said."""
        return tuple(name for name in self.present if name not in self.heard and name not in self.asleep)

    @property
    def so_far(self) -> list[Entry]:
        """What has been told yet, in the order in which it happened."""
        player = [Entry(role="player", text=self.text)] if self.text else []
        return [*player, Entry(role="narrator", text=self.narration), *self.replies]


def _notice(bus: Bus, draft: TurnDraft, text: str) -> None:
    draft.notices.append(text)
    bus.publish(Notice(text=text, level="warning"))


async def consult_keeper(draft: TurnDraft, agents: AgentRunner, bus: Bus) -> None:
    """Roll and let the keeper say what it means, if the pack wants it for this input. Never stops a turn."""
    game = draft.game
    draft.rolls = game.state.rolls
    mode = game.pack.game.keeper
    if not draft.text or mode == "off" or (mode == "risky" and not is_risky(draft.text, game.pack.game)):
        return
    die = roll(game.info.seed, game.state.rolls)
    draft.rolls += 1
    difficulty = game.pack.game.difficulty
    resolution = resolution_of(die, difficulty)
    moment = None
    view = keeper_view(game, draft.text, die, draft.take)
    try:
        reply = (await agents.ask(KEEPER, view, key="keeper", tally=draft.tally)).reply
        resolution = resolution_of(die, difficulty, one_line(reply.resolution, 200))
        moment = moment_of(
            draft.number, reply.moment_type, one_line(reply.moment_summary, 200), reply.moment_significance
        )
    except CallError as error:
        _notice(bus, draft, f"No ruling from the keeper; the dice decide alone. {error.message}")
    draft.ruling = Ruling(resolution=resolution, roll=die, difficulty=difficulty, moment=moment)
    bus.publish(DiceRolled(roll=die, difficulty=difficulty, resolution=resolution))


async def prepare_narration(draft: TurnDraft, agents: AgentRunner, bus: Bus) -> PreparedCall[NarratorView]:
    """The narrator's call. When it would not hold all verbatim turns, the draft's game is folded first."""
    narrator = _sized(NARRATOR, draft.steering.length)
    call = agents.prepare(narrator, _narrator_view(draft, agents))
    if call.prompt.whole:
        return call
    sections = call.prompt.sections
    held = sum(s.tokens for s in sections if s.priority == "turn" and s.kept != "dropped")
    draft.game = await fold(draft.game, TurnContext(agents, bus, draft.tally), held=held)
    return agents.prepare(narrator, _narrator_view(draft, agents))


def written_page(draft: TurnDraft, agents: AgentRunner) -> str:
    """The authored text of a chapter's first page, if this take has one: then nobody is asked to write it.

    What a script holds is only told to models so; the offline storyteller knows it, and what belongs to it."""
    chapter = draft.game.chapter
    if draft.kind == "play" or draft.text:
        return ""
    pages = chapter.openings
    if not pages and draft.kind == "opening" and agents.model().provider != "storyteller":
        script = draft.game.pack.script.chapters.get(chapter.id)
        pages = (script.opening, *script.opened.others) if script and script.opening else ()
    return fill(pages[draft.take - 1], draft.game.info.player.name) if draft.take <= len(pages) else ""


def tell_written(draft: TurnDraft, page: str, bus: Bus) -> tuple[str, ...]:
    """Tell an authored page; returns the ids of those who answer: those for whom the script has a line there."""
    script = draft.game.pack.script.chapters.get(draft.game.chapter.id)
    draft.narration = clean(page).strip()
    draft.present = draft.game.state.present
    responding = tuple(id for id in (script.opening_lines if script else ()) if id in draft.present)
    draft.heard = hearing(draft.game, "", draft.narration, draft.present, responding)
    bus.publish(NarrationToken(text=draft.narration))
    bus.publish(
        NarrationFinished(text=draft.narration, mood=draft.mood, responding=responding, present=draft.present)
    )
    return responding


def _narrator_view(draft: TurnDraft, agents: AgentRunner) -> NarratorView:
    room = agents.lore_room("narrator")
    view = narrator_view(draft.game, draft.kind, draft.text, draft.ruling, draft.take, draft.steering, room)
    return replace(view, earlier=draft.earlier)


async def narrate(
    draft: TurnDraft, call: PreparedCall[NarratorView], agents: AgentRunner, bus: Bus
) -> tuple[str, ...]:
    """Tell the narration; returns the ids of those who answer, in order. Raises `CallError`."""

    def on_text(text: str, reasoning: str, replace: bool) -> None:
        bus.publish(NarrationToken(text=clean(text), reasoning=clean(reasoning), replace=replace))

    answer = await agents.call(call, draft.tally, on_text)
    reply: NarratorReply = answer.reply
    draft.narration = clean(reply.narration).strip()
    cut = answer.cut and reply.responding_characters is None
    if cut:
        draft.narration = whole_sentences(draft.narration)
        _notice(
            bus, draft, "The narrator reached its token limit, so the page ends at its last full sentence."
        )
    draft.mood = reply.mood
    if not reply.heard_by:  # else it is where some have gone apart
        draft.setting = one_line(clean(reply.setting), LONGEST_SETTING) or draft.setting
    active = draft.game.chapter.characters
    named = None if reply.present is None else (*reply.present, *reply.asleep)
    draft.present = presence_after(draft.game.state, active, named)
    if answer.repaired:
        draft.repaired.append("narrator")
    responding = _responders(draft, answer, bus)
    draft.present = tuple(name for name in active if name in draft.present or name in responding)
    draft.asleep = tuple(name for name in reply.asleep if name in draft.present and name not in responding)
    draft.heard = hearing(
        draft.game, draft.text, draft.narration, draft.present, responding, draft.asleep, reply.heard_by
    )
    bus.publish(
        NarrationFinished(text=draft.narration, mood=draft.mood, responding=responding, present=draft.present)
    )
    return responding


def _responders(draft: TurnDraft, answer: AgentReply, bus: Bus) -> tuple[str, ...]:
    """Who answers: those the narrator names; else those present whom the player or the narration names; else nobody, or
    the first of those present if the reply was cut before it could name anybody."""
    state, pack = draft.game.state, draft.game.pack
    active = draft.game.chapter.characters
    chapter = draft.game.chapter
    of_chapter = plain(" ".join((chapter.summary, *chapter.beats, chapter.completion)))
    known = f" you the player {plain(draft.game.info.player.name)} {of_chapter} "
    for unknown in dict.fromkeys(n for n in answer.reading.unknown if f" {plain(n)} " not in known):
        _notice(bus, draft, f"The narrator named '{clean(unknown)[:60]}', who is not in this chapter.")
    named: Sequence[str] | None = answer.reply.responding_characters
    if named is None:
        named = _mentioned(draft) or (draft.present[:1] if answer.cut else ())
    if draft.steering.asked:
        return draft.steering.asked
    hushed = draft.steering.hushed
    ids = list(dict.fromkeys(name for name in named if name in active and name not in hushed))
    gone = [name for name in ids if state.held.get(name) is False]
    for name in gone:
        _notice(bus, draft, f"{pack.name_of(name)} is away and does not answer.")
    given = answer.reply.present
    absent = [
        name for name in ids if name not in gone and not may_answer(draft.game, name, given, draft.narration)
    ]
    for name in absent:
        _notice(bus, draft, f"{pack.name_of(name)} is not here and does not answer.")
    return tuple(name for name in ids if name not in gone and name not in absent)


def _mentioned(draft: TurnDraft) -> list[str]:
    """Ids of those present whom the player's text or the narration names."""
    people = {name: draft.game.pack.characters[name] for name in draft.present}
    named = named_in(f"{spoken(draft.text)} {draft.narration}", people)
    return [name for name in draft.present if name in named]


async def answer(draft: TurnDraft, character: str, agents: AgentRunner, bus: Bus) -> None:
    """Let one character reply. A failure leaves it silent, with a notice."""
    name = draft.game.pack.name_of(character)
    gone = {entry.character for entry in draft.replies if goes_by(draft.game, entry)}
    bus.publish(CharacterStarted(character=character, name=name))

    def on_text(text: str, reasoning: str, replace: bool) -> None:
        bus.publish(
            CharacterToken(character=character, text=clean(text), reasoning=clean(reasoning), replace=replace)
        )

    view = viewpoint_of(
        draft.game,
        character,
        draft.so_far,
        tuple(name for name in draft.present if name not in gone),
        heard=draft.heard.get(character, WHOLE),
        mood=draft.mood,
        unaware=tuple(
            name
            for name in awake_before(draft.game)
            if name in draft.present and (name not in draft.heard or draft.heard[name].missed)
        ),
        asleep=draft.asleep,
        take=draft.take,
        lore_room=agents.lore_room(f"character:{character}"),
    )
    text = ""
    before = [entry.text for turn in draft.earlier for entry in turn.entries if entry.character == character]
    try:
        call = _character_call(replace(view, said=tuple(before), setting=draft.setting), agents)
        said = await agents.call(call, draft.tally, on_text)
        text = clean(said.reply.text).strip()
        if said.repaired:
            draft.repaired.append(f"character:{character}")
    except CallError as error:
        _notice(bus, draft, f"No reply from {name} this turn. {error.message}")
    if text:
        draft.replies.append(Entry(role="character", text=text, character=character))
    deaf = draft.heard.keys() if is_confided(text, draft.game.info.player.name) else gone
    for other in draft.heard.keys() & deaf - {character}:
        unheard = (*draft.heard[other].unheard, character)
        draft.heard[other] = draft.heard[other].model_copy(update={"unheard": unheard})
    bus.publish(CharacterFinished(character=character, name=name, text=text))


def _character_call(view: Viewpoint, agents: AgentRunner) -> PreparedCall[Viewpoint]:
    """The call without the turns that its prompt would not hold, so that memory tells what they told."""
    while True:
        call = agents.prepare(_sized(CHARACTER, view.length), view, f"character:{view.id}")
        dropped = sum(s.priority == "turn" and s.kept == "dropped" for s in call.prompt.sections)
        if not dropped or not view.turns:
            return call
        view = replace(view, turns=view.turns[dropped:])


def _sized(agent: Agent[V], length: Length) -> Agent[V]:
    """The agent with room for a reply of this length."""
    return replace(agent, reply_tokens=round(agent.reply_tokens * LONGER)) if length == "long" else agent


T = TypeVar("T")
Phase = Literal["idle", "narrating", "replying", "after"]


class TurnRunner:
    """The turns of one open save. `game` is the newest applied state; `phase` says what is happening now."""

    def __init__(
        self,
        game: Game,
        thread: SaveThread[Game],
        agents: AgentRunner,
        bus: Bus,
        commit: Callable[[Game], Awaitable[str]],
    ) -> None:
        """`commit` makes a finished turn part of the save, and returns the commit's id."""
        self.game = game
        self.phase: Phase = "idle"
        self._thread = thread
        self._commit_turn = commit
        self._agents = agents
        self._bus = bus
        self._telling = Stoppable()
        self._after: PostTurn | None = None
        self._after_task: asyncio.Task[None] | None = None
        self._unsaved: Game | None = None
        """The game after a finished turn that could not be saved."""

    @property
    def telling(self) -> bool:
        """True while narration or replies are being told."""
        return self.phase in ("narrating", "replying")

    async def tell(
        self, game: Game, text: str, take: int, steering: Steering | None = None, *, told_by: str = ""
    ) -> Turn | None:
        """Tell a turn after `game`; returns when it is spoken, None when it was stopped.

        The save changes only when the turn was spoken. Raises `TurnError` when the narrator failed and `SaveError`
        when the spoken turn could not be kept; then nothing was changed.
        """
        opening = not text and game.state.turn == 0
        kind = "transition" if game.state.transition else "opening" if opening else "play"
        steering = steering or Steering(**dict(game.state.steering))
        narrated_by = told_by or self._agents.model("narrator").name
        draft = TurnDraft(
            game=game,
            kind=kind,
            text=text,
            take=take,
            steering=steering,
            told_by=narrated_by,
            setting=setting_of(game),
        )
        self.phase = "narrating"
        self._bus.turn = draft.number
        self._bus.publish(TurnStarted(text=text, kind=kind, take=take))
        try:
            with self._telling.begin():
                await self._perform(draft)
                spoken = await self._speak(draft)
        except Stopped:
            self._bus.publish(TurnCancelled(text=text))
            return None
        except CallError as error:
            self._bus.publish(TurnFailed(text=text, reason=error.message, kind=error.kind))
            raise TurnError(error.message) from error
        except SaveError as error:
            self._bus.publish(TurnFailed(text=text, reason=error.message))
            raise
        finally:
            self.phase = "idle"
            self._bus.turn = self.game.state.turn
        self._bus.turn = draft.number
        self._bus.publish(TurnSpoken())
        self.finish(spoken, draft.tally, take)
        return spoken.turn

    async def stop(self) -> None:
        """During the narration the turn is cancelled, during the replies it ends with what was finished."""
        await self._telling.stop()

    def defer_remaining(self) -> None:
        """Leave pending what the work after the last turn has not begun: a line waits for it."""
        if self._after:
            self._after.context.deferred.set()

    async def settle(self) -> None:
        """Wait until the last turn is saved. Raises `SaveError` when it still cannot be saved."""
        if self._after_task is not None:
            await asyncio.shield(self._after_task)
        if self._unsaved is not None:
            await self._commit(self._unsaved)

    async def abandon(self) -> None:
        """Drop the after-turn work where it stands, as a killed process does; the journal keeps the turn."""
        if self._after_task is not None:
            self._after_task.cancel()
            await asyncio.gather(self._after_task, return_exceptions=True)

    # --- telling ---------------------------------------------------------------------------------------------

    async def _perform(self, draft: TurnDraft) -> None:
        """Tell narration and replies. Raises `Stopped` when the player stopped it before the narration was complete."""
        run, last = self._telling.run, draft.game.state.turn
        if self._agents.model().provider == "storyteller":
            draft.earlier = await self._read_turns(max(1, last - SCRIPT_TURNS), last)
        await run(consult_keeper(draft, self._agents, self._bus))
        if page := written_page(draft, self._agents):
            responding = tell_written(draft, page, self._bus)
        else:
            call = await run(prepare_narration(draft, self._agents, self._bus))
            responding = await run(narrate(draft, call, self._agents, self._bus))
        self.phase = "replying"
        try:
            for character in responding:
                await run(answer(draft, character, self._agents, self._bus))
        except Stopped:
            return

    async def _speak(self, draft: TurnDraft) -> Spoken:
        """Journal the turn: from here on it survives a crash. A retry makes the earlier telling a take first."""
        save = self._thread.save
        if draft.take > 1:
            await self._thread.run(save.begin_take)
        spoken = Spoken(
            parent=save.head,
            branch=save.branch,
            turn=_turn_of(draft, self._bus.time()),
            present=draft.present,
            held=draft.game.state.held,
            rolls=draft.rolls,
        )
        await self._thread.run(save.journal, spoken)
        self.game = draft.game
        return spoken

    # --- after the turn ----------------------------------------------------------------------------------------

    def finish(self, spoken: Spoken, tally: CallTally, take: int = 1) -> None:
        """Do the after-turn work of a spoken turn in the background, then save it."""
        size, room = turn_size(self.game, self._agents), view_room(self._agents)
        game = with_spoken(self.game, spoken, size, room, self._agents.folding(self.game.pack.game))
        self._after = PostTurn(game, TurnContext(self._agents, self._bus, tally, take, self._read_turns))
        self.phase = "after"
        self._after_task = asyncio.create_task(self._finish(self._after))

    async def _read_turns(self, first: int, last: int) -> tuple[Turn, ...]:
        return await self._thread.run(self._thread.save.turns, first, last)

    async def _finish(self, after: PostTurn) -> None:
        try:
            game = await after.run()
        except Exception as error:  # a bug of ours must not cost the player the turn
            self._bus.publish(Notice(text=f"The work after the turn failed: {error!r}", level="error"))
            game = _all_pending(after.game)
        try:
            await self._commit(game)
        except (SaveError, OSError) as error:
            text = f"The turn could not be saved: {error} It will be saved with the next one."
            self._bus.publish(Notice(text=text, level="error"))
        finally:
            self._after_task = self._after = None
            if self.phase == "after":
                self.phase = "idle"

    async def _commit(self, game: Game) -> None:
        """Make a finished turn part of the save. Until that succeeds it is kept in `_unsaved`."""
        self._unsaved = game
        commit = await self._commit_turn(game)
        self._unsaved = None
        self.game = game
        turn = game.turns[game.state.turn]
        self._bus.publish(
            TurnSaved(
                commit=commit, chapter=turn.chapter, new_beats=turn.new_beats, pending=len(game.state.pending)
            )
        )


def _turn_of(draft: TurnDraft, at: str) -> Turn:
    """The turn as it is stored, before its after-turn work."""
    player = [Entry(role="player", text=draft.text)] if draft.text else []
    entries = (Entry(role="narrator", text=draft.narration), *player, *draft.replies)
    return Turn.model_validate(
        {
            "number": draft.number,
            "chapter": draft.game.state.chapter,
            "mood": draft.mood,
            "setting": draft.setting,
            "kind": draft.kind,
            "entries": entries,
            **attendance(draft.heard, entries),
            "asleep": draft.asleep,
            "unaware": draft.unaware,
            "decisions": decisions_of(draft.game),
            "ruling": draft.ruling,
            "repaired": tuple(draft.repaired),
            "notices": tuple(draft.notices),
            "at": at,
            "steering": None if draft.steering.plain else draft.steering,
            "told_by": draft.told_by,
        }
    )


def _all_pending(game: Game) -> Game:
    """The game with all after-turn work of its last turn still to be done."""
    turn = game.turns[game.state.turn]
    memories = [Pending(agent="memory", turn=turn.number, character=name) for name in turn.witnesses]
    progress = Pending(agent="progress", turn=turn.number)
    return with_pending(game, (*game.state.pending, *memories, progress))
