"""Looking told turns through: for beats after each turn, and for moments, so that they can be compared, when turns are folded
and when a chapter ends."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

from theact_tui.agents.record_keepers import MOMENT, PROGRESS
from theact_tui.engine.bus import Bus
from theact_tui.engine.events import BeatsMarked, MomentRecorded
from theact_tui.engine.turn_context import TurnContext
from theact_tui.engine.views import moments_view, progress_view
from theact_tui.errors import CallError
from theact_tui.parsing.forms import FoundMoment, MomentsReply, ProgressReply
from theact_tui.story.beats import MOST_NEW_BEATS, Claim, is_quoted, mark_beats, proven, quotable
from theact_tui.story.game import Game, Pending
from theact_tui.story.matching import nearest, plain, says_the_same
from theact_tui.story.moments import Moment, add_moment, archive_moments, moment_of
from theact_tui.story.turn import Turn
from theact_tui.text import one_line

MOST_FOUND = 2
"""Moments that one look can find."""
MOST_LEFT = 8
"""Turns, the last ones, that are looked at again after a call that failed."""


async def find_moments(game: Game, through: int, context: TurnContext) -> Game:
    """The game with the moments of the turns up to `through` that were not looked at yet. When the call fails, the
    turns are left for the next time."""
    since = game.state.turn if game.state.moments_through is None else game.state.moments_through
    late = {item.turn for item in game.state.pending if item.agent == "moment"}
    turns = [game.turns[n] for n in sorted(game.turns) if n in late or since < n <= through]
    kept = tuple(item for item in game.state.pending if item.agent != "moment")
    game = game.with_state(pending=kept, moments_through=max(since, through))
    if not turns or game.pack.game.moments == "off":
        return game
    try:
        call = context.agents.prepare_newest(MOMENT, moments_view(game, turns, context.take))
        reply: MomentsReply = (await context.call(call)).reply
    except CallError as error:
        first, last = turns[0].number, turns[-1].number
        what = f"turns {first} to {last}" if len(turns) > 1 else f"turn {first}"
        context.warn(f"Will be done next turn: the moments of {what}. {error.message}", in_turn=False)
        left = tuple(Pending(agent="moment", turn=turn.number) for turn in turns[-MOST_LEFT:])
        return game.with_state(pending=(*kept, *left))
    known = [moment.summary for moment in game.moments]
    found = [moment for one in reply.moments[:MOST_FOUND] if (moment := _moment(one, turns))]
    new = [moment for moment in found if not says_the_same(moment.summary, known)]
    return with_moments(game, new, context.bus)


def with_moments(game: Game, found: Sequence[Moment], bus: Bus) -> Game:
    """The game with more moments; those that give way go into the chronicle."""
    for moment in found:
        kept = add_moment(game.moments, moment)
        chronicle = archive_moments(game.state.chronicle, (*game.moments, moment), kept)
        game = replace(game.with_state(chronicle=chronicle), moments=kept)
        bus.publish(
            MomentRecorded(kind=moment.type, summary=moment.summary, significance=moment.significance)
        )
    return game


def _moment(found: FoundMoment, turns: Sequence[Turn]) -> Moment | None:
    """The moment with the turn it is from: the one that holds its quote, else the one that shares most words with it."""
    texts = [(turn.number, " ".join(entry.text for entry in turn.told)) for turn in turns]
    quoted = [number for number, text in texts if is_quoted(found.quote, plain(text))]
    number = quoted[0] if quoted else nearest(found.moment_summary, texts)
    kind = (found.moment_type or "").strip().casefold().replace(" ", "_")
    return moment_of(number, kind, one_line(found.moment_summary, 200), found.moment_significance)


# --- beats -----------------------------------------------------------------------------------------------------------


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
        is_paired = len(reply.quotes) <= len(beats)
        pairs = zip(beats, reply.quotes, strict=False) if is_paired else product(beats, reply.quotes)
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
