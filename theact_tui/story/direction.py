"""What code tells the actors, as a director would: whether a secret may come out yet, and that the next beat is theirs.

An actor hears of its own beats only, and only of the one that is next.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from theact_tui.story.game import Game
from theact_tui.story.turn import Decisions

Gate = Literal["free", "shut", "open", "passed", "out"]
"""Of a secret: told whenever its owner sees fit; not yet; now; its chapter is over; it was told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Direction:
    """A character's directions for one turn."""

    gate: Gate = "free"
    cue: str = ""
    """The next beat, when it is this character's own act."""
    cast: tuple[str, ...] | None = None
    """Ids of the people in the chapter; None when that is not known."""
    voice: Literal["third", "first"] = "third"


def direction_of(game: Game, character: str) -> Direction:
    """The directions of a character for the turn to come."""
    beat = "" if game.state.game_complete else next(iter(game.unmet_beats), "")
    return Direction(
        gate=gate_of(game, character),
        cue=beat if beat and game.chapter.by.get(beat) == character else "",
        cast=game.chapter.characters,
        voice=game.pack.game.voice,
    )


def gate_of(game: Game, character: str) -> Gate:
    """Whether the secret of a character may come out; what the player set by hand holds."""
    if (by_hand := game.state.gates.get(character)) is not None:
        return "open" if by_hand else "shut"
    chapter, _, number = game.pack.characters[character].reveal.partition("/")
    order = game.pack.game.chapters
    if chapter not in order or not number.isdecimal():
        return "free"
    now, due = order.index(game.state.chapter), order.index(chapter)
    if now != due:
        return "shut" if now < due else "passed"
    beats = game.chapter.beats
    if not 1 <= int(number) <= len(beats):
        return "free"
    beat = beats[int(number) - 1]
    if beat in game.state.beats_hit:
        return "out" if game.chapter.by.get(beat) == character else "passed"
    return "open" if game.unmet_beats[0] == beat else "shut"


def decisions_of(game: Game) -> Decisions:
    """What is decided for the turn to come, before it is told."""
    secrets = [name for name in game.chapter.characters if game.pack.characters[name].secret]
    return Decisions(
        next_beat="" if game.state.game_complete else next(iter(game.unmet_beats), ""),
        gates={name: gate_of(game, name) for name in secrets},
    )
