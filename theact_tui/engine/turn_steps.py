"""Steps of one turn: keeper, narrator, stage, then the characters in order."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from theact_tui.agents.agent import LONGER, Agent
from theact_tui.agents.character import CHARACTER
from theact_tui.agents.narrator import NARRATOR
from theact_tui.agents.stage import KEEPER, STAGE
from theact_tui.engine.after_turn.write_summary import fold
from theact_tui.engine.agent_runner import AgentReply, PreparedCall, Streamed
from theact_tui.engine.events import (
    CharacterFinished,
    CharacterStarted,
    CharacterToken,
    DiceRolled,
    Event,
    NarrationFinished,
    NarrationToken,
    PageTold,
)
from theact_tui.engine.turn_context import TurnContext
from theact_tui.errors import CallError, UsageError
from theact_tui.models.habits import lets_people_speak, may_read_truth, tells_secrets
from theact_tui.models.model import View
from theact_tui.parsing.forms import RiskReply, StageReply
from theact_tui.prompting.sections import Prompt
from theact_tui.story.agent_views import keeper_view, narrator_view, page_lead, stage_view
from theact_tui.story.character_view import (
    attendance,
    before_turn,
    pending_stages,
    viewpoint_of,
    with_last_turn_corrected,
    with_perception,
)
from theact_tui.story.dice import EASIEST, HARDEST, is_in_line, may_risk, named_risk, resolution_of, roll
from theact_tui.story.game import Game
from theact_tui.story.pacing import Lead
from theact_tui.story.perception import Perception, perceive, perceive_written
from theact_tui.story.scene import Scene, scene_of
from theact_tui.story.script import ChapterScript
from theact_tui.story.secrets import decisions_of
from theact_tui.story.speech import spoken
from theact_tui.story.steering import Length, Steering
from theact_tui.story.story_bible import story_bible
from theact_tui.story.text_so_far import FULL, LEAST_REST, NOTHING_ADDED, with_rest
from theact_tui.story.turn import FULLY_HEARD, UNCUT, Entry, Ruling, Stage, StageForm, Turn
from theact_tui.story.views import NarratorView, StageView, Viewpoint, without_secrets
from theact_tui.storyteller.book import with_player
from theact_tui.text import clean, one_line

V = TypeVar("V", bound=View)
FAILURES_BEFORE_HINT = 3
"""Turns in a row with a failed stage, until the player is told what works without it."""
SLOW_STAGE_SECONDS = 30.0
SLOW_IN_A_ROW_BEFORE_BRIEF = 2  # from then on the model is asked alone, with fewer fields


@dataclass(slots=True)
class TurnInProgress:
    game: Game
    kind: str
    text: str
    context: TurnContext
    steering: Steering
    model_label: str
    earlier: tuple[Turn, ...] = ()
    """Past turns, which the offline storyteller must not repeat."""
    ruling: Ruling | None = None
    rolls: int = 0
    narration: str = ""
    perception: Perception = field(default_factory=Perception)
    replies: list[Entry] = field(default_factory=list)
    repaired: list[str] = field(default_factory=list)
    retried_take: Turn | None = None
    so_far: str = ""
    """Beginning of the page, or of the reply that is retried, that stays."""
    has_grown: bool = False
    """Something follows the text so far."""
    is_journalled: bool = False
    """Kept on disk as far as it is told, because a person is asked who may take long."""

    @property
    def number(self) -> int:
        return self.game.state.turn + 1

    @property
    def scene(self) -> Scene:
        speak = self._people_speak
        return scene_of(
            self.game, self.text, self.steering, self.lead.actor, people_speak=speak, seated=self._seated
        )

    @property
    def lead(self) -> Lead:
        speak = self._people_speak
        lead = page_lead(self.game, self.text, self.ruling, self.steering, people_speak=speak)
        # the offline storyteller tells a script: no choice is offered where its page ends
        return replace(lead, then="") if self.context.agents.is_scripted() else lead

    @property
    def _seated(self) -> list[str]:
        agents = self.context.agents
        return [id for id in self.game.chapter.characters if f"character:{id}" in agents.people]

    @property
    def _people_speak(self) -> bool:
        return lets_people_speak(self.context.agents.model(NARRATOR.name))

    @property
    def stage(self) -> Stage:
        return self.perception.stage

    @property
    def line(self) -> list[Entry]:
        return [Entry(role="player", text=self.text)] if self.text else []

    def turn(self, at: str) -> Turn:
        """Build the turn to store, before its after-turn work. `at`: ISO 8601."""
        if self.retried_take:
            return self._with_new_reply(self.retried_take, at)
        entries = (Entry(role="narrator", text=self.narration), *self.line, *self.replies)
        stage, perception = self.stage, self.perception.with_replies(self.replies)
        return Turn.model_validate(
            {
                "number": self.number,
                "chapter": self.game.state.chapter,
                "mood": stage.mood,
                "setting": stage.place,
                "kind": self.kind,
                "entries": entries,
                **attendance(perception.cuts, perception.heard, entries),
                "asleep": stage.asleep,
                "unaware": self.perception.unaware,
                "stage": stage,
                "decisions": decisions_of(self.game, self.lead),
                "ruling": self.ruling,
                "repaired": tuple(self.repaired),
                "notices": tuple(self.context.notices),
                "at": at,
                "steering": None if self.steering.plain else self.steering,
                "told_by": self.model_label,
            }
        )

    def check_room(self, reply: str = "") -> None:
        """Raise `UsageError` if the text so far fills the page, or the `reply` of a character."""
        agents, length = self.context.agents, self.steering.length
        if reply:
            left = agents.rest_tokens(_sized(CHARACTER, length), f"character:{reply}", self.so_far)
        else:
            left = agents.rest_tokens(_sized(NARRATOR, length), NARRATOR.name, self.so_far)
        if left < LEAST_REST:
            raise UsageError(FULL)

    async def retry_reply(self, take: Turn, character: str) -> None:
        """Retry one reply of `take`. Raises `CallError`."""
        self.retried_take = take
        self.keep_dice(take)
        self.keep_told(take)
        self.context.bus.publish(PageTold(text=self.narration))
        self._publish_stage(self.perception)
        stopped: asyncio.CancelledError | None = None
        again = [entry for entry in take.replies if entry.character == character][-1 if self.so_far else 0 :]
        for entry in take.replies:
            if entry not in again:
                self._publish_reply(entry)
                continue
            try:
                await self._reply(character, self.so_far)
            except asyncio.CancelledError as error:  # the later replies stay
                stopped = error
        if stopped:
            raise stopped

    def _publish_reply(self, reply: Entry, *first: Event) -> None:
        """Add a reply that is there already; `first` events come before its end."""
        id, bus = reply.character or "", self.context.bus
        name = self.game.pack.name_of(id)
        for event in (CharacterStarted(character=id, name=name), *first):
            bus.publish(event)
        self.replies.append(reply)
        bus.publish(CharacterFinished(character=id, name=name, text=reply.text, by=reply.by))

    def keep_dice(self, take: Turn) -> None:
        """Take the dice of a take as rolled."""
        self.ruling, self.rolls = take.ruling, self.game.state.rolls + bool(take.ruling)
        if (ruling := take.ruling) and ruling.roll and ruling.difficulty:
            rolled = DiceRolled(roll=ruling.roll, difficulty=ruling.difficulty, resolution=ruling.resolution)
            self.context.bus.publish(rolled)

    def keep_told(self, turn: Turn) -> None:
        """Take page and perception of a turn as told."""
        heard = {id: turn.heard.get(id, FULLY_HEARD) for id in turn.witnesses}
        self.narration = turn.narration
        self.perception = Perception(turn.presence, turn.cuts, heard, unaware=turn.unaware)

    def answering(self, turn: Turn) -> tuple[str, ...]:
        """Return the ids that answer a turn that was told before it was known who heard it."""
        heard = [id for id in turn.presence.here if id in turn.witnesses and id not in turn.presence.asleep]
        scene = replace(self.scene, hushed=tuple(id for id in self.scene.cast if id not in heard))
        able = [id for id in heard if id not in self.steering.hushed]
        return perceive(scene, turn.narration, StageForm(only={})).stage.answer or tuple(able[:1])

    def _with_new_reply(self, take: Turn, at: str) -> Turn:
        retold = {f"character:{reply.character}" for reply in self.replies if reply not in take.replies}
        prose = (entry for entry in take.entries if entry.role in ("narrator", "player"))
        changes = {
            "entries": (*prose, *self.replies),
            "at": at,
            "decisions": decisions_of(self.game, self.lead),
            "repaired": (*(key for key in take.repaired if key not in retold), *self.repaired),
            "notices": tuple(self.context.notices),
            "calls": {},
            "new_beats": (),
            "completed_chapter": None,
        }
        turn = take.model_copy(update=changes)
        if take.cuts == UNCUT:
            return turn
        told = self.perception.with_replies(self.replies)
        return turn.model_copy(update=attendance(told.cuts, told.heard, turn.entries))

    @property
    def present_after(self) -> tuple[str, ...]:
        state, stage = self.game.state, self.stage
        return tuple(id for id in self.game.chapter.characters if state.held.get(id, id in stage.here))

    async def consult_keeper(self) -> None:
        """Roll the dice if the player risks something."""
        info = self.game.pack.game
        self.rolls = self.game.state.rolls
        if not spoken(self.text) or info.keeper == "off":
            return
        risk, difficulty = one_line(named_risk(spoken(self.text), info.risky_words), 200), info.difficulty
        if info.keeper == "risky":
            if not may_risk(self.text, info.risky_words):
                return
            risk, difficulty = await self._risk()
            if not risk:
                return
        die = roll(self.game.info.seed, self.rolls)
        self.rolls += 1
        resolution = resolution_of(die, difficulty)
        self.ruling = Ruling(resolution=resolution, roll=die, difficulty=difficulty, risk=risk)
        self.context.bus.publish(DiceRolled(roll=die, difficulty=difficulty, resolution=resolution))

    async def _risk(self) -> tuple[str, int]:
        """Ask the keeper for the risk in the player's line ("" for none) and its difficulty."""
        usual = self.game.pack.game.difficulty
        try:
            page_call = await self._narrator_call()
            view = keeper_view(self.game, page_call.view)
            call = self.context.agents.prepare_behind(KEEPER, view, page_call.prompt.early, NARRATOR.name)
            reply: RiskReply = (await self.context.agents.call(call, self.context.tally)).reply
        except CallError as error:
            self.context.warn(f"The dice could not be decided, so none were rolled. {error.message}")
            return "", usual
        risk = one_line(reply.risk, 200)
        if not is_in_line(risk, self.text):
            return "", usual
        return risk, min(HARDEST, max(EASIEST, reply.difficulty or usual))

    @property
    def _script(self) -> ChapterScript:
        return self.game.pack.script.chapters.get(self.game.chapter.id, ChapterScript())

    def written_page(self) -> str:
        """Return the authored first page of a chapter for this take, or ""."""
        chapter, take = self.game.chapter, self.context.take
        if self.kind == "play" or self.text or self.so_far:
            return ""
        pages = chapter.openings
        if not pages and self.kind == "opening" and not self.context.agents.is_scripted():
            script = self._script
            pages = (script.opening, *script.opened.others) if script.opening else ()
        return with_player(pages[take - 1], self.game.info.player.name) if take <= len(pages) else ""

    def publish_written(self, page: str) -> tuple[str, ...]:
        self.narration = clean(page).strip()
        self.context.bus.publish(NarrationToken(text=self.narration))
        self.context.bus.publish(PageTold(text=self.narration))
        return self._publish_stage(perceive_written(self.scene, self.narration, self._script.opening_lines))

    async def narrate(self) -> tuple[PreparedCall[NarratorView], Prompt]:
        """Write the page; return its call, and the prompt as answered. Raises `CallError`.

        What came behind a text so far is kept after a stop.
        """
        call, streamed = await self._narrator_call(), self._streamed(NarrationToken, self.so_far)
        if self.so_far:
            call = await self.context.agents.write_on(call, self.so_far)
        try:
            answer = await self.context.agents.call(call, self.context.tally, streamed)
        except asyncio.CancelledError:
            self.narration = with_rest(self.so_far, streamed.came, is_cut=True)
            self.has_grown = streamed.has_grown
            raise
        self.narration = self._whole(answer, self.so_far)
        if answer.cut:
            self.context.warn(
                f"The narrator {answer.why_cut}, so the page ends after its last complete sentence."
            )
        if answer.declined:
            self.context.warn("This reads like a refusal. F4 tells it again.")
        if answer.repaired:
            self.repaired.append("narrator")
        self.context.bus.publish(PageTold(text=self.narration))
        return call, answer.prompt

    def _whole(self, answer: AgentReply, so_far: str) -> str:
        if so_far:
            self.has_grown = bool(answer.reply.text.strip())
        if so_far and not self.has_grown:
            self.context.bus.inform(NOTHING_ADDED)
        return with_rest(so_far, answer.reply.text, is_cut=bool(answer.cut))

    async def resolve_presence(
        self, page_call: PreparedCall[NarratorView], prompt: Prompt
    ) -> tuple[str, ...]:
        """Ask who missed which piece, who is there and who answers; return the ids that answer, in order.

        If the form fails, the stage stays pending.
        """
        agents, scene, form = self.context.agents, self.scene, None
        view = stage_view(page_call.view, scene, self.narration)
        try:
            form = await self._stage_form(view, prompt)
        except CallError as error:
            if self.steering.all_hear:
                everybody = perceive(scene, self.narration, StageForm(only={}))
                stage = everybody.stage.model_copy(update={"by": "player"})
                return self._publish_stage(replace(everybody, stage=stage))
            self.context.warn(
                f"It is not known who heard this turn, so nobody answers unasked. {error.message} "
                "/heard all, or /heard and names, decides it, and they answer."
            )
            if len(pending_stages(self.game)) == FAILURES_BEFORE_HINT - 1:
                self.context.warn(
                    "The model has failed three times to say who hears what. /heard always lets everybody here hear "
                    "all from now on, but for → Name: and /whisper."
                )
        is_scripted = agents.is_scripted(STAGE.name)
        return self._publish_stage(perceive(scene, self.narration, form, is_scripted=is_scripted))

    async def _stage_form(self, view: StageView, narrator: Prompt | None = None) -> StageReply:
        agents = self.context.agents
        model = agents.model(STAGE.name).name
        is_brief = agents.slow_stages_in_a_row[model] >= SLOW_IN_A_ROW_BEFORE_BRIEF
        view = replace(view, is_brief=is_brief)
        call = agents.prepare(STAGE, view)
        if narrator and not is_brief:
            call = agents.prepare_behind(STAGE, view, narrator.without_task, NARRATOR.name)
        began = time.monotonic()
        try:
            answer = await agents.call(call, self.context.tally)
        finally:
            if not is_brief:
                self._count_slow_stage(model, time.monotonic() - began)
        if answer.repaired:
            self.repaired.append("stage")
        reply: StageReply = answer.reply
        return reply

    def _count_slow_stage(self, model: str, seconds: float) -> None:
        slow = self.context.agents.slow_stages_in_a_row
        slow[model] = slow[model] + 1 if seconds >= SLOW_STAGE_SECONDS else 0
        if slow[model] == SLOW_IN_A_ROW_BEFORE_BRIEF:
            self.context.warn(
                "This model takes long to say who heard a turn, so it is asked a shorter question from now on. It no longer "
                "says who falls asleep, where and when the page ends, and which quiet replies everybody could hear."
            )

    async def resolve_pending(self, turns: Sequence[Turn] | None = None) -> bool:
        """Ask again who heard `turns` (default: those with a pending stage), after a failure only of the newest; False if
        any failed.
        """
        turns, are_resolved = pending_stages(self.game) if turns is None else turns, True
        for turn in turns:
            if not are_resolved and turn is not turns[-1]:
                continue
            before, speak = before_turn(self.game, turn), self._people_speak
            scene = scene_of(before, turn.player_text, turn.steering, people_speak=speak, seated=self._seated)
            narrator = narrator_view(before, turn.kind, turn.player_text, turn.ruling, 1, people_speak=speak)
            view = stage_view(narrator, scene, turn.narration)
            try:
                form = await self._stage_form(view)
            except CallError:
                are_resolved = False
                continue
            self.game = with_perception(self.game, turn, perceive(scene, turn.narration, form))
        return are_resolved

    def leave_stage(self) -> None:
        """Leave the stage pending without an answer: the player stopped after the page, or after some of its rest."""
        if self.so_far:
            self.context.bus.publish(PageTold(text=self.narration))
        perception = perceive(self.scene, self.narration, None)
        stage = perception.stage.model_copy(update={"answer": ()})
        self._publish_stage(replace(perception, stage=stage, heard={}))

    def _publish_stage(self, perception: Perception) -> tuple[str, ...]:
        self.perception, stage = perception, perception.stage
        self.game = with_last_turn_corrected(self.game, self.game.state.turn, stage)
        self.context.bus.publish(
            NarrationFinished(
                text=self.narration, mood=stage.mood, responding=stage.answer, present=stage.here
            )
        )
        return stage.answer

    async def _narrator_call(self) -> PreparedCall[NarratorView]:
        """Prepare the narrator's call; fold the game first if the prompt cannot hold all verbatim turns."""
        context, narrator = self.context, _sized(NARRATOR, self.steering.length)
        call = context.agents.prepare(narrator, self._narrator_view())
        if call.prompt.whole:
            return call
        sections = call.prompt.sections
        tokens = sum(s.tokens for s in sections if s.priority == "turn" and s.kept != "dropped")
        self.game = await fold(
            self.game, TurnContext(context.agents, context.bus, context.tally), verbatim_tokens=tokens
        )
        return context.agents.prepare(narrator, self._narrator_view())

    def early_prompt(self) -> Prompt | None:
        """Return the narrator's prompt before the player's line; None if turns are to be folded first."""
        try:
            call = self.context.agents.prepare(_sized(NARRATOR, self.steering.length), self._narrator_view())
        except CallError:
            return None
        sections = call.prompt.early
        tokens = sum(section.tokens for section in sections)
        return (
            replace(call.prompt, sections=sections, tokens=tokens) if call.prompt.whole and sections else None
        )

    def _narrator_view(self) -> NarratorView:
        room, take = self.context.agents.lore_room("narrator"), self.context.take
        view = narrator_view(
            self.game,
            self.kind,
            self.text,
            self.ruling,
            take,
            self.steering,
            room,
            people_speak=self._people_speak,
            seated=self._seated,
        )
        model, is_last = self.context.agents.model(NARRATOR.name), self.game.chapter.next is None
        view = replace(view, earlier=self.earlier)
        # a model that tells what is hidden does not read it; one never tried reads the truth in the last chapter
        if not may_read_truth(model, is_last_chapter=is_last):
            view = replace(view, truth="")
        elif self.context.agents.has_room_for_bible(bible := story_bible(self.game.pack)):
            view = replace(view, bible=bible)
        return replace(view, cast=without_secrets(view.cast)) if tells_secrets(model) else view

    def _streamed(self, event: Callable[..., Event], so_far: str = "", **about: str) -> Streamed:
        def on_text(text: str, reasoning: str, replace: bool) -> None:
            shown = event(**about, text=clean(text), reasoning=clean(reasoning), replace=replace)
            self.context.bus.publish(shown)

        return Streamed(on_text, so_far)

    async def answer(self, character: str) -> None:
        """Let one character reply. A failure leaves it silent, with a notice; a stopped reply ends after its last
        whole sentence.
        """
        if line := clean(self._written_line(character)).strip():
            token = CharacterToken(character=character, text=line)
            return self._publish_reply(Entry(role="character", text=line, character=character), token)
        try:
            await self._reply(character)
        except CallError as error:
            self.context.warn(f"No reply from {self.game.pack.name_of(character)} this turn. {error.message}")

    def _written_line(self, character: str) -> str:
        """Return what the author lets a character say to the first page, unless a person plays it, or ""."""
        is_written = self.stage.by == "written" and self.context.take == 1
        if not is_written or self.context.agents.person(f"character:{character}"):
            return ""
        return with_player(self._script.opening_lines.get(character, ""), self.game.info.player.name)

    async def _reply(self, character: str, so_far: str = "") -> None:
        context, name = self.context, self.game.pack.name_of(character)
        context.bus.publish(CharacterStarted(character=character, name=name))
        text, by, stopped = "", "", False
        streamed = self._streamed(CharacterToken, so_far, character=character)
        try:
            call = self._character_call(character)
            if so_far:
                call = await context.agents.write_on(call, so_far)
            reply = await context.agents.call(call, context.tally, streamed)
            text, by = self._whole(reply, so_far), reply.by
            if reply.cut:
                context.warn(f"{name} {reply.why_cut}, so the reply ends at its last full sentence.")
            if reply.declined:
                context.warn(f"{name}'s reply reads like a refusal. shift-F9 tells it again.")
            if reply.repaired:
                self.repaired.append(f"character:{character}")
        except asyncio.CancelledError:
            text, stopped = with_rest(so_far, streamed.came, is_cut=True), True
            self.has_grown = streamed.has_grown
            raise
        finally:
            if text:
                is_unsettled = self.stage.by == "pending"
                self.replies.append(
                    Entry(
                        role="character",
                        text=text,
                        character=character,
                        stopped=stopped,
                        unsettled=is_unsettled,
                        by=by,
                    )
                )
            context.bus.publish(CharacterFinished(character=character, name=name, text=text, by=by))

    def _character_call(self, character: str) -> PreparedCall[Viewpoint]:
        """Prepare a character's call without turns that do not fit, which its memory then tells instead."""
        agents, key, stage = self.context.agents, f"character:{character}", self.stage
        now = [*self.line, Entry(role="narrator", text=self.narration), *self.replies]
        perception = self.perception.with_replies(self.replies)
        view = viewpoint_of(
            self.game,
            character,
            now,
            stage.here,
            perception=perception,
            mood=stage.mood,
            asleep=stage.asleep,
            cue=self.lead.beat if self.lead.actor == character else "",
            take=self.context.take,
            lore_room=agents.lore_room(key),
        )
        own_replies = [
            entry.text for turn in self.earlier for entry in turn.entries if entry.character == character
        ]
        setting = stage.place if character in stage.here else ""
        is_brief = not lets_people_speak(agents.model(key))
        view = replace(view, said=tuple(own_replies), setting=setting, is_brief=is_brief)
        if view.gate == "shut" and tells_secrets(agents.model(key)):  # which tells what it is shown
            view = replace(view, card=view.card.model_copy(update={"secret": ""}))
        while True:
            call = agents.prepare(_sized(CHARACTER, view.length), view, key)
            sections = call.prompt.sections
            dropped = len({s.name for s in sections if s.priority == "turn" and s.kept == "dropped"})
            if not dropped or not view.turns:
                return call
            view = replace(view, turns=view.turns[dropped:])


def _sized(agent: Agent[V], length: Length) -> Agent[V]:
    return replace(agent, reply_tokens=round(agent.reply_tokens * LONGER)) if length == "long" else agent
