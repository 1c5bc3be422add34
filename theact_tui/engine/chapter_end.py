"""The end of a chapter and of the game (recap, next chapter, epilogue), and folding old turns into the summary."""

from __future__ import annotations

import math
from dataclasses import replace

from theact_tui.agents.base import told
from theact_tui.agents.character import CHARACTER
from theact_tui.agents.progress import PROGRESS
from theact_tui.agents.summary import CONDENSE, EPILOGUE, RECAP, SUMMARY
from theact_tui.engine.agent_runner import AgentRunner, CallTally, TurnContext
from theact_tui.engine.events import ChapterAdvanced, EpilogueTold, GameCompleted, Notice, SummaryRolled
from theact_tui.engine.moments import find_moments
from theact_tui.engine.reflection import reflect, reflect_one
from theact_tui.engine.views import (
    epilogue_view,
    names_of,
    progress_view,
    recap_view,
    summary_view,
    verbatim_turns,
)
from theact_tui.errors import CallError
from theact_tui.parsing.replies import ProgressReply
from theact_tui.story.archive import archive_sentences
from theact_tui.story.chapters import (
    KEPT_AT_CHAPTER_END,
    LONG_SUMMARY,
    MOST_NEW_BEATS,
    advance,
    mark_beats,
    shown_beats,
    turns_to_fold,
)
from theact_tui.story.game import Game, Pending, Recap, State
from theact_tui.story.transitions import Size, with_pending, with_recap, with_state, with_turn
from theact_tui.story.turn import Entry, Turn
from theact_tui.text import clean, clip


async def close_chapter(context: TurnContext, game: Game) -> Game:
    """The game past the end of its chapter: recapped, advanced, and with an epilogue after the last one."""
    finished = game.chapter
    number = game.state.turn
    game = with_turn(game, game.turns[number].model_copy(update={"completed_chapter": finished.id}))
    if not context.deferred.is_set():
        game = await find_moments(game, number, context)
    game = await _recap(context, game, finished.id)
    recap = next((known.text for known in game.recaps if known.chapter == finished.id), "")
    game = await reflect(context, game, finished.id)
    state = advance(game.state, game.pack, number)
    game = _folded_into(recap, replace(game, state=state)) if recap else replace(game, state=state)
    if not state.game_complete:
        context.bus.publish(
            ChapterAdvanced(
                previous=finished.id, chapter=state.chapter, title=game.chapter.title, recap=recap
            )
        )
        return await _already_told(context, game, recap)
    context.bus.publish(GameCompleted())
    return await _epilogue(context, game)


def _folded_into(recap: str, game: Game) -> Game:
    """The game with a finished chapter's summary and all but its last turns left to its recap."""
    state = game.state
    through = max(state.last_summarized_turn, state.turn - KEPT_AT_CHAPTER_END)
    return with_state(
        game,
        rolling_summary="",
        last_summarized_turn=through,
        chronicle=archive_sentences(state.chronicle, state.rolling_summary, recap, through),
    )


async def _already_told(context: TurnContext, game: Game, recap: str) -> Game:
    """The game with those acts of a character, among the new chapter's beats, marked that the recap shows to have
    happened: a confession made early is not led to again."""
    own = game.chapter.by
    most = min(MOST_NEW_BEATS, len(game.chapter.beats) - 1)
    if not recap or not own or not most or context.deferred.is_set():
        return game
    view = replace(progress_view(game, (), context.take), recap=recap)
    try:
        reply: ProgressReply = (
            await context.agents.ask(PROGRESS, view, key="progress", tally=context.tally)
        ).reply
    except CallError:  # nothing is lost: the beats are looked for in every turn
        return game
    quotes = reply.quotes or [""] * len(reply.new_beats)
    proven = [beat for beat in shown_beats(reply.new_beats, quotes, recap, most=most) if beat in own]
    state, _ = mark_beats(game.state, game.chapter, proven, game.state.turn)
    return replace(game, state=state)


async def finish_pending_texts(context: TurnContext, game: Game) -> Game:
    """Try recaps, reflections, the epilogue and the search for moments of earlier turns again."""
    if any(item.agent == "moment" for item in game.state.pending) and not context.deferred.is_set():
        through = game.state.moments_through or 0
        game = await find_moments(game, through, context)
    for item in game.state.pending:
        if item.agent not in ("recap", "epilogue", "reflection"):
            continue
        rest = [other for other in game.state.pending if other != item]
        game = with_pending(game, rest)
        if item.agent == "recap" and item.chapter:
            game = await _recap(context, game, item.chapter)
        elif item.agent == "reflection" and item.character in game.pack.characters:
            game = await reflect_one(context, game, item.character)
        elif item.agent == "epilogue":
            game = await _epilogue(context, game)
    return game


async def _recap(context: TurnContext, game: Game, chapter: str) -> Game:
    wanted = Pending(agent="recap", turn=game.state.turn, chapter=chapter)
    if context.deferred.is_set():
        return with_pending(game, (*game.state.pending, wanted))
    title = game.pack.chapters[chapter].title
    try:
        whole = recap_view(game, game.pack.chapters[chapter])
        call = context.agents.prepare_newest(
            RECAP, lambda turns: replace(whole, turns=tuple(turns)), whole.turns
        )
        answer = await context.agents.call(call, context.tally)
    except CallError as error:
        context.warn(f"Will be done next turn: the recap of {title}. {error.message}")
        return with_pending(game, (*game.state.pending, wanted))
    return with_recap(
        game,
        Recap(chapter=chapter, title=title, text=clip(clean(answer.reply.text).strip(), MOST_OF_A_SUMMARY)),
    )


