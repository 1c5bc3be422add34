"""Folding old turns into the rolling summary, and how many tokens turns take and prompts have for them."""

from __future__ import annotations

from theact_tui.agents.base import told
from theact_tui.agents.character import CHARACTER
from theact_tui.agents.record_keepers import CONDENSE, SUMMARY
from theact_tui.engine.after_turn.moments import find_moments
from theact_tui.engine.agent_runner import AgentRunner, TurnContext
from theact_tui.engine.events import SummaryRolled
from theact_tui.engine.views import summary_view, verbatim_turns
from theact_tui.errors import CallError
from theact_tui.story.folding import LONG_SUMMARY, Size, turns_to_fold
from theact_tui.story.forgetting_and_recall import archive_sentences
from theact_tui.story.game import Game
from theact_tui.story.turn import Turn
from theact_tui.text import clean, clip

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
    names, player, voice = game.pack.names, game.info.player.name, game.pack.game.voice
    count = agents.model().tokens.count
    return lambda turn: count(told(turn.told, names, player, voice))


def view_room(agents: AgentRunner) -> int:
    """Tokens that a character's prompt has for verbatim turns."""
    return agents.room(CHARACTER) - ROLE_TOKENS


async def fold(game: Game, context: TurnContext, *, held: int | None = None) -> Game:
    """The game with old turns folded, and looked through for moments, if that is due: the summary grows by a few
    sentences, and is made shorter when it is long. `held`: the narrator's prompt is too long, and holds so many tokens
    of turns. A failing call leaves the cursor where it is."""
    agents = context.agents
    most = min(agents.model(SUMMARY.name).window // 2, agents.room(SUMMARY) - SUMMARY_TOKENS)
    parts = turns_to_fold(
        verbatim_turns(game),
        turn_size(game, agents),
        agents.model().window,
        pages=max(LEAST_PAGES, most),
        held=held,
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
            context.bus.warn(text)
            return game
        game = await find_moments(game, through, context)
        game = game.with_state(
            rolling_summary=after,
            last_summarized_turn=through,
            chronicle=archive_sentences(game.state.chronicle, before, after, through),
        )
        context.bus.publish(SummaryRolled(before=before, after=after, through_turn=through))
    return game


async def _continued(game: Game, before: str, turns: list[Turn], context: TurnContext) -> str:
    """The summary gone on with, and made shorter if it is long. Raises `CallError`."""
    reply = await context.ask(SUMMARY, summary_view(game, before, turns))
    told = clean(reply.text).strip()
    anew = "summary" in game.pack.prompts  # a pack's own prompt may ask for all of it again
    after = clip(told if anew or not before else f"{before} {told}", MOST_OF_A_SUMMARY)
    if context.agents.model(SUMMARY.name).tokens.count(after) <= LONG_SUMMARY:
        return after
    reply = await context.ask(CONDENSE, summary_view(game, after, ()))
    return clip(clean(reply.text).strip(), MOST_OF_A_SUMMARY)
