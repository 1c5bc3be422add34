"""Who is on stage, and what each character may know (S4): the only place that makes a character's view."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from theact_tui.story.folding import FOLD_BATCH, KEPT_TURNS, SUMMARY_THRESHOLD
from theact_tui.story.game import Game, State
from theact_tui.story.memory import empty_memory
from theact_tui.story.turn import Entry, Turn
from theact_tui.story.views import MemoryView, Stage, Viewpoint, Witnessed

VIEW_LEAST = 3
"""Turns a character keeps even when they are too long for its room."""


def stage_of(game: Game, take: int = 1) -> Stage:
    """What all views of the next turn share."""
    return Stage(
        world=game.pack.world,
        player=game.info.player,
        seed=game.info.seed,
        turn=game.state.turn + 1,
        take=take,
    )


def presence_after(state: State, active: Sequence[str], named: Sequence[str] | None) -> tuple[str, ...]:
    """Who is on stage when the narrator names `named` (None: no change); the player's toggles hold against it."""
    wanted = state.present if named is None else tuple(named)
    return tuple(name for name in active if state.held.get(name, name in wanted))


def witnesses_of(present: Iterable[str], responders: Iterable[str]) -> tuple[str, ...]:
    """Witnesses of a turn: those on stage after the narrator's change, and everyone who responded."""
    return tuple(dict.fromkeys((*present, *responders)))


def witnessed(turn: Turn) -> Witnessed:
    """A turn as its witnesses know it: without the program's own entries."""
    entries = tuple(entry for entry in turn.told if entry.role != "system")
    return Witnessed(number=turn.number, chapter=turn.chapter, entries=entries)


def viewpoint_of(
    game: Game,
    character: str,
    now: Sequence[Entry],
    present: tuple[str, ...],
    *,
    mood: str = "calm",
    take: int = 1,
) -> Viewpoint:
    """All that `character` may know while the turn whose entries so far are `now` is being told."""
    numbers = game.state.views.get(character, ())
    known = [game.turns[number] for number in numbers if number in game.turns]
    return Viewpoint(
        stage=stage_of(game, take),
        id=character,
        card=game.pack.characters[character],
        names={name: card.name for name, card in game.pack.characters.items()},
        present=present,
        memory=game.memories.get(character) or empty_memory(game.pack.game.memory),
        turns=tuple(witnessed(turn) for turn in known if character in turn.witnesses),
        now=Witnessed(number=game.state.turn + 1, chapter=game.state.chapter, entries=tuple(now)),
        mood=mood,
    )


def memory_view_of(game: Game, character: str, turns: Iterable[int], *, take: int = 1) -> MemoryView:
    """What `character` is to remember of the given turns; those it did not witness are left out."""
    known = [game.turns[number] for number in sorted(turns) if number in game.turns]
    stage = stage_of(game, take)
    return MemoryView(
        stage=Stage(world=stage.world, player=stage.player, seed=stage.seed, turn=game.state.turn, take=take),
        id=character,
        name=game.pack.name_of(character),
        names={name: card.name for name, card in game.pack.characters.items()},
        memory=game.memories.get(character) or empty_memory(game.pack.game.memory),
        turns=tuple(witnessed(turn) for turn in known if character in turn.witnesses),
    )


def extend_views(
    views: Mapping[str, tuple[int, ...]], turn: Turn, sizes: Mapping[int, int], room: int
) -> dict[str, tuple[int, ...]]:
    """The verbatim turns of every character after `turn`.

    A view grows turn by turn and is cut in blocks, so that the prompt's prefix stays the same between two cuts: to the
    last four when it is as long as folding needs, or earlier when it would leave no space in `room` tokens for another
    turn like this one.
    """
    grown = dict(views)
    for character in turn.witnesses:
        numbers = (*(number for number in grown.get(character, ()) if number != turn.number), turn.number)
        tokens = sum(sizes.get(number, 0) for number in numbers)
        if tokens + sizes.get(turn.number, 0) > room:
            numbers = numbers[-VIEW_LEAST:]
        elif tokens > SUMMARY_THRESHOLD and len(numbers) > KEPT_TURNS + FOLD_BATCH:
            numbers = numbers[-KEPT_TURNS:]
        grown[character] = numbers
    return grown
