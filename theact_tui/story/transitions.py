"""How a game changes: pure functions from one game to the next."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from theact_tui.story.chapters import FOLDING, Folding, nudge_due
from theact_tui.story.game import Game, Pending, Recap, Spoken, needed_turns
from theact_tui.story.memory import CellsMemory, FactsMemory
from theact_tui.story.turn import Turn
from theact_tui.story.witness import extend_views, lore_learned

Size = Callable[[Turn], int]


def with_state(game: Game, **changes: object) -> Game:
    """The game with fields of its state replaced; turns that no prompt needs any more are let go."""
    state = game.state.model_copy(update=changes)
    turns = {number: game.turns[number] for number in needed_turns(state) if number in game.turns}
    return replace(game, state=state, turns=turns)


def with_spoken(game: Game, spoken: Spoken, size: Size, view_room: int, folding: Folding = FOLDING) -> Game:
    """The game after a turn was spoken. `view_room`: tokens for a character's verbatim turns."""
    turn = spoken.turn
    turns = {**game.turns, turn.number: turn}
    sizes = {number: size(known) for number, known in turns.items()}
    through = game.state.turn if game.state.moments_through is None else game.state.moments_through
    return with_state(
        replace(game, turns=turns),
        turn=turn.number,
        present=spoken.present,
        held=spoken.held,
        woken=(),
        rolls=spoken.rolls,
        transition=False,
        moments_through=through,
        nudged=game.state.nudged or nudge_due(game.state, turn.number),
        views=extend_views(game.state.views, turn, sizes, view_room, folding),
        lore_known=lore_learned(game, turn),
    )


def with_turn(game: Game, turn: Turn) -> Game:
    """The game with a turn it holds replaced."""
    return replace(game, turns={**game.turns, turn.number: turn})


def with_memory(game: Game, character: str, memory: FactsMemory | CellsMemory) -> Game:
    """The game with one character's memory replaced."""
    return replace(game, memories={**game.memories, character: memory})


def with_pending(game: Game, pending: Sequence[Pending]) -> Game:
    """The game with its list of pending work replaced."""
    return with_state(game, pending=tuple(pending))


def with_recap(game: Game, recap: Recap) -> Game:
    """The game with one more chapter recapped, in the order of the chapters."""
    order = {chapter: i for i, chapter in enumerate(game.pack.game.chapters)}
    kept = [known for known in game.recaps if known.chapter != recap.chapter]
    return replace(game, recaps=tuple(sorted([*kept, recap], key=lambda known: order.get(known.chapter, 0))))


def with_held(game: Game, held: Mapping[str, bool]) -> Game:
    """The game with presence held as the player set it, by character."""
    active = game.chapter.characters
    present = tuple(name for name in active if held.get(name, name in game.state.present))
    return with_state(game, held=dict(held), present=present)
