"""Which beats of its chapter a turn told: a model says so, and is believed where a quote from the text proves it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from theact_tui.agents.record_keepers import PROGRESS
from theact_tui.engine.agent_runner import TurnContext
from theact_tui.engine.bus import Bus
from theact_tui.engine.events import BeatsMarked
from theact_tui.engine.views import progress_view
from theact_tui.errors import CallError
from theact_tui.parsing.replies import ProgressReply
from theact_tui.story.beats import MOST_NEW_BEATS, mark_beats, shown_beats
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


def with_beats(game: Game, turns: Sequence[Turn], reply: ProgressReply, bus: Bus) -> Game:
    """The game with the beats marked that the reply proves to have happened in `turns` or begun in the one before."""
    before = game.turns.get(turns[0].number - 1) if turns else None
    seen = [*([before] if before else []), *turns]
    text = " ".join(entry.text for turn in seen for entry in turn.told if entry.role != "system")
    most = MOST_NEW_BEATS * max(1, len(turns))
    shown = shown_beats(reply.new_beats, reply.quotes, text, hit=game.state.beats_hit, most=most)
    number = game.state.turn
    state, new = mark_beats(game.state, game.chapter, shown, number)
    if not new:
        return game
    bus.publish(BeatsMarked(beats=new, hit=len(state.beats_hit), total=len(game.chapter.beats)))
    return replace(game, state=state).with_turn(game.turns[number].model_copy(update={"new_beats": new}))


async def with_beats_told_before(context: TurnContext, game: Game, recap: str) -> Game:
    """The game with those acts of a character, among the new chapter's beats, marked that the recap shows to have
    happened: a confession made early is not led to again."""
    own = game.chapter.by
    most = min(MOST_NEW_BEATS, len(game.chapter.beats) - 1)
    if not recap or not own or not most or context.deferred.is_set():
        return game
    view = replace(progress_view(game, (), context.take), recap=recap)
    try:
        reply: ProgressReply = await context.ask(PROGRESS, view)
    except CallError:  # nothing is lost: the beats are looked for in every turn
        return game
    quotes = reply.quotes or [""] * len(reply.new_beats)
    proven = [beat for beat in shown_beats(reply.new_beats, quotes, recap, most=most) if beat in own]
    state, _ = mark_beats(game.state, game.chapter, proven, game.state.turn)
    return replace(game, state=state)
