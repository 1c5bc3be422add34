"""Cutting characters' verbatim turns, behind a summary that was written of them: of one person a turn."""

from __future__ import annotations

from dataclasses import replace

from theact_tui.agents.memory import PAST
from theact_tui.engine.after_turn.memories import MOST_OF_A_SUMMARY, waiting_work
from theact_tui.engine.after_turn.write_summary import turn_size, view_room
from theact_tui.engine.agent_runner import TurnContext
from theact_tui.engine.events import MemoryUpdated
from theact_tui.errors import CallError
from theact_tui.parsing.replies import PlainReply
from theact_tui.story.game import Game
from theact_tui.story.memory import FactsMemory, with_summary
from theact_tui.story.viewpoints import cut_view, memory_view_of
from theact_tui.story.views import MergeView, Witnessed
from theact_tui.text import clean, clip


async def fold_view(game: Game, context: TurnContext, before: Game) -> Game:
    """The game with one person's oldest verbatim turns told in its summary, if they are due to leave its view; of several
    the one whose view is longest. When the call fails they stay. `before`: the memories as the turn found them."""
    name, kept = _due(game, context)
    if not name:
        return game
    memory, view = game.memory_of(name), game.state.views[name]
    if isinstance(memory, FactsMemory):
        turns = memory_view_of(game, name, view[: len(view) - len(kept)]).turns
        try:
            through, summary = await _written(game, name, turns, context)
        except CallError as error:
            context.bus.warn(
                f"Will be done next turn: what {game.pack.name_of(name)} knows of old. {error.message}"
            )
            return game
        kept = tuple(number for number in view if number > through)
        now = with_summary(memory, summary, through)
        was = before.memory_of(name).model_dump(mode="json")
        game = game.with_memory(name, now)
        context.bus.publish(MemoryUpdated(character=name, before=was, after=now.model_dump(mode="json")))
    return game.with_state(views={**game.state.views, name: kept})


def _due(game: Game, context: TurnContext) -> tuple[str, tuple[int, ...]]:
    """Whose view is to be cut, and what stays of it; nobody's where memories of these turns are still to be made."""
    agents = context.agents
    size, room, folding = turn_size(game, agents), view_room(agents), agents.folding(game.pack.game)
    sizes = {number: size(turn) for number, turn in game.turns.items()}
    found = list[tuple[int, str, tuple[int, ...]]]()
    for name, view in game.state.views.items():
        if not view or name not in game.pack.characters:
            continue
        kept = cut_view(view, sizes, room, folding)
        waiting = any(item.turn < kept[0] for item in waiting_work(game, name))
        if len(kept) < len(view) and not waiting:
            found.append((sum(sizes.get(number, 0) for number in view), name, kept))
    return max(found)[1:] if found else ("", ())


async def _written(
    game: Game, name: str, turns: tuple[Witnessed, ...], context: TurnContext
) -> tuple[int, str]:
    """The summary of what was remembered before and of the first turns, as many as one call can hold, and the last of
    these. Raises `CallError`."""
    view = memory_view_of(game, name, ())
    merge = MergeView(story=view.story, id=name, name=view.name, summary=view.memory.summary, turns=turns)
    call = context.agents.prepare(PAST, merge, f"memory:{name}")
    while not call.prompt.whole and len(merge.turns) > 1:
        merge = replace(merge, turns=merge.turns[:-1])
        call = context.agents.prepare(PAST, merge, f"memory:{name}")
    reply: PlainReply = (await context.agents.call(call, context.tally)).reply
    return merge.turns[-1].number, clip(clean(reply.text).strip(), MOST_OF_A_SUMMARY)
