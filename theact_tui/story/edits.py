"""Changes made by hand, as pure functions: each returns the next game, or raises `UsageError` and changes nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from theact_tui.errors import UsageError
from theact_tui.story.cells import can_pin_cell
from theact_tui.story.changes import with_memory, with_state
from theact_tui.story.facts import can_pin_fact
from theact_tui.story.game import Game
from theact_tui.story.memory import CellsMemory, FactsMemory, empty_memory
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
    if isinstance(memory, FactsMemory):
        facts = list(memory.key_facts)
        _check_line(line, len(facts))
        if pinned and not facts[line].pinned and not can_pin_fact(memory):
            raise UsageError(
                "At most 8 facts can be pinned, so that there is room for new ones. Unpin one first."
            )
        facts[line] = facts[line].model_copy(update={"pinned": pinned})
        return with_memory(game, character, memory.model_copy(update={"key_facts": tuple(facts)}))
    cells = list(memory.cells)
    _check_line(line, len(cells))
    if pinned and not cells[line].pinned and not can_pin_cell(memory, game.pack.game.memory_cells):
        raise UsageError("One entry must stay free for the newest. Unpin another first.")
    cells[line] = cells[line].model_copy(update={"pinned": pinned})
    return with_memory(game, character, memory.model_copy(update={"cells": tuple(cells)}))


def pin_moment(game: Game, moment: int, *, pinned: bool) -> Game:
    """Pin or unpin a moment, by its place in the list, from 0."""
    moments = list(game.moments)
    _check_line(moment, len(moments))
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


def _check_line(line: int, count: int) -> None:
    if not 0 <= line < count:
        raise UsageError(f"There is no line {line + 1}; there are {count}.")
