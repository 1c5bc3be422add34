"""Who knows what, and since when: remembered lines, beats and moments against the characters (S10). Pure.

Whoever witnessed a turn was there; whoever holds a line about it remembers it. Nothing else counts as knowing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from rapidfuzz import fuzz

from theact_tui.story.game import Game
from theact_tui.story.matching import CLOSE, plain, same_sense
from theact_tui.story.memory import lines_of
from theact_tui.story.turn import Turn

Kind = Literal["moment", "beat", "line"]


@dataclass(frozen=True, slots=True)
class Known:
    """Something that can be known, and who knows it."""

    kind: Kind
    text: str
    turn: int
    """The turn in which it happened, or in which it was first remembered."""
    remembers: Mapping[str, int]
    """By character, the turn from which it holds this line."""
    witnessed: frozenset[str]
    """Who was there in `turn`."""

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


def who_knows(game: Game, turns: Mapping[int, Turn]) -> tuple[Known, ...]:
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
        for group in (moments, beats, _lines(game, turns))
        for known in sorted(group, key=lambda known: -known.turn)
    )


def _happened(kind: Kind, text: str, turn: int, turns: Mapping[int, Turn]) -> Known:
    return Known(kind, text, turn, {}, _witnesses(turn, turns))


def _witnesses(turn: int, turns: Mapping[int, Turn]) -> frozenset[str]:
    return frozenset(turns[turn].witnesses) if turn in turns else frozenset()


def _lines(game: Game, turns: Mapping[int, Turn]) -> list[Known]:
    """Every remembered line once, with all who hold it in these or much the same words."""
    groups: list[list[tuple[str, str, int]]] = []
    for character in game.pack.characters:
        memory = game.memories.get(character)
        for line in lines_of(memory) if memory else ():
            if not line.text.strip():
                continue
            group = _group_of(line.text, groups)
            group.append((character, line.text, line.turn))
    return [_held(group, turns) for group in groups]


def _group_of(text: str, groups: list[list[tuple[str, str, int]]]) -> list[tuple[str, str, int]]:
    for group in groups:
        if says_the_same(text, (known for _, known, _ in group)):
            return group
    groups.append([])
    return groups[-1]


def _held(group: Sequence[tuple[str, str, int]], turns: Mapping[int, Turn]) -> Known:
    first = min(group, key=lambda held: held[2])
    since = {character: turn for character, _, turn in reversed(group)}
    return Known("line", first[1], first[2], since, _witnesses(first[2], turns))


def says_the_same(text: str, others: Iterable[str]) -> bool:
    """True if one of `others` tells the same as `text` in nearly the same words, whatever their order."""
    mine = plain(text)
    return any(
        fuzz.token_sort_ratio(mine, theirs) >= 100 * CLOSE and same_sense(mine, theirs)
        for theirs in map(plain, others)
    )
