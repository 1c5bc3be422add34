"""How a game changes: pure functions from one game to the next."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from theact_tui.errors import UsageError
from theact_tui.story.chapters import (
    FOLDING,
    MAX_PINNED_MOMENTS,
    Folding,
    can_pin_moment,
    mark_beats,
    nudge_due,
)
from theact_tui.story.game import Game, Pending, Recap, Spoken, State, needed_turns
from theact_tui.story.lore import LoreEntry
from theact_tui.story.memory import (
    MAX_PINNED_FACTS,
    PIN_ROOM,
    Cell,
    CellsMemory,
    Fact,
    FactsMemory,
    can_pin_cell,
    can_pin_fact,
    empty_memory,
    lines_of,
    pins_fit,
)
from theact_tui.story.turn import Heard, Turn
from theact_tui.story.witness import extend_views, lore_learned
from theact_tui.text import clean, one_line, unique_slug

Size = Callable[[Turn], int]


def with_state(game: Game, **changes: object) -> Game:
    """The game with fields of its state replaced; turns that no prompt needs any more are let go."""
    state = game.state.model_copy(update=changes)
    return replace(game, state=state, turns=_needed(game.turns, state))


def with_spoken(game: Game, spoken: Spoken, size: Size, view_room: int, folding: Folding = FOLDING) -> Game:
    """The game after a turn was spoken, before any after-turn work. `view_room` is for a character's verbatim turns,
    in tokens."""
    turn = spoken.turn
    turns = {**game.turns, turn.number: turn}
    sizes = {number: size(known) for number, known in turns.items()}
    state = game.state.model_copy(
        update={
            "turn": turn.number,
            "present": spoken.present,
            "held": spoken.held,
            "woken": (),
            "rolls": spoken.rolls,
            "transition": False,
            "moments_through": game.state.turn
            if game.state.moments_through is None
            else game.state.moments_through,
            "nudged": game.state.nudged or nudge_due(game.state, turn.number),
            "views": extend_views(game.state.views, turn, sizes, view_room, folding),
            "lore_known": lore_learned(game, turn),
        }
    )
    return replace(game, state=state, turns=_needed(turns, state))


def with_turn(game: Game, turn: Turn) -> Game:
    """The game with a turn it holds replaced."""
    return replace(game, turns={**game.turns, turn.number: turn})


def with_memory(game: Game, character: str, memory: FactsMemory | CellsMemory) -> Game:
    """The game with one character's memory replaced."""
    return replace(game, memories={**game.memories, character: memory})


OWN_BOOK = "added"
"""The book of lore that the player adds to."""


def with_lore(game: Game, keys: Sequence[str], text: str) -> Game:
    """The game with one more entry of lore, which everyone knows."""
    ids = {entry.id for entries in game.pack.lore.values() for entry in entries}
    made = unique_slug(keys[0], ids, "entry")
    entry = LoreEntry(id=made, title=keys[0], text=text, keys=tuple(keys))
    return with_lore_entry(game, entry)


def with_lore_entry(game: Game, entry: LoreEntry) -> Game:
    """The game with an entry of lore in the place of the one of its id, or added."""
    lore = dict(game.pack.lore)
    book = next((book for book, known in lore.items() if entry.id in [each.id for each in known]), OWN_BOOK)
    kept = [entry if each.id == entry.id else each for each in lore.get(book, ())]
    lore[book] = tuple(kept if entry in kept else [*kept, entry])
    return replace(game, pack=game.pack.model_copy(update={"lore": lore}))


def with_pending(game: Game, pending: Sequence[Pending]) -> Game:
    """The game with its list of pending work replaced."""
    return with_state(game, pending=tuple(pending))


def with_recap(game: Game, recap: Recap) -> Game:
    """The game with one more chapter recapped, in the order of the chapters."""
    order = {chapter: i for i, chapter in enumerate(game.pack.game.chapters)}
    kept = [known for known in game.recaps if known.chapter != recap.chapter]
    return replace(game, recaps=tuple(sorted([*kept, recap], key=lambda known: order.get(known.chapter, 0))))


def _needed(turns: Mapping[int, Turn], state: State) -> dict[int, Turn]:
    return {number: turns[number] for number in needed_turns(state) if number in turns}


def hold(game: Game, characters: Sequence[str], *, here: bool) -> Game:
    """Bring characters on stage or send them away; it holds until the player or a new chapter changes it."""
    active = game.chapter.characters
    unknown = [name for name in characters if name not in active]
    if unknown:
        known = ", ".join(active)
        raise UsageError(f"This chapter has no '{one_line(unknown[0], 40)}'. Characters: {known}.")
    woken = (*game.state.woken, *characters) if here else game.state.woken
    return with_held(with_state(game, woken=woken), {**game.state.held, **dict.fromkeys(characters, here)})


def with_beat(game: Game, number: int, *, hit: bool) -> Game:
    """The game with a beat of the chapter, by its number from 1, marked or unmarked by hand."""
    beats = game.chapter.beats
    _check_line(number - 1, len(beats), "beat")
    beat = beats[number - 1]
    if hit:
        return replace(game, state=mark_beats(game.state, game.chapter, [beat], game.state.turn)[0])
    left = tuple(other for other in game.state.beats_hit if other != beat)
    return with_state(game, beats_hit=left, all_beats_turn=None)


def with_gate(game: Game, character: str, opened: bool | None) -> Game:
    """The game with a secret that may come out, may not, or (None) as the pack says."""
    if not game.pack.characters[character].secret:
        raise UsageError(f"{game.pack.name_of(character)} has no secret.")
    kept = {name: on for name, on in game.state.gates.items() if name != character}
    return with_state(game, gates=kept if opened is None else {**kept, character: opened})


Hearing = Literal["all", "page", "none"]
"""All of a turn; what was told, without the player's line; nothing."""


def with_heard(turn: Turn, character: str, part: Hearing) -> Turn:
    """The turn with what a character heard of it set by hand."""
    others = tuple(name for name in turn.witnesses if name != character)
    heard = {name: known for name, known in turn.heard.items() if name != character}
    if part == "page":
        heard[character] = Heard(line=False)
    return turn.model_copy(
        update={"witnesses": others if part == "none" else (*others, character), "heard": heard}
    )


def with_heard_turn(game: Game, turn: Turn, character: str) -> Game:
    """The game after who heard a turn was changed by hand: its prompts follow, what is remembered already stays."""
    numbers = {number for number in game.state.views.get(character, ()) if number != turn.number}
    verbatim = turn.number > game.state.last_summarized_turn
    if character in turn.witnesses and turn.number in game.turns and verbatim:
        numbers.add(turn.number)
    game = with_turn(game, turn) if turn.number in game.turns else game
    return with_state(game, views={**game.state.views, character: tuple(sorted(numbers))})


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
        raise UsageError(f"You can pin at most {MAX_PINNED_FACTS} facts. Unpin one first.")
    if isinstance(memory, CellsMemory) and not can_pin_cell(memory, game.pack.game.memory_cells):
        raise UsageError("One entry must stay unpinned. Unpin another first.")
    if not pins_fit(memory, line):
        raise UsageError(
            f"Pinned lines may have {PIN_ROOM:,} characters in total. Unpin or shorten a line first."
        )


def pin_moment(game: Game, moment: int, *, pinned: bool) -> Game:
    """Pin or unpin a moment, by its place in the list, from 0."""
    moments = list(game.moments)
    _check_line(moment, len(moments), "moment")
    if pinned and not moments[moment].pinned and not can_pin_moment(moments):
        raise UsageError(f"You can pin at most {MAX_PINNED_MOMENTS} moments. Unpin one first.")
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
