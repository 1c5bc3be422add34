"""Secrets that may come out."""

from typing import Literal

from theact_tui.story.game import Game
from theact_tui.story.pacing import Lead
from theact_tui.story.turn import Decisions

Gate = Literal["free", "shut", "open", "passed", "out"]
"""Any time; not yet; now; beat or chapter over; already told."""
_NEAR = 2
"""Open beats ahead among which that of a secret opens it."""


def gate_of(game: Game, character: str) -> Gate:
    """Return whether a secret may come out: its beat may be on the next page. The player's choice comes first."""
    if (by_hand := game.state.gates.get(character)) is not None:
        return "open" if by_hand else "shut"
    chapter, beat = game.pack.reveal_of(character)
    if character in game.state.told_secrets:
        return "out"
    if not beat:
        return "free"
    order = game.pack.game.chapters
    now, due = order.index(game.state.chapter), order.index(chapter)
    if now != due:
        return "shut" if now < due else "passed"
    if beat in game.state.settled:
        return "passed"
    return "open" if beat in game.unmet_beats[:_NEAR] else "shut"


def decisions_of(game: Game, lead: Lead) -> Decisions:
    """Record the decisions for the next turn."""
    secrets = [name for name in game.chapter.characters if game.pack.characters[name].secret]
    return Decisions(
        next_beat=lead.beat,
        lead=lead.way,
        then=lead.then,
        returns=lead.about,
        gates={name: gate_of(game, name) for name in secrets},
    )
