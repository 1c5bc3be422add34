"""Secrets that may come out, and a character's own beats."""

from typing import Literal

from theact_tui.story.game import Game
from theact_tui.story.matching import stems
from theact_tui.story.pacing import lead_of
from theact_tui.story.turn import Decisions

Gate = Literal["free", "shut", "open", "passed", "out"]
"""Any time; not yet; now; beat or chapter over; already told."""

NEXT_BEATS = 2


def cue_of(game: Game, character: str, line: str = "") -> str:
    """Return the next beat if it is this character's act, else "", also if the page only reacts. A character who
    enters may take the one after, unless it reveals its secret.
    """
    if lead_of(game, line).way == "react":
        return ""
    ahead = 1 if character in game.state.present else NEXT_BEATS
    next_beats = () if game.state.game_complete else game.unmet_beats[:ahead]
    is_out, secret = gate_of(game, character) == "out", reveal_of(game, character)[1]
    own = [beat for beat in next_beats if game.chapter.by.get(beat) == character]
    return next((beat for beat in own if beat != secret or (not is_out and beat == next_beats[0])), "")


def gate_of(game: Game, character: str, line: str = "") -> Gate:
    """Return whether a secret may come out. The player's choice comes first; a `line` that names the secret may open
    it early.
    """
    if (by_hand := game.state.gates.get(character)) is not None:
        return "open" if by_hand else "shut"
    chapter, beat = reveal_of(game, character)
    if character in game.state.told_secrets:
        return "out"
    if not beat:
        return "free"
    order = game.pack.game.chapters
    now, due = order.index(game.state.chapter), order.index(chapter)
    if now != due:
        return "shut" if now < due else "passed"
    if beat in game.state.beats_hit:
        return "passed"
    is_named = len(_words(game, character) & stems(line)) >= LEAST_NAMED
    return "open" if beat in game.unmet_beats[: SOON if is_named else 1] else "shut"


def reveal_of(game: Game, character: str) -> tuple[str, str]:
    """Return chapter and beat of a secret; empty if left open."""
    chapter, _, number = game.pack.characters[character].reveal.partition("/")
    beats = game.pack.chapters[chapter].beats if chapter in game.pack.game.chapters else ()
    place = int(number) if number.isdecimal() else 0
    return (chapter, beats[place - 1]) if 1 <= place <= len(beats) else ("", "")


SOON, LEAST_NAMED = 3, 2
"""Open beats ahead, and words of the secret in a line, that open it early."""


def _words(game: Game, character: str) -> frozenset[str]:
    return stems(game.pack.characters[character].secret) - stems(" ".join(game.pack.names.values()))


def decisions_of(game: Game, line: str = "") -> Decisions:
    """Record the decisions for the next turn."""
    secrets = [name for name in game.chapter.characters if game.pack.characters[name].secret]
    lead = lead_of(game, line)
    return Decisions(
        next_beat="" if game.state.game_complete else next(iter(game.unmet_beats), ""),
        lead=lead.way,
        returns=lead.about if lead.way == "come back" else "",
        gates={name: gate_of(game, name, line) for name in secrets},
    )
