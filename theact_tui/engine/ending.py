"""The end of a chapter and of the game (S5.3): recap, next chapter, epilogue."""

from __future__ import annotations

from dataclasses import replace

from theact_tui.agents.summary import EPILOGUE, RECAP
from theact_tui.engine.desk import Desk
from theact_tui.engine.events import ChapterAdvanced, EpilogueTold, GameCompleted
from theact_tui.engine.folding import MOST_OF_A_SUMMARY
from theact_tui.engine.looks import epilogue_view, recap_view
from theact_tui.engine.means import Means
from theact_tui.errors import CallError
from theact_tui.story.changes import with_pending, with_recap, with_turn
from theact_tui.story.chapters import advance
from theact_tui.story.game import Game, Pending, Recap
from theact_tui.story.turn import Entry, Turn
from theact_tui.story.views import RecapView
from theact_tui.text import clean, clip


async def close_chapter(means: Means, game: Game) -> Game:
    """The game past the end of its chapter: recapped, advanced, and with an epilogue after the last one."""
    finished = game.chapter
    number = game.state.turn
    game = with_turn(game, game.turns[number].model_copy(update={"completed_chapter": finished.id}))
    game = await _recap(means, game, finished.id)
    recap = next((known.text for known in game.recaps if known.chapter == finished.id), "")
    state = advance(game.state, game.pack, number)
    game = replace(game, state=state)
    if not state.game_complete:
        means.bus.publish(
            ChapterAdvanced(
                previous=finished.id, chapter=state.chapter, title=game.chapter.title, recap=recap
            )
        )
        return game
    means.bus.publish(GameCompleted())
    return await _epilogue(means, game)


async def finish_pending_texts(means: Means, game: Game) -> Game:
    """Try recaps and the epilogue of earlier turns again."""
    for item in game.state.pending:
        if item.agent not in ("recap", "epilogue"):
            continue
        rest = [other for other in game.state.pending if other != item]
        game = with_pending(game, rest)
        if item.agent == "recap" and item.chapter:
            game = await _recap(means, game, item.chapter)
        elif item.agent == "epilogue":
            game = await _epilogue(means, game)
    return game


async def _recap(means: Means, game: Game, chapter: str) -> Game:
    wanted = Pending(agent="recap", turn=game.state.turn, chapter=chapter)
    if means.hurry.is_set():
        return with_pending(game, (*game.state.pending, wanted))
    title = game.pack.chapters[chapter].title
    try:
        view = _fitting(recap_view(game, game.pack.chapters[chapter]), means.desk)
        answer = await means.desk.ask(RECAP, view, key="recap", tally=means.tally)
    except CallError as error:
        means.warn(f"The recap of {title} is still to be written. {error.message}")
        return with_pending(game, (*game.state.pending, wanted))
    return with_recap(
        game,
        Recap(chapter=chapter, title=title, text=clip(clean(answer.reply.text).strip(), MOST_OF_A_SUMMARY)),
    )


def _fitting(view: RecapView, desk: Desk) -> RecapView:
    """The view without the oldest pages that its prompt would not hold; how a chapter ends matters most."""
    while len(view.turns) > 1:
        prompt, _ = desk.prompt(RECAP, view)
        if all(section.kept == "whole" for section in prompt.sections):
            break
        view = replace(view, turns=view.turns[1:])
    return view


async def _epilogue(means: Means, game: Game) -> Game:
    number = game.state.turn
    wanted = Pending(agent="epilogue", turn=number)
    view = epilogue_view(game, await _landmarks(means, game))
    try:
        answer = await means.desk.ask(EPILOGUE, view, key="epilogue", tally=means.tally)
    except CallError as error:
        means.warn(f"The epilogue is still to be told. {error.message}")
        return with_pending(game, (*game.state.pending, wanted))
    text = clean(answer.reply.text).strip()
    turn = game.turns[number]
    entries = (*turn.entries, Entry(role="system", text=text))
    means.bus.publish(EpilogueTold(text=text))
    return with_turn(game, turn.model_copy(update={"entries": entries}))


async def _landmarks(means: Means, game: Game) -> tuple[Turn, ...]:
    """First, middle and last turn of the game."""
    last = game.state.turn
    found = [game.turns[last]]
    for number in sorted({1, (last + 1) // 2} - {last}, reverse=True):
        known = await means.read_turns(number, number)
        found = [*known, *found]
    return tuple(found)
