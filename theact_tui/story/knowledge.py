"""Knowledge by character, and since when: witnesses, and those with a line about it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from theact_tui.story.character_view import heard_all_words
from theact_tui.story.game import Game
from theact_tui.story.matching import says_the_same
from theact_tui.story.memory import lines_of
from theact_tui.story.turn import Turn

Kind = Literal["moment", "beat", "line", "lore"]


@dataclass(frozen=True, slots=True)
class KnownItem:
    kind: Kind
    text: str
    turn: int
    """Turn in which it happened or was first remembered."""
    remembers: Mapping[str, int]
    witnessed: frozenset[str]
    """Characters present when it was told in `turn`."""

    def learned(self, character: str) -> int | None:
        if character in self.remembers:
            return self.remembers[character]
        return self.turn if character in self.witnessed else None


def turns_needed(game: Game) -> tuple[int, ...]:
    lines = {line.turn for memory in game.memories.values() for line in lines_of(memory)}
    moments = {moment.turn for moment in game.moments}
    chapter = range(game.state.chapter_since + 1, game.state.turn + 1)
    return tuple(sorted((lines | moments | set(chapter)) - {0}))


def who_knows(game: Game, turns: Mapping[int, Turn]) -> tuple[KnownItem, ...]:
    """List moments, this chapter's beats and remembered lines, newest first by kind."""

    def item(kind: Kind, text: str, turn: int, remembers: Mapping[str, int]) -> KnownItem:
        past_turn = turns.get(turn)
        witnesses = (
            [name for name in past_turn.witnesses if heard_all_words(past_turn, name, text)]
            if past_turn
            else []
        )
        return KnownItem(kind, text, turn, remembers, frozenset(witnesses))

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
    return tuple(entry for group in groups for entry in sorted(group, key=lambda entry: -entry.turn))


def _held_lines(game: Game) -> list[list[tuple[str, str, int]]]:
    groups: list[list[tuple[str, str, int]]] = []
    for character, memory in ((id, game.memory_of(id)) for id in game.pack.characters):
        for line in (line for line in lines_of(memory) if line.text.strip()):
            alike = (held for held in groups if says_the_same(line.text, (text for _, text, _ in held)))
            if (group := next(alike, None)) is None:
                groups.append(group := [])
            group.append((character, line.text, line.turn))
    return groups
