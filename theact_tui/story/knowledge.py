"""Who knows what, and since when: remembered lines, beats and moments against the characters. Pure.

Whoever heard it told in a turn was there; whoever holds a line about it remembers it. Nothing else counts as knowing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from theact_tui.story.game import Game
from theact_tui.story.matching import says_the_same
from theact_tui.story.memory import lines_of
from theact_tui.story.turn import Turn
from theact_tui.story.witness import heard_of_it

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
    moments = [_happened("moment", moment.summary, moment.turn, turns) for moment in game.moments]
    beats = [
        _happened("beat", beat, number, turns)
        for number, turn in turns.items()
        if number <= game.state.turn
        for beat in turn.new_beats
        if beat in game.state.beats_hit
    ]
    return tuple(
        known
        for group in (moments, beats, _lines(game, turns), _lore(game))
        for known in sorted(group, key=lambda known: -known.turn)
    )


def _lore(game: Game) -> list[KnownItem]:
    """The entries of lore that were told in the story to those who did not know them."""
    known = game.state.lore_known
    told = (entry for entry in game.pack.lore_entries if known.get(entry.id))
    return [
        KnownItem("lore", f"{entry.name}: {entry.text}", min(since.values()), since, frozenset())
        for entry in told
        if (since := known[entry.id])
    ]


def _happened(kind: Kind, text: str, turn: int, turns: Mapping[int, Turn]) -> KnownItem:
    return KnownItem(kind, text, turn, {}, _witnesses(text, turn, turns))


def _witnesses(text: str, turn: int, turns: Mapping[int, Turn]) -> frozenset[str]:
    told = turns.get(turn)
    return (
        frozenset(name for name in told.witnesses if heard_of_it(told, name, text)) if told else frozenset()
    )


def _lines(game: Game, turns: Mapping[int, Turn]) -> list[KnownItem]:
    """Every remembered line once, with all who hold it in these or much the same words."""
    groups: list[list[tuple[str, str, int]]] = []
    for character in game.pack.characters:
        memory = game.memories.get(character)
        for line in lines_of(memory) if memory else ():
            if not line.text.strip():
                continue
            alike = (held for held in groups if says_the_same(line.text, (text for _, text, _ in held)))
            if (group := next(alike, None)) is None:
                groups.append(group := [])
            group.append((character, line.text, line.turn))
    return [_held(group, turns) for group in groups]


def _held(group: Sequence[tuple[str, str, int]], turns: Mapping[int, Turn]) -> KnownItem:
    first = min(group, key=lambda held: held[2])
    since = {character: turn for character, _, turn in reversed(group)}
    return KnownItem("line", first[1], first[2], since, _witnesses(first[1], first[2], turns))
