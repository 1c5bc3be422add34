"""Telling one turn: keeper, narrator, then the characters one after another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from theact_tui.agents.base import LONGER, Agent
from theact_tui.agents.character import CHARACTER
from theact_tui.agents.narrator import NARRATOR
from theact_tui.agents.record_keepers import KEEPER
from theact_tui.engine.after_turn.write_summary import fold
from theact_tui.engine.agent_runner import AgentReply, OnText, PreparedCall, TurnContext
from theact_tui.engine.events import (
    CharacterFinished,
    CharacterStarted,
    CharacterToken,
    DiceRolled,
    Event,
    NarrationFinished,
    NarrationToken,
)
from theact_tui.engine.views import keeper_view, narrator_view
from theact_tui.errors import CallError
from theact_tui.models.base import View
from theact_tui.parsing.replies import KeeperReply, NarratorReply
from theact_tui.parsing.speakers import before_answers
from theact_tui.story.comings_and_goings import awake_before, goes_by, may_answer, presence_after
from theact_tui.story.dice import is_risky, resolution_of, roll
from theact_tui.story.game import Game
from theact_tui.story.hearing import hearing, is_confided, named_in, spoken
from theact_tui.story.matching import plain
from theact_tui.story.moments import moment_of
from theact_tui.story.names import is_named
from theact_tui.story.secrets import decisions_of
from theact_tui.story.steering import Length, Steering
from theact_tui.story.turn import WHOLE, Entry, Heard, Ruling, Turn
from theact_tui.story.viewpoints import attendance, viewpoint_of
from theact_tui.story.views import NarratorView, Viewpoint
from theact_tui.storyteller.book import fill
from theact_tui.text import clean, one_line, whole_sentences

V = TypeVar("V", bound=View)
LONGEST_SETTING = 80
"""Characters of what a narrator says of place and hour."""


@dataclass(slots=True)
class Telling:
    """A turn while it is being told, and what was decided on the way."""

    game: Game
    """The game before the turn."""
    kind: str
    text: str
    context: TurnContext
    steering: Steering
    told_by: str
    setting: str
    """Place and hour, as the narrator said last."""
    earlier: tuple[Turn, ...] = ()
    """What a script has told, so that it does not repeat itself; empty for a model."""
    ruling: Ruling | None = None
    rolls: int = 0
    narration: str = ""
    mood: str = "calm"
    present: tuple[str, ...] = ()
    asleep: tuple[str, ...] = ()
    heard: dict[str, Heard] = field(default_factory=dict)
    """What each witness hears of it."""
    replies: list[Entry] = field(default_factory=list)
    repaired: list[str] = field(default_factory=list)

    @property
    def number(self) -> int:
        return self.game.state.turn + 1

    @property
    def line(self) -> list[Entry]:
        """What the player says, if anything."""
        return [Entry(role="player", text=self.text)] if self.text else []

    def turn(self, at: str) -> Turn:
        """The turn as it is stored, before its after-turn work."""
        entries = (Entry(role="narrator", text=self.narration), *self.line, *self.replies)
        hears = {*self.heard, *self.asleep}
        return Turn.model_validate(
            {
                "number": self.number,
                "chapter": self.game.state.chapter,
                "mood": self.mood,
                "setting": self.setting,
                "kind": self.kind,
                "entries": entries,
                **attendance(self.heard, entries),
                "asleep": self.asleep,
                "unaware": tuple(name for name in self.present if name not in hears),
                "decisions": decisions_of(self.game),
                "ruling": self.ruling,
                "repaired": tuple(self.repaired),
                "notices": tuple(self.context.notices),
                "at": at,
                "steering": None if self.steering.plain else self.steering,
                "told_by": self.told_by,
            }
        )

    async def consult_keeper(self) -> None:
        """Roll and let the keeper say what it means, if the pack wants it for this input. Never stops a turn."""
        game, info = self.game, self.game.pack.game
        self.rolls = game.state.rolls
        risky = info.keeper != "risky" or is_risky(self.text, info)
        if not self.text or info.keeper == "off" or not risky:
            return
        die, difficulty = roll(game.info.seed, self.rolls), info.difficulty
        self.rolls += 1
        resolution, moment = resolution_of(die, difficulty), None
        view = keeper_view(game, self.text, die, self.context.take)
        try:
            reply: KeeperReply = await self.context.ask(KEEPER, view)
            resolution = resolution_of(die, difficulty, one_line(reply.resolution, 200))
            summary = one_line(reply.moment_summary, 200)
            moment = moment_of(self.number, reply.moment_type, summary, reply.moment_significance)
        except CallError as error:
            self.context.warn(f"No ruling from the keeper; the dice decide alone. {error.message}")
        self.ruling = Ruling(resolution=resolution, roll=die, difficulty=difficulty, moment=moment)
        self.context.bus.publish(DiceRolled(roll=die, difficulty=difficulty, resolution=resolution))

    def written_page(self) -> str:
        """The authored text of a chapter's first page, if this take has one: then nobody is asked to write it.

        What a script holds is only told to models so; the offline storyteller knows it, and what belongs to it."""
        chapter, take = self.game.chapter, self.context.take
        if self.kind == "play" or self.text:
            return ""
        pages = chapter.openings
        if not pages and self.kind == "opening" and self.context.agents.model().provider != "storyteller":
            script = self.game.pack.script.chapters.get(chapter.id)
            pages = (script.opening, *script.opened.others) if script and script.opening else ()
        return fill(pages[take - 1], self.game.info.player.name) if take <= len(pages) else ""

    def tell_written(self, page: str) -> tuple[str, ...]:
        """Tell an authored page; returns the ids of those who answer: those for whom the script has a line there."""
        script = self.game.pack.script.chapters.get(self.game.chapter.id)
        self.narration, self.setting = clean(page).strip(), ""
        self.present = self.game.state.present
        responding = tuple(id for id in (script.opening_lines if script else ()) if id in self.present)
        self.heard = hearing(self.game, "", self.narration, self.present, responding)
        self.context.bus.publish(NarrationToken(text=self.narration))
        return self._narrated(responding)

    async def narrate(self) -> tuple[str, ...]:
        """Tell the narration; returns the ids of those who answer, in order. Raises `CallError`."""
        agents, active = self.context.agents, self.game.chapter.characters
        call = await self._narrator_call()
        answer = await agents.call(call, self.context.tally, self._streamed(NarrationToken))
        reply: NarratorReply = answer.reply
        self.narration = clean(reply.narration).strip()
        if answer.cut and reply.responding_characters is None:
            self.narration = whole_sentences(self.narration)
            self.context.warn(f"The narrator {answer.why_cut}, so the page ends at its last full sentence.")
        self.mood = reply.mood
        before = self.game.state.present
        sleepers = (name for name in reply.asleep if name in before)
        named = None if reply.present is None else (*reply.present, *sleepers)
        self.present = presence_after(self.game.state, active, named)
        if answer.repaired:
            self.repaired.append("narrator")
        responding = self._responders(answer, reply)
        self.narration = before_answers(self.narration, {id: self.game.pack.name_of(id) for id in responding})
        self.present = tuple(name for name in active if name in self.present or name in responding)
        self.asleep = tuple(name for name in reply.asleep if name in self.present and name not in responding)
        some_are_apart = reply.heard_by and not {*self.present} <= {*reply.heard_by}
        if not some_are_apart:
            stayed = self.setting if self.present == before else ""
            self.setting = one_line(clean(reply.setting), LONGEST_SETTING) or stayed
        self.heard = hearing(
            self.game, self.text, self.narration, self.present, responding, self.asleep, reply.heard_by
        )
        return self._narrated(responding)

    async def _narrator_call(self) -> PreparedCall[NarratorView]:
        """When it would not hold all verbatim turns, the game is folded first."""
        context, narrator = self.context, _sized(NARRATOR, self.steering.length)
        call = context.agents.prepare(narrator, self._narrator_view())
        if call.prompt.whole:
            return call
        sections = call.prompt.sections
        held = sum(s.tokens for s in sections if s.priority == "turn" and s.kept != "dropped")
        self.game = await fold(self.game, TurnContext(context.agents, context.bus, context.tally), held=held)
        return context.agents.prepare(narrator, self._narrator_view())

    def _narrator_view(self) -> NarratorView:
        room, take = self.context.agents.lore_room("narrator"), self.context.take
        view = narrator_view(self.game, self.kind, self.text, self.ruling, take, self.steering, room)
        return replace(view, earlier=self.earlier)

    def _narrated(self, responding: tuple[str, ...]) -> tuple[str, ...]:
        text, mood = self.narration, self.mood
        finished = NarrationFinished(text=text, mood=mood, responding=responding, present=self.present)
        self.context.bus.publish(finished)
        return responding

    def _streamed(self, event: Callable[..., Event], **about: str) -> OnText:
        """What publishes a stream of text, cleaned."""

        def on_text(text: str, reasoning: str, replace: bool) -> None:
            shown = event(**about, text=clean(text), reasoning=clean(reasoning), replace=replace)
            self.context.bus.publish(shown)

        return on_text

    def _responders(self, answer: AgentReply, reply: NarratorReply) -> tuple[str, ...]:
        """Who answers: those the narrator names; else those present whom the player or the narration names, and, where it
        does not say who is there, others whom both name; else nobody, or the first of those present if the reply was cut
        before it could name anybody, or the only one if it names strangers."""
        game, pack, chapter, warn = self.game, self.game.pack, self.game.chapter, self.context.warn
        of_chapter = plain(" ".join((chapter.summary, *chapter.beats, chapter.completion)))
        known = f" you the player {plain(game.info.player.name)} {of_chapter} "
        for unknown in dict.fromkeys(n for n in answer.reading.unknown if f" {plain(n)} " not in known):
            warn(f"The narrator named '{clean(unknown)[:60]}', who is not in this chapter.")
        if self.steering.asked:
            return self.steering.asked
        named: Sequence[str] | None = reply.responding_characters
        if named is None:
            told, cast = (
                (spoken(self.text), self.narration),
                {id: pack.characters[id] for id in chapter.characters},
            )
            met = [
                id for id in cast if reply.present is None and all(is_named(t, cast[id].name) for t in told)
            ]
            there = {id: cast[id] for id in cast if id in (*self.present, *met)}
            mentioned = named_in(" ".join(told), there)
            strange = answer.cut or (answer.reading.strange and len(self.present) == 1)
            named = [id for id in there if id in mentioned] or (self.present[:1] if strange else ())
        ids = dict.fromkeys(
            name for name in named if name in chapter.characters and name not in self.steering.hushed
        )
        gone = [name for name in ids if game.state.held.get(name) is False]
        for name in gone:
            warn(f"{pack.name_of(name)} is away and does not answer.")
        here = [name for name in ids if name not in gone]
        absent = [name for name in here if not may_answer(game, name, reply.present, self.narration)]
        for name in absent:
            warn(f"{pack.name_of(name)} is not here and does not answer.")
        return tuple(name for name in here if name not in absent)

    async def answer(self, character: str) -> None:
        """Let one character reply. A failure leaves it silent, with a notice."""
        game, context = self.game, self.context
        name = game.pack.name_of(character)
        gone = {entry.character for entry in self.replies if goes_by(game, entry)}
        context.bus.publish(CharacterStarted(character=character, name=name))
        text = ""
        try:
            call = self._character_call(character, gone)
            said = await context.agents.call(
                call, context.tally, self._streamed(CharacterToken, character=character)
            )
            text = clean(said.reply.text).strip()
            if said.repaired:
                self.repaired.append(f"character:{character}")
        except CallError as error:
            context.warn(f"No reply from {name} this turn. {error.message}")
        if text:
            self.replies.append(Entry(role="character", text=text, character=character))
        deaf = self.heard.keys() if is_confided(text, game.info.player.name) else gone
        for other in self.heard.keys() & deaf - {character}:
            unheard = (*self.heard[other].unheard, character)
            self.heard[other] = self.heard[other].model_copy(update={"unheard": unheard})
        context.bus.publish(CharacterFinished(character=character, name=name, text=text))

    def _character_call(self, character: str, gone: set[str | None]) -> PreparedCall[Viewpoint]:
        """The call without the turns that its prompt would not hold, so that memory tells what they told."""
        agents, key = self.context.agents, f"character:{character}"
        unaware = tuple(
            name
            for name in awake_before(self.game)
            if name in self.present and (name not in self.heard or self.heard[name].missed)
        )
        view = viewpoint_of(
            self.game,
            character,
            [*self.line, Entry(role="narrator", text=self.narration), *self.replies],
            tuple(name for name in self.present if name not in gone),
            heard=self.heard.get(character, WHOLE),
            mood=self.mood,
            unaware=unaware,
            asleep=self.asleep,
            take=self.context.take,
            lore_room=agents.lore_room(key),
        )
        said = [entry.text for turn in self.earlier for entry in turn.entries if entry.character == character]
        view = replace(view, said=tuple(said), setting=self.setting)
        while True:
            call = agents.prepare(_sized(CHARACTER, view.length), view, key)
            dropped = sum(s.priority == "turn" and s.kept == "dropped" for s in call.prompt.sections)
            if not dropped or not view.turns:
                return call
            view = replace(view, turns=view.turns[dropped:])


def _sized(agent: Agent[V], length: Length) -> Agent[V]:
    """The agent with room for a reply of this length."""
    return replace(agent, reply_tokens=round(agent.reply_tokens * LONGER)) if length == "long" else agent
