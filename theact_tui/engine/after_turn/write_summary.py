"""Fold old turns into the story's summary, or a character's into its own."""

from dataclasses import replace

from theact_tui.agents.agent import entries_text
from theact_tui.agents.character import CHARACTER
from theact_tui.agents.memory import PAST
from theact_tui.agents.record_keepers import CONDENSE, SUMMARY
from theact_tui.engine.after_turn.beats_and_moments import find_moments
from theact_tui.engine.after_turn.memories import MOST_OF_A_SUMMARY, waiting_work
from theact_tui.engine.agent_runner import AgentRunner
from theact_tui.engine.events import MemoryUpdated, SummaryRolled
from theact_tui.engine.turn_context import TurnContext
from theact_tui.errors import CallError
from theact_tui.parsing import PlainReply
from theact_tui.sentences import clip
from theact_tui.story.agent_views import summary_view, verbatim_turns
from theact_tui.story.character_view import cut_view, memory_view_of
from theact_tui.story.folding import LONG_SUMMARY, Size, turns_to_fold
from theact_tui.story.forgetting_and_recall import archive_sentences
from theact_tui.story.game import Game
from theact_tui.story.memory import FactsMemory, with_summary
from theact_tui.story.turn import Turn
from theact_tui.story.views import MergeView, Witnessed
from theact_tui.text import clean

ROLE_TOKENS = 1_000
LONGEST_SUMMARY = 2_000
SUMMARY_TOKENS = 750
"""Upper limit of a summary prompt without pages."""
LEAST_PAGES = 400
"""Tokens folded at a time, even in the smallest window."""


def turn_size(game: Game, agents: AgentRunner) -> Size:
    names, player, voice = game.pack.names, game.info.player.name, game.pack.game.voice
    count = agents.model().tokens.count
    return lambda turn: count(entries_text(turn.ordered_entries, names, player, voice))


def view_room(agents: AgentRunner) -> int:
    return agents.room(CHARACTER) - ROLE_TOKENS


async def fold(game: Game, context: TurnContext, *, verbatim_tokens: int | None = None) -> Game:
    """Fold due turns, find their moments, shorten a long summary. On failure the rest stays verbatim.

    `verbatim_tokens`: tokens of turns in a narrator prompt that is too long; half are folded at once.
    """
    agents = context.agents
    most = min(agents.model(SUMMARY.name).window // 2, agents.room(SUMMARY) - SUMMARY_TOKENS)
    parts = turns_to_fold(
        verbatim_turns(game),
        turn_size(game, agents),
        agents.model().window,
        part_tokens=max(LEAST_PAGES, most),
        verbatim_tokens=verbatim_tokens,
        folding=agents.folding(game.pack.game),
    )
    recapped = {recap.chapter for recap in game.recaps}
    for part in parts:
        before, through = game.state.rolling_summary, part[-1].number
        turns = [turn for turn in part if turn.chapter not in recapped]
        if not turns:
            game = game.with_state(last_summarized_turn=through)
            continue
        try:
            after = await _continued(game, before, turns, context)
        except CallError as error:
            text = f"Will be done next turn: the summary. {error.message}"
            context.warn(text, in_turn=False)
            return game
        game = await find_moments(game, through, context)
        chronicle = archive_sentences(game.state.chronicle, before, after, through)
        game = game.with_state(rolling_summary=after, last_summarized_turn=through, chronicle=chronicle)
        context.bus.publish(SummaryRolled(before=before, after=after, through_turn=through))
    return game


async def _continued(game: Game, before: str, turns: list[Turn], context: TurnContext) -> str:
    """Extend the summary; shorten a long one. Raises `CallError`."""
    reply = await context.ask(SUMMARY, summary_view(game, before, turns))
    summary = clean(reply.text).strip()
    anew = "summary" in game.pack.prompts  # a pack's own prompt may ask for all of it again
    after = clip(summary if anew or not before else f"{before} {summary}", LONGEST_SUMMARY)
    if context.agents.model(SUMMARY.name).tokens.count(after) <= LONG_SUMMARY:
        return after
    reply = await context.ask(CONDENSE, summary_view(game, after, ()))
    return clip(clean(reply.text).strip(), LONGEST_SUMMARY)


# --- summaries of characters -----------------------------------------------------------------------------------------


async def fold_view(game: Game, context: TurnContext, before: Game) -> Game:
    """Fold the oldest verbatim turns of the character with the longest view, if due; on failure they stay. `before`:
    the game before the turn.
    """
    name, remaining = _due(game, context)
    if not name:
        return game
    memory, view = game.memory_of(name), game.state.views[name]
    if isinstance(memory, FactsMemory):
        turns = memory_view_of(game, name, view[: len(view) - len(remaining)]).turns
        try:
            through, summary = await _summarise(game, name, turns, context)
        except CallError as error:
            context.warn(
                f"Will be done next turn: what {game.pack.name_of(name)} knows of old. {error.message}",
                in_turn=False,
            )
            return game
        remaining = tuple(number for number in view if number > through)
        now = with_summary(memory, summary, through)
        was = before.memory_of(name).model_dump(mode="json")
        game = game.with_memory(name, now)
        context.bus.publish(MemoryUpdated(character=name, before=was, after=now.model_dump(mode="json")))
    return game.with_state(views={**game.state.views, name: remaining})


def _due(game: Game, context: TurnContext) -> tuple[str, tuple[int, ...]]:
    """Return the character to fold and the remaining view; none while memories of these turns are pending."""
    agents = context.agents
    size, room, folding = turn_size(game, agents), view_room(agents), agents.folding(game.pack.game)
    sizes = {number: size(turn) for number, turn in game.turns.items()}
    candidates = list[tuple[int, str, tuple[int, ...]]]()
    for name, view in game.state.views.items():
        if not view or name not in game.pack.characters:
            continue
        remaining = cut_view(view, sizes, room, folding)
        waiting = any(item.turn < remaining[0] for item in waiting_work(game, name))
        if len(remaining) < len(view) and not waiting:
            candidates.append((sum(sizes.get(number, 0) for number in view), name, remaining))
    return max(candidates)[1:] if candidates else ("", ())


async def _summarise(
    game: Game, name: str, turns: tuple[Witnessed, ...], context: TurnContext
) -> tuple[int, str]:
    """Summarise earlier memories and the first turns that fit one call; also return the last turn. Raises
    `CallError`.
    """
    view = memory_view_of(game, name, ())
    merge = MergeView(
        story=view.story, id=name, name=view.name, role=view.role, summary=view.memory.summary, turns=turns
    )
    call = context.agents.prepare(PAST, merge, f"memory:{name}")
    while not call.prompt.whole and len(merge.turns) > 1:
        merge = replace(merge, turns=merge.turns[:-1])
        call = context.agents.prepare(PAST, merge, f"memory:{name}")
    reply: PlainReply = (await context.call(call)).reply
    return merge.turns[-1].number, clip(clean(reply.text).strip(), MOST_OF_A_SUMMARY)
