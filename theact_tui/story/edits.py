"""Changes made by hand, as pure functions: each returns the next game, or raises `UsageError` and changes nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from theact_tui.errors import UsageError
from theact_tui.story.cells import can_pin_cell
from theact_tui.story.changes import with_memory, with_state
from theact_tui.story.facts import can_pin_fact
from theact_tui.story.game import Game
from theact_tui.story.memory import (
    MAX_PINNED_FACTS,
    PIN_ROOM,
    Cell,
    CellsMemory,
    Fact,
    FactsMemory,
    empty_memory,
    lines_of,
    pins_fit,
)
from theact_tui.story.moments import MAX_PINNED_MOMENTS, can_pin_moment
from theact_tui.story.turn import Turn
from theact_tui.text import clean, one_line


def hold(game: Game, characters: Sequence[str], *, here: bool) -> Game:
    """Bring characters on stage or send them away; it holds until the player or a new chapter changes it."""
    active = game.chapter.characters
    unknown = [name for name in characters if name not in active]
    if unknown:
        known = ", ".join(active)
        raise UsageError(f"There is no '{one_line(unknown[0], 40)}' in this chapter. Known: {known}.")
    return with_held(game, {**game.state.held, **dict.fromkeys(characters, here)})


def with_held(game: Game, held: Mapping[str, bool]) -> Game:
    """The game with presence held as the player set it, by character."""
    active = game.chapter.characters
    present = tuple(name for name in active if held.get(name, name in game.state.present))
    return with_state(game, held=dict(held), present=present)


def pin_line(game: Game, character: str, line: int, *, pinned: bool) -> Game:
    """Pin or unpin a remembered line, by its place in the stored memory, from 0."""
    memory = memory_of(game, character)
    lines = list(lines_of(memory))
    _check_line(line, len(lines))
    if pinned and not lines[line].pinned:
        _check_pin(game, memory, lines[line])
    lines[line] = lines[line].model_copy(update={"pinned": pinned})
    field = "key_facts" if isinstance(memory, FactsMemory) else "cells"
    return with_memory(game, character, memory.model_copy(update={field: tuple(lines)}))


def _check_pin(game: Game, memory: FactsMemory | CellsMemory, line: Fact | Cell) -> None:
    """Raises `UsageError` if `line` cannot be pinned beside those that are."""
    if isinstance(memory, FactsMemory) and not can_pin_fact(memory):
        raise UsageError(
            f"At most {MAX_PINNED_FACTS} facts can be pinned, so that there is room for new ones. Unpin one first."
        )
    if isinstance(memory, CellsMemory) and not can_pin_cell(memory, game.pack.game.memory_cells):
        raise UsageError("One entry must stay free for the newest. Unpin another first.")
    if not pins_fit(memory, line):
        raise UsageError(
            f"What is pinned is told whole every time, and takes at most {PIN_ROOM:,} characters together. "
            "Unpin another line first, or make this one shorter."
        )


def pin_moment(game: Game, moment: int, *, pinned: bool) -> Game:
    """Pin or unpin a moment, by its place in the list, from 0."""
    moments = list(game.moments)
    _check_line(moment, len(moments), "moment")
    if pinned and not moments[moment].pinned and not can_pin_moment(moments):
        raise UsageError(
            f"At most {MAX_PINNED_MOMENTS} moments can be pinned, so that the narrator hears of new ones. "
            "Unpin one first."
        )
    moments[moment] = moments[moment].model_copy(update={"pinned": pinned})
    return replace(game, moments=tuple(moments))


def with_entry_text(turn: Turn, entry: int, text: str) -> Turn:
    """The turn with the text of an entry, by its place in `Turn.entries`, replaced."""
    text = clean(text).strip()
    if not text:
        raise UsageError("An entry cannot be empty.")
    entries = list(turn.entries)
    _check_line(entry, len(entries))
    entries[entry] = entries[entry].model_copy(update={"text": text})
    return turn.model_copy(update={"entries": tuple(entries)})


def memory_of(game: Game, character: str) -> FactsMemory | CellsMemory:
    """A character's memory, empty when it has none yet."""
    if character not in game.pack.characters:
        raise UsageError(f"There is no character '{one_line(character, 40)}'.")
    return game.memories.get(character) or empty_memory(game.pack.game.memory)


def _check_line(line: int, count: int, what: str = "line") -> None:
    if not count:
        raise UsageError(f"There is no {what} yet.")
    if not 0 <= line < count:
        raise UsageError(f"There is no {what} {line + 1}; the last one is {count}.")
