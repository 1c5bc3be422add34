"""Secrets: whether one may come out yet. With it goes what else code tells an actor: that the next beat is theirs.

An actor hears of its own beats only, and only of those that the narrator may bring about now.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from theact_tui.story.archive import sentences, words_of
from theact_tui.story.game import Game
from theact_tui.story.turn import Decisions, Turn

Gate = Literal["free", "shut", "open", "passed", "out"]
"""Of a secret: told whenever its owner sees fit; not yet; now; its chapter is over; it was told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Direction:
    """A character's directions for one turn."""

    gate: Gate = "free"
    cue: str = ""
    """The next beat, when it is this character's own act; of one who comes also the one after it, unless that tells its
    secret."""
    cast: tuple[str, ...] | None = None
    """Ids of the people in the chapter; None when that is not known."""
    voice: Literal["third", "first"] = "third"


NEXT_BEATS = 2
"""Open beats that the narrator is told of; those after them would only be told too early."""


def direction_of(game: Game, character: str) -> Direction:
    """The directions of a character for the turn to come."""
    ahead = 1 if character in game.state.present else NEXT_BEATS
    told = () if game.state.game_complete else game.unmet_beats[:ahead]
    gate, secret = gate_of(game, character), reveal_of(game, character)[1]
    own = [beat for beat in told if game.chapter.by.get(beat) == character]
    return Direction(
        gate=gate,
        cue=next((beat for beat in own if beat != secret or (gate != "out" and beat == told[0])), ""),
        cast=game.chapter.characters,
        voice=game.pack.game.voice,
    )


def gate_of(game: Game, character: str) -> Gate:
    """Whether the secret of a character may come out; what the player set by hand holds. What was told stays told."""
    if (by_hand := game.state.gates.get(character)) is not None:
        return "open" if by_hand else "shut"
    chapter, beat = reveal_of(game, character)
    own = bool(confession_words(game, character))
    if _has_told(game, character, beat if own else ""):
        return "out"
    if not beat:
        return "free"
    order = game.pack.game.chapters
    now, due = order.index(game.state.chapter), order.index(chapter)
    if now != due:
        return "shut" if now < due else "passed"
    if beat in game.state.beats_hit:
        return "out" if own else "passed"
    return "open" if game.unmet_beats[0] == beat else "shut"


def reveal_of(game: Game, character: str) -> tuple[str, str]:
    """The chapter and the beat in which the secret of a character comes out; empty if that is left open."""
    chapter, _, number = game.pack.characters[character].reveal.partition("/")
    beats = game.pack.chapters[chapter].beats if chapter in game.pack.game.chapters else ()
    place = int(number) if number.isdecimal() else 0
    return (chapter, beats[place - 1]) if 1 <= place <= len(beats) else ("", "")


def confession_words(game: Game, character: str) -> frozenset[str]:
    """The words that the secret of a character and the beat in which it comes out have in common; none if that beat is
    not the character's own act."""
    chapter, beat = reveal_of(game, character)
    if not beat or game.pack.chapters[chapter].by.get(beat) != character:
        return frozenset()
    names = words_of(" ".join(card.name for card in game.pack.characters.values()))
    return (words_of(beat) & words_of(game.pack.characters[character].secret)) - names


def is_untold(game: Game, beat: str, quote: str, turns: Iterable[Turn]) -> bool:
    """True if a beat tells a secret in several words, and neither its owner nor the player said one of them in these
    turns, nor does the `quote` that is to show it."""
    owner = game.chapter.by.get(beat, "")
    if not owner or reveal_of(game, owner)[1] != beat:
        return False
    told = (
        entry.text
        for turn in turns
        for entry in turn.told
        if entry.role == "player" or entry.character == owner
    )
    words = confession_words(game, owner)
    return len(words) > 1 and not words & words_of(" ".join((quote, *told)))


TELLING, LEAST_TOLD = 0.5, 3
"""The share of the words of a secret's first sentence, and how many, that an answer of its owner holds when it tells
it."""


def _has_told(game: Game, character: str, beat: str) -> bool:
    """True if a character's secret was out before the last turn, or was told in it: by hitting the `beat` that tells
    it, or in words much like those of the card, as a small model does that cannot wait."""
    last, card = game.last_turn, game.pack.characters[character]
    if last is None:
        return False
    if beat in last.new_beats or (last.decisions and last.decisions.gates.get(character) == "out"):
        return True
    secret = words_of("".join(sentences(card.secret)[:1])) - words_of(card.name)
    own = words_of(" ".join(entry.text for entry in last.entries if entry.character == character))
    return len(secret & own) >= max(LEAST_TOLD, TELLING * len(secret))


def decisions_of(game: Game) -> Decisions:
    """What is decided for the turn to come, before it is told."""
    secrets = [name for name in game.chapter.characters if game.pack.characters[name].secret]
    return Decisions(
        next_beat="" if game.state.game_complete else next(iter(game.unmet_beats), ""),
        gates={name: gate_of(game, name) for name in secrets},
    )