async def _epilogue(context: TurnContext, game: Game) -> Game:
    number = game.state.turn
    wanted = Pending(agent="epilogue", turn=number)
    view = epilogue_view(game, await _landmarks(context, game))
    try:
        answer = await context.agents.ask(EPILOGUE, view, key="epilogue", tally=context.tally)
    except CallError as error:
        context.warn(f"Will be done next turn: the epilogue. {error.message}")
        return with_pending(game, (*game.state.pending, wanted))
    text = clean(answer.reply.text).strip()
    turn = game.turns[number]
    entries = (*turn.entries, Entry(role="system", text=text))
    context.bus.publish(EpilogueTold(text=text))
    return with_turn(game, turn.model_copy(update={"entries": entries}))


async def _landmarks(context: TurnContext, game: Game) -> tuple[Turn, ...]:
    """First, middle and last turn of the game."""
    last = game.state.turn
    found = [game.turns[last]]
    for number in sorted({1, (last + 1) // 2} - {last}, reverse=True):
        known = await context.read_turns(number, number)
        found = [*known, *found]
    return tuple(found)


ROLE_TOKENS = 1_000
"""What a character's prompt holds besides turns, at most: the world, its own part and a full memory."""

MOST_OF_A_SUMMARY = 2_000
"""Characters; far more than the five sentences that are asked for."""
SUMMARY_TOKENS = 750
"""What a summary's prompt holds besides pages, at most: rules, task and the summary before."""
LEAST_PAGES = 400
"""Tokens of turns that are folded at a time even in the smallest window."""


def turn_size(game: Game, agents: AgentRunner) -> Size:
    """How many tokens a turn takes in a prompt."""
    names, player = names_of(game), game.info.player.name
    count = agents.model().tokens.count

    def size(turn: Turn) -> int:
        return count(told(turn.told, names, player))

    return size


def view_room(agents: AgentRunner) -> int:
    """Tokens that a character's prompt has for verbatim turns."""
    model = agents.model(CHARACTER.name)
    reserve = math.ceil(model.window * model.tokens.reserve)
    return model.window - reserve - CHARACTER.reply_tokens - ROLE_TOKENS


def _pages_room(agents: AgentRunner) -> int:
    """Tokens of turns that one summary call takes in whole."""
    model = agents.model(SUMMARY.name)
    reserve = math.ceil(model.window * model.tokens.reserve)
    return max(
        LEAST_PAGES, min(model.window // 2, model.window - reserve - SUMMARY.reply_tokens - SUMMARY_TOKENS)
    )


async def fold(game: Game, context: TurnContext, *, held: int | None = None) -> Game:
    """The game with old turns folded, and looked through for moments, if that is due: the summary grows by a few
    sentences, and is made shorter when it is long. `held`: the narrator's prompt is too long, and holds so many tokens
    of turns; those who were there since are then told no more of them either, so that all prompts go on to begin alike.
    A failing call leaves the cursor where it is."""
    agents = context.agents
    size, window, folding = turn_size(game, agents), agents.model().window, agents.folding(game.pack.game)
    parts = turns_to_fold(
        verbatim_turns(game),
        size,
        window,
        pages=_pages_room(agents),
        held=held,
        folding=folding,
    )
    recapped = {recap.chapter for recap in game.recaps}
    for turns in parts:
        before, through = game.state.rolling_summary, turns[-1].number
        turns = tuple(turn for turn in turns if turn.chapter not in recapped)
        if not turns:
            game = with_state(game, last_summarized_turn=through)
            continue
        try:
            answer = await agents.ask(
                SUMMARY, summary_view(game, before, turns), key="summary", tally=context.tally
            )
            told = clean(answer.reply.text).strip()
            anew = "summary" in game.pack.prompts  # a pack's own prompt may ask for all of it again
            after = told if anew or not before else f"{before} {told}"
            after = await _condensed(game, after, agents, context.tally)
        except CallError as error:
            context.bus.publish(
                Notice(text=f"Will be done next turn: the summary. {error.message}", level="warning")
            )
            return game
        game = await find_moments(game, through, context)
        game = with_state(
            game,
            rolling_summary=after,
            last_summarized_turn=through,
            chronicle=archive_sentences(game.state.chronicle, before, after, through),
        )
        context.bus.publish(SummaryRolled(before=before, after=after, through_turn=through))
    return game if held is None else with_state(game, views=_since_the_fold(game.state))


def _since_the_fold(state: State) -> dict[str, tuple[int, ...]]:
    """The characters' verbatim turns from the narrator's first one on, for those who witnessed that one."""
    first = state.last_summarized_turn + 1
    return {
        name: numbers[numbers.index(first) :] if first in numbers else numbers
        for name, numbers in state.views.items()
    }


async def _condensed(game: Game, summary: str, agents: AgentRunner, tally: CallTally) -> str:
    """A summary, made shorter if it is long."""
    summary = clip(summary, MOST_OF_A_SUMMARY)
    if agents.model(SUMMARY.name).tokens.count(summary) <= LONG_SUMMARY:
        return summary
    answer = await agents.ask(CONDENSE, summary_view(game, summary, ()), key="summary", tally=tally)
    return clip(clean(answer.reply.text).strip(), MOST_OF_A_SUMMARY)
