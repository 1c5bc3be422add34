"""Secrets: whether one may come out yet. With it goes what else code tells an actor: that the next beat is theirs.

An actor hears of its own beats only, and only of those that the narrator may bring about now.
"""

from typing import Literal

from theact_tui.sentences import sentences
from theact_tui.story.forgetting_and_recall import words_of
from theact_tui.story.game import Game
from theact_tui.story.pacing import lead_of
from theact_tui.story.turn import Decisions

Gate = Literal["free", "shut", "open", "passed", "out"]
"""Of a secret: told whenever its owner sees fit; not yet; now; its beat or chapter is over; it was told."""

NEXT_BEATS = 2
"""Open beats that the narrator is told of; those after them would only be told too early."""


def cue_of(game: Game, character: str, line: str = "") -> str:
    """The next beat, when it is this character's own act; of one who comes also the one after it, unless that tells its
    secret. Else empty, and so where the page stays with what just happened."""
    if lead_of(game, line).way == "react":
        return ""
    ahead = 1 if character in game.state.present else NEXT_BEATS
    told = () if game.state.game_complete else game.unmet_beats[:ahead]
    is_out, secret = gate_of(game, character) == "out", reveal_of(game, character)[1]
    own = [beat for beat in told if game.chapter.by.get(beat) == character]
    return next((beat for beat in own if beat != secret or (not is_out and beat == told[0])), "")


def gate_of(game: Game, character: str, line: str = "") -> Gate:
    """Whether the secret of a character may come out; what the player set by hand holds. What was told stays told. A `line`
    of the player that names it may open it before its beat is the next one."""
    if (by_hand := game.state.gates.get(character)) is not None:
        return "open" if by_hand else "shut"
    chapter, beat = reveal_of(game, character)
    if _has_told(game, character, beat):
        return "out"
    if not beat:
        return "free"
    order = game.pack.game.chapters
    now, due = order.index(game.state.chapter), order.index(chapter)
    if now != due:
        return "shut" if now < due else "passed"
    if beat in game.state.beats_hit:
        return "passed"
    is_named = len(_words(game, character) & words_of(line)) >= LEAST_NAMED
    return "open" if beat in game.unmet_beats[: SOON if is_named else 1] else "shut"


def reveal_of(game: Game, character: str) -> tuple[str, str]:
    """The chapter and the beat in which the secret of a character comes out; empty if that is left open."""
    chapter, _, number = game.pack.characters[character].reveal.partition("/")
    beats = game.pack.chapters[chapter].beats if chapter in game.pack.game.chapters else ()
    place = int(number) if number.isdecimal() else 0
    return (chapter, beats[place - 1]) if 1 <= place <= len(beats) else ("", "")


SOON, LEAST_NAMED = 3, 2
"""Among so many open beats a secret's own must be, and so many of its words a line must hold, for the line to open it."""
TELLING, LEAST_TOLD = 0.5, 3
"""The share of the words of a sentence of a secret, and how many, that a line and an answer of its owner hold when it
is told."""
LEAST_AT_BEAT = 2
"""How many words of the secret are enough in the turn of the beat that tells it."""


def _words(game: Game, character: str) -> frozenset[str]:
    """The words of a secret, without the names of the cast."""
    return words_of(game.pack.characters[character].secret) - words_of(" ".join(game.pack.names.values()))


def _has_told(game: Game, character: str, beat: str) -> bool:
    """True if a character's secret was out before the last turn, or was told in it: with the `beat` that tells it, or
    in words much like those of the card, as a small model does that cannot wait. What the player said counts with the
    answer, if that adds a word of the secret itself."""
    last, card = game.last_turn, game.pack.characters[character]
    if last is None:
        return False
    if last.decisions and last.decisions.gates.get(character) == "out":
        return True
    said, secret = words_of(last.player_text), _words(game, character)
    own = words_of(" ".join(entry.text for entry in last.entries if entry.character == character))
    if not secret & (own - said):
        return False
    both = own | said
    if beat in last.new_beats and len(secret & both) >= LEAST_AT_BEAT:
        return True
    sayings = [secret & words_of(sentence) for sentence in sentences(card.secret)]
    return any(len(words & both) >= max(LEAST_TOLD, TELLING * len(words)) for words in sayings)


def decisions_of(game: Game, line: str = "") -> Decisions:
    """What is decided for the turn to come, in which the player says `line`, before it is told."""
    secrets = [name for name in game.chapter.characters if game.pack.characters[name].secret]
    lead = lead_of(game, line)
    return Decisions(
        next_beat="" if game.state.game_complete else next(iter(game.unmet_beats), ""),
        lead=lead.way,
        returns=lead.about if lead.way == "come back" else "",
        gates={name: gate_of(game, name, line) for name in secrets},
    )
