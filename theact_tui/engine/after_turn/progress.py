"""Which beats a turn told: a model says so, and is believed where a quote from the pages proves it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from theact_tui.agents.record_keepers import PROGRESS
from theact_tui.engine.agent_runner import TurnContext
from theact_tui.engine.bus import Bus
from theact_tui.engine.events import BeatsMarked
from theact_tui.engine.views import progress_view
from theact_tui.parsing.forms import ProgressReply
from theact_tui.story.beats import (
    MOST_NEW_BEATS,
    Claim,
    mark_beats,
    proven,
    quotable,
)
from theact_tui.story.game import Game
from theact_tui.story.turn import Turn


def turns_to_check(game: Game) -> tuple[Turn, ...]:
    """The last turn, and earlier ones of its chapter that could not be checked; none where there are no beats."""
    state = game.state
    if state.game_complete or not game.chapter.beats:
        return ()
    numbers = {item.turn for item in state.pending if item.agent == "progress"} | {state.turn}
    turns = [game.turns[number] for number in sorted(numbers) if number in game.turns]
    return tuple(turn for turn in turns if turn.chapter == state.chapter)


async def check_beats(context: TurnContext, game: Game, turns: Sequence[Turn]) -> ProgressReply:
    """What a model says of the beats in `turns`. Raises `CallError`."""
    reply: ProgressReply = await context.ask(PROGRESS, progress_view(game, turns, context.take))
    return reply


def with_beats(game: Game, turns: Sequence[Turn], reply: ProgressReply, bus: Bus, *, trusted: bool) -> Game:
    """The game with the beats marked that the reply proves to have happened in `turns` or the pages before them, and with
    those of the next chapter kept that came before their time. A reply without quotes counts only if it is `trusted`."""
    state, offered = game.state, progress_view(game, turns).offered.values()
    named = [beat for beat in reply.new_beats if beat not in state.beats_hit]
    beats = named if len(reply.quotes) < len(reply.new_beats) else reply.new_beats
    most = MOST_NEW_BEATS * max(1, len(turns))
    if reply.quotes:
        pairs = zip(beats, reply.quotes, strict=False)
        claims = [Claim(beat, quote) for beat, quote in pairs if beat in offered]
        shown = proven(claims, (*quotable(game, turns), *turns), game, most=most)
    else:
        shown = tuple(named[:most]) if trusted else ()
    state, new = mark_beats(state, game.chapter, shown, state.turn)
    early = [beat for beat in shown if beat not in game.chapter.beats]
    if early:
        state = state.model_copy(update={"told_early": (*state.told_early, *early)})
    if not new:
        return replace(game, state=state)
    bus.publish(BeatsMarked(beats=new, hit=len(state.beats_hit), total=len(game.chapter.beats)))
    return replace(game, state=state).with_turn(game.turns[state.turn].model_copy(update={"new_beats": new}))


def is_trusted(context: TurnContext, game: Game) -> bool:
    """True if a reply needs no quotes: the storyteller knows its script, and a pack's own template may not ask for any."""
    template = game.pack.prompts.get(PROGRESS.name, "quotes")
    return context.agents.model(PROGRESS.name).provider == "storyteller" or "quotes" not in template
