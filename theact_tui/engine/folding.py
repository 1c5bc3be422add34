"""Folding old turns into the rolling summary (S5.1). Summary and cursor change together, only on success."""

from __future__ import annotations

import math

from theact_tui.agents.base import told
from theact_tui.agents.character import CHARACTER
from theact_tui.agents.summary import SUMMARY
from theact_tui.engine.bus import Bus
from theact_tui.engine.desk import Desk, Tally
from theact_tui.engine.events import Notice, SummaryRolled
from theact_tui.engine.looks import names_of, summary_view, verbatim_turns
from theact_tui.errors import CallError
from theact_tui.story.changes import Size, with_state
from theact_tui.story.chronicle import with_left_out
from theact_tui.story.folding import turns_to_fold
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


def turn_size(game: Game, desk: Desk) -> Size:
    """How many tokens a turn takes in a prompt."""
    names, player = names_of(game), game.info.player.name
    count = desk.model().tokens.count

    def size(turn: Turn) -> int:
        return count(told(turn.told, names, player))

    return size


def view_room(desk: Desk) -> int:
    """Tokens that a character's prompt has for verbatim turns."""
    model = desk.model(CHARACTER.name)
    reserve = math.ceil(model.window * model.tokens.reserve)
    return model.window - reserve - CHARACTER.reply_tokens - ROLE_TOKENS


def _pages_room(desk: Desk) -> int:
    """Tokens of turns that one summary call takes in whole."""
    model = desk.model(SUMMARY.name)
    reserve = math.ceil(model.window * model.tokens.reserve)
    return max(
        LEAST_PAGES, min(model.window // 2, model.window - reserve - SUMMARY.reply_tokens - SUMMARY_TOKENS)
    )


async def fold(game: Game, desk: Desk, bus: Bus, tally: Tally, *, held: int | None = None) -> Game:
    """The game with old turns folded if that is due. `held`: the narrator's prompt is too long, and holds so many tokens
    of turns. A failing call leaves the cursor where it is."""
    size, window = turn_size(game, desk), desk.model().window
    for turns in turns_to_fold(verbatim_turns(game), size, window, pages=_pages_room(desk), held=held):
        before, through = game.state.rolling_summary, turns[-1].number
        try:
            answer = await desk.ask(SUMMARY, summary_view(game, before, turns), key="summary", tally=tally)
        except CallError as error:
            bus.publish(
                Notice(text=f"The summary is not brought up to date yet. {error.message}", level="warning")
            )
            return game
        after = clip(clean(answer.reply.text).strip(), MOST_OF_A_SUMMARY)
        game = with_state(
            game,
            rolling_summary=after,
            last_summarized_turn=through,
            chronicle=with_left_out(game.state.chronicle, before, after, through),
        )
        bus.publish(SummaryRolled(before=before, after=after, through_turn=through))
    return game
