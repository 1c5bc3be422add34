"""Where a page is to go: code chooses one of four ways by what was told lately."""

from dataclasses import dataclass
from typing import Literal

from theact_tui.sentences import asks, sentences
from theact_tui.story.beats import nudge_due, turns_without_a_beat
from theact_tui.story.forgetting_and_recall import archived_lines, not_told
from theact_tui.story.game import Game
from theact_tui.story.matching import says_the_same
from theact_tui.story.memory import Cell, Fact, lines_of
from theact_tui.story.turn import FULLY_HEARD
from theact_tui.text import is_pronoun

Way = Literal["", "react", "complicate", "come back", "advance"]

COMPLICATED = (3, 6)
"""Turns without a beat after which something comes in the player's way."""
_KINDS_OWED = ("promise", "debt", "lie", "gift")
OWED = frozenset(_KINDS_OWED)
"""Kinds of facts that may come back, first the ones that press most."""
OLD, APART = 5, 4
"""Turns after which a fact may come back, and turns from one that did to the next."""
PATIENT = 3
"""Turns since a beat from which a question no longer holds the next one back."""


@dataclass(frozen=True, slots=True)
class Lead:
    """The way a page is to go; of `come back` what comes back, of `advance` the beat."""

    way: Way = ""
    about: str = ""


def lead_of(game: Game, line: str) -> Lead:
    """The first way that fits. None where a story or a chapter begins, where no beat is left, and after the end."""
    state, beat = game.state, next(iter(game.unmet_beats), "")
    if not state.turn or state.transition or state.game_complete or not beat:
        return Lead()
    since = turns_without_a_beat(state)
    if game.last_turn and game.last_turn.new_beats:
        return Lead("react")
    if since in COMPLICATED:
        return Lead("complicate")
    if nudge_due(state, state.turn + 1):
        return Lead("advance", beat)  # the nudge asks for it, too
    if owed := _owed(game):
        return Lead("come back", owed)
    if since < PATIENT and asks(line):
        return Lead("react")
    return Lead("advance", beat)


def _owed(game: Game) -> str:
    """The oldest fact that may come back now: its holder is there, so are none but who know it, and neither it nor one like
    it came back before."""
    state, turn = game.state, game.state.turn + 1
    if turn - max(state.came_back.values(), default=-APART) < APART:
        return ""
    facts = [
        fact
        for name in state.present
        for fact in lines_of(game.memory_of(name))
        if getattr(fact, "kind", "") in OWED
        and turn - fact.turn >= OLD
        and not says_the_same(fact.text, state.came_back)
        and not is_pronoun(fact.text.split(maxsplit=1)[0])
    ]
    due = sorted(facts, key=lambda fact: (_KINDS_OWED.index(getattr(fact, "kind", "")), fact.turn))
    return next((fact.text for fact in due if _all_know(game, fact)), "")


def _all_know(game: Game, fact: Fact | Cell) -> bool:
    """True if everybody on stage perceived the whole turn that a fact is from, or remembers it."""
    told = game.turns.get(fact.turn)
    for name in game.state.present:
        memory = game.memory_of(name)
        lines = (*lines_of(memory), *archived_lines(memory.older))
        known = [*sentences(memory.summary), *(line.text for line in lines)]
        was_there = (
            told is not None and name in told.witnesses and told.heard.get(name, FULLY_HEARD) == FULLY_HEARD
        )
        if not was_there and not_told([fact], known):
            return False
    return True


def with_return(game: Game, fact: str) -> Game:
    """The game in which a fact came back in the last turn; those that nobody remembers any more are forgotten."""
    known = {line.text for memory in game.memories.values() for line in lines_of(memory)}
    kept = {text: turn for text, turn in game.state.came_back.items() if text in known}
    return game.with_state(came_back={**kept, fact: game.state.turn})
