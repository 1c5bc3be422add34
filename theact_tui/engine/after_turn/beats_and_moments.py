"""Decide which beats count, and search folded turns for moments."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from theact_tui.agents.record_keepers import EXAMPLE_QUOTE, FINISHED, MOMENT, PROGRESS
from theact_tui.engine.bus import Bus
from theact_tui.engine.events import BeatsMarked, MomentRecorded
from theact_tui.engine.turn_context import TurnContext
from theact_tui.errors import CallError
from theact_tui.parsing.forms import FinishedReply, FoundMoment, MomentsReply, ProgressReply
from theact_tui.story.agent_views import moments_view, progress_view
from theact_tui.story.beats import Claim, beat_answer, find_quote, is_quoted, is_used, mark_beats, places_of
from theact_tui.story.game import Game, Pending
from theact_tui.story.matching import plain, says_the_same
from theact_tui.story.moments import Moment, add_moment, archive_moments, moment_of
from theact_tui.story.open_question import OpenQuestion
from theact_tui.story.pacing import passed_by
from theact_tui.story.turn import Turn
from theact_tui.story.views import FinishedView
from theact_tui.text import one_line

MOST_FOUND = 2
MOST_LEFT = 8
"""Turns searched again after a failed call."""


async def find_moments(game: Game, through: int, context: TurnContext) -> Game:
    """Record the moments of unsearched turns up to `through`; a failed call leaves them for later."""
    since = game.state.turn if game.state.moments_through is None else game.state.moments_through
    late = {item.turn for item in game.state.pending if item.agent == "moment"}
    turns = [game.turns[n] for n in sorted(game.turns) if n in late or since < n <= through]
    pending = tuple(item for item in game.state.pending if item.agent != "moment")
    game = game.with_state(pending=pending, moments_through=max(since, through))
    if not turns or game.pack.game.moments == "off":
        return game
    try:
        call = context.agents.prepare_newest(MOMENT, moments_view(game, turns, context.take))
        reply: MomentsReply = (await context.call(call)).reply
    except CallError as error:
        first, last = turns[0].number, turns[-1].number
        span = f"turns {first} to {last}" if len(turns) > 1 else f"turn {first}"
        context.warn(f"Will be done next turn: the moments of {span}. {error.message}", in_turn=False)
        left = tuple(Pending(agent="moment", turn=turn.number) for turn in turns[-MOST_LEFT:])
        return game.with_state(pending=(*pending, *left))
    summaries = [moment.summary for moment in game.moments]
    shown = call.view.turns
    moments = [moment for one in reply.moments[:MOST_FOUND] if (moment := _moment(one, shown))]
    new = [moment for moment in moments if not says_the_same(moment.summary, summaries)]
    return with_moments(game, new, context.bus)


def with_moments(game: Game, moments: Sequence[Moment], bus: Bus) -> Game:
    """Add moments; those that they replace go into the chronicle."""
    for moment in moments:
        remaining = add_moment(game.moments, moment)
        chronicle = archive_moments(game.state.chronicle, (*game.moments, moment), remaining)
        game = replace(game.with_state(chronicle=chronicle), moments=remaining)
        bus.publish(
            MomentRecorded(kind=moment.type, summary=moment.summary, significance=moment.significance)
        )
    return game


def _moment(reply: FoundMoment, turns: Sequence[Turn]) -> Moment | None:
    """Date a moment by its quote; None without a page that has it."""
    texts = [(turn.number, " ".join(entry.text for entry in turn.ordered_entries)) for turn in turns]
    quoted = [number for number, text in texts if is_quoted(reply.quote, plain(text))]
    if not quoted:
        return None
    kind = (reply.moment_type or "").strip().casefold().replace(" ", "_")
    return moment_of(quoted[0], kind, one_line(reply.moment_summary, 200), reply.moment_significance)


# --- beats -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BeatCheck:
    finished: tuple[str, ...] = ()
    begun: tuple[str, ...] = ()
    confessed: tuple[str, ...] = ()
    """Ids of characters who told their secret."""
    claims: tuple[Claim, ...] = ()
    is_complete: bool = False
    open_question: OpenQuestion | None = None


def turns_to_check(game: Game) -> tuple[Turn, ...]:
    """Return the chapter's unchecked turns; none if there is nothing to ask."""
    state = game.state
    if state.game_complete:
        return ()
    numbers = {item.turn for item in state.pending if item.agent == "progress"} | {state.turn}
    turns = [game.turns[number] for number in sorted(numbers) if number in game.turns]
    checked = tuple(turn for turn in turns if turn.chapter == state.chapter)
    return checked if progress_view(game, checked).asked else ()


async def check_beats(context: TurnContext, game: Game, turns: Sequence[Turn]) -> BeatCheck:
    """Ask which beats finished, then about each quoted place alone. Raises `CallError`."""
    view = progress_view(game, turns, context.take)
    reply: ProgressReply = await context.ask(PROGRESS, view)
    answers = {label: beat_answer(text) for label, text in reply.answers.items()}
    quotes = {label: reply.answers[label] for label, answer in answers.items() if answer == "finished"}
    claims = [Claim(beat, quotes[label]) for label, beat in view.beats.items() if label in quotes]
    places, proven = places_of((*view.before, *view.turns)), list[Claim]()
    for claim in claims:
        place = find_quote(claim.quote, places)
        if place is None or is_used(claim.quote, [EXAMPLE_QUOTE, *(other.quote for other in proven)]):
            continue
        question = FinishedView(story=view.story, beat=claim.beat, place=place)
        answer: FinishedReply = await context.ask(FINISHED, question)
        proven += [claim] if answer.finished else []
    confessed = [
        id
        for label, (id, _) in view.secrets.items()
        if label in quotes
        and find_quote(quotes[label], [place for place in places if place.speaker in ("", id)])
    ]
    return BeatCheck(
        finished=tuple(claim.beat for claim in proven),
        begun=tuple(beat for label, beat in view.beats.items() if answers.get(label) == "begun"),
        confessed=tuple(confessed),
        claims=tuple(claims),
        is_complete=reply.end,
        open_question=view.question if reply.answered is False else None,
    )


def with_beats(game: Game, check: BeatCheck, bus: Bus) -> Game:
    """Mark the proven beats. What the page was to go on without and did not tell has passed."""
    state, chapter = game.state, game.chapter
    begun = tuple(dict.fromkeys((*state.begun, *check.begun)))
    secrets = tuple(dict.fromkeys((*state.told_secrets, *check.confessed)))
    changes = {"begun": begun, "told_secrets": secrets, "open_question": check.open_question}
    state, new = mark_beats(state.model_copy(update=changes), chapter, check.finished, state.turn)
    if (passing := passed_by(game.turns[state.turn])) and passing not in state.beats_hit:
        passed = tuple(dict.fromkeys((*state.passed, passing)))
        state = state.model_copy(update={"passed": passed, "last_beat_turn": state.turn})
    if not new:
        return replace(game, state=state)
    bus.publish(BeatsMarked(beats=new, hit=len(state.beats_hit), total=len(chapter.beats)))
    return replace(game, state=state).with_turn(game.turns[state.turn].model_copy(update={"new_beats": new}))
