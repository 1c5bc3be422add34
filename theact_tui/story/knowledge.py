"""Who knows what, and since when: remembered lines, beats and moments against the characters. Pure.

Whoever heard it told in a turn was there; whoever holds a line about it remembers it. Nothing else counts as knowing.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from theact_tui.story.game import Game
from theact_tui.story.matching import says_the_same
from theact_tui.story.memory import lines_of
from theact_tui.story.turn import Turn
from theact_tui.story.viewpoints import heard_of_it

Kind = Literal["moment", "beat", "line", "lore"]


@dataclass(frozen=True, slots=True)
class KnownItem:
    """Something that can be known, and who knows it."""

    kind: Kind
    text: str
    turn: int
    """The turn in which it happened, or in which it was first remembered."""
    remembers: Mapping[str, int]
    """By character, the turn from which it holds this line."""
    witnessed: frozenset[str]
    """Who was there when it was told in `turn`."""

    def learned(self, character: str) -> int | None:
        """The turn in which `character` came to know it; None if it does not."""
        if character in self.remembers:
            return self.remembers[character]
        return self.turn if character in self.witnessed else None


def told_turns(game: Game) -> tuple[int, ...]:
    """The numbers of the turns whose witnesses `who_knows` asks for, ascending; the chapter's turns hold its beats."""
    lines = {line.turn for memory in game.memories.values() for line in lines_of(memory)}
    moments = {moment.turn for moment in game.moments}
    chapter = range(game.state.chapter_since + 1, game.state.turn + 1)
    return tuple(sorted((lines | moments | set(chapter)) - {0}))


def who_knows(game: Game, turns: Mapping[int, Turn]) -> tuple[KnownItem, ...]:
    """Moments, this chapter's beats and all remembered lines, each kind newest first. `turns` as far as they are read."""

    def item(kind: Kind, text: str, turn: int, remembers: Mapping[str, int]) -> KnownItem:
        told = turns.get(turn)
        there = [name for name in told.witnesses if heard_of_it(told, name, text)] if told else []
        return KnownItem(kind, text, turn, remembers, frozenset(there))

    moments = [item("moment", moment.summary, moment.turn, {}) for moment in game.moments]
    beats = [
        item("beat", beat, number, {})
        for number, turn in turns.items()
        if number <= game.state.turn
        for beat in turn.new_beats
        if beat in game.state.beats_hit
    ]
    lines = []
    for group in _held_lines(game):
        _, text, turn = min(group, key=lambda held: held[2])
        lines.append(item("line", text, turn, {name: since for name, _, since in reversed(group)}))
    lore = [
        KnownItem("lore", f"{entry.name}: {entry.text}", min(since.values()), since, frozenset())
        for entry in game.pack.lore_entries
        if (since := game.state.lore_known.get(entry.id))
    ]
    groups = (moments, beats, lines, lore)
    return tuple(each for group in groups for each in sorted(group, key=lambda each: -each.turn))


def _held_lines(game: Game) -> list[list[tuple[str, str, int]]]:
    """Every remembered line with all who hold it in these or much the same words: character, text, turn."""
    groups: list[list[tuple[str, str, int]]] = []
    for character, memory in ((id, game.memory_of(id)) for id in game.pack.characters):
        for line in (line for line in lines_of(memory) if line.text.strip()):
            alike = (held for held in groups if says_the_same(line.text, (text for _, text, _ in held)))
            if (group := next(alike, None)) is None:
                groups.append(group := [])
            group.append((character, line.text, line.turn))
    return groups
